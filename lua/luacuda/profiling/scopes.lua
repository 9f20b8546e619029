-- scopes.lua: which variables a place of a function has, and where they are.

local uleb = require "luacuda.profiling.dwarf".uleb
local value = require "luacuda.profiling.typed_bytes".value

-- Locations ---------------------------------------------------------------------------------------

-- The register's name is the number, a byte per letter.
local function register_name(n)
  local s = ""
  while n > 0 do n, s = n >> 8, string.char(n & 255) .. s end
  return s
end

-- The bytes that hold the variable, and where in them it begins.
local function find(info, block, from, stop)
  local op = block:byte(1)
  if op == 0x90 then
    local bits = stop.registers[register_name((uleb(block, 1)))]
    return bits and ("<i8"):pack(bits), 0
  elseif op == 0x03 then
    local ref, plus = info.refs[from + 1], 0
    if not ref then return nil end
    if block:byte(10) == 0x23 then plus = uleb(block, 10) end
    if ref.symbol:match "^__local_depot" then return stop.memory, ref.plus + plus end
    local param = stop.params[ref.symbol]
    return param and stop.param_bytes, (param or 0) + plus
  end
end

-- The part of a location list that holds at a line of the text.
local function pick(debug, offset, line)
  local list = debug.sections[".debug_loc"]
  local at = offset
  while list and at + 18 <= list.len do
    local low, high = list.refs[at], list.refs[at + 8]
    if not low or not high then return nil end
    local n = ("<I2"):unpack(list.data, at + 17)
    local from, to = debug.labels[low.symbol] or 0, debug.labels[high.symbol] or 0
    if line > from and line < to then
      return list, list.data:sub(at + 19, at + 18 + n), at + 18
    end
    at = at + 18 + n
  end
end

local function place_of(debug, variable, line)
  local location = variable.location
  if not location then return nil end
  if location.block then return debug.sections[".debug_info"], location.block, location.at end
  if location.symbol == ".debug_loc" then return pick(debug, location.plus, line) end
end

-- Frames ------------------------------------------------------------------------------------------

local SUBPROGRAM, INLINED, BLOCK = 0x2e, 0x1d, 0x0b
local OUTSIDE = { [0x11] = true, [0x39] = true, [0x13] = true, [0x02] = true }

local function holds(debug, scope, line)
  local low = scope.low and debug.labels[scope.low.symbol]
  local high = type(scope.high) == "table" and debug.labels[scope.high.symbol]
  return low and high and line > low and line < high
end

-- What is inlined, or defined outside its class, refers to what has the name.
local function name_of(debug, entry)
  while entry and not entry.name do
    entry = debug.entries[entry.origin or entry.specification]
  end
  return entry and entry.name
end

local function function_at(debug, list, line)
  for _, entry in ipairs(list) do
    if entry.tag == SUBPROGRAM and holds(debug, entry, line) then return entry end
    local found = OUTSIDE[entry.tag] and function_at(debug, entry, line)
    if found then return found end
  end
end

-- frame(debug, line) -> of the innermost function at a line of the text: name, depth (the inlined
-- calls that lead there) and its scopes from the outermost to the innermost, as a list; or nil
local function frame(debug, line)
  local scope = function_at(debug, debug.root, line)
  local found = scope and { scope, depth = 0, name = name_of(debug, scope) }
  while scope do
    local inner
    for _, part in ipairs(scope) do
      local nests = part.tag == INLINED or part.tag == BLOCK
      if nests and holds(debug, part, line) then inner = part end
    end
    if inner and inner.tag == INLINED then
      found = { inner, depth = found.depth + 1, name = name_of(debug, inner) }
    elseif inner then
      found[#found + 1] = inner
    end
    scope = inner
  end
  return found
end

-- Variables ---------------------------------------------------------------------------------------

local function add_variables(debug, scope, stop, out)
  for _, part in ipairs(scope) do
    local known = part.origin and debug.entries[part.origin] or part
    if (part.tag == 0x05 or part.tag == 0x34) and known.name then
      local info, block, from = place_of(debug, part, stop.text_line)
      local bytes, at
      if info then bytes, at = find(info, block, from, stop) end
      out[known.name] = bytes and value(debug.entries, debug.entries[known.type], bytes, at)
    end
  end
end

-- variables(debug, frame, stop) -> the variables of the source by name; one of an inner scope hides
-- others
local function variables(debug, at, stop)
  local out = {}
  for _, scope in ipairs(at) do add_variables(debug, scope, stop, out) end
  return out
end

return { frame = frame, variables = variables }
