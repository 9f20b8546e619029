-- Comparisons of integers of any two dtypes, with each other and with Lua numbers, against Python,
-- whose numbers compare exactly. Each case takes two of the six operations, others in every run.
local helper = require "spec.helper"
local evaluate = require "spec.support.evaluate"
local cuda = require "luacuda"

local DTYPES = { "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64" }
local OPERATIONS = { "eq", "ne", "lt", "le", "gt", "ge" }

local function drawn()
  local first = math.random(6)
  return { OPERATIONS[first], OPERATIONS[(first + math.random(5) - 1) % 6 + 1] }
end

-- Edges of all widths and random integers, as int64; uint64 takes their bits.
local function candidates()
  local next_number, list = helper.random(11), { 0, 1, 2, -1, -2, math.mininteger, math.maxinteger }
  for _, bits in ipairs { 7, 8, 15, 16, 31, 32, 53, 62 } do
    for d = -1, 1 do
      list[#list + 1] = (1 << bits) + d
      list[#list + 1] = -(1 << bits) + d
    end
  end
  for _ = 1, 6 do list[#list + 1] = next_number(1 << 31) << 32 | next_number(1 << 31) end
  return list
end

local NUMBERS = candidates()

-- Lua floats between integers, with more than 53 bits, and outside the range of integers.
local FLOATS = { 0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 127.5, 255.0, 255.5, -128.5, 65535.5, 2.0 ^ 31,
  2.0 ^ 32 - 0.5, 2.0 ^ 53, 2.0 ^ 53 + 2, -2.0 ^ 53, 2.0 ^ 62, 2.0 ^ 63, -2.0 ^ 63, 2.0 ^ 64,
  9223372036854774784.0, 1.8446744073709550e19, 1e300, -1e300, 5e-324, 1 / 0, -1 / 0, 0 / 0 }

-- The values of NUMBERS that a dtype holds.
local function values_of(dtype)
  if dtype == "bool" then return { false, true } end
  local list = {}
  for _, n in ipairs(NUMBERS) do
    if pcall(cuda[dtype], n) then list[#list + 1] = n end
  end
  return list
end

-- All pairs of a value of one dtype and a value of another.
local function crossed(one, other)
  local a, b = cuda.array(values_of(one), one), cuda.array(values_of(other), other)
  local shape = { a.size, b.size }
  return a:reshape({ a.size, 1 }):broadcast_to(shape):copy(), b:broadcast_to(shape):copy()
end

-- Python's answers to lines "op; numbers; numbers": for each, a line of 0 and 1 for all pairs of a
-- left and a right number. "u" precedes the bits of an unsigned number.
local PYTHON = [[
import operator, sys
def number(text):
    if text[0] == "u": return int(text[1:]) & (2 ** 64 - 1)
    return float.fromhex(text) if "x" in text or "n" in text else int(text)
for line in open(sys.argv[1]):
    op, left, right = (part.split() for part in line.split(";"))
    op, left, right = getattr(operator, op[0]), map(number, left), list(map(number, right))
    print("".join("01"[op(a, b)] for a in left for b in right))
]]

local function text_of(list, dtype)
  local out = {}
  for k, v in ipairs(list) do
    if v == true or v == false then v = v and 1 or 0 end
    out[k] = (dtype == "uint64" and "u" or "") .. (math.type(v) == "integer" and tostring(v)
      or v ~= v and "nan" or math.abs(v) == 1 / 0 and (v > 0 and "inf" or "-inf")
      or ("%a"):format(v))
  end
  return table.concat(out, " ")
end

local cases -- { name, a line for Python, a function that returns 0 and 1 as text }

local function add(name, op, left, right, got)
  cases[#cases + 1] = { name = ("%s(%s)"):format(op, name),
    asked = ("%s; %s; %s"):format(op, left, right), got = got }
end

local function bits(result) return (result:tobytes():gsub(".", { ["\0"] = "0", ["\1"] = "1" })) end

local function check()
  local folder = helper.tmpdir()
  local asked = {}
  for k, case in ipairs(cases) do asked[k] = case.asked end
  helper.write_file(folder .. "/ask.py", PYTHON)
  helper.write_file(folder .. "/asked", table.concat(asked, "\n") .. "\n")
  local ok, output = evaluate.python(folder .. "/ask.py", folder .. "/asked")
  assert.is_true(ok, output)
  local k = 0
  for want in output:gmatch "[^\n]+" do
    k = k + 1
    assert.equal(want, cases[k].got(), cases[k].name)
  end
  assert.equal(#cases, k)
  cases = {} -- they hold arrays
end

-- The results of op(a, number), or op(number, a), for all numbers.
local function by_number(op, a, numbers, first)
  local out = {}
  for k, n in ipairs(numbers) do
    out[k] = bits(first and cuda[op](n, a) or cuda[op](a, n))
  end
  return table.concat(out)
end

describe("comparisons of integers are exact", function()
  before_each(function() cases = {} end)

  helper.for_each_device(function()
    it("for arrays of any two dtypes", function()
      for _, one in ipairs(DTYPES) do
        for _, other in ipairs(DTYPES) do
          local a, b = crossed(one, other)
          for _, op in ipairs(drawn()) do
            add(one .. ", " .. other, op, text_of(values_of(one), one),
              text_of(values_of(other), other), function() return bits(cuda[op](a, b)) end)
          end
        end
      end
      check()
    end)

    for what, numbers in pairs { integers = NUMBERS, floats = FLOATS } do
      it("for arrays and Lua's " .. what .. ", on either side", function()
        local few = {}
        for k = 1, #numbers, what == "integers" and 3 or 1 do few[#few + 1] = numbers[k] end
        for _, dtype in ipairs(DTYPES) do
          local list = values_of(dtype)
          local a = cuda.array(list, dtype)
          for _, op in ipairs(drawn()) do
            local swapped = ({ lt = "gt", gt = "lt", le = "ge", ge = "le" })[op] or op
            add("number, " .. dtype, op, text_of(few), text_of(list, dtype),
              function() return by_number(op, a, few, true) end)
            add(dtype .. ", number", swapped, text_of(few), text_of(list, dtype),
              function() return by_number(op, a, few, false) end)
          end
        end
        check()
      end)
    end

    it("in fused functions, in methods, for typed scalars and in array_equal", function()
      local u = cuda.array({ 0, 5, -1 }, "uint64")
      local fused = cuda.fuse(function(x) return x:lt(-1), x:ge(-1), x:eq(2.5), x:gt(2.0 ^ 63) end)
      local results = table.pack(fused(u))
      for k, want in ipairs { { false, false, false }, { true, true, true },
        { false, false, false }, { false, false, true } } do
        assert.same(want, results[k]:totable())
      end
      assert.same({ false, false, false }, u:lt(-1):totable())
      assert.same({ false, false, false }, u:eq(-1):totable())
      assert.same({ false, false, true }, u:eq(cuda.uint64(-1)):totable())
      assert.same({ 1, 1, 1 }, cuda.where(u:gt(-1), 1, 0):totable())
      local i = cuda.array({ 0, 5, -1 }, "int64")
      assert.is_false(cuda.array_equal(u, i))
      assert.is_false(cuda.array_equal(cuda.array({ (1 << 53) + 1 }, "int64"),
        cuda.array({ 2.0 ^ 53 }, "float64")))
    end)

    it("in searchsorted", function()
      local low, high = (1 << 53) + 1, (1 << 62) + 1
      local u = cuda.array({ 3, low, low + 1, high, math.mininteger, -1 }, "uint64")
      local i = cuda.array({ -1, 3, low - 1, low, low + 1, high - 1, high }, "int64")
      assert.same({ 1, 1, 2, 2, 3, 4, 4 }, u:searchsorted(i):totable())
      assert.same({ 1, 2, 2, 3, 4, 4, 5 }, u:searchsorted(i, { side = "right" }):totable())
      assert.same({ 2, 4, 5, 7, 8, 8 }, i:searchsorted(u):totable())
      assert.equal(1, u:searchsorted(-1))
      assert.equal(3, u:searchsorted(low + 1))
    end)
  end)
end)
