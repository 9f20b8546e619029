-- profile:estimate compared with another calculation of what it says, for random counts, and with
-- published figures of the GPUs.
local helper = require "spec.helper"
require "luacuda"
local estimate = require "luacuda.profiling.estimate"
local gpus = require "luacuda.profiling.gpus"

-- Clocks until a result can be used.
local WAITS = { instructions = 4, global_accesses = 500, local_accesses = 500,
  shared_accesses = 30 }

-- Published: trillions of operations per second in single precision (twice the fused ones) and of
-- the tensor cores; multiprocessors; GB/s; and by the tables of the CUDA programming guide how many
-- times as many results a multiprocessor gives in half and double precision as in single precision,
-- and its most warps, its most blocks and its KB of shared memory.
local PUBLISHED = {
  sm_75 = { f32 = 8.14, tensor = 65, multiprocessors = 40, memory = 320, f16 = 2, f64 = 1 / 32,
    holds = { 32, 16, 64 } },
  sm_80 = { f32 = 19.5, tensor = 312, multiprocessors = 108, memory = 1555, f16 = 4, f64 = 1 / 2,
    holds = { 64, 32, 164 } },
  sm_86 = { f32 = 35.6, tensor = 71, multiprocessors = 82, memory = 936, f16 = 1, f64 = 1 / 64,
    holds = { 48, 16, 100 } },
  sm_89 = { f32 = 82.6, tensor = 165.2, multiprocessors = 128, memory = 1008, f16 = 1,
    f64 = 1 / 64, holds = { 48, 24, 100 } },
  sm_90 = { f32 = 66.9, tensor = 989.4, multiprocessors = 132, memory = 3350, f16 = 2,
    f64 = 1 / 2, holds = { 64, 32, 228 } },
  sm_120 = { f32 = 104.8, tensor = 209.5, multiprocessors = 170, memory = 1792, f16 = 1,
    f64 = 1 / 64, holds = { 48, 24, 100 } },
}

local function close(want, got, what)
  if math.abs(want - got) > 1e-9 * math.abs(want) then
    error(("%s: expected %s, got %s"):format(what, want, got), 2)
  end
end

-- Shared memory of a block of which n fit on a multiprocessor, or one byte more or less.
local function random_shared(rng, gpu)
  if rng(2) == 0 then return 0 end
  return gpu.shared // (1 + rng(16)) // 128 * 128 - gpu.reserved + rng(3) - 1
end

-- A kernel as a profile describes it.
local function random_kernel(rng, gpu)
  local function dims(most) return { 1 + rng(most), 1 + rng(3), 1 + rng(2) } end
  local kernel = { name = "k", launches = 1 + rng(4), block = dims(2 ^ (1 + rng(7)) // 1 | 0),
    grid = dims(2 ^ (1 + rng(12)) // 1 | 0), shared_bytes = random_shared(rng, gpu) }
  for _, name in ipairs { "instructions", "global_accesses", "local_accesses", "shared_accesses",
    "shared_wavefronts", "global_sectors", "local_sectors", "global_bytes", "f16_operations",
    "f32_operations", "f64_operations", "tensor_operations" } do
    kernel[name] = rng(3) > 0 and rng(10 ^ (1 + rng(12)) // 1 | 0) or 0
  end
  return kernel
end

local function product(dims) return dims[1] * dims[2] * dims[3] end

-- Do n blocks fit on a multiprocessor? Which of its resources n blocks exceed.
local function exceeded(kernel, gpu, registers, n)
  local warps = math.ceil(product(kernel.block) / 32)
  -- Each of the four schedulers has a quarter of the registers and takes them in units of 256.
  local units = math.ceil(32 * registers / 256)
  local of_quarter = math.floor(gpu.registers / 4 / 256 / units)
  local shared = math.ceil((kernel.shared_bytes + gpu.reserved) / 128) * 128
  return { blocks = n > gpu.blocks, warps = n * warps > gpu.warps,
    registers = n * warps > 4 * of_quarter,
    shared = kernel.shared_bytes > 0 and n * shared > gpu.shared }
end

local function fits(...)
  for _, is_over in pairs(exceeded(...)) do
    if is_over then return false end
  end
  return true
end

local function most_blocks(...)
  local n = 0
  local given = { ... }
  repeat
    n = n + 1
    given[4] = n
  until not fits(table.unpack(given))
  return n - 1
end

-- Name -> milliseconds of a launch.
local function times_of(kernel, gpu, blocks)
  local busy = math.min(gpu.multiprocessors, product(kernel.grid))
  local function of_clocks(clocks) return clocks / kernel.launches / busy / gpu.clock_ghz / 1e6 end
  local times = {
    ["device memory"] = kernel.global_bytes / kernel.launches / (gpu.gb_per_s * 1e6),
    ["L1 and shared memory"] = of_clocks(kernel.shared_wavefronts
      + 0.25 * kernel.global_sectors + 0.25 * kernel.local_sectors),
    ["issue of instructions"] = of_clocks(0.25 * kernel.instructions),
    ["tensor cores"] = kernel.tensor_operations / kernel.launches
      / (gpu.tensor_tflops * 1e9 * busy / gpu.multiprocessors),
  }
  for _, type in ipairs { "f16", "f32", "f64" } do
    times[type .. " arithmetic"] = of_clocks(kernel[type .. "_operations"] / gpu[type] / 2)
  end
  local waits = 0
  for name, clocks in pairs(WAITS) do waits = waits + clocks * kernel[name] end
  local warps = math.ceil(product(kernel.block) / 32)
  local together = math.min(product(kernel.grid) * warps, math.max(1, blocks * warps * busy))
  times.latency = waits / kernel.launches / together / (gpu.clock_ghz * 1e6)
  return times
end

local KINDS = { ["device memory"] = "memory", ["L1 and shared memory"] = "memory",
  latency = "latency" }

local function check_limits(e, want)
  local seen, least = {}, math.huge
  for _, limit in ipairs(e.limits) do
    seen[limit.name] = true
    close(want[limit.name], limit.milliseconds, limit.name)
    assert.equal(KINDS[limit.name] or "compute", limit.kind)
    assert.is_true(limit.milliseconds <= least)
    least = limit.milliseconds
  end
  for name in pairs(want) do assert.is_true(seen[name], name) end
  assert.equal(e.limits[1].milliseconds, e.milliseconds)
end

local function check_intensity(e, kernel, gpu)
  local operations = 0
  for _, type in ipairs { "f16", "f32", "f64", "tensor" } do
    operations = operations + kernel[type .. "_operations"]
  end
  if kernel.global_bytes == 0 then assert.equal(math.huge, e.intensity)
  else close(operations / kernel.global_bytes, e.intensity, "intensity") end
  close(gpu.f32 * 2 * gpu.clock_ghz * 1e9 * gpu.multiprocessors / (gpu.gb_per_s * 1e9), e.balance,
    "balance")
end

local BOUNDS = { memory = "bound by memory", compute = "bound by computing",
  latency = "bound by latency: too few warps to hide the waits",
  too_large = "a block does not fit on a multiprocessor" }

local FROM = { cubin = "of machine code", ptx = "an estimate from PTX", given = "given" }

-- The text: four lines, and one for each time that is not 0.
local function check_text(e)
  local lines = {}
  for line in (tostring(e) .. "\n"):gmatch "(.-)\n" do lines[#lines + 1] = line end
  assert.equal(("estimate for %s (%s): kernel k is %s"):format(e.gpu, e.arch, BOUNDS[e.bound]),
    lines[1])
  assert.equal(("occupancy %.0f %%: %d blocks per multiprocessor, limited by %s; %d registers per "
    .. "thread (%s)"):format(100 * e.occupancy, e.blocks_per_multiprocessor,
    e.occupancy_limit == "shared" and "shared memory" or e.occupancy_limit, e.registers,
    FROM[e.registers_from]), lines[2])
  assert.equal(("%.2f floating-point operations per byte; f32 arithmetic and memory are balanced "
    .. "at %.1f"):format(e.intensity, e.balance), lines[3])
  assert.equal("a launch takes at least, with each part alone and busy all the time:", lines[4])
  local width
  for i, limit in ipairs(e.limits) do
    local time, line = limit.milliseconds, lines[i + 4]
    if time == 0 then
      assert.is_nil(line)
    else
      assert.equal(limit.name, line:match "^  (%S.-)  ")
      assert.equal(time >= 1 and ("%.3f ms"):format(time) or ("%.3f us"):format(1000 * time),
        line:match "  ([%d.]+ .s)$")
      width = width or #line
      assert.equal(width, #line)
    end
  end
end

describe("an estimate", function()
  it("has the occupancy and the times that random counts make", function()
    local rng = helper.random(23)
    for arch, gpu in pairs(gpus) do
      for _ = 1, 60 do
        local from = ({ "given", "cubin", "ptx" })[1 + rng(3)]
        local kernel, registers = random_kernel(rng, gpu), 1 + rng(255)
        local e = estimate.of(kernel, arch, gpu, registers, from)
        local blocks = most_blocks(kernel, gpu, registers)
        assert.equal(blocks, e.blocks_per_multiprocessor)
        close(blocks * math.ceil(product(kernel.block) / 32) / gpu.warps, e.occupancy, "occupancy")
        assert.is_true(exceeded(kernel, gpu, registers, blocks + 1)[e.occupancy_limit])
        check_limits(e, times_of(kernel, gpu, blocks))
        assert.equal(blocks == 0 and "too_large" or e.limits[1].kind, e.bound)
        check_intensity(e, kernel, gpu)
        check_text(e)
        assert.same({ "k", arch, gpu.name, registers, from },
          { e.kernel, e.arch, e.gpu, e.registers, e.registers_from })
      end
    end
  end)

  it("has no other fields", function()
    local kernel = random_kernel(helper.random(1), gpus.sm_80)
    local e = estimate.of(kernel, "sm_80", gpus.sm_80, 32, "given")
    assert.matches("^Estimate has no field or method 'bounds'; did you mean 'bound'",
      helper.misuse(function() return e.bounds end))
  end)

  it("knows GPUs by figures that are published", function()
    for arch, want in pairs(PUBLISHED) do
      local gpu = gpus[arch]
      local peak = 2 * gpu.f32 * gpu.multiprocessors * gpu.clock_ghz / 1000
      assert.is_true(math.abs(peak / want.f32 - 1) < 0.003, arch)
      assert.same({ want.f16, want.f64, want.tensor, want.multiprocessors, want.memory },
        { gpu.f16 / gpu.f32, gpu.f64 / gpu.f32, gpu.tensor_tflops, gpu.multiprocessors,
          gpu.gb_per_s })
      assert.same({ want.holds[1], want.holds[2], want.holds[3] * 1024, 65536 },
        { gpu.warps, gpu.blocks, gpu.shared, gpu.registers })
      -- the system takes 1 KB of every block since compute capability 8.0
      assert.equal(arch == "sm_75" and 0 or 1024, gpu.reserved)
    end
    for arch in pairs(gpus) do assert.is_not_nil(PUBLISHED[arch]) end
  end)
end)
