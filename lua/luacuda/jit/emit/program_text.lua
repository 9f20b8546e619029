-- program_text.lua: the CUDA C++ text of a kernel written in Lua: the typed trees of its functions,
-- with #line marks that point at the script.

local lists = require "luacuda.base.lists"
local prelude = require "luacuda.builder.prelude"
local writer = require "luacuda.jit.emit.writer"
local types = require "luacuda.jit.typed.value_types"

-- What writes functions: methods of the writer, and the forms of expressions and statements: op ->
-- function(em, node).
local PARTS = {
  "luacuda.jit.emit.writer",
  "luacuda.jit.emit.pointer_text",
  "luacuda.jit.emit.expression_text",
  "luacuda.jit.emit.statement_text",
  "luacuda.jit.emit.loop_text",
  "luacuda.jit.emit.grid_text",
}

local Emitter = { expressions = {}, statements = {} }
Emitter.__index = Emitter

for _, name in ipairs(PARTS) do
  local part = require(name)
  lists.unite(Emitter, part.methods, "methods of the writer")
  lists.unite(Emitter.expressions, part.expressions, "forms of expressions")
  lists.unite(Emitter.statements, part.statements, "forms of statements")
end

local function new_writer(unit, ctx) return setmetatable(writer.state(unit, ctx), Emitter) end

-- A struct by value, which the kernel refers to by its address.
local function value_parameter(em, slot, list)
  list[#list + 1] = ("const %s %svalue"):format(em:type_name(types.element(slot.type.dtype)),
    slot.name)
  return ("  %s%s = &%svalue;\n"):format(em:pointer_type(slot.type, slot.origin), slot.name,
    slot.name)
end

-- The C++ parameters of a slot.
local function parameters(em, slot, list, mark)
  for _, part in ipairs(em:slot_parts(slot)) do
    local is_pointer = part.ctype:find "%*$"
    local own = (mark == "&" or is_pointer) and mark or ""
    list[#list + 1] = ("%s%s%s%s"):format(part.ctype, is_pointer and "" or " ", own,
      slot.name .. part.suffix)
  end
end

local function body_text(em, ctx)
  em:block(ctx.body)
  local head = em.hoisted and #em.hoisted > 0 and table.concat(em.hoisted, "\n") .. "\n" or ""
  return head .. table.concat(em.lines, "\n")
end

-- Captured variables in a fixed order.
local function captured(ctx)
  local list = {}
  for slot in pairs(ctx.captured) do
    if not slot.fixed then list[#list + 1] = slot end
  end
  table.sort(list, function(a, b) return a.name < b.name end)
  return list
end

local function value_type(em, ctx, k)
  local t = ctx.results[k]
  return types.is_array(t) and em:pointer_type(t, ctx.result_origins[k]) or em:type_name(t)
end

local function result_type(em, ctx)
  local n = #ctx.results
  if n == 0 then return "void", "" end
  if n == 1 then return value_type(em, ctx, 1), "" end
  local fields = {}
  for k in ipairs(ctx.results) do fields[k] = ("%s v%d;"):format(value_type(em, ctx, k), k) end
  local name = ctx.name .. "results"
  return name, ("struct %s { %s };\n"):format(name, table.concat(fields, " "))
end

-- A function of the script on the device. In debug code it stays a function: inlined there, it
-- would have no callers, because the compiler leaves them out.
local function device_function(unit, ctx)
  local em, list = new_writer(unit, ctx), {}
  for _, var in ipairs(ctx.fn.params) do
    if not ctx.slots[var].fixed then parameters(em, ctx.slots[var], list, "") end
  end
  for _, slot in ipairs(ctx.captured_list) do
    parameters(em, slot, list, not types.is_array(slot.type) and "&" or "")
  end
  local ctype, before = result_type(em, ctx)
  local body = body_text(em, ctx)
  return ("%s__device__ %s%s %s(%s) {\n%s\n}\n#line 1 \"luacuda\"\n"):format(before,
    unit.debug and "" or "__forceinline__ ", ctype, ctx.name, table.concat(list, ", "), body)
end

-- A Lua number that is only ever converted to one type is passed as that type.
local function narrow_numbers(ctx)
  for _, slot in ipairs(ctx.parameters) do
    local uses = slot.uses or {}
    local t = next(uses)
    if t and t ~= "itself" and next(uses, t) == nil and not slot.assigned then slot.passed = t end
  end
end

-- NVRTC 13.0 merges loads of two branches into one load of a chosen address, and loads through the
-- read-only cache if it takes one of the two arrays for read-only: `c ? written[i] : read[i]` then
-- gives an old element on a GPU. And it moves a load of an array with __restrict__ out of a loop
-- that waits for other threads, which may have written the element. So a kernel that chooses or
-- waits, and reads what it writes, has no __restrict__. In others that of the arrays that are
-- written says enough.
local function is_apart(unit) return not ((unit.chooses or unit.waits) and unit.rereads) end

local function kernel_text(unit, ctx, name, bounds, apart)
  local em, list = new_writer(unit, ctx), {}
  if unit.of_tiles then unit.of_tiles.apart = apart end
  local body = unit.of_tiles and unit.of_tiles.body(em, ctx, list) or body_text(em, ctx)
  narrow_numbers(ctx)
  apart = apart and is_apart(unit)
  if unit.of_tiles then bounds = unit.of_tiles.bounds() end
  for _, slot in ipairs(ctx.parameters) do
    local alone = apart and em:writes(slot)
    if slot.by_value then body = value_parameter(em, slot, list) .. body
    else parameters(em, slot, list, alone and "__restrict__ " or "") end
  end
  return ("extern \"C\" __global__ void %s%s(%s) {\n%s\n}\n"):format(bounds, name,
    table.concat(list, ", "), body)
end

local function device_functions(unit)
  local list = {}
  for _, own in ipairs(unit.instances) do own.captured_list = captured(own) end
  for k, own in ipairs(unit.instances) do list[k] = device_function(unit, own) end
  return table.concat(list)
end

-- functions(unit, space) -> CUDA text of its functions, in a namespace, after all that they need
-- but the prelude of unit.dtypes
local function functions(unit, space)
  local own = device_functions(unit)
  return ("%snamespace %s {\n%s}\n"):format(table.concat(unit.texts), space, own)
end

-- kernel(unit, ctx, name, bounds, apart) -> CUDA text. ctx.parameters are the slots of the
-- arguments; `apart`: no array overlaps one that is written.
local function kernel(unit, ctx, name, bounds, apart)
  local own = device_functions(unit)
  local main = kernel_text(unit, ctx, name, bounds, apart)
  return table.concat{ prelude.text(unit.dtypes), table.concat(unit.texts), own, main }
end

return { kernel = kernel, functions = functions }
