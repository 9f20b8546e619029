-- Values without an array: complex numbers with Lua numbers on either side, against a model of
-- pairs; comparison of typed scalars; and generators from call to call.
local helper = require "spec.helper"
local cuda = require "luacuda"

local huge, nan = math.huge, 0 / 0

local function same(a, b) return a == b or (a ~= a and b ~= b) end

-- A number as a pair.
local function parts(v)
  if type(v) == "number" then return v + 0.0, 0.0 end
  return v.re, v.im
end

local MODEL = {
  ["+"] = function(a, b, c, d) return a + c, b + d end,
  ["-"] = function(a, b, c, d) return a - c, b - d end,
  ["*"] = function(a, b, c, d) return a * c - b * d, a * d + b * c end,
}
local APPLY = {
  ["+"] = function(x, y) return x + y end, ["-"] = function(x, y) return x - y end,
  ["*"] = function(x, y) return x * y end,
  ["/"] = function(x, y) return x / y end,
}

describe("complex values", function()
  local numbers = { 0, 1, -2, 3, 0.5, -1.25, 1e10, -7e-5, math.maxinteger }

  -- Calls fn with complex and real values in all three orders.
  local function each_pair(fn)
    for _, re in ipairs(numbers) do
      for _, im in ipairs(numbers) do
        for _, other in ipairs(numbers) do
          local z = cuda.complex(re, im)
          fn(z, other)
          fn(other, z)
          fn(z, cuda.complex(other, re))
        end
      end
    end
  end

  it("add, subtract and multiply with numbers on either side", function()
    each_pair(function(x, y)
      local a, b = parts(x)
      local c, d = parts(y)
      for op, model in pairs(MODEL) do
        local z, re, im = APPLY[op](x, y), model(a, b, c, d)
        assert.is_true(z.re == re and z.im == im, ("%s %s %s is %s"):format(x, op, y, z))
      end
    end)
  end)

  it("divide: the quotient times the divisor is the dividend", function()
    each_pair(function(x, y)
      local c, d = parts(y)
      if c == 0 and d == 0 then return end
      local a, b = parts(x)
      local q = x / y
      local back = q * y
      local size = math.abs(a) + math.abs(b) + math.abs(c) * math.abs(q.re) + math.abs(
        d) * math.abs(q.im) + 1e-300
      assert.is_true(math.abs(back.re - a) <= 1e-13 * size
        and math.abs(back.im - b) <= 1e-13 * size, ("%s / %s is %s"):format(x, y, q))
    end)
    local inverse = 1 / cuda.complex(0, 2)
    assert.is_true(inverse.re == 0 and inverse.im == -0.5)
    assert.is_true((cuda.complex(3, 4) / 2) == cuda.complex(1.5, 2))
  end)

  it("are divided by zeros of either sign as elements are", function()
    for _, z in ipairs{ { 1, 2 }, { -1, huge }, { huge, 1 }, { 0, -3 }, { nan, 1 } } do
      local value = cuda.complex(z[1], z[2])
      for _, zero in ipairs{ 0.0, -0.0, cuda.complex(-0.0, 0), cuda.complex(0, -0.0) } do
        local want = (cuda.array({ value }, "complex128", { device = "cpu" }) / zero):item()
        local got = value / zero
        assert.is_true(same(want.re, got.re) and same(want.im, got.im), tostring(got))
      end
    end
  end)

  it("are equal by both parts", function()
    assert.is_true(cuda.complex(1, 2) == cuda.complex(1.0, 2.0))
    assert.is_false(cuda.complex(1, 2) == cuda.complex(1, 3))
    assert.is_false(cuda.complex(1, 2) == cuda.complex(2, 2))
    assert.is_false(cuda.complex(nan, 0) == cuda.complex(nan, 0))
    assert.is_true(cuda.complex(0, -0.0) == cuda.complex(-0.0, 0))
    assert.is_false(cuda.complex(1, 0) == 1)          -- Lua compares only values of one type
    local minus = -cuda.complex(1, -2)
    assert.is_true(minus == cuda.complex(-1, 2))
  end)

  helper.for_each_device(function()
    it("combine with arrays on both sides, element by element", function()
      local values = { 1, -2, 0.5, 3 }
      for _, dtype in ipairs { "float32", "float64", "int32", "complex64", "complex128" } do
        local given = dtype == "int32" and { 1, -2, 5, 3 } or values
        local a, z = cuda.array(given, dtype), cuda.complex(1.5, -0.25)
        for op, apply in pairs(APPLY) do
          local left, right = apply(a, z), apply(z, a)
          assert.equal((dtype == "float64" or dtype == "int32" or dtype == "complex128")
            and "complex128" or "complex64", left.dtype)
          for i, v in ipairs(given) do
            local want_left, want_right = apply(cuda.complex(v, 0), z), apply(z, cuda.complex(v, 0))
            assert.near(want_left.re, left[i].re, 1e-5, op)
            assert.near(want_left.im, left[i].im, 1e-5, op)
            assert.near(want_right.re, right[i].re, 1e-5, op)
            assert.near(want_right.im, right[i].im, 1e-5, op)
          end
        end
      end
    end)
  end)
end)

describe("typed scalars", function()
  helper.for_all_dtypes(function(dtype, row)
    it("of " .. dtype .. " are equal by type and value", function()
      local make = cuda[dtype]
      local one, two = make(row.kind == "bool" or 1), make(row.kind ~= "bool" and 2)
      assert.is_true(one == make(row.kind == "bool" or 1))
      assert.is_false(one == two)
      assert.is_false(one == 1)
      local other = dtype == "int16" and "int32" or "int16"
      assert.is_false(one == cuda[other](1))
      if row.kind == "float" then
        assert.is_false(make(nan) == make(nan))
        assert.is_true(make(0.0) == make(-0.0))
        assert.is_true(make(huge) == make(huge))
        assert.is_false(make(huge) == make(-huge))
      end
      if row.kind == "complex" then
        assert.is_false(make(cuda.complex(1, 2)) == make(cuda.complex(1, 3)))
        assert.is_false(make(cuda.complex(nan, 2)) == make(cuda.complex(nan, 2)))
      end
    end)
  end)

  it("of 64 bits compare all bits", function()
    assert.is_false(cuda.int64(1 << 53) == cuda.int64((1 << 53) + 1))
    assert.is_false(cuda.uint64(-1) == cuda.uint64(-2))
    assert.is_true(same(cuda.uint64(-1).value, -1))
  end)
end)

-- How many counter blocks a generator consumes per call is its own business. Users rely on two
-- facts: a call continues where the last one ended, and no two calls use the same words.
helper.for_each_device(function()
  describe("a generator's consecutive calls", function()
    local DRAWS = {
      bits = function(g, n) return g:bits(n, { dtype = "uint64" }) end,
      uniform = function(g, n) return g:uniform(n, { dtype = "float64" }) end,
      normal = function(g, n) return g:normal(n, { dtype = "float64" }) end,
      integers = function(g, n) return g:integers(math.mininteger, math.maxinteger, n) end,
    }

    for name, draw in pairs(DRAWS) do
      it("draw no number twice: " .. name, function()
        local g, seen = cuda.random.generator(11), {}
        for _, n in ipairs { 1, 2, 3, 4, 5, 7, 64, 1, 1, 1000, 255, 257, 1025, 1 } do
          for _, v in ipairs(draw(g, n):totable()) do
            assert.is_nil(seen[v], name)
            seen[v] = true
          end
        end
      end)

      it("repeat for the same seed, call by call: " .. name, function()
        local g, h = cuda.random.generator(12), cuda.random.generator(12)
        for _, n in ipairs { 5, 1, 300 } do assert.is_true(draw(g, n):equals(draw(h, n))) end
        draw(g, 3)
        assert.is_false(draw(g, 8):equals(draw(h, 8)))
      end)
    end

    it("of different kinds share the counter", function()
      local g = cuda.random.generator(13)
      local first = g:bits(8, { dtype = "uint64" }):totable()
      g:uniform(1)
      g:normal(1)
      local later = g:bits(8, { dtype = "uint64" }):totable()
      for _, v in ipairs(later) do
        for _, u in ipairs(first) do assert.is_false(u == v) end
      end
    end)

    it("also hold for the functions without a generator", function()
      cuda.random.seed(14)
      local a, b = cuda.random.bits(64), cuda.random.bits(64)
      assert.is_false(a:equals(b))
      cuda.random.seed(14)
      assert.is_true(cuda.random.bits(64):equals(a))
      assert.is_true(cuda.random.bits(64):equals(b))
    end)
  end)
end)

-- Operators whose output shares memory with an input must act as if the result were computed first,
-- as in NumPy. Blocks over the same memory are not ordered against each other, so the test
-- synchronizes the device before reading them.
helper.for_each_device(function(device)
  describe("overlapping arrays", function()
    local N = 512

    -- Arrays over the same bytes whose blocks are unaware of each other.
    local MEMORY = {
      view = function()
        local a = cuda.arange(N, "float32")
        return a, function(first, n) return a:slice { first, first + n - 1 } end
      end,
    }
    if device.kind == "cpu" then
      function MEMORY.wrapped()
        local a = cuda.arange(N, "float32")
        return a, function(first, n)
          return cuda.wrap(a.pointer + 4 * (first - 1), n, "float32", { owner = a })
        end
      end
      function MEMORY.pinned()
        local a = cuda.pinned(N, "float32"):set(cuda.arange(N, "float32"))
        return a, function(first, n)
          return cuda.wrap(a.pointer + 4 * (first - 1), n, "float32", { owner = a })
        end
      end
    end

    for name, make in pairs(MEMORY) do
      it("give results as if copied first: " .. name, function()
        for _, case in ipairs {
          { 1, 2, 1 }, { 2, 1, 1 }, { 1, 65, 33 }, { 100, 1, 50 }, { 1, 1, 2 }, { 2, 1, 2 },
        } do
          local all, part = make()
          local n = 300
          local x, y, out = part(case[1], n), part(case[2], n), part(case[3], n)
          device:synchronize()
          local xs, ys = x:totable(), y:totable()
          cuda.add(x, y, { out = out })
          device:synchronize()
          local got = all:totable()
          for i = 1, N do
            local k = i - case[3] + 1
            local want = k >= 1 and k <= n and xs[k] + ys[k] or i - 1
            if got[i] ~= want then
              error(("case %s, element %d: %s, not %s")
                :format(table.concat(case, " "), i, got[i], want))
            end
          end
          for _, array in ipairs { x, y, out } do array:free() end
        end
      end)

      it("are reversed, scanned, sorted and assigned in place: " .. name, function()
        local all, part = make()
        local function read(first)
          device:synchronize()
          return part(first, 300):totable()
        end
        local want = read(1)
        part(2, 300):set(part(1, 300))
        assert.same(want, read(2))
        part(1, 300):set(part(2, 300):slice { 300, 1, -1 })
        local got = read(1)
        for i = 1, 300 do assert.equal(300 - i, got[i]) end
        local sums = cuda.cumsum(part(1, 300)):totable()
        cuda.cumsum(part(1, 300), { out = part(5, 300) })
        assert.same(sums, read(5))
        part(3, 300):set(part(1, 300):slice({ 300, 1, -1 }):copy())
        cuda.sort(part(3, 300), { out = part(1, 300) })
        got = read(1)
        for i = 2, 300 do assert.is_true(got[i - 1] <= got[i]) end
        all:fill(1)
      end)
    end
  end)
end)
