-- dwarf.lua: reads the debug information in PTX text. An address is a line of the text: labels
-- stand for lines.

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
  [0x47] = "specification",
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

-- read(text) -> the sections, the labels and the entries, by offset and as a tree; nil for text
-- without debug information
local function read_text(text)
  local sections, labels = read(text)
  if not sections[".debug_info"] or not sections[".debug_abbrev"] then return nil end
  local entries, root = read_entries(sections, labels)
  return { sections = sections, labels = labels, entries = entries, root = root }
end

return { read = read_text, uleb = uleb }
