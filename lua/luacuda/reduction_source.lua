-- reduction_source.lua: CUDA text of one variant of a reduction kernel: for the types, the layout and the pass that the C engine
-- (lcul_reduction.c, lcu_reduce.h) describes.
--
-- Mode "rows": blockDim.x threads share a result and go along the reduced axes; they join by shuffles, warps by shared memory.
-- Mode "columns": a thread goes along the reduced axes for a vector of results; blockDim.y threads share it and join by shared
-- memory. blockIdx.y is the segment of the reduced axes; where there are several, pass "partial" writes one state per segment and
-- result, and pass "final" joins them in order.

local dtypes = require "luacuda.dtypes"
local prelude = require "luacuda.prelude"
local shared = require "luacuda.elementwise_parts"

-- What there is to tune (lcu_reduce.c cuts the work for the same block) -------------------------------------------------------

local BLOCK = 256                       -- threads per block
local IN_FLIGHT = 4                     -- vectors that a thread loads at a time
local IN_FLIGHT_SINGLE = 8              -- elements, where vectors have one
local MOST_UNROLLED = 32                -- elements of these
local COLUMN_BYTES = 16 * 1024          -- shared memory in which columns are joined

-- Operands: arrays in the order of the plan, then the indices ------------------------------------------------------------------

local function operands(state, desc)
  local list, last = {}, desc.pass == "final"
  for k, given in ipairs(desc.params) do
    local p = { name = state.params[k].name, kind = given.kind, class = given.class, rank = given.ndim, contiguous = given.contiguous,
      type = shared.type_text(desc.types[k]), output = k > state.nin, var = "_p" .. k - 1 }
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

-- Places in the plan: results, n, units, chunk, segments; extents; strides.
local function extent(d) return ("_plan.v[%d]"):format(4 + d) end
local function extents(desc) return desc.kept - 1 + desc.inner - 1 end
local function stride(desc, p, axis) return ("_plan.v[%d]"):format(5 + extents(desc) + p.j * (desc.kept + desc.inner) + axis) end
local function plan_size(desc, count) return 5 + extents(desc) + count * (desc.kept + desc.inner) end

-- Axis that threads go along, whose strides count vectors.
local function along(desc) return desc.mode == "rows" and desc.kept + desc.inner - 1 or desc.kept - 1 end

-- The user's expressions ------------------------------------------------------------------------------------------------------

-- Any trivially copyable type goes through registers of 32 bits.
local SHUFFLE = [[
template <class T> __device__ __forceinline__ T _lcu_shuffle_down(const T &v, int delta) {
  unsigned words[(sizeof(T) + 3) / 4] = {};
  T out;
  memcpy(words, &v, sizeof(T));
  #pragma unroll
  for (int k = 0; k < (int)(sizeof(T) + 3) / 4; k++) words[k] = __shfl_down_sync(0xffffffffu, words[k], delta);
  memcpy(&out, words, sizeof(T));
  return out;
}
]]

-- What a thread carries: with an identity a value, without one a value or nothing.
local STATE = [[
struct _lcu_state { _lcu_acc v; };
__device__ __forceinline__ _lcu_state _lcu_start() { _lcu_state s; s.v = _lcu_identity(); return s; }
__device__ __forceinline__ void _lcu_add(_lcu_state &s, const _lcu_acc &v) { s.v = _lcu_reduce(s.v, v); }
__device__ __forceinline__ void _lcu_join(_lcu_state &s, const _lcu_state &t) { s.v = _lcu_reduce(s.v, t.v); }
]]
local MAYBE_STATE = [[
struct _lcu_state { _lcu_acc v; bool has; };
__device__ __forceinline__ _lcu_state _lcu_start() { _lcu_state s; s.has = false; return s; }
__device__ __forceinline__ void _lcu_add(_lcu_state &s, const _lcu_acc &v) {
  s.v = s.has ? _lcu_reduce(s.v, v) : v;
  s.has = true;
}
__device__ __forceinline__ void _lcu_join(_lcu_state &s, const _lcu_state &t) { if (t.has) _lcu_add(s, t.v); }
]]

local FUNCTION = "__device__ __forceinline__ "

local function parameter(p)
  if p.kind == "raw" then return ("const %s &%s"):format(shared.raw_type(p), p.name) end
  if p.output then return ("%s &%s"):format(p.type, p.name) end
  return ("const %s %s"):format(p.type, p.name)
end

local function is_input(p) return p.kind ~= "index" and not p.output end
local function is_output(p) return p.output end
-- What the post expression sees of the inputs: they are the same for all elements.
local function is_constant(p) return (p.kind == "raw" or p.kind == "scalar") and not p.output end
local function is_loaded(p) return p.kind == "array" and not p.output end
local function is_index(p) return p.kind == "index" end

local function signature(first, params)
  return table.concat({ first, table.unpack(map(params, parameter)) }, ", ")
end

local function returning(head, origin)
  return ("%s%s { return _lcu_acc(\n%s); }\n"):format(FUNCTION, head, shared.quoted(origin))
end

local function functions(state, list)
  local inputs, posted = filter(list, is_input), filter(list, is_constant)
  table.move(filter(list, is_output), 1, #list, #posted + 1, posted)
  local neutral = state.neutral or state.identity
  return table.concat {
    returning("_lcu_acc _lcu_map(" .. signature("const long long n, const long long i, const long long _j", inputs) .. ")", state.map),
    returning("_lcu_acc _lcu_reduce(const _lcu_acc a, const _lcu_acc b)", state.reduce),
    FUNCTION, "void _lcu_post(", signature("const long long n, const _lcu_acc a", posted), ") {\n", shared.quoted(state.post), ";\n}\n",
    neutral and returning("_lcu_acc _lcu_identity()", neutral) or "", neutral and STATE or MAYBE_STATE,
  }
end

-- The type of the accumulator: C++ text; its dtype where it is one. Halves are added up as float32 unless the user wants it otherwise.
local function accumulator(state, desc)
  local given = state.reduce_type
  if not given then
    local name = desc.types[state.nin + 1]
    if name == "float16" or name == "bfloat16" then name = "float32" end
    return shared.type_text(name), dtypes.of(name)
  end
  for k, p in ipairs(state.params) do
    if p.placeholder == given then return given, dtypes.of(desc.types[k]) end
  end
  local row = dtypes.of(given)
  return row and prelude.cname(row.name) or given, row
end

-- Bytes of a state where they are known without the compiler.
local function state_bytes(state, desc)
  if state.bytes then return state.bytes end
  local _, row = accumulator(state, desc)
  if not row then return nil end
  return (state.neutral or state.identity) and row.size or 2 * row.size
end

local function state_room(state, desc)
  local bytes = state_bytes(state, desc)
  if bytes then return ("static_assert(sizeof(_lcu_state) == %d, \"size of a partial result\");\n"):format(bytes) end
  return 'extern "C" __device__ unsigned char _lcu_state_room[sizeof(_lcu_state)];\n'
end

local function head(state, desc, list, count)
  local text, row = accumulator(state, desc)
  local types = table.move(desc.types, 1, #desc.types, 1, {})
  if row then types[#types + 1] = row.name end
  table.move(state.mentioned, 1, #state.mentioned, #types + 1, types)
  return table.concat {
    prelude.text(types), #filter(list, function(p) return p.kind == "raw" end) > 0 and shared.RAW or "",
    ("struct _lcu_plan { long long v[%d]; };\n"):format(plan_size(desc, count)),
    shared.placeholder_typedefs(state, desc, true), state.preamble and shared.quoted(state.preamble) or "",
    shared.placeholder_typedefs(state, desc, false), ("typedef %s _lcu_acc;\n"):format(text),
    functions(state, list), SHUFFLE,
    desc.pass == "partial" and state_room(state, desc) or "",
  }
end

local function kernel_parameter(p)
  if p.kind == "array" then return ("%s *%s"):format(p.qualified, p.output and p.var or "__restrict__ " .. p.var) end
  if p.kind == "raw" then return ("const %s %s"):format(shared.raw_type(p), p.var) end
  return ("const %s %s"):format(p.type, p.var)
end

local function kernel_head(state, list)
  local parts = map(filter(list, function(p) return p.kind ~= "index" end), kernel_parameter)
  parts[#parts + 1] = "_lcu_state *_partials"
  parts[#parts + 1] = "const _lcu_plan _plan"
  return ("__global__ void __launch_bounds__(%d) %s(%s) {\n"):format(BLOCK, state.kernel or state.name, table.concat(parts, ", "))
end

-- Coordinates and addresses -----------------------------------------------------------------------------------------------------

-- Statements that split `from` into `count` coordinates called name .. d; extents begin at place `first`.
local function coordinates(name, from, count, first)
  local lines, rest = {}, from
  for d = count - 1, 1, -1 do
    local e = ("(_lcu_uint)%s"):format(extent(first + d))
    lines[#lines + 1] = ("const _lcu_uint %sq%d = %s / %s, %s%d = %s - %sq%d * %s;"):format(name, d, rest, e, name, d, rest, name, d, e)
    rest = name .. "q" .. d
  end
  lines[#lines + 1] = ("const _lcu_uint %s0 = %s;"):format(name, rest)
  return table.concat(lines, " ")
end

local function kept_coordinates(desc) return coordinates("_k", "_o", desc.kept, 0) end
local function inner_coordinates(desc) return coordinates("_c", "_u", desc.inner, desc.kept - 1) end

-- Offset along the kept axes (coordinates _k) or the reduced ones (_c).
local function kept_offset(desc, p)
  local terms = {}
  for d = 0, desc.kept - 1 do terms[#terms + 1] = ("(long long)_k%d * %s"):format(d, stride(desc, p, d)) end
  return table.concat(terms, " + ")
end

-- The distance of two lanes of a vector: bytes, or what an index grows by.
local function lane(desc, p)
  if p.name == "_j" and p.kind == "index" then
    if desc.mode == "columns" then return "0" end
    if desc.inner == 1 then return "1" end
  end
  if p.class == "zero" then return "0" end
  if p.class == "unit" then return ("(int)sizeof(%s)"):format(p.type) end
  local s = stride(desc, p, along(desc))
  return desc.vector == 1 and s or ("%s / %d"):format(s, desc.vector)
end

local function inner_offset(desc, p)
  local rows = desc.mode == "rows"
  if desc.inner == 1 and p.kind == "index" and p.name == "_j" then return ("(long long)_c0 * %d"):format(rows and desc.vector or 1) end
  local terms = {}
  for d = 0, desc.inner - 1 do
    local axis = desc.kept + d
    local is_along = rows and axis == along(desc)
    if is_along and p.class == "unit" then terms[#terms + 1] = ("(long long)_c%d * (%d * (int)sizeof(%s))"):format(d, desc.vector, p.type)
    elseif not (is_along and p.class == "zero") then terms[#terms + 1] = ("(long long)_c%d * %s"):format(d, stride(desc, p, axis)) end
  end
  return #terms > 0 and table.concat(terms, " + ") or "0"
end

local function bases(desc, list)
  local lines = {}
  if desc.pass == "final" then return "" end
  for _, p in ipairs(list) do
    local line = is_loaded(p) and "const char *const _b%d = (const char *)%s + (%s);" or is_index(p) and "const long long _b%d = %s + (%s);"
    if line then lines[#lines + 1] = "  " .. line:format(p.j, p.var, kept_offset(desc, p)) .. "\n" end
  end
  return table.concat(lines)
end

-- Loading and adding ----------------------------------------------------------------------------------------------------------

local function lanes(desc, p) return p.class == "zero" and 1 or desc.vector end

local function load(desc, p)
  local pack = ("_lcu_pack<%s, %d>"):format(p.type, lanes(desc, p))
  local at = ("_b%d + (%s)"):format(p.j, inner_offset(desc, p))
  if p.class == "strided" and desc.vector > 1 then
    return ("const char *const _e%d = %s;\n        #pragma unroll\n        for (int _l = 0; _l < %d; _l++) "
      .. "_r%d[_m].v[_l] = *(const %s *)(_e%d + _l * (%s));"):format(p.j, at, desc.vector, p.j, p.type, p.j, lane(desc, p))
  end
  return ("_r%d[_m] = *(const %s *)(%s);"):format(p.j, pack, at)
end

-- The arguments of the map function; loaded and indices give the text of an array's element and of an index.
local function map_call(list, loaded, index)
  local indices = { i = "0", _j = "0" }
  for _, p in ipairs(filter(list, is_index)) do indices[p.name] = index(p) end
  local arguments = { "_plan.v[1]", indices.i, indices._j }
  for _, p in ipairs(filter(list, is_input)) do arguments[#arguments + 1] = p.kind == "array" and loaded(p) or p.var end
  return "_lcu_map(" .. table.concat(arguments, ", ") .. ")"
end

-- The state that lane _l of a thread adds to.
local function target(desc) return desc.mode == "rows" and "_s" or "_s[_l]" end

-- Loads and adds up to `count` units, the first of which is _at, `_step` apart. `guarded`: not all of them lie before _end.
local function add_units(desc, list, count, guarded)
  local lines = { "{" }
  local function add(fmt, ...) lines[#lines + 1] = "      " .. fmt:format(...) end
  local loop = ("for (int _m = 0; _m < %d; _m++)%s"):format(count, guarded and " if (_at + _m * _step < _end)" or "")
  local inputs, indices = filter(list, is_loaded), filter(list, is_index)
  for _, p in ipairs(inputs) do add("_lcu_pack<%s, %d> _r%d[%d];", p.type, lanes(desc, p), p.j, count) end
  for _, p in ipairs(indices) do add("long long _x%d[%d];", p.j, count) end
  add("#pragma unroll")
  add("%s {", loop)
  add("  const _lcu_uint _u = _at + _m * _step; %s", inner_coordinates(desc))
  for _, p in ipairs(inputs) do
    add("  %s", load(desc, p))
  end
  for _, p in ipairs(indices) do add("  _x%d[_m] = _b%d + (%s);", p.j, p.j, inner_offset(desc, p)) end
  add("}")
  add("#pragma unroll")
  add("%s {", loop)
  add("  #pragma unroll")
  add("  for (int _l = 0; _l < %d; _l++) _lcu_add(%s, %s);", desc.vector, target(desc), map_call(list,
    function(p) return ("_r%d[_m].v[%s]"):format(p.j, lanes(desc, p) == 1 and "0" or "_l") end,
    function(p) return ("_x%d[_m] + _l * (%s)"):format(p.j, lane(desc, p)) end))
  add("}")
  lines[#lines + 1] = "    }"
  return table.concat(lines, "\n")
end

-- The same for partial results, which are laid out as lcu_reduce_plan_final says.
local function join_units(desc, count)
  local at = desc.mode == "rows" and "(long long)_o * _plan.v[2] + _u" or "(long long)_u * _plan.v[0] + _o"
  return ([[
  for (; _at < _end; _at += COUNT * _step) {
    _lcu_state _t[COUNT];
    #pragma unroll
    for (int _m = 0; _m < COUNT; _m++) {
      const _lcu_uint _u = _at + _m * _step;
      if (_u < _end) _t[_m] = _partials[AT];
    }
    #pragma unroll
    for (int _m = 0; _m < COUNT; _m++) if (_at + _m * _step < _end) _lcu_join(STATE, _t[_m]);
  }
]]):gsub("%u%u+", { COUNT = tostring(count), AT = at, STATE = desc.mode == "rows" and "_s" or "_s[0]" })
end

-- From _at to _end.
local function walk(desc, list)
  local count = desc.vector == 1 and IN_FLIGHT_SINGLE or math.min(IN_FLIGHT, MOST_UNROLLED // desc.vector)
  if desc.pass == "final" then return (join_units(desc, count)) end
  return ("  for (; _at + %d * _step < _end; _at += %d * _step) %s\n"):format(count - 1, count, add_units(desc, list, count, false))
    .. ("  if (_at < _end) %s\n"):format(add_units(desc, list, count, true))
end

-- The elements of a row behind its last whole vector.
local function tail(desc, list)
  if desc.vector == 1 or desc.inner > 1 or desc.pass == "final" then return "" end
  return ([[
  if (_live && blockIdx.y == gridDim.y - 1)
    for (_lcu_uint _e = (_lcu_uint)_plan.v[2] * %d + threadIdx.x; _e < (_lcu_uint)_plan.v[1]; _e += _step) _lcu_add(_s, %s);
]]):format(desc.vector, map_call(list,
    function(p) return ("*(const %s *)(_b%d + (long long)_e * (%s))"):format(p.type, p.j, lane(desc, p)) end,
    function(p) return ("_b%d + (long long)_e * (%s)"):format(p.j, lane(desc, p)) end))
end

-- Storing ---------------------------------------------------------------------------------------------------------------------

-- Results of the state in `from`, lane `l` of the vector, into variables _y<j> or packs of them.
local function post_call(list, from, out)
  local arguments = { "_plan.v[1]", from .. ".v" }
  for _, p in ipairs(filter(list, is_constant)) do arguments[#arguments + 1] = p.var end
  for _, p in ipairs(filter(list, is_output)) do arguments[#arguments + 1] = out(p) end
  return "_lcu_post(" .. table.concat(arguments, ", ") .. ");"
end

local function store_row(desc, list)
  if desc.pass == "partial" then return "    _partials[(long long)_o * gridDim.y + blockIdx.y] = _s;\n" end
  local lines = {}
  local function add(fmt, ...) lines[#lines + 1] = "    " .. fmt:format(...) .. "\n" end
  local outputs = filter(list, is_output)
  for _, p in ipairs(outputs) do add("%s _y%d{};", p.type, p.j) end
  add("%s", post_call(list, "_s", function(p) return "_y" .. p.j end))
  for _, p in ipairs(outputs) do add("*(%s *)((char *)%s + (%s)) = _y%d;", p.type, p.var, kept_offset(desc, p), p.j) end
  return table.concat(lines)
end

local function store_column(desc, list)
  local loop = ("for (int _l = 0; _l < %d; _l++)"):format(desc.vector)
  if desc.pass == "partial" then
    local at = ("(long long)blockIdx.y * _plan.v[0] + (long long)_o * %d + _l"):format(desc.vector)
    return ("    #pragma unroll\n    %s _partials[%s] = _s[_l];\n"):format(loop, at)
  end
  local lines = {}
  local function add(fmt, ...) lines[#lines + 1] = "    " .. fmt:format(...) .. "\n" end
  local outputs = filter(list, is_output)
  for _, p in ipairs(outputs) do add("_lcu_pack<%s, %d> _y%d{};", p.type, desc.vector, p.j) end
  add("#pragma unroll")
  add("%s %s", loop, post_call(list, "_s[_l]", function(p) return ("_y%d.v[_l]"):format(p.j) end))
  for _, p in ipairs(outputs) do
    local at = ("(char *)%s + (%s)"):format(p.var, kept_offset(desc, p))
    if p.class == "unit" or desc.vector == 1 then add("*(_lcu_pack<%s, %d> *)(%s) = _y%d;", p.type, desc.vector, at, p.j)
    else
      add("#pragma unroll")
      add("%s *(%s *)(%s + _l * (%s)) = _y%d.v[_l];", loop, p.type, at, lane(desc, p), p.j)
    end
  end
  return table.concat(lines)
end

-- The kernels -----------------------------------------------------------------------------------------------------------------

-- Warps of a row join in the order of their threads.
local ROWS_JOIN = [[
  for (int _d = min((int)blockDim.x, 32) / 2; _d > 0; _d /= 2) _lcu_join(_s, _lcu_shuffle_down(_s, _d));
  if (blockDim.x > 32) {
    __shared__ alignas(16) unsigned char _room[BLOCK / 32 * sizeof(_lcu_state)];
    _lcu_state *const _warps = (_lcu_state *)_room + threadIdx.y * (blockDim.x / 32);
    if (threadIdx.x % 32 == 0) _warps[threadIdx.x / 32] = _s;
    __syncthreads();
    if (threadIdx.x == 0) for (int _w = 1; _w < (int)blockDim.x / 32; _w++) _lcu_join(_s, _warps[_w]);
  }
]]

local function rows(desc, list)
  return table.concat {
    [[
  const _lcu_uint _r = (_lcu_uint)blockIdx.x * blockDim.y + threadIdx.y, _step = blockDim.x;
  const bool _live = _r < (_lcu_uint)_plan.v[0];
  const _lcu_uint _o = _live ? _r : 0, _begin = (_lcu_uint)blockIdx.y * (_lcu_uint)_plan.v[3];
  const _lcu_uint _end = _live ? min(_begin + (_lcu_uint)_plan.v[3], (_lcu_uint)_plan.v[2]) : 0;
  _lcu_uint _at = _begin + threadIdx.x;
  _lcu_state _s = _lcu_start();
]], "  ", kept_coordinates(desc), "\n", bases(desc, list), walk(desc, list), tail(desc, list),
    (ROWS_JOIN:gsub("BLOCK", tostring(BLOCK))), "  if (_live && threadIdx.x == 0) {\n", store_row(desc, list), "  }\n",
  }
end

-- As many lanes at a time as there is room for; halves of the threads join in the order of their rows.
local COLUMNS_JOIN = [[
  if (blockDim.y > 1) {
    constexpr int _fit = BYTES / (BLOCK * (int)sizeof(_lcu_state)), _some = _fit < 1 ? 1 : _fit < VECTOR ? _fit : VECTOR;
    __shared__ alignas(16) unsigned char _room[_some * BLOCK * sizeof(_lcu_state)];
    _lcu_state *const _column = (_lcu_state *)_room + threadIdx.y * blockDim.x + threadIdx.x;
    #pragma unroll
    for (int _f = 0; _f < VECTOR; _f += _some) {
      if (_f > 0) __syncthreads();
      #pragma unroll
      for (int _l = 0; _l < _some; _l++) if (_f + _l < VECTOR) _column[_l * BLOCK] = _s[_f + _l];
      for (int _d = blockDim.y / 2; _d > 0; _d /= 2) {
        __syncthreads();
        if (threadIdx.y >= _d) continue;
        #pragma unroll
        for (int _l = 0; _l < _some; _l++) {
          if (_f + _l >= VECTOR) break;
          _lcu_join(_s[_f + _l], _column[_l * BLOCK + _d * blockDim.x]);
          _column[_l * BLOCK] = _s[_f + _l];
        }
      }
    }
  }
]]

local function columns(desc, list)
  local values = { BLOCK = tostring(BLOCK), BYTES = tostring(COLUMN_BYTES), VECTOR = tostring(desc.vector) }
  return table.concat {
    ([[
  const _lcu_uint _r = (_lcu_uint)blockIdx.x * blockDim.x + threadIdx.x, _step = blockDim.y;
  const bool _live = _r < (_lcu_uint)_plan.v[2];
  const _lcu_uint _o = _live ? _r : 0, _begin = (_lcu_uint)blockIdx.y * (_lcu_uint)_plan.v[3];
  const _lcu_uint _end = _live ? min(_begin + (_lcu_uint)_plan.v[3], (_lcu_uint)_plan.v[%d]) : 0;
  _lcu_uint _at = _begin + threadIdx.y;
  _lcu_state _s[%d];
  #pragma unroll
  for (int _l = 0; _l < %d; _l++) _s[_l] = _lcu_start();
]]):format(desc.pass == "final" and 3 or 1, desc.vector, desc.vector),
    "  ", kept_coordinates(desc), "\n", bases(desc, list), walk(desc, list), (COLUMNS_JOIN:gsub("%u%u+", values)),
    "  if (_live && threadIdx.y == 0) {\n", store_column(desc, list), "  }\n",
  }
end

-- source.text(state, desc) -> CUDA text; the bytes of a partial result, or nil where only the compiler knows them (then the text
-- declares _lcu_state_room of that size). `state`: name, kernel (its name in the
-- text, unless name), params, nin, map, reduce, post, identity, neutral, preamble (origins),
-- reduce_type, bytes (of such a type), indices = { i =, _j = }, mentioned (dtypes that the user's text names).
local function text(state, desc)
  local list, count = operands(state, desc)
  local make = desc.mode == "rows" and rows or columns
  return table.concat {
    head(state, desc, list, count), kernel_head(state, list),
    ("  typedef unsigned %s _lcu_uint;\n"):format(desc.wide and "long long" or "int"),
    make(desc, list), "}\n",
  }, state_bytes(state, desc)
end

return { text = text }
