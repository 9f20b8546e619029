-- writer.lua: the writer of one C++ function: its lines with #line marks, its variables and
-- temporaries. The other files of emit add what writes expressions and statements.

local integers = require "luacuda.jit.emit.integer_text"
local textures = require "luacuda.jit.typed.textures"
local types = require "luacuda.jit.typed.value_types"

local Emitter = {}

-- state(unit, context) -> the fields of a writer for one function. A function with jumps declares
-- its variables first, because C++ does not jump over initializations.
local function state(unit, ctx)
  return { unit = unit, ctx = ctx, lines = {}, depth = 1, results = {}, made = {},
    hoisted = ctx.has_goto and {} or nil }
end

-- Marks that the next lines belong to a statement of the script.
function Emitter:at(statement)
  self.token = statement.source.token
  self.number = statement.line - statement.source.line + 1
  if self.number < 1 then self.number = 1 end
end

function Emitter:line(text)
  if self.token and (self.number ~= self.expected or self.token ~= self.expected_token) then
    self.lines[#self.lines + 1] = ('#line %d "%s"'):format(self.number, self.token)
  end
  self.lines[#self.lines + 1] = ("  "):rep(self.depth) .. text
  self.expected, self.expected_token = self.number and self.number + 1, self.token
end

function Emitter:open(text)
  self:line(text)
  self.depth = self.depth + 1
end

function Emitter:close(text)
  self.depth = self.depth - 1
  self:line(text)
end

function Emitter:between(text)
  self.depth = self.depth - 1
  self:line(text)
  self.depth = self.depth + 1
end

-- Types -------------------------------------------------------------------------------------------

-- The C++ type of values of a type.
function Emitter:type_name(t)
  if type(t) == "string" then return types.dtype_of(t) end
  if t.kind == "struct" then return self.unit:struct_name(t.struct) end
  if t.kind == "texture" then return textures.handle(t) end
  if t.kind == "generator" then return "_lcu_generator *" end
  error("no C++ type for " .. types.name(t))
end

local function is_narrow(slot)
  return slot.lo and slot.lo >= -2.0 ^ 31 and slot.hi <= 2.0 ^ 31 - 1 and slot.type ~= "uint32"
    and (slot.type == "int" or slot.type == "int!")
end

function Emitter:slot_type(slot)
  if slot.passed then return slot.passed end
  if is_narrow(slot) then return "int32" end
  return self:type_name(slot.type)
end

function Emitter:ctype(e)
  if e.type == "int" or e.type == "int!" then
    return integers.is_int32(e) and "int32" or "int64"
  end
  return self:type_name(e.type)
end

local function written(origin)
  while origin.into do origin = origin.into end
  return origin.written
end

function Emitter:pointer_type(t, origin)
  local element = self:type_name(types.element(t.dtype))
  return (written(origin) and "" or "const ") .. element .. " *"
end

-- Is it an array that the kernel writes to?
function Emitter:writes(slot) return slot.origin and written(slot.origin) end

local OWN_MEMORY = { shared = true, private = true }

-- Marks that an element of the array is read. Whether the kernel writes to an array that is passed
-- to a function is not known there. Memory of the block or the thread does not matter, and a member
-- of a struct is noted with the struct.
function Emitter:note_load(array)
  while array.op == "row" do array = array.array end
  if array.op == "member" or OWN_MEMORY[array.type.space] then return end
  if not self.ctx.is_kernel or array.slot and self:writes(array.slot) then
    self.unit.rereads = true
  end
end

-- Variables ---------------------------------------------------------------------------------------

function Emitter:name_of(slot)
  self:note_use(slot, "itself")
  return slot.name
end

-- The types to which a parameter is converted, "itself" for other uses.
function Emitter:note_use(slot, as)
  slot.uses = slot.uses or {}
  if slot.uses[as] then return end
  slot.uses[as] = true
  for source in pairs(slot.sources or {}) do self:note_use(source, as) end
end

-- A declaration without a value, here or at the start of the function.
function Emitter:place(text)
  if self.hoisted then self.hoisted[#self.hoisted + 1] = "  " .. text else self:line(text) end
end

-- Declares a C++ variable, here or at the start of the function.
function Emitter:declare(ctype, name, value)
  local space = ctype:find "%*$" and "" or " "
  if self.hoisted then
    if space ~= "" then ctype = ctype:gsub("^const ", "") end
    self.hoisted[#self.hoisted + 1] = ("  %s%s%s;"):format(ctype, space, name)
    if value then self:line(("%s = %s;"):format(name, value)) end
  elseif value then
    self:line(("%s%s%s = %s;"):format(ctype, space, name, value))
  else
    self:line(("%s%s%s;"):format(ctype, space, name))
  end
end

-- A variable of the generated code; returns its name.
function Emitter:variable(ctype, value)
  local name = self.unit:own_name "_t"
  self:declare(ctype, name, value)
  return name
end

function Emitter:temporary(ctype, value)
  local plain = self.hoisted or ctype:find "%*$"
  return self:variable(plain and ctype or "const " .. ctype, value)
end

-- Appends the arguments that pass a variable of a function around the callee.
function Emitter:pass_slot(slot, args)
  self:note_use(slot, "itself")
  for _, part in ipairs(self:slot_parts(slot)) do args[#args + 1] = slot.name .. part.suffix end
end

-- The parts of an array of a type: { suffix =, ctype = }.
function Emitter:array_parts(type, origin, small)
  local list = { { suffix = "", ctype = self:pointer_type(type, origin) } }
  local index = small and "int" or "int64"
  if not type.shape then
    for k = 1, type.ndim do list[#list + 1] = { suffix = "n" .. k, ctype = index } end
  end
  if type.layout == "strided" then
    for k = 1, type.ndim do list[#list + 1] = { suffix = "s" .. k, ctype = "int64" } end
  end
  return list
end

-- The C++ variables of a slot: { suffix =, ctype = }.
function Emitter:slot_parts(slot)
  if not types.is_array(slot.type) then
    return { { suffix = "", ctype = self:slot_type(slot) } }
  end
  return self:array_parts(slot.type, slot.origin, slot.small)
end

return { methods = Emitter, state = state }
