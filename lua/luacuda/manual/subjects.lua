-- subjects.lua: reads docs/api/*.lua (docs/api/README.md describes these files), checks the types
-- in them and returns plain tables:
--
--   subject { name, title, text, table, shared, parts }   name is that of the file
--   part    { class, title, text, entries, rows, shared }   a run of entries of one class
--   class   { name, text, extends, operators, entries }     everything of that name, in order
--   entry   { name, kind, class, text, group, raises, params, options, returns, operator, forms,
--             twin, derived, own }; a derived entry is the twin of the one that has the words; own
--             says whether params and returns are its own, not those that a part shares
--   item    { name, optional, type, default, text }         a parameter, an option or a result

local BASIC = { "any", "boolean", "function", "integer", "lightuserdata", "nil", "number", "string",
  "table", "Dtype" }
local MODULE = "luacuda"
local CALLABLE = { ["function"] = true, method = true, call = true }

-- Texts -------------------------------------------------------------------------------------------

local function squeeze(text) return (text:gsub("%s+", " "):gsub("^ ", ""):gsub(" $", "")) end

-- The indentation of lines of prose, in columns. The first line follows `[[` and does not count.
local function margin(text)
  local least = 100
  for spaces in text:gmatch "\n( *)%f[^ \n%z]" do least = math.min(least, #spaces) end
  return least
end

-- Lines that are all indented by four more columns are code: they keep these and are not joined.
local function code_of(paragraph, columns)
  local lines, indent = {}, (" "):rep(columns)
  for line in paragraph:gmatch "[^\n]+" do
    if line:sub(1, columns + 4) ~= indent .. "    " then return nil end
    lines[#lines + 1] = line:sub(columns + 1)
  end
  return table.concat(lines, "\n")
end

-- Source lines as paragraphs: an empty line separates two, a line that begins with "- " starts one.
local function paragraphs(text)
  local list, columns = {}, margin(text)
  local marked = text:gsub("\n%s*%- ", "\n\n- ") .. "\n"
  for paragraph in marked:gsub("\n%s*\n", "\n\0"):gmatch "[^\0]+" do
    if paragraph:find "%S" then
      list[#list + 1] = code_of(paragraph, columns) or squeeze(paragraph)
    end
  end
  return table.concat(list, "\n\n")
end

-- Types and items ---------------------------------------------------------------------------------

-- Known names and "literals" joined by "|", each followed by "[]" if it is a list and by "?" if it
-- may be nil.
local function is_type(text, types)
  for part in (text .. "|"):gmatch "(.-)|" do
    local name = part:gsub("%?$", ""):gsub("%[%]$", "")
    if not types[name] and not name:find '^"[%w_]+"$' then return false end
  end
  return true
end

-- "name?: type (default), words"; a result may have no name.
local function read_item(item, types)
  item = squeeze(item)
  local name, mark, rest = item:match "^([%w_%.]+)(%??): (.*)$"
  local type, tail = (rest or item):match "^(%S-)(,? .*)$"
  if not type then type, tail = rest or item, "" end
  local default = tail:match "^ (%b())"
  local text = tail:sub(default and #default + 2 or 1):match "^, (.+)$"
  if not is_type(type, types) or (tail ~= "" and not text and not default) then
    error("docs/api: cannot read the type in '" .. item .. "'", 0)
  end
  return { name = name, optional = mark == "?", type = type, text = text,
    default = default and default:sub(2, -2) }
end

-- Many entries list the same items, and many the same list.
local function read_items(list, known)
  local items = {}
  for i, item in ipairs(list or {}) do
    known.items[item] = known.items[item] or read_item(item, known.types)
    items[i] = known.items[item]
  end
  return items
end

-- Entries -----------------------------------------------------------------------------------------

local function kind_of(entry, class)
  return entry.kind or (class == MODULE and "function" or "method")
end

-- Fields that entries share are given once, in the part or in the subject (which a part falls back
-- to); so are the words on a group of rows.
local function read_entry(entry, part, subject, known)
  local function of(key)
    if entry[key] ~= nil then return entry[key] end
    if part[key] ~= nil then return part[key] end
    return subject[key]
  end
  local raises = of "raises"
  local out = {
    name = entry[1], class = part.class, kind = kind_of(entry, part.class),
    text = paragraphs(entry.text), group = part.rows and part.text and paragraphs(part.text),
    raises = raises and squeeze(raises), operator = entry.operator, key = entry.key,
    params = read_items(of "params", known), options = read_items(of "options", known),
    returns = read_items(of "returns", known), forms = {}, method = of "method",
    everything = entry.everything, reduces = of "reduces", fixed = entry.fixed,
    needed = entry.needed, own = { params = entry.params ~= nil, returns = entry.returns ~= nil },
  }
  for i, form in ipairs(entry.forms or {}) do out.forms[i] = read_items(form, known) end
  if not CALLABLE[out.kind] and #out.returns ~= 1 then
    error(("docs/api: %s.%s needs one type"):format(part.class, out.name), 0)
  end
  return out
end

-- The same call of another class: a function that is also a method of arrays (their array is its
-- first parameter), or a method that is a function of `twins`, too.
local function make_twin(entry, part, options)
  local own, skip = {}, entry.method and 1 or 0
  for key, value in pairs(entry) do own[key] = value end
  own.class, own.kind = part.twins or "Array", part.twins and "function" or "method"
  own.params, own.forms = table.move(entry.params, 1 + skip, #entry.params, 1, {}), {}
  own.options = options or entry.options
  own.twin, own.derived, entry.twin = entry, true, own
  return own
end

-- Subjects and classes ----------------------------------------------------------------------------

local function open_class(classes, name)
  for _, class in ipairs(classes) do
    if class.name == name then return class end
  end
  classes[#classes + 1] = { name = name, entries = {} }
  return classes[#classes]
end

-- The words on a class are those of the first part that has its name.
local function describe_class(class, part)
  class.text = class.text or (part.text and not part.rows and paragraphs(part.text)) or nil
  class.extends = class.extends or part.extends
  class.operators = part.operators or class.operators
end

-- What all entries of a subject or a part have in common, for the manual.
local function read_shared(data, known)
  return { params = read_items(data.params, known), options = read_items(data.options, known),
    returns = read_items(data.returns, known), raises = data.raises and squeeze(data.raises) }
end

local function read_part(part, subject, classes, known)
  local out = { class = part.class, title = part.title, rows = part.rows, entries = {},
    text = part.text and paragraphs(part.text), shared = read_shared(part, known) }
  local class = open_class(classes, part.class)
  local options = part.method_options or subject.method_options
  describe_class(class, part)
  for i, data in ipairs(part.entries) do
    local entry = read_entry(data, part, subject, known)
    out.entries[i] = entry
    class.entries[#class.entries + 1] = entry
    if entry.method or part.twins then
      local others = open_class(classes, part.twins or "Array").entries
      others[#others + 1] = make_twin(entry, part, options and read_items(options, known))
    end
  end
  return out
end

local function known_types(files)
  local types = {}
  for _, name in ipairs(BASIC) do types[name] = true end
  for _, data in ipairs(files) do
    for _, part in ipairs(data.parts) do types[part.class] = true end
  end
  return types
end

local function read_subject(name, data, classes, known)
  local subject = { name = name, title = data.title, text = data.text and paragraphs(data.text),
    table = data.table, shared = read_shared(data, known), parts = {} }
  for i, part in ipairs(data.parts) do
    subject.parts[i] = read_part(part, data, classes, known)
  end
  return subject
end

-- Names of the element types: those of the part that has a scalar for each.
local function dtype_names(files)
  local names = {}
  for _, data in ipairs(files) do
    for _, part in ipairs(data.parts) do
      for _, entry in ipairs(part.dtypes and part.entries or {}) do names[#names + 1] = entry[1] end
    end
  end
  return names
end

local _, path = ...
local checkout = type(path) == "string" and path:match "^(.*)lua/luacuda/manual/[^/]*$"

-- Loads a file of docs/api. An installation has this folder as luacuda/api.
local function load_file(name)
  local file = checkout and loadfile(checkout .. "docs/api/" .. name .. ".lua")
  if file then return file() end
  return require(("luacuda.api.%s"):format(name))
end

-- read() -> subjects in the order of the manual; classes in the order in which they appear; names
-- of the element types. load_data(name of a file) -> its value, for specs
local function read(load_data)
  load_data = load_data or load_file
  local files, subjects, classes = {}, {}, {}
  local names = load_data "index"
  for i, name in ipairs(names) do files[i] = load_data(name) end
  local known = { types = known_types(files), items = {} }
  for i, data in ipairs(files) do subjects[i] = read_subject(names[i], data, classes, known) end
  open_class(classes, MODULE).text = subjects[1].text
  return subjects, classes, dtype_names(files)
end

return { read = read, MODULE = MODULE, CALLABLE = CALLABLE }
