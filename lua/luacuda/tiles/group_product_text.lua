-- group_product_text.lua: C++ for the products of groups of four warps, by wgmma.

local layout = require "luacuda.tiles.thread_layout"
local registers = require "luacuda.tiles.registers_text"
local stages = require "luacuda.tiles.stages_text"
local wgmma = require "luacuda.tiles.wgmma_text"

local LINE, LINE_BYTES = stages.LINE, stages.LINE_BYTES

-- The descriptor of an operand. k: the text of the step of 16; row: of its first row.
local function descriptor(p, copy, swapped, k, row)
  if not swapped then
    return ("_lcu_descriptor(%s + %s / 4 * %d + (%s) * %d + %s %% 4 * 32, 1)"):format(
      stages.address(p, copy), k, copy.rows * LINE_BYTES, row, LINE_BYTES, k)
  end
  local line = copy.rows * LINE_BYTES
  return ("_lcu_descriptor(%s + (%s) / %d * %d + %s * %d, %d)"):format(stages.address(p, copy), row,
    LINE, line, k, 16 * LINE_BYTES, line >> 4)
end

local function first_row(e, w)
  local pieces = e.type.shape[1] // 64 // (w.warps // 4)
  return ("_warp / 4 * %d"):format(64 * pieces), pieces
end

local function settle(em, name, n)
  registers.each(em, n, function(r) em:line(("_lcu_settle(%s[%s]);"):format(name, r)) end)
end

-- The elements of a tile in registers as wgmma takes them, two in a register: the name of an array.
local function fragments(em, name, n)
  local out = em.unit:own_name "_a"
  em:line(("unsigned %s[%d][4];"):format(out, n // 8))
  registers.each(em, n // 2, function(r)
    em:line(("%s[%s / 4][%s %% 4] = _lcu_two(%s[%s * 2], %s[%s * 2 + 1]);"):format(out, r, r, name,
      r, name, r))
    em:line(("_lcu_settle(%s[%s / 4][%s %% 4]);"):format(out, r, r))
  end)
  return out
end

local function issue(em, e, dot, sum, left)
  local w, p = em.unit.of_tiles, stages.plan_of(em)
  local depth, columns = e.left.type.shape[2], e.type.shape[2]
  -- the first operand of wgmma is by rows of k, the second by columns of k
  local right_swapped = not dot.right_swapped
  local fn = stages.need(em, wgmma.product(e.left.type.dtype, columns, dot.in_registers,
    dot.left_swapped, right_swapped))
  local row, pieces = first_row(e, w)
  local a = left and fragments(em, left, pieces * depth // 2)
  if e.sum then settle(em, sum, pieces * columns // 2) end
  em:line "asm volatile(\"wgmma.fence.sync.aligned;\" ::: \"memory\");"
  registers.each(em, depth // 16, function(k)
    registers.each(em, pieces, function(m)
      local first = a and ("%s[%s * %d + %s]"):format(a, m, depth // 16, k)
        or descriptor(p, dot.left, dot.left_swapped, k, ("%s + %s * 64"):format(row, m))
      em:line(("%s(%s + %s * %d, %s, %s, %s);"):format(fn, sum, m, columns // 2, first,
        descriptor(p, dot.right, right_swapped, k, "0"), e.sum and "1" or k .. " > 0"))
    end)
  end)
  em:line "asm volatile(\"wgmma.commit_group.sync.aligned;\" ::: \"memory\");"
end

local function multiply(em, e, _, sum)
  local p = stages.plan_of(em)
  local dot = p.dots[e]
  local left
  if dot.in_registers then
    local own = layout.grouped(e.left.type.shape, em.unit.of_tiles.warps)
    left = registers.registers(em, e.left, own)
  end
  for _, group in ipairs(dot.wait) do
    em:line(("_lcu_barrier_wait(%s, _phase);"):format(stages.barrier(p, "full", group, "_stage")))
  end
  issue(em, e, dot, sum, left)
  if dot == p.ahead then
    em:open "if (_begun) {"
    stages.wait_for(em, 1)
    for _, group in ipairs(dot.release) do
      stages.release(em, p, group, ("(_round - 1) %% %d"):format(p.stages))
    end
    em:close "}"
    return
  end
  stages.wait_for(em, 0)
  for _, group in ipairs(dot.release) do stages.release(em, p, group, "_stage") end
end

return { multiply = multiply }
