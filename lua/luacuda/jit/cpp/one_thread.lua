-- one_thread.lua: calls of functions in CUDA C++ from Lua: one thread of the CPU device, or of the
-- device of an array among the arguments, computes them.

local core = require "luacuda.core"
local fail = require("luacuda.base.arguments").fail
local kernels = require "luacuda.kernel.kernel"
local mentions = require "luacuda.builder.mentions"
local prelude = require "luacuda.builder.prelude"
local signatures = require "luacuda.jit.cpp.declared_types"

local M = {}

-- Names that have a meaning only among several threads.
local OF_THREADS = { "threadIdx", "blockIdx", "blockDim", "gridDim", "__shared__", "__sync%w+",
  "__shfl[%w_]*", "__any_sync", "__all_sync", "__ballot_sync", "__match_%w+_sync",
  "cooperative_groups" }

local function check_alone(state)
  local text = mentions.bare(state.text)
  for _, pattern in ipairs(OF_THREADS) do
    local word = text:match("%f[%w_]" .. pattern .. "%f[^%w_]")
    if word then
      fail(state.name, "its source uses %s, so it needs the threads of a kernel: call it in a "
        .. "compiled kernel", word)
    end
  end
end

-- The kernel: values come in arrays of one element, as the result does.
local function text_of(state, signature)
  local named = table.move(state.named, 1, #state.named, 1, {})
  local params, list = {}, {}
  for k, p in ipairs(signature.params) do
    if p.pointer then
      params[k], list[k] = ("%s a%d"):format(p.ctype, k), "a" .. k
    else
      named[#named + 1] = p.dtype
      params[k] = ("const %s *a%d"):format(p.dtype, k)
      list[k] = signatures.passed(p, "*a" .. k)
    end
  end
  local result = signature.result
  named[#named + 1] = result and result.dtype or nil
  table.insert(params, 1, (result and result.dtype or "int8") .. " *out")
  local call = ("::%s(%s)"):format(state.name, table.concat(list, ", "))
  return ("%s%sextern \"C\" __global__ void luacuda_call(%s) { %s; }\n"):format(
    prelude.text(named), state.definition, table.concat(params, ", "),
    result and "*out = " .. signatures.taken(result, call) or call)
end

local function kernel_of(state, signature)
  if not state.kernel then
    check_alone(state)
    local options = { name = "luacuda_call", source = text_of(state, signature) }
    for name, value in pairs(state.options) do options[name] = value end
    state.kernel = kernels.own(options)
  end
  return state.kernel
end

local function device_of(args)
  for k = 1, args.n do
    if core.type(args[k]) == "array" then return args[k].device end
  end
  return "cpu"
end

local function value_array(state, k, p, value, where)
  local ok, made = pcall(core.full, { 1 }, value, p.dtype, { device = where })
  if ok then return made end
  fail(state.name, "argument %d '%s': expected %s, got %s", k, p.name, p.ctype,
    type(value) == "number" and tostring(value) or core.type(value) or type(value))
end

local function argument(state, k, p, value, where)
  if not p.pointer then return value_array(state, k, p, value, where) end
  if core.type(value) == "array" then return value end
  fail(state.name, "argument %d '%s': expected an array, got %s", k, p.name,
    core.type(value) or type(value))
end

-- call(state, ...) -> the function's result for numbers, booleans and arrays. Waits.
function M.call(state, ...)
  local signature, args = signatures.signature(state), table.pack(...)
  if args.n ~= #signature.params then
    fail(state.name, "takes %d %s, and got %d", #signature.params,
      #signature.params == 1 and "argument" or "arguments", args.n)
  end
  local kernel, where, list = kernel_of(state, signature), device_of(args), {}
  for k, p in ipairs(signature.params) do list[k] = argument(state, k, p, args[k], where) end
  local result = signature.result
  local out = core.zeros({ 1 }, result and result.dtype or "int8", { device = where })
  kernel({ grid = 1, block = 1 }, out, table.unpack(list, 1, args.n))
  local value = out:item()
  if result then return value end
end

return M
