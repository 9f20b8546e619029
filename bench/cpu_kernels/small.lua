-- Measures what blocks without work cost on the CPU device, in ns a block, and prints "name value"
-- lines.
--   small.lua endless: launches the largest grid of empty blocks, which only an interrupt ends, and
--   prints how long it took and by how many KiB the process grew
local cuda = require "luacuda"
local now = require "bench_clock"

cuda.use "cpu"
local empty = cuda.kernel "__global__ void empty(int n) {}"

local function peak_kib()
  local file = assert(io.open "/proc/self/status")
  local text = file:read "a"
  file:close()
  return tonumber(text:match "VmHWM:%s*(%d+)")
end

if arg[1] == "endless" then
  empty({ grid = 1000, block = 32 }, 1)
  cuda.synchronize()
  local start, before = now(), peak_kib()
  local ok = pcall(function()
    empty({ grid = 2147483647, block = 32 }, 1)
    cuda.synchronize()
  end)
  print(("endless_ms %.1f\nendless_grew %d"):format((now() - start) * 1e3, peak_kib() - before))
  os.exit(ok and 1 or 0, true)
end

for _, warps in ipairs { 1, 8, 32 } do
  local launch, best = { grid = 20000, block = 32 * warps }, math.huge
  for _ = 1, 5 do
    local start = os.clock()
    empty(launch, 1)
    cuda.synchronize()
    best = math.min(best, (os.clock() - start) * 1e9 / 20000)
  end
  print(("empty_block_%d %.1f"):format(warps, best))
end
