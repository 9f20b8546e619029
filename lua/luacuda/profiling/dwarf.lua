-- dwarf.lua: the debug information in PTX text: which variables a place of a function has, where
-- they are and what type they have. An address is a line of the text: labels stand for lines.

local FORM = { [0x05] = 2, [0x06] = 4, [0x07] = 8, [0x0b] = 1, [0x0c] = 1, [0x01] = 8, [0x0e] = 4,
  [0x10] = 4, [0x11] = 1, [0x12] = 2, [0x13] = 4, [0x14] = 8, [0x17] = 4 }
local BLOCK = { [0x03] = 2, [0x04] = 4, [0x0a] = 1 }

-- Sections ----------------------------------------------------------------------------------------

local SIZE = { b8 = 1, b16 = 2, b32 = 4, b64 = 8 }

local function add_items(section, size, list)
  for item in list:gmatch "[^,%s]+" do
    local number = math.tointeger(tonumber(item))
    if not number then
      local symbol, more = item:match "^([^+]+)%+?(%d*)$"
      section.refs[section.len] = { symbol = symbol, plus = tonumber(more) or 0 }
    end
    section.parts[#section.parts + 1] = string.pack("<I" .. size,
      (number or 0) & (size == 8 and -1 or (1 << 8 * size) - 1))
    section.len = section.len + size
  end
end

-- Name -> { data =, refs = offset -> symbol }; label -> line of the text or offset in its section;
-- kernel -> the declaration of its parameters.
local function read(text)
  local sections, labels, section, number = {}, {}, nil, 0
  for line in (text .. "\n"):gmatch "(.-)\n" do
    number = number + 1
    local name, label = line:match "^%s*%.section%s+(%.[%w_]+)", line:match "^%s*([%w_$]+):"
    if name then
      section = { parts = {}, refs = {}, len = 0 }
      sections[name] = section
    elseif label then
      labels[label] = section and section.len or number
    elseif section then
      local kind, list = line:match "^%s*%.(b%d+)%s+(.*)"
      if kind then add_items(section, SIZE[kind], list) end
      if line:match "^%s*}" then section = nil end
    end
  end
  for _, one in pairs(sections) do one.data = table.concat(one.parts) end
  return sections, labels
end

-- Entries -----------------------------------------------------------------------------------------

local function uleb(data, at)
  local n, shift = 0, 0
  while true do
    local byte = data:byte(at + 1)
    n, shift, at = n | (byte & 127) << shift, shift + 7, at + 1
    if byte < 128 then return n, at end
  end
end

local function read_abbreviations(data)
  local list, at = {}, 0
  while at < #data do
    local code, one
    code, at = uleb(data, at)
    if code == 0 then break end
    one = {}
    one.tag, at = uleb(data, at)
    one.children, at = data:byte(at + 1) ~= 0, at + 1
    repeat
      local name, form
      name, at = uleb(data, at)
      form, at = uleb(data, at)
      if name ~= 0 then one[#one + 1] = { name, form } end
    until name == 0 and form == 0
    list[code] = one
  end
  return list
end

local function read_block(data, at, form)
  local n
  if BLOCK[form] then n, at = ("<I" .. BLOCK[form]):unpack(data, at + 1), at + BLOCK[form]
  else n, at = uleb(data, at) end
  return { block = data:sub(at + 1, at + n), at = at }, at + n
end

local function read_value(info, at, form, unit, strings)
  local data, size = info.data, FORM[form]
  if size then
    local ref, n = info.refs[at], ("<I" .. size):unpack(data, at + 1)
    if form == 0x0e then
      local from = (ref and (strings.labels[ref.symbol] or 0) + ref.plus or n) + 1
      return ("z"):unpack(strings.data, from), at + size
    end
    if form >= 0x11 and form <= 0x14 then n = n + unit end
    return ref or n, at + size
  end
  if form == 0x08 then
    local s, next = ("z"):unpack(data, at + 1)
    return s, next - 1
  end
  if form == 0x0d or form == 0x0f or form == 0x15 then return uleb(data, at) end
  if form == 0x19 then return 1, at end
  return read_block(data, at, form)
end

local NAMES = { [0x02] = "location", [0x03] = "name", [0x0b] = "size", [0x0c] = "bit_at",
  [0x0d] = "bits", [0x11] = "low", [0x12] = "high", [0x2f] = "upper", [0x31] = "origin",
  [0x33] = "space", [0x37] = "count", [0x38] = "at", [0x3e] = "encoding", [0x49] = "type",
  [0x2007] = "linkage", [0x6e] = "linkage" }

-- Offset -> entry; an entry has a tag, its attributes by NAMES and its parts as a list.
local function read_entries(sections, labels)
  local info, entries = sections[".debug_info"], {}
  local abbreviations = read_abbreviations(sections[".debug_abbrev"].data)
  local strings = { data = (sections[".debug_str"] or { data = "" }).data, labels = labels }
  local at, root = 0, {}
  while at + 11 <= info.len do
    local unit, stop = at, at + 4 + ("<I4"):unpack(info.data, at + 1)
    local stack = { root }
    at = at + 11
    while at < stop do
      local from = at
      local code
      code, at = uleb(info.data, at)
      if code == 0 then
        if #stack > 1 then stack[#stack] = nil end
      else
        local kind = abbreviations[code]
        local entry = { tag = kind.tag }
        for _, attribute in ipairs(kind) do
          local value
          value, at = read_value(info, at, attribute[2], unit, strings)
          if NAMES[attribute[1]] then entry[NAMES[attribute[1]]] = value end
        end
        entries[from] = entry
        table.insert(stack[#stack], entry)
        if kind.children then stack[#stack + 1] = entry end
      end
    end
  end
  return entries, root
end

-- Types -------------------------------------------------------------------------------------------

local THROUGH = { [0x16] = true, [0x26] = true, [0x35] = true, [0x37] = true }
local POINTER = { [0x0f] = true, [0x10] = true, [0x42] = true }
local STRUCT = { [0x13] = true, [0x02] = true, [0x17] = true }

local function strip(entries, entry)
  while entry and THROUGH[entry.tag] do entry = entries[entry.type] end
  return entry
end

local function lengths(array)
  local list = {}
  for _, part in ipairs(array) do
    if part.tag == 0x21 then list[#list + 1] = part.count or (part.upper or -1) + 1 end
  end
  return list
end

local value

local function items(entries, element, size, dims, axis, bytes, at)
  if axis > #dims then return value(entries, element, bytes, at) end
  local list, step = {}, size
  for k = axis + 1, #dims do step = step * dims[k] end
  for i = 1, dims[axis] do
    list[i] = items(entries, element, size, dims, axis + 1, bytes, at + (i - 1) * step)
  end
  return list
end

local function size_of(entries, entry)
  entry = strip(entries, entry)
  if not entry then return 0 end
  if entry.tag ~= 0x01 then return entry.size or 8 end
  local n = size_of(entries, entries[entry.type])
  for _, k in ipairs(lengths(entry)) do n = n * k end
  return n
end

-- An integer of a type, whose lowest bits are those of n.
local function integer(entry, n, bits)
  if bits < 64 then n = n & (1 << bits) - 1 end
  if entry.encoding == 2 then return n ~= 0 end
  local signed = entry.encoding == 5 or entry.encoding == 6 or entry.tag == 0x04
  return signed and bits < 64 and n >> (bits - 1) == 1 and n - (1 << bits) or n
end

-- DWARF 2 counts from the most significant bit of the unit in which the field is. Nil for wider
-- units than Lua's integers, and for later versions.
local function bit_field(entries, member, bytes, at)
  local entry = strip(entries, entries[member.type])
  local known = member.bit_at and member.size and member.size <= 8
  if not entry or not known or at + member.size > #bytes then return nil end
  local n = ("<I" .. member.size):unpack(bytes, at + 1)
  return integer(entry, n >> (8 * member.size - member.bit_at - member.bits), member.bits)
end

local function fields(entries, struct, bytes, at)
  local out = {}
  for _, member in ipairs(struct) do
    if member.tag == 0x0d and member.name then
      local offset = member.at or 0
      if type(offset) == "table" then offset = uleb(offset.block, 1) end
      if member.bits then out[member.name] = bit_field(entries, member, bytes, at + offset)
      else out[member.name] = value(entries, entries[member.type], bytes, at + offset) end
    end
  end
  return out
end

-- The value of a type at an offset of some bytes; nil where they end before it.
function value(entries, entry, bytes, at)
  entry = strip(entries, entry)
  if not entry then return nil end
  if entry.tag == 0x01 then
    local element = entries[entry.type]
    return items(entries, element, size_of(entries, element), lengths(entry), 1, bytes, at)
  end
  if STRUCT[entry.tag] then return fields(entries, entry, bytes, at) end
  local size = POINTER[entry.tag] and 8 or entry.size or 8
  if size > 8 or at + size > #bytes then return nil end
  if entry.encoding == 4 then return (size == 4 and "<f" or "<d"):unpack(bytes, at + 1) end
  return integer(entry, ("<I" .. size):unpack(bytes, at + 1), 8 * size)
end

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

-- Scopes ------------------------------------------------------------------------------------------

local function holds(debug, scope, line)
  local low = scope.low and debug.labels[scope.low.symbol]
  local high = type(scope.high) == "table" and debug.labels[scope.high.symbol]
  return low and high and line > low and line < high
end

local function add_variables(debug, scope, stop, out)
  for _, part in ipairs(scope) do
    local known = part.origin and debug.entries[part.origin] or part
    if (part.tag == 0x05 or part.tag == 0x34) and known.name then
      local info, block, from = place_of(debug, part, stop.text_line)
      local bytes, at
      if info then bytes, at = find(info, block, from, stop) end
      out[known.name] = bytes and value(debug.entries, debug.entries[known.type], bytes, at)
    elseif (part.tag == 0x0b or part.tag == 0x1d) and holds(debug, part, stop.text_line) then
      add_variables(debug, part, stop, out)
    end
  end
end

-- The variables of the source at a stop, by name; one of an inner scope hides others.
local function variables(debug, stop)
  local out = {}
  local function search(list)
    for _, entry in ipairs(list) do
      if entry.tag == 0x2e then
        if holds(debug, entry, stop.text_line) then
          add_variables(debug, entry, stop, out)
          return entry.name
        end
      elseif entry.tag == 0x11 or entry.tag == 0x39 then
        local name = search(entry)
        if name then return name end
      end
    end
  end
  local name = search(debug.root)
  return out, name
end

-- dwarf.read(text) -> what `variables` takes; nil for text without debug information
local function read_text(text)
  local sections, labels = read(text)
  if not sections[".debug_info"] or not sections[".debug_abbrev"] then return nil end
  local entries, root = read_entries(sections, labels)
  return { sections = sections, labels = labels, entries = entries, root = root }
end

return { read = read_text, variables = variables }
