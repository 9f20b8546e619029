-- reduction_parts.lua: what all variants of a reduction kernel share: operands, the plan, the
-- user's expressions as functions, the accumulator.

local dtypes = require "luacuda.base.dtypes"
local shared = require "luacuda.builder.elementwise_parts"
local prelude = require "luacuda.builder.prelude"

-- threads per block; lcu_reduce.c divides the work by the same number
local BLOCK = 256

-- Operands: arrays in the order of the plan, then the indices -------------------------------------

local function operands(state, desc)
  local list, last = {}, desc.pass == "final"
  for k, given in ipairs(desc.params) do
    local p = { name = state.params[k].name, kind = given.kind, class = given.class,
      rank = shared.raw_rank(state, given), contiguous = given.contiguous,
      type = shared.type_text(desc.types[k]), output = k > state.nin and not given.hidden,
      var = "_p" .. k - 1 }
    p.stored = prelude.stored(p.type)
    p.qualified = p.output and p.type or "const " .. p.type
    list[k] = p
  end
  local count = 0
  for _, p in ipairs(list) do
    if p.kind == "array" and (p.output or not last) then
      p.j = count
      count = count + 1
    end
  end
  for _, name in ipairs { "i", "_j" } do
    if state.indices[name] and not last then
      list[#list + 1] = { name = name, kind = "index", j = count, var = "0" }
      count = count + 1
    end
  end
  return list, count
end

local function filter(list, fn)
  local out = {}
  for _, p in ipairs(list) do
    if fn(p) then out[#out + 1] = p end
  end
  return out
end

local map = shared.map

-- Positions in the plan: results, n, units, chunk, length; extents; strides.
local function extent(d) return ("_plan.v[%d]"):format(4 + d) end
local function extents(desc) return desc.kept - 1 + desc.inner - 1 end
local function stride(desc, p, axis)
  return ("_plan.v[%d]"):format(5 + extents(desc) + p.j * (desc.kept + desc.inner) + axis)
end
local function plan_size(desc, count)
  return 5 + extents(desc) + count * (desc.kept + desc.inner)
end

-- The axis along which threads advance, whose strides count vectors.
local function along(desc)
  return desc.mode == "rows" and desc.kept + desc.inner - 1 or desc.kept - 1
end

-- The user's expressions --------------------------------------------------------------------------

-- Any trivially copyable type can pass through registers of 32 bits.
local SHUFFLE = [[
template <class T> __device__ __forceinline__ T _lcu_shuffle_xor(const T &v, int mask) {
  unsigned words[(sizeof(T) + 3) / 4] = {};
  T out;
  memcpy(words, &v, sizeof(T));
  #pragma unroll
  for (int k = 0; k < (int)(sizeof(T) + 3) / 4; k++)
    words[k] = __shfl_xor_sync(0xffffffffu, words[k], mask);
  memcpy(&out, words, sizeof(T));
  return out;
}
]]

-- The state of a thread: with an identity a value, without one a value or nothing.
local STATE = [[
struct _lcu_state { _lcu_acc v; };
__device__ __forceinline__ _lcu_state _lcu_start() {
  _lcu_state s;
  s.v = _lcu_identity();
  return s;
}
__device__ __forceinline__ void _lcu_add(_lcu_state &s, const _lcu_acc &v) {
  s.v = _lcu_reduce(s.v, v);
}
__device__ __forceinline__ void _lcu_join(_lcu_state &s, const _lcu_state &t) {
  s.v = _lcu_reduce(s.v, t.v);
}
]]
local MAYBE_STATE = [[
struct _lcu_state { _lcu_acc v; bool has; };
__device__ __forceinline__ _lcu_state _lcu_start() { _lcu_state s; s.has = false; return s; }
__device__ __forceinline__ void _lcu_add(_lcu_state &s, const _lcu_acc &v) {
  s.v = s.has ? _lcu_reduce(s.v, v) : v;
  s.has = true;
}
__device__ __forceinline__ void _lcu_join(_lcu_state &s, const _lcu_state &t) {
  if (t.has) _lcu_add(s, t.v);
}
]]

-- Adds values one by one, or with the function of the reduction that takes several.
local TAKE = [[
template <int N>
__device__ __forceinline__ void _lcu_take(_lcu_state &s, const _lcu_item (&v)[N]) {
  #pragma unroll
  for (int k = 0; k < N; k++) _lcu_add(s, v[k]);
}
]]
local TAKE_FOLDED = [[
template <int N>
__device__ __forceinline__ void _lcu_take(_lcu_state &s, const _lcu_item (&v)[N]) {
  s.v = _lcu_fold(s.v, v);
}
]]

-- Do the values that a thread takes come in the order of their indices?
local FOLD_HEAD = "constexpr bool _lcu_in_order = %s;\n"

local FUNCTION = "__device__ __forceinline__ "

local function parameter(p)
  if p.kind == "raw" then return ("const %s &%s"):format(shared.raw_type(p), p.name) end
  if p.output then return ("%s &%s"):format(p.type, p.name) end
  return ("const %s %s"):format(p.type, p.name)
end

local function is_input(p) return p.kind ~= "index" and not p.output end
local function is_output(p) return p.output end
-- What the post expression sees of the inputs: those that are the same for all elements.
local function is_constant(p) return (p.kind == "raw" or p.kind == "scalar") and not p.output end
local function is_loaded(p) return p.kind == "array" and not p.output end
local function is_index(p) return p.kind == "index" end

-- The number of elements comes first.
local function signature(more, params)
  local count = "const long long " .. shared.count_name(params)
  return table.concat({ count, more, table.unpack(map(params, parameter)) }, ", ")
end

local function returning(state, ctype, head, origin)
  return ("%s%s %s { return %s(\n%s\n"):format(FUNCTION, ctype, head, ctype,
    shared.quoted(state, origin, "); }"))
end

-- Indices that the text does not use have no names, so nothing computes them.
local function indices(state)
  return ("const long long%s, const long long%s"):format(state.indices.i and " i" or "",
    state.indices._j and " _j" or "")
end

local function functions(state, desc, list)
  local inputs, posted = filter(list, is_input), filter(list, is_constant)
  table.move(filter(list, is_output), 1, #list, #posted + 1, posted)
  local neutral = state.neutral or state.identity
  return table.concat {
    returning(state, "_lcu_item", "_lcu_map(" .. signature(indices(state), inputs)
      .. ")", state.map),
    returning(state, "_lcu_acc", "_lcu_reduce(const _lcu_acc a, const _lcu_acc b)", state.reduce),
    FUNCTION, "void _lcu_post(", signature("const _lcu_acc a", posted), ") {\n",
    shared.quoted(state, state.post, ";"), "\n}\n",
    neutral and returning(state, "_lcu_acc", "_lcu_identity()", neutral) or "",
    desc.seek and returning(state, "_lcu_seen", "_lcu_see(" .. signature(indices(state),
      inputs) .. ")", state.seek.map) or "",
    shared.last_macros(state),
    neutral and STATE or MAYBE_STATE,
    state.fold and TAKE_FOLDED or TAKE,
  }
end

-- The type of the accumulator as C++ text, and its dtype where it is one. Half types are
-- accumulated in float32 by default.
local function accumulator(state, desc)
  local given = state.reduce_type
  if not given then
    local name = dtypes.sum_of(desc.types[state.nin + 1])
    return shared.type_text(name), dtypes.of(name)
  end
  for k, p in ipairs(state.params) do
    if p.placeholder == given then return given, dtypes.of(desc.types[k]) end
  end
  local row = dtypes.of(given)
  return row and prelude.cname(row.name) or given, row
end

-- The size of a state in bytes, where it is known without the compiler.
local function state_bytes(state, desc)
  if state.bytes then return state.bytes end
  local _, row = accumulator(state, desc)
  if not row then return nil end
  return (state.neutral or state.identity) and row.size or 2 * row.size
end

local function state_room(state, desc)
  local bytes = state_bytes(state, desc)
  if bytes then
    return ("static_assert(sizeof(_lcu_state) == %d, \"size of a partial result\");\n"):format(
      bytes)
  end
  return 'extern "C" __device__ unsigned char _lcu_state_room[sizeof(_lcu_state)];\n'
end

local function head(state, desc, list, count)
  local text, row = accumulator(state, desc)
  local types = shared.all_types(state, desc)
  if row then types[#types + 1] = row.name end
  local has_raw = #filter(list, function(p) return p.kind == "raw" end) > 0
  return table.concat {
    prelude.text(types), has_raw and shared.RAW or "",
    ("struct _lcu_plan { long long v[%d]; };\n"):format(plan_size(desc, count)),
    shared.user_types(state, desc), shared.typedef(state, text, "_lcu_acc"),
    ("typedef %s _lcu_item;\n"):format(state.fold and state.fold.item or "_lcu_acc"),
    state.fold and FOLD_HEAD:format(tostring(desc.inner == 1)) .. state.fold.text or "",
    desc.seek and state.seek.text or "", functions(state, desc, list), SHUFFLE,
    desc.pass == "partial" and state_room(state, desc) or "",
  }
end

local function kernel_parameter(p)
  if p.kind == "array" then
    return ("%s *%s"):format(p.qualified, p.output and p.var or "__restrict__ " .. p.var)
  end
  if p.kind == "raw" then return ("const %s %s"):format(shared.raw_type(p), p.var) end
  return ("const %s %s"):format(p.type, p.var)
end

local function kernel_head(state, list)
  local parts = map(filter(list, function(p) return p.kind ~= "index" end), kernel_parameter)
  parts[#parts + 1] = "_lcu_state *_partials"
  parts[#parts + 1] = "const _lcu_plan _plan"
  return ("__global__ void __launch_bounds__(%d) %s(%s) {\n"):format(BLOCK, state.kernel
    or state.name, table.concat(parts, ", "))
end

return {
  BLOCK = BLOCK, operands = operands, filter = filter, extent = extent, stride = stride,
  along = along, is_input = is_input, is_output = is_output, is_constant = is_constant,
  is_loaded = is_loaded, is_index = is_index, head = head, kernel_head = kernel_head,
  state_bytes = state_bytes, accumulator = accumulator,
}
