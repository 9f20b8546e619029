-- softmax_rows.lua: softmax and log_softmax of the rows of contiguous arrays in one pass: the
-- threads of a row keep its elements in registers.

local dtypes = require "luacuda.base.dtypes"
local overlap = require("luacuda.base.operands").overlap
local prelude = require "luacuda.builder.prelude"
local find_kernel = require("luacuda.kernel.kernel").find

local BLOCK, MOST_THREADS = 256, 1024
local BYTES = 128                       -- of the elements that a thread keeps
local LINE = 8                          -- threads that read a cache line together

-- THREADS threads load UNITS vectors each.
local KERNEL = [[
typedef TYPE_REAL Real;
typedef _lcu_pack<TYPE_IN, WIDTH> In;
typedef _lcu_pack<TYPE_OUT, WIDTH> Out;

// the larger value, or the NaN
__device__ __forceinline__ Real most_of(Real a, Real b) { return b > a || b != b ? b : a; }
__device__ __forceinline__ Real sum_of(Real a, Real b) { return a + b; }

// what `join` makes of the values of all threads of a row
#define OVER_ROW(name, join, none) \
__device__ __forceinline__ Real name(Real a) { \
  for (int d = (THREADS < 32 ? THREADS : 32) / 2; d > 0; d /= 2) \
    a = join(a, __shfl_xor_sync(0xffffffffu, a, d)); \
  if (THREADS <= 32) return a; \
  __shared__ Real room[BLOCK / 32]; \
  Real *const warps = room + threadIdx.y * (THREADS / 32); \
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = a; \
  __syncthreads(); \
  a = none; \
  for (int w = 0; w < THREADS / 32; w++) a = join(a, warps[w]); \
  return a; \
}
OVER_ROW(row_most, most_of, -__int_as_float(0x7f800000))
OVER_ROW(row_sum, sum_of, 0)

__global__ void __launch_bounds__(BLOCK) luacuda_softmax_rows(const void *_x, void *_y,
    long long rows, int units) {
  const long long r = (long long)blockIdx.x * blockDim.y + threadIdx.y;
  const In *const x = (const In *)_x + (r < rows ? r : 0) * units;
  Out *const y = (Out *)_y + (r < rows ? r : 0) * units;
  In in[UNITS];
  Real v[UNITS * WIDTH], most = -__int_as_float(0x7f800000), sum = 0;
  #pragma unroll
  for (int m = 0; m < UNITS; m++)
    if (m * THREADS + threadIdx.x < units) in[m] = x[m * THREADS + threadIdx.x];
  #pragma unroll
  for (int k = 0; k < UNITS * WIDTH; k++) {
    const bool there = k / WIDTH * THREADS + threadIdx.x < units;
    v[k] = there ? (Real)in[k / WIDTH].v[k % WIDTH] : -__int_as_float(0x7f800000);
    most = most_of(most, v[k]);
  }
  most = row_most(most);
  #pragma unroll
  for (int k = 0; k < UNITS * WIDTH; k++) {
    const bool there = k / WIDTH * THREADS + threadIdx.x < units;
    const Real e = v[k] == most ? (Real)1 : exp(v[k] - most);
    sum += there ? e : (Real)0;
    v[k] = KEPT;
  }
  sum = row_sum(sum);
  const Real total = TOTAL;
  if (r >= rows) return;
  #pragma unroll
  for (int m = 0; m < UNITS; m++) {
    if (m * THREADS + threadIdx.x >= units) break;
    Out out;
    #pragma unroll
    for (int l = 0; l < WIDTH; l++) out.v[l] = VALUE(v[m * WIDTH + l]);
    y[m * THREADS + threadIdx.x] = out;
  }
}
]]

-- The same for infinities as softmax.lua: NaN, or the differences.
local TEXTS = {
  softmax = { KEPT = "e", TOTAL = "isinf(most) ? most - most : sum",
    value = "#define VALUE(e) ((e) / total)\n" },
  log_softmax = { KEPT = "v[k] - most", TOTAL = "isinf(most) ? (Real)0 : log(sum)",
    value = "#define VALUE(d) ((d) - total)\n" },
}

local function kernel_text(what, dtype, out, wide, plan)
  local texts = { TYPE_IN = prelude.stored(prelude.cname(dtype)), TYPE_OUT = prelude.cname(out),
    TYPE_REAL = prelude.cname(wide), WIDTH = plan.width, UNITS = plan.units, THREADS = plan.threads,
    BLOCK = plan.threads * plan.rows, KEPT = TEXTS[what].KEPT, TOTAL = TEXTS[what].TOTAL }
  return prelude.text { dtype, out, wide } .. TEXTS[what].value
    .. KERNEL:gsub("%u[%u_]+", texts)
end

local function power(n)                 -- the least power of two that is at least n
  local p = 1
  while p < n do p = p * 2 end
  return p
end

-- How a row of n elements is divided; nil where it does not fit in the registers of a block.
-- `start`: its lowest bits are those of both addresses, in elements.
local function plan_of(n, start, bytes, wide_bytes)
  local most, width = BYTES // wide_bytes, math.max(16 // bytes, 1)
  while (n | start) % width ~= 0 do width = width // 2 end
  local vectors = n // width
  local units = math.max(most // width // 2, 1)
  local threads = math.max(power((vectors + units - 1) // units), math.min(power(vectors), LINE))
  threads = math.min(threads, MOST_THREADS)
  units = power((vectors + threads - 1) // threads)
  if units * width > most then return nil end
  return { width = width, units = units, threads = threads, vectors = vectors,
    rows = math.max(BLOCK // threads, 1) }
end

-- Are `axes` (nil: all) the last ones? Returns the number of elements along them.
local function row_length(a, axes)
  if axes == nil then return a.size end
  local first, n, shape = a.ndim - #axes + 1, 1, a.shape
  for _, axis in ipairs(axes) do
    if axis < first then return nil end
    n = n * shape[axis]
  end
  return n
end

-- The plan for rows of n elements, or nil.
local function make(what, a, y, n, wide)
  local from, to = dtypes.of(a.dtype).size, dtypes.of(y.dtype).size
  local plan = plan_of(n, a.pointer // from | y.pointer // to, math.max(from, to),
    dtypes.of(wide).size)
  if not plan then return nil end
  local name = ("%s %s %d %d %d"):format(what, a.dtype, plan.width, plan.units, plan.threads)
  plan.run = find_kernel("luacuda_softmax_rows", name, kernel_text, what, a.dtype, y.dtype, wide,
    plan)
  local count = a.size // n
  plan.grid, plan.block = (count + plan.rows - 1) // plan.rows, { plan.threads, plan.rows }
  plan.args, plan.dtype = { count, plan.vectors }, y.dtype
  return plan
end

-- May the result of each row take the place of its elements, or is it elsewhere?
local function is_apart(a, y)
  return a.pointer == y.pointer and a.nbytes == y.nbytes or not overlap(a, y)
end

-- plan(what, a, y, axes, wide, given) -> how a kernel writes the softmax of `a` along `axes` to `y`
-- (plans.lua), or nil. `wide`: the dtype of the computation; `given`: y is not a new array.
local function plan(what, a, y, axes, wide, given)
  local n = a.is_contiguous and y.is_contiguous and a.size > 0 and row_length(a, axes)
  if not n or (given and not is_apart(a, y)) then return nil end
  return make(what, a, y, n, wide)
end

return { plan = plan }
