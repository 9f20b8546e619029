-- The work of bench/cpu: { name, kernel, grid, block, result, tolerance, arguments, launches }.
--
-- Arguments: f(number), i(number), or an array of one dtype: zeros, numbers from low to high, or
-- integers of some bits. result: which argument is compared with C's, from 1 on. tolerance: of a
-- float, the most it may differ by, as a part of the largest; of integers, the part of them that
-- may differ (fused products round otherwise, so a point may cross a border); "sum": only the sums
-- are compared. launches: of a process of bench/cpu --cold, which PoCL takes about 0.5 s for.
local CHUNK = 65536 -- arrays repeat after so many elements

local function f(value) return ("f%.9g"):format(value) end
local function i(value) return ("i%d"):format(value) end

local FORMATS = { float32 = "<f", int32 = "<i4", uint32 = "<I4", uint8 = "<I1",
  float16 = "<I2" }

-- The bytes of n elements; next_value returns one.
local function fill(n, dtype, next_value)
  local parts, format = {}, FORMATS[dtype]
  for k = 1, math.min(n, CHUNK) do parts[k] = format:pack(next_value()) end
  local chunk = table.concat(parts)
  return { dtype = dtype, bytes = chunk:rep(-(-n // CHUNK)):sub(1, n * format:packsize()) }
end

local function zeros(n, dtype) return fill(n, dtype, function() return 0 end) end

-- Words of a linear congruential generator.
local function words(seed)
  local state = seed
  return function()
    state = (state * 1664525 + 1013904223) & 0xffffffff
    return state
  end
end

local function floats(n, seed, low, high)
  local word = words(seed)
  return fill(n, "float32", function() return low + (high - low) * (word() >> 8) / 16777216 end)
end

local function integers(n, seed, bits, dtype)
  local word = words(seed)
  return fill(n, dtype, function() return word() >> (32 - bits) end)
end

-- From 1 to 2: the bits of 1, and 10 random ones behind.
local function halves(n, seed)
  local word = words(seed)
  return fill(n, "float16", function() return 0x3c00 + (word() >> 22) end)
end

local function unit(n, seed) return floats(n, seed, 0, 1) end
local function signed(n, seed) return floats(n, seed, -1, 1) end

local function saxpy(n) return { f(0.5), unit(n, 1), unit(n, 2), i(n) } end
local function matrices()
  return { unit(65536, 1), unit(65536, 2), zeros(65536, "float32"), i(256) }
end
local function bodies()
  return { signed(2048, 1), signed(2048, 2), signed(2048, 3), floats(2048, 4, 0.5, 1),
    zeros(2048, "float32"), zeros(2048, "float32"), zeros(2048, "float32"), i(2048) }
end
local function options()
  return { floats(200000, 1, 5, 30), floats(200000, 2, 1, 100), floats(200000, 3, 0.25, 10),
    zeros(200000, "float32"), zeros(200000, "float32"), f(0.02), f(0.3), i(200000) }
end

return {
  { "saxpy_1e6", "saxpy", { 3907, 1 }, { 256, 1 }, 3, 1e-6, saxpy(1000000), 250 },
  { "saxpy_1e7", "saxpy", { 39063, 1 }, { 256, 1 }, 3, 1e-6, saxpy(10000000), 20 },
  { "mandelbrot", "mandelbrot", { 24, 64 }, { 32, 8 }, 1, 0.02,
    { zeros(512 * 768, "int32"), i(768), i(512), i(256) }, 6 },
  { "matmul", "matmul", { 16, 16 }, { 16, 16 }, 3, 1e-5, matrices(), 20 },
  { "matmul_tiled", "matmul_tiled", { 16, 16 }, { 16, 16 }, 3, 1e-5, matrices(), 25 },
  { "nbody", "nbody", { 16, 1 }, { 128, 1 }, 5, 1e-4, bodies(), 40 },
  { "blackscholes", "blackscholes", { 782, 1 }, { 256, 1 }, 4, 1e-5, options(), 36 },
  { "histogram", "histogram", { 64, 1 }, { 256, 1 }, 2, 0,
    { integers(1000000, 7, 8, "uint8"), zeros(256, "uint32"), i(1000000) }, 60 },
  { "reduce", "reduce", { 64, 1 }, { 256, 1 }, 2, "sum",
    { unit(2000000, 1), zeros(64, "float32"), i(2000000) }, 60 },
  { "conv", "conv", { 32, 64 }, { 32, 8 }, 2, 1e-5,
    { unit(1024 * 512, 1), zeros(1024 * 512, "float32"), unit(25, 2), i(1024), i(512) }, 50 },
  { "transpose", "transpose", { 32, 32 }, { 32, 8 }, 2, 0,
    { unit(1 << 20, 1), zeros(1 << 20, "float32"), i(1024) }, 75 },
  { "scan", "scan", { 2000, 1 }, { 256, 1 }, 2, 0,
    { integers(512000, 7, 8, "int32"), zeros(512000, "int32"), zeros(2000, "int32") }, 40 },
  { "bitonic", "bitonic", { 256, 1 }, { 256, 1 }, 1, 0, { integers(131072, 7, 32, "uint32") }, 60 },
  { "montecarlo", "montecarlo", { 64, 1 }, { 256, 1 }, 1, 0.001,
    { zeros(16384, "uint32"), i(42), i(16) }, 28 },
  { "sha256", "sha256", { 128, 1 }, { 256, 1 }, 1, 0,
    { zeros(32768, "uint32"), integers(64, 7, 32, "uint32"), i(99) }, 50 },
  { "collatz", "collatz", { 256, 1 }, { 256, 1 }, 1, 0, { zeros(65536, "int32"), i(65536) }, 60 },
  { "wmma", "wmma", { 16, 16 }, { 32, 1 }, 3, 1e-5,
    { halves(65536, 1), halves(65536, 2), zeros(65536, "float32"), i(256) }, 50 },
}
