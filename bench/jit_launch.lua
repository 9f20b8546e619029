-- jit_launch.lua: microseconds that launches take on the host.
local cuda = require "luacuda"
local batches = require "batches"
local commands = require "commands"
local kernels = require "kernels"
local tiles = require "tiles_launch"

local BATCHES, LAUNCHES, ROUNDS = 51, 200, 3
local BOUND = 1.15      -- of a prepared launch in C

local M = {}

-- { name, the function that launches }
local function rows()
  local saxpy = cuda.kernel(kernels.saxpy)
  local jit = cuda.jit(function(a, x, y)
    for i in grid(#x) do y[i] = a * x[i] + y[i] end
  end)
  local map = cuda.vectorize(function(a, x) return a * x + 1 end)
  local map_c = cuda.elementwise("float a, float x", "float y", "y = a * x + 1")
  local map_lua = cuda.elementwise("float a, float x", "float y", function(a, x)
    return a * x + 1
  end)
  local one = 1
  local map_upvalue = cuda.elementwise("float a, float x", "float y", function(a, x)
    return a * x + one
  end)
  local x, y = cuda.zeros(256), cuda.zeros(256)
  local launch, options = { grid = 1, block = 256 }, { out = y }
  local prepared = saxpy:prepare(launch)
  local jit_prepared = jit:prepare(launch, 2, x, y)
  local list = {
    { "cuda.kernel, prepared", function() prepared(2, x, y, 256) end },
    { "cuda.kernel, launch table", function() saxpy(launch, 2, x, y, 256) end },
    { "cuda.jit, prepared", function() jit_prepared() end },
    { "cuda.jit, launch table", function() jit(launch, 2, x, y) end },
    { "cuda.elementwise, out", function() map_c(2, x, options) end },
    { "cuda.elementwise, Lua, out", function() map_lua(2, x, options) end },
    { "  with an upvalue", function() map_upvalue(2, x, options) end },
    { "cuda.vectorize, out", function() map(2, x, options) end },
  }
  for _, row in ipairs(tiles.rows()) do list[#list + 1] = row end
  return list
end

-- Figures of C and Python, in processes of their own; empty on the CPU device.
local function others(here)
  if cuda.device().kind == "cpu" then return {} end
  local cubin = os.getenv "LUACUDA_BENCH" .. "/saxpy.cubin"
  local file = assert(io.open(cubin, "wb"))
  file:write((cuda.compile(kernels.saxpy .. kernels.fetch, { target = "cubin" })))
  file:close()
  local limit = commands.measure(commands.quote(os.getenv "LUACUDA_BENCH" .. "/limit")
    .. " launch " .. commands.quote(cubin))
  local peers = commands.measure("python3 " .. commands.quote(here .. "peer_jit.py")
    .. " 2>/dev/null")
  return { limit = limit.launch_prepared, cupy = peers.cupy_jit, numba = peers.numba_jit }
end

local function show_row(name, us, limit, bound)
  local ratio = limit and ("%7.3f %s"):format(us / limit,
    not bound and "" or us / limit <= bound and "ok" or "MISSED") or ""
  print(("%-28s %8.3f %s"):format(name, us, ratio))
end

-- Prints a row for each way to launch.
function M.show(here)
  local list, best = rows(), {}
  local other = others(here)
  for _ = 1, ROUNDS do
    for k, one in ipairs(list) do
      best[k] = math.min(best[k] or math.huge, batches.us(one[2], BATCHES, LAUNCHES))
    end
  end
  local limit = other.limit or best[1]
  print(("\nmicroseconds of a launch; ratio to %s"):format(other.limit and "C"
    or "a prepared launch of cuda.kernel"))
  if other.limit then show_row("C, cuLaunchKernel", other.limit) end
  for k, one in ipairs(list) do
    show_row(one[1], best[k], limit, (one[1]:find "cuda.jit" or one[1]:find "cuda.tiled") and BOUND)
  end
  if other.cupy then show_row("CuPy, cupyx.jit.rawkernel", other.cupy, limit) end
  if other.numba then show_row("Numba, cuda.jit", other.numba, limit) end
end

return M
