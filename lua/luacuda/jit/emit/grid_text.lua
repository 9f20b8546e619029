-- grid_text.lua: C++ loops for `in grid(...)`. They count from 0, as addresses do. Most launches
-- have a thread for each index, so loops are not unrolled, and a short body also stands before
-- them without loops, for grids that have a thread for each index.

local bound = require("luacuda.jit.emit.loop_text").bound
local nodes = require "luacuda.jit.typed.nodes"

local forms = {}

local AXES = { "x", "y", "z" }
local SHORT_BODY = 6    -- statements

-- Can the loop count with 32 bits? The grid must also be small.
local function is_short(em, slot, extent)
  local _, hi = nodes.range(extent)
  return em.unit.small and hi <= nodes.SMALL and em:slot_type(slot) == "int32"
end

-- The extent, as a number of 32 bits where the loop is short.
local function end_of(em, extent, short)
  local last = bound(em, extent)
  if not short then return last end
  if nodes.range(extent) >= 0 then return "(uint32)" .. last end
  return em:temporary("uint32", ("%s < 0 ? 0 : (uint32)%s"):format(last, last))
end

-- The axes of a loop: { slot, short, stop = the extent, first, step = C++ texts }. The last extent
-- is along x, where threads are neighbors.
local function axes_of(em, s)
  local list = {}
  for k, slot in ipairs(s.slots) do
    local letter, short = AXES[#s.slots - k + 1], is_short(em, slot, s.extents[k])
    local cast = short and "" or "(int64)"
    list[k] = { slot = slot, short = short, stop = end_of(em, s.extents[k], short),
      first = ("%sblockIdx.%s * blockDim.%s + threadIdx.%s"):format(cast, letter, letter, letter),
      step = ("%sgridDim.%s * blockDim.%s"):format(cast, letter, letter) }
  end
  return list
end

local function declare_counter(em, axis)
  axis.counter = em.unit:own_name "_i"
  em:declare(axis.short and "uint32" or "int64", axis.counter, axis.first)
end

-- The variable of the script.
local function declare_index(em, axis)
  local ctype = em:slot_type(axis.slot)
  em:declare(ctype, axis.slot.name, (ctype == "int32" and "(int32)" or "") .. axis.counter
    .. " + 1")
end

-- Loops -------------------------------------------------------------------------------------------

local function loops(em, s, axes)
  for _, axis in ipairs(axes) do
    declare_counter(em, axis)
    em:line "#pragma unroll 1"
    em:open(("for (; %s < %s; %s += %s) {"):format(axis.counter, axis.stop, axis.counter,
      axis.step))
    declare_index(em, axis)
  end
  em:block(s.body)
  for _ in ipairs(axes) do em:close "}" end
end

-- Without loops -----------------------------------------------------------------------------------

local count -- of the statements of a body without effects, math.huge for others

local plain = {
  declare = function(s)
    return (s.slot.shared or s.value and s.value.effect) and math.huge or 1
  end,
  assign = function(s)
    for _, pair in ipairs(s.pairs) do
      if pair.value.effect or pair.place and pair.place.effect then return math.huge end
    end
    return #s.pairs
  end,
  ["if"] = function(s)
    local n = s.orelse and count(s.orelse) or 0
    for _, one in ipairs(s.clauses) do
      n = n + (one.cond and one.cond.effect and math.huge or 1) + count(one.body or {})
    end
    return n
  end,
}
plain["do"] = function(s) return count(s.body) end

function count(list)
  local n = 0
  for _, s in ipairs(list) do n = n + (plain[s.op] and plain[s.op](s) or math.huge) end
  return n
end

-- May the body stand twice? Loops, barriers and the like take longer than a loop around them.
local function is_short_body(em, s, axes)
  for _, axis in ipairs(axes) do
    if not axis.short then return false end
  end
  return not em.hoisted and count(s.body) <= SHORT_BODY
end

-- The body for the index of this thread, if there is one.
local function once(em, s, axes)
  local tests = {}
  for k, axis in ipairs(axes) do
    declare_counter(em, axis)
    tests[k] = ("%s < %s"):format(axis.counter, axis.stop)
  end
  em:open(("if (%s) {"):format(table.concat(tests, " && ")))
  for _, axis in ipairs(axes) do declare_index(em, axis) end
  em:block(s.body)
  em:close "}"
end

function forms.grid(em, s)
  em:open "{"
  local axes = axes_of(em, s)
  if is_short_body(em, s, axes) then
    local covered = {}
    for k, axis in ipairs(axes) do covered[k] = ("%s >= %s"):format(axis.step, axis.stop) end
    em:open(("if (%s) {"):format(table.concat(covered, " && ")))
    once(em, s, axes)
    em:between "} else {"
    loops(em, s, axes)
    em:close "}"
  else loops(em, s, axes) end
  em:close "}"
end

return { statements = forms }
