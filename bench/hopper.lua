-- hopper.lua: the kernels of spec/corpus/wgmma_*.lua in large sizes: TFLOP/s, those of cuda.matmul
-- in the same run, alternating, and the relative error. Needs a GPU of compute capability 9.0; with
-- LUACUDA_CPU_ARCH=90 the CPU device runs tiny sizes, to see that everything works.
--   lua5.4 bench/hopper.lua [NAME...]
local here = arg[0]:match "^(.*/)" or "./"
package.path = here .. "../?.lua;" .. package.path
local cuda = require "luacuda"

-- m, n and k; for attention heads and n. The last ones are for the CPU device.
local SIZES = {
  { "plain", { { 4096, 4096, 4096 } }, { 128, 128, 64 } },
  { "ring", { { 4096, 4096, 4096 } }, { 128, 128, 64 } },
  { "roles", { { 4096, 4096, 4096 }, { 8192, 8192, 8192 } }, { 128, 256, 64 } },
  { "persistent", { { 4096, 12288, 4096 }, { 8192, 12288, 8192 } }, { 128, 192, 64 } },
  { "multicast", { { 4096, 4096, 4096 }, { 8192, 8192, 8192 } }, { 256, 256, 64 } },
  { "split_k", { { 512, 512, 16384 }, { 1024, 1024, 8192 } }, { 128, 128, 256 } },
  { "fp8", { { 8192, 8192, 8192 } }, { 128, 256, 128 } },
  { "attention", { { 32, 2048 }, { 32, 8192 } }, { 1, 128 } },
}
local ROUNDS, LAUNCHES = 7, 10

local on_cpu = cuda.device().kind == "cpu"
if cuda.device().cc ~= 90 then
  print("bench/hopper.lua needs a device of compute capability 9.0")
  os.exit(true, true)
end

local function device_ms(fn)
  local start, stop = cuda.event {}, cuda.event {}
  local times = on_cpu and 1 or LAUNCHES
  start:record()
  for _ = 1, times do fn() end
  stop:record()
  return stop:elapsed_ms(start) / times
end

local function median(values)
  table.sort(values)
  return values[#values // 2 + 1]
end

-- Milliseconds of both, measured in turns.
local function in_turns(one, other)
  local mine, theirs = {}, {}
  for i = 1, on_cpu and 1 or ROUNDS do
    mine[i], theirs[i] = device_ms(one), device_ms(other)
  end
  return median(mine), median(theirs)
end

local function relative_error(got, want)
  got, want = got:astype "float32", want:astype "float32"
  return math.sqrt(((got - want) ^ 2):sum() / (want ^ 2):sum())
end

local function measure(name, program, kernels, size)
  local p = program.measure(kernels, cuda, "large", size)
  p.launch()
  p.vendor()
  local right = type(p.right) == "function" and p.right() or p.right
  local wrong = relative_error(p.out, right)
  local ms, vendor_ms = in_turns(p.launch, p.vendor)
  local mine = p.operations / ms * 1e-9
  local theirs = (p.vendor_operations or p.operations) / vendor_ms * 1e-9
  print(("%-11s %-18s %7.1f TFLOP/s   cuda.matmul %7.1f   ratio %.2f   error %.1e"):format(name,
    table.concat(size, " x "), mine, theirs, mine / theirs, wrong))
end

local function run(name, sizes)
  local program = dofile(here .. "../spec/corpus/wgmma_" .. name .. ".lua")
  local options = { source = program.source }
  for key, value in pairs(program.large) do options[key] = value end
  local module <close> = cuda.module(options)
  for _, size in ipairs(sizes) do
    measure(name, program, module.kernels, size)
    collectgarbage()
  end
end

for _, row in ipairs(SIZES) do
  local name, large, tiny = table.unpack(row)
  local wanted = #arg == 0
  for _, one in ipairs(arg) do wanted = wanted or one == name end
  if wanted then run(name, on_cpu and { tiny } or large) end
end
