-- elementwise_parts.lua: what all variants of an elementwise kernel share: numbers to tune,
-- parameters, the body as a function.

local dtypes = require "luacuda.base.dtypes"
local prelude = require "luacuda.builder.prelude"
local origins = require "luacuda.source.origins"

-- Numbers to tune: everything about speed that the C engine does not choose.
local tuning = {
  block = 256,                  -- threads per block
  -- elements of a thread whose bodies are unrolled
  most_unrolled = 16,
  flat_units = 2,               -- units per thread, where that bound allows them
  strided_units = 2,
  tile_edge = 32,               -- elements
  small_tile_edge = 64,         -- for elements of up to `small` bytes
  small = 2,
  tile_width = 32,              -- threads of a block side by side in a tile
  tile_bytes = 48 * 1024,       -- static shared memory of a block
}

-- Parameters --------------------------------------------------------------------------------------

-- The C++ type of a dtype; the name of a struct is its own type.
local function type_text(name)
  return dtypes.of(name) and prelude.cname(name) or name
end

-- The number of axes whose extents are passed for a raw array: the rank of its _lcu_raw. A use of
-- extents that was not detected does not compile.
local function raw_rank(state, given)
  return given.contiguous and not state.shaped and -1 or given.ndim
end

-- One table per parameter: name, kind, class, rank (raw), type (C++ text), size (bytes), output,
-- var (the kernel's parameter), and j, the number of an array among the arrays.
local function parameters(state, desc)
  local list, arrays = {}, 0
  for k, given in ipairs(desc.params) do
    local row = dtypes.of(desc.types[k])
    local p = { name = state.params[k].variable or state.params[k].name, kind = given.kind,
      class = given.class,
      rank = raw_rank(state, given), contiguous = given.contiguous,
      type = state.params[k].handle or type_text(desc.types[k]),
      size = row and row.size, output = k > state.nin, var = "_p" .. k - 1 }
    p.qualified = p.output and p.type or "const " .. p.type
    if p.kind == "array" then
      p.j = arrays
      arrays = arrays + 1
    end
    list[k] = p
  end
  return list, arrays
end

local function map(list, fn)
  local out = {}
  for _, item in ipairs(list) do out[#out + 1] = fn(item) end
  return out
end

local function arrays_of(list)
  return map(list, function(p) return p.kind == "array" and p or nil end)
end

local function outputs_of(list)
  return map(list, function(p) return p.kind == "array" and p.output and p or nil end)
end

-- Text before the kernel --------------------------------------------------------------------------

-- T: element; R: number of axes whose extents are known, -1 where they are not passed; C:
-- contiguous. A contiguous array is a plain pointer: the compiler handles x[k] itself, and a fault
-- is reported at the line of the body.
local RAW = [[
template <class T, int R, bool C> struct _lcu_raw {
  T *_data;
  long long _size, _shape[R], _strides[R];
  template <class N> __device__ __forceinline__ T &_at(N k) const {
    long long at = 0;
    #pragma unroll
    for (int d = R - 1; d > 0; d--) {
      const N q = k / (N)_shape[d];
      at += (long long)(k - q * (N)_shape[d]) * _strides[d];
      k = q;
    }
    return *(T *)((char *)_data + at + (long long)k * _strides[0]);
  }
  template <class I> __device__ __forceinline__ T &operator[](I k) const {
    return _size <= 0x7fffffff ? _at((unsigned)k) : _at((unsigned long long)k);
  }
  __device__ __forceinline__ long long size() const { return _size; }
  __device__ __forceinline__ long long shape(int d) const { return _shape[d]; }
};
template <class T, int R> struct _lcu_raw<T, R, true> {
  T *_data;
  long long _size, _shape[R], _strides[R];
  __device__ __forceinline__ operator T *() const { return _data; }
  __device__ __forceinline__ long long size() const { return _size; }
  __device__ __forceinline__ long long shape(int d) const { return _shape[d]; }
};
template <class T> struct _lcu_raw<T, 0, true> {
  T *_data;
  long long _size;
  __device__ __forceinline__ operator T *() const { return _data; }
  __device__ __forceinline__ long long size() const { return _size; }
  __device__ __forceinline__ long long shape(int) const { return 1; }
};
template <class T> struct _lcu_raw<T, -1, true> {
  T *_data;
  long long _size;
  __device__ __forceinline__ operator T *() const { return _data; }
  __device__ __forceinline__ long long size() const { return _size; }
};
]]

local INDEX = [[
struct _lcu_index {
  long long _n;
  __device__ __forceinline__ long long size() const { return _n; }
};
]]

local function uses(text, word) return text:find("%f[%w_]" .. word .. "%f[^%w_]") ~= nil end

-- The typedefs of placeholders: those of dtypes before the preamble, which may use them; those of
-- structs after it.
local function placeholder_typedefs(state, desc, of_dtypes)
  local lines, seen = {}, {}
  for k, p in ipairs(state.params) do
    local name = desc.types[k]
    if p.placeholder and not seen[p.placeholder] and (dtypes.of(name) ~= nil) == of_dtypes then
      seen[p.placeholder] = true
      lines[#lines + 1] = ("typedef %s %s;\n"):format(type_text(name), p.placeholder)
    end
  end
  return table.concat(lines)
end

local NO_MACROS = { first = "", show = "", hide = "", last = "" }

-- A text of the user between the macros of the state (macros.lua), followed by what ends it. A
-- string is text of the library.
local function quoted(state, origin, after)
  if type(origin) == "string" then return origin .. (after or "") end
  local macros = state.macros or NO_MACROS
  return macros.show .. origins.quoted(origin, after) .. macros.hide
end

-- The preamble, the first of the user's texts, if any.
local function preamble(state)
  if type(state.preamble) == "string" then return state.preamble end
  local macros = state.macros or NO_MACROS
  return macros.first .. (state.preamble and origins.quoted(state.preamble) or "") .. macros.hide
end

-- Ends the macros after the last of the user's texts.
local function last_macros(state) return (state.macros or NO_MACROS).last end

-- A C++ type that the user wrote, as `name`.
local function typedef(state, text, name)
  local macros = state.macros or NO_MACROS
  return ("%stypedef %s %s;\n%s"):format(macros.show, text, name, macros.hide)
end

local function raw_type(p)
  return ("_lcu_raw<%s, %d, %s>"):format(p.qualified, p.rank, p.contiguous)
end

local function body_parameter(p)
  if p.kind == "raw" then return ("const %s &%s"):format(raw_type(p), p.name) end
  if p.output then return ("%s &%s"):format(p.type, p.name) end
  return ("const %s %s"):format(p.type, p.name)
end

-- The body as a function. A body that uses `i` in a way that was not detected does not compile,
-- because the axes it gets are not in C order.
local function body_function(state, list)
  local parts = map(list, body_parameter)
  local index = state.uses_ind and "  const _lcu_index _ind = { n };\n" or ""
  -- so that `continue` ends the element
  local text = state.uses_continue and "do {\n%s} while (0);\n" or "%s"
  local list_text = (state.uses_i and " i" or "") .. ", " .. table.concat(parts, ", ")
  return "__device__ __forceinline__ void _lcu_body(const long long n, const long long"
    .. list_text .. ") {\n" .. index .. text:format(quoted(state, state.body, ";")) .. "\n}\n"
end

local function kernel_parameter(p)
  if p.kind == "array" then return ("%s *%s"):format(p.qualified, p.var) end
  if p.kind == "raw" then return ("const %s %s"):format(raw_type(p), p.var) end
  return ("const %s %s"):format(p.type, p.var)
end

local function kernel_head(state, list, threads)
  local parts = map(list, kernel_parameter)
  parts[#parts + 1] = "const _lcu_plan _plan"
  return ("__global__ void __launch_bounds__(%d) %s(%s) {\n"):format(threads, state.name,
    table.concat(parts, ", "))
end

-- The dtypes of the parameters and those that the text uses besides; the library's own kernels list
-- these in `mentioned`.
local function all_types(state, desc)
  if not state.mentioned then return desc.types end
  return table.move(state.mentioned, 1, #state.mentioned, #desc.types + 1,
    table.move(desc.types, 1, #desc.types, 1, {}))
end

local function head(state, desc, list, plan_size)
  local has_raw = false
  for _, p in ipairs(list) do has_raw = has_raw or p.kind == "raw" end
  return table.concat {
    prelude.text(all_types(state, desc)), has_raw and RAW or "", state.uses_ind and INDEX or "",
    ("struct _lcu_plan { long long v[%d]; };\n"):format(plan_size),
    placeholder_typedefs(state, desc, true), preamble(state),
    placeholder_typedefs(state, desc, false), body_function(state, list),
    last_macros(state),
  }
end

return {
  tuning = tuning, parameters = parameters, map = map, arrays_of = arrays_of,
  outputs_of = outputs_of, kernel_head = kernel_head, head = head, uses = uses, raw_rank = raw_rank,
  RAW = RAW, type_text = type_text, raw_type = raw_type, quoted = quoted, preamble = preamble,
  last_macros = last_macros, typedef = typedef, placeholder_typedefs = placeholder_typedefs,
}
