-- elementwise_linear.lua: kernels of modes "flat", "strided" and "rows". A thread handles a few
-- units of V elements that follow each other along the innermost axis: it loads what all of them
-- need, calls the body for each element, and stores.

local body = require "luacuda.builder.elementwise_body"
local parts = require "luacuda.builder.elementwise_parts"

local tuning, arrays_of, outputs_of = parts.tuning, parts.arrays_of, parts.outputs_of

-- Registers of a unit -----------------------------------------------------------------------------

local function lanes(p, desc) return p.class == "zero" and 1 or desc.vector end

local function pack(p, desc, element)
  return ("_lcu_pack<%s, %d>"):format(element or p.type, lanes(p, desc))
end

local function block_of(desc) return desc.kind == "cpu" and tuning.cpu_block or tuning.block end

-- Places of a unit --------------------------------------------------------------------------------

-- Where the strides of array j start in the plan of modes "strided" and "rows".
local function strides_at(desc, j) return 2 + 2 * (desc.ndim - 1) + j * desc.ndim end

-- Declares the coordinates _c0 .. of a unit.
local function coordinates(desc, unit, add)
  local rest = unit
  for d = desc.ndim - 1, 1, -1 do
    local extent, magic = ("(_lcu_uint)_plan.v[%d]"):format(2 * d),
      ("_plan.v[%d]"):format(2 * d + 1)
    local quotient = desc.wide and ("%s / %s"):format(rest, extent)
      or ("(__umulhi(%s, (unsigned)%s) + %s) >> (int)(%s >> 32)"):format(rest, magic, rest, magic)
    add("const _lcu_uint _q%d = %s, _c%d = %s - _q%d * %s;", d, quotient, d, rest, d, extent)
    rest = "_q" .. d
  end
  add("const _lcu_uint _c0 = %s;", rest)
end

-- Offset in bytes of a unit along the innermost axis of an array, whose class gives the stride
-- except for class "strided".
local function along(p, desc, unit)
  if p.class == "zero" then return "0" end
  if p.class == "strided" then
    return ("%s * _plan.v[%d]"):format(unit, strides_at(desc, p.j) + desc.ndim - 1)
  end
  return ("(long long)%s * %d"):format(unit, desc.vector * p.size)
end

-- Offset in bytes of the unit at _c0 .. in an array.
local function at_coordinates(p, desc)
  local terms, inner = {}, desc.ndim - 1
  for d = 0, inner - 1 do
    terms[d + 1] = ("_c%d * _plan.v[%d]"):format(d, strides_at(desc, p.j) + d)
  end
  terms[#terms + 1] = along(p, desc, "_c" .. inner)
  return table.concat(terms, " + ")
end

-- Do pointers (_w) move along a stretch of units? Otherwise units have offsets from the arrays.
local function has_pointers(desc) return desc.kind == "cpu" and desc.mode ~= "strided" end

-- Inputs that have one element for all of a row. They are read before it.
local function is_row_constant(p, desc)
  return desc.mode == "rows" and p.class == "zero" and not p.output
end

local function body_argument(p, desc)
  if p.kind ~= "array" then return p.var end
  if is_row_constant(p, desc) then return "_e" .. p.j end
  return ("_r%d[_k].v[%s]"):format(p.j, lanes(p, desc) == 1 and "0" or "_l")
end

-- The address of unit _k.
local function address(p, desc)
  if not has_pointers(desc) then return ("(char *)%s + _o%d[_k]"):format(p.var, p.j) end
  return ("_w%d + %s"):format(p.j, along(p, desc, ("_k * %d"):format(block_of(desc))))
end

-- Loads or stores one unit of an array.
local function access(p, desc, store, add)
  local element = store and p.type or p.stored
  local function write(type_, place, register)
    if store then add("*(%s *)%s = %s;", type_, place, register)
    else add("%s = *(const %s *)%s;", register, type_, place) end
  end
  local at = "(" .. address(p, desc)
  local register = ("_r%d[_k]"):format(p.j)
  if desc.mode == "flat" or p.class == "unit" then
    write(pack(p, desc, element), at .. ")", register)
  elseif lanes(p, desc) == 1 then
    write(element, at .. ")", register .. ".v[0]")
  else
    add("#pragma unroll")
    add("for (int _l = 0; _l < %d; _l++)", desc.vector)
    local stride = ("_plan.v[%d] / %d"):format(strides_at(desc, p.j) + desc.ndim - 1, desc.vector)
    write(element, ("%s + _l * (%s))"):format(at, stride), register .. ".v[_l]")
  end
end

-- Units -------------------------------------------------------------------------------------------

-- Where unit _k is in each array.
local function offsets(list, desc, add)
  add("const _lcu_uint _u = _unit + _k * %d;", block_of(desc))
  if desc.mode == "strided" then coordinates(desc, "_u", add) end
  for _, p in ipairs(list) do
    add("_o%d[_k] = %s;", p.j,
      desc.mode == "strided" and at_coordinates(p, desc) or along(p, desc, "_u"))
  end
end

-- Loads, computes and stores `count` units, which start at _unit and are a block's width apart.
local function units(state, list, desc, count)
  local lines = { "{" }
  local function add(fmt, ...) lines[#lines + 1] = "    " .. fmt:format(...) end
  local function loop()
    add("#pragma unroll")
    add("for (int _k = 0; _k < %d; _k++) {", count)
  end
  local moving = parts.map(arrays_of(list), function(p)
    return not is_row_constant(p, desc) and p or nil
  end)
  for _, p in ipairs(moving) do
    add("%s _r%d[%d];", pack(p, desc, not p.output and p.stored), p.j, count)
  end
  if not has_pointers(desc) then
    for _, p in ipairs(moving) do add("long long _o%d[%d];", p.j, count) end
  end
  loop()
  if not has_pointers(desc) then offsets(moving, desc, add) end
  for _, p in ipairs(moving) do access(p, desc, false, add) end
  add("}")
  loop()
  add("#pragma unroll")
  add("for (int _l = 0; _l < %d; _l++)", desc.vector)
  local index = ("(long long)(%s_unit + _k * %d) * %d + _l"):format(
    has_pointers(desc) and "_at + " or "", block_of(desc), desc.vector)
  add("%s", body.call(state, desc, list, index, function(p) return body_argument(p, desc) end))
  add("}")
  loop()
  for _, p in ipairs(outputs_of(list)) do access(p, desc, true, add) end
  add("}")
  lines[#lines + 1] = "  }"
  return table.concat(lines, "\n")
end

-- The elements of mode "flat" after the last whole unit: one each for the first threads of the last
-- block.
local function tail(state, list, desc)
  local lines = {}
  local function add(fmt, ...) lines[#lines + 1] = "  " .. fmt:format(...) .. "\n" end
  add("if (blockIdx.x == gridDim.x - 1 && threadIdx.x < (unsigned)(_plan.v[0] %% %d)) {",
    desc.vector)
  add("  const long long _e = _plan.v[0] - 1 - threadIdx.x;")
  for _, p in ipairs(arrays_of(list)) do
    add("  %s _e%d = ((const %s *)%s)[_e];", p.type, p.j, p.stored, p.var)
  end
  add("  %s", body.call(state, desc, list, "_e",
    function(p) return p.kind == "array" and "_e" .. p.j or p.var end))
  for _, p in ipairs(outputs_of(list)) do add("  %s[_e] = _e%d;", p.var, p.j) end
  add("}")
  return table.concat(lines)
end

-- The kernel --------------------------------------------------------------------------------------

-- Does the body call pow? It takes so long that a second unit has to hide it.
local function is_long(state)
  local text = parts.quoted(state, state.body, ";")
  return text:find "%f[%w_]powf?%s*%(" or text:find "_lcu_power_%l"
end

-- Units of a thread in mode "flat": one if the units of all arrays are whole vector accesses.
local function flat_units(state, list, desc)
  local least, most = math.huge, 0
  for _, p in ipairs(arrays_of(list)) do
    least, most = math.min(least, p.size), math.max(most, p.size)
  end
  if most == 0 then return 1 end
  local few = (is_long(state) or least * desc.vector < tuning.flat_bytes) and 2 or 1
  return math.max(few, math.min(tuning.most_units, tuning.flat_bytes // (most * desc.vector)))
end

-- Units that a thread has side by side.
local function units_per_thread(state, list, desc)
  local wanted = desc.kind == "cpu" and tuning.cpu_units
    or desc.mode == "flat" and flat_units(state, list, desc) or tuning.strided_units
  return math.max(1, math.min(wanted, tuning.most_unrolled // desc.vector))
end

-- Blocks with all their units handle those of a thread side by side; the last block checks each
-- unit.
local function walk(state, list, desc, count, add)
  local block = block_of(desc)
  add("_lcu_uint _unit = (_lcu_uint)blockIdx.x * %d + threadIdx.x;", block * count)
  if count > 1 then
    add("if (_unit - threadIdx.x + %d <= _whole) %s", block * count,
      units(state, list, desc, count))
    add("else")
    add("#pragma unroll 1")
    add("for (int _m = 0; _m < %d; _m++, _unit += %d)", count, block)
  end
  add("if (_unit < _whole) %s", units(state, list, desc, 1))
end

-- The same on the CPU device, whose warps run one after the other: a warp that goes on costs less
-- than one that starts, so a thread has many turns.
local function long_walk(state, list, desc, count, add)
  local block = block_of(desc)
  local each = block * count
  add("_lcu_uint _first = (_lcu_uint)blockIdx.x * %d, _unit = _first + threadIdx.x;",
    each * tuning.cpu_turns)
  add("const _lcu_uint _end = _whole - _first < %d ? _whole : _first + %d;",
    each * tuning.cpu_turns, each * tuning.cpu_turns)
  if count > 1 then
    add("#pragma unroll 1")
    add("for (; _first + %d <= _end; _first += %d, _unit += %d) %s", each, each, each,
      units(state, list, desc, count))
  end
  add("#pragma unroll 1")
  add("for (; _unit < _end; _unit += %d) %s", block, units(state, list, desc, 1))
end

-- Handles the _left units from _at on, which follow each other in every array. Pointers with
-- constant offsets need the fewest instructions, and the addresses of several units have one shape.
local function stretch(state, list, desc, count, at, add)
  local block = block_of(desc)
  local moving = {}
  for _, p in ipairs(arrays_of(list)) do
    add("char *_w%d = (char *)%s + (%s);", p.j, p.var, at(p))
    if is_row_constant(p, desc) then
      add("const %s _e%d = *(const %s *)_w%d;", p.type, p.j, p.stored, p.j)
    else
      moving[#moving + 1] = p
      add("_w%d += %s;", p.j, along(p, desc, "threadIdx.x"))
    end
  end
  local function loop(head, n, ...)
    local steps = { ("_unit += %d"):format(block * n), ... }
    for _, p in ipairs(moving) do
      steps[#steps + 1] = ("_w%d += %s"):format(p.j, along(p, desc, tostring(block * n)))
    end
    add("#pragma unroll 1")
    add("for (%s; %s) %s", head, table.concat(steps, ", "), units(state, list, desc, n))
  end
  add("unsigned _unit = threadIdx.x;")
  if count > 1 then
    local each = block * count
    loop(("unsigned _to = %d; _to <= _left"):format(each), count, ("_to += %d"):format(each))
  end
  loop("; _unit < _left", 1)
end

-- The units of one block, from _at to _end.
local function share(desc, count, add)
  local each = block_of(desc) * count * tuning.cpu_turns
  add("_lcu_uint _at = (_lcu_uint)blockIdx.x * %d;", each)
  add("const _lcu_uint _end = _whole - _at < %d ? _whole : _at + %d;", each, each)
end

-- Mode "flat" on the CPU device: one stretch.
local function flat_walk(state, list, desc, count, add)
  share(desc, count, add)
  add("{")
  add("const unsigned _left = (unsigned)(_end - _at);")
  stretch(state, list, desc, count, function(p) return along(p, desc, "_at") end, add)
  add("}")
end

-- Mode "rows": a stretch for each row. All threads compute alike where it starts.
local function row_walk(state, list, desc, count, add)
  local inner = desc.ndim - 1
  share(desc, count, add)
  add("#pragma unroll 1")
  add("for (unsigned _left; _at < _end; _at += _left) {")
  coordinates(desc, "_at", add)
  add("const _lcu_uint _rest = %s - _c%d;",
    inner > 0 and ("(_lcu_uint)_plan.v[%d]"):format(2 * inner) or "_whole", inner)
  add("_left = (unsigned)(_rest < _end - _at ? _rest : _end - _at);")
  stretch(state, list, desc, count, function(p) return at_coordinates(p, desc) end, add)
  add("}")
end

-- How blocks of the CPU device walk.
local CPU_WALKS = { flat = flat_walk, strided = long_walk, rows = row_walk }

-- linear.kernel(state, desc, list) -> text of the kernel, threads per block, units per thread.
local function kernel(state, desc, list)
  local count, block, cpu = units_per_thread(state, list, desc), block_of(desc), desc.kind == "cpu"
  local text = { parts.kernel_head(state, list, block), body.open(state, desc, list) }
  local function add(fmt, ...) text[#text + 1] = "  " .. fmt:format(...) .. "\n" end
  add("typedef unsigned %s _lcu_uint;",
    (desc.wide or cpu and desc.mode == "flat") and "long long" or "int")
  add("const _lcu_uint _whole = (_lcu_uint)(%s);",
    desc.mode == "flat" and ("_plan.v[0] / %d"):format(desc.vector) or "_plan.v[1]")
  local way = cpu and CPU_WALKS[desc.mode] or walk
  way(state, list, desc, count, add)
  if desc.mode == "flat" and desc.vector > 1 then add("%s", tail(state, list, desc)) end
  return table.concat(text) .. body.close(state), block, cpu and count * tuning.cpu_turns or count
end

return { kernel = kernel }
