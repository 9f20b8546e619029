-- Measures array operations of LuaCUDA on GPU 0 and prints "name value" lines. Rows that
-- bench/arrays.lua shows as a share of the copy bandwidth are in GB/s, where each input counts as
-- read once and each output as written once. Others are Gkeys/s, TFLOP/s or microseconds per call.
--   array_rows.lua [NAME...]: only these rows
local cuda = require "luacuda"
local now = require "bench_clock"

local N, SIDE, RUNS, REPEAT, ROUNDS = 1 << 28, 1 << 14, 11, 5, 5
local only = {}
for _, name in ipairs(arg) do only[name] = true end

local function median(values)
  table.sort(values)
  return values[#values // 2 + 1]
end

-- Milliseconds that a call of fn takes on the device, over several consecutive calls.
local function device_ms(fn)
  local start, stop, values = cuda.event {}, cuda.event {}, {}
  fn()
  fn()
  for i = 1, RUNS do
    start:record()
    for _ = 1, REPEAT do fn() end
    stop:record()
    values[i] = stop:elapsed_ms(start) / REPEAT
  end
  return median(values)
end

-- Microseconds that a call of fn takes on the host, without waiting for the device.
local function call_us(fn)
  local values = {}
  for b = 1, 51 do
    local start = now()
    for _ = 1, 200 do fn() end
    values[b] = (now() - start) * 1e6 / 200
    cuda.synchronize()
  end
  return median(values)
end

-- One measurement. `make` measures and returns the value, so its arrays are garbage afterwards.
local function row(name, make)
  if next(only) and not only[name] then return end
  local ok, value = pcall(make)
  if ok then print(("%s %.4f"):format(name, value))
  else io.stderr:write(name, ": ", tostring(value), "\n") end
  collectgarbage()
  collectgarbage()
end

local function rate(bytes, fn) return bytes * 1e-6 / device_ms(fn) end

local function empty(dtype, n) return cuda.zeros(n or N, dtype) end

cuda.use(0)

row("copy", function()
  local x, z = empty "float32", empty "float32"
  return rate(8 * N, function() cuda.copy(z, x) end)
end)

-- Elementwise -------------------------------------------------------------------------------------

local square = cuda.elementwise("T x, T y", "T z", "z = (x - y) * (x - y)", "squared_difference")

local function binary(dtype, bytes)
  return function()
    local x, y, z = empty(dtype), empty(dtype), empty(dtype)
    return rate(3 * bytes * N, function() square(x, y, z) end)
  end
end
row("elementwise_float32", binary("float32", 4))
row("elementwise_float16", binary("float16", 2))
row("elementwise_uint8", binary("uint8", 1))
row("row_broadcast", function()
  local x, y = empty("float32", { SIDE, SIDE }), empty("float32", SIDE)
  local z = empty("float32", { SIDE, SIDE })
  return rate(8 * N + 4 * SIDE, function() square(x, y, z) end)
end)
row("transposed_input", function()
  local x = empty("float32", { SIDE, SIDE }):transpose()
  local y, z = empty("float32", { SIDE, SIDE }), empty("float32", { SIDE, SIDE })
  return rate(12 * N, function() square(x, y, z) end)
end)
row("astype_float16", function()
  local x = empty "float32"
  return rate(6 * N, function() x:astype "float16":free() end)
end)
row("copy_transpose3", function()
  local x = empty("float32", { 512, 512, 1024 }):transpose(3, 2, 1)
  return rate(8 * N, function() x:copy():free() end)
end)
row("where", function()
  local c, x, y, z = empty "bool", empty "float32", empty "float32", empty "float32"
  return rate(13 * N, function() cuda.where(c, x, y, { out = z }) end)
end)
row("fuse", function()
  local f = cuda.fuse(function(x, y) return (x - y) * (x - y) end)
  local x, y, z = empty "float32", empty "float32", empty "float32"
  return rate(12 * N, function() f(x, y, { out = z }) end)
end)

-- Reductions --------------------------------------------------------------------------------------

local norm2 = cuda.reduction("T x", "T y", "x * x", "a + b", "y = a", "0", "sum_of_squares")

row("reduce_all", function()
  local x, y = empty "float32", cuda.zeros({}, "float32")
  return rate(4 * N, function() norm2(x, { out = y }) end)
end)
row("reduce_last_axis", function()
  local x, y = empty("float32", { SIDE, SIDE }), empty("float32", SIDE)
  return rate(4 * N + 4 * SIDE, function() norm2(x, { axis = -1, out = y }) end)
end)
row("reduce_first_axis", function()
  local x, y = empty("float32", { SIDE, SIDE }), empty("float32", SIDE)
  return rate(4 * N + 4 * SIDE, function() norm2(x, { axis = 1, out = y }) end)
end)
row("argmax", function()
  local x, y = empty "float32", cuda.zeros({}, "int64")
  return rate(4 * N, function() x:argmax { out = y } end)
end)

-- Scans -------------------------------------------------------------------------------------------

row("scan_all", function()
  local x, z = empty "float32", empty "float32"
  return rate(8 * N, function() x:cumsum { out = z } end)
end)
row("scan_last_axis", function()
  local x, z = empty("float32", { SIDE, SIDE }), empty("float32", { SIDE, SIDE })
  return rate(8 * N, function() x:cumsum { axis = -1, out = z } end)
end)
row("scan_first_axis", function()
  local x, z = empty("float32", { SIDE, SIDE }), empty("float32", { SIDE, SIDE })
  return rate(8 * N, function() x:cumsum { axis = 1, out = z } end)
end)

-- Selection, random numbers, sorting, products ----------------------------------------------------

row("boolean_selection", function()
  local x = cuda.random.uniform(N)
  local mask = x:lt(0.5)
  return rate(5 * N, function() x[mask]:free() end)
end)
row("random_uniform", function()
  local z = empty "float32"
  return rate(4 * N, function() cuda.random.uniform(N, { out = z }) end)
end)
row("random_normal", function()
  local z = empty "float32"
  return rate(4 * N, function() cuda.random.normal(N, { out = z }) end)
end)
row("sort_uint32", function()
  local n = 1 << 26
  local x, z = cuda.random.integers(0, 0xffffffff, n, { dtype = "uint32" }), empty("uint32", n)
  return n * 1e-6 / device_ms(function() cuda.sort(x, { out = z }) end)
end)

local function product(dtype)
  return function()
    local n = 8192
    local options = { low = -1, high = 1, dtype = dtype }
    local function random() return cuda.random.uniform({ n, n }, options) end
    local a, b, c = random(), random(), empty(dtype, { n, n })
    return 2 * n ^ 3 * 1e-9 / device_ms(function() cuda.matmul(a, b, { out = c }) end)
  end
end
row("matmul_float32", product "float32")
row("matmul_float16", product "float16")

-- Calls -------------------------------------------------------------------------------------------

-- The speed of a machine varies: the calls take turns, and the best time of each counts.
local best = {}

local function call(name, make)
  if next(only) and not only[name] then return end
  local ok, fn = pcall(make)
  if not ok then
    io.stderr:write(name, ": ", tostring(fn), "\n")
    return
  end
  best[#best + 1] = { name = name, fn = fn, us = math.huge }
end

local x, y, z, s = cuda.ones(1024), cuda.ones(1024), cuda.ones(1024), cuda.zeros({}, "float32")
call("call_prepared", function()
  local f = cuda.kernel [[__global__ void sub(const float *x, const float *y, float *z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] - y[i];
  }]]:prepare { grid = 4, block = 256 }
  return function() f(x, y, z, 1024) end
end)
call("call_elementwise_out", function() return function() square(x, y, z) end end)
call("call_elementwise_new", function() return function() square(x, y) end end)
call("call_add", function() return function() local _ = x + y end end)
call("call_reduction_out", function()
  local options = { out = s }
  return function() norm2(x, options) end
end)
for _ = 1, ROUNDS do
  for _, one in ipairs(best) do one.us = math.min(one.us, call_us(one.fn)) end
end
for _, one in ipairs(best) do print(("%s %.4f"):format(one.name, one.us)) end
