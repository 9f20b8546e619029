-- The lightweight types of generated kernels: conversions to half precision round once, complex
-- functions match their definitions.
local cuda = require "luacuda"
local helper = require "spec.helper"

helper.for_each_device(function()
  describe("float16 and bfloat16 in bodies", function()
    local CASES = {
      float16 = { { 1 + 2 ^ -11, 1 }, { 1 + 2 ^ -11 + 2 ^ -40, 1 + 2 ^ -10 },
        { 1 + 3 * 2 ^ -11, 1 + 2 ^ -9 }, { 65519.99, 65504 }, { 65520, math.huge }, { 2 ^ -25, 0 },
        { 2 ^ -25 + 2 ^ -60, 2 ^ -24 }, { -2.5, -2.5 }, { -math.huge, -math.huge } },
      bfloat16 = { { 1 + 2 ^ -8, 1 }, { 1 + 2 ^ -8 + 2 ^ -40, 1 + 2 ^ -7 },
        { 1 + 3 * 2 ^ -8, 1 + 2 ^ -6 }, { -2.0 ^ 127, -2.0 ^ 127 }, { 3.4e38, math.huge },
        { -2.5, -2.5 }, { math.huge, math.huge } },
    }

    for dtype, cases in pairs(CASES) do
      it("float64 becomes " .. dtype .. " by one rounding", function()
        local given, want = {}, {}
        for k, case in ipairs(cases) do given[k], want[k] = case[1], case[2] end
        local convert = cuda.elementwise("float64 x", dtype .. " y", "y = x", "convert")
        helper.assert_close(want, convert(cuda.array(given, "float64")), { rtol = 1e-7, atol = 0 })
        local nan = convert(0 / 0, { size = 1 }):item(1)
        assert.is_true(nan ~= nan)
      end)

      it("integers become " .. dtype .. " by one rounding", function()
        local digits = dtype == "float16" and 11 or 8
        local convert = cuda.elementwise("T x", dtype .. " y", "y = x", "convert")
        for _, int in ipairs { "int32", "int64", "uint64" } do
          local list = { 3, (1 << digits) + 1, (1 << digits) + 3, (1 << 14) + (1 << 14 - digits),
            (1 << 14) + (1 << 14 - digits) + 1 }
          local y = convert(cuda.array(list, int))
          helper.assert_close(cuda.array(list, "float64"):astype(dtype):totable(), y,
            { rtol = 0, atol = 0 })
        end
        if dtype == "bfloat16" then
          local list = { (1 << 40) + (1 << 32), (1 << 40) + (1 << 32) + 1, (1 << 62) + 1 }
          assert.same({ 2.0 ^ 40, 2.0 ^ 40 + 2.0 ^ 33, 2.0 ^ 62 },
            convert(cuda.array(list, "int64")):totable())
        end
      end)

      it(dtype .. " computes in float", function()
        local f = cuda.elementwise("T x, T y", "T a, T b, float32 c, bool d", [[
          a = x * y + 1; b = x; b += y; b /= 2; c = x * y; d = x < y;
          if (isnan(x)) a = 0;
          if (x == T(3)) a = max(x, y);
        ]], "half_math")
        local a, b, c, d = f(cuda.array({ 1, 2, 3 }, dtype), cuda.array({ 0.5, 3, 5 }, dtype))
        assert.same({ 1.5, 7.0, 5.0 }, a:totable())
        assert.same({ 0.75, 2.5, 4.0 }, b:totable())
        assert.same({ 0.5, 6.0, 15.0 }, c:totable())
        assert.same({ false, true, true }, d:totable())
      end)
    end

    it("convert into each other", function()
      local f = cuda.elementwise("float16 x, bfloat16 y", "bfloat16 u, float16 v",
        "u = x; v = y", "exchange")
      local u, v = f(cuda.array({ 1.5 }, "float16"), cuda.array({ -2 }, "bfloat16"))
      assert.equals(1.5, u:item(1))
      assert.equals(-2.0, v:item(1))
    end)
  end)

  describe("complex numbers in bodies", function()
    -- Complex arithmetic in Lua for the references.
    local function mul(a, b) return { a[1] * b[1] - a[2] * b[2], a[1] * b[2] + a[2] * b[1] } end
    local function exp(a)
      return { math.exp(a[1]) * math.cos(a[2]), math.exp(a[1]) * math.sin(a[2]) }
    end
    local function log(a)
      return { math.log(math.sqrt(a[1] ^ 2 + a[2] ^ 2)), math.atan(a[2], a[1]) }
    end
    local function inverse(z) local d = z[1] ^ 2 + z[2] ^ 2 return { z[1] / d, -z[2] / d } end
    local POINTS = { { 0.5, 0.25 }, { -1.5, 0.75 }, { 2, -1 }, { -0.3, -2 }, { 0.9, 0.1 },
      { -3, 4 }, { 0.01, -0.02 } }

    -- The values of several expressions of z at all points, computed by one kernel.
    local function apply(expressions, dtype)
      local list, names, body = {}, {}, {}
      for k, p in ipairs(POINTS) do list[k] = cuda.complex(p[1], p[2]) end
      for k, expression in ipairs(expressions) do
        names[k], body[k] = "w" .. k, ("w%d = %s;"):format(k, expression)
      end
      local f = cuda.elementwise("T z", "T " .. table.concat(names, ", "),
        table.concat(body, "\n"), "apply")
      local results = { f(cuda.array(list, dtype)) }
      for k, w in ipairs(results) do results[k] = w:totable() end
      return results
    end

    local function check_value(expression, z, want, got, tolerance)
      local scale = tolerance * math.max(1, math.abs(want[1]), math.abs(want[2]))
      assert.is_true(math.abs(got.re - want[1]) <= scale and math.abs(got.im - want[2]) <= scale,
        ("%s of %g%+gi: expected %.17g %.17g, got %s"):format(expression, z[1], z[2], want[1],
        want[2], tostring(got)))
    end

    -- rows: { expression, function of z that gives the value }
    local function check(rows)
      local expressions = {}
      for k, row in ipairs(rows) do expressions[k] = row[1] end
      for dtype, tolerance in pairs { complex64 = 4e-6, complex128 = 1e-13 } do
        for k, values in ipairs(apply(expressions, dtype)) do
          for at, got in ipairs(values) do
            check_value(rows[k][1], POINTS[at], rows[k][2](POINTS[at]), got, tolerance)
          end
        end
      end
    end

    it("add, multiply and divide, also with real numbers", function()
      check{
        { "z * z + 2 - z / 2", function(z)
          local s = mul(z, z)
          return { s[1] + 2 - z[1] / 2, s[2] - z[2] / 2 }
        end },
        { "1 / z", inverse },
        { "(z * conj(z)) / norm(z) + T(0, 1) * abs(z)",
          function(z) return { 1, math.sqrt(z[1] ^ 2 + z[2] ^ 2) } end },
        { "z == z ? T(z.imag(), z.real()) : T(0)", function(z) return { z[2], z[1] } end },
      }
    end)

    it("exponentials, logarithms, roots and powers", function()
      check{
        { "exp(z)", exp }, { "log(z)", log },
        { "sqrt(z)", function(z) return exp(mul(log(z), { 0.5, 0 })) end },
        { "pow(z, 3)", function(z) return mul(z, mul(z, z)) end }, { "pow(z, -1)", inverse },
        { "pow(z, T(0.5, 0.25))", function(z) return exp(mul(log(z), { 0.5, 0.25 })) end },
      }
    end)

    it("trigonometric and hyperbolic functions", function()
      local function half(a, b, sign)
        return { (a[1] + sign * b[1]) / 2, (a[2] + sign * b[2]) / 2 }
      end
      local function cosh(z) return half(exp(z), exp{ -z[1], -z[2] }, 1) end
      local function sinh(z) return half(exp(z), exp{ -z[1], -z[2] }, -1) end
      local function over(a, b) return mul(a, inverse(b)) end
      local function turned(z) return { -z[2], z[1] } end                         -- iz
      local function back(w) return { w[2], -w[1] } end                           -- w / i
      check{
        { "cosh(z)", cosh }, { "sinh(z)", sinh },
        { "tanh(z)", function(z) return over(sinh(z), cosh(z)) end },
        { "cos(z)", function(z) return cosh(turned(z)) end },
        { "sin(z)", function(z) return back(sinh(turned(z))) end },
        { "tan(z)", function(z) return back(over(sinh(turned(z)), cosh(turned(z)))) end },
      }
    end)

    it("inverse functions give the principal value", function()
      local rows = {}
      for k, name in ipairs { "sin", "cos", "tan", "sinh", "cosh", "tanh" } do
        rows[k] = { ("%s(a%s(z))"):format(name, name), function(z) return z end }
      end
      check(rows)
      for k, values in ipairs(apply({ "asin(z)", "acos(z)", "atan(z)" }, "complex128")) do
        local first = k == 2 and 0 or -math.pi / 2
        for _, w in ipairs(values) do assert.is_true(w.re >= first and w.re <= first + math.pi) end
      end
    end)

    it("widen automatically", function()
      local f = cuda.elementwise("complex64 a, complex128 b, float32 c",
        "complex128 x, complex64 y", "x = a * b + c; y = x", "widen")
      local x, y = f(cuda.array({ cuda.complex(1, 2) }, "complex64"),
        cuda.array({ cuda.complex(3, -1) }, "complex128"), 0.5)
      assert.equals(5.5, x:item(1).re)
      assert.equals(5.0, x:item(1).im)
      assert.equals(5.5, y:item(1).re)
    end)
  end)
end)
