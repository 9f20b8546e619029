-- reduction_serial.lua: the text of reduction kernels for the CPU device, which runs warps one by
-- one and pays for each instruction. So a block is one warp and handles many results; the
-- compiler knows the distances between loads that are issued together, which then share an address;
-- and lanes are switched off only in the last load of a row and in the last store.
--
-- desc.lanes threads share a row; columns are desc.strips vectors of results of each thread, 32
-- vectors apart. Names as in reduction_loads.lua; _at is the same in all threads, _q the address
-- of a thread's first unit.

local loads = require "luacuda.builder.reduction_loads"
local parts = require "luacuda.builder.reduction_parts"
local seek = require "luacuda.builder.reduction_seek"
local store = require "luacuda.builder.reduction_store"

local filter, is_loaded, is_index = parts.filter, parts.is_loaded, parts.is_index
local WARP = 32

-- Loads -------------------------------------------------------------------------------------------

-- Does the address of a unit follow from that of the first one?
local function is_stepped(desc) return desc.inner == 1 end

-- Bytes between the units of a thread along the reduced axis.
local function step_text(desc, p)
  local rows = desc.mode == "rows"
  local count = rows and desc.lanes or 1
  if rows and p.class == "zero" then return "0" end
  if rows and p.class == "unit" then
    return ("%d * (int)sizeof(%s)"):format(count * desc.vector, p.type)
  end
  if desc.run then return ("(int)sizeof(%s)"):format(p.type) end
  return ("%d * %s"):format(count, parts.stride(desc, p, desc.kept))
end

-- Bytes between the strips of a thread.
local function strip_text(desc, p)
  if p.class == "zero" then return "0" end
  if p.class == "unit" then
    return ("%d * (int)sizeof(%s)"):format(WARP * desc.vector, p.type)
  end
  return ("%d * %s"):format(WARP, parts.stride(desc, p, desc.kept - 1))
end

-- The first units: declarations of _q.
local function starts(desc, list)
  if not is_stepped(desc) then return "" end
  local lines, rows = {}, desc.mode == "rows"
  for _, p in ipairs(filter(list, is_loaded)) do
    local step = step_text(desc, p)
    lines[#lines + 1] = ("      const char *_q%d = _b%d + %s;\n"):format(p.j, p.j,
      rows and p.class == "unit"
        and ("(long long)(_at + _lane) * (%d * (int)sizeof(%s))"):format(desc.vector, p.type)
      or rows and p.class ~= "zero"
        and ("(long long)(_at + _lane) * %s"):format(parts.stride(desc, p, desc.kept))
      or rows and "0" or ("(long long)_at * (%s)"):format(step))
  end
  return table.concat(lines)
end

local function unit(desc)
  return desc.mode == "rows" and ("_at + _lane + _m * %d"):format(desc.lanes) or "_at + _m"
end

local function address(desc, p)
  local strip = desc.strips > 1 and (" + _t * (%s)"):format(strip_text(desc, p)) or ""
  if is_stepped(desc) then return ("_q%d + _m * (%s)%s"):format(p.j, step_text(desc, p), strip) end
  return ("_b%d + (%s)%s"):format(p.j, loads.inner_offset(desc, p), strip)
end

local function index_of(desc, p)
  local strip = desc.strips > 1 and (" + _t * (%s)"):format(strip_text(desc, p)) or ""
  return ("_b%d + (%s)%s"):format(p.j, loads.inner_offset(desc, p), strip)
end

-- Adding ------------------------------------------------------------------------------------------

-- The value of the loaded element _l of unit _m in strip _t: that of `fn`, _lcu_map unless given.
local function value(desc, list, fn)
  return loads.map_call(list,
    function(p)
      return ("_r%d[_m * %d + _t].v[%s]"):format(p.j, desc.strips,
        loads.lanes(desc, p) == 1 and "0" or "_l")
    end,
    function(p)
      return ("_x%d[_m * %d + _t] + _l * (%s)"):format(p.j, desc.strips, loads.lane(desc, p))
    end, fn)
end

local function each(name, count)
  local head = "\n      #pragma unroll\n      for (int %s = 0; %s < %d; %s++) "
  return head:format(name, name, count, name)
end

-- Loads `count` units of each strip, the first one at _at, into _r; indices into _x.
local function load_units(desc, list, count)
  local lines = { starts(desc, list) }
  local function add(fmt, ...) lines[#lines + 1] = "      " .. fmt:format(...) .. "\n" end
  local inputs, indices = filter(list, is_loaded), filter(list, is_index)
  for _, p in ipairs(inputs) do
    add("_lcu_pack<%s, %d> _r%d[%d];", p.stored, loads.lanes(desc, p), p.j, count * desc.strips)
  end
  for _, p in ipairs(indices) do add("long long _x%d[%d];", p.j, count * desc.strips) end
  local at = ("_m * %d + _t"):format(desc.strips)
  add("%s{", each("_m", count))
  add("const _lcu_uint _u = %s; %s", unit(desc), loads.inner_coordinates(desc))
  add("%s{", each("_t", desc.strips))
  for _, p in ipairs(inputs) do add("%s", loads.load_at(desc, p, at, address(desc, p))) end
  for _, p in ipairs(indices) do add("_x%d[%s] = %s;", p.j, at, index_of(desc, p)) end
  add("}\n      }")
  return table.concat(lines)
end

-- Gives the values that each state gets of `count` loaded units to `take`, a text in which PLACE is
-- the position of the state; they are in an array `name`, of that type, as `fn` gives them.
local function give_units(desc, list, count, type, name, fn, take)
  local text = value(desc, list, fn)
  if desc.mode == "rows" then
    return ("      constexpr int _t = 0;\n      %s %s[%d];\n      "):format(type, name,
        count * desc.vector)
      .. each("_m", count) .. each("_l", desc.vector)
      .. ("%s[_m * %d + _l] = %s;\n"):format(name, desc.vector, text) .. take:gsub("PLACE", "0")
  end
  return "      " .. each("_t", desc.strips) .. each("_l", desc.vector)
    .. ("{\n      %s %s[%d];\n      "):format(type, name, count) .. each("_m", count)
    .. ("%s[_m] = %s;\n"):format(name, text)
    .. take:gsub("PLACE", ("_t * %d + _l"):format(desc.vector)) .. "      }\n"
end

-- Loads and adds `count` units of each strip, the first one at _at.
local function add_units(desc, list, count)
  return "{\n" .. load_units(desc, list, count)
    .. give_units(desc, list, count, "_lcu_item", "_v", nil,
      desc.mode == "rows" and "      _lcu_take(_s, _v);\n" or "      _lcu_take(_s[PLACE], _v);\n")
    .. "    }\n"
end

-- Units that a thread loads at a time.
local function in_flight(desc)
  if desc.mode == "rows" then return desc.vector >= 8 and 32 // desc.vector or 16 // desc.vector end
  return math.max(4, math.min(8, 16 // (desc.strips * desc.vector)))
end

local function loop(step, units, body)
  return ("    for (; _at + %d <= _end; _at += %d) "):format(units * step, units * step) .. body
end

-- The loop over batches that looks for a place, and the place, added to the states.
local function seek_batches(desc, list, step, count)
  local rows = desc.mode == "rows"
  local states = rows and 1 or desc.strips * desc.vector
  local values = rows and count * desc.vector or count
  local body = "{\n" .. load_units(desc, list, count)
    .. give_units(desc, list, count, "_lcu_seen", "_w", "_lcu_see", seek.look("PLACE", values))
    .. "    }\n"
  local lines = { seek.head(states, values), loop(step, count, body), "    {\n" }
  local index = filter(list, is_index)[1]
  lines[#lines + 1] = "      " .. each("_p", states) .. "{\n" .. seek.find("_p", values)
    .. ("      const _lcu_uint _u = _from[_p]%s; %s\n"):format(rows
      and (" + _lane + _k / %d * %d"):format(desc.vector, desc.lanes) or " + _k",
      loads.inner_coordinates(desc))
    .. ("      const long long _j = _b%d + (%s)%s;\n"):format(index.j,
      loads.inner_offset(desc, index), rows and (" + _k %% %d"):format(desc.vector) or "")
    .. ("      const _lcu_item _v[1] = { _lcu_found(_best[_p], _j) };\n      _lcu_take(%s, _v);\n")
      :format(rows and "_s" or "_s[_p]") .. "      }\n    }\n"
  return table.concat(lines)
end

-- Goes from _at to _end; `step` units of a row at a time.
local function walk(desc, list, step)
  local count = in_flight(desc)
  local batches = desc.seek and seek_batches(desc, list, step, count)
    or loop(step, count, add_units(desc, list, count))
  return batches .. (count > 1 and loop(step, 1, add_units(desc, list, 1)) or "")
end

-- Kernels -----------------------------------------------------------------------------------------

local ROWS_JOIN = [[
    #pragma unroll
    for (int _d = LANES / 2; _d > 0; _d /= 2) _lcu_join(_s, _lcu_shuffle_xor(_s, _d));
]]

local function rows(desc, list)
  local lanes = desc.lanes
  return table.concat {
    ([[
  constexpr _lcu_uint _step = LANES, _each = 32 / LANES;
  const _lcu_uint _lane = threadIdx.x, _begin = (_lcu_uint)blockIdx.y * (_lcu_uint)_plan.v[3];
  const _lcu_uint _results = (_lcu_uint)_plan.v[0];
  for (_lcu_uint _g = blockIdx.x * _each; _g < _results; _g += gridDim.x * _each) {
    const _lcu_uint _r = _g + threadIdx.y;
    const bool _live = _r < _results;
    const _lcu_uint _o = _live ? _r : _results - 1;
]]):gsub("LANES", lanes), "    ", loads.kept_coordinates(desc), "\n", loads.bases(desc, list),
    ("    const _lcu_uint _units = %s;\n"):format(loads.units(desc)),
    "    const _lcu_uint _end = min(_begin + (_lcu_uint)_plan.v[3], _units);\n",
    "    _lcu_uint _at = _begin;\n    _lcu_state _s = _lcu_start();\n",
    walk(desc, list, lanes), "    if (_at + _lane < _end) ", add_units(desc, list, 1),
    loads.tail(desc, list), (ROWS_JOIN:gsub("LANES", lanes)),
    "    if (_live && threadIdx.x == 0) {\n", store.row(desc, list), "    }\n  }\n",
  }
end

-- The last tile of an innermost kept axis begins earlier and stores only its own results.
local function columns(desc, list)
  local width = WARP * desc.strips
  local across = desc.kept == 1 and "(_lcu_uint)_plan.v[2]"
    or ("(_lcu_uint)" .. parts.extent(desc.kept - 1))
  local text = { ([[
  const _lcu_uint _across = ACROSS, _tiles = (_across + WIDTH - 1) / WIDTH;
  const _lcu_uint _begin = (_lcu_uint)blockIdx.y * (_lcu_uint)_plan.v[3];
  const _lcu_uint _end = min(_begin + (_lcu_uint)_plan.v[3], (_lcu_uint)_plan.v[4]);
  const _lcu_uint _all = (_lcu_uint)_plan.v[2] / _across * _tiles;
  for (_lcu_uint _g = blockIdx.x; _g < _all; _g += gridDim.x) {
    const _lcu_uint _outer = _g / _tiles, _first = (_g - _outer * _tiles) * WIDTH;
    const _lcu_uint _inside = min(_first, _across - WIDTH) + threadIdx.x;
    _lcu_uint _at = _begin;
    _lcu_state _s[STATES];
    #pragma unroll
    for (int _l = 0; _l < STATES; _l++) _s[_l] = _lcu_start();
    const _lcu_uint _place = _outer * _across + _inside, _o = _place;
]]):gsub("%u%u%u+", { ACROSS = across, WIDTH = ("%d"):format(width),
    STATES = ("%d"):format(desc.strips * desc.vector) }),
    "    ", loads.kept_coordinates(desc), "\n", loads.bases(desc, list), walk(desc, list, 1) }
  for t = 0, desc.strips - 1 do
    local head = "    if (_inside + %d >= _first) {\n      const _lcu_uint _o = _place + %d; "
    text[#text + 1] = head:format(t * WARP, t * WARP) .. loads.kept_coordinates(desc) .. "\n"
      .. store.column(desc, list, ("_s[%d + _l]"):format(t * desc.vector)) .. "    }\n"
  end
  text[#text + 1] = "  }\n"
  return table.concat(text)
end

return { text = function(desc, list)
  return (desc.mode == "rows" and rows or columns)(desc, list)
end }
