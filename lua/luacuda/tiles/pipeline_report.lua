-- pipeline_report.lua: k:pipeline: what the plan of a kernel (pipeline.lua) decided, or why it has
-- none.

local columns = require "luacuda.base.columns"
local stages = require "luacuda.tiles.stages_text"
local pipeline_text = require "luacuda.tiles.pipeline_text"
local tiled = require "luacuda.tiles.tiled"

local COPY_WARPS = 4 -- of which one thread copies

-- What was decided --------------------------------------------------------------------------------

-- Why the latest call has no plan.
local function reason_of(state, w)
  local device = state.call.device
  if not state.call.groups then
    return ("%s has compute capability %d.%d, and copies run ahead on 9.0"):format(device.label,
      device.cc // 10, device.cc % 10)
  end
  return w.no_plan
end

local function copies_of(p)
  local list = {}
  for _, from in ipairs{ p.residents, p.order, p.vectors } do
    for _, copy in ipairs(from) do
      list[#list + 1] = { array = p.ctx.parameters[copy.parameter].var.name,
        shape = { copy.rows, copy.columns }, dtype = copy.load.type.dtype, bytes = copy.bytes,
        shared = copy.parts ~= nil,
        ring = not copy.resident and (copy.group and copy.group.number or #p.groups) + 1 or nil }
    end
  end
  return list
end

local function add_plan(report, w)
  local p = w.plan
  report.stages, report.stage_bytes = p.stages, p.stage_bytes
  report.ring_bytes = p.stages * p.stage_bytes
  report.persistent, report.copies = p.persistent, copies_of(p)
  report.cluster = p.cluster and p.cluster.size or 1
  report.warps, report.in_turn = 4 * p.groups_of_warps, p.in_turn
  report.overlap = p.overlap ~= nil or #p.carried > 0
  report.barriers = 2 * (stages.groups(p) * p.stages + #p.residents)
  report.copy_warps = COPY_WARPS
  report.copy_registers, report.product_registers = pipeline_text.registers(p)
end

-- Text --------------------------------------------------------------------------------------------

local Pipeline = { __name = "luacuda.TilePlan" }

local function text_of_copy(copy)
  return ("%s (%s %d x %d, %d bytes%s)"):format(copy.array, copy.dtype, copy.shape[1],
    copy.shape[2], copy.bytes, copy.shared and ", shared" or "")
end

-- The rows of rings, and of what is copied before the loop.
local function add_copies(rows, report)
  local rings, before = {}, {}
  for _, copy in ipairs(report.copies) do
    local list = before
    if copy.ring then
      list = rings[copy.ring] or {}
      rings[copy.ring] = list
    end
    list[#list + 1] = text_of_copy(copy)
  end
  for k, list in ipairs(rings) do rows[#rows + 1] = { "ring " .. k, table.concat(list, ", ") } end
  if before[1] then rows[#rows + 1] = { "before the loop", table.concat(before, ", ") } end
end

local function add_stages(rows, r)
  rows[#rows + 1] = { "stages", ("%d of %d bytes, %d bytes in all"):format(r.stages, r.stage_bytes,
    r.ring_bytes) }
  rows[#rows + 1] = { "barriers", tostring(r.barriers) }
  rows[#rows + 1] = { "products", r.overlap and "one runs on while the next round begins"
    or "complete before the next round" }
  local blocks = "one for each program"
  if r.persistent then blocks = "persistent: each runs several programs" end
  if r.in_turn then blocks = blocks .. ", two groups of warps in turn" end
  if r.cluster > 1 then blocks = ("%s, clusters of %d"):format(blocks, r.cluster) end
  rows[#rows + 1] = { "blocks", blocks }
end

local function text_of_registers(r)
  local text = ("%d in each thread"):format(r.registers)
  if r.copy_registers then
    text = ("%s at first, then %d to copy and %d to multiply"):format(text, r.copy_registers,
      r.product_registers)
  end
  if r.local_bytes > 0 then text = ("%s, %d bytes in local memory"):format(text, r.local_bytes) end
  return text
end

function Pipeline.__tostring(r)
  local rows = {}
  if not r.reason then
    add_copies(rows, r)
    add_stages(rows, r)
  end
  rows[#rows + 1] = { "warps", r.copy_warps > 0
    and ("%d multiply, %d for the thread that copies"):format(r.warps, r.copy_warps)
    or tostring(r.warps) }
  rows[#rows + 1] = { "registers", text_of_registers(r) }
  rows[#rows + 1] = { "shared memory", ("%d bytes"):format(r.shared_bytes) }
  rows[#rows + 1] = { "occupancy", ("%d %s on a multiprocessor, %.0f %% of its threads"):format(
    r.blocks_per_multiprocessor, r.blocks_per_multiprocessor == 1 and "block" or "blocks",
    100 * r.occupancy) }
  local lines = columns.lines(rows, 2)
  table.insert(lines, 1, ("%s on %s: %s"):format(r.name, r.device, r.reason
    and "no copies run ahead: " .. r.reason or "copies run ahead"))
  return table.concat(lines, "\n  ")
end

-- The method --------------------------------------------------------------------------------------

-- How many blocks fit on a multiprocessor, and their share of its threads. The first launch would
-- raise the limit of shared memory.
local function occupancy(kernel, w)
  if kernel.max_dynamic_shared_size_bytes < w.dynamic_bytes then
    kernel.max_dynamic_shared_size_bytes = w.dynamic_bytes
  end
  return kernel:occupancy(w.threads, w.dynamic_bytes)
end

-- k:pipeline(...) -> what was decided for these arguments, else for the latest call
local function pipeline(k, ...)
  local state = tiled.state_of(k, "pipeline")
  local variant, kernel = tiled.chosen(k, "pipeline", ...)
  local w = variant.unit.of_tiles
  local report = { name = state.name, device = state.call.device.label, warps = w.warps,
    copy_warps = 0, threads = w.threads, registers = kernel.num_regs,
    local_bytes = kernel.local_size_bytes,
    shared_bytes = w.dynamic_bytes + kernel.shared_size_bytes }
  if w.plan then add_plan(report, w) else report.reason = reason_of(state, w) end
  report.blocks_per_multiprocessor, report.occupancy = occupancy(kernel, w)
  return setmetatable(report, Pipeline)
end

return { pipeline = pipeline }
