-- bodies.lua: Lua functions in place of the C++ texts of cuda.elementwise, cuda.reduction and
-- cuda.scan. For the types of a call each becomes a device function, which the text of the builder
-- calls (builder/instances.lua).

local core = require "luacuda.core"
local params_of = require "luacuda.builder.params"
local body_fields = require "luacuda.jit.body_fields"
local body_params = require "luacuda.jit.body_params"
local body_text = require "luacuda.jit.body_text"
local views = require "luacuda.jit.body_views"
local callee = require "luacuda.jit.infer.callee"
local text_of = require "luacuda.jit.read.function_text"
local report = require "luacuda.jit.typed.report"
local slots = require "luacuda.jit.typed.slots"
local types = require "luacuda.jit.typed.value_types"
local units = require "luacuda.jit.unit"
local upvalues = require "luacuda.jit.upvalues"

local Bodies = {}
Bodies.__index = Bodies

-- Instances ---------------------------------------------------------------------------------------

-- Lua functions return numbers and booleans.
local function check_output(self, piece, desc, k)
  if not desc.params[k].struct then return end
  core.misuse(("%s: %s:%d: %s: output '%s' is a struct: declare it raw and write to its fields")
    :format(self.what, piece.source.file, piece.source.line, piece.view.key, self.params[k].name))
end

-- The dtypes of what a function gives, and words for messages.
local function wanted_of(self, piece, desc, dtypes)
  local view = piece.view
  if view.gives == "value" then
    local wanted = table.move(dtypes, 1, #dtypes, 1, {})
    wanted.words = ("%s gives %s"):format(view.key, #dtypes == 1 and "one value"
      or #dtypes .. " values")
    return wanted
  end
  local list, names = {}, {}
  for k = self.nin + 1, #self.params do
    if not self.params[k].raw then
      check_output(self, piece, desc, k)
      list[#list + 1], names[#names + 1] = desc.types[k], self.params[k].name
    end
  end
  list.words = #names == 0 and "there are only raw outputs, which the function writes to"
    or ("it computes %s"):format(table.concat(names, ", "))
  list.names = names
  return list
end

local function refuse_written(ctx, name, hint)
  report.fail(ctx, ctx.fn, "the function writes to '%s': %s", name, hint)
end

-- Inputs and upvalues are only read.
local function check_written(self, piece, ctx, given)
  for k, var in ipairs(ctx.fn.params) do
    local slot, one = ctx.slots[var], piece.takes[k]
    local is_output = one.number and one.number > self.nin
    if slot.origin and slots.origin(slot.origin).written and not is_output then
      refuse_written(ctx, var.name, given[k].before and "it is the element's index"
        or "it is an input; declare a raw output for it")
    end
  end
  for _, hidden in ipairs(ctx.unit.hiddens) do
    if slots.origin(hidden.slot.origin).written then
      refuse_written(ctx, hidden.label, "it is an upvalue; declare a raw output for it")
    end
  end
end

-- Lua functions compute with dtypes.
local function check_accumulator(self, piece, desc)
  if desc.accumulator or self.fields or not views.type_options[self.what] then return end
  local option = views.type_options[self.what]
  core.misuse(("%s: %s:%d: %s: the function combines values whose type is no dtype: give option "
    .. "'%s' dtypes, as in \"float32 value, int64 at\", or write map, %s and post in C++"):format(
    self.what, piece.source.file, piece.source.line, piece.view.key, option,
    option:match "^%l+"))
end

-- A function that combines two values is called where the kernel's arrays are not known.
local function check_alone(piece, ctx)
  local slot = piece.view.alone and next(ctx.captured)
  if slot then report.fail(ctx, ctx.fn, piece.view.alone, slot.var.name) end
end

local function infer_piece(self, unit, piece, desc, dtypes)
  check_accumulator(self, piece, desc)
  local function refuse(text, ...)
    report.fail({ unit = unit, source = piece.source }, piece.source.line, text, ...)
  end
  local given = body_params.resolve(piece.view, piece.takes, self.params, desc, dtypes, unit,
    refuse)
  local wanted = wanted_of(self, piece, desc, dtypes)
  unit.no_arrays = piece.view.alone
  local ctx = callee.infer(unit, unit:adopt(piece.source), piece.view.key, given, wanted)
  check_alone(piece, ctx)
  check_written(self, piece, ctx, given)
  return { ctx = ctx, given = given, wanted = wanted, view = piece.view }
end

-- Instances: C++ texts ----------------------------------------------------------------------------

local function text_for(self, made)
  local args, before = {}, {}
  for _, one in ipairs(made.given) do
    table.move(one.parts, 1, #one.parts, #args + 1, args)
    before[#before + 1] = one.before
  end
  local call = body_text.call(made.ctx, args)
  if made.view.gives == "value" then return self.fields and body_fields.made(call) or call end
  return table.concat(before) .. body_text.assign(made.wanted.names, call)
end

local function new_unit(self)
  local unit = units.new(self.what)
  unit.of_elements = true
  for _, p in ipairs(self.params) do unit:reserve(p.name) end
  return unit
end

-- The dtypes of the values that are combined together.
local function values_of(self, desc)
  if not self.fields then return { desc.accumulator } end
  return body_fields.dtypes(self.what, self.fields, self.params, desc)
end

local function make(self, desc)
  local unit, made, dtypes = new_unit(self), {}, values_of(self, desc)
  for _, dtype in ipairs(dtypes) do unit:mention(dtype) end
  for k, piece in ipairs(self.pieces) do made[k] = infer_piece(self, unit, piece, desc, dtypes) end
  local instance, texts = upvalues.instance(unit), {}
  instance.functions = body_text.functions(unit)
  for _, one in ipairs(made) do texts[one.view.key] = text_for(self, one) end
  if self.fields then
    instance.functions = body_fields.text(self.fields, dtypes) .. instance.functions
    texts.identity = body_fields.identity(self.fields, dtypes)
  end
  instance.texts, instance.kernels = texts, {}
  return instance
end

-- Finding -----------------------------------------------------------------------------------------

-- What the types in functions depend on.
local function key_of(self, desc)
  local parts = { desc.accumulator or "-" }
  for k, t in ipairs(desc.types) do
    local given = desc.params[k]
    local kind = given.kind
    if kind == "raw" then kind = ("raw %d %s"):format(given.ndim, given.contiguous) end
    local struct = given.struct and types.key(types.struct(given.struct)) or ""
    parts[#parts + 1] = t .. " " .. (self.params[k].raw and kind or kind == "array" and "" or "1")
      .. struct
  end
  return table.concat(parts, ",")
end

-- find(desc) -> the instance for a description, as instances.lua has it
function Bodies:find(desc)
  local key = key_of(self, desc)
  local family = self.families[key] or {}
  self.families[key] = family
  for _, instance in ipairs(family) do
    if upvalues.hold(instance) then return instance end
  end
  local instance = make(self, desc)
  self.made = self.made + 1
  instance.serial = self.made
  if instance.depends then
    self.numbered[#self.numbered + 1] = instance
    instance.number = #self.numbered
    if #instance.hiddens == 0 then self.guards[instance.number] = instance.guards end
  end
  family[#family + 1] = instance
  return instance
end

-- values(number) -> does the instance hold? Then the arrays among its upvalues.
function Bodies:values(number) return upvalues.values(self.numbered[number]) end

-- Declaration -------------------------------------------------------------------------------------

-- new(what, given) -> bodies for the Lua functions and for several combined values in the
-- declaration of a builder, in which texts that use the same names of generated code take their
-- places
local function new(what, given)
  local params, nin = params_of.parse(what, given.inputs, given.outputs)
  local self = setmetatable({ what = what, params = params, nin = nin, pieces = {}, families = {},
    numbered = {}, made = 0, guards = {},
    fields = body_fields.read(what, given) }, Bodies)
  for _, view in ipairs(views.of[what]) do
    if type(given[view.key]) == "function" then
      local source = text_of.of(given[view.key], what)
      local takes = body_params.bind(what, view, params, nin, self.fields, source)
      self.pieces[#self.pieces + 1] = { view = view, source = source, takes = takes }
      given[view.key] = body_params.sketch(takes, params)
    end
  end
  return self
end

return { new = new }
