-- Counters of kernels written in Lua have 32 bits where that is enough, and no less than they need.
-- The oracle is plain Lua.
local cuda = require "luacuda"
local helper = require "spec.helper"

-- Runs the body of a function of a, b and c in Lua and on the device; returns the kernel's text.
local function agree(body, a, b, c)
  local fn = assert(load("local function f(a, b, c) " .. body .. " end return f", "=host", "t"))()
  local want = fn(a, b, c)
  local k = cuda.jit("function(y, a, b, c) local function f(a, b, c) " .. body
    .. " end y[1] = f(a, b, c) end")
  local y = cuda.zeros(1, "int64")
  k({ threads = 1 }, y, a, b, c)
  assert.equals(want, y:item(1), body)
  return k:source()
end

local function narrow(...) assert.matches("int32 n_ =", agree(...)) end
local function wide(...) assert.matches("int64 n_[ ;]", agree(...)) end

helper.for_each_device(function()
  describe("counters of kernels written in Lua", function()
    it("have 32 bits where conditions and loops keep them small", function()
      narrow("local n = 0 while n < 100 and a > 0 do n = n + 3 a = a - 1 end return n", 50, 0, 0)
      narrow("local n = 100 while n >= 1 do n = n - 7 end return n", 0, 0, 0)
      narrow("local n = 0 while 100 > n do if a > 3 then n = n + 1 else n = n + 5 end end return n",
        2, 0, 0)
      narrow("local n = 5 for i = 1, 1000 do if i % 3 == a then n = n + 2 end end "
        .. "return n", 1, 0, 0)
      narrow("local n = 0 for i = 1, 40 do for j = 10, 1, -3 do n = n + 1 end n = n - 2 "
        .. "end return n",
        0, 0, 0)
      narrow("local n = 0 for i = 1, 9 do n = 1 while n < 2147483000 do n = n + 600 end "
        .. "end return n",
        0, 0, 0)
      narrow("for i = 1, 3 do local n = 0 for j = 1, 5 do n = n + 1 end a = a + n end return a",
        1, 0, 0)
    end)

    it("have 64 bits where nothing keeps them small", function()
      wide("local n = 0 while a > 0 do n = n + 2000000000 a = a - 1 end return n", 9, 0, 0)
      wide("local n = 0 repeat n = n + 2000000000 until n >= 2000000001 return n", 0, 0, 0)
      wide("local n = 0 while n < a do n = n + 2000000000 end return n", 2000000001, 0, 0)
      wide("local n = 0 for i = 1, a do n = n + 1000000007 end return n", 9, 0, 0)
      wide("local n = 0 for i = 1, 3000 do n = n + 1000003 end return n", 0, 0, 0)
      wide("local n = 0 while n < 2147483647 do n = n + 2147483646 end return n", 0, 0, 0)
      wide("local n = 0 while n ~= 5000000000 do n = n + 1000000000 end return n", 0, 0, 0)
      wide("local n = 1 while n < 1000000000 or a > 0 do n = n * 2 a = a - 1 end return "
        .. "n", 40, 0, 0)
      wide("local n = 0 local function add() n = n + 2000000000 end while a > 0 do add() a = a - 1 "
        .. "end return n", 3, 0, 0)
      wide("local n = 0 ::again:: n = n + 2000000000 a = a - 1 if a > 0 then goto again "
        .. "end return n",
        3, 0, 0)
    end)

    it("count the changes of loops inside of each other", function()
      wide("local n = 0 while n < 1100000000 do while n < 2100000000 do n = n + 1000000000 end "
        .. "n = n + 1000000000 end return n", 0, 0, 0)
      wide("local n = 0 while n < 10 do while n < 1200000000 do n = n + 900000000 end "
        .. "n = n + 1000000000 end return n", 0, 0, 0)
      narrow("local n = 0 while n < 10 do while n < 100 do n = n + 7 end n = n + 11 end return n",
        0, 0, 0)
      wide("local n = 0 while n < 10 do for i = 1, 3 do n = n + 1000000000 end end "
        .. "return n", 0, 0, 0)
      wide("local n = 0 for i = 1, 3 do while n < 5 do n = n + 1000000000 end n = n + "
        .. "1000000000 end "
        .. "return n", 0, 0, 0)
    end)

    it("have 32 bits where they double below a limit, or halve", function()
      narrow("local n, s = 1, 0 while n < 256 do s = s + n n = 2 * n end return s + n", 0, 0, 0)
      narrow("local n = 1 while n < 1000000 do n = n * 3 if a > 0 then n = n << 2 a = a - 1 end "
        .. "end return n", 3, 0, 0)
      narrow("local n = 1 for i = 1, 4 do n = 1 while n < 700 do n = n * 2 n = n + 5 end "
        .. "a = a + n end return a", 0, 0, 0)
      narrow("local n = 1000 while n > 0 do a = a + n n = n // 2 end return a", 0, 0, 0)
      narrow("local n = 1000 while n > 0 do a = a + n n = n >> 1 end return a", 0, 0, 0)
      narrow("local n = 1 while n < 100 do n = 4 * n while n < 50 do n = 2 * n end end return n",
        0, 0, 0)
    end)

    it("have 64 bits where they may double past 32", function()
      wide("local n = 1 while n < 1500000000 do n = 2 * n end return n", 0, 0, 0)
      wide("local n = 1 while a > 0 do n = 2 * n a = a - 1 end return n", 40, 0, 0)
      wide("local n = 1 for i = 1, 40 do n = 2 * n end return n", 0, 0, 0)
      wide("local n = 1 repeat n = n << 1 a = a - 1 until a == 0 return n", 40, 0, 0)
      wide("local n = 1 while n < 1000 do for i = 1, 40 do n = n * 2 end end return n", 0, 0, 0)
      wide("local n = 1 while n < 70000 do n = n * 300 n = n * 300 end return n", 0, 0, 0)
      wide("local n = 1 while n < 70000 do n = n * 65536 while n < 70000 do n = n * 2 end end "
        .. "return n", 0, 0, 0)
      wide("local n = 1 n = n << 40 return n", 0, 0, 0)
      wide("local n = -1 while n > -4000000000 do n = 2 * n end return n", 0, 0, 0)
      wide("local n = -5 while n < 0 do n = n >> 1 end return n", 0, 0, 0)
      wide("local n = 5 while a > 0 do n = n - 6 n = n >> 1 a = a - 1 end return n", 2, 0, 0)
      wide("local n = 1 while n < 1000 do n = n * -70000 n = n * -70000 end return n", 0, 0, 0)
    end)

    it("do not trust limits that are floats", function()
      local k = cuda.jit(function(y, x)
        local n = 0
        while n < x[1] do n = n + 1000000000 end
        y[1] = n
      end)
      local y = cuda.zeros(1, "int64")
      k({ threads = 1 }, y, cuda.array{ 5.5e9 })
      assert.equals(6000000000, y:item(1))
    end)
  end)
end)
