-- The ranges of integers that kernels written in Lua infer, compared with all values of small
-- ranges; and variables of functions with jumps.
local cuda = require "luacuda"
local helper = require "spec.helper"
local nodes = require "luacuda.jit.typed.nodes"

local function between(lo, hi) return nodes.text("int", "v", lo + 0.0, hi + 0.0) end

local OPERATIONS = {
  add = function(a, b) return a + b end, sub = function(a, b) return a - b end,
  mul = function(a, b) return a * b end, min = math.min, max = math.max,
  neg = function(a) return -a end, mod = function(a, b) return b ~= 0 and a % b or 0 end,
  idiv = function(a, b) return b ~= 0 and a // b or 0 end, band = function(a, b) return a & b end,
}

-- Operations whose inferred range is exact: some operands give each value of it.
local EXACT = { add = true, sub = true, mul = true, min = true, max = true, neg = true }

local function extremes(fn, a, b, c, d)
  local lo, hi = math.huge, -math.huge
  for x = a, b do
    for y = c, d do
      local v = fn(x, y)
      lo, hi = math.min(lo, v), math.max(hi, v)
    end
  end
  return lo, hi
end

describe("the range of an integer", function()
  for name, fn in pairs(OPERATIONS) do
    it("contains the results of " .. name, function()
      local rng = helper.random(#name)
      for _ = 1, 500 do
        local a, c = rng(21) - 10, rng(21) - 10
        local b, d = a + rng(8), c + rng(8)
        local lo, hi = nodes.range(nodes.int("int", name, between(a, b), between(c, d)))
        local least, most = extremes(fn, a, b, c, d)
        assert(lo <= least and most <= hi,
          ("%s of %d..%d and %d..%d: %s..%s, and not %s..%s"):format(name, a, b, c, d, least, most,
          lo, hi))
        if EXACT[name] then assert.same({ least, most }, { lo, hi }) end
      end
    end)
  end

  it("is known for remainders and quotients of positive divisors", function()
    local function range(...) return { nodes.range(nodes.int("int", ...)) } end
    assert.same({ 0.0, 6.0 }, range("mod", between(-9, 9), between(1, 7)))
    assert.same({ 0.0, 9.0 }, range("idiv", between(0, 9), between(1, 7)))
    assert.same({ 0.0, 5.0 }, range("band", between(-9, 9), between(0, 5)))
  end)

  it("decides at its limits whether 32 bits suffice, and whether 64 can overflow", function()
    local narrow = function(lo, hi) return nodes.is_narrow(between(lo, hi)) end
    local low, high = -2.0 ^ 31, 2.0 ^ 31 - 1
    assert.same({ true, false, false }, { narrow(low, high), narrow(low - 1, high),
      narrow(low, high + 1) })
    local bounded = function(lo, hi) return nodes.is_bounded(between(lo, hi)) end
    assert.same({ true, false, false }, { bounded(-2.0 ^ 62, 2.0 ^ 62),
      bounded(-2.0 ^ 62 - 1024, 0), bounded(0, 2.0 ^ 62 + 1024) })
  end)
end)

helper.for_each_device(function()
  it("does not mix up variables of a function with jumps", function()
    local function steps(n, m)
      local from, to = n, m
      local count = 0
      ::again::
      local before = from
      from = from + 3
      local after = from
      count = count + after - before
      if from < to then goto again end
      return from, count, before
    end
    local y = cuda.zeros(3, "int64")
    cuda.jit(function(out, n, m)
      local a, b, c = steps(n, m)
      out[1], out[2], out[3] = a, b, c
    end)({ threads = 1 }, y, 4, 20)
    assert.same({ steps(4, 20) }, y:totable())
  end)
end)
