-- Lua integers in kernels, near the limits of 32 and 64 bits, compared with plain Lua.
local cuda = require "luacuda"
local helper = require "spec.helper"
local random = require("spec.support.data").random

-- The four integers that a body writes to `x`, by plain Lua and by the kernel.
local function both(body, p)
  local text = "function(x, p) " .. body .. " end"
  local want = { 0, 0, 0, 0 }
  local names = setmetatable({ int64 = math.tointeger }, { __index = _G })
  assert(load("return " .. text, "=body", "t", names))()(want, p)
  local x = cuda.zeros(4, "int64")
  cuda.jit(text)({ threads = 1 }, x, p)
  return want, x:totable()
end

local function agree(body, p)
  local want, got = both(body, p)
  assert.same(want, got)
end

-- All operators over pairs of values --------------------------------------------------------------

local OPERATIONS = { "A + B", "A - B", "A * B", "A & B", "A | B", "A ~ B", "A << B", "A >> B",
  "math.max(A, B)", "math.min(A, B)", "-A", "~A", "0 - A", "A * -1", "(A < B) and 1 or 0",
  "(A <= B) and 1 or 0", "(A == B) and 1 or 0", "(A ~= B) and 1 or 0", "(A > B) and 1 or 0",
  "(A >= B) and 1 or 0", "(A + B) // 2", "(A - B) % 5" }
local DIVISIONS = { "A // B", "A % B", "math.fmod(A, B)" }

-- Statements that write the results of all operators for two operands; the number of results so
-- far.
local function operators(list, count, a, b)
  local function put(indent, operation)
    count = count + 1
    local of = { A = "(" .. a .. ")", B = "(" .. b .. ")" }
    list[#list + 1] = ("%so[at + %d] = %s"):format(indent, count, operation:gsub("%f[%w][AB]%f[%W]",
      of))
  end
  for _, operation in ipairs(OPERATIONS) do put("", operation) end
  if b == "0" then return count end
  list[#list + 1] = ("if (%s) ~= 0 then"):format(b)
  for _, operation in ipairs(DIVISIONS) do put("  ", operation) end
  list[#list + 1] = "end"
  return count
end

-- Compares a function (x, y, o) whose statements `inner` run once for each of `rounds` rounds; both
-- arrays have the dtype.
local function compare(outer, list, count, ends, rounds, dtype, x, y)
  local text = ("function(x, y, o)\nlocal at = 0\n%s\n%s\nat = at + %d\n%s\nend"):format(outer,
    table.concat(list, "\n"), count, ends)
  local want = {}
  for k = 1, rounds * count do want[k] = 0 end
  assert(load("return " .. text))()(x, y, want)
  local o = cuda.zeros(rounds * count, "int64")
  cuda.jit(text)({ threads = 1 }, cuda.array(x, dtype), cuda.array(y, dtype), o)
  for k, v in ipairs(o:totable()) do
    if v ~= want[k] then
      local at, round = (k - 1) % count + 1, (k - 1) // count + 1
      local line = table.concat(list, "\n"):match(("[^\n]*o%%[at %%+ %d%%][^\n]*"):format(at))
      assert.equals(want[k], v, ("%s, x = %d, y = %d, round %d"):format(line,
        x[round] or 0, y[round] or 0, round))
    end
  end
end

local function integers(low, high, own)
  local list, rng = {}, random(71)
  for v = -4, 4 do list[#list + 1] = v end
  for _, v in ipairs{ low, low + 1, high - 1, high, table.unpack(own) } do list[#list + 1] = v end
  for _ = 1, 4 do list[#list + 1] = rng(2001) - 1000 end
  return list
end

local WIDE = integers(math.mininteger, math.maxinteger, { 31, 32, 63, 64, 65, -63, -64, 2 ^ 31 | 0,
  -2 ^ 31 | 0, 2 ^ 31 - 1 | 0, 2 ^ 32 | 0, -2 ^ 32 | 0, 1 << 40, -(1 << 40), 1 << 62 })
local NARROW = integers(-2 ^ 31 | 0, 2 ^ 31 - 1 | 0, { 31, 32, 63, 64, 65535, 65536, -65536 })

local function pairs_of(list)
  local x, y = {}, {}
  for _, a in ipairs(list) do
    for _, b in ipairs(list) do x[#x + 1], y[#y + 1] = a, b end
  end
  return x, y
end

-- Calls check(list, count) for all operators on `a` and the constants `values`, eight at a time.
local function beside_constants(a, values, check)
  for first = 1, #values, 8 do
    local list, count = {}, 0
    for k = first, math.min(first + 7, #values) do
      local c = values[k] == math.mininteger and "math.mininteger" or ("%d"):format(values[k])
      count = operators(list, operators(list, count, a, c), c, a)
    end
    check(list, count)
  end
end

-- Counters are Lua integers; the elements are not.
local LOOP = "for i = 1, #x do\nfor a = x[i], x[i] do\nfor b = y[i], y[i] do"
local LOOP_ENDS = "end end end"

helper.for_each_device(function()
  describe("operators of Lua integers are those of plain Lua", function()
    for dtype, values in pairs{ int64 = WIDE, int32 = NARROW } do
      it("for variables from arrays of " .. dtype, function()
        local list, x, y = {}, pairs_of(values)
        local count = operators(list, 0, "a", "b")
        compare(LOOP, list, count, LOOP_ENDS, #x, dtype, x, y)
      end)

      it("for constants combined with elements of " .. dtype, function()
        beside_constants("a", values, function(list, count)
          compare(LOOP, list, count, LOOP_ENDS, #values, dtype, values, values)
        end)
      end)
    end

    it("for counters of loops and values of a known range", function()
      for _, names in ipairs{ { "a", "b" }, { "a & 7", "b" }, { "(a & 7) - 4", "b | 1" },
        { "a * 65536", "b * 65536" }, { "a + 2147483647", "b" }, { "a - 2147483647", "b" },
        { "a > 0 and a or b", "b > 1 and b or 2" }, { "a", "b * 16 + 1" } } do
        local list = {}
        local count = operators(list, 0, names[1], names[2])
        compare("for a = -5, 5 do\nfor b = -5, 5 do", list, count, "end end", 121, "int64", { 0 },
          { 0 })
      end
    end)

    it("for constants combined with counters of loops", function()
      for _, range in ipairs{ "-5, 5", "-1, 9", "0, 10", "2147483640, 2147483650",
        "-2147483650, -2147483640", "math.mininteger, math.mininteger + 10",
        "math.maxinteger - 10, math.maxinteger" } do
        beside_constants("a", WIDE, function(list, count)
          compare(("for a = %s do"):format(range), list, count, "end", 11, "int64", { 0 }, { 0 })
        end)
      end
    end)
  end)

  describe("integers of a kernel written in Lua", function()
    it("have 64 bits where a selection of two narrow ones is an operand", function()
      agree([[for i = 70000, 70000 do
        x[1] = (p > 0 and i or 1) * (p > 0 and i or 2)
        x[2] = (p > 0 and i or 1) * (p < 0 and 1 or i) - (p > 0 and i or 3)
        x[3] = ~i * (p > 0 and i or 2)
      end]], 1)
    end)

    it("are subtracted from elements where their negative does not exist", function()
      local x = cuda.array({ 5, 0 }, "int64")
      local k = cuda.jit(function(a)
        local n = 0
        repeat n = n + 1 until n > 2 or math.ult(n, n)
        a[2] = atomic_sub(a, 1, math.mininteger * n)
      end)
      k({ threads = 1 }, x)
      assert.same({ 5 - math.mininteger, 5 }, x:totable())
      local y = cuda.array({ -1, 7 }, "int32")
      k = cuda.jit(function(a, v) a[2] = atomic_sub(a, 1, v) end)
      k({ threads = 1 }, y, -2 ^ 31 | 0)
      assert.same({ 2 ^ 31 - 1 | 0, -1 }, y:totable())
    end)

    it("wrap around in an index that a mask makes valid", function()
      local K = 2
      local k = cuda.jit(function(x, p)
        local w = array("float64", 8)
        for z = 1, 8 do w[z] = 0.5 end
        for i = math.maxinteger - (math.floor(((K & 3) ^ (p & 1)) + 0.5) & 7), math.maxinteger, 2 do
          w[((i + i) & 7) + 1] = 3.0
        end
        for z = 1, 8 do x[z] = w[z] end
      end)
      local function places(p)
        local x, want = cuda.zeros(8, "float64"), {}
        for z = 1, 8 do want[z] = 0.5 end
        for i = math.maxinteger - math.tointeger(K ^ p), math.maxinteger, 2 do
          want[((i + i) & 7) + 1] = 3.0
        end
        k({ threads = 1 }, x, p)
        assert.same(want, x:totable())
      end
      places(0)
      places(1)
    end)

    it("are divided by powers of two beyond 32 bits", function()
      agree([[x[1] = #x // 1099511627776
        x[2] = -#x // 1099511627776
        x[3] = ~#x // 4294967296
        x[4] = (p > 0 and #x or -#x) // 2147483648]], -1)
      agree([[for i = 1, 1 do
        x[1] = int64(i - 3) // 1099511627776
        x[2] = int64(i - 3) // 4294967296
        x[3] = int64(i - 3) // 2147483648
        x[4] = int64(i - 3) % 1099511627776
      end]], 0)
    end)

    it("count to a float limit that no integer reaches", function()
      local body = [[
        for k = math.mininteger, %s do x[1] = x[1] + 1 break end
        for k = math.maxinteger, %s, -1 do x[2] = x[2] + 1 break end
        for k = 3, %s, -1 do x[3] = x[3] + k if k < -5 then break end end
        for k = 1, %s do x[4] = x[4] + k if x[4] > 9 then break end end]]
      agree((body:gsub("%%s", "0.5")), 1)
      for _, limit in ipairs{ -1e300, 2.0^63, -(2.0^63), 0/0, 3.5, -2.5, math.huge } do
        agree((body:gsub("%%s", "p")), limit)
      end
    end)

    it("from rounded floats are the nearest ones in a variable, and floats as elements", function()
      local k = cuda.jit(function(x, n, y)
        for i in grid(#x) do
          local low, high = math.floor(x[i]), math.ceil(x[i])
          n[2 * i - 1], n[2 * i] = low, high
          y[2 * i - 1], y[2 * i] = math.floor(x[i]), math.ceil(x[i])
        end
      end)
      local least, most = math.mininteger, math.maxinteger
      local list = { 0/0, math.huge, -math.huge, 1e300, -1e19, 2.5, -2.5 }
      local n, y = cuda.zeros(14, "int64"), cuda.zeros(14, "float64")
      k({ threads = 7 }, cuda.array(list, "float64"), n, y)
      assert.same({ least, least, most, most, least, least, most, most, least, least, 2, 3,
        -3, -2 }, n:totable())
      for i, v in ipairs(list) do
        helper.assert_close({ math.floor(v) + 0.0, math.ceil(v) + 0.0 }, { y[2 * i - 1], y[2 * i] },
          { dtype = "float64" })
      end
    end)

    it("of 16 bits wrap around when they are negated, and stay so beside wider ones", function()
      local k = cuda.jit(function(x, out)
        local n <const> = #x
        for i in grid(n) do
          out[i] = int64(-x[i])
          out[i + n] = int64(math.abs(x[i]))
          out[i + 2 * n] = int64(0 - x[i])
          out[i + 3 * n] = int64(x[i] * -1)
          out[i + 4 * n] = int64(~x[i] + 1)
          out[i + 5 * n] = int64(x[i] // -1)
          if -x[i] < out[i] then out[i + 6 * n] = 1 end
          if x[i] < int16(- int32(x[i])) then out[i + 6 * n] = out[i + 6 * n] + 2 end
        end
      end)
      local x = cuda.array({ -32768, -32767, -1, 0, 1, 32767 }, "int16")
      local out = cuda.zeros(42, "int64")
      k({ threads = 6 }, x, out)
      local negative = { -32768, 32767, 1, 0, -1, -32767 }
      local expected = {}
      for _, part in ipairs{ negative, { -32768, 32767, 1, 0, 1, 32767 }, negative, negative,
        negative, negative, { 0, 2, 2, 0, 0, 0 } } do
        table.move(part, 1, 6, #expected + 1, expected)
      end
      assert.same(expected, out:totable())
      -- On a GPU -32768 became 32768: the assembler takes it that this instruction cannot overflow.
      assert.is_nil(k:ptx():find("neg.s16", 1, true))
    end)

    it("of 16 bits without a sign equal their negative at 0 and 32768", function()
      local k = cuda.jit(function(x, out)
        for i in grid(#x) do
          if x[i] == -x[i] then out[i] = 1 end
          if x[i] == uint16(- int32(x[i])) then out[i] = out[i] + 2 end
        end
      end)
      local x = cuda.array({ 0, 1, 32767, 32768, 32769, 65535 }, "uint16")
      local out = cuda.zeros(6, "int64")
      k({ threads = 6 }, x, out)
      assert.same({ 3, 0, 0, 3, 0, 0 }, out:totable())
      assert.is_nil(k:ptx():find("neg.s16", 1, true)) -- the same assumption, compared as int16
    end)

    it("keep the smallest one negative, however its size is computed", function()
      local k = cuda.jit(function(x, out)
        for i in grid(#x) do
          local v, bits = x[i], 0
          local w, u = v, math.max(v, v * -1)
          if w < 0 then w = -w end
          if math.abs(v) >= 0 then bits = bits + 1 end
          if w >= 0 then bits = bits + 2 end
          if u >= 0 then bits = bits + 4 end
          if (v < 0 and 0 - v or v) >= 0 then bits = bits + 8 end
          if v // -1 >= 0 then bits = bits + 16 end
          out[i] = bits
        end
      end)
      for _, dtype in ipairs{ "int32", "int64" } do
        local least = dtype == "int32" and -2^31 | 0 or math.mininteger
        local x = cuda.array({ least, least + 1, -1, 0, 1, ~least }, dtype)
        local out = cuda.zeros(6, "int64")
        k({ threads = 6 }, x, out)
        assert.same({ 0, 31, 31, 31, 15, 15 }, out:totable())
        -- On a GPU the assembler drops comparisons of these, as if they were never negative.
        assert.is_nil(k:ptx(x, out):find "abs%.s[36]")
        local fused = cuda.fuse(function(v) return cuda.abs(v) >= 0 end)
        assert.same({ false, true, true, true, true, true }, fused(x):totable())
      end
    end)
  end)
end)
