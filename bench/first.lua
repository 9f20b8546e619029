-- A first result from process start: the same saxpy as `limit first`. bench/run times the process.
local here = arg[0]:match "^(.*/)" or "./"
package.path = here .. "?.lua;" .. package.path
local cuda = require "luacuda"

local saxpy = cuda.kernel(require "kernels".saxpy)
local x, y = cuda.arange(1000, "float32"), cuda.arange(1000, "float32")
saxpy({ threads = 1000 }, 2, x, y, 1000)
assert(y:totable()[1000] == 2997)
