-- device_calls.lua: calls of functions in CUDA C++ (device_function.lua) in kernels.

local signatures = require "luacuda.jit.cpp.declared_types"
local device = require "luacuda.jit.cpp.device_function"
local access = require "luacuda.jit.typed.access"
local checks = require "luacuda.jit.typed.argument_checks"
local nodes = require "luacuda.jit.typed.nodes"
local report = require "luacuda.jit.typed.report"
local slots = require "luacuda.jit.typed.slots"
local types = require "luacuda.jit.typed.value_types"

local fail = report.fail

local M = {}

local function label_of(state, k, p)
  return ("argument %d '%s' of %s"):format(k, p.name, state.name)
end

-- A number or boolean of the parameter's type.
local function value_argument(ctx, node, state, k, p, e)
  if p.dtype == "uint64" and type(e.type) == "table" and e.type.kind == "texture" then return e end
  ctx.unit:mention(p.dtype)
  local value = access.stored(ctx, e, p.dtype, node, ("%s (%s)"):format(label_of(state, k, p),
    p.ctype))
  return { op = "passed", type = p.dtype, a = value, as = p, effect = e.effect }
end

-- An array whose elements lie behind each other, as a pointer to the first one.
local function pointer_argument(ctx, node, state, k, p, e)
  local label = label_of(state, k, p)
  if not types.is_array(e.type) then
    fail(ctx, node, "%s (%s): expected an array, got %s", label, p.ctype, report.described(e))
  end
  local t = e.type
  if p.pointer ~= "void" and t.dtype ~= p.pointer then
    fail(ctx, node, "%s (%s): expected an array of %s, got %s", label, p.ctype, p.pointer,
      types.name(t))
  end
  if t.layout ~= "contiguous" then
    fail(ctx, node, "%s (%s): a pointer takes a contiguous array, and this is a strided view: pass "
      .. "the copy x:copy()", label, p.ctype)
  end
  if not p.const then slots.mark_written(e) end
  return { op = "pointer", type = t, array = e, ctype = p.ctype, effect = e.effect }
end

local function argument(ctx, node, state, k, p, e)
  local take = p.pointer and pointer_argument or value_argument
  return take(ctx, node, state, k, p, e)
end

local function call(ctx, node, args, state)
  local ok, signature = pcall(signatures.signature, state)
  if not ok then report.pass_on(ctx, node, signature) end
  checks.count(ctx, node, state.name, args, #signature.params, #signature.params)
  local list = {}
  for k, p in ipairs(signature.params) do list[k] = argument(ctx, node, state, k, p, args[k]) end
  for _, name in ipairs(state.named) do ctx.unit:prelude(name) end
  ctx.unit:need{ state.definition }
  ctx.unit:compile_with(state)
  local result = signature.result
  if not result then return nodes.call(nil, "::" .. state.name, list, nil, true) end
  ctx.unit:mention(result.dtype)
  local e = nodes.call(result.dtype, "::" .. state.name, list, nil, true)
  return { op = "taken", type = result.dtype, a = e, as = result, effect = true }
end

-- row_of(value) -> what a DeviceFunction is to the kernel's language, or nil
function M.row_of(value)
  local state = device.state_of(value)
  if not state then return nil end
  state.row = state.row or { name = state.name, call = function(ctx, node, args)
    return call(ctx, node, args, state)
  end }
  return state.row
end

return M
