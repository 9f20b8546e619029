-- expression_text.lua: the C++ text of expressions. What has an effect becomes a variable before
-- the statement, so that Lua's order of evaluation holds.

local dtypes = require "luacuda.base.dtypes"
local ufunc_source = require "luacuda.array.ufunc_source"
local signatures = require "luacuda.jit.cpp.declared_types"
local atomics = require "luacuda.jit.emit.atomic_source"
local constants = require "luacuda.jit.emit.constant_text"
local integers = require "luacuda.jit.emit.integer_text"
local arrays = require "luacuda.jit.emit.pointer_text"
local nodes = require "luacuda.jit.typed.nodes"
local types = require "luacuda.jit.typed.value_types"

local Emitter, forms = {}, {}

-- em:expression(e [, plain]) -> text; is it an atom, which needs no parentheses?
function Emitter:expression(e, plain)
  local fn = self.expressions[e.op]
  if not fn and self.unit.of_tiles then fn = self.unit.of_tiles.forms[e.op] end
  if not fn then error("no form for " .. tostring(e.op)) end
  return fn(self, e, plain)
end

function Emitter:atom(e, plain)
  local text, atom = self:expression(e, plain)
  return atom and text or "(" .. text .. ")"
end

-- The text of an expression as a variable of its own.
function Emitter:kept(e)
  local text = self:expression(e)
  return self:temporary(self:ctype(e), text)
end

-- The values of several expressions in Lua's order, each by take(em, e, plain).
local function in_order(em, list, plain, take)
  local last = 0
  for k, e in ipairs(list) do
    if e.effect then last = k end
  end
  local texts = {}
  for k, e in ipairs(list) do
    if k < last and not nodes.is_stable(e) and not types.is_array(e.type) then
      texts[k] = em:kept(e)
    else texts[k] = take(em, e, plain) end
  end
  return table.unpack(texts)
end

function Emitter:operands(list, plain) return in_order(self, list, plain, Emitter.atom) end
function Emitter:arguments(list) return in_order(self, list, nil, Emitter.expression) end

-- Results. Arrays among them are pointers.
local function result(em, e)
  if types.is_array(e.type) then return (arrays.pointer(em, e)) end
  return (em:expression(e))
end
function Emitter:returned(list) return in_order(self, list, nil, result) end

-- An operation whose value is used becomes a temporary; em.unused: the statement needs no value.
function Emitter:effect_value(e, text)
  if self.unused == e then return text, true end
  return self:temporary(self:ctype(e), text), true
end

function forms.const(_, e) return constants.text(e.type, e.value), true end
function forms.text(_, e) return e.text, not e.text:find "^%(" end
function forms.var(em, e) return em:name_of(e.slot), true end
function forms.int(em, e, plain) return integers.text(em, e, plain) end

function forms.infix(em, e)
  local a, b = em:operands{ e.a, e.b }
  -- int64(i), where the text of `i` has 32 bits
  if e.symbol == ">>" and e.b.value > 31 and integers.is_int32(e.a) then a = "(int64)" .. a end
  return ("%s %s %s"):format(a, e.symbol, b)
end

function forms.prefix(em, e)
  local a = em:operands{ e.a }
  return e.symbol .. a
end

-- Lua ends at the first operand that decides; so does C++, unless the second one has an effect.
function forms.logic(em, e)
  em.unit.chooses = true
  if not e.b.effect then
    local a, b = em:atom(e.a), em:atom(e.b)
    return ("%s %s %s"):format(a, e.symbol, b)
  end
  local name = em:variable("bool", em:expression(e.a))
  em:open(("if (%s%s) {"):format(e.symbol == "||" and "!" or "", name))
  em:line(("%s = %s;"):format(name, em:expression(e.b)))
  em:close "}"
  return name, true
end

function forms.select(em, e)
  em.unit.chooses = true
  if not e.a.effect and not e.b.effect then
    local cond = em:atom(e.cond)
    return ("%s ? %s : %s"):format(cond, em:atom(e.a), em:atom(e.b))
  end
  local cond = em:expression(e.cond)
  local name = em:variable(em:ctype(e))
  em:open(("if (%s) {"):format(cond))
  em:line(("%s = %s;"):format(name, em:expression(e.a)))
  em:between "} else {"
  em:line(("%s = %s;"):format(name, em:expression(e.b)))
  em:close "}"
  return name, true
end

-- The text of an item of a Lua table, from the table's copy in that dtype.
local function item_text(em, e, dtype)
  local known, items = e.list, {}
  for k, v in ipairs(known.list) do items[k] = constants.text(dtype, v) end
  local name = known.name .. dtype
  em.unit:need{ ("__constant__ const %s %s[%d] = { %s };\n"):format(dtype, name, #items,
    table.concat(items, ", ")) }
  local array = { type = { ndim = #known.shape, layout = "contiguous", shape = known.shape } }
  return ("%s[%s]"):format(name, em:offset(array, e.indices))
end

-- The operand of a conversion. A parameter of the kernel that is a Lua number may be passed as that
-- float type, and a table of numbers have a copy of it.
local function converted_operand(em, e, to)
  if to.name == "float32" and e.op == "var" and types.is_lua(e.type) then
    em:note_use(e.slot, to.name)
    return e.slot.name
  end
  if to.name == "float32" and e.op == "item" then return item_text(em, e, to.name) end
  if em.unit.of_arrays and e.op == "var" and types.is_lua(e.type) then
    em:note_use(e.slot, to.name)
  end
  return (em:expression(e))
end

function forms.convert(em, e, plain)
  if e.bare then return em:expression(e.a, plain) end
  local from, to = types.kind_of(e.a.type), dtypes.of(types.dtype_of(e.type))
  local text = converted_operand(em, e.a, to)
  if to.kind == "complex" and from ~= "complex" then
    text = ("%s(%s)"):format(dtypes.part_of(to.name), text)
  end
  -- Among others of -x, of which the compiler would make neg.s16.
  local is_16 = to.name == "int16" or to.name == "uint16"
  if is_16 and e.a.op ~= "const" and types.is_integer(e.a.type) then
    em.unit:need{ ufunc_source._lcu_wrapped }
    return ("_lcu_wrapped<%s>(uint32(%s))"):format(to.name, text), true
  end
  return ("%s(%s)"):format(to.name, text), true
end

function forms.call(em, e)
  em.unit:need(e.texts)
  if e.own_effect then em.unit.waits = true end -- it may be a barrier
  local text = ("%s(%s)"):format(e.fn, table.concat({ em:arguments(e.args) }, ", "))
  if em.unit.of_tiles and em.ctx.is_kernel and e.fn == "printf" then -- once for a program
    em:line(("if (_warp == 0 && _lane == 0) %s;"):format(text))
    return ""
  end
  if not e.own_effect or e.type == nil then return text, true end
  return em:effect_value(e, text)
end

-- A generator is a variable of its own, to which those of the script point.
function forms.generator(em, e)
  local text = ("_lcu_random(%s)"):format(table.concat({ em:arguments(e.args) }, ", "))
  return "&" .. em:variable("_lcu_generator", text)
end

-- In a kernel over tiles, what a program reads is ordered after what it stores.
local function put_in_order(em, array)
  if em.unit.of_tiles and em.ctx.is_kernel then em.unit.of_tiles.in_order(em, array) end
end

function forms.load(em, e)
  em:note_load(e.array)
  put_in_order(em, e.array)
  local text = arrays.element(em, e)
  if e.type ~= "bool" then return text, true end
  em.unit:prelude "bool"
  return ("_lcu_truth(%s)"):format(text), true
end
function forms.extent(em, e) return arrays.extent(em, e.array, e.axis) end

function forms.field(em, e)
  return ("%s.%s"):format(em:atom(e.a), e.name), true
end

-- Calls of functions written in Lua ---------------------------------------------------------------

local function device_arguments(em, e)
  local list, args = {}, {}
  for k, given in ipairs(e.args) do list[k] = nodes.convert_to(given.value, given.slot.type) end
  local texts = { em:arguments_or_arrays(list) }
  for _, one in ipairs(list) do
    if types.is_array(one.type) then put_in_order(em, one) end
  end
  for k, given in ipairs(e.args) do
    if types.is_array(given.slot.type) then arrays.pass(em, list[k], given.slot.type, args)
    else args[#args + 1] = texts[k] end
  end
  for _, slot in ipairs(e.instance.captured_list) do
    if types.is_array(slot.type) then put_in_order(em, slot) end
    em:pass_slot(slot, args)
  end
  return args
end

function Emitter:arguments_or_arrays(list)
  return in_order(self, list, nil, function(em, e)
    if not types.is_array(e.type) then return (em:expression(e)) end
    arrays.root(em, e)
    return ""
  end)
end

function forms.device(em, e)
  local own = e.instance
  local text = ("%s(%s)"):format(own.name, table.concat(device_arguments(em, e), ", "))
  if #own.results ~= 1 or not e.effect or e.slot then return text, true end
  return em:effect_value(e, text)
end

function forms.result(em, e)
  local call = e.call
  if not em.results[call] then
    em.results[call] = em:temporary(call.instance.name .. "results", (forms.device(em, call)))
  end
  return ("%s.v%d"):format(em.results[call], e.index), true
end

-- One value of a texel that has several.
function forms.channel(em, e)
  local call = e.call
  if not em.results[call] then
    local text = ("%s(%s)"):format(call.fn, table.concat({ em:arguments(call.args) }, ", "))
    em.results[call] = em:temporary(call.ctype, text)
  end
  return ("%s.%s"):format(em.results[call], ("xyzw"):sub(e.index, e.index)), true
end

-- The old value of an element that is changed atomically.
function forms.atomic(em, e)
  if dtypes.is_half(e.type) then em.unit:prelude "atomicAdd" end
  em.unit:need(atomics.of(e.fn, e.type))
  local list = { table.unpack(e.place.indices) }
  local n = #list
  table.move(e.values, 1, #e.values, n + 1, list)
  local texts = { em:operands(list) }
  for k, index in ipairs(e.place.indices) do
    list[k] = nodes.is_stable(index) and index or index.effect
      and nodes.text(index.type, texts[k]) or index
  end
  local place = nodes.load(e.type, e.place.array, table.move(list, 1, n, 1, {}))
  local args = { "&" .. arrays.element(em, place) }
  for k in ipairs(e.values) do
    args[k + 1] = ("%s(%s)"):format(em:type_name(e.type), texts[n + k])
  end
  return em:effect_value(e, ("%s(%s)"):format(e.fn, table.concat(args, ", ")))
end

function forms.item(em, e) return item_text(em, e, types.dtype_of(e.type)), true end

-- Ends the kernel unless the condition holds, or always if there is none. The name of the function
-- is empty, so the CPU device shows the message alone; a GPU prints it as CUDA's assert does.
forms["assert"] = function(em, e)
  local cond = e.cond and ("if (!%s) "):format((em:atom(e.cond))) or ""
  em:line(("%s__assertfail(%s, __FILE__, __LINE__, \"\", 1);"):format(cond,
    constants.text("string", e.message)))
  return ""
end

function forms.stride(em, e) return arrays.stride(em, e.array, e.axis) end

-- Functions in CUDA C++ ---------------------------------------------------------------------------

function forms.passed(em, e) return signatures.passed(e.as, (em:expression(e.a))) end

-- The result of a call.
function forms.taken(em, e)
  local call = e.a
  local text = ("%s(%s)"):format(call.fn, table.concat({ em:arguments(call.args) }, ", "))
  return em:effect_value(e, signatures.taken(e.as, text))
end

function forms.pointer(em, e)
  return ("(%s)(%s)"):format(e.ctype, (arrays.pointer(em, e.array)))
end

return { methods = Emitter, expressions = forms }
