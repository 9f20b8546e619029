-- scatter_source.lua: the CUDA text of updates at indices, which may repeat.

local index_head = require("luacuda.array.take_source").index_head
local PLACE = require("luacuda.array.take_source").PLACE
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

local WORD = { [2] = "unsigned short", [4] = "unsigned int", [8] = "unsigned long long" }

local function swap(row, join)
  return (SWAP:gsub("%u%u+", { WORD = WORD[row.size], JOIN = join }))
end

local ADD = { bool = update "if (v) *at = true;", float = update "atomicAdd(at, v);",
  complex = update [[
typedef decltype(v.real()) P;
  atomicAdd((P *)at, v.real()), atomicAdd((P *)at + 1, v.imag());]] }

-- Function and dtype's row -> text of _lcu_update(at, v).
local UPDATES = {}

function UPDATES.scatter_add(row)
  return ADD[row.kind] or row.size == 2 and swap(row, "(T)(was + v)") or ADD.float
end

local function extreme(atomic, op, bool)
  return function(row)
    if row.kind == "bool" then return update(bool) end
    if row.kind ~= "float" and row.size >= 4 then return update(atomic .. "(at, v);") end
    return swap(row, ("v %s was || v != v ? v : was"):format(op))
  end
end
UPDATES.scatter_max = extreme("atomicMax", ">", "if (v) *at = true;")
UPDATES.scatter_min = extreme("atomicMin", "<", "if (!v) *at = false;")

-- T and the function _lcu_update(at, v) of `what` for a dtype.
function M.updates(what, dtype)
  return ("typedef %s T;\n"):format(prelude.cname(dtype)) .. UPDATES[what](dtypes.of(dtype))
end

-- a is {outer, m, inner}, v {outer, k, inner} or `given` elements that repeat.
local KERNEL = [[
__global__ void __launch_bounds__(THREADS)
luacuda_scatter(void *a, const void *indices, const void *v, Int count, Int m, Int k, Int inner,
    Int given) {
  const Int stride = (Int)gridDim.x * THREADS;
  for (Int i = (Int)blockIdx.x * THREADS + threadIdx.x; i < count; i += stride) {
]] .. PLACE .. [[
    if (normal(at, m))
      _lcu_update((T *)a + (outer * m + (Int)at) * inner + r,
          ((const T *)v)[given < count ? i % given : i]);
  }
}
]]

-- The text for the function `what`, a dtype, a dtype of indices, a mode, and large arrays or not.
function M.text(what, dtype, index, mode, wide)
  return prelude.text { dtype, "atomicAdd" } .. index_head(dtypes.of(dtype).size, index, mode, wide)
    .. M.updates(what, dtype) .. KERNEL
end

return M
