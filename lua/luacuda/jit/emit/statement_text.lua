-- statement_text.lua: C++ statements.

local arrays = require "luacuda.jit.emit.pointer_text"
local nodes = require "luacuda.jit.typed.nodes"
local types = require "luacuda.jit.typed.value_types"

local Emitter, forms = {}, {}

function Emitter:block(list)
  for _, statement in ipairs(list) do
    self:at(statement)
    local write = self.statements[statement.op] or self.unit.of_tiles.statements[statement.op]
    write(self, statement)
  end
end

-- Declarations and assignments --------------------------------------------------------------------

local function declare_array(em, slot, value)
  local texts = {}
  if value then arrays.pass(em, value, slot.type, texts) end
  for k, part in ipairs(em:slot_parts(slot)) do
    em:declare(part.ctype, slot.name .. part.suffix, texts[k])
  end
end

function forms.declare(em, s)
  local slot, value = s.slot, s.value
  if slot.type == nil or slot.fixed then return end
  if types.is_tile(slot.type) then em.unit.of_tiles.declare(em, slot, value)
  elseif slot.shared then arrays.memory(em, slot, value.op)
  elseif types.is_array(slot.type) then
    declare_array(em, slot, value)
  else
    local text = value and em:expression(nodes.convert_to(value, slot.type))
    em:declare(em:slot_type(slot), slot.name, text)
  end
end

local function assign_parts(em, slot, texts)
  for k, part in ipairs(em:slot_parts(slot)) do
    em:line(("%s%s = %s;"):format(slot.name, part.suffix, texts[k]))
  end
end

-- The parts of an array as variables of their own.
local function kept_array(em, slot, value)
  local texts = {}
  arrays.pass(em, value, slot.type, texts)
  for k, part in ipairs(em:slot_parts(slot)) do
    texts[k] = em:variable(part.ctype, texts[k])
  end
  return texts
end

-- What a value is assigned to, which is not read.
local function target(em, place)
  if place.op == "load" then return (arrays.element(em, place)) end
  return (em:expression(place))
end

local keep_indices

-- The same array with indices that cannot change any more.
local function keep_array(em, array)
  if array.op == "member" then
    return setmetatable({ a = keep_indices(em, array.a) }, { __index = array })
  end
  arrays.root(em, array)
  return array
end

-- The indices of a target, before any value is computed that could change them.
function keep_indices(em, place)
  if place.op == "field" then
    return nodes.field(place.type, keep_indices(em, place.a), place.name)
  end
  if place.op ~= "load" then return place end
  local array = keep_array(em, place.array)
  local indices = {}
  for k, e in ipairs(place.indices) do
    indices[k] = nodes.is_stable(e) and e or nodes.text(e.type, em:kept(e))
  end
  return nodes.load(place.type, array, indices)
end

local function assign_element(em, place, value)
  if value.effect then
    place = keep_indices(em, place)
    local text = em:kept(value)
    em:line(("%s = %s;"):format(target(em, place), text))
  else
    local to = target(em, place)
    em:line(("%s = %s;"):format(to, (em:expression(value))))
  end
end

-- A variable that holds the pointer to an array of known extents.
local function keep_pointer(em, e)
  return em:temporary(em:pointer_type(e.type, e.origin), (arrays.pointer(em, e)))
end

local function assign_array(em, place, value)
  local to = keep_pointer(em, place)
  arrays.copy(em, to, keep_pointer(em, value.array), value)
end

local function assign_one(em, pair)
  local slot = pair.slot
  if not slot and pair.value.op == "copy" then return assign_array(em, pair.place, pair.value) end
  if not slot then return assign_element(em, pair.place, pair.value) end
  if types.is_array(slot.type) then return arrays.assign(em, slot, pair.value) end
  if types.is_tile(slot.type) then return em.unit.of_tiles.assign(em, slot, pair.value) end
  local value = nodes.convert_to(pair.value, slot.type)
  em:line(("%s = %s;"):format(slot.name, (em:expression(value))))
end

local function kept_value(em, slot, value)
  if slot and types.is_array(slot.type) then return kept_array(em, slot, value) end
  if slot and types.is_tile(slot.type) then return em.unit.of_tiles.kept(em, slot, value) end
  if value.op == "copy" then return arrays.copied(em, keep_pointer(em, value.array), value) end
  if slot then value = nodes.convert_to(value, slot.type) end
  if value.op == "const" then return (em:expression(value)) end
  return em:temporary(slot and em:slot_type(slot) or em:ctype(value), (em:expression(value)))
end

local function keep_place(em, pair)
  if pair.value.op == "copy" then return keep_pointer(em, pair.place) end
  return keep_indices(em, pair.place)
end

-- Of several values each is computed before any is assigned.
local function assign_all(em, list)
  local places = {}
  for k, pair in ipairs(list) do places[k] = pair.place and keep_place(em, pair) end
  local texts = {}
  for k, pair in ipairs(list) do
    texts[k] = kept_value(em, pair.slot, pair.value)
  end
  for k, pair in ipairs(list) do
    if pair.slot and types.is_tile(pair.slot.type) then
      em.unit.of_tiles.assign(em, pair.slot, texts[k])
    elseif type(texts[k]) == "table" then assign_parts(em, pair.slot, texts[k])
    elseif pair.value.op == "copy" then arrays.move(em, places[k], texts[k], pair.place.type)
    else
      local to = pair.slot and pair.slot.name or target(em, places[k])
      em:line(("%s = %s;"):format(to, texts[k]))
    end
  end
end

function forms.assign(em, s)
  if #s.pairs == 1 then assign_one(em, s.pairs[1]) else assign_all(em, s.pairs) end
end

-- A call whose value is not used. In C++, `int(i);` by itself would declare an i.
function forms.effect(em, s)
  em.unused = s.value.op == "result" and s.value.call or s.value
  local text = em:expression(em.unused)
  em.unused = nil
  if text:find "%(" then em:line(("(void)(%s);"):format(text)) end
end

-- Branches and loops ------------------------------------------------------------------------------

forms["do"] = function(em, s)
  em:open "{"
  em:block(s.body)
  em:close "}"
end

-- A condition that needs statements before it is an `if` in an `else`.
local function clause(em, s, k)
  local one = s.clauses[k]
  if not one or one.cond.op == "const" then
    local body = one and one.body or s.orelse
    if not body then return end
    em:open(k > 1 and "else {" or "{")
    em:block(body)
    em:close "}"
    return
  end
  local nested = k > 1 and one.cond.effect
  if nested then em:open "else {" end
  em:open(("%sif (%s) {"):format(k > 1 and not nested and "else " or "",
    (em:expression(one.cond))))
  em:block(one.body)
  em:close "}"
  if nested then
    local rest = { clauses = table.move(s.clauses, k + 1, #s.clauses, 2, { {} }),
      orelse = s.orelse }
    clause(em, rest, 2)
    em:close "}"
  else
    clause(em, s, k + 1)
  end
end

forms["if"] = function(em, s)
  em.unit.chooses = true
  clause(em, s, 1)
end


forms["while"] = function(em, s)
  if s.cond.effect then
    em:open "while (true) {"
    em:line(("if (!%s) break;"):format((em:atom(s.cond))))
  else
    em:open(("while (%s) {"):format((em:expression(s.cond))))
  end
  em:block(s.body)
  em:close "}"
end

forms["repeat"] = function(em, s)
  em:open "while (true) {"
  em:block(s.body)
  em:line(("if (%s) break;"):format((em:expression(s.cond))))
  em:close "}"
end

forms["break"] = function(em) em:line "break;" end
forms["goto"] = function(em, s)
  em.unit.chooses = true
  em:line(("goto %s;"):format(s.id))
end
forms.label = function(em, s) em:line(s.id .. ":;") end

-- Returns -----------------------------------------------------------------------------------------

forms["return"] = function(em, s)
  local types_of, list = s.context.results, {}
  for k, e in ipairs(s.values) do list[k] = nodes.convert_to(e, types_of[k]) end
  local texts = { em:returned(list) }
  if #list == 0 then em:line "return;"
  elseif #list == 1 then em:line(("return %s;"):format(texts[1]))
  else em:line(("return %sresults{ %s };"):format(s.context.name, table.concat(texts, ", "))) end
end

return { methods = Emitter, statements = forms }
