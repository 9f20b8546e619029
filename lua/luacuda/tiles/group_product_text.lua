-- group_product_text.lua: C++ for the products of groups of four warps, by wgmma.

local kinds = require "luacuda.tiles.tensor_kinds"
local layout = require "luacuda.tiles.thread_layout"
local registers = require "luacuda.tiles.registers_text"
local stages = require "luacuda.tiles.stages_text"
local wgmma = require "luacuda.tiles.wgmma_text"

local M = {}

local LINE, LINE_BYTES = stages.LINE, stages.LINE_BYTES

-- The descriptor of an operand. k: the text of the step of 32 bytes, or of 16 rows; row: of its
-- first row.
local function descriptor(p, copy, stage, swapped, k, row)
  local at, line = stages.place(p, copy, stage), copy.rows * LINE_BYTES // 16
  if not swapped then
    return ("_lcu_descriptor(%s + %s / 4 * %d + (%s) * %d + %s %% 4 * 2, 1)"):format(at, k, line,
      row, LINE_BYTES // 16, k)
  end
  return ("_lcu_descriptor(%s + (%s) / %d * %d + %s * %d, %d)"):format(at, row, LINE, line, k,
    LINE_BYTES, line)
end

local function first_row(e, w)
  local pieces = e.type.shape[1] // 64 // (w.warps // 4)
  return w.plan.in_turn and "0" or ("_group * %d"):format(64 * pieces), pieces
end

-- settle(em, name, n): what was computed in these registers stands before what follows, and what
-- follows reads what wgmma has left in them.
function M.settle(em, name, n)
  registers.each(em, n, function(r) em:line(("_lcu_settle(%s[%s]);"):format(name, r)) end)
end

function M.fence(em) em:line "asm volatile(\"wgmma.fence.sync.aligned;\" ::: \"memory\");" end

function M.commit(em)
  em:line "asm volatile(\"wgmma.commit_group.sync.aligned;\" ::: \"memory\");"
end

-- fragments(em, e) -> the name of a new array for the left tile of a product as wgmma takes it
function M.fragments(em, e)
  local _, pieces = first_row(e, em.unit.of_tiles)
  local name = em.unit:own_name "_a"
  em:line(("unsigned %s[%d][4];"):format(name, pieces * e.left.type.shape[2] // 16))
  return name
end

-- left(em, e) -> the name of the registers of the left tile
function M.left(em, e)
  local own = layout.grouped(e.left.type.shape, em.unit.of_tiles.warps)
  return registers.registers(em, e.left, own), own.registers
end

-- pack(em, to, name, n): n elements in registers become fragments, two in a register
function M.pack(em, to, name, n)
  registers.each(em, n // 2, function(r)
    em:line(("%s[%s / 4][%s %% 4] = _lcu_two(%s[%s * 2], %s[%s * 2 + 1]);"):format(to, r, r, name,
      r, name, r))
    em:line(("_lcu_settle(%s[%s / 4][%s %% 4]);"):format(to, r, r))
  end)
end

-- size(em, e) -> the registers of a thread's part of a product
function M.size(em, e)
  local _, pieces = first_row(e, em.unit.of_tiles)
  return pieces * e.type.shape[2] // 2
end

-- issue(em, e, sum, a, stage): the instructions of a product, and their commit. a: the name of the
-- fragments of the left tile, nil: it is in shared memory
function M.issue(em, e, sum, a, stage)
  local w, p = em.unit.of_tiles, stages.plan_of(em)
  local dot, depth, columns = p.dots[e], e.left.type.shape[2], e.type.shape[2]
  -- the first operand of wgmma is by rows of k, the second by columns of k
  local right_swapped, kind = not dot.right_swapped, kinds.of(e)
  local fn = stages.need(em, wgmma.product(kind, columns, dot.in_registers, dot.left_swapped,
    right_swapped))
  local row, pieces = first_row(e, w)
  registers.each(em, depth // kind.depth, function(k)
    registers.each(em, pieces, function(m)
      local first = a and ("%s[%s * %d + %s]"):format(a, m, depth // 16, k)
        or descriptor(p, dot.left, stage, dot.left_swapped, k, ("%s + %s * 64"):format(row, m))
      em:line(("%s(%s + %s * %d, %s, %s, %s);"):format(fn, sum, m, columns // 2, first,
        descriptor(p, dot.right, stage, right_swapped, k, "0"), e.sum and "1" or k .. " > 0"))
    end)
  end)
  M.commit(em)
end

-- multiply(em, e, sum, start): the array `sum` becomes the product; start() writes what it begins
-- with
function M.multiply(em, e, sum, start)
  local p = stages.plan_of(em)
  local dot = p.dots[e]
  if e.sum then start() end
  local left, n, a
  if dot.in_registers then left, n = M.left(em, e) end
  stages.await(em, p, dot, "_stage", "_phase")
  if left then
    a = M.fragments(em, e)
    M.pack(em, a, left, n)
  end
  if e.sum and not dot.carried then M.settle(em, sum, M.size(em, e)) end
  M.fence(em)
  M.issue(em, e, sum, a, "_stage")
  if dot.runs_on then return end
  stages.wait_for(em, 0)
  M.settle(em, sum, M.size(em, e))
  stages.release(em, p, dot, "_stage")
end

return M
