-- messages.lua: print, assert and error in kernels.

local infer = require "luacuda.jit.infer.walk"
local nodes = require "luacuda.jit.typed.nodes"
local report = require "luacuda.jit.typed.report"
local types = require "luacuda.jit.typed.value_types"

local fail = report.fail

local M = {}

-- The part of printf's format for a value, and its argument.
local function shown(ctx, node, k, e)
  local kind = types.kind_of(e.type)
  if e.op == "const" and e.type == "string" then return "%s", e end
  if kind == "bool" then
    return "%s", nodes.select("string", e, nodes.const("string", "true"),
      nodes.const("string", "false"))
  end
  if kind == "int" then return "%lld", nodes.prefix("int64", "(int64)", e) end
  if kind == "uint" then return "%llu", nodes.convert(e, "uint64") end
  if kind == "float" then return "%.14g", nodes.convert(e, "float64") end
  fail(ctx, node, "print: argument %d: expected a number, a boolean or a text, got %s", k,
    report.described(e))
end

M.print = { call = function(ctx, node, args)
  local formats, list = {}, {}
  for k, e in ipairs(args) do formats[k], list[k + 1] = shown(ctx, node, k, e) end
  list[1] = nodes.const("string", table.concat(formats, "\t") .. "\n")
  return nodes.call(nil, "printf", list, nil, true)
end }

local function message_of(ctx, node, name, e, default)
  if e == nil then return default end
  if e.op == "const" and type(e.value) == "string" then return e.value end
  fail(ctx, node, "%s: the message is a text that is known when the kernel is made", name)
end

-- assert(condition [, message]) ends the kernel with a fault unless the condition holds.
M.assert = { call = function(ctx, node, args)
  infer.check_count(ctx, node, "assert", args, 1, 2)
  local cond = infer.bool_argument(ctx, node, "assert", 1, args[1])
  local message = message_of(ctx, node, "assert", args[2], "assertion failed!")
  return { op = "assert", cond = cond, message = message, effect = true }
end }

-- error(message [, level]): a message of a device has the line of the call in any case.
M.error = { call = function(ctx, node, args)
  infer.check_count(ctx, node, "error", args, 1, 2)
  local message = message_of(ctx, node, "error", args[1])
  return { op = "assert", message = message, effect = true }
end }

return M
