-- template.lua: kernel source from a text with Lua in it.
--
--   $(expr)       inserts a value                                         $$(    a literal $(
--   @ statement   a line of Lua; @ is the first character of the line     @@     a literal @ there
--
-- A template becomes one Lua function with the same line numbers. The text that it makes carries
-- #line marks, so the compiler's messages point at the lines of the template.

local core = require "luacuda.core"
local numbers = require "luacuda.base.number"
local given = require "luacuda.source.given"
local origins = require "luacuda.source.origins"
local positions = require "luacuda.source.positions"

-- Of the source that a template makes, tostring gives the text.
local Template, Source = given.Template, given.Source
local methods = {}
Template.__index = methods

-- Values ------------------------------------------------------------------------------------------

local function format_float(v)
  local text = numbers.float_text(v)
  return text:sub(1, 1) == "-" and "(" .. text .. ")" or text
end

local function format_integer(v)
  local text = numbers.integer_text(v)
  if v == math.mininteger then return text end
  if v > 2147483647 or v < -2147483648 then text = text .. "LL" end
  return v < 0 and "(" .. text .. ")" or text
end

local format_value

local function format_list(list, depth)
  local items, ok, why = {}, pcall(core.list_check, list, "a table cannot be inserted")
  if not ok then error(why:gsub("^[^\n]-:%d+: ", ""), 0) end
  for i = 1, #list do items[i] = format_value(list[i], depth + 1) end
  return "{" .. table.concat(items, ", ") .. "}"
end

function format_value(v, depth)
  local kind = math.type(v) or type(v)
  if kind == "integer" then return format_integer(v) end
  if kind == "float" then return format_float(v) end
  if kind == "string" then return v end
  if kind == "boolean" then return tostring(v) end
  local mt = getmetatable(v)
  if type(mt) == "table" and mt.__tostring then return tostring(v) end
  if kind == "table" then
    if depth > 16 then error("a list in a template is nested too deeply", 0) end
    return format_list(v, depth)
  end
  error(("a %s cannot be inserted into a template"):format(kind), 0)
end

-- Reading the text --------------------------------------------------------------------------------

-- Index after the ")" that closes an expression starting at `at`; strings and nested brackets are
-- skipped.
local function expression_end(line, at)
  local depth = 1
  while at <= #line do
    local c = line:sub(at, at)
    if c == '"' or c == "'" then
      at = at + 1
      while at <= #line and line:sub(at, at) ~= c do
        at = at + (line:sub(at, at) == "\\" and 2 or 1)
      end
    elseif c == "(" or c == "[" or c == "{" then
      depth = depth + 1
    elseif c == ")" or c == "]" or c == "}" then
      depth = depth - 1
      if depth == 0 then return at + 1 end
    end
    at = at + 1
  end
  return nil
end

-- The arguments of the output call for one line of text: quoted text and expressions in turn; nil
-- and a message where an expression is not closed.
local function line_pieces(line)
  local pieces, at, text = {}, 1, {}
  local function flush()
    if #text > 0 then pieces[#pieces + 1] = ("%q"):format(table.concat(text)) end
    text = {}
  end
  while true do
    local first = line:find("$", at, true)
    if not first then break end
    text[#text + 1] = line:sub(at, first - 1)
    if line:sub(first, first + 2) == "$$(" then
      text[#text + 1], at = "$(", first + 3
    elseif line:sub(first + 1, first + 1) == "(" then
      local stop = expression_end(line, first + 2)
      if not stop then return nil, "$( is not closed on its line" end
      flush()
      pieces[#pieces + 1] = "_V(" .. line:sub(first + 2, stop - 2) .. ")"
      at = stop
    else
      text[#text + 1], at = "$", first + 1
    end
  end
  text[#text + 1] = line:sub(at)
  flush()
  return pieces
end

-- The Lua line for one line of the template.
local function compile_line(line, number)
  local statement = line:match("^%s*@(.*)$")
  if statement and statement:sub(1, 1) ~= "@" then return statement end
  if statement then line = line:gsub("@@", "@", 1) end
  local pieces, message = line_pieces(line)
  if not pieces then return nil, message end
  return ("_O(%d,%s)"):format(number, table.concat(pieces, ","))
end

-- Replaces the places in Lua's messages, such as "template:12: 'end' expected (to close 'for' at
-- line 10)", by the user's.
local function place(origin, message)
  local line, what = tostring(message):match("^template:(%d+): (.*)$")
  if not line then return message end
  local function line_in_file(n) return select(2, positions.map(origin.token, tonumber(n))) end
  local file, at = positions.map(origin.token, tonumber(line))
  return ("%s:%d: %s"):format(file, at,
    (what:gsub("%f[%w]at line (%d+)", function(n) return "at line " .. line_in_file(n) end)))
end

local function fail_at(origin, line, message)
  error(place(origin, ("template:%d: %s"):format(line, message)), 0)
end

local function compile(text, origin)
  local lines, number = { }, 0
  for line in (text:gsub("\n$", "") .. "\n"):gmatch("(.-)\r?\n") do
    number = number + 1
    local code, message = compile_line(line, number)
    if not code then fail_at(origin, number, message) end
    lines[number] = code
  end
  local code = "local _O, _V = ... " .. table.concat(lines, "\n")
  local ok, problem = load(code, "=template", "t", {})
  if not ok then error(place(origin, problem), 0) end
  return code
end

-- Making the source -------------------------------------------------------------------------------

-- Lua's own assert gives no line.
local function assert_here(v, message, ...)
  if v then return v, message, ... end
  error(message == nil and "assertion failed!" or message, 2)
end

-- What every template can use besides the values it is given.
local base = { assert = assert_here, error = error, ipairs = ipairs, math = math, next = next,
  pairs = pairs, select = select,
  string = string, table = table, tonumber = tonumber, tostring = tostring, type = type,
    utf8 = utf8 }

local function environment(values)
  return setmetatable({}, { __index = function(_, name)
    local v = values[name]
    if v == nil then v = base[name] end
    if v == nil then error(("'%s' is not set"):format(name), 2) end
    return v
  end })
end

-- Collects lines and writes a #line mark where the next line is not the one that the compiler would
-- assume. Inside a macro definition (a line that ends in a backslash) a mark would end the
-- definition, so it waits.
local function writer(token)
  local out, expected, continued = {}, nil, false
  local function write(number, ...)
    local line = table.concat({ ... })
    if number ~= expected and not continued then
      out[#out + 1] = ('#line %d "%s"'):format(number, token)
      expected = number
    end
    out[#out + 1] = line
    continued = line:sub(-1) == "\\"
    expected = number == expected and not line:find("\n", 1, true) and number + 1 or nil
  end
  return out, write
end

local function insert(v)
  if v == nil then error("the value of this expression is nil", 2) end
  local ok, text = pcall(format_value, v, 0)
  if not ok then error(text, 2) end
  return text
end

local function render(template, values)
  origins.speak_of(template.origin, template.callers)
  local out, write = writer(template.origin.token)
  local chunk = load(template.code, "=template", "t", environment(values))
  local ok, message = pcall(chunk, write, insert)
  if not ok then error(place(template.origin, message), 0) end
  return setmetatable({ text = table.concat(out, "\n") .. "\n", origin = template.origin,
    callers = template.callers }, Source)
end

function Source.__tostring(s) return s.text end
function Source.__concat(a, b) return tostring(a) .. tostring(b) end
function Source.__len(s) return #s.text end

-- Renders the template with `values`, a table of names -> values. Returns a source; tostring gives
-- its text. Raises with the template's file and line when a name is not set or a line of Lua fails.
function Template.__call(template, values, ...)
  if values ~= nil and type(values) ~= "table" or select("#", ...) > 0 then
    core.misuse(("template: expected one table of values, got %s"):format(type(values)))
  end
  return render(template, values or {})
end

methods.render = Template.__call

function Template.__tostring(template)
  origins.speak_of(template.origin, template.callers)
  local file, line = positions.map(template.origin.token, 1)
  return ("luacuda.Template (%s:%d)"):format(file, line)
end

-- cuda.template(text) -> template; calling it with a table of values gives a source. Raises for a
-- line of Lua that does not compile, with the position of that line.
local function new(text, ...)
  if type(text) ~= "string" or select("#", ...) > 0 then
    core.misuse(("template: expected one string, got %s"):format(type(text)))
  end
  local origin, callers = origins.register(text, "template")
  return setmetatable({ origin = origin, callers = callers, code = compile(text, origin) },
    Template)
end

return { template = new }
