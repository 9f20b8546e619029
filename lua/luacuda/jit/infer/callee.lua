-- callee.lua: a Lua function as a function on the device that others call: a builder's kernel, an
-- elementwise kernel.

local dtypes = require "luacuda.base.dtypes"
local rules = require "luacuda.jit.infer.rules"
local report = require "luacuda.jit.typed.report"
local slots = require "luacuda.jit.typed.slots"
local types = require "luacuda.jit.typed.value_types"

local fail = report.fail

local M = {}

local function bind(ctx, var, p)
  local slot = slots.slot(ctx, var)
  if p.fixed and not slot.assigned then
    slot.fixed = p.fixed
    return
  elseif p.type == nil then
    fail(ctx, ctx.fn, "argument '%s' is missing, and the function assigns it in a branch or loop",
      var.name)
  end
  slot.type = p.type == "int!" and slot.assigned and "int" or p.type
  slot.place = ("%s:%d"):format(ctx.source.file, ctx.source.line)
  if not slot.assigned then slot.lo, slot.hi = p.lo, p.hi end
  if types.is_array(p.type) then slot.origin = {} end
  ctx.unit:mention(types.is_array(p.type) and p.type.dtype or p.type)
end

local function check_results(ctx)
  if ctx.wanted and #ctx.wanted == 0 then return end
  if #ctx.results == 0 then
    fail(ctx, ctx.fn, "the function returns nothing: it computes one element of each result")
  end
  for _, t in ipairs(ctx.results) do
    if types.is_array(t) then
      fail(ctx, ctx.fn, "%s at %s cannot be an element of a result: return numbers or booleans",
        types.name(t), ctx.results_place)
    end
  end
  if ctx.falls then
    fail(ctx, ctx.fn, "the function returns a value at %s, and may also end without one",
      ctx.results_place)
  end
end

-- infer(unit, source, name, params [, wanted]) -> the context of the function, which is now one of
-- unit.instances. `params`: for each parameter { type =, fixed = the expression that it always is,
-- or nil, and lo =, hi = for an integer whose range is known }; `wanted`: the dtypes to which
-- results are converted as by a store, and `words`, which say what they are.
function M.infer(unit, source, name, params, wanted)
  local ctx = { unit = unit, source = source, fn = source.node, name = unit:name(name), slots = {},
    results = {}, result_origins = {}, captured = {}, wanted = wanted }
  for k, var in ipairs(source.node.params) do bind(ctx, var, params[k]) end
  unit.stack[1] = { node = source.node, name = name }
  rules.body(ctx, source.node)
  check_results(ctx)
  table.insert(unit.instances, ctx)
  return ctx
end

local function size_of(dtype)
  return type(dtype) == "string" and dtypes.of(dtype).size or dtype.size
end

-- parts(name, t) -> the C++ arguments for an array of this type that a kernel's builder calls
-- `name` (raw_text.lua)
function M.parts(name, t)
  local size = size_of(t.dtype)
  local list = { (t.dtype == "bool" and "(bool *)" or "") .. name .. "._data" }
  for axis = 1, t.ndim do list[#list + 1] = ("%s.shape(%d)"):format(name, axis - 1) end
  if t.layout == "strided" then
    for axis = 1, t.ndim do
      list[#list + 1] = ("%s.strides(%d) / %d"):format(name, axis - 1, size)
    end
  end
  return list
end

return M
