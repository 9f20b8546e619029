-- Shortest paths after Bellman and Ford: rounds of atomic minimum until nothing changes, and the
-- predecessors packed with the distances into 64 bits.
local NODES, EDGES = 200, 900

return {
  source = [[
    struct edge { int from, to, weight; };
    __global__ void relax(const edge *edges, int n, unsigned long long *best, int *changed) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i >= n) return;
      edge e = edges[i];
      unsigned long long at = atomicAdd(&best[e.from], 0);
      unsigned distance = at >> 32;
      if (distance == ~0u) return;
      unsigned long long mine = (unsigned long long)(distance + e.weight) << 32 | (unsigned)e.from;
      if (mine >> 32 < atomicAdd(&best[e.to], 0) >> 32)
        if (atomicMin(&best[e.to], mine) > mine) atomicExch(changed, 1);
    }]],
  run = function(kernels, t)
    local edges, flat = {}, {}
    for i = 1, EDGES do
      edges[i] = { t.random(NODES), t.random(NODES), 1 + t.random(50) }
      table.move(edges[i], 1, 3, #flat + 1, flat)
    end
    local want = { [0] = 0 }
    for _ = 1, NODES do
      for _, e in ipairs(edges) do
        local d = want[e[1]]
        if d and (not want[e[2]] or d + e[3] < want[e[2]]) then want[e[2]] = d + e[3] end
      end
    end
    local cuda = t.cuda
    local best = cuda.array(t.list(NODES, function(i) return i == 1 and 0 or -1 end), "int64")
    local changed = cuda.ones(1, "int32")
    local e, b = cuda.array(flat, "int32"), best:view "uint64"
    while changed[1] == 1 do
      changed:fill(0)
      kernels.relax({ threads = EDGES, block = 128 }, cuda.ptr(e.pointer), EDGES, b, changed)
    end
    local got = best:totable()
    for v = 0, NODES - 1 do
      local distance, from = got[v + 1] >> 32, got[v + 1] & 0xffffffff
      t.same(want[v] or 0xffffffff, distance, "distance of " .. v)
      if want[v] and v ~= 0 then
        local found = false
        for _, x in ipairs(edges) do
          found = found or x[1] == from and x[2] == v and want[from] + x[3] == distance
        end
        assert(found, "a wrong predecessor")
      end
    end
  end,
}
