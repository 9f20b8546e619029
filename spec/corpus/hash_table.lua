-- A hash table with open addressing: keys claimed by compare-exchange, values added up, then looked
-- up by other threads.
local N = 3000

return {
  source = [[
    #define SLOTS 1024
    struct slot { unsigned key; int sum; };
    __device__ unsigned hash(unsigned k) {
      k ^= k >> 16;
      k *= 0x7feb352du;
      k ^= k >> 15;
      k *= 0x846ca68bu;
      return k ^ k >> 16;
    }
    __device__ slot table[SLOTS];
    __global__ void clear() {
      for (int i = threadIdx.x; i < SLOTS; i += blockDim.x) table[i] = { ~0u, 0 };
    }
    __global__ void insert(const unsigned *keys, const int *values, int n, int *full) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i >= n) return;
      for (unsigned at = hash(keys[i]) % SLOTS, tries = 0; tries < SLOTS; tries++) {
        unsigned old = atomicCAS(&table[at].key, ~0u, keys[i]);
        if (old == ~0u || old == keys[i]) {
          atomicAdd(&table[at].sum, values[i]);
          return;
        }
        at = (at + 1) % SLOTS;
      }
      *full = 1;
    }
    __global__ void find(const unsigned *keys, int *sums, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i >= n) return;
      sums[i] = -1;
      for (unsigned at = hash(keys[i]) % SLOTS; table[at].key != ~0u; at = (at + 1) % SLOTS)
        if (table[at].key == keys[i]) {
          sums[i] = table[at].sum;
          break;
        }
    }]],
  run = function(kernels, t)
    local keys, values, sums = {}, t.integers(N, 100), {}
    for i = 1, N do
      keys[i] = t.random(800) * 2654435761 % (1 << 32)
      sums[keys[i]] = (sums[keys[i]] or 0) + values[i]
    end
    local asked = t.list(1000, function(i) return (i - 1) * 2654435761 % (1 << 32) end)
    local full, got = t.cuda.zeros(1, "int32"), t.cuda.empty(1000, "int32")
    kernels.clear({ grid = 1, block = 256 })
    kernels.insert({ threads = N }, t.cuda.array(keys, "uint32"), t.cuda.array(values, "int32"), N,
      full)
    kernels.find({ threads = 1000 }, t.cuda.array(asked, "uint32"), got, 1000)
    t.same({ 0 }, full, "full")
    t.same(t.list(1000, function(i) return sums[asked[i]] or -1 end), got)
  end,
}
