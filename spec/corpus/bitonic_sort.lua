-- Bitonic sort of keys with their values: large steps in global memory, one launch each, small
-- ones in shared memory.
local N, TILE = 2048, 512

return {
  source = [[
    #define TILE 512
    struct pair { unsigned key, value; };
    __device__ void order(pair &a, pair &b, bool up) {
      if ((a.key > b.key) == up && a.key != b.key) { pair t = a; a = b; b = t; }
    }
    __global__ void global_step(uint2 *data, int size, int stride) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      int at = 2 * i - (i & (stride - 1));
      pair a = { data[at].x, data[at].y }, b = { data[at + stride].x, data[at + stride].y };
      order(a, b, (at & size) == 0);
      data[at] = make_uint2(a.key, a.value);
      data[at + stride] = make_uint2(b.key, b.value);
    }
    __global__ void shared_steps(uint2 *data, int first, int last) {
      __shared__ pair s[TILE];
      int i = threadIdx.x, base = blockIdx.x * TILE;
      for (int k = i; k < TILE; k += TILE / 2) s[k] = { data[base + k].x, data[base + k].y };
      for (int size = first; size <= last; size *= 2) {
        for (int stride = min(size, TILE) / 2; stride > 0; stride /= 2) {
          __syncthreads();
          int at = 2 * i - (i & (stride - 1));
          order(s[at], s[at + stride], ((base + at) & size) == 0);
        }
      }
      __syncthreads();
      for (int k = i; k < TILE; k += TILE / 2) data[base + k] = make_uint2(s[k].key, s[k].value);
    }]],
  run = function(kernels, t)
    local keys, both = t.integers(N, 1 << 31), {}
    for i, key in ipairs(keys) do both[2 * i - 1], both[2 * i] = 2 * key + i % 2, i end
    local x = t.cuda.array(both, "uint32")
    local blocks = { grid = N // TILE, block = TILE // 2 }
    kernels.shared_steps(blocks, x, 2, TILE)
    local size = 2 * TILE
    while size <= N do
      local stride = size // 2
      while stride >= TILE do
        kernels.global_step({ grid = N // TILE, block = TILE // 2 }, x, size, stride)
        stride = stride // 2
      end
      kernels.shared_steps(blocks, x, size, size)
      size = size * 2
    end
    local got, previous, seen = x:totable(), -1, {}
    for i = 1, N do
      local key, value = got[2 * i - 1], got[2 * i]
      assert(key >= previous, "not in order")
      assert(not seen[value] and both[2 * value - 1] == key, "a value left its key")
      previous, seen[value] = key, true
    end
  end,
}
