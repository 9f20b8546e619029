-- tools/docgen.lua [--check]: makes docs/api.md, types/luacuda.lua and lua/luacuda/manual.lua from docs/api/*.lua.
-- With --check nothing is written; exit status 1 tells that a file is not what it should be.
local root = (arg and arg[0] or ""):match "^(.*)tools/[^/]*$" or ""

-- Reading -------------------------------------------------------------------------------------------

local CLASS_WORDS = { "Device", "Stream", "Event", "Array", "Module", "Kernel", "Prepared", "Struct", "Complex", "Scalar",
  "Pointer", "Argument", "Pool", "Error", "Template", "Elementwise", "Reduction", "Scan", "Fused", "Generator", "Shape",
  "Record" }

local TYPE_NAMES = { any = true, boolean = true, ["function"] = true, integer = true, lightuserdata = true, ["nil"] = true,
  number = true, string = true, table = true }
for _, class in ipairs(CLASS_WORDS) do TYPE_NAMES[class] = true end

-- Known names joined by "|", each with "[]" or "?" after it where it is a list or may be nil.
local function is_type(text)
  for part in (text .. "|"):gmatch "(.-)|" do
    if not TYPE_NAMES[part:match "^(%a+)%[?%]?%??$" or ""] then return false end
  end
  return true
end

-- "name?: type (default), words" -> { name =, optional =, type =, default =, text = }; without a name (returns) name is nil.
local function parse_item(item)
  local name, mark, rest = item:match "^([%w_%.]+)(%??): (.*)$"
  if not name then name, mark, rest = item:match "^(%b())(%??): (.*)$" end
  local type, tail = (rest or item):match "^(%S-)(,? .*)$"
  if not type then type, tail = rest or item, "" end
  local default = tail:match "^ (%b())"
  local text = tail:sub(default and #default + 2 or 1):match "^, (.+)$"
  if not is_type(type) or (tail ~= "" and not text and not default) then
    error("docs/api: cannot read the type in '" .. item .. "'", 0)
  end
  return { name = name, optional = mark == "?", type = type, default = default and default:sub(2, -2), text = text }
end

local function parse_list(list)
  local out = {}
  for i, item in ipairs(list or {}) do out[i] = parse_item(item) end
  return out
end

local function parse_entry(class, entry)
  local is_module = class.name == "luacuda"
  return {
    name = entry[1], kind = entry.kind or (is_module and "function" or "method"), text = entry.text, raises = entry.raises,
    params = parse_list(entry.params), options = parse_list(entry.options), returns = parse_list(entry.returns),
    prefix = is_module and "cuda." or "",
  }
end

-- The class of that name: the file that gives its title comes first, others add entries.
local function open_class(classes, data)
  for _, class in ipairs(classes) do
    if class.name == data.name then return class end
  end
  local class = { name = data.name, title = data.title, text = data.text, extends = data.extends, entries = {} }
  classes[#classes + 1] = class
  return class
end

local function load_classes()
  local classes = {}
  for _, file in ipairs(dofile(root .. "docs/api/index.lua")) do
    local data = dofile(root .. "docs/api/" .. file .. ".lua")
    for _, part in ipairs(data.name and { data } or data) do
      local entries = open_class(classes, part).entries
      for _, entry in ipairs(part.entries) do entries[#entries + 1] = parse_entry(part, entry) end
      entries.operators = part.operators or entries.operators
    end
  end
  return classes
end

-- Words ---------------------------------------------------------------------------------------------

local function options_word(entry)
  local words = {}
  for _, option in ipairs(entry.options) do
    words[#words + 1] = option.name:match "^%(" and option.name or option.name .. " ="
  end
  return "{ " .. table.concat(words, ", ") .. " }"
end

-- Is there an option that has to be given?
local function needs_options(entry)
  for _, option in ipairs(entry.options) do
    if not option.optional and not option.name:match "^%(" then return true end
  end
  return false
end

-- "shape [, dtype] [, { device = }]"
local function arguments(entry)
  local out = ""
  for _, param in ipairs(entry.params) do
    local lead = out == "" and "" or ", "
    out = out .. (param.optional and (out == "" and "[" .. param.name .. "]" or " [, " .. param.name .. "]") or lead .. param.name)
  end
  if #entry.options == 0 then return "(" .. out .. ")" end
  if out == "" then return options_word(entry) end
  if needs_options(entry) then return "(" .. out .. ", " .. options_word(entry) .. ")" end
  return "(" .. out .. " [, " .. options_word(entry) .. "])"
end

local CALLABLE = { ["function"] = true, method = true, call = true }

local function heading(class, entry)
  local receiver = class.name == "luacuda" and "cuda." or class.name:lower()
  if entry.kind == "call" then return receiver .. arguments(entry) end
  local joint = class.name == "luacuda" and "" or (entry.kind == "method" and ":" or ".")
  local tail = CALLABLE[entry.kind] and arguments(entry) or ""
  return receiver .. joint .. entry.name .. tail
end

local function items(lines, title, list)
  for _, item in ipairs(list) do
    local name = item.name and ("`%s` "):format(item.name) or ""
    local default = item.default and ", default " .. item.default or ""
    lines[#lines + 1] = ("- %s: %s(%s%s)%s"):format(title, name, item.type, default, item.text and " " .. item.text or "")
  end
end

local function entry_lines(class, entry)
  local lines = { ("`%s`  "):format(heading(class, entry)), entry.text, "" }
  items(lines, "parameter", entry.params)
  items(lines, "option", entry.options)
  items(lines, CALLABLE[entry.kind] and "returns" or "value", entry.returns)
  if entry.raises then lines[#lines + 1] = "- raises: " .. entry.raises end
  if lines[#lines] ~= "" then lines[#lines + 1] = "" end
  return lines
end

-- docs/api.md ---------------------------------------------------------------------------------------

local function markdown(classes)
  local lines = { "<!-- Made by tools/docgen.lua from docs/api/*.lua: change those. -->", "# LuaCUDA: reference", "" }
  for _, class in ipairs(classes) do
    lines[#lines + 1] = ("- [%s](#%s)"):format(class.title, class.title:lower():gsub(" ", "-"))
  end
  for _, class in ipairs(classes) do
    table.move({ "", "## " .. class.title, "", class.text, "" }, 1, 5, #lines + 1, lines)
    for _, entry in ipairs(class.entries) do
      local part = entry_lines(class, entry)
      table.move(part, 1, #part, #lines + 1, lines)
    end
  end
  return (table.concat(lines, "\n"):gsub("\n\n\n+", "\n\n"):gsub("%s*$", "\n"))
end

-- types/luacuda.lua, for the Lua language server ----------------------------------------------------

local function lua_type(type)
  for _, class in ipairs(CLASS_WORDS) do type = type:gsub("%f[%w]" .. class .. "%f[%W]", "luacuda." .. class) end
  return type
end

local function comment(item) return item.text and " " .. item.text or "" end

local function meta_function(lines, class, entry)
  local names = {}
  lines[#lines + 1] = "---" .. entry.text:gsub("\n", " ")
  for _, param in ipairs(entry.params) do
    names[#names + 1] = param.name
    lines[#lines + 1] = ("---@param %s%s %s%s"):format(param.name, param.optional and "?" or "", lua_type(param.type), comment(param))
  end
  if #entry.options > 0 then
    names[#names + 1] = "options"
    local fields = {}
    for _, option in ipairs(entry.options) do
      if not option.name:match "^%(" then
        fields[#fields + 1] = ("%s%s: %s"):format(option.name, option.optional and "?" or "", lua_type(option.type))
      end
    end
    lines[#lines + 1] = "---@param options" .. (needs_options(entry) and "" or "?") .. " { " .. table.concat(fields, ", ") .. " }"
  end
  for _, value in ipairs(entry.returns) do lines[#lines + 1] = "---@return " .. lua_type(value.type) .. comment(value):gsub("^ ", " # ") end
  local receiver = class.name == "luacuda" and "cuda." or class.name .. ":"
  lines[#lines + 1] = ("function %s%s(%s) end"):format(receiver, entry.name, table.concat(names, ", "))
  lines[#lines + 1] = ""
end

local function meta_class(lines, class)
  local is_module = class.name == "luacuda"
  lines[#lines + 1] = "---" .. class.text
  lines[#lines + 1] = "---@class luacuda" .. (is_module and "" or "." .. class.name) .. (class.extends and ": " .. class.extends or "")
  for _, entry in ipairs(class.entries) do
    if entry.kind == "field" or entry.kind == "value" then
      lines[#lines + 1] = ("---@field %s %s %s"):format(entry.name, lua_type(entry.returns[1].type), entry.text)
    elseif entry.kind == "call" then
      lines[#lines + 1] = "---@overload fun(...): any"
    end
  end
  for _, operator in ipairs(class.entries.operators or {}) do
    lines[#lines + 1] = ("---@operator %s: luacuda.%s"):format(operator, class.name)
  end
  lines[#lines + 1] = ("local %s = {}"):format(is_module and "cuda" or class.name)
  lines[#lines + 1] = ""
  for _, entry in ipairs(class.entries) do
    if entry.kind == "function" or entry.kind == "method" then meta_function(lines, class, entry) end
  end
end

local function language_server(classes)
  local lines = { "---@meta luacuda", "-- luacheck: ignore", "-- Made by tools/docgen.lua from docs/api/*.lua: change those.", "" }
  for i = 2, #classes do meta_class(lines, classes[i]) end
  lines[#lines + 1] = "---@class luacuda.Template"
  lines[#lines + 1] = "---@overload fun(names: table): string"
  lines[#lines + 1] = ""
  meta_class(lines, classes[1])
  lines[#lines + 1] = "return cuda"
  return table.concat(lines, "\n") .. "\n"
end

-- lua/luacuda/manual.lua, for cuda.help -------------------------------------------------------------

local function manual(classes)
  local lines = { "-- luacheck: ignore 631", "-- Made by tools/docgen.lua from docs/api/*.lua: change those.", "return {" }
  local function add(key, text) lines[#lines + 1] = ("  [%q] = %q,"):format(key, text):gsub("\\\n", "\\n") end
  for _, class in ipairs(classes) do
    local names = {}
    for i, entry in ipairs(class.entries) do
      names[i] = entry.name
      local key = class.name == "luacuda" and entry.name or class.name .. "." .. entry.name
      add(key, (table.concat(entry_lines(class, entry), "\n"):gsub("`", ""):gsub("  \n", "\n  "):gsub("%s*$", "")))
    end
    add(class.name, class.title .. ": " .. class.text .. "\n" .. table.concat(names, " "))
  end
  lines[#lines + 1] = "}"
  return table.concat(lines, "\n") .. "\n"
end

-- Writing -------------------------------------------------------------------------------------------

local function read(path)
  local file = io.open(path, "rb")
  if not file then return nil end
  local text = file:read "a"
  file:close()
  return text
end

local function write(path, text)
  local file = assert(io.open(path, "wb"))
  assert(file:write(text))
  assert(file:close())
end

local check = arg and arg[1] == "--check"
local classes, stale = load_classes(), false
for path, make in pairs { ["docs/api.md"] = markdown, ["types/luacuda.lua"] = language_server, ["lua/luacuda/manual.lua"] = manual } do
  local text = make(classes)
  if read(root .. path) ~= text then
    stale = true
    if check then io.stderr:write(path, " is old: run lua5.4 tools/docgen.lua\n") else write(root .. path, text) end
  end
end
if check and stale then os.exit(1) end
