-- CUB for blocks: merge sort with a comparison, histogram, shuffle, adjacent difference, run-length
-- decoding.
local N = 64 * 4

return {
  heavy = true,
  needs = "cub/block/block_merge_sort.cuh",
  source = [[
    #include <cub/block/block_merge_sort.cuh>
    #include <cub/block/block_histogram.cuh>
    #include <cub/block/block_adjacent_difference.cuh>
    #include <cub/block/block_shuffle.cuh>
    #include <cub/block/block_exchange.cuh>
    struct further { __device__ bool operator()(double a, double b) const { return a > b; } };
    struct minus { __device__ double operator()(double a, double b) const { return a - b; } };
    __global__ void __launch_bounds__(64) sort(double *x, double *steps, double *turned) {
      using sort_t = cub::BlockMergeSort<double, 64, 4>;
      using steps_t = cub::BlockAdjacentDifference<double, 64>;
      using exchange_t = cub::BlockExchange<double, 64, 4>;
      using turn_t = cub::BlockShuffle<double, 64>;
      __shared__ sort_t::TempStorage sort;
      __shared__ steps_t::TempStorage difference;
      __shared__ exchange_t::TempStorage exchange;
      __shared__ turn_t::TempStorage turn;
      int i = threadIdx.x;
      double v[4], d[4], w;
      for (int k = 0; k < 4; k++) v[k] = x[i + 64 * k];
      exchange_t(exchange).StripedToBlocked(v, v);
      sort_t(sort).Sort(v, further());
      steps_t(difference).SubtractLeft(v, d, minus());
      turn_t(turn).Rotate(v[0], w, 5);
      for (int k = 0; k < 4; k++) x[4 * i + k] = v[k], steps[4 * i + k] = d[k];
      turned[i] = w;
    }
    template <cub::BlockHistogramAlgorithm A>
    __device__ void bins_of(const unsigned char *x, unsigned *bins) {
      using count_t = cub::BlockHistogram<unsigned char, 64, 4, 32, A>;
      __shared__ typename count_t::TempStorage s;
      __shared__ unsigned own[32];
      unsigned char v[4];
      for (int k = 0; k < 4; k++) v[k] = x[4 * threadIdx.x + k];
      count_t(s).Histogram(v, own);
      __syncthreads();
      if (threadIdx.x < 32) bins[threadIdx.x] = own[threadIdx.x];
    }
    __global__ void __launch_bounds__(64) histogram(const unsigned char *x, unsigned *bins) {
      bins_of<cub::BLOCK_HISTO_ATOMIC>(x, bins);
      bins_of<cub::BLOCK_HISTO_SORT>(x, bins + 32);
    }]],
  run = function(kernels, t)
    local x = t.list(N, function() return (t.random(1 << 20) - (1 << 19)) / 64 end)
    local a, steps = t.cuda.array(x, "float64"), t.cuda.empty(N, "float64")
    local turned = t.cuda.empty(64, "float64")
    kernels.sort({ grid = 1, block = 64 }, a, steps, turned)
    table.sort(x, function(p, q) return p > q end)
    t.same(x, a, "sort")
    t.same(t.list(N, function(i) return i == 1 and x[1] or x[i] - x[i - 1] end), steps, "steps")
    t.same(t.list(64, function(i) return x[4 * ((i + 4) % 64) + 1] end), turned, "rotation")
    local bytes, bins = t.integers(N, 32), t.list(64, function() return 0 end)
    for _, v in ipairs(bytes) do
      bins[v + 1], bins[v + 33] = bins[v + 1] + 1, bins[v + 33] + 1
    end
    local counts = t.cuda.empty(64, "uint32")
    kernels.histogram({ grid = 1, block = 64 }, t.cuda.array(bytes, "uint8"), counts)
    t.same(bins, counts, "histogram")
  end,
}
