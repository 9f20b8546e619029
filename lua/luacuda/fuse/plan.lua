-- plan.lua: plans: which kernels give the results of a fused function. run.lua runs them.
--
-- A plan is what C keeps for kinds of arguments: { kinds =, parts =, results = their descriptions,
-- and target = an Elementwise that takes the arguments directly, or run = function of arguments and
-- options }. A part with a `stage` is a reduction whose result other parts take: it runs before
-- them, and its result is an array (`wants_array`), a Lua value (`wants_value`), or both.

local dtypes = require "luacuda.base.dtypes"
local fail = require("luacuda.base.arguments").fail
local lists = require "luacuda.base.lists"
local parts = require "luacuda.fuse.plan_parts"
local run = require "luacuda.fuse.run"

local M = {}

local function set_key(set)
  local list = lists.sorted_keys(set)
  return table.concat(list, " "), list
end

-- finish(name, plan, count) adds what runs a plan with `count` results.
function M.finish(name, plan, count)
  for _, part in ipairs(plan.parts) do run.prepare(name, plan, part) end
  for _, value in ipairs(plan.values) do run.prepare_value(name, plan, value) end
  local only = #plan.parts == 1 and #plan.values == 0 and plan.parts[1]
  if plan.apart or not only or only.stage then plan.run = run.all(name, plan, count)
  elseif run.is_straight(only, #plan.kinds) then plan.target = only.target
  else plan.run = run.single(name, only, #plan.kinds) end
  return plan
end

-- A plan without parts. `values`: results that Lua computes from reduced values.
function M.empty(kinds) return { kinds = kinds, parts = {}, values = {}, results = {} } end

-- Element-wise results of a trace -----------------------------------------------------------------

-- Groups the results by the arrays that they are made of: a kernel can give a group, whose results
-- have one shape. A result of constants alone has the shape of all arguments; one of reduced values
-- alone has no axes.
local function groups_of(results, kept, everything)
  local groups, order = {}, {}
  for _, number in ipairs(kept) do
    local node = results[number]
    local key = set_key((next(node.arrays) or node.staged) and node.arrays or everything)
    if not groups[key] then
      groups[key] = {}
      order[#order + 1] = groups[key]
    end
    table.insert(groups[key], number)
  end
  return order
end

local function pick(results, numbers)
  local list = {}
  for k, number in ipairs(numbers) do list[k] = results[number] end
  return list
end

local function is_constant(node) return next(node.arrays) == nil and not node.staged end

local function part_of(name, results, numbers, list)
  local constant = false
  for _, number in ipairs(numbers) do constant = constant or is_constant(results[number]) end
  return parts.elementwise(name, parts.work_of(pick(results, numbers), constant and list or nil),
    numbers)
end

-- Adds the element-wise results as one part, and as several parts for arrays of different shapes.
-- What depends on reductions is always several parts.
local function add_elementwise(name, plan, results, numbers, staged)
  local everything, list = {}, {}
  for k, kind in ipairs(plan.kinds) do
    if dtypes.of(kind) then everything[k] = true end
  end
  local _, arrays = set_key(everything)
  for k, number in ipairs(arrays) do list[k] = plan.arguments[number] end
  local groups = groups_of(results, numbers, everything)
  if staged then
    for _, group in ipairs(groups) do
      plan.parts[#plan.parts + 1] = part_of(name, results, group, list)
    end
    return
  end
  table.insert(plan.parts, 1, part_of(name, results, numbers, list))
  if #groups == 1 then return end
  local made
  plan.arrays = arrays
  function plan.apart()
    if made then return made end
    made = table.move(plan.parts, 2, #plan.parts, 1, {})
    for _, group in ipairs(groups) do
      table.insert(made, run.prepare(name, plan, part_of(name, results, group, list)))
    end
    return made
  end
end

-- Plans of a trace --------------------------------------------------------------------------------

local function reduction_part(name, node, number)
  if next(node.of.arrays) == nil and not node.of.staged then
    fail(name, "result %d: %s is made of numbers only", number or 1, node.shown)
  end
  return parts.reduction(name, parts.work_of { node.of }, node.reduced, node.options, number)
end

local function add_stages(name, plan, stages)
  for k, node in ipairs(stages) do
    local part = reduction_part(name, node)
    part.stage, part.wants_array, part.wants_value = k, node.wants_array, node.wants_value
    plan.parts[k] = part
  end
end

-- The part of a reduced result: that of its stage, unless another result has it.
local function add_reduced(name, plan, node, number)
  local stage = node.stage and plan.parts[node.stage]
  if stage and #stage.results == 0 then stage.results[1] = number
  else plan.parts[#plan.parts + 1] = reduction_part(name, node, number) end
end

-- of_trace(name, kinds, record) -> plan; `record` is that of trace.run
function M.of_trace(name, kinds, record)
  local plan, numbers, results = M.empty(kinds), {}, record.results
  plan.arguments, plan.constants = record.arguments, record.constants
  add_stages(name, plan, record.stages)
  for k, node in ipairs(results) do
    if node.reduced then add_reduced(name, plan, node, k)
    elseif node.host_kind then plan.values[#plan.values + 1] = { number = k, code = node.code }
    else numbers[#numbers + 1] = k end
    plan.results[k] = node.reduced and node.shown or node.host_kind or node.dtype
  end
  local staged = #record.stages > 0
  for _, number in ipairs(numbers) do staged = staged or results[number].staged end
  if #numbers > 0 then add_elementwise(name, plan, results, numbers, staged) end
  return M.finish(name, plan, #results)
end

return M
