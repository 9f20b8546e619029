-- compiled.lua: plans for fused functions that decide by elements: slices of the function
-- (program.lua) are compiled as device functions, which are the bodies of the kernels.

local fail = require("luacuda.base.arguments").fail
local dtypes = require "luacuda.base.dtypes"
local lists = require "luacuda.base.lists"
local body_text = require "luacuda.jit.body_text"
local callee = require "luacuda.jit.infer.callee"
local nodes = require "luacuda.jit.typed.nodes"
local types = require "luacuda.jit.typed.value_types"
local units = require "luacuda.jit.unit"
local of_elements = require "luacuda.fuse.of_elements"
local plans = require "luacuda.fuse.plan"
local parts = require "luacuda.fuse.plan_parts"
local programs = require "luacuda.fuse.program"
local reduced = require "luacuda.fuse.reduced"
local slices = require "luacuda.fuse.slices"

local WHAT = "fuse"

local M = {}

-- Types of parameters -----------------------------------------------------------------------------

local NUMBERS = { int = "int!", float = "float" }
local STAGES = { int = "int!", uint = "int!", float = "float" }

-- The type of an argument, or the value that it always has.
local function argument_type(name, kinds, param)
  local kind = kinds[param.arg]
  if kind == nil then return nil, { op = "static", static = true, value = nil } end
  if kind == "true" or kind == "false" then return "bool", nodes.literal(kind == "true") end
  if kind == "complex" then
    fail(name, "argument %d '%s': a function that decides by elements takes complex numbers as "
      .. "cuda.complex64(z) or cuda.complex128(z)", param.arg, param.var.name)
  end
  return NUMBERS[kind] or kind:match "^=(.*)" or kind
end

-- Is the result of a stage one value, which is a Lua number as outside of fused functions?
local function is_single(stage) return stage.options.axis == nil and not stage.options.keepdims end

local function stage_type(stage)
  return is_single(stage) and STAGES[dtypes.of(stage.dtype).kind] or stage.dtype
end

-- What a parameter is to the compiler (callee.lua).
local function parameter(name, kinds, param)
  if param.code then return { type = param.type } end
  if param.stage then return { type = stage_type(param.stage) } end
  local t, fixed = argument_type(name, kinds, param)
  return { type = t, fixed = fixed }
end

local NO_ARRAYS = "'%s' is an array: pass it as an argument of the fused function"

-- The function of a slice, compiled for these kinds.
local function inferred(name, program, kinds, slice)
  local unit, params = units.new(WHAT), {}
  unit.of_elements, unit.of_arrays, unit.no_arrays = true, of_elements, NO_ARRAYS
  for k, param in ipairs(slice.params) do params[k] = parameter(name, kinds, param) end
  local source = setmetatable({ node = slice.node }, { __index = unit:adopt(program.source) })
  return callee.infer(unit, source, name, params)
end

-- Work --------------------------------------------------------------------------------------------

-- Where a kernel's parameter gets its value.
local function origin(p, param)
  if param.arg then p.arg = param.arg
  elseif param.code then p.host = { code = param.code }
  elseif p.is_value then
    param.stage.part.wants_value = true
    p.host = { code = ("v[%d]"):format(param.stage.number) }
  else
    param.stage.part.wants_array, p.stage = true, param.stage.number
  end
  return p
end

local CHECKED = { ["int!"] = { int = true, uint = true }, float = { float = true } }

-- A Lua number that becomes a narrower one is also a parameter of that dtype, so that calls
-- check its range.
local function add_checks(list, slot, p)
  local checked = CHECKED[slot.type]
  for _, name in ipairs(lists.sorted_keys(checked and slot.uses or {})) do
    local row = dtypes.of(name)
    if row and checked[row.kind] and name ~= p.dtype and not p.stage then
      local own = {}
      for key, value in pairs(p) do own[key] = value end
      own.dtype, own.var = name, p.var .. name
      list[#list + 1] = own
    end
  end
end

local function add_parameter(list, args, slot, param)
  local stage = param.stage
  local p = { shown = param.var.name, var = slot.name, dtype = types.dtype_of(slot.type) }
  local arg = slot.name
  if stage and types.is_lua(slot.type) then
    p.is_value = types.is_integer(slot.type)
    if not p.is_value then p.dtype, arg = stage.dtype, ("(double)%s"):format(slot.name) end
  end
  list[#list + 1], args[#args + 1] = origin(p, param), arg
  add_checks(list, slot, p)
end

-- The dtype of a result: that of arrays, or a double for a value of Lua.
local function result_dtype(t, is_uniform)
  if t == "float" and not is_uniform then return dtypes.result { "float" } end
  return types.dtype_of(t)
end

local function work_of(name, program, kinds, slice)
  local ctx = inferred(name, program, kinds, slice)
  local preamble = body_text.functions(ctx.unit)
  local list, args = {}, {}
  for _, param in ipairs(slice.params) do
    local slot = ctx.slots[param.var]
    if not slot.fixed then add_parameter(list, args, slot, param) end
  end
  local work = { parameters = list, preamble = preamble, values = {}, dtypes = {},
    is_compiled = true, types = ctx.results, is_uniform = slices.is_uniform(slice, kinds),
    statements = ("const auto _r = %s;\n"):format(body_text.call(ctx, args)) }
  for k, t in ipairs(ctx.results) do
    work.values[k] = #ctx.results == 1 and "_r" or "_r.v" .. k
    work.dtypes[k] = result_dtype(t, work.is_uniform)
  end
  return work
end

-- Stages ------------------------------------------------------------------------------------------

local function add_stage(name, plan, program, kinds, stage, k)
  local slice = slices.slice(program, { stage.value }, stage.at)
  local work = work_of(name, program, kinds, slice)
  if work.is_uniform then
    fail(WHAT, "%s:%d: '%s' reduces a number: it takes an array", program.source.file,
      stage.node.line, stage.name)
  end
  local made
  made, stage.options = reduced.describe(stage.reduction, work.dtypes[1], stage.options)
  stage.number, stage.dtype = k, parts.dtype_of(made)
  stage.part = parts.reduction(name, work, made, stage.options)
  stage.part.stage, plan.parts[k] = k, stage.part
end

-- Results -----------------------------------------------------------------------------------------

-- A result of reduced values alone is a value of Lua, as outside; of functions of arrays an array.
local function add_part(name, plan, work, numbers)
  local part = parts.elementwise(name, work, numbers)
  local t = work.types[1]
  part.is_value = work.is_uniform and (types.is_lua(t) or t == "bool")
  plan.parts[#plan.parts + 1] = part
  for k, number in ipairs(numbers) do plan.results[number] = work.dtypes[k] end
end

local function arrays_key(slice, kinds)
  local list = {}
  for _, param in ipairs(slice.params) do
    if slices.is_array(param, kinds) then list[#list + 1] = param.var.name end
  end
  return table.concat(list, " ")
end

-- The stage whose result a node is, also through a variable.
local function stage_of(program, node)
  if node.kind ~= "local" then return nil end
  for _, stage in ipairs(program.stages) do
    if stage.parameter.var == node.var then return stage end
  end
  for _, statement in ipairs(program.body) do
    for k, var in ipairs(statement.kind == "local" and statement.vars or {}) do
      local value = statement.values[k]
      if var == node.var and var.assigned == 0 and value then return stage_of(program, value) end
    end
  end
end

-- Makes the stage's own result this one, unless it already is another.
local function take_stage(plan, program, node, number)
  local stage = stage_of(program, node)
  if not stage or stage.part.results[1] then return false end
  stage.part.results[1], plan.results[number] = number, stage.name
  return true
end

-- Results that are made of the same arrays have one kernel.
local function groups_of(program, kinds, plan, values)
  local groups, by_key = {}, {}
  for k, value in ipairs(values) do
    if not take_stage(plan, program, value, k) then
      local key = arrays_key(slices.slice(program, { value }, #program.body), kinds)
      local group = key ~= "" and by_key[key]
      if not group then
        group = { numbers = {}, values = {} }
        by_key[key], groups[#groups + 1] = group, group
      end
      table.insert(group.numbers, k)
      table.insert(group.values, value)
    end
  end
  return groups
end

local function several_results(values)
  local last = values[#values]
  return last == nil or last.kind == "call" or last.kind == "method" or last.kind == "vararg"
end

local function add_results(name, plan, program, kinds)
  local last = program.body[#program.body]
  if not program.straight or several_results(last.values) and #program.stages == 0 then
    local work = work_of(name, program, kinds, slices.whole(program))
    local numbers = {}
    for k in ipairs(work.values) do numbers[k] = k end
    add_part(name, plan, work, numbers)
    return #numbers
  end
  for _, group in ipairs(groups_of(program, kinds, plan, last.values)) do
    local slice = slices.slice(program, group.values, #program.body)
    add_part(name, plan, work_of(name, program, kinds, slice), group.numbers)
  end
  return #last.values
end

-- plan(name, source, kinds) -> the plan for arguments of these kinds
function M.plan(name, source, kinds)
  local plan = plans.empty(kinds)
  local function is_array(k) return dtypes.of(kinds[k] or "") ~= nil end
  local program = programs.new(source, kinds, is_array)
  for k, stage in ipairs(program.stages) do add_stage(name, plan, program, kinds, stage, k) end
  local count = add_results(name, plan, program, kinds)
  return plans.finish(name, plan, count)
end

return M
