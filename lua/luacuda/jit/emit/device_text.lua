-- device_text.lua: the arguments and results of functions in CUDA C++ as C++ text.

local Emitter = require "luacuda.jit.emit.expression_text"
local arrays = require "luacuda.jit.emit.pointer_text"
local signatures = require "luacuda.jit.cpp.declared_types"

local forms = Emitter.forms

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
