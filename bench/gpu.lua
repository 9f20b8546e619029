-- Measures LuaCUDA on GPU 0 and prints "name value" lines with the names of limit.c.
--   gpu.lua [CUBIN]: first writes the cubin of saxpy and fetch to that file, for limit.c
local here = arg[0]:match "^(.*/)" or "./"
package.path = here .. "?.lua;" .. package.path
local cuda = require "luacuda"
local batches = require "batches"
local kernels, now = require "kernels", require "bench_clock"

local BATCHES, LAUNCHES, GRAPH, COPY_BYTES = 101, 200, 1000, 256 << 20

local median = batches.median

-- Microseconds that a call of fn takes on the host.
local function batch_us(fn) return batches.us(fn, BATCHES, LAUNCHES) end

-- other: a second device to wait for
local function copy_gbs(dst, src, other)
  local values = {}
  for i = 1, 11 do
    local start = now()
    cuda.copy(dst, src)
    cuda.synchronize()
    if other then other:synchronize() end
    values[i] = now() - start
  end
  return COPY_BYTES * 1e-9 / median(values)
end

local function report(name, value) print(("%s %.4f"):format(name, value)) end

cuda.use(0)
if arg[1] then
  local file = assert(io.open(arg[1], "wb"))
  file:write((cuda.compile(kernels.saxpy .. kernels.fetch, { target = "cubin" })))
  file:close()
end

local saxpy, x = cuda.kernel(kernels.saxpy), cuda.zeros(256, "float32")
local prepared, launch = saxpy:prepare { grid = 1, block = 256 }, { grid = 1, block = 256 }
report("launch_prepared", batch_us(function() prepared(2, x, x, 0) end))
report("launch_table", batch_us(function() saxpy(launch, 2, x, x, 0) end))

local graph = cuda.graph(function() for _ = 1, GRAPH do prepared(2, x, x, 0) end end)
local replays = {}
for b = 1, BATCHES do
  local start = now()
  graph:launch()
  cuda.synchronize()
  replays[b] = (now() - start) * 1e6 / GRAPH
end
report("graph_replay", median(replays))
graph:close()

report("alloc_free_1MiB", batch_us(function() cuda.empty(262144, "float32"):free() end))
report("from_dlpack", batch_us(function() cuda.from_dlpack(x:dlpack()):free() end))

-- Small copies between plain host memory and the device, each waited for.
for name, bytes in pairs { ["4B"] = 4, ["4KiB"] = 4096 } do
  local host, there = cuda.host(bytes, "uint8", { zeros = true }), cuda.zeros(bytes, "uint8")
  report("h2d_" .. name, batch_us(function()
    cuda.copy(there, host)
    cuda.synchronize()
  end))
  report("d2h_" .. name, batch_us(function()
    cuda.copy(host, there)
    cuda.synchronize()
  end))
end

-- Microseconds of a launch, the device's work included.
local function kernel_us(fn)
  local values = {}
  for b = 1, 11 do
    local start = now()
    for _ = 1, LAUNCHES do fn() end
    cuda.synchronize()
    values[b] = (now() - start) * 1e6 / LAUNCHES
  end
  return median(values)
end

local image = cuda.texture(cuda.cuda_array({ 1024, 1024 }):set(1), { filter = "linear" })
local fetch, sums = cuda.kernel(kernels.fetch), cuda.empty { 1024, 1024 }
local fetch_all = fetch:prepare { grid = { 64, 64 }, block = { 16, 16 } }
report("texture_fetch", kernel_us(function() fetch_all(sums, image) end))

local pinned, device = cuda.pinned(COPY_BYTES, "uint8"), cuda.empty(COPY_BYTES, "uint8")
pinned:fill(1)
report("pinned_to_device", copy_gbs(device, pinned))
report("device_to_pinned", copy_gbs(pinned, device))

local others = cuda.devices()
if #others > 2 then                -- the CPU device is the last
  local there = cuda.empty(COPY_BYTES, "uint8", { device = others[2] })
  report("gpu_to_gpu", copy_gbs(there, device, others[2]))
end
