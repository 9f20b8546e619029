-- reduction_source.lua: CUDA text of one variant of a reduction kernel, for the types, the layout
-- and the pass that the C engine (lcul_reduction.c, lcu_reduce.h) describes.
--
-- Mode "rows": blockDim.x threads share a result and advance along the reduced axes; they join by
-- shuffles, warps join through shared memory. Mode "columns": a thread advances along the reduced
-- axes for a vector of results; blockDim.y threads share it and join through shared memory.
-- blockIdx.y is the segment of the reduced axes. With several segments, pass "partial" writes one
-- state per segment and result, and pass "final" joins them in order.

local parts = require "luacuda.builder.reduction_parts"

local BLOCK, filter = parts.BLOCK, parts.filter
local extent, stride, along = parts.extent, parts.stride, parts.along
local is_input, is_output, is_constant = parts.is_input, parts.is_output, parts.is_constant
local is_loaded, is_index = parts.is_loaded, parts.is_index

-- Numbers to tune, besides those of lcu_reduce.c --------------------------------------------------

local IN_FLIGHT = 4                     -- vectors that a thread loads at a time
local IN_FLIGHT_SINGLE = 8              -- elements, where vectors have one
local MOST_UNROLLED = 32                -- elements of these
local COLUMN_BYTES = 16 * 1024          -- shared memory in which columns are joined

-- Coordinates and addresses -----------------------------------------------------------------------

-- Statements that split `from` into `count` coordinates called name .. d; the extents start at
-- position `first` of the plan.
local function coordinates(name, from, count, first)
  local lines, rest = {}, from
  for d = count - 1, 1, -1 do
    local e = ("(_lcu_uint)%s"):format(extent(first + d))
    lines[#lines + 1] = ("const _lcu_uint %sq%d = %s / %s, %s%d = %s - %sq%d * %s;"):format(name, d,
      rest, e, name, d, rest, name, d, e)
    rest = name .. "q" .. d
  end
  lines[#lines + 1] = ("const _lcu_uint %s0 = %s;"):format(name, rest)
  return table.concat(lines, " ")
end

local function kept_coordinates(desc) return coordinates("_k", "_o", desc.kept, 0) end
local function inner_coordinates(desc) return coordinates("_c", "_u", desc.inner, desc.kept - 1) end

-- Offset along the kept axes (coordinates _k) or the reduced axes (_c).
local function kept_offset(desc, p)
  local terms = {}
  for d = 0, desc.kept - 1 do
    terms[#terms + 1] = ("(long long)_k%d * %s"):format(d, stride(desc, p, d))
  end
  return table.concat(terms, " + ")
end

-- The distance between two lanes of a vector: in bytes, or the step of an index.
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
  if desc.inner == 1 and p.kind == "index" and p.name == "_j" then
    return ("(long long)_c0 * %d"):format(rows and desc.vector or 1)
  end
  local terms = {}
  for d = 0, desc.inner - 1 do
    local axis = desc.kept + d
    local is_along = rows and axis == along(desc)
    if is_along and p.class == "unit" then
      terms[#terms + 1] = ("(long long)_c%d * (%d * (int)sizeof(%s))"):format(d, desc.vector,
        p.type)
    elseif not (is_along and p.class == "zero") then
      terms[#terms + 1] = ("(long long)_c%d * %s"):format(d, stride(desc, p, axis))
    end
  end
  return #terms > 0 and table.concat(terms, " + ") or "0"
end

local function bases(desc, list)
  local lines = {}
  if desc.pass == "final" then return "" end
  for _, p in ipairs(list) do
    local line = is_loaded(p) and "const char *const _b%d = (const char *)%s + (%s);"
      or is_index(p) and "const long long _b%d = %s + (%s);"
    if line then
      lines[#lines + 1] = "  " .. line:format(p.j, p.var, kept_offset(desc, p)) .. "\n"
    end
  end
  return table.concat(lines)
end

-- Loading and adding ------------------------------------------------------------------------------

local function lanes(desc, p) return p.class == "zero" and 1 or desc.vector end

local function load(desc, p)
  local pack = ("_lcu_pack<%s, %d>"):format(p.type, lanes(desc, p))
  local at = ("_b%d + (%s)"):format(p.j, inner_offset(desc, p))
  if p.class == "strided" and desc.vector > 1 then
    return ("const char *const _e%d = %s;\n        #pragma unroll\n"
      .. "        for (int _l = 0; _l < %d; _l++) "
      .. "_r%d[_m].v[_l] = *(const %s *)(_e%d + _l * (%s));"):format(p.j, at, desc.vector, p.j,
      p.type, p.j, lane(desc, p))
  end
  return ("_r%d[_m] = *(const %s *)(%s);"):format(p.j, pack, at)
end

-- A call of the map function; loaded(p) and index(p) give the text of an array's element and of an
-- index.
local function map_call(list, loaded, index)
  local indices = { i = "0", _j = "0" }
  for _, p in ipairs(filter(list, is_index)) do indices[p.name] = index(p) end
  local arguments = { "_plan.v[1]", indices.i, indices._j }
  for _, p in ipairs(filter(list, is_input)) do
    arguments[#arguments + 1] = p.kind == "array" and loaded(p) or p.var
  end
  return "_lcu_map(" .. table.concat(arguments, ", ") .. ")"
end

-- The state that lane _l of a thread adds to.
local function target(desc) return desc.mode == "rows" and "_s" or "_s[_l]" end

-- Loads and adds up to `count` units, which start at _at and are `_step` apart. `guarded`: some of
-- them may be past _end.
local function add_units(desc, list, count, guarded)
  local lines = { "{" }
  local function add(fmt, ...) lines[#lines + 1] = "      " .. fmt:format(...) end
  local guard = guarded and " if (_at + _m * _step < _end)" or ""
  local loop = ("for (int _m = 0; _m < %d; _m++)%s"):format(count, guard)
  local inputs, indices = filter(list, is_loaded), filter(list, is_index)
  for _, p in ipairs(inputs) do
    add("_lcu_pack<%s, %d> _r%d[%d];", p.type, lanes(desc, p), p.j, count)
  end
  for _, p in ipairs(indices) do add("long long _x%d[%d];", p.j, count) end
  add("#pragma unroll")
  add("%s {", loop)
  add("  const _lcu_uint _u = _at + _m * _step; %s", inner_coordinates(desc))
  for _, p in ipairs(inputs) do
    add("  %s", load(desc, p))
  end
  for _, p in ipairs(indices) do
    add("  _x%d[_m] = _b%d + (%s);", p.j, p.j, inner_offset(desc, p))
  end
  add("}")
  add("#pragma unroll")
  add("%s {", loop)
  add("  #pragma unroll")
  add("  for (int _l = 0; _l < %d; _l++) _lcu_add(%s, %s);", desc.vector, target(desc),
    map_call(list,
    function(p) return ("_r%d[_m].v[%s]"):format(p.j, lanes(desc, p) == 1 and "0" or "_l") end,
    function(p) return ("_x%d[_m] + _l * (%s)"):format(p.j, lane(desc, p)) end))
  add("}")
  lines[#lines + 1] = "    }"
  return table.concat(lines, "\n")
end

-- The same for partial results, in the layout of lcu_reduce_plan_final.
local function join_units(desc, count)
  local state = desc.mode == "rows" and "_s" or "_s[0]"
  local at = desc.mode == "rows" and "(long long)_o * _plan.v[2] + _u"
    or "(long long)_u * _plan.v[0] + _o"
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
]]):gsub("%u%u+", { COUNT = tostring(count), AT = at, STATE = state })
end

-- The loop from _at to _end.
local function walk(desc, list)
  local count = desc.vector == 1 and IN_FLIGHT_SINGLE
    or math.min(IN_FLIGHT, MOST_UNROLLED // desc.vector)
  if desc.pass == "final" then return (join_units(desc, count)) end
  return ("  for (; _at + %d * _step < _end; _at += %d * _step) %s\n"):format(count - 1, count,
    add_units(desc, list, count, false))
    .. ("  if (_at < _end) %s\n"):format(add_units(desc, list, count, true))
end

-- The elements of a row after its last whole vector.
local function tail(desc, list)
  if desc.vector == 1 or desc.inner > 1 or desc.pass == "final" then return "" end
  return ([[
  if (_live && blockIdx.y == gridDim.y - 1)
    for (_lcu_uint _e = (_lcu_uint)_plan.v[2] * %d + threadIdx.x; _e < (_lcu_uint)_plan.v[1];
        _e += _step) _lcu_add(_s, %s);
]]):format(desc.vector, map_call(list,
    function(p) return ("*(const %s *)(_b%d + (long long)_e * (%s))"):format(p.type, p.j,
    lane(desc, p)) end,
    function(p) return ("_b%d + (long long)_e * (%s)"):format(p.j, lane(desc, p)) end))
end

-- Storing -----------------------------------------------------------------------------------------

-- Stores the results of the state in `from` into variables _y<j>, or lanes of these. The variables
-- start with the values of the outputs, for post expressions that read or keep them; the compiler
-- drops the loads of values that are assigned.
local function post_call(list, from, out)
  local arguments = { "_plan.v[1]", from .. ".v" }
  for _, p in ipairs(filter(list, is_constant)) do arguments[#arguments + 1] = p.var end
  for _, p in ipairs(filter(list, is_output)) do arguments[#arguments + 1] = out(p) end
  return "_lcu_post(" .. table.concat(arguments, ", ") .. ");"
end

local function lanes_loop(desc) return ("for (int _l = 0; _l < %d; _l++) "):format(desc.vector) end

local function place(desc, p) return ("(char *)%s + (%s)"):format(p.var, kept_offset(desc, p)) end

local function store_row(desc, list)
  if desc.pass == "partial" then
    return "    _partials[(long long)_o * gridDim.y + blockIdx.y] = _s;\n"
  end
  local lines = {}
  local function add(fmt, ...) lines[#lines + 1] = "    " .. fmt:format(...) .. "\n" end
  local outputs = filter(list, is_output)
  for _, p in ipairs(outputs) do
    add("%s _y%d = *(%s *)(%s);", p.type, p.j, p.type, place(desc, p))
  end
  add("%s", post_call(list, "_s", function(p) return "_y" .. p.j end))
  for _, p in ipairs(outputs) do add("*(%s *)(%s) = _y%d;", p.type, place(desc, p), p.j) end
  return table.concat(lines)
end

-- Statements that move a vector of results between memory and the pack _y<j>.
local function move_column(desc, p, store)
  local function assignment(memory, register)
    return store and ("%s = %s;\n"):format(memory, register)
      or ("%s = %s;\n"):format(register, memory)
  end
  local register = "_y" .. p.j
  if p.class == "unit" or desc.vector == 1 then
    local memory = ("*(_lcu_pack<%s, %d> *)(%s)"):format(p.type, desc.vector, place(desc, p))
    return "    " .. assignment(memory, register)
  end
  local element = ("*(%s *)(%s + _l * (%s))"):format(p.type, place(desc, p), lane(desc, p))
  return "    #pragma unroll\n    " .. lanes_loop(desc) .. assignment(element, register .. ".v[_l]")
end

local function store_column(desc, list)
  if desc.pass == "partial" then
    local at = ("(long long)blockIdx.y * _plan.v[0] + (long long)_o * %d + _l"):format(desc.vector)
    return ("    #pragma unroll\n    %s_partials[%s] = _s[_l];\n"):format(lanes_loop(desc), at)
  end
  local lines = {}
  local outputs = filter(list, is_output)
  for _, p in ipairs(outputs) do
    lines[#lines + 1] = ("    _lcu_pack<%s, %d> _y%d;\n"):format(p.type, desc.vector, p.j)
      .. move_column(desc, p, false)
  end
  local post = post_call(list, "_s[_l]", function(p) return ("_y%d.v[_l]"):format(p.j) end)
  lines[#lines + 1] = ("    #pragma unroll\n    %s%s\n"):format(lanes_loop(desc), post)
  for _, p in ipairs(outputs) do lines[#lines + 1] = move_column(desc, p, true) end
  return table.concat(lines)
end

-- The kernels -------------------------------------------------------------------------------------

-- Warps of a row join in the order of their threads.
local ROWS_JOIN = [[
  for (int _d = min((int)blockDim.x, 32) / 2; _d > 0; _d /= 2)
    _lcu_join(_s, _lcu_shuffle_down(_s, _d));
  if (blockDim.x > 32) {
    __shared__ alignas(16) unsigned char _room[BLOCK / 32 * sizeof(_lcu_state)];
    _lcu_state *const _warps = (_lcu_state *)_room + threadIdx.y * (blockDim.x / 32);
    if (threadIdx.x % 32 == 0) _warps[threadIdx.x / 32] = _s;
    __syncthreads();
    if (threadIdx.x == 0)
      for (int _w = 1; _w < (int)blockDim.x / 32; _w++) _lcu_join(_s, _warps[_w]);
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
    (ROWS_JOIN:gsub("BLOCK", tostring(BLOCK))), "  if (_live && threadIdx.x == 0) {\n",
    store_row(desc, list), "  }\n",
  }
end

-- Joins as many lanes at a time as fit; halves of the threads join in the order of their rows.
local COLUMNS_JOIN = [[
  if (blockDim.y > 1) {
    constexpr int _fit = BYTES / (BLOCK * (int)sizeof(_lcu_state));
    constexpr int _some = _fit < 1 ? 1 : _fit < VECTOR ? _fit : VECTOR;
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
  local values = { BLOCK = tostring(BLOCK), BYTES = tostring(COLUMN_BYTES),
    VECTOR = tostring(desc.vector) }
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
    "  ", kept_coordinates(desc), "\n", bases(desc, list), walk(desc, list),
    (COLUMNS_JOIN:gsub("%u%u+", values)),
    "  if (_live && threadIdx.y == 0) {\n", store_column(desc, list), "  }\n",
  }
end

-- source.text(state, desc) -> CUDA text; the bytes of a partial result, or nil where only the
-- compiler knows them (then the text declares _lcu_state_room of that size). `state`: name, kernel
-- (its name in the text, unless it is name), params, nin, map, reduce, post, identity, neutral,
-- preamble (origins), macros, reduce_type, bytes (of such a type), indices = { i =, _j = },
-- mentioned (the names that the user's text uses).
local function text(state, desc)
  local list, count = parts.operands(state, desc)
  local make = desc.mode == "rows" and rows or columns
  return table.concat {
    parts.head(state, desc, list, count), parts.kernel_head(state, list),
    ("  typedef unsigned %s _lcu_uint;\n"):format(desc.wide and "long long" or "int"),
    make(desc, list), "}\n",
  }, parts.state_bytes(state, desc)
end

return { text = text }
