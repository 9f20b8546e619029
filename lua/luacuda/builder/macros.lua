-- macros.lua: the user's macros in generated text. They apply only within the user's own texts:
-- names of generated code (n, T, x, v, ...) would break under them. Therefore the definitions from
-- the options are written into the text around each of the user's texts instead of being passed on
-- the compiler's command line.

local sorted_keys = require("luacuda.base.lists").sorted_keys
local mentions = require "luacuda.builder.mentions"

-- Reads the definition at list[k], or at list[k] and list[k + 1]: kind ("D" or "U"), its text, the
-- next index; nil for any other flag.
local function definition_at(list, k)
  local flag = list[k]
  for kind, long in pairs { D = "define", U = "undefine" } do
    local text = flag:match("^%-" .. kind .. "%s*(.+)$")
      or flag:match("^%-%-?" .. long .. "%-macro=(.+)$")
    if text then return kind, text, k + 1 end
    if (flag == "-" .. kind or flag:find("^%-%-?" .. long .. "%-macro$")) and list[k + 1] then
      return kind, list[k + 1], k + 2
    end
  end
end

-- "N=3" -> { name = "N", line = "#define N 3\n" }; nil for a text that does not fit on a line.
local function definition(text)
  local name, rest = text:match "^([%a_][%w_]*)(.*)$"
  if not name or text:find "[\n\0]" then return nil end
  local parameters, value = rest:match "^(%b())=(.*)$"
  if not parameters then parameters, value = "", rest:match "^=(.*)$" or rest == "" and "1" end
  return value and { name = name, line = ("#define %s%s %s\n"):format(name, parameters, value) }
end

local function remove(list, name)
  for k = #list, 1, -1 do
    if list[k].name == name then table.remove(list, k) end
  end
end

-- Does a flag include a file? It comes before all text and may use the macros.
local function includes_file(flags)
  for _, flag in ipairs(flags) do
    if flag:find "^%-%-?pre%-include" or flag:find "^%-%-?include$"
      or flag:find "^%-%-?include=" then
      return true
    end
  end
  return false
end

-- Splits flags into the user's macros, in order, and the others.
local function split(flags)
  local defined, others, k = {}, {}, 1
  while k <= #flags do
    local kind, text, after = definition_at(flags, k)
    local found = kind == "D" and definition(text)
    if found or kind == "U" then remove(defined, found and found.name or text) end
    if found then defined[#defined + 1] = found
    else table.move(flags, k, (after or k + 1) - 1, #others + 1, others) end
    k = after or k + 1
  end
  return defined, others
end

-- The macros that the texts themselves define or undefine: a set of names. Those of the compiler
-- (__CUDA_ARCH__) stay as they are.
local function names_in(texts)
  local names = {}
  for _, text in ipairs(texts) do
    local joined = mentions.bare(text):gsub("\\\r?\n", " ")
    for directive, name in joined:gmatch "#%s*(%l+)%s+([%a_][%w_]*)" do
      if (directive == "define" or directive == "undef") and name:sub(1, 2) ~= "__" then
        names[name] = true
      end
    end
  end
  return names
end

local function undefine(list)
  local lines = {}
  for k, name in ipairs(list) do lines[k] = ("#undef %s\n"):format(name) end
  return table.concat(lines)
end

-- macros.read(flags, texts) -> macros, the remaining flags. `flags`: those of the options, with
-- definitions; `texts`: all that the user wrote. Macros are text for generated code: `first` comes
-- before the first of the user's texts; `hide` after each of them and `show` before each further
-- one; `last` after the last one, after which no macro of the user is defined. A macro that the
-- texts define or undefine themselves keeps its state between `first` and `last`.
local function read(flags, texts)
  local defined, others = {}, flags
  if not includes_file(flags) then defined, others = split(flags) end
  local own, lines, shown, hidden = names_in(texts), {}, {}, {}
  for k, one in ipairs(defined) do
    lines[k] = one.line
    if not own[one.name] then shown[#shown + 1], hidden[#hidden + 1] = one.line, one.name end
  end
  return { first = table.concat(lines), show = table.concat(shown), hide = undefine(hidden),
    last = undefine(sorted_keys(own)) }, others
end

return { read = read }
