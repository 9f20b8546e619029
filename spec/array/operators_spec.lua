-- Operators against references computed in Lua: integers wrap around at their width, floats are
-- rounded by typed scalars.
local helper = require "spec.helper"
local cuda = require "luacuda"
local dtypes = require "luacuda.base.dtypes"

helper.compile_quickly()

local misuse = helper.misuse
local huge = math.huge

-- Combines every element of x with every element of y by broadcasting.
local function grid(values, other, dtype)
  return cuda.array(values, dtype):reshape { #values, 1 }, cuda.array(other, dtype)
end

local function table_of(fn, values, other)
  local rows = {}
  for i, a in ipairs(values) do
    rows[i] = {}
    for j, b in ipairs(other) do rows[i][j] = fn(a, b) end
  end
  return rows
end

local function assert_same(want, got, what)
  for i, row in ipairs(want) do
    for j, v in ipairs(row) do
      if v ~= got[i][j] then
        error(("%s [%d][%d]: expected %s, got %s"):format(what, i, j, v, got[i][j]), 2)
      end
    end
  end
end

-- Integers ----------------------------------------------------------------------------------------

-- The integer of dtype `row` with the low bits of v.
local function wrap(v, row)
  local bits = 8 * row.size
  if bits == 64 then return v end
  v = v & (1 << bits) - 1
  return row.kind == "int" and v >= 1 << bits - 1 and v - (1 << bits) or v
end

local function less(a, b, row)
  if row.kind == "uint" then return math.ult(a, b) end
  return a < b
end

-- Quotient of unsigned integers, by long division.
local function unsigned_divide(a, b)
  local q, r = 0, 0
  for bit = 63, 0, -1 do
    local carry = r < 0
    r = r << 1 | a >> bit & 1
    if carry or not math.ult(r, b) then q, r = q | 1 << bit, r - b end
  end
  return q, r
end

local function shift_right(a, n, row)
  if n < 0 or n >= 8 * row.size then return row.kind == "int" and a < 0 and -1 or 0 end
  return row.kind == "int" and a < 0 and ~(~a >> n) or a >> n
end

local function integer_power(a, n, row)
  if row.kind == "int" and n < 0 then
    return a == 1 and 1 or a == -1 and (n & 1 == 0 and 1 or -1) or 0
  end
  local result = 1
  while n ~= 0 do
    if n & 1 == 1 then result = result * a end
    a, n = a * a, n >> 1
  end
  return result
end

local INTEGER = {
  add = function(a, b) return a + b end,
  subtract = function(a, b) return a - b end,
  multiply = function(a, b) return a * b end,
  floor_divide = function(a, b, row)
    if b == 0 then return 0 end
    if row.kind == "uint" then return (unsigned_divide(a, b)) end
    return a // b
  end,
  mod = function(a, b, row)
    if b == 0 then return 0 end
    if row.kind == "uint" then return (select(2, unsigned_divide(a, b))) end
    return a % b
  end,
  power = integer_power,
  bitwise_and = function(a, b) return a & b end,
  bitwise_or = function(a, b) return a | b end,
  bitwise_xor = function(a, b) return a ~ b end,
  left_shift = function(a, b, row) return b >= 0 and b < 8 * row.size and a << b or 0 end,
  right_shift = shift_right,
  maximum = function(a, b, row) return less(a, b, row) and b or a end,
  minimum = function(a, b, row) return less(b, a, row) and b or a end,
}

local COMPARE = {
  eq = function(a, b) return a == b end,
  ne = function(a, b) return a ~= b end,
  lt = less,
  le = function(a, b, row) return not less(b, a, row) end,
  gt = function(a, b, row) return less(b, a, row) end,
  ge = function(a, b, row) return not less(a, b, row) end,
}

-- Small values, the limits of the range, and values near its middle.
local function integers(row)
  local list = { 0, 1, 2, 3, 5, 7, 8, 10, dtypes.max(row.name), dtypes.max(row.name) - 1,
    dtypes.min(row.name) }
  local more = row.kind == "int" and { -1, -2, -3, -7, dtypes.min(row.name) + 1 }
    or { (1 << 8 * row.size - 1) }
  return table.move(more, 1, #more, #list + 1, list)
end

helper.for_each_device(function()
  helper.for_all_dtypes(function(name, row)
    describe("operators of " .. name, function()
      local values = integers(row)

      it("wrap around and divide like NumPy", function()
        local x, y = grid(values, values, name)
        for op, reference in pairs(INTEGER) do
          local got = cuda[op](x, y)
          assert.equal(name, got.dtype)
          assert_same(table_of(function(a, b) return wrap(reference(a, b, row), row) end, values,
            values), got:totable(), op)
        end
        local want = {}
        for i, v in ipairs(values) do want[i] = wrap(-v, row) end
        assert.same(want, (-cuda.array(values, name)):totable())
        for i, v in ipairs(values) do want[i] = wrap(~v, row) end
        assert.same(want, (~cuda.array(values, name)):totable())
      end)

      it("compare", function()
        local x, y = grid(values, values, name)
        for op, reference in pairs(COMPARE) do
          local got = cuda[op](x, y)
          assert.equal("bool", got.dtype)
          assert_same(table_of(function(a, b) return reference(a, b, row) end, values, values),
            got:totable(), op)
        end
      end)

      it("divide into float64", function()
        local got = cuda.array({ 1, 7, 10 }, name) / cuda.array({ 2, 2, 0 }, name)
        assert.equal("float64", got.dtype)
        assert.same({ 0.5, 3.5, math.huge }, got:totable())
      end)

      it("take Lua numbers on both sides", function()
        local a = cuda.array({ 1, 2, 3 }, name)
        assert.same({ 3, 4, 5 }, (a + 2):totable())
        assert.same({ 9, 8, 7 }, (10 - a):totable())
        assert.same({ 1, 4, 9 }, (a ^ 2):totable())
        assert.same({ 2, 4, 8 }, (2 ^ a):totable())
        assert.same({ 0, 0, 0 }, (a << 300):totable())
        assert.same({ 0, 0, 0 }, (a >> 64):totable())
        for _, got in ipairs { a + 2, 10 - a, a ^ 2, 2 ^ a, a << 300, 7 % a } do
          assert.equal(name, got.dtype)
        end
        local float = a * 0.5
        assert.equal("float64", float.dtype)
        assert.same({ 0.5, 1, 1.5 }, float:totable())
        assert.equal("complex128", (a + cuda.complex(0, 1)).dtype)
        assert.is_true((a + cuda.complex(0, 1))[2] == cuda.complex(2, 1))
        assert.same({ true, false, false }, a:lt(2):totable())
        assert.same({ true, true, true }, a:lt(1000):totable())
        assert.same({ false, false, true }, a:gt(2.5):totable())
      end)

      it("refuse numbers that do not fit", function()
        local a = cuda.array({ 1, 2, 3 }, name)
        assert.matches("^power: argument 2 'y': %-1 is not an exponent for integers, which take 0 "
          .. "to 4294967295", misuse(function() return a ^ -1 end))
        if row.size < 8 then
          assert.matches("^add: argument 2 'y': " .. (1 << 8 * row.size) .. " is out of range for "
            .. name, misuse(function() return a + (1 << 8 * row.size) end))
          assert.matches("^subtract: argument 1 'x': .- is out of range",
            misuse(function() return (1 << 8 * row.size) - a end))
        end
      end)
    end)
  end, { kind = { "int", "uint" } })

  it("integers of different types are compared exactly", function()
    local function check(a, at, b, bt, want)
      local x, y = cuda.array({ a }, at), cuda.array({ b }, bt)
      local got = { x:lt(y)[1], x:le(y)[1], x:eq(y)[1], x:ne(y)[1], x:ge(y)[1], x:gt(y)[1] }
      assert.same({ want < 0, want <= 0, want == 0, want ~= 0, want >= 0, want > 0 }, got)
      local back = { y:lt(x)[1], y:le(x)[1], y:eq(x)[1], y:ne(x)[1], y:ge(x)[1], y:gt(x)[1] }
      assert.same({ want > 0, want >= 0, want == 0, want ~= 0, want <= 0, want < 0 }, back)
    end
    check(-1, "int64", -1, "uint64", -1)                                -- 2^64 - 1
    check(math.maxinteger, "int64", math.mininteger, "uint64", -1)      -- 2^63
    check(math.maxinteger - 1, "int64", math.maxinteger, "uint64", -1)  -- equal as float64
    check(5, "int64", 5, "uint64", 0)
    check(-1, "int8", 255, "uint8", -1)
    check(-1, "int32", -1, "uint64", -1)
    check(-1, "int32", 4294967295, "uint32", -1)
    check(300, "int16", 255, "uint8", 1)
    assert.same({ true }, (cuda.array({ 1 }, "int32")):eq(cuda.array { true }):totable())
  end)

  -- Floats ----------------------------------------------------------------------------------------

  local FLOATS = { 0.0, 1, -1, 2, 0.5, -2.5, 7.5, -7.25, 3, 0.1, -100, 1e-3 }

  local function nearest(dtype, v)
    if v ~= v or v == math.huge or v == -math.huge then return v end
    -- computed as float32, then stored
    if dtype == "float16" or dtype == "bfloat16" then v = cuda.float32(v).value end
    if dtype == "float16" and math.abs(v) >= 65520 then return v > 0 and math.huge or -math.huge end
    return cuda[dtype](v).value
  end

  local function remainder(a, b, round)
    if b == 0 then return 0 / 0 end
    local r = math.fmod(a, b)
    if r ~= 0 and (r < 0) ~= (b < 0) then r = round(r + b) end
    return r
  end

  local FLOAT = {
    add = function(a, b) return a + b end,
    subtract = function(a, b) return a - b end,
    multiply = function(a, b) return a * b end,
    divide = function(a, b) return a / b end,
    mod = remainder,
    floor_divide = function(a, b)
      if b == 0 then return a / b end
      local r = math.fmod(a, b)
      local q = math.floor((a - r) / b + 0.5)
      return r ~= 0 and (r < 0) ~= (b < 0) and q - 1 or q
    end,
    maximum = function(a, b) return math.max(a, b) end,
    minimum = function(a, b) return math.min(a, b) end,
    fmax = function(a, b) return math.max(a, b) end,
    fmin = function(a, b) return math.min(a, b) end,
  }

  helper.for_all_dtypes(function(name)
    describe("operators of " .. name, function()
      local function round(v) return nearest(name, v) end
      local values = {}
      for i, v in ipairs(FLOATS) do values[i] = round(v) end

      it("compute like NumPy", function()
        local x, y = grid(values, values, name)
        for op, reference in pairs(FLOAT) do
          local got = cuda[op](x, y)
          assert.equal(name, got.dtype)
          local want = table_of(function(a, b) return round(reference(a, b, round)) end, values,
            values)
          helper.assert_close(want, got:totable(), { rtol = 0, atol = 0 })
        end
      end)

      it("give exact remainders for quotients of any size", function()
        local x, y = { 1e4, -1e4, 3e4, 1e-3, 0, -0.0, huge, 5, -5, 5 },
          { 0.0078125, 0.0078125, 7, 3, -2, 3, 2, huge, huge, 0 }
        if name ~= "float16" then
          x, y = table.move({ 1e30, -1e30, 1e30, 1e-30 }, 1, 4, #x + 1, x),
            table.move({ 3, 7, 1e29, 1e30 }, 1, 4, #y + 1, y)
        end
        for i = 1, #x do x[i], y[i] = round(x[i]), round(y[i]) end
        local fmod, mod = cuda.fmod(cuda.array(x, name), cuda.array(y, name)),
          cuda.array(x, name) % cuda.array(y, name)
        for i = 1, #x do
          helper.assert_close(y[i] == 0 and 0 / 0 or math.fmod(x[i], y[i]), fmod[i],
            { rtol = 0, atol = 0 })
          helper.assert_close(remainder(x[i], y[i], round), mod[i], { rtol = 0, atol = 0 })
        end
        assert.equal(-huge, 1 / fmod[6])                 -- -0
        assert.equal(-huge, 1 / mod[5])
      end)

      it("compare; NaN is unordered", function()
        local with_nan = table.move({ 0 / 0, math.huge, -math.huge }, 1, 3, #values + 1,
          table.move(values, 1, #values, 1, {}))
        local x, y = grid(with_nan, with_nan, name)
        for op, reference in pairs {
          eq = function(a, b) return a == b end, ne = function(a, b) return a ~= b end,
          lt = function(a, b) return a < b end, le = function(a, b) return a <= b end,
          gt = function(a, b) return a > b end, ge = function(a, b) return a >= b end,
        } do
          assert_same(table_of(reference, with_nan, with_nan), cuda[op](x, y):totable(), op)
        end
      end)

      it("handle NaN in maximum, minimum, fmax, fmin and clip", function()
        local a, b = cuda.array({ 0 / 0, 1, 0 / 0 }, name), cuda.array({ 1, 0 / 0, 0 / 0 }, name)
        for _, op in ipairs { "maximum", "minimum" } do
          for i = 1, 3 do assert.is_true(cuda[op](a, b)[i] ~= cuda[op](a, b)[i]) end
        end
        for _, op in ipairs { "fmax", "fmin" } do
          local got = cuda[op](a, b):totable()
          assert.same({ 1, 1 }, { got[1], got[2] })
          assert.is_true(got[3] ~= got[3])
        end
        local clipped = cuda.array({ 0 / 0, -9, 9 }, name):clip(-1, 2):totable()
        assert.is_true(clipped[1] ~= clipped[1])
        assert.same({ -1, 2 }, { clipped[2], clipped[3] })
      end)

      it("refuse exponents that are out of range, not as those of integers", function()
        if name == "float64" then return end
        assert.matches("^power: argument 2 'y': 1e%+300 is out of range for " .. name,
          misuse(function() return cuda.ones(2, name) ^ 1e300 end))
      end)

      it("take some numbers as exponents exactly", function()
        local x = cuda.array({ 0, -0.0, 3, -2.5, 0.375, math.huge, -math.huge, 0 / 0 }, name)
        for exponent, product in pairs {
          [2] = function() return x * x end, [3] = function() return x * x * x end,
          [-1] = function() return 1 / x end,
        } do
          assert.same(tostring(product()), tostring(x ^ exponent))
          assert.same(tostring(product()), tostring(cuda.power(x, exponent)))
          local fused = cuda.fuse(function(v) return v ^ exponent end)
          assert.same(tostring(x ^ exponent), tostring(fused(x)))
        end
        local positive = x:slice { 3, 3 }
        assert.same(cuda.sqrt(positive):totable(), (positive ^ 0.5):totable())
        assert.equal(math.huge, 1 / (x ^ 0.5)[2]) -- pow(-0, 0.5) is 0, sqrt(-0) is -0
        local general, array = x ^ 2.5, x ^ cuda.full(x.size, 2.5, name)
        assert.same(tostring(array), tostring(general))
      end)

      it("take powers", function()
        local a = cuda.array({ 1, 4, 9, 0.25 }, name)
        assert.same({ 1, 16, 81, 0.0625 }, (a ^ 2):totable())
        assert.same({ 1, 2, 3, 0.5 }, (a ^ 0.5):totable())
        assert.equal(name, (a ^ 2).dtype)
        helper.assert_close({ 1, 64, 729, 1 / 64 }, (a ^ 3.0):totable(), { dtype = name })
        helper.assert_close({ 1, 0.25, 1 / 9, 4 }, (a ^ -1):totable(), { dtype = name })
      end)

      it("refuse bit operations", function()
        local a = cuda.zeros(2, name)
        for _, op in ipairs {
          "bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift",
        } do
          assert.matches("^" .. op .. ": argument 1 'x': expected .*integer.* elements, got "
            .. name, misuse(cuda[op], a, 1))
        end
        assert.matches("^bitwise_not: argument 1 'x'", misuse(function() return ~a end))
      end)
    end)
  end, { kind = "float" })

  -- Booleans and complex numbers ------------------------------------------------------------------

  describe("operators of bool", function()
    local x, y = { true, true, false, false }, { true, false, true, false }

    it("are logical", function()
      local a, b = cuda.array(x), cuda.array(y)
      assert.same({ true, true, true, false }, (a + b):totable())
      assert.same({ true, false, false, false }, (a * b):totable())
      assert.same({ true, false, false, false }, (a & b):totable())
      assert.same({ true, true, true, false }, (a | b):totable())
      assert.same({ false, true, true, false }, (a ~ b):totable())
      assert.same({ false, false, true, true }, (~a):totable())
      assert.same({ true, false, false, false }, (true & (a & b)):totable())
      assert.same({ true, false, false, false }, a:minimum(b):totable())
      assert.same({ true, true, true, false }, a:maximum(b):totable())
      for _, got in ipairs { a + b, a * b, a & b, ~a, a:maximum(b) } do
        assert.equal("bool", got.dtype)
      end
    end)

    it("become int8 where NumPy says so, float64 by division, int64 with integers", function()
      local a, b = cuda.array(x), cuda.array(y)
      for _, got in ipairs { a // b, a % b, a ^ b, a << b, a >> b } do
        assert.equal("int8", got.dtype)
      end
      assert.same({ 1, 0, 0, 0 }, (a // b):totable())
      assert.same({ 1, 1, 0, 1 }, (a ^ b):totable())
      assert.same({ 2, 1, 0, 0 }, (a << b):totable())
      assert.equal("float64", (a / b).dtype)
      assert.equal("int64", (a + 1).dtype)
      assert.same({ 2, 2, 1, 1 }, (a + 1):totable())
    end)

    it("have no subtraction and no negation", function()
      local a = cuda.array(x)
      assert.matches("^subtract: argument 1 'x': booleans have no difference; use bitwise_xor",
        misuse(function() return a - true end))
      assert.matches("^negative: argument 1 'x': booleans have no negative; use logical_not",
        misuse(function() return -a end))
    end)
  end)

  for _, name in ipairs { "complex64", "complex128" } do
    describe("operators of " .. name, function()
      local z = cuda.complex
      local x, y = { z(1, 2), z(-3, 0.5), z(0, 1) }, { z(0, 1), z(2, -2), z(1, 0) }

      it("compute", function()
        local a, b = cuda.array(x, name), cuda.array(y, name)
        for op, reference in pairs {
          add = function(p, q) return p + q end, subtract = function(p, q) return p - q end,
          multiply = function(p, q) return p * q end, divide = function(p, q) return p / q end,
        } do
          local want = {}
          for i = 1, 3 do want[i] = reference(x[i], y[i]) end
          helper.assert_close(want, cuda[op](a, b):totable(), { dtype = name })
        end
        helper.assert_close({ z(-3, 4), z(8.75, -3), z(-1, 0) },
          (a ^ 2):totable(), { dtype = name })
        helper.assert_close({ z(-1, -2), z(3, -0.5), z(0, -1) }, (-a):totable(), { dtype = name })
        assert.equal(name, (a + b).dtype)
      end)

      it("are ordered by real, then imaginary parts", function()
        local a = cuda.array({ z(1, 2), z(1, 3), z(0, 9), z(0 / 0, 1) }, name)
        assert.same({ false, false, true, false }, a:lt(z(1, 2)):totable())
        assert.same({ true, false, true, false }, a:le(z(1, 2)):totable())
        assert.same({ false, true, false, false }, a:gt(z(1, 2)):totable())
        assert.same({ true, true, false, false }, a:ge(z(1, 2)):totable())
        assert.same({ true, false, false, false }, a:eq(z(1, 2)):totable())
        assert.same({ false, true, true, true }, a:ne(z(1, 2)):totable())
        assert.is_true(a:maximum(z(1, 2))[3] == z(1, 2))
        assert.is_true(a:minimum(z(1, 2))[2] == z(1, 2))
        assert.is_true(a:clip(z(1, 0), z(1, 2))[2] == z(1, 2))
      end)

      it("take complex values on both sides", function()
        local a = cuda.array({ 1, 2 }, name)
        assert.is_true((z(1, 2) + a)[2] == z(3, 2))
        assert.is_true((z(1, 2) - a)[2] == z(-1, 2))
        assert.is_true((z(1, 2) * a)[2] == z(2, 4))
        assert.is_true((z(1, 2) / a)[2] == z(0.5, 1))
        assert.is_true((a + z(1, 2))[1] == z(2, 2))
        assert.equal(name, (z(1, 2) + a).dtype)
      end)

      it("have neither remainder nor bit operations", function()
        local a = cuda.zeros(2, name)
        assert.matches(
          "^floor_divide: argument 1 'x': expected bool, integer or float elements, got " .. name,
          misuse(function() return a // 2 end))
        assert.matches("^mod: argument 2 'y'", misuse(function() return 2 % a end))
      end)
    end)
  end

  -- Truth and choice ------------------------------------------------------------------------------

  helper.for_all_dtypes(function(name, row)
    it("logical functions and where take " .. name, function()
      local zero, one = 0, 1
      if row.kind == "bool" then zero, one = false, true end
      local a, b = cuda.array({ one, one, zero, zero }, name),
        cuda.array({ one, zero, one, zero }, name)
      assert.same({ true, false, false, false }, a:logical_and(b):totable())
      assert.same({ true, true, true, false }, a:logical_or(b):totable())
      assert.same({ false, true, true, false }, a:logical_xor(b):totable())
      assert.same({ false, false, true, true }, a:logical_not():totable())
      local chosen = cuda.where(a, b, a)
      assert.equal(name, chosen.dtype)
      assert.is_true(chosen:equals(cuda.array({ one, zero, zero, zero }, name)))
    end)
  end)

  it("where promotes the dtypes of its last two arguments", function()
    local c = cuda.array { true, false }
    assert.equal("int16", cuda.where(c, cuda.zeros(2, "int8"), cuda.ones(2, "uint8")).dtype)
    assert.equal("float32", cuda.where(c, cuda.zeros(2), 1).dtype)
    assert.equal("float32", cuda.where(c, 1.5, 2).dtype)
    assert.same({ 1, 2 }, cuda.where(c, 1, 2):totable())
    assert.equal("int64", cuda.where(c, 1, 2).dtype)
    assert.same({ { 1, 0 }, { 1, 0 } },
      cuda.where(c, cuda.ones { 2, 1 }, cuda.zeros { 2 }):totable())
    assert.same({ 1, 1 }, cuda.where(cuda.array { 0 / 0, -0.5 }, 1, 2):totable())
  end)

  it("where of one argument gives indices, as nonzero does", function()
    local a = cuda.array({ { 0, 3, 0 }, { 5, 0, 7 } }, "int16")
    for _, find in ipairs { cuda.where, a.where } do
      local rows, columns = find(a)
      assert.same({ 1, 2, 2 }, rows:totable())
      assert.same({ 2, 1, 3 }, columns:totable())
    end
    local stream = cuda.stream()
    assert.same({ 2 }, (cuda.where(cuda.array { false, true }, { stream = stream })):totable())
    assert.matches("unknown option 'axis'", misuse(cuda.where, a, { axis = 1 }))
    assert.matches("^where: argument 3 'y'", misuse(cuda.where, a, 1))
    assert.matches("^where: ", misuse(cuda.where, 5))
    assert.matches("^where: ", misuse(cuda.where, a, { 1, 2 }, 3))
  end)

  it("functions of two arguments are methods", function()
    local x, y = cuda.array { 3, -5, 7 }, cuda.array { 4, 12, -24 }
    for _, name in ipairs { "hypot", "atan2", "copysign", "fmod", "inner", "outer", "vdot" } do
      local want, got = cuda[name](x, y), x[name](x, y)
      if type(want) == "number" then assert.equal(want, got, name)
      else assert.is_true(want:equals(got), name) end
    end
    assert.same({ 5, 13, 25 }, x:hypot(y):totable())
    assert.same({ 3, 12, 7 }, x:gt(0):where(x, y):totable())
    local values, counts = cuda.array({ 2, 1, 2 }, "int8"):unique { return_counts = true }
    assert.same({ 1, 2 }, values:totable())
    assert.same({ 1, 2 }, counts:totable())
  end)

  it("clip takes nil for no bound", function()
    local a = cuda.array({ -5, 0, 5 }, "int16")
    assert.same({ -1, 0, 1 }, a:clip(-1, 1):totable())
    assert.same({ -5, 0, 1 }, a:clip(nil, 1):totable())
    assert.same({ -1, 0, 5 }, a:clip(-1):totable())
    assert.same({ 1, 1, 1 }, a:clip(3, 1):totable())
    assert.same({ -2, 0, 1 },
      cuda.clip(a, cuda.array({ -2, -1, 0 }, "int16"), 1, { out = a }):totable())
    assert.same({ -2, 0, 1 }, a:totable())
    assert.matches("^clip: argument 2 'lo': expected an array or a number, got nil",
      misuse(cuda.clip, a))
  end)

  -- Pairs of dtypes -------------------------------------------------------------------------------

  it("operands of two dtypes are promoted to their common dtype", function()
    local names = { "bool", "int8", "uint16", "int64", "uint64", "float16", "bfloat16",
      "float32", "complex64" }
    for _, a in ipairs(names) do
      for _, b in ipairs(names) do
        local x = cuda.array(a == "bool" and { true, false } or { 3, 100 }, a)
        local y = cuda.array(b == "bool" and { false, true } or { 2, 1 }, b)
        local sum = x + y
        assert.equal(dtypes.promote(a, b), sum.dtype)
        local function number(v) return v == true and 1 or v == false and 0 or v end
        if sum.dtype ~= "bool" then
          local zero = cuda.complex(0, 0)
          local want = cuda.array({ zero + number(x[1]) + number(y[1]),
            zero + number(x[2]) + number(y[2]) }, "complex128")
          assert.is_true(sum:astype("complex128"):equals(want), a .. " + " .. b)
        end
      end
    end
  end)

  it("typed scalars promote like arrays", function()
    local a = cuda.array({ 1, 2 }, "int8")
    assert.equal("int32", (a + cuda.int32(1)).dtype)
    assert.equal("int32", (cuda.int32(1) - a).dtype)
    assert.equal("float16", (cuda.float16(0.5) * a).dtype)
    assert.equal("float64", (a / cuda.float64(2)).dtype)
    assert.equal("int16", cuda.add(cuda.uint8(200), a).dtype)
    assert.same({ 201, 202 }, (cuda.uint8(200) + a):totable())
    assert.equal("complex64", (cuda.complex64(0, 1) + a).dtype)
    assert.same({ 0, 0 }, (a ^ cuda.int32(-3) * 0):totable())
    assert.same({ 1, 0 }, (a ^ cuda.int32(-3)):totable())
  end)

  -- Arrays of all kinds ---------------------------------------------------------------------------

  describe("operators", function()
    it("take arrays in any layout", function()
      local a = cuda.arange(24, "float32"):reshape { 2, 3, 4 }
      local reversed = a:transpose()
      local got = (reversed + reversed:contiguous()):totable()
      for i = 1, 4 do
        for j = 1, 3 do for k = 1, 2 do assert.equal(2 * a:item(k, j, i), got[i][j][k]) end end
      end
      local back = a:slice({ -1, 1, -1 }, {}, { 1, -1, 2 })
      assert.is_true((back * 2):equals(back:contiguous() + back:contiguous()))
      assert.same({ 2, 3, 2 }, (back * 2).shape)
      local column, row = cuda.array { { 10 }, { 20 } }, cuda.array { 1, 2, 3 }
      assert.same({ { 11, 12, 13 }, { 21, 22, 23 } }, (column + row):totable())
      assert.same({ { 3, 3 }, { 3, 3 } }, (cuda.array(3):broadcast_to { 2, 2 } + 0):totable())
    end)

    it("take arrays without axes and without elements", function()
      local point = cuda.full({}, 2)
      assert.same({}, (point + 1).shape)
      assert.equal(3, (point + 1):item())
      assert.same({ 3, 4 }, (cuda.array { 1, 2 } + point):totable())
      local none = cuda.zeros { 0, 3 } + cuda.zeros(3)
      assert.same({ 0, 3 }, none.shape)
      assert.equal("bool", cuda.lt(none, 1).dtype)
    end)

    it("take sizes around multiples of a vector", function()
      for _, n in ipairs { 1, 2, 3, 7, 31, 33, 255, 257, 1023, 4099 } do
        local a = cuda.arange(n, "int32")
        local sum = a + a
        assert.is_true(sum:equals(a * 2))
        assert.equal(2 * (n - 1), sum[n])
        if n > 2 then assert.equal(3 * (n - 1), (a:slice { 2, -1 } * 3)[n - 1]) end
      end
    end)

    it("write into out, also into an operand", function()
      local a, b = cuda.array { 1, 2, 3, 4 }, cuda.array { 10, 20, 30, 40 }
      local out = cuda.zeros(4)
      assert.is_true(rawequal(out, cuda.add(a, b, { out = out })))
      assert.same({ 11, 22, 33, 44 }, out:totable())
      a:add(b, { out = a })
      assert.same({ 11, 22, 33, 44 }, a:totable())
      cuda.subtract(a, 1, a)
      assert.same({ 10, 21, 32, 43 }, a:totable())
      local reversed = a:slice { -1, 1, -1 }
      cuda.add(a, reversed, { out = a })            -- reads what it overwrites
      assert.same({ 53, 53, 53, 53 }, a:totable())
    end)

    it("refuse an out of another dtype or shape", function()
      local a = cuda.zeros(3, "int32")
      assert.matches("^add: out: expected int32, which is the result's dtype, got float32",
        misuse(cuda.add, a, a, { out = cuda.zeros(3) }))
      assert.matches("^divide: out: expected float64", misuse(cuda.divide, a, a, { out = a }))
      assert.matches("^lt: out: expected bool", misuse(cuda.lt, a, a, { out = a }))
      assert.matches("^add: argument 3 'out': .*shape",
        misuse(cuda.add, a, a, { out = cuda.zeros(4, "int32") }))
      assert.matches("^add: a broadcast view cannot be written",
        misuse(cuda.add, a, a, { out = cuda.zeros(1, "int32"):broadcast_to(3) }))
    end)

    it("report a wrong operand", function()
      local a = cuda.zeros(3)
      assert.matches("^add: argument 2 'y': expected an array or a number, got string",
        misuse(function() return a + "1" end))
      assert.matches("^add: argument 1 'x': expected an array or a number, got string",
        misuse(function() return "1" + a end))
      assert.matches("^multiply: argument 2 'y': .- got table",
        misuse(function() return a * {} end))
      assert.matches("^divide: argument 2 'y': .- got nil", misuse(function() return a / nil end))
      assert.matches("^add: argument 2 'y': shape {4} does not broadcast with {3}",
        misuse(function() return a + cuda.zeros(4) end))
      assert.matches("^add: expected 2 inputs, got 1", misuse(cuda.add, a))
      assert.matches("^add: .*got 4 arguments", misuse(cuda.add, a, a, a, a))
      assert.matches("unknown option 'ot'; did you mean 'out'", misuse(cuda.add, a, a, { ot = a }))
      assert.matches("^add: argument 1 'x': attempt to use a closed Array", misuse(function()
        local b = cuda.zeros(3)
        b:free()
        return b + 1
      end))
    end)

    it("do not define order and length", function()
      local a = cuda.zeros(3)
      assert.matches("use a:lt%(b%)", misuse(function() return a < a end))
      assert.matches("'>'.*use .* a:gt%(b%)$", misuse(function() return a > 1 end))
      assert.matches("use a:le%(b%)", misuse(function() return 1 <= a end))
      assert.is_false(a == cuda.zeros(3))
      assert.equal(3, #a)
      assert.error_matches(function() return a .. a end, "concatenate")
    end)

    it("run no Lua code once loaded", function()
      local a = cuda.ones(3)
      local results = { a + 1, a - 1, a * 1, a / 1, a // 1, a % 1, a ^ 1, -a }
      assert.equal(8, #results)
      local metatable = select(3, require("luacuda.core").class "Array")
      for _, event in ipairs {
        "__add", "__sub", "__mul", "__div", "__idiv", "__mod", "__pow", "__unm",
      } do
        assert.equal("C", debug.getinfo(metatable[event], "S").what, event)
      end
    end)

    it("run on the stream given", function()
      local stream = cuda.stream()
      local a = cuda.ones(1000)
      for _ = 1, 20 do cuda.add(a, 1, { out = a, stream = stream }) end
      assert.equal(21, a[1000])
    end)
  end)

  it("a:equals waits and returns a boolean", function()
    local a = cuda.arange(100)
    assert.is_true((a + 1 - 1):equals(a))
    assert.is_false((a + 1):equals(a))
    assert.is_false(a:equals(a:reshape { 10, 10 }))
  end)
end)

describe("operators on host memory", function()
  it("run on the CPU device", function()
    for _, a in ipairs { cuda.pinned({ 4 }, "float32"), cuda.host({ 4 }, "float32") } do
      a:set { 1, 2, 3, 4 }
      local b = a * 2 + 1
      assert.equal("cpu", b.device.kind)
      assert.same({ 3, 5, 7, 9 }, b:totable())
      a:multiply(10, { out = a })
      assert.same({ 10, 20, 30, 40 }, a:totable())
    end
  end)
end)
