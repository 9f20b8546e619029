-- tools/docgen/coverage.lua: docs/ptx-coverage.md from the tables of the PTX machine: what each
-- instruction of the ISA is here, the modifiers it takes, and the forms that are refused.
local TABLES = "cpu/src/ptx/syntax/"

local CHAPTERS = {
  { "9.7.1", "Integer arithmetic" }, { "9.7.2", "Extended-precision integer arithmetic" },
  { "9.7.3", "Floating point" }, { "9.7.4", "Half precision" },
  { "9.7.6", "Comparison and selection" }, { "9.7.7", "Half-precision comparison" },
  { "9.7.8", "Logic and shifts" },
  { "9.7.9", "Data movement and conversion" }, { "9.7.10", "Textures" }, { "9.7.11", "Surfaces" },
  { "9.7.12", "Control flow" }, { "9.7.13", "Synchronization and communication" },
  { "9.7.14", "Matrices, by a warp" }, { "9.7.15", "Matrices, by a warp group" },
  { "9.7.16", "Matrices, tensor memory" }, { "9.7.17", "The stack" },
  { "9.7.18", "Video" }, { "9.7.19", "Miscellaneous" },
}

local INTRODUCTION = [[
# What the CPU device runs

The CPU device runs PTX, whatever compiler or person wrote it. This page lists every instruction of
the [PTX ISA](https://docs.nvidia.com/cuda/parallel-thread-execution/), version 9.0. It is generated
from the tables that the device itself reads (`tools/docgen.lua`).

| | |
|---|---|
| yes | It computes what the ISA says, approximate results within the ISA's bounds. |
| no effect | It is accepted and does nothing: there are no caches, and copies are complete. |
| no | A kernel with it is refused; the message has its line and what to use instead. |

The last column lists the modifiers that an instruction takes besides its types, the order and scope
of memory accesses and [those without effect](#modifiers-without-effect). They combine as in the
ISA; [the exceptions](#forms-that-are-refused) follow the tables.
]]

-- Words as lines of prose.
local function wrapped(words, ending)
  local lines, line = {}, ""
  for k, word in ipairs(words) do
    if k == #words then word = word .. ending end
    if #line + #word + 1 > 100 then
      lines[#lines + 1] = line
      line = ""
    end
    line = line == "" and word or line .. " " .. word
  end
  lines[#lines + 1] = line
  return table.concat(lines, "\n") .. "\n"
end

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read "a"
  file:close()
  return text
end

-- The rows of a table, without comments: each is the text between the parentheses of `macro`.
local function rows(text, macro)
  local found = {}
  text = text:gsub("/%*.-%*/", ""):gsub("\n#[^\n]*\\\n[^\n]*", ""):gsub("\n#[^\n]*", "")
  for row in text:gmatch(macro .. "(%b())") do found[#found + 1] = row:sub(2, -2) end
  return found
end

-- The arguments of a row: split at commas that are in neither quotes nor parentheses.
local function arguments(row)
  local list, depth, quoted, from = {}, 0, false, 1
  for at = 1, #row + 1 do
    local c = row:sub(at, at)
    if c == '"' then quoted = not quoted end
    if not quoted and c == "(" then depth = depth + 1 end
    if not quoted and c == ")" then depth = depth - 1 end
    if c == "" or (c == "," and depth == 0 and not quoted) then
      list[#list + 1] = row:sub(from, at - 1):match "^%s*(.-)%s*$"
      from = at + 1
    end
  end
  return list
end

local function unquoted(text) return (text:gsub('"%s*"', ""):match '^"(.*)"$') or text end

-- Sections as numbers, for sorting: the first of a list counts.
local function key_of(section)
  local out = {}
  for number in section:match "[%d%.]+":gmatch "%d+" do out[#out + 1] = ("%03d"):format(number) end
  return table.concat(out, ".")
end

-- The words of each kind of modifier, from ptx_match.c.
local function modifier_words(text)
  local words, free = {}, {}
  for word, kind, value in text:gmatch '{%s*"([^"]+)",%s*(PTX_P_%w+),%s*([^}]-)%s*}' do
    words[kind] = words[kind] or {}
    table.insert(words[kind], word)
    if value == "0" and (kind == "PTX_P_ORDER" or kind == "PTX_P_LEVEL") then
      free[#free + 1] = "`." .. word .. "`"
    end
  end
  return words, free
end

-- Kinds that are long lists or clear by themselves.
local SUMMARY = {
  PTX_P_CMP = "comparisons", PTX_P_SPACE = "state spaces", PTX_P_ORDER = "", PTX_P_LEVEL = "",
  PTX_P_VEC = "`.v2` `.v4` `.v8`", PTX_P_MODE = "variants", PTX_P_GEOMETRY = "geometries",
  PTX_P_QUERY = "attributes", PTX_P_ASYNC = "", PTX_P_TENSOR = "shapes and layouts",
}

-- PTX_P_PRODUCT and the like, which a table defines for itself.
local function local_kinds(text)
  local kinds = {}
  text = text:gsub("\\\n", " ")
  for name, value in text:gmatch "#define (PTX_P_%w+) ([^\n]*)" do kinds[name] = value end
  return kinds
end

local function modifiers(parts, words, kinds)
  parts = parts:gsub("PTX_P_%w+", kinds)
  local out = {}
  for kind in parts:gmatch "PTX_P_%w+" do
    local text = SUMMARY[kind]
    if not text then
      local list = {}
      for k, word in ipairs(words[kind] or {}) do list[k] = "`." .. word .. "`" end
      text = table.concat(list, " ")
    end
    if text ~= "" then out[#out + 1] = text end
  end
  return table.concat(out, ", ")
end

local function instructions(root)
  local text = read(root .. TABLES .. "ptx_ops.def")
  local words, free = modifier_words(read(root .. "cpu/src/ptx/isa/ptx_match.c"))
  local kinds, list, known = local_kinds(text), {}, {}
  for _, row in ipairs(rows(text, "PTX_OP")) do
    local opcode, _, decode, _, parts, _, section = table.unpack(arguments(row))
    if section and decode ~= "decode kind" then
      local state = (decode == "nothing" or decode == "griddepcontrol") and "no effect"
        or "yes"
      known[opcode] = true
      list[#list + 1] = { opcode, unquoted(section), state, modifiers(parts, words, kinds) }
    end
  end
  for _, row in ipairs(rows(read(root .. TABLES .. "ptx_refused.def"), "PTX_REFUSED")) do
    local opcode, section, way = table.unpack(arguments(row))
    assert(not known[opcode], opcode .. " is in ptx_ops.def: remove it from ptx_refused.def")
    list[#list + 1] = { opcode, unquoted(section), "no", unquoted(way) }
  end
  for k, row in ipairs(list) do row.key, row.at = key_of(row[2]), k end
  table.sort(list, function(a, b)
    if a.key ~= b.key then return a.key < b.key end
    return a.at < b.at
  end)
  return list, free
end

local function in_chapter(section, chapter)
  return section == chapter or section:sub(1, #chapter + 1) == chapter .. "."
end

local function chapter_text(chapter, list)
  local out = {}
  for _, row in ipairs(list) do
    if in_chapter(row[2]:match "[%d%.]+", chapter[1]) then
      out[#out + 1] = ("| `%s` | %s | %s | %s |"):format(row[1], row[2], row[3], row[4])
    end
  end
  if #out == 0 then return nil end
  return ("## %s\n\n| instruction | section | | modifiers, or what to use instead |\n"
    .. "|---|---|---|---|\n%s\n"):format(chapter[2], table.concat(out, "\n"))
end

-- Forms that ptxas accepts and this machine does not: rows of the test of the decoder.
local function refused_forms(root, list)
  local out, refused = {}, {}
  for _, row in ipairs(list) do
    if row[3] == "no" then refused[#refused + 1] = row[1] end
  end
  for _, row in ipairs(rows(read(root .. "cpu/test/ptx_guards.def"), "\nLACKING")) do
    local text, why = table.unpack(arguments(row))
    text = text:gsub('"%s*FLOATS%s*"', "{…}"):match '^"(.*);"$'
    local whole = false
    for _, opcode in ipairs(refused) do
      whole = whole or text:sub(1, #opcode + 1):match("^" .. opcode:gsub("%p", "%%%0") .. "[%. ]")
    end
    why = unquoted(why)
    if why == "is not supported" then why = "" end
    if not whole then out[#out + 1] = ("| `%s` | %s |"):format(text, why) end
  end
  return "## Forms that are refused\n\nOf instructions in the tables above, as an example each:\n\n"
    .. "| form | reason |\n|---|---|\n" .. table.concat(out, "\n") .. "\n"
end

local function special_registers(root)
  local out, seen = {}, {}
  for _, row in ipairs(rows(read(root .. TABLES .. "ptx_sregs.def"), "PTX_SREG")) do
    local name = unquoted(arguments(row)[2] or ""):gsub("%.%a$", "")
    if name:find "^pm%d" or name:find "^envreg" then name = name:gsub("%d+", "N", 1) end
    if name ~= "" and not name:find "without" and not seen[name] then
      seen[name] = true
      out[#out + 1] = "`%" .. name .. "`"
    end
  end
  return "## Special registers\n\n" .. wrapped(out, ".")
    .. "\nClocks count nanoseconds. Performance counters (`%pmN`, `%pmN_64`) are 0.\n"
end

local REST = [[
## The rest of the language

Everything else that the ISA defines is read: registers, ranges and vectors of them; functions with
parameters in memory or in registers; prototypes; lists of call and branch targets; aliases;
constant expressions; initial values; debugging sections. These differ:

* Directives that guide ptxas (`.maxnreg`, `.minnctapersm`, `.pragma` except `used_bytes_mask`, …)
  have no effect. `.maxntid` and `.reqntid` are checked at launch.
* References to textures, samplers and surfaces (`.texref`, `.samplerref`, `.surfref`) are read, but
  an instruction that uses one is refused: pass an object, a handle in a register.
* Addresses have 64 bits (`.address_size 64`).
]]

return function(root)
  local list, free = instructions(root)
  local out = { INTRODUCTION }
  for _, chapter in ipairs(CHAPTERS) do out[#out + 1] = chapter_text(chapter, list) end
  out[#out + 1] = refused_forms(root, list)
  table.sort(free)
  out[#out + 1] = "## Modifiers without effect\n\nCaches and distances between threads do not "
    .. "exist here:\n" .. wrapped(free, " `.L1::…` `.L2::…`.")
  out[#out + 1] = special_registers(root)
  out[#out + 1] = REST
  return table.concat(out, "\n")
end
