-- Breadth-first search: a frontier in a queue that atomics fill, one launch per level.
local NODES = 500

return {
  source = [=[
    __global__ void level(const int *first, const int *to, int *distance, const int *frontier,
                          int count, int *next, int *next_count, int depth) {
      int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
      int warps = gridDim.x * blockDim.x / 32;
      for (int f = warp; f < count; f += warps) {
        int v = frontier[f];
        for (int e = first[v] + lane; e < first[v + 1]; e += 32)
          if (atomicCAS(&distance[to[e]], -1, depth) == -1)
            next[atomicAdd(next_count, 1)] = to[e];
      }
    }]=],
  run = function(kernels, t)
    local adjacent, first, to = {}, { 0 }, {}
    for v = 0, NODES - 1 do
      adjacent[v] = t.integers(t.random(6), NODES)
      for _, w in ipairs(adjacent[v]) do to[#to + 1] = w end
      first[v + 2] = #to
    end
    local want, queue, head = { [0] = 0 }, { 0 }, 1
    while queue[head] do
      local v = queue[head]
      head = head + 1
      for _, w in ipairs(adjacent[v]) do
        if not want[w] then
          want[w] = want[v] + 1
          queue[#queue + 1] = w
        end
      end
    end
    local cuda = t.cuda
    local distance = cuda.full(NODES, -1, "int32")
    distance[1] = 0
    local a, b = cuda.zeros(NODES, "int32"), cuda.zeros(NODES, "int32")
    local counter, count, depth = cuda.zeros(1, "int32"), 1, 0
    first, to = cuda.array(first, "int32"), cuda.array(to, "int32")
    while count > 0 do
      depth = depth + 1
      counter:fill(0)
      kernels.level({ grid = 2, block = 128 }, first, to, distance, a, count, b, counter, depth)
      count = counter[1]
      a, b = b, a
    end
    t.same(t.list(NODES, function(i) return want[i - 1] or -1 end), distance)
  end,
}
