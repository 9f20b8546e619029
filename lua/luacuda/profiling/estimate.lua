-- estimate.lua: profile:estimate: what a profiled kernel would be limited by on a GPU. Each part of
-- a GPU has a time that it needs at least; the longest is the bound.

local columns = require "luacuda.base.columns"
local class = require "luacuda.base.class"

local LANES, SCHEDULERS = 32, 4
local SECTORS_PER_CLOCK = 4 -- of 32 bytes, which L1 gives a multiprocessor
-- Clocks until a result can be used: round assumptions, of the order that hardware of these
-- architectures has. Only the estimate of latency depends on them.
local LATENCY = { arithmetic = 4, shared = 30, global = 500 }
local REGISTER_UNIT, SHARED_UNIT = 256, 128 -- per warp; bytes per block

local Estimate = class.new("Estimate", {}, { "arch", "gpu", "bound", "limits", "milliseconds",
  "registers", "registers_from", "occupancy", "blocks_per_multiprocessor", "occupancy_limit",
  "kernel", "intensity", "balance" })

local function round_up(n, unit) return (n + unit - 1) // unit * unit end

-- Occupancy ---------------------------------------------------------------------------------------

-- Blocks of a kernel that a multiprocessor holds, and what limits them. Each scheduler has its own
-- part of the registers, so whole warps have to fit into a part.
local function resident(kernel, gpu, registers)
  local threads = kernel.block[1] * kernel.block[2] * kernel.block[3]
  local warps = (threads + LANES - 1) // LANES
  local shared = round_up(kernel.shared_bytes + gpu.reserved, SHARED_UNIT)
  local per_warp = round_up(math.max(registers, 1) * LANES, REGISTER_UNIT)
  local limits = {
    { "blocks", gpu.blocks }, { "warps", gpu.warps // warps },
    { "registers", gpu.registers // SCHEDULERS // per_warp * SCHEDULERS // warps },
    { "shared", kernel.shared_bytes > 0 and gpu.shared // shared or math.huge },
  }
  local least = limits[1]
  for _, limit in ipairs(limits) do
    if limit[2] < least[2] then least = limit end
  end
  return math.tointeger(least[2]), least[1], warps
end

-- Times -------------------------------------------------------------------------------------------

local function volume(dims) return dims[1] * dims[2] * dims[3] end

-- Clocks that the warps would take if each waited for every result, spread over those that are
-- resident together.
local function latency_clocks(kernel, at_once, warps)
  local all = volume(kernel.grid) * warps * kernel.launches
  local waits = kernel.instructions * LATENCY.arithmetic
    + (kernel.global_accesses + kernel.local_accesses) * LATENCY.global
    + kernel.shared_accesses * LATENCY.shared
  return waits / math.min(all / kernel.launches, math.max(at_once, 1))
end

-- List of { name =, kind =, milliseconds = } per launch, the longest first.
local function limits_of(kernel, gpu, blocks, warps)
  local used = math.min(gpu.multiprocessors, volume(kernel.grid))
  local per_clock = 1 / (gpu.clock_ghz * 1e6) / kernel.launches -- clocks -> milliseconds
  local list = {}
  local function add(name, kind, milliseconds)
    list[#list + 1] = { name = name, kind = kind, milliseconds = milliseconds }
  end
  local function clocks(name, kind, n) add(name, kind, n * per_clock / used) end
  add("device memory", "memory", kernel.global_bytes / kernel.launches / gpu.gb_per_s / 1e6)
  clocks("L1 and shared memory", "memory", kernel.shared_wavefronts
    + (kernel.global_sectors + kernel.local_sectors) / SECTORS_PER_CLOCK)
  clocks("issue of instructions", "compute", kernel.instructions / SCHEDULERS)
  for _, type in ipairs { "f16", "f32", "f64" } do
    clocks(type .. " arithmetic", "compute", kernel[type .. "_operations"] / (2 * gpu[type]))
  end
  add("tensor cores", "compute", kernel.tensor_operations / kernel.launches
    / gpu.tensor_tflops / 1e9 * gpu.multiprocessors / used)
  add("latency", "latency", latency_clocks(kernel, blocks * warps * used, warps) * per_clock)
  table.sort(list, function(a, b) return a.milliseconds > b.milliseconds end)
  return list
end

-- Floating-point operations per byte of device memory: of the kernel, and where the GPU's memory
-- and arithmetic would take the same time.
local function intensity_of(kernel)
  local operations = kernel.f16_operations + kernel.f32_operations + kernel.f64_operations
    + kernel.tensor_operations
  return kernel.global_bytes > 0 and operations / kernel.global_bytes or math.huge
end

local function balance_of(gpu)
  return 2 * gpu.f32 * gpu.multiprocessors * gpu.clock_ghz / gpu.gb_per_s
end

-- estimate.of(kernel, arch, gpu, registers, from) -> Estimate. kernel: of a LineProfile.
local function of(kernel, arch, gpu, registers, from)
  local blocks, limit, warps = resident(kernel, gpu, registers)
  local list = limits_of(kernel, gpu, blocks, warps)
  local fits = blocks > 0
  return setmetatable({ kernel = kernel.name, arch = arch, gpu = gpu.name,
    registers = registers, registers_from = from, blocks_per_multiprocessor = blocks,
    occupancy = blocks * warps / gpu.warps, occupancy_limit = limit, limits = list,
    bound = fits and list[1].kind or "too_large", milliseconds = list[1].milliseconds,
    intensity = intensity_of(kernel), balance = balance_of(gpu) }, Estimate)
end

-- Text --------------------------------------------------------------------------------------------

local SENTENCES = {
  memory = "bound by memory", compute = "bound by computing",
  latency = "bound by latency: too few warps to hide the waits",
  too_large = "a block does not fit on a multiprocessor",
}

local function time(milliseconds)
  if milliseconds >= 1 then return ("%.3f ms"):format(milliseconds) end
  return ("%.3f us"):format(1000 * milliseconds)
end

local FROM = { cubin = "of machine code", ptx = "an estimate from PTX", given = "given" }
local LIMIT = { shared = "shared memory" }

-- What it says: sentences about the bound, the occupancy and the intensity.
local function sentences_of(e)
  return {
    ("kernel %s is %s"):format(e.kernel, SENTENCES[e.bound]),
    ("occupancy %.0f %%: %d blocks per multiprocessor, limited by %s; %d registers per thread (%s)")
      :format(100 * e.occupancy, e.blocks_per_multiprocessor,
      LIMIT[e.occupancy_limit] or e.occupancy_limit, e.registers, FROM[e.registers_from]),
    ("%.2f floating-point operations per byte; f32 arithmetic and memory are balanced at %.1f")
      :format(e.intensity, e.balance),
    "a launch takes at least, with each part alone and busy all the time:",
  }
end

function Estimate:__tostring()
  local lines, rows = sentences_of(self), {}
  lines[1] = ("estimate for %s (%s): %s"):format(self.gpu, self.arch, lines[1])
  for _, limit in ipairs(self.limits) do
    if limit.milliseconds > 0 then
      rows[#rows + 1] = { "  " .. limit.name, time(limit.milliseconds) }
    end
  end
  return table.concat(lines, "\n") .. "\n" .. table.concat(columns.lines(rows, 1), "\n")
end

return { of = of, sentences = sentences_of, time = time }
