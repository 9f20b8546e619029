-- The examples of kernels in Lua that show one thing each. They check themselves; here their
-- results are compared with the same computation in plain Lua.
local helper = require "spec.helper"
local examples = require "spec.support.examples"

local function run(name, ...)
  local results = examples.run("lua/" .. name, ...)
  return table.unpack(results, 1, results.n)
end

local function list(n, of)
  local out = {}
  for i = 1, n do out[i] = of(i) end
  return out
end

helper.for_each_device(function(device)
  describe("example of a kernel in Lua", function()
    it("vector_add", function()
      local c, a, b = run("vector_add", 3001)
      assert.equals(device.name, c.device.name)
      local x, y = a:totable(), b:totable()
      helper.assert_close(list(3001, function(i) return x[i] + y[i] end), c:totable(),
        { rtol = 1e-6 })
    end)

    it("increment", function()
      local x, m = run("increment", 7, 11)
      assert.same(list(11, function(i) return i end), x:totable())
      assert.same(list(7, function()
        return list(11, function(j) return j % 2 == 0 and 3 or 2 end)
      end), m:totable())
    end)

    it("copy", function()
      local x, y, z = run("copy", 9001)
      assert.equals(9001, #x)
      assert.same(x:totable(), y:totable())
      assert.same(x:totable(), z:totable())
    end)

    it("reduction", function()
      local x, totals = run("reduction", 7777)
      local sum = 0
      for i = 0, 7776 do sum = sum + i % 1009 end
      assert.same({ { sum }, { sum }, { sum } }, totals:totable())
      assert.equals(7777, #x)
    end)

    it("product", function()
      local A, B, C = run("product", 9, 13, 5)
      local a, b = A:totable(), B:totable()
      assert.same(list(9, function(i)
        return list(13, function(j)
          local sum = 0.0
          for l = 1, 5 do sum = sum + a[i][l] * b[l][j] end
          return sum
        end)
      end), C:totable())
    end)

    it("maximum", function()
      local x, most, packed = run("maximum", 1234)
      local best, at = math.mininteger, 0
      for i, v in ipairs(x:totable()) do
        if v > best then best, at = v, i end
      end
      assert.equals(best, most:item(1, 2, 3))
      assert.equals(best << 32 | 1234 - at, packed:item(1))
    end)

    it("sessions", function()
      local by, at, session = run("sessions", 999)
      local user, time, want = by:totable(), at:totable(), {}
      for i = 1, 999 do
        local same = i > 1 and user[i] == user[i - 1] and time[i] - time[i - 1] <= 3600
        want[i] = same and want[i - 1] or i
      end
      assert.same(want, session:totable())
      assert.is_true(user[999] > 20)
    end)

    it("formula", function()
      local out, x, y, z = run("formula", 501)
      local a, b, c = x:totable(), y:totable(), z:totable()
      helper.assert_close(list(501, function(i)
        return 8 * c[i] * a[i] - 8 * c[i] * b[i] * math.pi
      end), out:totable(), { rtol = 1e-10, atol = 1e-10 })
    end)

    it("prices", function()
      local item, count, before, total, stock = run("prices", 203)
      local what, many = item:totable(), count:totable()
      local left = list(5, function() return 100000 end)
      local first, second = { 10, 25, 5, 15, 30 }, { 10, 50, 5, 15, 30 }
      for i = 1, 203 do left[what[i]] = left[what[i]] - 2 * many[i] end
      local function sales(prices, factor)
        return list(203, function(i) return many[i] * prices[what[i]] * factor end)
      end
      helper.assert_close(sales(first, 1.08), before:totable(), { rtol = 1e-12 })
      helper.assert_close(sales(second, 1.1), total:totable(), { rtol = 1e-12 })
      assert.same(left, stock:totable())
    end)

    it("discriminant", function()
      local b, c, low, high = run("discriminant", 501)
      local p, q, l, h = b:totable(), c:totable(), low:totable(), high:totable()
      for i = 1, 501 do
        if p[i] ^ 2 < 6 * q[i] then assert.is_true(l[i] ~= l[i] and h[i] ~= h[i])
        else
          for _, x in ipairs { l[i], h[i] } do
            assert.near(0, 1.5 * x ^ 2 + p[i] * x + q[i], 1e-9)
          end
          assert.is_true(l[i] <= h[i])
        end
      end
    end)

    it("sine", function()
      local x, y = run("sine", 303)
      local v = x:totable()
      helper.assert_close(list(302, function(i)
        return math.sin(v[i]) * 2 ^ -v[i] + math.sqrt(v[i] ^ 2 + 1)
      end), y:slice { 1, 302 }:totable(), { rtol = 1e-4, atol = 1e-4 })
      assert.equals(0, y:item(303))
    end)

    it("total", function()
      local x, total, norm, distance, rows = run("total", 999)
      local sum, squares = 0, 0
      for _, v in ipairs(x:totable()) do sum, squares = sum + v, squares + v * v end
      assert.equals(sum, total)
      assert.near(math.sqrt(squares), norm, 1e-8)
      assert.equals(0.25, distance)
      assert.same({ 499 * 500 / 2, sum - 999 - 499 * 500 / 2 }, rows:totable())
    end)

    it("integral", function()
      local values, log2, log_of_ratio, area = run("integral", 4000)
      local sum, low, high = 0, 2, 0
      for _, v in ipairs(values:totable()) do
        sum, low, high = sum + v, math.min(low, v), math.max(high, v)
      end
      assert.near(sum / 4000, log2, 1e-5)
      assert.is_true(low >= 0.5 and low < 0.51 and high <= 1 and high > 0.99)
      assert.near(math.log(2), log2, 0.02)
      assert.near(math.log(1.5), log_of_ratio, 0.01)
      assert.near(math.sqrt(2 * math.pi), area, 0.3)
    end)

    it("noise", function()
      local box = run("noise", 5, 9, 17)
      assert.same({ 5, 9, 17 }, { table.unpack(box.shape) })
      local seen = {}
      for _, v in ipairs(box:reshape { -1 }:totable()) do
        assert.is_true(v >= 0 and v < 1 and not seen[v])
        seen[v] = true
      end
    end)

    it("cplusplus", function()
      local a, b, out, m, by_row = run("cplusplus", 321)
      local x, y, rows = a:totable(), b:totable(), m:totable()
      assert.same(list(321, function(i)
        local sum = 0
        for k = 0, 24, 8 do sum = sum + math.abs((x[i] >> k & 255) - (y[i] >> k & 255)) end
        return sum
      end), out:totable())
      helper.assert_close(list(321, function(i)
        local sum = 0
        for k = 1, 8 do sum = sum + rows[i][k] end
        return sum / 8
      end), by_row:totable(), { rtol = 1e-6 })
    end)

    it("heat_rod", function()
      local result, rate, steps = run("heat_rod", 45, 101)
      local now = list(45, function(i) return i == 23 and 10000.0 or 0.0 end)
      for _ = 1, steps do
        local old = now
        now = list(45, function(i)
          return old[i] + rate * ((old[i - 1] or 0) - 2 * old[i] + (old[i + 1] or 0))
        end)
      end
      helper.assert_close(now, result:totable(), { rtol = 1e-12 })
    end)

    it("rows", function()
      local m = run("rows", 14, 333)
      assert.same(list(14, function(i)
        return list(333, function(j) return i - 1 + (i % 2 == 1 and j - 1 or 333 - j) end)
      end), m:totable())
    end)

    it("dynamic", function()
      local x, y, negative, piece = run("dynamic", 250, 70)
      local values, got, counts = x:totable(), y:totable(), negative:totable()
      for block = 0, 3 do
        local first, last, below = block * piece + 1, math.min(block * piece + piece, 250), 0
        for i = first, last do
          assert.equals(values[first + last - i], got[i])
          if values[i] < 0 then below = below + 1 end
        end
        assert.equals(below, counts[block + 1])
      end
    end)

    it("pointer", function()
      assert.same(list(77, function(i) return i end), run("pointer", 77):totable())
    end)

    it("debugging", function()
      local out = run("debugging", 133)
      assert.same(list(133, function(i) return (i - 1) * 1.25 end), out:totable())
    end)

    it("structs", function()
      local bodies, steps = run("structs", 23, 150)
      for i = 1, 23 do
        local height, speed, bounces = 1 + 9 * i / 23, 0, 0
        for _ = 1, steps do
          speed = speed - 0.0981
          height = height + speed * 0.01
          if height < 0 then height, speed, bounces = -height, -0.8 * speed, bounces + 1 end
        end
        assert.near(height, bodies[i].height, 1e-3)
        assert.near(speed, bodies[i].speed, 1e-2)
        assert.equals(bounces, bodies[i].bounces)
      end
    end)
  end)
end)
