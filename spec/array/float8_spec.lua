-- Floats of 8 bits against ml_dtypes: every pattern as float32, and back from float16, float32,
-- float64 and integers; arithmetic is that of float32, rounded once.
local helper = require "spec.helper"
local python = require "spec.support.evaluate"
local cuda = require "luacuda"

local DTYPES = { "float8_e4m3fn", "float8_e5m2" }
local N = 20000

local function has_ml_dtypes()
  local path = helper.tmpdir() .. "/probe.py"
  helper.write_file(path, "import ml_dtypes")
  return (python.python(path))
end

local function bits_of(a) return cuda.array(a):view "uint8" end

-- All patterns, and numbers near the limits, as bits of float32.
local function float32_bits(rng)
  local list = {}
  for i = 1, N do
    local exponent = i % 4 == 0 and rng(256) or 105 + rng(45)
    local fraction = i % 3 == 0 and (rng(64) << 17) + rng(3) - 1 or rng(1 << 23)
    list[i] = (rng(2) << 31 | exponent << 23 | fraction & 0x7fffff) & 0xffffffff
  end
  return cuda.array(list, "uint32")
end

-- Halfway between neighbors of both types, and one part in 2^50 beside, below the largest finite
-- numbers. (ml_dtypes rounds them to float32 first; here they are rounded once.)
local function float64_ties(rng)
  local list = {}
  for i = 1, N do
    local v = (8 + rng(8) + (rng(2) == 0 and 0.5 or 0.25 * rng(4))) * 2.0 ^ (rng(23) - 18)
    list[i] = (rng(2) * 2 - 1) * v * (1 + (rng(3) - 1) * 2.0 ^ -50)
  end
  return cuda.array(list, "float64")
end

local function integers(rng)
  local list = {}
  for i = 1, 2000 do list[i] = (rng(1 << 20) - (1 << 19)) >> rng(12) end
  return cuda.array(list, "int64")
end

local INFINITE = { float8_e4m3fn = 0x7e, float8_e5m2 = 0x7c } -- NaN is above, but for the sign

-- A GPU's conversion of float16 loses the sign of NaN.
local function same_bits(dtype, want, got, what)
  local list = got:totable()
  for at, bits in ipairs(want:totable()) do
    local nan = bits & 0x7f > INFINITE[dtype] and list[at] & 0x7f > INFINITE[dtype]
    if bits ~= list[at] and not nan then
      error(("%s: element %d is 0x%02x, and not 0x%02x"):format(what, at, list[at], bits))
    end
  end
end

local CODE = [[
import ml_dtypes
for name in ("float8_e4m3fn", "float8_e5m2"):
    t = getattr(ml_dtypes, name)
    globals()["r_values_" + name] = np.arange(256, dtype="uint8").view(t).astype("float32")
    for source, x in (("f16", np.arange(65536, dtype="uint16").view("float16")),
                      ("f32", f32.view("float32")), ("i64", i64)):
        globals()["r_%s_%s" % (source, name)] = x.astype(t).view("uint8")
    finite = np.arange(128, dtype="uint8").view(t).astype("float64")
    finite = finite[np.isfinite(finite)]
    r = np.minimum(np.searchsorted(finite, abs(f64)), len(finite) - 1)
    below, above = abs(f64) - finite[r - 1], finite[r] - abs(f64)
    r -= (below < above) | (below == above) & (r % 2 == 1)
    globals()["r_f64_" + name] = (r + 128 * (f64 < 0)).astype("uint8")
    a, b = a8.view(t).astype("float32"), b8.view(t).astype("float32")
    globals()["r_sum_" + name] = (a + b).astype(t).astype("float32")
    globals()["r_product_" + name] = (a * b).astype(t).astype("float32")
    globals()["r_root_" + name] = np.sqrt(a).astype(t).astype("float32")
    globals()["r_less_" + name] = a < b
]]

describe("floats of 8 bits", function()
  if not has_ml_dtypes() then
    pending "Python has no ml_dtypes"
    return
  end

  local inputs, want

  lazy_setup(function()
    local rng = helper.random(8)
    local a, b = {}, {}
    for i = 1, N do a[i], b[i] = rng(256), rng(256) end
    inputs = { f32 = float32_bits(rng), f64 = float64_ties(rng), i64 = integers(rng),
      a8 = cuda.array(a, "uint8"), b8 = cuda.array(b, "uint8") }
    want = python.run(inputs, CODE)
  end)

  helper.for_each_device(function(device)
    for _, dtype in ipairs(DTYPES) do
      it("of all patterns have ml_dtypes' values, " .. dtype, function()
        local all = cuda.arange(256, "uint8"):view(dtype)
        local values = want["values_" .. dtype]:totable()
        for _, wide in ipairs { "float16", "bfloat16", "float32", "float64" } do
          helper.assert_close(values, all:astype(wide), { rtol = 0, atol = 0 })
        end
        helper.assert_close(values, all:totable(), { rtol = 0, atol = 0 })
        helper.assert_close(values, all:to("cpu"):astype("float32"), { rtol = 0, atol = 0 })
      end)

      it("are rounded as by ml_dtypes, " .. dtype, function()
        local f16 = cuda.arange(65536, "uint16"):view "float16"
        same_bits(dtype, want["f16_" .. dtype], bits_of(f16:astype(dtype)), "float16")
        for name, source in pairs { f32 = inputs.f32:view "float32", f64 = inputs.f64,
          i64 = inputs.i64 } do
          local x = source:to(device)
          same_bits(dtype, want[name .. "_" .. dtype], bits_of(x:astype(dtype)), name)
          local host = cuda.host(#x, source.dtype)      -- converted without a kernel
          cuda.copy(host, source)
          same_bits(dtype, want[name .. "_" .. dtype], bits_of(host:astype(dtype)),
            name .. " of the host")
        end
      end)

      it("are computed in float32, " .. dtype, function()
        local a = inputs.a8:to(device):view(dtype)
        local b = inputs.b8:to(device):view(dtype)
        for name, got in pairs{ sum = a + b, product = a * b, root = cuda.sqrt(a) } do
          assert.equal(dtype, got.dtype)
          helper.assert_close(want[name .. "_" .. dtype]:totable(), got, { rtol = 0, atol = 0 })
        end
        assert.is_true(a:lt(b):to("cpu"):equals(want["less_" .. dtype]))
      end)
    end
  end)
end)
