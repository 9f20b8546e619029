-- elementwise_source.lua: CUDA text of one variant of an elementwise kernel: for the types and the layout class that the
-- C engine (lcul_elementwise.c) describes. docs/design/elementwise.md has the parameters and the plan of each mode.
--
-- The user's body becomes an inline function of one element, so that `return` in it skips one element. The kernel around it
-- loads what all elements of a thread need, calls the function for each, and stores.

local dtypes = require "luacuda.dtypes"
local prelude = require "luacuda.prelude"

-- What there is to tune -----------------------------------------------------------------------------------------------------

local BLOCK = 256                       -- threads per block
local MOST_UNROLLED = 16                -- elements of a thread whose bodies are written out one after the other
local FLAT_UNITS, STRIDED_UNITS = 2, 2  -- units per thread where that bound allows them
local TILE_EDGE, SMALL_TILE_EDGE = 32, 64   -- elements; the second for elements of up to SMALL bytes
local SMALL = 2
local TILE_WIDTH = 32                   -- threads of a block side by side; BLOCK / TILE_WIDTH rows of them
local TILE_BYTES = 48 * 1024            -- static shared memory of a block

-- Parameters ----------------------------------------------------------------------------------------------------------------

-- C++ type of a dtype, or the name of a struct as it is.
local function type_text(name)
  return dtypes.of(name) and prelude.cname(name) or name
end

-- One table per parameter: name, kind, class, rank (raw), type (C++ text), size (bytes), output, var (the kernel's parameter), and
-- j, the number of an array among the arrays.
local function parameters(state, desc)
  local list, arrays = {}, 0
  for k, given in ipairs(desc.params) do
    local row = dtypes.of(desc.types[k])
    local p = { name = state.params[k].name, kind = given.kind, class = given.class, rank = given.ndim,
      contiguous = given.contiguous, type = type_text(desc.types[k]),
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

-- What stands before the kernel -------------------------------------------------------------------------------------------------

-- T: element; R: axes whose extents are known; C: contiguous. What is contiguous serves as a pointer, too.
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
  template <class I> __device__ __forceinline__ T &operator[](I k) const { return _data[k]; }
  __device__ __forceinline__ operator T *() const { return _data; }
  __device__ __forceinline__ long long size() const { return _size; }
  __device__ __forceinline__ long long shape(int d) const { return _shape[d]; }
};
template <class T> struct _lcu_raw<T, 0, true> {
  T *_data;
  long long _size;
  template <class I> __device__ __forceinline__ T &operator[](I k) const { return _data[k]; }
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

-- The typedefs of placeholders: those of dtypes go before the preamble, so that it may use them; those of structs behind.
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

-- The user's own text, with marks that let messages point at it.
local function quoted(origin)
  return ('#line 1 "%s"\n%s\n#line 1 "luacuda"\n'):format(origin.token, origin.text)
end

local function raw_type(p) return ("_lcu_raw<%s, %d, %s>"):format(p.qualified, p.rank, p.contiguous) end

local function body_parameter(p)
  if p.kind == "raw" then return ("const %s &%s"):format(raw_type(p), p.name) end
  if p.output then return ("%s &%s"):format(p.type, p.name) end
  return ("const %s %s"):format(p.type, p.name)
end

local function body_function(state, list)
  local parts = map(list, body_parameter)
  return ("__device__ __forceinline__ void _lcu_body(const long long n, const long long i, %s) {\n%s%s;\n}\n"):format(
    table.concat(parts, ", "), state.uses_ind and "  const _lcu_index _ind = { n };\n" or "", quoted(state.body))
end

local function kernel_parameter(p)
  if p.kind == "array" then return ("%s *%s"):format(p.qualified, p.var) end
  if p.kind == "raw" then return ("const %s %s"):format(raw_type(p), p.var) end
  return ("const %s %s"):format(p.type, p.var)
end

local function kernel_head(state, list, threads)
  local parts = map(list, kernel_parameter)
  parts[#parts + 1] = "const _lcu_plan _plan"
  return ("__global__ void __launch_bounds__(%d) %s(%s) {\n"):format(threads, state.name, table.concat(parts, ", "))
end

local function head(state, desc, list, plan_size)
  local has_raw = false
  for _, p in ipairs(list) do has_raw = has_raw or p.kind == "raw" end
  return table.concat {
    prelude.text(desc.types), has_raw and RAW or "", state.uses_ind and INDEX or "",
    ("struct _lcu_plan { long long v[%d]; };\n"):format(plan_size),
    placeholder_typedefs(state, desc, true), state.preamble and quoted(state.preamble) or "",
    placeholder_typedefs(state, desc, false), body_function(state, list),
  }
end

-- Modes "flat" and "strided" ------------------------------------------------------------------------------------------------

-- Lanes of an array that one unit holds.
local function lanes(p, desc) return p.class == "zero" and 1 or desc.vector end

local function pack(p, desc) return ("_lcu_pack<%s, %d>"):format(p.type, lanes(p, desc)) end

-- Where the strides of array j begin in the plan of mode "strided".
local function strided_base(desc, j) return 2 + 2 * (desc.ndim - 1) + j * desc.ndim end

-- Coordinates _c0 .. of unit _u.
local function coordinates(desc)
  local out, rest = {}, "_u"
  for d = desc.ndim - 1, 1, -1 do
    local extent, magic = ("(_lcu_uint)_plan.v[%d]"):format(2 * d), ("_plan.v[%d]"):format(2 * d + 1)
    local quotient = desc.wide and ("%s / %s"):format(rest, extent)
      or ("(__umulhi(%s, (unsigned)%s) + %s) >> (int)(%s >> 32)"):format(rest, magic, rest, magic)
    out[#out + 1] = ("const _lcu_uint _q%d = %s, _c%d = %s - _q%d * %s;"):format(d, quotient, d, rest, d, extent)
    rest = "_q" .. d
  end
  out[#out + 1] = ("const _lcu_uint _c0 = %s;"):format(rest)
  return table.concat(out, "\n      ")
end

-- Offset in bytes of unit _u in an array.
local function offset(p, desc)
  if desc.mode == "flat" then return ("(long long)_u * %d"):format(desc.vector * p.size) end
  local terms = {}
  for d = 0, desc.ndim - 1 do terms[d + 1] = ("_c%d * _plan.v[%d]"):format(d, strided_base(desc, p.j) + d) end
  return table.concat(terms, " + ")
end

local function class_of(p, desc) return desc.mode == "flat" and "unit" or p.class end

-- Distance in bytes of the elements of a unit, where they are not adjacent.
local function lane_stride(p, desc)
  return ("_plan.v[%d] / %d"):format(strided_base(desc, p.j) + desc.ndim - 1, desc.vector)
end

-- Loads or stores one unit of an array.
local function access(p, desc, store)
  local at = ("((char *)%s + _o%d[_k]"):format(p.var, p.j)
  local function write(type_, place, register)
    if store then return ("*(%s *)%s) = %s;"):format(type_, place, register) end
    return ("%s = *(const %s *)%s);"):format(register, type_, place)
  end
  local registers = ("_r%d[_k]"):format(p.j)
  local class = class_of(p, desc)
  if class == "strided" and desc.vector > 1 then
    return ("for (int _l = 0; _l < %d; _l++) "):format(desc.vector)
      .. write(p.type, ("%s + _l * (%s)"):format(at, lane_stride(p, desc)), registers .. ".v[_l]")
  elseif class == "unit" then return write(pack(p, desc), at, registers) end
  return write(p.type, at, registers .. ".v[0]")
end

local function body_argument(p, desc)
  if p.kind ~= "array" then return p.var end
  return ("_r%d[_k].v[%s]"):format(p.j, lanes(p, desc) == 1 and "0" or "_l")
end

-- Loads, computes and stores `count` units, BLOCK apart, the first of which is _unit.
local function units(list, desc, count)
  local arrays = arrays_of(list)
  local lines = { "{" }
  local function add(fmt, ...) lines[#lines + 1] = "    " .. fmt:format(...) end
  for _, p in ipairs(arrays) do add("%s _r%d[%d]; long long _o%d[%d];", pack(p, desc), p.j, count, p.j, count) end
  local loop = ("for (int _k = 0; _k < %d; _k++) {"):format(count)
  add("#pragma unroll")
  add("%s", loop)
  add("  const _lcu_uint _u = _unit + _k * %d;", BLOCK)
  if desc.mode == "strided" then add("  %s", coordinates(desc)) end
  for _, p in ipairs(arrays) do add("  _o%d[_k] = %s;", p.j, offset(p, desc)) end
  for _, p in ipairs(arrays) do
    add("  #pragma unroll")
    add("  %s", access(p, desc, false))
  end
  add("}")
  add("#pragma unroll")
  add("%s", loop)
  add("  #pragma unroll")
  add("  for (int _l = 0; _l < %d; _l++)", desc.vector)
  add("    _lcu_body(_plan.v[0], (long long)(_unit + _k * %d) * %d + _l, %s);", BLOCK, desc.vector,
    table.concat(map(list, function(p) return body_argument(p, desc) end), ", "))
  add("}")
  add("#pragma unroll")
  add("%s", loop)
  for _, p in ipairs(outputs_of(list)) do
    add("  #pragma unroll")
    add("  %s", access(p, desc, true))
  end
  add("}")
  lines[#lines + 1] = "  }"
  return table.concat(lines, "\n")
end

-- The elements of mode "flat" behind the last whole unit: one each for the first threads of the last block.
local function tail(list, desc)
  local arguments = map(list, function(p) return p.kind == "array" and ("_e%d"):format(p.j) or p.var end)
  local lines = {}
  local function add(fmt, ...) lines[#lines + 1] = "  " .. fmt:format(...) end
  add("if (blockIdx.x == gridDim.x - 1 && threadIdx.x < (unsigned)(_plan.v[0] %% %d)) {", desc.vector)
  add("  const long long _i = _plan.v[0] - 1 - threadIdx.x;")
  for _, p in ipairs(arrays_of(list)) do add("  %s _e%d = %s[_i];", p.type, p.j, p.var) end
  add("  _lcu_body(_plan.v[0], _i, %s);", table.concat(arguments, ", "))
  for _, p in ipairs(outputs_of(list)) do add("  %s[_i] = _e%d;", p.var, p.j) end
  add("}\n")
  return table.concat(lines, "\n")
end

local function units_per_thread(desc)
  local wanted = desc.mode == "flat" and FLAT_UNITS or STRIDED_UNITS
  return math.max(1, math.min(wanted, MOST_UNROLLED // desc.vector))
end

-- Blocks whose units are all there do them side by side; the last one asks for each.
local function linear_kernel(state, desc, list)
  local count = units_per_thread(desc)
  local whole = desc.mode == "flat" and ("_plan.v[0] / %d"):format(desc.vector) or "_plan.v[1]"
  local parts = { kernel_head(state, list, BLOCK) }
  local function add(fmt, ...) parts[#parts + 1] = fmt:format(...) end
  add("  typedef unsigned %s _lcu_uint;\n", desc.wide and "long long" or "int")
  add("  const _lcu_uint _whole = (_lcu_uint)(%s);\n", whole)
  add("  _lcu_uint _unit = (_lcu_uint)blockIdx.x * %d + threadIdx.x;\n", BLOCK * count)
  if count > 1 then
    add("  if (_unit - threadIdx.x + %d <= _whole) %s else\n", BLOCK * count, units(list, desc, count))
    add("  #pragma unroll 1\n  for (int _m = 0; _m < %d; _m++, _unit += %d)\n", count, BLOCK)
  end
  add("  if (_unit < _whole) %s\n", units(list, desc, 1))
  if desc.mode == "flat" and desc.vector > 1 then add("%s", tail(list, desc)) end
  add("}\n")
  return table.concat(parts), BLOCK, count
end

-- Mode "tile" -----------------------------------------------------------------------------------------------------------------

local function is_tile_input(p) return p.kind == "array" and not p.output and p.class == "tile" end

local function tile_edge(list)
  local largest = 1
  for _, p in ipairs(list) do
    if is_tile_input(p) then largest = math.max(largest, p.size) end
  end
  return largest <= SMALL and SMALL_TILE_EDGE or TILE_EDGE
end

-- Marks and returns the inputs that go through shared memory, as far as there is room; others are read where they lie.
local function staged_inputs(list, edge)
  local bytes = 0
  return map(list, function(p)
    if not is_tile_input(p) or bytes + edge * (edge + 1) * p.size > TILE_BYTES then return nil end
    bytes = bytes + edge * (edge + 1) * p.size
    p.staged = true
    return p
  end)
end

-- Where the strides of array j begin in the plan: along p, along q, then the others from the outermost.
local function tile_base(desc, j) return 5 + (desc.ndim - 2) + j * desc.ndim end

-- The tile of this block: its first coordinates _p and _q, what is there of it (_np, _nq), and where each array begins (_a).
local function tile_place(list, desc, edge)
  local lines, rest = {}, "_b2"
  local function add(fmt, ...) lines[#lines + 1] = "  " .. fmt:format(...) .. "\n" end
  add("const unsigned _b1 = blockIdx.x / (unsigned)_plan.v[3], _b2 = _b1 / (unsigned)_plan.v[4];")
  add("const long long _p = (long long)(blockIdx.x - _b1 * (unsigned)_plan.v[3]) * %d;", edge)
  add("const long long _q = (long long)(_b1 - _b2 * (unsigned)_plan.v[4]) * %d;", edge)
  add("const int _np = min(%dLL, _plan.v[1] - _p), _nq = min(%dLL, _plan.v[2] - _q);", edge, edge)
  for d = desc.ndim - 3, 1, -1 do
    local extent = ("(unsigned)_plan.v[%d]"):format(5 + d)
    add("const unsigned _d%d = %s / %s, _c%d = %s - _d%d * %s;", d, rest, extent, d, rest, d, extent)
    rest = "_d" .. d
  end
  if desc.ndim > 2 then add("const unsigned _c0 = %s;", rest) end
  for _, p in ipairs(arrays_of(list)) do
    local base = tile_base(desc, p.j)
    local terms = { ("_p * _plan.v[%d] + _q * _plan.v[%d]"):format(base, base + 1) }
    for d = 0, desc.ndim - 3 do terms[#terms + 1] = ("_c%d * _plan.v[%d]"):format(d, base + 2 + d) end
    add("char *const _a%d = (char *)%s + (%s);", p.j, p.var, table.concat(terms, " + "))
  end
  add("const int _tx = threadIdx.x %% %d, _ty = threadIdx.x / %d;", TILE_WIDTH, TILE_WIDTH)
  return table.concat(lines)
end

-- Loops over a tile: _x runs along the axis that threads run along. `whole`: every element is there, so that nothing is asked and
-- the loops are written out.
local function tile_loops(edge, whole, within, lines)
  local rows = BLOCK // TILE_WIDTH
  local function loop(name, step, first)
    return ("    #pragma unroll %d\n    for (int _m%s = 0; _m%s < %d; _m%s += %d) { const int %s = _m%s + %s;\n"):format(
      whole and edge // step or 1, name, name, edge, name, step, name, name, first)
  end
  return table.concat {
    loop("_y", rows, "_ty"), loop("_x", TILE_WIDTH, "_tx"),
    whole and "" or ("      if (%s) {\n"):format(within), "      ", table.concat(lines, "\n      "), whole and "" or "\n      }", "\n    }}\n",
  }
end

-- Staged inputs into shared memory: threads run along q.
local function tile_loads(staged, desc, edge, whole)
  if #staged == 0 then return "" end
  local lines = map(staged, function(p)
    return ("_s%d[_y][_x] = *(const %s *)(_a%d + _y * _plan.v[%d] + _x * %d);"):format(p.j, p.type, p.j, tile_base(desc, p.j), p.size)
  end)
  return tile_loops(edge, whole, "_y < _np && _x < _nq", lines) .. "    __syncthreads();\n"
end

-- The elements: threads run along p.
local function tile_elements(list, desc, edge, whole)
  local lines = {}
  local function add(fmt, ...) lines[#lines + 1] = fmt:format(...) end
  local function place(p)
    local base = tile_base(desc, p.j)
    return ("(_a%d + _x * _plan.v[%d] + _y * _plan.v[%d])"):format(p.j, base, base + 1)
  end
  for _, p in ipairs(arrays_of(list)) do
    if p.staged then add("const %s _e%d = _s%d[_x][_y];", p.type, p.j, p.j)
    else add("%s _e%d = *(const %s *)%s;", p.type, p.j, p.type, place(p)) end
  end
  add("_lcu_body(_plan.v[0], 0, %s);",
    table.concat(map(list, function(p) return p.kind == "array" and ("_e%d"):format(p.j) or p.var end), ", "))
  for _, p in ipairs(outputs_of(list)) do add("*(%s *)%s = _e%d;", p.type, place(p), p.j) end
  return tile_loops(edge, whole, "_x < _np && _y < _nq", lines)
end

local function tile_kernel(state, desc, list)
  local edge = tile_edge(list)
  local staged = staged_inputs(list, edge)
  local parts = { kernel_head(state, list, BLOCK), tile_place(list, desc, edge) }
  local function add(text) parts[#parts + 1] = text end
  for _, p in ipairs(staged) do add(("  __shared__ %s _s%d[%d][%d];\n"):format(p.type, p.j, edge, edge + 1)) end
  add(("  if (_np == %d && _nq == %d) {\n"):format(edge, edge))
  add(tile_loads(staged, desc, edge, true))
  add(tile_elements(list, desc, edge, true))
  add("  } else {\n")
  add(tile_loads(staged, desc, edge, false))
  add(tile_elements(list, desc, edge, false))
  add("  }\n}\n")
  return table.concat(parts), BLOCK, edge
end

-- The text -------------------------------------------------------------------------------------------------------------------

local function plan_size(desc, arrays)
  if desc.mode == "flat" then return 1 end
  if desc.mode == "strided" then return 2 + 2 * (desc.ndim - 1) + arrays * desc.ndim end
  return 5 + (desc.ndim - 2) + arrays * desc.ndim
end

-- source.text(state, desc) -> CUDA text, threads per block, and units per thread (mode "tile": edge of a tile). `desc` is what
-- the engine says of a variant; `state` has name, params, nin, body and preamble (origins), uses_ind.
local function text(state, desc)
  local list, arrays = parameters(state, desc)
  local make = desc.mode == "tile" and tile_kernel or linear_kernel
  local kernel, threads, per = make(state, desc, list)
  return head(state, desc, list, plan_size(desc, arrays)) .. kernel, threads, per
end

return { text = text, uses = uses }
