-- Sample sort: splitters in constant memory, buckets filled through atomic counters, each bucket
-- sorted by rank in its block.
local N, BUCKETS = 2000, 16

return {
  source = [[
    #define BUCKETS 16
    __constant__ int splitters[BUCKETS - 1];
    __device__ int bucket_of(int key) {
      int low = 0, high = BUCKETS - 1;
      while (low < high) {
        int mid = (low + high) / 2;
        if (key < splitters[mid]) high = mid;
        else low = mid + 1;
      }
      return low;
    }
    __global__ void count(const int *x, int n, int *counts) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) atomicAdd(&counts[bucket_of(x[i])], 1);
    }
    __global__ void fill(const int *x, int n, int *next, int *buckets) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) buckets[atomicAdd(&next[bucket_of(x[i])], 1)] = x[i];
    }
    __global__ void sort_buckets(const int *buckets, const int *starts, int *out) {
      int from = starts[blockIdx.x], to = starts[blockIdx.x + 1];
      for (int i = from + threadIdx.x; i < to; i += blockDim.x) {
        int key = buckets[i], rank = from;
        for (int j = from; j < to; j++) rank += buckets[j] < key || (buckets[j] == key && j < i);
        out[rank] = key;
      }
    }]],
  run = function(kernels, t)
    local keys = t.list(N, function() return t.random(100) * t.random(100) end)
    local sample = t.list(BUCKETS * 8, function() return keys[t.random(N) + 1] end)
    table.sort(sample)
    t.module:global "splitters":set(t.list(BUCKETS - 1, function(i) return sample[8 * i] end))
    local x, counts = t.cuda.array(keys, "int32"), t.cuda.zeros(BUCKETS, "int32")
    kernels.count({ threads = N }, x, N, counts)
    local starts = { 0 }
    for i, n in ipairs(counts:totable()) do starts[i + 1] = starts[i] + n end
    local next_place = t.cuda.array(table.move(starts, 1, BUCKETS, 1, {}), "int32")
    local buckets, out = t.cuda.empty(N, "int32"), t.cuda.empty(N, "int32")
    kernels.fill({ threads = N }, x, N, next_place, buckets)
    kernels.sort_buckets({ grid = BUCKETS, block = 64 }, buckets, t.cuda.array(starts, "int32"),
      out)
    table.sort(keys)
    t.same(keys, out)
  end,
}
