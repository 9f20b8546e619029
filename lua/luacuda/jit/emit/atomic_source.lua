-- atomic_source.lua: CUDA text of atomic operations on elements of all dtypes that have them.

local M = {}

-- By comparison and exchange, where the hardware has no such operation.
local LOOP = [[
template <class T> __device__ __forceinline__ T _lcu_atomic_$N(T *at, T v) {
  typedef typename _lcu_bits<sizeof(T)>::type B;
  union { T value; B bits; } seen, next;
  B old;
  seen.value = *(volatile T *)at;
  do {
    old = seen.bits;
    next.value = $E;
    seen.bits = atomicCAS((B *)at, old, next.bits);
  } while (seen.bits != old);
  return seen.value;
}
]]

local BITS = [[
template <int N> struct _lcu_bits { typedef unsigned int type; };
template <> struct _lcu_bits<8> { typedef unsigned long long type; };
]]

local function loop(name, expression)
  return (LOOP:gsub("%$(%u)", { N = name, E = expression }))
end

local function direct(name, fn, ctype)
  return ("template <class T> __device__ __forceinline__ T _lcu_atomic_%s(T *at, T v) {\n"
    .. "  return (T)%s((%s *)at, (%s)v);\n}\n"):format(name, fn, ctype, ctype)
end

local C = { int32 = "int", uint32 = "unsigned int", int64 = "long long",
  uint64 = "unsigned long long", float32 = "float", float64 = "double" }
local WIDE = { int64 = "unsigned long long" }

local function add(dtype)
  if not C[dtype] then
    return "template <class T> __device__ __forceinline__ T _lcu_atomic_add(T *at, T v) {\n"
      .. "  return atomicAdd(at, float(v));\n}\n"
  end
  return direct("add", "atomicAdd", WIDE[dtype] or C[dtype])
end

-- Integers are negated without a sign: the smallest one has no positive counterpart.
local function sub(dtype)
  local zero = dtype:find "int" and "0ull" or "T(0)"
  local value = C[dtype] and ("T(%s - v)"):format(zero) or "T(-float(v))"
  return ("template <class T> __device__ __forceinline__ T _lcu_atomic_sub(T *at, T v) {\n"
    .. "  return _lcu_atomic_add(at, %s);\n}\n"):format(value)
end

local function is_float(dtype) return dtype == "float32" or dtype == "float64" end

local makers = {}

function makers.add(dtype) return { add(dtype) } end
function makers.sub(dtype) return { add(dtype), sub(dtype) } end

local function extreme(name, fn, symbol)
  makers[name] = function(dtype)
    if is_float(dtype) then
      return { BITS, loop(name, ("v %s seen.value ? v : seen.value"):format(symbol)) }
    end
    return { direct(name, fn, C[dtype]) }
  end
end
extreme("max", "atomicMax", ">")
extreme("min", "atomicMin", "<")

for name, fn in pairs{ ["and"] = "atomicAnd", ["or"] = "atomicOr", xor = "atomicXor" } do
  makers[name] = function(dtype) return { direct(name, fn, WIDE[dtype] or C[dtype]) } end
end

local EXCH = [[
template <class T> __device__ __forceinline__ T _lcu_atomic_exch(T *at, T v) {
  typedef typename _lcu_bits<sizeof(T)>::type B;
  union { T value; B bits; } old, next;
  next.value = v;
  old.bits = atomicExch((B *)at, next.bits);
  return old.value;
}
]]
function makers.exch() return { BITS, EXCH } end

local CAS = [[
template <class T> __device__ __forceinline__ T _lcu_atomic_cas(T *at, T expected, T v) {
  typedef typename _lcu_bits<sizeof(T)>::type B;
  union { T value; B bits; } old, next;
  old.value = expected;
  next.value = v;
  old.bits = atomicCAS((B *)at, old.bits, next.bits);
  return old.value;
}
]]
function makers.cas() return { BITS, CAS } end

-- The text for one dtype.
local function concrete(text, dtype)
  if text == BITS then return text end
  return (text:gsub("template <class T> ", ""):gsub("%f[%w_]T%f[^%w_]", dtype))
end

-- of(fn, dtype) -> the texts that a call of fn with elements of that dtype needs
function M.of(fn, dtype)
  local list = makers[fn:match "_lcu_atomic_(.*)"](dtype)
  for k, text in ipairs(list) do list[k] = concrete(text, dtype) end
  return list
end

return M
