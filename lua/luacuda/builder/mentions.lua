-- mentions.lua: which names the user's C++ text uses, as far as this can be read without the
-- compiler. Some names of generated code (the index, extents) have a cost and are left out where no
-- text uses them.

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

-- Does the text use the extent of a raw array, perhaps in functions of the preamble?
local function asks_shape(text, given)
  return (text .. "\n" .. bare(given.preamble or "")):find "%.%s*shape%s*%(" ~= nil
end

-- What prelude.lua declares only for texts that name it: C++ types of dtypes that no parameter
-- needs to have (those of all others are always declared), and functions.
local NAMED = { float16 = "float16", bfloat16 = "bfloat16", complex = "complex64",
  complex64 = "complex64", complex128 = "complex128", atomicAdd = "atomicAdd" }

-- named(given, keys) -> list of those that the texts given[key] name
local function named(given, keys)
  local texts, list = {}, {}
  for k, key in ipairs(keys) do texts[k] = tostring(given[key] or "") end
  local text = bare(table.concat(texts, "\n"))
  for name, part in pairs(NAMED) do
    if text:find("%f[%w_]" .. name .. "%f[^%w_]") then list[#list + 1] = part end
  end
  table.sort(list)
  return list
end

return { bare = bare, expanded = expanded, asks_shape = asks_shape, named = named }
