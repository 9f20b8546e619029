-- Merge sort along merge paths: each thread finds by bisection where its part of the merged run
-- starts. The sort is stable.
local N = 3000

return {
  source = [[
    struct item { int key, from; };
    __device__ int split(const item *a, int na, const item *b, int nb, int diagonal) {
      int low = max(0, diagonal - nb), high = min(diagonal, na);
      while (low < high) {
        int mid = (low + high) / 2;
        if (a[mid].key <= b[diagonal - 1 - mid].key) low = mid + 1;
        else high = mid;
      }
      return low;
    }
    __global__ void number(const int *keys, item *items, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) items[i] = { keys[i], i };
    }
    __global__ void merge(const item *in, item *out, int n, int width, int part) {
      int start = (blockIdx.x * blockDim.x + threadIdx.x) * part;
      if (start >= n) return;
      for (int at = start; at < min(start + part, n); ) {
        int base = at / (2 * width) * (2 * width);
        int na = min(width, n - base), nb = max(0, min(width, n - base - width));
        const item *a = in + base, *b = in + base + na;
        int end = min(min(start + part, n), base + na + nb);
        int i = split(a, na, b, nb, at - base), j = at - base - i;
        for (; at < end; at++)
          out[at] = j >= nb || (i < na && a[i].key <= b[j].key) ? a[i++] : b[j++];
      }
    }]],
  run = function(kernels, t)
    local keys = t.integers(N, 500)
    local x = t.cuda.array(keys, "int32")
    local a, b = t.cuda.empty(2 * N, "int32"), t.cuda.empty(2 * N, "int32")
    local blocks = { grid = 4, block = 128 }
    local view = function(y) return t.cuda.ptr(y.pointer) end
    kernels.number({ threads = N }, x, view(a), N)
    local width = 1
    while width < N do
      kernels.merge(blocks, view(a), view(b), N, width, 7)
      a, b, width = b, a, width * 2
    end
    t.cuda.synchronize() -- a launch does not track arrays reached through pointers
    local want = t.list(N, function(i) return { keys[i], i - 1 } end)
    table.sort(want, function(p, q)
      if p[1] ~= q[1] then return p[1] < q[1] end
      return p[2] < q[2]
    end)
    t.same(want, a:reshape { N, 2 })
  end,
}
