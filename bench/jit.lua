-- Measures kernels written in Lua beside those written in CUDA, and prints tables. Started by
-- bench/jit.
--   jit.lua [NAME...]: only these pairs
local here = arg[0]:match "^(.*/)" or "./"
package.path = here .. "?.lua;" .. package.path
local cuda = require "luacuda"
local now = require "bench_clock"

-- The first use of cuda.jit loads its Lua files.
local start = now()
local _ = cuda.jit
local load_ms = (now() - start) * 1e3

local compiling, launching = require "jit_compile", require "jit_launch"
local times = require "jit_times"

local NAMES = { "saxpy", "transpose", "matmul", "nbody", "histogram", "warp_sum", "mandelbrot",
  "stencil", "black_scholes", "prefix_sum" }

cuda.use(cuda.device())
cuda.random.seed(1)
local names = #arg > 0 and arg or NAMES
local pairs_of = {}
for k, name in ipairs(names) do pairs_of[k] = require("pairs." .. name) end
print(("%s; times of a launch by events, the best of several"):format(cuda.device().name))
times.show(pairs_of)
if #arg == 0 then
  launching.show(here)
  compiling.show(pairs_of)
  print(("%-14s %10.2f   the Lua files of cuda.jit, once in a process"):format("loading",
    load_ms))
end
