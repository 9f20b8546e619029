-- histogram_source.lua: the CUDA text of histograms: counts, or sums of weights, of the elements in
-- each bin. A block adds up in shared memory where the bins fit there.

local dtypes = require "luacuda.base.dtypes"
local prelude = require "luacuda.builder.prelude"

local M = { THREADS = 256, SHARED_BINS = 4096,
  -- loads of a thread in flight
  BATCH = { cpu = 1, gpu = 8 } }

-- Bins: what a thread keeps of them; operator() gives the bin of an element, or -1. `edges` has
-- bins + 1 elements in ascending order; a bin contains its first edge, the last one both.
local BINS = {
  -- an element is its bin, from 1
  value = [[
struct Bins {
  const long long bins;
  __device__ Bins(const Edge *, const long long bins) : bins(bins) {}
  __device__ __forceinline__ long long operator()(const Element x) const {
    const long long k = (long long)x - 1;
    return (unsigned long long)k < (unsigned long long)bins ? k : -1;
  }
};
]],
  -- The width of bins gives a place that rounding may have moved over an edge.
  uniform = [[
struct Bins {
  const Edge *const edges;
  const long long bins;
  const Calc first, last;
  const double scale;
  __device__ Bins(const Edge *edges, const long long bins) : edges(edges), bins(bins),
      first((Calc)edges[0]), last((Calc)edges[bins]),
      scale((double)bins / ((double)last - (double)first)) {}
  __device__ __forceinline__ long long operator()(const Element e) const {
    const Calc x = (Calc)e;
    if (!(x >= first && x <= last)) return -1;
    const double place = ((double)x - (double)first) * scale;
    long long k = place > 0 ? place < (double)bins ? (long long)place : bins - 1 : 0;
    while (k > 0 && x < (Calc)edges[k]) k--;
    while (k < bins - 1 && x >= (Calc)edges[k + 1]) k++;
    return k;
  }
};
]],
  edges = [[
struct Bins {
  const Edge *const edges;
  const long long bins;
  const Calc first, last;
  __device__ Bins(const Edge *edges, const long long bins) : edges(edges), bins(bins),
      first((Calc)edges[0]), last((Calc)edges[bins]) {}
  __device__ __forceinline__ long long operator()(const Element e) const {
    const Calc x = (Calc)e;
    if (!(x >= first && x <= last)) return -1;
    long long low = 0, high = bins - 1;
    while (low < high) {
      const long long k = low + ((high - low) >> 1) + 1;
      if ((Calc)edges[k] <= x) low = k;
      else high = k - 1;
    }
    return low;
  }
};
]],
}

local KERNEL = [==[
#if WEIGHTED
typedef double Part;
typedef double Sum;
#else
typedef unsigned Part;
typedef unsigned long long Sum;
#endif
extern "C" __global__ void __launch_bounds__(THREADS)
luacuda_histogram(const void *in, const void *weights, const void *edges, void *out,
    const long long n, const long long bins) {
#if SHARED
  extern __shared__ Part parts[];
  for (int k = threadIdx.x; k < (int)bins; k += THREADS) parts[k] = 0;
  __syncthreads();
#endif
  const Bins bin_of((const Edge *)edges, bins);
  const long long stride = (long long)gridDim.x * THREADS;
  const auto add = [&](const Element x, const long long i) {
    const long long k = bin_of(x);
    if (k < 0) return;
#if WEIGHTED
    const double amount = (double)((const Weight *)weights)[i];
#else
    const unsigned amount = 1;
#endif
#if SHARED
    atomicAdd(&parts[k], (Part)amount);
#else
    atomicAdd(&((Sum *)out)[k], (Sum)amount);
#endif
  };
  const Element *const x = (const Element *)in;
  long long i = (long long)blockIdx.x * THREADS + threadIdx.x;
  for (; i + (BATCH - 1) * stride < n; i += BATCH * stride) {
    Element own[BATCH];
#pragma unroll
    for (int j = 0; j < BATCH; j++) own[j] = x[i + j * stride];
#pragma unroll
    for (int j = 0; j < BATCH; j++) add(own[j], i + j * stride);
  }
  for (; i < n; i += stride) add(x[i], i);
#if SHARED
  __syncthreads();
  for (int k = threadIdx.x; k < (int)bins; k += THREADS)
    if (parts[k] != 0) atomicAdd(&((Sum *)out)[k], (Sum)parts[k]);
#endif
}
]==]

-- The C++ type that elements of a dtype are converted to: float for narrow ones.
local function calc_name(dtype)
  local row = dtypes.of(dtype)
  return prelude.cname(row.narrow and "float32" or dtype)
end

-- text(kind, element, edge, weight, shared, batch): kind "value", "uniform" or "edges"; the dtypes
-- of elements, edges and weights (nil: counts)
function M.text(kind, element, edge, weight, shared, batch)
  return prelude.text { element, edge, weight or element } .. table.concat({
    ("typedef %s Element;"):format(prelude.cname(element)),
    ("typedef %s Edge;"):format(prelude.cname(edge)),
    ("typedef %s Weight;"):format(prelude.cname(weight or element)),
    ("typedef %s Calc;"):format(calc_name(dtypes.promote(element, edge))),
    ("#define THREADS %d"):format(M.THREADS), ("#define BATCH %d"):format(batch),
    "#define WEIGHTED " .. (weight and 1 or 0), "#define SHARED " .. (shared and 1 or 0),
    BINS[kind], KERNEL,
  }, "\n")
end

return M
