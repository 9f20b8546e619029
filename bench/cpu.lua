-- Measures the CPU device: 10^9 thread instructions per second, milliseconds of a saxpy and of a
-- product with wmma. Prints "name value" lines. LUACUDA_CPU_THREADS sets the number of cores.
local here = arg[0]:match "^(.*/)" or "./"
package.path = here .. "?.lua;" .. package.path
local cuda = require "luacuda"
local core = require "luacuda.core"
local kernels = require "kernels"

cuda.use "cpu"

-- Runs a kernel a few times. Returns the rate and the time of the best run.
local function rate(launch, kernel, ...)
  kernel(launch, ...) -- compiles
  cuda.synchronize() -- else this launch is counted as well
  core._cpu_counters(true) -- counts from here
  kernel(launch, ...)
  cuda.synchronize()
  local instructions = core._cpu_counters(false).thread_instructions
  local best = math.huge
  for _ = 1, 3 do best = math.min(best, kernel:time_ms(launch, ...)) end
  return instructions * 1e-6 / best, best
end

local function report(name, value) print(("%s %.4f"):format(name, value)) end

local width, height = 768, 512
local steps = cuda.empty({ height, width }, "int32")
local tiles = { threads = { width, height }, block = { 32, 8 } }
local mandelbrot = cuda.kernel(kernels.mandelbrot)
report("cpu_mandelbrot", (rate(tiles, mandelbrot, steps, width, height, 256)))

local n = 256
local A, B = cuda.ones({ n, n }, "float32"), cuda.ones({ n, n }, "float32")
local C = cuda.empty({ n, n }, "float32")
local launch = { threads = { n, n }, block = { 16, 16 } }
report("cpu_matmul", (rate(launch, cuda.kernel(kernels.matmul), A, B, C, n)))
report("cpu_matmul_tiled", (rate(launch, cuda.kernel(kernels.matmul_tiled), A, B, C, n)))
assert(C:item(n, n) == n)

local halves = cuda.ones({ n, n }, "float16")
local _, product_ms = rate({ grid = { n / 16, n / 16 }, block = 32 }, cuda.kernel(kernels.wmma),
  halves, halves, C, n)
report("cpu_wmma_256", product_ms)
assert(C:item(n, n) == n)

local count = 1000000
local x, y = cuda.ones(count, "float32"), cuda.ones(count, "float32")
local _, ms = rate({ threads = count, block = 256 }, cuda.kernel(kernels.saxpy), 2, x, y, count)
report("cpu_saxpy_1e6", ms)
