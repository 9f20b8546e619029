-- source_array.lua: the array that a tile is loaded from, and what is known of it.

local slots = require "luacuda.jit.typed.slots"

local M = {}

-- is_zero(e): is an expression the constant 0?
function M.is_zero(e) return e.op == "const" and e.value == 0 end

-- parameter_of(ctx, array) -> the number of the parameter that it is, if that is contiguous and is
-- not assigned; nil
function M.parameter_of(ctx, array)
  while array.op == "row" do array = array.array end
  for k, slot in ipairs(ctx.parameters) do
    local plain = slot.type.layout == "contiguous" and not slot.assigned
    if slot == array.slot and plain then return k end
  end
end

-- is_packed(array) -> do its address, and rows if it is contiguous, begin at multiples of 16 bytes?
-- nil: known only when the kernel runs
function M.is_packed(array)
  while array.op == "row" do array = array.array end
  local slot = array.slot
  if slot and not slot.assigned then return slot.packed end
end

-- is_written(array): does the kernel write to it?
function M.is_written(array) return slots.origin(slots.origin_of(array)).written end

return M
