-- roll, tile and pad of rows that are long enough for wide accesses, against loops in Lua.
local helper = require "spec.helper"
local cuda = require "luacuda"

-- The place of position x, from 0, in an axis of n elements.
local PLACES = {
  wrap = function(x, n) return x % n end,
  edge = function(x, n) return math.max(0, math.min(n - 1, x)) end,
  reflect = function(x, n)
    local period = math.max(1, 2 * (n - 1))
    x = x % period
    return x < n and x or period - x
  end,
  symmetric = function(x, n)
    x = x % (2 * n)
    return x < n and x or 2 * n - 1 - x
  end,
}

-- The rows of t (rows x n), each from `before` elements before its start to `out` elements.
local function expected(t, n, before, out, place)
  local rows = {}
  for r, row in ipairs(t) do
    rows[r] = {}
    for i = 1, out do rows[r][i] = row[place(i - 1 - before, n) + 1] end
  end
  return rows
end

describe("long rows", function()
  helper.for_each_device(function()
    for _, dtype in ipairs { "uint8", "int16", "float32", "float64", "complex128" } do
      it("of " .. dtype, function()
        local rng = helper.random(#dtype)
        for case = 1, 6 do
          local n = 97 + rng(200)
          local a = cuda.arange(3 * n + 1, "int32"):mod(101):astype(dtype)
          a = a:slice({ 1 + case % 2, 3 * n + case % 2 }):reshape { 3, n }
          local t, before, after = a:totable(), rng(40), rng(40)
          local shift = rng(3 * n) - n
          assert.same(expected(t, n, shift, n, PLACES.wrap), a:roll(shift, { axis = 2 }):totable())
          assert.same(expected(t, n, 0, 2 * n, PLACES.wrap), a:tile(2):totable())
          for mode, place in pairs(PLACES) do
            assert.same(expected(t, n, before, before + n + after, place),
              a:pad({ { 0, 0 }, { before, after } }, mode):totable(), mode)
          end
          local flat = a:reshape(3 * n)
          assert.same(expected({ flat:totable() }, 3 * n, shift, 3 * n, PLACES.wrap)[1],
            flat:roll(shift):totable())
        end
      end)
    end

    it("with 64-bit numbers of words", function()
      local source = require "luacuda.array.window_source"
      local narrow <const> = source.NARROW
      finally(function() source.NARROW = narrow end)
      source.NARROW = 1
      local a = cuda.arange(600, "float32"):reshape { 3, 200 }
      assert.same(expected(a:totable(), 200, 5, 200, PLACES.wrap),
        a:roll(5, { axis = 2 }):totable())
    end)

    it("written to an array that starts at any element", function()
      local a, room = cuda.arange(300, "int32"):mod(250):astype "uint8", cuda.zeros(301, "uint8")
      for first = 1, 2 do
        local out = room:slice { first, first + 299 }
        a:roll(7, { out = out })
        assert.same(expected({ a:totable() }, 300, 7, 300, PLACES.wrap)[1], out:totable())
      end
    end)
  end)
end)
