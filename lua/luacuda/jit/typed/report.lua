-- report.lua: messages about a Lua function that is compiled for a device; each names the file and
-- line.

local fail = require("luacuda.base.arguments").fail
local types = require "luacuda.jit.typed.value_types"

local M = {}

-- The place of a node: "script.lua:12".
function M.place(ctx, node)
  return ("%s:%d"):format(ctx.source.file, type(node) == "number" and node or node.line)
end

-- fail(ctx, node, text, ...) raises "jit: script.lua:12: ...".
function M.fail(ctx, node, text, ...)
  fail(ctx.unit.what, "%s: %s", M.place(ctx, node), text:format(...))
end

-- A message that C or another file has raised, at the place of the node.
function M.pass_on(ctx, node, problem)
  if type(problem) ~= "string" then error(problem, 0) end
  local words = problem:gsub("^[^\n]-:%d+: ", "")
  M.fail(ctx, node, "%s", words)
end

local WORDS = {
  at = "at(i), which stands in a list of places: load(x, { at(i), j }, { M, N })",
  shape = "the shape of an array, of which a kernel takes items: x.shape[1]",
  grid = "grid(...), which gives a thread its indices in a loop: for i in grid(#x)",
  unroll = "unroll(...), which stands in a loop: for i in unroll(1, n)",
}

local function of_builtin(e)
  if e.row.fields then return ("'%s', of which a kernel takes .x, .y and .z"):format(e.name) end
  return ("the function '%s'"):format(e.name)
end

-- What an expression is called in messages.
function M.described(e)
  if e.type then return types.name(e.type) end
  if e.op == "builtin" then return of_builtin(e) end
  if e.op == "function" then return ("the function '%s'"):format(e.name) end
  if e.static and type(e.value) == "table" then return "a Lua table" end
  return WORDS[e.op] or "no value"
end

return M
