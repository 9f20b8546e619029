-- function_text.lua: where the text of a Lua function comes from: the file or string that it was
-- compiled from, in which it is found by its lines and its code; or a string that is given in its
-- place.

local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"
if not debug then
  core.misuse "jit: needs Lua's debug library, to find the text of functions"
end

local chunks = require "luacuda.jit.read.chunks"
local code = require "luacuda.jit.read.same_code"
local parser = require "luacuda.jit.read.parser"

local fail = arguments.fail

local M = {}

local found_for = setmetatable({}, { __mode = "k" }) -- function -> what was found

-- What takes the text of a function in its place.
local TAKES_TEXT = { jit = true, vectorize = true }

-- What to do where a function has no text.
local function advice(what)
  if not TAKES_TEXT[what] then return "load it from a file" end
  return ("pass the function as a string, cuda.%s \"function(x) ... end\", or load it from a file")
    :format(what)
end

-- Functions ---------------------------------------------------------------------------------------

-- May one of the functions in a chunk be that with this info?
local function may_be(one, info)
  return one.first == info.linedefined and one.last == info.lastlinedefined
    and one.params == info.nparams and one.vararg == info.isvararg
end

-- The function `fn` among those of its chunk. Functions with the same code, lines and names do the
-- same, so the first of them is as good as any.
local function find_in(chunk, fn, info, what)
  local functions, why = chunks.functions(chunk)
  for _, one in ipairs(functions or {}) do
    if may_be(one, info) and code.is_of(fn, chunk.text, one, info.source) then return one end
  end
  if not chunk.path then
    fail(what, "the text of the function is not known: its chunk is called '%s', which is not its "
      .. "text; %s", chunk.name, advice(what))
  end
  fail(what, "%s:%d does not have the function's text: the file has changed since it was loaded%s; "
    .. "load it again", chunk.name, info.linedefined, why and (" (%s)"):format(why) or "")
end

-- Raises for functions that have no text.
local function check(fn, info, what)
  if info.what == "C" then
    fail(what, "expected a Lua function, got one that is written in C, such as those of Lua's "
      .. "libraries: write function(x) ... end around it")
  elseif info.what == "main" then
    fail(what, "expected a function, got a whole chunk, as load and loadfile return it: run it, "
      .. "and pass a function that it makes")
  elseif info.source == "=?" or next(info.activelines or {}) == nil then
    fail(what, "the text of the function is not known: it was compiled without line numbers; %s",
      advice(what))
  elseif #code.upvalues_of(fn) > code.MOST_UPVALUES then
    fail(what, "%s:%d: the function uses more than %d variables of functions around it",
      info.short_src, info.linedefined, code.MOST_UPVALUES)
  end
end

-- The values of constants outside a function that Lua has put in place of their names: name ->
-- { value = }.
local function constants_of(outer, upvalues)
  local values = {}
  for name, var in pairs(outer) do
    if var.is_constant then values[name] = { value = var.value } end
  end
  for _, name in ipairs(upvalues) do values[name] = nil end
  return values
end

local function find(fn, what)
  local info = debug.getinfo(fn, "SuL")
  check(fn, info, what)
  local chunk, why = chunks.of(info)
  if not chunk then
    fail(what, "the text of the function is not known: %s; %s", why, advice(what))
  end
  local one = find_in(chunk, fn, info, what)
  local upvalues, text = code.upvalues_of(fn), "function(" .. code.after_open(chunk.text, one)
  local node = parser.fn(text, chunk.name, one.open_line)
  node.name = one.name
  return { fn = fn, text = text, file = chunk.name, path = chunk.path, chunk = chunk.text,
    line = one.open_line, node = node, upvalues = upvalues,
    constants = constants_of(one.outer, upvalues) }
end

-- Strings -----------------------------------------------------------------------------------------

local FORM = "expected the text of one function, such as \"function(x) return 2 * x end\""

-- The function that a text stands for.
local function compile(given, node, what)
  local name = node.name
  local program = name and ("local %s %s\nreturn %s"):format(name, given, name)
    or "return " .. given
  local chunk, why = load(program, given, "t")
  if not chunk then fail(what, "%s", why) end
  return chunk()
end

local function from_string(given, what)
  local name = debug.getinfo(load("", given), "S").short_src
  local ok, node = pcall(parser.fn, given, name)
  if not ok and given:find "^%s*function%f[^%w_]" then fail(what, "%s", node) end
  if not ok then fail(what, "%s; %s", node, FORM) end
  local fn = compile(given, node, what)
  return { fn = fn, text = given, file = name, chunk = given, line = 1, node = node,
    upvalues = code.upvalues_of(fn), constants = {} }
end

-- text.of(given, what) -> {
--   text = text of the function: from "function" to "end"; for a string the string,
--   file = name of its chunk as messages show it, path = its file or nil,
--   chunk = the whole text, line = number of the text's first line in it,
--   node = the function node of the text, whose lines are those of the chunk and whose offsets are
--     those of the text,
--   fn = the function, upvalues = their names in Lua's order,
--   constants = name -> { value = } for constants that Lua has put in place of their names }
-- `given` is a function or the text of one; `what` names the caller in messages ("jit").
function M.of(given, what)
  what = what or "jit"
  if type(given) == "string" then return from_string(given, what) end
  if type(given) ~= "function" then
    fail(what, "expected a function or its text, got %s", arguments.describe(given))
  end
  found_for[given] = found_for[given] or find(given, what)
  return found_for[given]
end

-- declared_name(source) -> the name that the function is given where it is declared: that in
-- `local saxpy = cuda.jit(function` and in `function saxpy(`; nil: there is none
function M.declared_name(source)
  local n = 0
  for line in (source.chunk .. "\n"):gmatch "(.-)\r?\n" do
    n = n + 1
    if n == source.line then
      return line:match "([%a_][%w_]*)%s*=%s*[%w_.]+%s*[({]?%s*function"
        or line:match "function%s+[%w_.:]-([%a_][%w_]*)%s*%("
    end
  end
end

return M
