-- profile:estimate compared with another calculation of what it says, for random counts, and with
-- published figures of the GPUs.
local helper = require "spec.helper"
local estimate = require "luacuda.profiling.estimate"
local gpus = require "luacuda.profiling.gpus"

-- Clocks until a result can be used.
local WAITS = { instructions = 4, global_accesses = 500, local_accesses = 500,
  shared_accesses = 30 }

-- Published: trillions of operations per second (twice the fused ones) in single and double
-- precision and in half precision without tensor cores; GB/s; and by the tables of the CUDA
-- programming guide the most warps and blocks of a multiprocessor, and its KB of shared memory.
local PUBLISHED = {
  sm_75 = { f32 = 8.1, f64 = 0.254, f16 = 16.3, memory = 320, holds = { 32, 16, 64 } },
  sm_80 = { f32 = 19.5, f64 = 9.7, f16 = 78, memory = 1555, holds = { 64, 32, 164 } },
  sm_86 = { f32 = 35.6, f64 = 0.556, f16 = 35.6, memory = 936, holds = { 48, 16, 100 } },
  sm_89 = { f32 = 82.6, f64 = 1.29, f16 = 82.6, memory = 1008, holds = { 48, 24, 100 } },
  sm_90 = { f32 = 66.9, f64 = 33.5, f16 = 133.8, memory = 3350, holds = { 64, 32, 228 } },
  sm_120 = { f32 = 104.8, f64 = 1.637, f16 = 104.8, memory = 1792, holds = { 48, 24, 100 } },
}

local function close(want, got, what)
  if math.abs(want - got) > 1e-9 * math.abs(want) then
    error(("%s: expected %s, got %s"):format(what, want, got), 2)
  end
end

-- A kernel as a profile describes it.
local function random_kernel(rng)
  local function dims(most) return { 1 + rng(most), 1 + rng(3), 1 + rng(2) } end
  local kernel = { name = "k", launches = 1 + rng(4), block = dims(2 ^ (1 + rng(7)) // 1 | 0),
    grid = dims(2 ^ (1 + rng(12)) // 1 | 0), shared_bytes = rng(2) * rng(60000) }
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

-- Text: a line for each time that is not 0, after four lines.
local function check_text(e)
  local text, n = tostring(e) .. "\n", 0
  for line in text:gmatch "(.-)\n" do
    n = n + 1
    local limit = e.limits[n - 4]
    if limit then
      local name, number, unit = line:match "^  (%S.-)%s+([%d.]+) (.s)$"
      assert.equal(limit.name, name)
      assert.equal(limit.milliseconds >= 1 and "ms" or "us", unit)
      assert.equal(("%.3f"):format(limit.milliseconds * (unit == "us" and 1000 or 1)), number)
    end
  end
  while e.limits[n - 3] and n > 4 do
    n = n + 1
    assert.equal(0, e.limits[n - 4].milliseconds)
  end
  helper.contains(text, ("occupancy %.0f %%: %d blocks per multiprocessor, limited by "):format(
    100 * e.occupancy, e.blocks_per_multiprocessor))
end

describe("an estimate", function()
  it("has the occupancy and the times that random counts make", function()
    local rng = helper.random(23)
    for arch, gpu in pairs(gpus) do
      for _ = 1, 60 do
        local kernel, registers = random_kernel(rng), 1 + rng(255)
        local e = estimate.of(kernel, arch, gpu, registers, "given")
        local blocks = most_blocks(kernel, gpu, registers)
        assert.equal(blocks, e.blocks_per_multiprocessor)
        close(blocks * math.ceil(product(kernel.block) / 32) / gpu.warps, e.occupancy, "occupancy")
        assert.is_true(exceeded(kernel, gpu, registers, blocks + 1)[e.occupancy_limit])
        check_limits(e, times_of(kernel, gpu, blocks))
        assert.equal(blocks == 0 and "too_large" or e.limits[1].kind, e.bound)
        check_intensity(e, kernel, gpu)
        check_text(e)
        assert.same({ "k", arch, gpu.name, registers, "given" },
          { e.kernel, e.arch, e.gpu, e.registers, e.registers_from })
      end
    end
  end)

  it("knows GPUs by figures that are published", function()
    for arch, want in pairs(PUBLISHED) do
      local gpu = gpus[arch]
      for _, type in ipairs { "f32", "f64", "f16" } do
        local peak = 2 * gpu[type] * gpu.multiprocessors * gpu.clock_ghz / 1000
        assert.is_true(math.abs(peak / want[type] - 1) < 0.01, arch .. " " .. type)
      end
      assert.equal(want.memory, gpu.gb_per_s)
      assert.same({ want.holds[1], want.holds[2], want.holds[3] * 1024, 65536 },
        { gpu.warps, gpu.blocks, gpu.shared, gpu.registers })
      -- the system takes 1 KB of every block since compute capability 8.0
      assert.equal(arch == "sm_75" and 0 or 1024, gpu.reserved)
    end
    for arch in pairs(gpus) do assert.is_not_nil(PUBLISHED[arch]) end
  end)
end)
