-- Dynamic parallelism: a tree of squares built by kernels that launch themselves for parts with
-- many points, in the order of a scan; every point must be in the leaf that contains it.
local N, MOST, DEPTH = 500, 8, 8

return {
  options = { rdc = true },
  source = [[
    struct square { float x, y, size; int first, count, child; };
    __global__ void split(float2 *points, float2 *other, square *squares, int *used, int at,
                          int most, int depth) {
      __shared__ int counts[4], starts[4], child;
      square s = squares[at];
      float half = s.size / 2;
      if (threadIdx.x < 4) counts[threadIdx.x] = 0;
      __syncthreads();
      auto part_of = [&](float2 p) { return (p.x >= s.x + half) + 2 * (p.y >= s.y + half); };
      for (int i = threadIdx.x; i < s.count; i += blockDim.x)
        atomicAdd(&counts[part_of(points[s.first + i])], 1);
      __syncthreads();
      if (threadIdx.x == 0) {
        int sum = s.first;
        for (int k = 0; k < 4; k++) {
          starts[k] = sum;
          sum += counts[k];
        }
        squares[at].child = child = atomicAdd(used, 4);
      }
      __syncthreads();
      if (threadIdx.x < 4)
        squares[child + threadIdx.x] = { s.x + half * (threadIdx.x & 1),
          s.y + half * (threadIdx.x >> 1), half, starts[threadIdx.x], counts[threadIdx.x], -1 };
      __syncthreads();
      for (int i = threadIdx.x; i < s.count; i += blockDim.x) {
        float2 p = points[s.first + i];
        other[atomicAdd(&starts[part_of(p)], 1)] = p;
      }
      __syncthreads();
      for (int i = threadIdx.x; i < s.count; i += blockDim.x)
        points[s.first + i] = other[s.first + i];
      __threadfence();
      __syncthreads();
      if (threadIdx.x < 4 && depth > 1 && squares[child + threadIdx.x].count > most)
        split<<<1, 64>>>(points, other, squares, used, child + threadIdx.x, most, depth - 1);
    }]],
  run = function(kernels, t)
    local cuda, points, seen = t.cuda, {}, {}
    for i = 1, N do
      local x, y = t.random(1024), t.random(1024)
      if i % 2 == 0 then x, y = x // 16, y // 8 end
      points[2 * i - 1], points[2 * i] = x / 1024, y / 1024
      seen[x .. " " .. y] = (seen[x .. " " .. y] or 0) + 1
    end
    local most_squares = 4 * N * DEPTH
    local squares, used = cuda.zeros({ most_squares, 6 }, "float32"), cuda.ones(1, "int32")
    local whole = squares:view "int32"
    squares[1][3] = 1
    whole[1][5], whole[1][6] = N, -1
    local p = cuda.array(points)
    kernels.split({ grid = 1, block = 64 }, p, cuda.empty(2 * N), cuda.ptr(squares.pointer), used,
      0, MOST, DEPTH)
    cuda.synchronize() -- a launch does not track arrays reached through pointers
    p, squares, whole = p:totable(), squares:totable(), whole:totable()
    local leaves = 0
    local function visit(at, depth)
      local x, y, size = squares[at + 1][1], squares[at + 1][2], squares[at + 1][3]
      local first, count, child = whole[at + 1][4], whole[at + 1][5], whole[at + 1][6]
      assert(child >= 0 == (depth == DEPTH or count > MOST and depth > 0), "a wrong leaf")
      if child >= 0 then
        for k = 0, 3 do visit(child + k, depth - 1) end
        return
      end
      leaves = leaves + count
      for i = first, first + count - 1 do
        local px, py = p[2 * i + 1], p[2 * i + 2]
        assert(px >= x and px < x + size and py >= y and py < y + size, "a point in a wrong leaf")
        local key = ("%d %d"):format(px * 1024, py * 1024)
        seen[key] = seen[key] - 1
      end
    end
    visit(0, DEPTH)
    t.same(N, leaves, "points")
    for _, count in pairs(seen) do t.same(0, count, "count") end
  end,
}
