-- scatter_source.lua: the CUDA text of updates at indices, which may repeat.

local take_source = require "luacuda.array.take_source"
local ufunc_source = require "luacuda.array.ufunc_source"
local dtypes = require "luacuda.base.dtypes"
local prelude = require "luacuda.builder.prelude"

local M = {}

-- Compares and swaps the bits of an element until no other thread came between. WORD: an unsigned
-- type of its size.
local SWAP = [[
__device__ __forceinline__ void _lcu_update(T *at, T v) {
  WORD *const word = (WORD *)at;
  WORD seen = *(volatile WORD *)word, old;
  do {
    old = seen;
    T was = *(T *)&old, now = JOIN;
    if (*(WORD *)&now == old) return;
    seen = atomicCAS(word, old, *(WORD *)&now);
  } while (seen != old);
}
]]

local function update(statement)
  return ("__device__ __forceinline__ void _lcu_update(T *at, T v) { %s }\n"):format(statement)
end

local function update_truth(statement)
  return ("__device__ __forceinline__ void _lcu_update(T *at, bool v) { %s }\n"):format(statement)
end

local WORD = { [2] = "unsigned short", [4] = "unsigned int", [8] = "unsigned long long" }

local function swap(row, join)
  return (SWAP:gsub("%u%u+", { WORD = WORD[row.size], JOIN = join }))
end

local ADD = { bool = update_truth "if (v) *at = true;", float = update "atomicAdd(at, v);",
  complex = update [[
typedef decltype(v.real()) P;
  atomicAdd((P *)at, v.real()), atomicAdd((P *)at + 1, v.imag());]] }

-- Function and dtype's row -> text of _lcu_update(at, v).
local UPDATES = {}

function UPDATES.scatter_add(row)
  return ADD[row.kind] or row.size == 2 and swap(row, "(T)(was + v)") or ADD.float
end

local function extreme(name, atomic, op, bool)
  local order = ufunc_source[name]
  return function(row)
    if row.kind == "bool" then return update_truth(bool) end
    if row.kind ~= "float" and row.size >= 4 then return update(atomic .. "(at, v);") end
    if row.kind == "float" then return order .. swap(row, name .. "(was, v)") end
    return swap(row, ("v %s was ? v : was"):format(op))
  end
end
UPDATES.scatter_max = extreme("_lcu_maximum", "atomicMax", ">", "if (v) *at = true;")
UPDATES.scatter_min = extreme("_lcu_minimum", "atomicMin", "<", "if (!v) *at = false;")

-- T and the function _lcu_update(at, v) of `what` for a dtype.
function M.updates(what, dtype)
  local stored = prelude.stored(prelude.cname(dtype))
  return ("typedef %s T;\n"):format(stored) .. UPDATES[what](dtypes.of(dtype))
end

-- a is {outer, m, inner}; v is {outer, k, inner}, or one element if `given` is 1.
local KERNEL = [[
__global__ void __launch_bounds__(THREADS)
luacuda_scatter(void *a, const void *indices, const void *v, Int count, Int m, Int k, Int inner,
    Int given) {
  const Int stride = (Int)gridDim.x * THREADS;
  for (Int i = (Int)blockIdx.x * THREADS + threadIdx.x; i < count; i += stride) {
]] .. take_source.PLACE .. [[
    if (normal(at, m))
      _lcu_update((T *)a + (outer * m + (Int)at) * inner + r,
          ((const T *)v)[given == 1 ? 0 : i]);
  }
}
]]

-- The text for the function `what`, a dtype, a dtype of indices, a mode, and large arrays or not.
function M.text(what, dtype, index, mode, wide)
  return prelude.text { dtype, "atomicAdd" }
    .. take_source.index_head(dtypes.of(dtype).size, index, mode, wide)
    .. M.updates(what, dtype) .. KERNEL
end

-- Few indices, by one block, which updates nothing where an index is wrong.
local FEW = [[
__global__ void __launch_bounds__(FEW_THREADS)
luacuda_scatter_few(void *a, const void *indices, const void *v, void *bad, int few, Int m,
    int given) {
  if (any_wrong(indices, few, m, bad)) return;
  for (int i = threadIdx.x; i < few; i += FEW_THREADS) {
    long long at = ((const Index *)indices)[i];
    normal(at, m);
    _lcu_update((T *)a + (Int)at, ((const T *)v)[given == 1 ? 0 : i]);
  }
}
]]

-- The same for few indices of mode "raise" and an array taken as one axis.
function M.few(what, dtype, index, wide)
  return prelude.text { dtype, "atomicAdd" }
    .. take_source.few_head(dtypes.of(dtype).size, index, wide) .. M.updates(what, dtype) .. FEW
end

return M
