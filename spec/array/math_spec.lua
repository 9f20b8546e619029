-- Mathematical functions against Lua's own and against values known to many digits; result dtypes
-- against NumPy's.
local helper = require "spec.helper"
local cuda = require "luacuda"
local dtypes = require "luacuda.base.dtypes"

local misuse = helper.misuse
local pi, huge, nan = math.pi, math.huge, 0 / 0

-- Result dtypes of NumPy 2.4 for one argument of each dtype; "-": NumPy refuses the argument. bool
-- is omitted where NumPy's functions are inconsistent (conj, round).
local DTYPES = [[
           i8   i16  i32  i64  u8   u16  u32  u64  f16  f32  f64  c64  c128
sqrt       f16  f32  f64  f64  f16  f32  f64  f64  f16  f32  f64  c64  c128
exp        f16  f32  f64  f64  f16  f32  f64  f64  f16  f32  f64  c64  c128
log1p      f16  f32  f64  f64  f16  f32  f64  f64  f16  f32  f64  c64  c128
atanh      f16  f32  f64  f64  f16  f32  f64  f64  f16  f32  f64  c64  c128
floor      i8   i16  i32  i64  u8   u16  u32  u64  f16  f32  f64  -    -
trunc      i8   i16  i32  i64  u8   u16  u32  u64  f16  f32  f64  -    -
rint       f16  f32  f64  f64  f16  f32  f64  f64  f16  f32  f64  c64  c128
round      i8   i16  i32  i64  u8   u16  u32  u64  f16  f32  f64  c64  c128
abs        i8   i16  i32  i64  u8   u16  u32  u64  f16  f32  f64  f32  f64
sign       i8   i16  i32  i64  u8   u16  u32  u64  f16  f32  f64  c64  c128
square     i8   i16  i32  i64  u8   u16  u32  u64  f16  f32  f64  c64  c128
reciprocal i8   i16  i32  i64  u8   u16  u32  u64  f16  f32  f64  c64  c128
cbrt       f16  f32  f64  f64  f16  f32  f64  f64  f16  f32  f64  -    -
isnan      b1   b1   b1   b1   b1   b1   b1   b1   b1   b1   b1   b1   b1
signbit    b1   b1   b1   b1   b1   b1   b1   b1   b1   b1   b1   -    -
real       i8   i16  i32  i64  u8   u16  u32  u64  f16  f32  f64  f32  f64
imag       i8   i16  i32  i64  u8   u16  u32  u64  f16  f32  f64  f32  f64
conj       i8   i16  i32  i64  u8   u16  u32  u64  f16  f32  f64  c64  c128
angle      f16  f32  f64  f64  f16  f32  f64  f64  f16  f32  f64  f32  f64
deg2rad    f16  f32  f64  f64  f16  f32  f64  f64  f16  f32  f64  -    -
hypot      f16  f32  f64  f64  f16  f32  f64  f64  f16  f32  f64  -    -
copysign   f16  f32  f64  f64  f16  f32  f64  f64  f16  f32  f64  -    -
fmod       i8   i16  i32  i64  u8   u16  u32  u64  f16  f32  f64  -    -
]]
local BINARY = { hypot = true, copysign = true, fmod = true, atan2 = true }

-- fn(function's name, dtype, result's dtype or nil) for each cell of the table above
local function each_dtype(fn)
  local columns
  for line in DTYPES:gmatch "[^\n]+" do
    local words = {}
    for word in line:gmatch "%S+" do words[#words + 1] = word end
    if not columns then columns = words
    else
      for i, short in ipairs(columns) do
        local want = dtypes.of(words[i + 1])
        fn(words[1], dtypes.of(short).name, want and want.name)
      end
    end
  end
end

local function sinh(x) return (math.exp(x) - math.exp(-x)) / 2 end
local function cosh(x) return (math.exp(x) + math.exp(-x)) / 2 end
local function asinh(x)
  return math.log(math.abs(x) + math.sqrt(x * x + 1)) * (x < 0 and -1 or 1)
end

local function rint(x)
  local down = math.floor(x)
  local rest = x - down
  if rest > 0.5 or (rest == 0.5 and down % 2 == 1) then down = down + 1 end
  return down
end

-- x plus the terms derived from it, for small x.
local function series(x, next_term)
  if math.abs(x) > 1e-2 then return nil end
  local term, sum = x, 0
  for n = 2, 12 do sum, term = sum + term, next_term(term, n) end
  return sum
end

-- name -> reference, arguments
local REAL = {
  sqrt = { math.sqrt, { 0, 1, 2, 0.25, 100 } },
  cbrt = { function(x) return x < 0 and -(-x) ^ (1 / 3) or x ^ (1 / 3) end, { 0, 1, -8, 27, 0.5 } },
  square = { function(x) return x * x end, { 0, 1.5, -3 } },
  reciprocal = { function(x) return 1 / x end, { 2, -4, 0.5, 3 } },
  exp = { math.exp, { 0, 1, -1, 2.5, -5 } },
  exp2 = { function(x) return 2 ^ x end, { 0, 1, -1, 2.5, 10 } },
  expm1 = {
    function(x) return series(x, function(term, n) return term * x / n end) or math.exp(x) - 1 end,
    { 0, 1, -1, 0.0078125 },
  },
  log = { math.log, { 1, 2, 0.5, 10, 100 } },
  log2 = { function(x) return math.log(x, 2) end, { 1, 2, 0.5, 10 } },
  log10 = { function(x) return math.log(x, 10) end, { 1, 2, 0.5, 1000 } },
  log1p = { function(x)
    return series(x, function(term, n) return -term * x * (n - 1) / n end) or math.log(1 + x)
  end, { 0, 1, -0.5, 0.0078125 } },
  sin = { math.sin, { 0, 0.5, 1, -2, 3 } }, cos = { math.cos, { 0, 0.5, 1, -2, 3 } },
  tan = { math.tan, { 0, 0.5, 1, -1.25 } },
  asin = { math.asin, { 0, 0.5, -1, 0.25 } }, acos = { math.acos, { 0, 0.5, -1, 1 } },
  atan = { math.atan, { 0, 0.5, -4, 100 } },
  sinh = { sinh, { 0, 0.5, -2, 3 } }, cosh = { cosh, { 0, 0.5, -2, 3 } },
  tanh = { function(x) return sinh(x) / cosh(x) end, { 0, 0.5, -2, 3 } },
  asinh = { asinh, { 0, 0.5, -2, 30 } },
  acosh = { function(x) return math.log(x + math.sqrt(x * x - 1)) end, { 1, 1.5, 2, 30 } },
  atanh = { function(x) return math.log((1 + x) / (1 - x)) / 2 end, { 0, 0.5, -0.75 } },
  deg2rad = { math.rad, { 0, 90, -180, 45 } }, rad2deg = { math.deg, { 0, 1, -2, 0.5 } },
  floor = { math.floor, { 0, 1.5, -1.5, 2, -0.25 } },
  ceil = { math.ceil, { 0, 1.5, -1.5, 2, -0.25 } },
  trunc = { function(x) return x < 0 and math.ceil(x) or math.floor(x) end,
    { 0, 1.5, -1.5, 2, -0.25 } },
  rint = { rint, { 0, 0.5, 1.5, 2.5, -0.5, -1.5, 3.75 } },
  round = { rint, { 0, 0.5, 1.5, 2.5, -0.5, -1.5, 3.75 } },
  abs = { math.abs, { 0, -1.5, 2 } },
  sign = { function(x) return x > 0 and 1 or x < 0 and -1 or 0 end, { 0, -0.0, -1.5, 2, huge } },
  real = { function(x) return x end, { 1.5, -2 } }, imag = { function() return 0 end, { 1.5, -2 } },
  conj = { function(x) return x end, { 1.5, -2 } },
  angle = { function(x) return (x < 0 or 1 / x < 0) and pi or 0 end, { 1, -1, 0, -0.0, -huge } },
}

-- Functions that Lua lacks: argument, value.
local KNOWN = {
  erf = { { 0, 0 }, { 0.5, 0.52049987781304653768 }, { -1, -0.84270079294971486934 },
    { 2, 0.99532226501895273416 } },
  erfc = { { 0, 1 }, { 0.5, 0.47950012218695346232 }, { 2, 0.0046777349810472658379 },
    { -1, 1.8427007929497148693 } },
  tgamma = { { 1, 1 }, { 5, 24 }, { 0.5, 1.7724538509055160273 }, { -1.5, 2.3632718012073547031 } },
  lgamma = { { 1, 0 }, { 5, 3.1780538303479456197 }, { 0.5, 0.57236494292470008707 },
    { 10, 12.801827480081469611 } },
}

local function map(fn, list)
  local out = {}
  for i, v in ipairs(list) do out[i] = fn(v) end
  return out
end

-- Sums and products of rounding errors stay below a few units in the last place.
local ULPS = { float16 = 2e-3, bfloat16 = 1.6e-2, float32 = 1e-6, float64 = 4e-15 }

helper.for_each_device(function()
  it("mathematical functions have NumPy's result dtypes", function()
    local cells = 0
    each_dtype(function(name, dtype, want)
      local a = cuda.zeros(0, dtype)
      local args = BINARY[name] and { a, a } or { a }
      if want then
        assert.equal(want, cuda[name](table.unpack(args)).dtype, name .. " of " .. dtype)
      else
        assert.matches("^" .. name .. ": argument 1 '.': expected .* elements, got " .. dtype,
          misuse(cuda[name], table.unpack(args)))
      end
      cells = cells + 1
    end)
    assert.equal(23 * 13, cells)
  end)

  helper.for_all_dtypes(function(dtype)
    describe("mathematical functions of " .. dtype, function()
      local function stored(list)
        return map(function(v) return (v ~= v or v == huge) and v or cuda[dtype](v).value end, list)
      end

      it("agree with Lua's", function()
        for name, row in pairs(REAL) do
          local values = stored(row[2])
          local got = cuda[name](cuda.array(values, dtype))
          assert.equal(dtype, got.dtype)
          local ok, message = pcall(helper.assert_close, map(row[1], values), got:totable(),
            { rtol = ULPS[dtype], atol = 0 })
          if not ok then error(name .. ": " .. message) end
        end
      end)

      it("have the values of published tables", function()
        for name, row in pairs(KNOWN) do
          local x, want = map(function(p) return p[1] end, row),
            map(function(p) return p[2] end, row)
          helper.assert_close(want, cuda[name](cuda.array(x, dtype)):totable(),
            { rtol = 4 * ULPS[dtype], atol = ULPS[dtype] })
        end
      end)

      it("detect NaN, infinities and signs", function()
        local a = cuda.array({ 1, nan, huge, -huge, -0.0, -2 }, dtype)
        assert.same({ false, true, false, false, false, false }, a:isnan():totable())
        assert.same({ false, false, true, true, false, false }, a:isinf():totable())
        assert.same({ true, false, false, false, true, true }, a:isfinite():totable())
        local signs = a:signbit():totable()
        assert.same({ false, false, true, true, true },
          { signs[1], signs[3], signs[4], signs[5], signs[6] })
        local sign = cuda.sign(a):totable()
        assert.is_true(sign[2] ~= sign[2])
      end)

      it("take two arguments", function()
        local x, y = cuda.array({ 3, -1, 5.5, -7.5 }, dtype), cuda.array({ 4, 1, -2, 2 }, dtype)
        local function pairs_of(fn) return { fn(3, 4), fn(-1, 1), fn(5.5, -2), fn(-7.5, 2) } end
        local close = { rtol = ULPS[dtype], atol = 0 }
        helper.assert_close(pairs_of(function(a, b) return math.sqrt(a * a + b * b) end),
          cuda.hypot(x, y):totable(), close)
        helper.assert_close(pairs_of(math.atan), cuda.atan2(x, y):totable(), close)
        helper.assert_close(pairs_of(math.fmod), cuda.fmod(x, y):totable(), close)
        helper.assert_close({ 3, 1, -5.5, 7.5 }, cuda.copysign(x, y):totable(), close)
        helper.assert_close({ 5 }, cuda.hypot(cuda.array({ 3 }, dtype), 4):totable(), close)
        assert.equal(dtype, cuda.hypot(3, x).dtype)
      end)

      it("round to decimals", function()
        local a = cuda.array({ 1.25, -1.375, 127, 3.0625 }, dtype)
        local want = dtype == "bfloat16" and 0.2 or 1e-2
        helper.assert_close({ 1.2, -1.4, 127, 3.1 }, a:round(1):totable(),
          { rtol = 0, atol = want })
        assert.same({ 0, 0, 130, 0 }, map(math.abs, a:round(-1):totable()))
        assert.same({ 1, -1, 127, 3 }, a:round():totable())
        assert.same({ 1, -1, 127, 3 }, a:round(0, {}):totable())
        assert.equal(dtype, a:round(2).dtype)
      end)
    end)
  end, { kind = "float" })

  helper.for_all_dtypes(function(dtype, row)
    describe("mathematical functions of " .. dtype, function()
      it("convert, keep or wrap integers", function()
        local a = cuda.array({ 0, 1, 4, 9, 100 }, dtype)
        helper.assert_close({ 0, 1, 2, 3, 10 }, a:sqrt():totable(), { rtol = 0, atol = 0 })
        for _, name in ipairs { "floor", "ceil", "trunc", "round", "abs", "conj", "real" } do
          assert.is_true(cuda[name](a):equals(a))
        end
        assert.same({ 0, 1, 0, 0, 0 }, a:reciprocal():totable())
        assert.same({ 0, 1, 16, 81, row.size == 1 and 16 or 10000 }, a:square():totable())
        assert.same({ 0, 1, 1, 1, 1 }, a:sign():totable())
        assert.same({ 0, 0, 0, 0, 0 }, a:imag():totable())
        assert.same({ true, true, true, true, true }, a:isfinite():totable())
        assert.same({ false, false, false, false, false }, a:signbit():totable())
        assert.same({ 0, 1, 1, 0, 1 }, cuda.fmod(a, 3):totable())
        assert.same({ 0, 0, 0, 0, 0 }, cuda.fmod(a, 0):totable())
        assert.same({ 0, 0, 0, 10, 100 }, a:round(-1):totable())
        assert.same({ 0, 0, 0, 0, 100 }, a:round(-2):totable())
        assert.same({ 0, 20, 20, 40 }, cuda.array({ 5, 15, 25, 35 }, dtype):round(-1):totable())
        assert.is_true(a:round(3):equals(a))
      end)

      if row.kind == "int" then
        it("handle negative integers", function()
          local least = dtypes.min(dtype)
          local a = cuda.array({ -1, -7, least }, dtype)
          assert.same({ 1, 7, least }, a:abs():totable())
          assert.same({ -1, -1, -1 }, a:sign():totable())
          assert.same({ true, true, true }, a:signbit():totable())
          assert.same({ -1, -1, math.fmod(least, 3) }, cuda.fmod(a, 3):totable())
          assert.same({ 0, 0, 0 }, cuda.fmod(a, -1):totable())
          assert.same({ 0, -20, -20 }, cuda.array({ -5, -15, -25 }, dtype):round(-1):totable())
        end)
      end
    end)
  end, { kind = { "int", "uint" } })

  for _, dtype in ipairs { "complex64", "complex128" } do
    describe("mathematical functions of " .. dtype, function()
      local z = cuda.complex
      local close = { rtol = dtype == "complex64" and 4e-6 or 1e-13,
        atol = dtype == "complex64" and 1e-6 or 1e-14 }

      local VALUES = { -- of 0.5 + 1i
        sqrt = z(0.89945371997393364000, 0.55589297025142117640),
        exp = z(0.89080790429312862, 1.3873511113297633557),
        log = z(0.11157177565710487788, 1.1071487177940905030),
        sin = z(0.73979226445601356461, 1.0313360742545512274),
        cos = z(1.3541806567045842107, -0.56341772615444366),
        tan = z(0.19557731006593398, 0.84296620484578311),
        sinh = z(0.28154899513533443, 0.94886453143716798),
        cosh = z(0.60926070245555, 0.438486579892595),
      }

      it("have NumPy's values", function()
        local a = cuda.array({ z(0.5, 1) }, dtype)
        for _, name in ipairs { "sqrt", "exp", "log", "sin" } do
          helper.assert_close({ VALUES[name] }, cuda[name](a):totable(), close)
        end
      end)

      it("are inverse to each other", function()
        local a = cuda.array({ z(0.5, 1), z(-0.25, 0.75), z(0.1, -0.3) }, dtype)
        local want = a:totable()
        for name, inverse in pairs {
          sin = "asin", tan = "atan", sinh = "asinh", tanh = "atanh", exp = "log", expm1 = "log1p",
        } do
          helper.assert_close(want, cuda[inverse](cuda[name](a)):totable(),
            { rtol = 20 * close.rtol, atol = 20 * close.atol })
        end
        for name, inverse in pairs { cos = "acos", cosh = "acosh", square = "sqrt" } do
          helper.assert_close(want, cuda[name](cuda[inverse](a)):totable(),
            { rtol = 20 * close.rtol, atol = 20 * close.atol })
        end
        helper.assert_close(want, a:reciprocal():reciprocal():totable(), close)
        helper.assert_close(a:log():totable(), (a:log10() * math.log(10)):totable(), close)
        helper.assert_close(a:log():totable(), (a:log2() * math.log(2)):totable(), close)
        helper.assert_close(a:exp2():totable(), (a * math.log(2)):exp():totable(), close)
      end)

      it("have NumPy's values at infinity and for large arguments", function()
        local half = pi / 2
        local function of(name, ...) return cuda[name](cuda.array({ ... }, dtype)):totable() end
        helper.assert_close({ z(0, half), z(0, -half), z(0, half), z(1e-30, half) },
          of("atanh", z(huge, 0), z(0, -huge), z(huge, huge), z(1e30, 1)), close)
        helper.assert_close({ z(half, 0), z(-half, 0), z(half, 0) },
          of("atan", z(huge, 0), z(-huge, 1), z(1e30, 1e30)), close)
        helper.assert_close({ z(half, huge), z(-half, -huge), z(pi / 4, huge) },
          of("asin", z(huge, 1), z(-huge, -1), z(huge, huge)), close)
        helper.assert_close({ z(huge, half), z(math.log(2e30), 0) },
          of("asinh", z(0, huge), z(1e30, 0)), close)
        helper.assert_close({ z(huge, 0), z(-huge, 0), z(huge, 0) },
          of("sinh", z(huge, 0), z(-huge, 0), z(1e4, 0)), close)
        helper.assert_close({ z(huge, 0), z(huge, 0) }, of("cosh", z(huge, 0), z(1e4, 0)), close)
        helper.assert_close({ z(0, huge), z(0, -huge) }, of("sin", z(0, huge), z(0, -1e4)), close)
        helper.assert_close({ z(huge, 0) }, of("cos", z(0, 1e4)), close)
        helper.assert_close({ z(1, 0) }, of("tanh", z(huge, huge)), close)
        helper.assert_close({ z(0, 0) }, of("exp", z(-huge, huge)), close)
        local tiny = dtype == "complex64" and 1e-30 or 1e-200      -- its square is 0
        helper.assert_close({ z((math.log(2) - math.log(tiny)) / 2, pi / 4) },
          of("atanh", z(1, tiny)), close)
      end)

      it("have parts", function()
        local a = cuda.array({ z(3, 4), z(-1, 0), z(0, 0), z(nan, 1), z(1, huge) }, dtype)
        local part = dtypes.part_of(dtype)
        for _, name in ipairs { "abs", "real", "imag", "angle" } do
          assert.equal(part, cuda[name](a).dtype)
        end
        helper.assert_close({ 3, -1, 0, nan, 1 }, a:real():totable(), close)
        helper.assert_close({ 4, 0, 0, 1, huge }, a:imag():totable(), close)
        helper.assert_close({ 5, 1, 0, nan, huge }, a:abs():totable(), close)
        helper.assert_close({ math.atan(4, 3), pi, 0, nan, pi / 2 }, a:angle():totable(), close)
        helper.assert_close({ z(3, -4), z(-1, 0), z(0, 0), z(nan, -1), z(1, -huge) },
          a:conj():totable(), close)
        helper.assert_close({ z(0.6, 0.8), z(-1, 0), z(0, 0), z(nan, nan), z(0, 1) },
          a:sign():totable(), close)
        assert.same({ false, false, false, true, false }, a:isnan():totable())
        assert.same({ false, false, false, false, true }, a:isinf():totable())
        assert.same({ true, true, true, false, false }, a:isfinite():totable())
        helper.assert_close({ z(1.2, -2.6) },
          cuda.array({ z(1.24, -2.63) }, dtype):round(1):totable(), close)
        helper.assert_close({ z(10, -30) },
          cuda.array({ z(12, -26) }, dtype):round(-1):totable(), close)
      end)
    end)
  end

  describe("mathematical functions", function()
    it("keep digits near 0", function()
      local a = cuda.array({ 1e-10 }, "float64")
      helper.assert_close({ 1.00000000005e-10 }, a:expm1():totable(), { rtol = 1e-15, atol = 0 })
      helper.assert_close({ 9.9999999995e-11 }, a:log1p():totable(), { rtol = 1e-15, atol = 0 })
      local c = cuda.array({ cuda.complex(1e-10, 0) }, "complex128")
      helper.assert_close({ 1.00000000005e-10 }, c:expm1():real():totable(),
        { rtol = 1e-15, atol = 0 })
      helper.assert_close({ 9.9999999995e-11 }, c:log1p():real():totable(),
        { rtol = 1e-15, atol = 0 })
    end)

    it("keep digits near the poles of atanh and atan", function()
      local x = 1 - 2 ^ -20                    -- 1 + x and 1 - x are exact
      local want, z = math.log((1 + x) / (1 - x)) / 2, cuda.complex
      local near = { rtol = 1e-15, atol = 0 }
      helper.assert_close({ want, -want },
        cuda.array({ z(x, 0), z(-x, 0) }, "complex128"):atanh():real():totable(), near)
      helper.assert_close({ want, -want },
        cuda.array({ z(0, x), z(0, -x) }, "complex128"):atan():imag():totable(), near)
    end)

    it("give bfloat16 for bfloat16 with 8-bit integers and booleans, as operators do", function()
      local a = cuda.full(2, 3, "bfloat16")
      for _, dtype in ipairs { "bool", "int8", "uint8" } do
        local b = cuda.ones(2, dtype)
        assert.equal("bfloat16", (a / b).dtype)
        for _, name in ipairs { "hypot", "atan2", "copysign" } do
          assert.equal("bfloat16", cuda[name](b, a).dtype)
        end
      end
      assert.equal("float32", cuda.hypot(a, cuda.ones(2, "int16")).dtype)
    end)

    it("do not overflow in intermediate values", function()
      helper.assert_close({ 5e300 }, cuda.hypot(cuda.array({ 3e300 }, "float64"), 4e300):totable(),
        { rtol = 1e-15, atol = 0 })
      assert.same({ 1e300 }, cuda.array({ 1e300 }, "float64"):round(18):totable())
    end)

    it("take views, out, streams and arrays without elements", function()
      local a = cuda.array { { 1, 4 }, { 9, 16 } }
      assert.same({ { 1, 3 }, { 2, 4 } }, a:transpose():sqrt():totable())
      local out = cuda.zeros { 2, 2 }
      assert.is_true(rawequal(out, cuda.sqrt(a, { out = out })))
      assert.same({ { 1, 2 }, { 3, 4 } }, out:totable())
      a:sqrt { out = a }
      assert.same({ { 1, 2 }, { 3, 4 } }, a:totable())
      assert.same({ 0, 2 }, cuda.zeros({ 0, 2 }):exp().shape)
      assert.equal(2, cuda.full({}, 4):sqrt():item())
      local stream = cuda.stream()
      assert.equal(3, cuda.sqrt(cuda.full(10, 9), { stream = stream })[10])
    end)

    it("report errors", function()
      assert.matches("^sqrt: argument 1 'x': expected an array or a number, got string",
        misuse(cuda.sqrt, "x"))
      assert.matches("^sqrt: out: expected float64, which is the result's dtype, got int32",
        misuse(function() local a = cuda.zeros(2, "int32") return a:sqrt { out = a } end))
      assert.matches("^sign: argument 1 'x': booleans have no sign",
        misuse(cuda.sign, cuda.array { true }))
      assert.matches("^round: argument 2 'decimals': expected an integer from %-18 to 18, got 1.5",
        misuse(cuda.round, cuda.zeros(1), 1.5))
      assert.matches("^round: argument 2 'decimals': .* got 19",
        misuse(cuda.round, cuda.zeros(1), 19))
      assert.matches(
        "^cbrt: argument 1 'x': expected bool, integer or float elements, got complex64",
        misuse(cuda.cbrt, cuda.zeros(1, "c64")))
    end)

    it("run on the CPU device for host memory", function()
      local a = cuda.pinned({ 3 }, "float32"):set { 1, 4, 9 }
      assert.equal("cpu", a:sqrt().device.kind)
      assert.same({ 1, 2, 3 }, a:sqrt():totable())
    end)
  end)
end)
