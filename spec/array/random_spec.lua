local cuda = require "luacuda"
local helper = require "spec.helper"

-- Mean and variance of a list of numbers.
local function moments(list)
  local sum, squares = 0, 0
  for _, v in ipairs(list) do sum = sum + v end
  local mean = sum / #list
  for _, v in ipairs(list) do squares = squares + (v - mean) ^ 2 end
  return mean, squares / #list
end

local function counts(list)
  local found = {}
  for _, v in ipairs(list) do found[v] = (found[v] or 0) + 1 end
  return found
end

describe("cuda.random", function()
  helper.for_each_device(function()
    it("generates the words of Philox4x32-10", function()
      -- known answers from the generator's authors, for counter 0 and key 0
      local words = cuda.random.generator(0):bits(4):totable()
      assert.same({ 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 }, words)
      local pairs_of = cuda.random.generator(0):bits(2, { dtype = "uint64" }):totable()
      assert.same({ 0xe169c58d6627e8d5, 0x9b00dbd8bc57ac4c }, pairs_of)
    end)

    it("repeats for a seed and continues within one", function()
      local a, b = cuda.random.generator(42), cuda.random.generator(42)
      local first, second = a:uniform(1001):totable(), a:uniform(1001):totable()
      assert.same(first, b:uniform(1001):totable())
      assert.same(second, b:uniform(1001):totable())
      assert.not_same(first, second)
      assert.same(first, a:seed(42):uniform(1001):totable())
      assert.not_same(first, cuda.random.generator(43):uniform(1001):totable())
      assert.not_same(cuda.random.generator():uniform(8):totable(),
        cuda.random.generator():uniform(8):totable())
    end)

    it("takes a negative and a large seed", function()
      local one = cuda.random.generator(-1):bits(8):totable()
      assert.not_same(one, cuda.random.generator(math.maxinteger):bits(8):totable())
      assert.same(one, cuda.random.generator(-1):bits(8):totable())
    end)

    for _, dtype in ipairs { "float32", "float64", "float16", "bfloat16" } do
      it("draws uniform " .. dtype, function()
        local list = cuda.random.generator(7):uniform(20011, { dtype = dtype }):totable()
        local mean, variance = moments(list)
        assert.is_true(math.min(table.unpack(list)) >= 0 and math.max(table.unpack(list)) < 1)
        assert.near(0.5, mean, 0.01)
        assert.near(1 / 12, variance, 0.002)
      end)

      it("draws normal " .. dtype, function()
        local list = cuda.random.generator(8):normal(20011,
          { dtype = dtype, mean = 3, std = 2 }):totable()
        local mean, variance = moments(list)
        local within, above = 0, 0
        for _, v in ipairs(list) do
          if math.abs(v - 3) < 2 then within = within + 1 end
          if v > 7 then above = above + 1 end
        end
        assert.near(3, mean, 0.06)
        assert.near(4, variance, 0.16)
        assert.near(0.6827, within / #list, 0.015)
        assert.near(0.02275, above / #list, 0.006)
      end)
    end

    it("draws between bounds", function()
      local list = cuda.random.generator(1):uniform(999, { low = -5, high = -4 }):totable()
      assert.is_true(math.min(table.unpack(list)) >= -5 and math.max(table.unpack(list)) <= -4)
    end)

    it("draws integers uniformly, both ends included", function()
      for _, dtype in ipairs {
        "int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8",
      } do
        local found = counts(
          cuda.random.generator(3):integers(1, 6, 12007, { dtype = dtype }):totable())
        for face = 1, 6 do assert.near(2001, found[face], 220, dtype .. " " .. face) end
        assert.is_nil(found[0] or found[7])
      end
    end)

    it("draws integers from the whole range", function()
      local list = cuda.random.generator(4):integers(math.mininteger,
        math.maxinteger, 4001):totable()
      local negative = 0
      for _, v in ipairs(list) do
        if v < 0 then negative = negative + 1 end
      end
      assert.near(2000, negative, 150)
      -- a range just over half of 2^64, where every other word is rejected
      assert.is_true(math.min(
        table.unpack(cuda.random.generator(4):integers(-1, math.maxinteger, 500):totable())) >= -1)
    end)

    it("fills given arrays, views included", function()
      local want = cuda.random.generator(5):uniform({ 7, 5 })
      local out = cuda.zeros({ 7, 5 })
      assert.equal(out, cuda.random.generator(5):uniform({ 7, 5 }, { out = out }))
      assert.same(want:totable(), out:totable())
      local view = cuda.zeros({ 5, 7 }):transpose()
      cuda.random.generator(5):uniform({ 7, 5 }, { out = view })
      assert.same(want:totable(), view:totable())
    end)

    it("takes odd sizes", function()
      for _, n in ipairs { 0, 1, 2, 3, 5, 31, 1023, 1025 } do
        local long = cuda.random.generator(6):bits(1028):totable()
        assert.same(table.move(long, 1, n, 1, {}), cuda.random.generator(6):bits(n):totable())
      end
    end)

    it("permutes", function()
      local list = cuda.random.generator(9):permutation(1000):totable()
      local sorted = { table.unpack(list) }
      table.sort(sorted)
      for i = 1, 1000 do assert.equal(i, sorted[i]) end
      assert.not_same(sorted, list)
      local rows = cuda.random.generator(9):permutation(cuda.arange(12):reshape { 6, 2 }):totable()
      table.sort(rows, function(a, b) return a[1] < b[1] end)
      assert.same(cuda.arange(12):reshape({ 6, 2 }):totable(), rows)
    end)
  end)

  it("gives the same numbers on every device", function()
    local names = helper.device_names()
    local want
    for _, name in ipairs(names) do
      local device = name == "cpu" and cuda.device "cpu" or cuda.device(tonumber(name:match "%d+"))
      local g = cuda.random.generator(11)
      local got = { g:uniform(777, { device = device }):totable(),
        g:integers(-9, 9, 777, { device = device }):totable() }
      want = want or got
      assert.same(want, got)
    end
  end)

  it("refuses numbers that the dtype does not hold", function()
    local g = cuda.random.generator(1)
    local most = { float16 = 65504, bfloat16 = 3.38e38, float32 = 3.4e38, float64 = 1.79e308 }
    local function refused(text, method, ...)
      helper.contains(helper.misuse(g[method], g, ...), method .. ": " .. text)
    end
    for dtype, limit in pairs(most) do
      for _, option in ipairs { "mean", "std" } do
        local large = { dtype = dtype, [option] = 2 * limit }
        if dtype ~= "float64" then
          refused(("option '%s': %.14g is out of range for %s"):format(option, 2 * limit, dtype),
            "normal", 3, large)
        end
        assert.equal(3, g:normal(3, { dtype = dtype, [option] = limit }).size)
      end
      if dtype ~= "float64" then
        local text = (" is out of range for %s"):format(dtype)
        refused("option 'low': " .. ("%.14g"):format(-2 * limit) .. text, "uniform", 3,
          { dtype = dtype, low = -2 * limit })
        refused("option 'high': " .. ("%.14g"):format(2 * limit) .. text, "uniform", 3,
          { dtype = dtype, high = 2 * limit })
        refused("option 'scale': ", "exponential", 3, { dtype = dtype, scale = 2 * limit })
        refused("option 'scale': ", "gamma", 2, 3, { dtype = dtype, scale = 2 * limit })
        refused("argument 1 'k': the mean, ", "gamma", limit, 3, { dtype = dtype, scale = 2 })
        refused("argument 1 'k': ", "gamma", 1e39, 3, { dtype = dtype, scale = 1e-38 })
      end
      if dtype ~= "float16" then
        refused(("option 'high': %.14g is too far from 'low', %.14g"):format(limit, -limit),
          "uniform", 3, { dtype = dtype, low = -limit, high = limit })
      end
    end
    local wide = g:uniform(1000, { dtype = "float16", low = -65504, high = 65504 })
    assert.is_true(wide:min() < -60000 and wide:max() > 60000 and wide:abs():max() <= 65504)
    local nan, inf = 0 / 0, math.huge
    for _, x in ipairs { { nan, "nan" }, { -nan, "nan" }, { inf, "inf" }, { -inf, "-inf" } } do
      for method, options in pairs { uniform = { "low", "high" }, normal = { "mean", "std" },
        exponential = { "scale" } } do
        for _, option in ipairs(options) do
          refused(("option '%s': expected a finite number, got %s"):format(option, x[2]), method, 3,
            { [option] = x[1] })
        end
      end
      local text = " expected a finite number, got " .. x[2]
      refused("argument 1 'k':" .. text, "gamma", x[1], 3)
      refused("argument 1 'mean':" .. text, "poisson", x[1], 3)
      refused("argument 2 'p':" .. text, "binomial", 3, x[1], 3)
    end
  end)

  it("draws integers from every range of uint64", function()
    local function text(n) return ("%s"):format(cuda.uint64(n)) end
    local g = cuda.random.generator(3)
    local function draw(low, high, n)
      return g:integers(low, high, n, { dtype = "uint64" }):totable()
    end
    local top, high_half = 0, 0
    for _, x in ipairs(draw(0, -1, 2000)) do
      if x < 0 then high_half = high_half + 1 end
      top = math.ult(top, x) and x or top
    end
    assert.is_true(high_half > 880 and high_half < 1120)
    assert.is_true(math.ult(-1 << 57, top))
    for _, case in ipairs { { -3, -1 }, { math.mininteger, math.mininteger }, { -1, -1 },
      { math.maxinteger - 1, math.mininteger + 1 }, { 5, -7 } } do
      for _, x in ipairs(draw(case[1], case[2], 300)) do
        assert.is_true(not math.ult(x, case[1]) and not math.ult(case[2], x), text(x))
      end
    end
    local seen = {}
    for _, x in ipairs(draw(math.maxinteger - 1, math.mininteger + 1, 300)) do seen[x] = true end
    for x = 0, 3 do assert.is_true(seen[math.maxinteger - 1 + x]) end
    assert.equal("integers: argument 1 'low': 18446744073709551615 is more than 'high', 300",
      helper.misuse(g.integers, g, -1, 300, 5, { dtype = "uint64" }))
    assert.equal("integers: argument 1 'low': -1 is out of range for uint8 (0 to 255)",
      helper.misuse(g.integers, g, -1, 3, 5, { dtype = "uint8" }))
  end)

  it("refuses invalid arguments", function()
    local g = cuda.random.generator(1)
    assert.matches("option 'dtype': expected float16, bfloat16, float32, float64, got int32",
      helper.misuse(g.uniform, g, 3, { dtype = "int32" }))
    assert.matches("argument 1 'low': 3 is more than 'high', 2",
      helper.misuse(g.integers, g, 3, 2, 5))
    assert.matches("^integers: argument 2 'high': 300 is out of range for uint8",
      helper.misuse(g.integers, g, 0, 300, 5, { dtype = "uint8" }))
    assert.matches("^normal: option 'std': expected 0 or more",
      helper.misuse(g.normal, g, 3, { std = -1 }))
    assert.matches("unknown option 'hihg'; did you mean 'high'",
      helper.misuse(g.uniform, g, 3, { hihg = 1 }))
    assert.matches("no field or method 'unifrom'; did you mean 'uniform'",
      helper.misuse(function() return g.unifrom end))
    assert.matches("^uniform: option 'out': expected an Array, got 1",
      helper.misuse(g.uniform, g, 3, { out = 1 }))
    assert.matches("^permutation: .* without axes has no rows",
      helper.misuse(g.permutation, g, cuda.zeros({})))
    assert.equal("add: argument 1 'x': expected an array or a number, got Generator",
      helper.misuse(cuda.add, g, 1))
    assert.matches("cuda.random has no 'unifrom'",
      helper.misuse(function() return cuda.random.unifrom end))
    assert.matches("expected Generator before the ':', got string",
      helper.misuse(g.uniform, "x", 3))
    assert.matches("^uniform: option 'high': expected 3 or more, got 2",
      helper.misuse(g.uniform, g, 3, { low = 3, high = 2 }))
    assert.matches("^uniform: option 'low': expected a number, got string",
      helper.misuse(g.uniform, g, 3, { low = "1" }))
    assert.matches("^permutation: argument 1 'what': expected an integer or an Array, got table",
      helper.misuse(g.permutation, g, { 1, 2 }))
    assert.matches("^seed: argument 1 'seed': expected an integer, got string",
      helper.misuse(g.seed, g, "x"))
    assert.matches("^generator: argument 1 'seed': expected an integer, got 1.5",
      helper.misuse(cuda.random.generator, 1.5))
    assert.matches("shape {4}", helper.misuse(g.uniform, g, 3, { out = cuda.zeros(4) }))
  end)
end)
