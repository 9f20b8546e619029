-- histogram_source.lua: the CUDA text of histograms: counts, or sums of weights, of the elements in
-- each bin. A block adds up in shared memory where the bins fit there.

local dtypes = require "luacuda.base.dtypes"
local prelude = require "luacuda.builder.prelude"

local M = { THREADS = 256, SHARED_BINS = 4096 }

-- The bin of an element, or -1. `edges` has bins + 1 elements in ascending order; a bin contains
-- its first edge, the last one both.
local BINS = {
  -- an element is its bin, from 1
  value = [[
__device__ __forceinline__ long long bin_of(const Element x, const Edge *, const long long bins) {
  const long long k = (long long)x - 1;
  return (unsigned long long)k < (unsigned long long)bins ? k : -1;
}
]],
  -- The width of bins gives a place that rounding may have moved over an edge.
  uniform = [[
__device__ __forceinline__ long long bin_of(const Element e, const Edge *edges,
    const long long bins) {
  const Calc x = (Calc)e, first = (Calc)edges[0], last = (Calc)edges[bins];
  if (!(x >= first && x <= last)) return -1;
  const double place = ((double)x - (double)first) / ((double)last - (double)first) * (double)bins;
  long long k = place > 0 ? place < (double)bins ? (long long)place : bins - 1 : 0;
  while (k > 0 && x < (Calc)edges[k]) k--;
  while (k < bins - 1 && x >= (Calc)edges[k + 1]) k++;
  return k;
}
]],
  edges = [[
__device__ __forceinline__ long long bin_of(const Element e, const Edge *edges,
    const long long bins) {
  const Calc x = (Calc)e;
  if (!(x >= (Calc)edges[0] && x <= (Calc)edges[bins])) return -1;
  long long low = 0, high = bins - 1;
  while (low < high) {
    const long long k = low + ((high - low) >> 1) + 1;
    if ((Calc)edges[k] <= x) low = k;
    else high = k - 1;
  }
  return low;
}
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
  const long long stride = (long long)gridDim.x * THREADS;
  for (long long i = (long long)blockIdx.x * THREADS + threadIdx.x; i < n; i += stride) {
    const long long k = bin_of(((const Element *)in)[i], (const Edge *)edges, bins);
    if (k < 0) continue;
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
  }
#if SHARED
  __syncthreads();
  for (int k = threadIdx.x; k < (int)bins; k += THREADS)
    if (parts[k] != 0) atomicAdd(&((Sum *)out)[k], (Sum)parts[k]);
#endif
}
]==]

-- The C++ type that elements of a dtype are converted to: float for half types.
local function calc_name(dtype)
  local row = dtypes.of(dtype)
  return prelude.cname(row.kind == "float" and row.size == 2 and "float32" or dtype)
end

-- text(kind, element, edge, weight, shared): kind "value", "uniform" or "edges"; the dtypes of
-- elements, edges and weights (nil: counts)
function M.text(kind, element, edge, weight, shared)
  return prelude.text { element, edge, weight or element } .. table.concat({
    ("typedef %s Element;"):format(prelude.cname(element)),
    ("typedef %s Edge;"):format(prelude.cname(edge)),
    ("typedef %s Weight;"):format(prelude.cname(weight or element)),
    ("typedef %s Calc;"):format(calc_name(dtypes.promote(element, edge))),
    ("#define THREADS %d"):format(M.THREADS),
    "#define WEIGHTED " .. (weight and 1 or 0), "#define SHARED " .. (shared and 1 or 0),
    BINS[kind], KERNEL,
  }, "\n")
end

return M
