-- Connected components: union-find with hooking by compare-exchange and pointer jumping.
local NODES, EDGES = 1000, 700

return {
  source = [[
    __device__ int find(volatile int *parent, int v) {
      while (parent[v] != v) v = parent[v];
      return v;
    }
    __global__ void unite(int *parent, const int2 *edges, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i >= n) return;
      for (;;) {
        int a = find(parent, edges[i].x), b = find(parent, edges[i].y);
        if (a == b) return;
        int low = min(a, b), high = max(a, b);
        if (atomicCAS(&parent[high], high, low) == high) return;
      }
    }
    __global__ void flatten(const int *parent, int *root, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i >= n) return;
      int v = i;
      while (parent[v] != v) v = parent[v];
      root[i] = v;
    }]],
  run = function(kernels, t)
    local edges, root = t.integers(2 * EDGES, NODES), t.list(NODES, function(i) return i - 1 end)
    local function find(v)
      while root[v + 1] ~= v do v = root[v + 1] end
      return v
    end
    for i = 1, 2 * EDGES, 2 do
      local a, b = find(edges[i]), find(edges[i + 1])
      root[math.max(a, b) + 1] = math.min(a, b)
    end
    local parent, got = t.cuda.arange(NODES, "int32"), t.cuda.empty(NODES, "int32")
    kernels.unite({ threads = EDGES, block = 128 }, parent, t.cuda.array(edges, "int32"), EDGES)
    kernels.flatten({ threads = NODES }, parent, got, NODES)
    t.same(t.list(NODES, function(i) return find(i - 1) end), got)
  end,
}
