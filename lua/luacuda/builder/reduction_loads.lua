-- reduction_loads.lua: the part of a reduction kernel that loads elements and adds them to the
-- states of threads: coordinates, addresses, loops.
--
-- _o is the result or vector of results, with coordinates _k0, ... along the kept axes; _u is a
-- unit, a vector of a row or an element of a column, with coordinates _c0, ... along the reduced
-- axes. _m counts the units that a thread loads at a time, _l the lanes of a vector.

local parts = require "luacuda.builder.reduction_parts"

local extent, stride, along, filter = parts.extent, parts.stride, parts.along, parts.filter
local is_input, is_loaded, is_index = parts.is_input, parts.is_loaded, parts.is_index

-- Numbers to tune; lcu_reduce.c repeats them ------------------------------------------------------

local IN_FLIGHT = 4                     -- vectors that a thread loads at a time
local IN_FLIGHT_SINGLE = 8              -- elements, where vectors have one
local MOST_UNROLLED = 32                -- elements of these

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

local function base(desc, p)
  if is_loaded(p) then
    return ("const char *const _b%d = (const char *)%s + (%s)"):format(p.j, p.var,
      kept_offset(desc, p))
  end
  return ("const long long _b%d = %s + (%s)"):format(p.j, p.var, kept_offset(desc, p))
end

-- Peeled rows: _h elements come before the first vector of the input that is one run.
local function peeled(desc, list)
  local run = filter(list, function(p) return is_loaded(p) and p.class == "unit" end)[1]
  return ([[
  const _lcu_uint _h = min((_lcu_uint)((-(unsigned long long)(VAR + (AT)) & (STEP - 1)) / SIZE),
      (_lcu_uint)_plan.v[1]);
]]):gsub("%u%u%u?%u?", { VAR = "(const char *)" .. run.var, AT = kept_offset(desc, run),
    STEP = ("(int)alignof(_lcu_pack<%s, %d>)"):format(run.type, desc.vector),
    SIZE = ("sizeof(%s)"):format(run.type) })
end

-- Where the elements of a result begin, in each array and for each index.
local function bases(desc, list)
  if desc.pass == "final" then return "" end
  local lines = { desc.peeled and peeled(desc, list) or nil }
  for _, p in ipairs(list) do
    if is_loaded(p) or is_index(p) then
      local skipped = desc.peeled and (" + (long long)_h * (%s)"):format(lane(desc, p)) or ""
      lines[#lines + 1] = ("  %s%s;\n"):format(base(desc, p), skipped)
    end
  end
  return table.concat(lines)
end

-- The vectors of a row.
local function units(desc)
  if not desc.peeled then return "(_lcu_uint)_plan.v[2]" end
  return ("((_lcu_uint)_plan.v[1] - _h) / %d"):format(desc.vector)
end

-- Short rows: a thread loads desc.each units of desc.rows rows, which are blockDim.y rows apart,
-- and _m counts the units of all of them.

-- The position of unit _m, and whether it is to be loaded.
local function unit(desc)
  if desc.rows == 1 then return "_at + _m * _step" end
  return ("_at + _m %% %d * _step"):format(desc.each)
end
local function row(desc) return ("_r + _m / %d * blockDim.y"):format(desc.each) end
local function guard(desc)
  local inside = unit(desc) .. " < _end"
  if desc.rows == 1 then return inside end
  return ("%s && %s < (_lcu_uint)_plan.v[0]"):format(inside, row(desc))
end

-- Loading and adding ------------------------------------------------------------------------------

local function lanes(desc, p) return p.class == "zero" and 1 or desc.vector end

-- Loads a unit at the address `at` into _r<j>[`to`].
local function load_at(desc, p, to, at)
  local pack = ("_lcu_pack<%s, %d>"):format(p.stored, lanes(desc, p))
  if p.class == "strided" and desc.vector > 1 then
    return ("const char *const _e%d = %s;\n        #pragma unroll\n"
      .. "        for (int _l = 0; _l < %d; _l++) "
      .. "_r%d[%s].v[_l] = *(const %s *)(_e%d + _l * (%s));"):format(p.j, at, desc.vector, p.j,
      to, p.stored, p.j, lane(desc, p))
  end
  return ("_r%d[%s] = *(const %s *)(%s);"):format(p.j, to, pack, at)
end

local function load(desc, p)
  return load_at(desc, p, "_m", ("_b%d + (%s)"):format(p.j, inner_offset(desc, p)))
end

-- A call of the map function, or of `fn`; loaded(p) and index(p) give the text of an array's
-- element and of an index.
local function map_call(list, loaded, index, fn)
  local indices = { i = "0", _j = "0" }
  for _, p in ipairs(filter(list, is_index)) do indices[p.name] = index(p) end
  local arguments = { "_plan.v[1]", indices.i, indices._j }
  for _, p in ipairs(filter(list, is_input)) do
    arguments[#arguments + 1] = p.kind == "array" and loaded(p) or p.var
  end
  return (fn or "_lcu_map") .. "(" .. table.concat(arguments, ", ") .. ")"
end

-- Adds `value`, which uses _m and _l, of all `count` units to the states: those that a state gets
-- together in one call. `loop`: a loop over the units that are not past _end, each by itself.
local function add_values(add, desc, count, loop, value)
  local rows, together = desc.mode == "rows", loop and 1 or count
  local over_units = ("for (int _m = 0; _m < %d; _m++)"):format(count)
  local lanes_loop = ("for (int _l = 0; _l < %d; _l++)"):format(desc.vector)
  local room = "_lcu_item _v[%d];"
  if loop then add("#pragma unroll\n      %s {", loop) end
  if rows then
    add("  " .. room, together * desc.vector)
    if not loop then add("  #pragma unroll\n      %s", over_units) end
    add("  #pragma unroll\n      %s _v[%s_l] = %s;", lanes_loop,
      loop and "" or ("_m * %d + "):format(desc.vector), value)
    add("  _lcu_take(%s, _v);", desc.rows == 1 and "_s" or ("_s[_m / %d]"):format(desc.each))
  else
    add("  #pragma unroll\n      %s {", lanes_loop)
    add("  " .. room, together)
    if not loop then add("  #pragma unroll\n      %s", over_units) end
    add("  _v[%s] = %s;", loop and "0" or "_m", value)
    add("  _lcu_take(_s[_l], _v);")
    add("  }")
  end
  if loop then add("}") end
end

-- Loads and adds up to `count` units, which start at _at and are `_step` apart. `guarded`: some of
-- them may be past _end.
local function add_units(desc, list, count, guarded)
  local lines = { "{" }
  local function add(fmt, ...) lines[#lines + 1] = "      " .. fmt:format(...) end
  local loop = ("for (int _m = 0; _m < %d; _m++)%s"):format(count,
    guarded and (" if (%s)"):format(guard(desc)) or "")
  local inputs, indices = filter(list, is_loaded), filter(list, is_index)
  for _, p in ipairs(inputs) do
    add("_lcu_pack<%s, %d> _r%d[%d];", p.stored, lanes(desc, p), p.j, count)
  end
  for _, p in ipairs(indices) do add("long long _x%d[%d];", p.j, count) end
  add("#pragma unroll")
  add("%s {", loop)
  add("  const _lcu_uint _u = %s; %s", unit(desc), inner_coordinates(desc))
  if desc.rows > 1 then
    add("  const _lcu_uint _o = %s; %s\n%s", row(desc), kept_coordinates(desc),
      bases(desc, list))
  end
  for _, p in ipairs(inputs) do
    add("  %s", load(desc, p))
  end
  for _, p in ipairs(indices) do
    add("  _x%d[_m] = _b%d + (%s);", p.j, p.j, inner_offset(desc, p))
  end
  add("}")
  add_values(add, desc, count, guarded and loop, map_call(list,
    function(p) return ("_r%d[_m].v[%s]"):format(p.j, lanes(desc, p) == 1 and "0" or "_l") end,
    function(p) return ("_x%d[_m] + _l * (%s)"):format(p.j, lane(desc, p)) end))
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

local function in_flight(desc)
  if desc.rows > 1 then return desc.rows * desc.each end
  return desc.vector == 1 and IN_FLIGHT_SINGLE or math.min(IN_FLIGHT, MOST_UNROLLED // desc.vector)
end

-- The loop from _at to _end.
local function walk(desc, list)
  local count = in_flight(desc)
  if desc.pass == "final" then return (join_units(desc, count)) end
  -- Threads of a row go the same way: the last turn is that of all of them.
  local whole = desc.mode == "rows" and ("_at - threadIdx.x + %d * _step <= _end"):format(count)
    or ("_at + %d * _step < _end"):format(count - 1)
  return ("  for (; %s; _at += %d * _step) %s\n"):format(whole, count,
    add_units(desc, list, count, false))
    .. ("  if (_at < _end) %s\n"):format(add_units(desc, list, count, true))
end

-- The elements of a row before its first and after its last whole vector.
local function tail(desc, list)
  if desc.vector == 1 or desc.inner > 1 or desc.pass == "final" then return "" end
  local value = map_call(list,
    function(p) return ("*(const %s *)(_b%d + _e * (%s))"):format(p.stored, p.j, lane(desc, p)) end,
    function(p) return ("_b%d + _e * (%s)"):format(p.j, lane(desc, p)) end)
  return ([[
  if (_live && blockIdx.y == gridDim.y - 1)
    for (_lcu_uint _k = threadIdx.x; _k < (_lcu_uint)_plan.v[1] - _units * %d; _k += _step) {
      const long long _e = %s(long long)_units * %d + _k%s;
      const _lcu_item _v[1] = { %s };
      _lcu_take(_s, _v);
    }
]]):format(desc.vector, desc.peeled and "_k < _h ? (long long)_k - _h : " or "", desc.vector,
    desc.peeled and " - _h" or "", value)
end

return { kept_coordinates = kept_coordinates, inner_coordinates = inner_coordinates,
  kept_offset = kept_offset, inner_offset = inner_offset, lane = lane, lanes = lanes,
  load_at = load_at, map_call = map_call, bases = bases, units = units, in_flight = in_flight,
  add_units = add_units, walk = walk, tail = tail }
