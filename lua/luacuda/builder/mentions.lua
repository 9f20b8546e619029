-- mentions.lua: which names the user's C++ text uses, as far as this can be read without the
-- compiler. Some names of generated code (the index, extents) have a cost and are left out where no
-- text uses them.

local dtypes = require "luacuda.base.dtypes"

-- The next mark that may begin a comment or a literal, where names do not count.
local function next_mark(text, at)
  local from = text:find("[\"'/]", at)
  return from, from and text:sub(from, from)
end

-- The end of the comment that begins at `from`; nil where none does. A backslash continues the
-- line.
local function comment_end(text, from)
  local two = text:sub(from, from + 1)
  if two == "/*" then return select(2, text:find("*/", from + 2, true)) or #text end
  if two ~= "//" then return nil end
  local stop = from
  repeat
    stop = text:find("\n", stop + 1, true)
  until not stop or not text:sub(stop - 2, stop - 1):find "\\\r?$"
  return stop and stop - 1 or #text
end

-- The end of the literal whose quote is at `from`, at the latest the end of its line; nil where the
-- quote begins no literal: 1'000.
local function literal_end(text, from, quote)
  local before = text:sub(math.max(1, from - 64), from - 1)
  if quote == "'" and before:find "%f[%w_]%d[%w_.']*$" then return nil end
  local delimiter = quote == '"' and before:find "%f[%w_][uUL]?8?R$"
    and text:match('^"([^%s()\\]*)%(', from)
  if delimiter then return select(2, text:find(")" .. delimiter .. '"', from, true)) or #text end
  local at = from + 1
  while at <= #text do
    local c = text:sub(at, at)
    if c == quote then return at end
    if c == "\n" then return at - 1 end
    at = at + (c == "\\" and 2 or 1)
  end
  return #text
end

-- bare(text) -> the text without comments and with empty literals
local function bare(text)
  local parts, at, from = {}, 1, 1
  while true do
    local mark, c = next_mark(text, from)
    if not mark then break end
    local stop = c == "/" and comment_end(text, mark) or c ~= "/" and literal_end(text, mark, c)
    if stop then
      parts[#parts + 1] = text:sub(at, mark - 1) .. (c == "/" and " " or '""')
      at = stop + 1
    end
    from = (stop or mark) + 1
  end
  parts[#parts + 1] = text:sub(at)
  return table.concat(parts)
end

-- Appends the definitions of macros in a text.
local function add_macros(list, text)
  for definition in bare(text):gsub("\\\r?\n", " "):gmatch "#%s*define[^\n]*" do
    list[#list + 1] = definition
  end
end

-- expanded(text, given) -> `text` without comments, and everything that macros may insert: those of
-- the options preamble, headers, defines and flags in `given`
local function expanded(text, given)
  local list = { bare(text) }
  add_macros(list, given.preamble or "")
  for _, header in pairs(given.headers or {}) do add_macros(list, header) end
  for _, value in pairs(given.defines or {}) do list[#list + 1] = tostring(value) end
  local flags = given.flags or {}
  for _, flag in ipairs(type(flags) == "string" and { flags } or flags) do
    list[#list + 1] = flag:match "=(.*)"
  end
  return table.concat(list, "\n")
end

local INTEGERS = { int = true, long = true, short = true, unsigned = true, ptrdiff_t = true,
  size_t = true, int32 = true, int64 = true, uint32 = true, uint64 = true, int32_t = true,
  int64_t = true, uint32_t = true, uint64_t = true }

-- Does the text declare `name` as an array or a pointer to integers?
local function is_list(text, name)
  local word = "%f[%w_]" .. name .. "%f[^%w_]"
  if text:find(word .. "%s*%[") or text:find(word .. "%s*=%s*_ind%s*%.%s*get") then return true end
  for type_name, between in text:gmatch("([%a_][%w_]*)%s*%*%s*(%l*)%s*" .. word) do
    if INTEGERS[type_name] and (between == "" or between == "const") then return true end
  end
  return false
end

-- Is there an index that is an array, as in x[ind]?
local function has_list_index(text)
  if text:find "%[%s*_ind%s*%.%s*get" then return true end
  for name in text:gmatch "%[%s*([%a_][%w_]*)%s*%]" do
    if is_list(text, name) then return true end
  end
  return false
end

-- asks_shape(text, given): does the text use extents of a raw array, perhaps in functions of the
-- preamble?
local function asks_shape(text, given)
  local all = text .. "\n" .. bare(given.preamble or "")
  return all:find "%.%s*shape%s*%(" ~= nil or all:find "%.%s*strides%s*%(" ~= nil
    or all:find "%.%s*ndim%f[^%w_]" ~= nil or has_list_index(all)
end

-- asks_index(text): does the text use more of _ind than its size?
local function asks_index(text)
  local rest = text:gsub("%f[%w_]_ind%s*%.%s*size%s*%(", "")
  return rest:find "%f[%w_]_ind%f[^%w_]" ~= nil
end

-- What prelude.lua declares only for texts that name it: C++ types of dtypes that no parameter
-- needs to have (those of all others are always declared), and functions.
local NAMED = { complex = "complex64", atomicAdd = "atomicAdd", thrust = "thrust" }
for _, row in ipairs(dtypes.list) do
  if row.ctype ~= row.cuda then NAMED[row.name] = row.name end
end
for _, row in ipairs(require "luacuda.base.math_constants") do NAMED[row[1]] = row[1] end

local function has_word(text, name) return text:find("%f[%w_]" .. name .. "%f[^%w_]") ~= nil end

-- Does the user define a macro of this name, or include a header that has the name?
local function is_defined(text, given, name)
  return text:find("#%s*define%s+" .. name .. "%f[^%w_]") ~= nil
    or text:find("#%s*include%s*[<\"]" .. name .. "/") ~= nil
    or type(given.defines) == "table" and given.defines[name] ~= nil
end

-- named(given, keys) -> list of those that the texts given[key] name
local function named(given, keys)
  local texts, list = {}, {}
  for k, key in ipairs(keys) do texts[k] = tostring(given[key] or "") end
  local text = bare(table.concat(texts, "\n"))
  for name, part in pairs(NAMED) do
    if has_word(text, name) and not is_defined(text, given, name) then list[#list + 1] = part end
  end
  table.sort(list)
  return list
end

return { bare = bare, expanded = expanded, asks_shape = asks_shape, asks_index = asks_index,
  named = named }
