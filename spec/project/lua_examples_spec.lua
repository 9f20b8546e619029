-- Each example of a kernel written in Lua runs on every device, in sizes that fill no block. It
-- checks itself; here its results are compared with the same computation in plain Lua.
local helper = require "spec.helper"
local examples = require "spec.support.examples"

local function run(name, ...) return table.unpack(examples.run("lua/" .. name, ...)) end

-- A list of n values, and a table of m by n.
local function list(n, of)
  local out = {}
  for i = 1, n do out[i] = of(i) end
  return out
end
local function matrix(m, n, of)
  return list(m, function(i) return list(n, function(j) return of(i, j) end) end)
end

local function flat(rows)
  local out = {}
  for _, row in ipairs(rows) do table.move(row, 1, #row, #out + 1, out) end
  return out
end

helper.for_each_device(function(device)
  describe("example of a kernel in Lua", function()
    it("saxpy", function()
      local x, y = run("saxpy", 1001)
      assert.equals(device.name, y.device.name)
      assert.same(list(1001, function(i) return 2 * (i - 1) + 1.0 end), y:totable())
      assert.equals(1001, #x)
    end)

    it("mandelbrot", function()
      local width, height, limit = 97, 64, 60
      local out = helper.tmpdir() .. "/set.png"
      local steps, rgb = run("mandelbrot", width, out, limit)
      local got, colors, different = steps:totable(), rgb:totable(), 0
      for row = 1, height do
        for column = 1, width do
          local cr, ci = (column - 1 - width / 2) * 3 / width - 0.7, (row - 33) * 3 / width
          local zr, zi, n = 0.0, 0.0, 0
          while n < limit and zr * zr + zi * zi <= 4 do
            zr, zi, n = zr * zr - zi * zi + cr, 2 * zr * zi + ci, n + 1
          end
          if got[row][column] ~= n then different = different + 1 end
          n = got[row][column]
          local shade = math.floor(127.5 - 127.5 * math.cos(math.sqrt(n / limit) * 2 * math.pi))
          assert.near(n == limit and 0 or shade, colors[row][column][1], 1)
        end
      end
      assert.is_true(different <= 20, different .. " pixels differ") -- by rounding, at the border
      assert.same({ width, height }, { examples.png_size(out) })
    end)

    it("transpose", function()
      local from, to = run("transpose", 37, 45)
      local rows = from:totable()
      assert.same(matrix(45, 37, function(i, j) return rows[j][i] end), to:totable())
    end)

    it("matmul", function()
      local A, B, C = run("matmul", 37, 29, 41)
      local a, b = A:totable(), B:totable()
      assert.same(matrix(37, 29, function(i, j) -- the numbers are small: every sum is exact
        local sum = 0.0
        for l = 1, 41 do sum = sum + a[i][l] * b[l][j] end
        return sum
      end), C:totable())
    end)

    it("histogram", function()
      local bytes, counts = run("histogram", 5003)
      local want, text = list(256, function() return 0 end), bytes:tobytes()
      for i = 1, #text do want[text:byte(i) + 1] = want[text:byte(i) + 1] + 1 end
      assert.same(want, counts:totable())
      assert.equals(5003, #text)
    end)

    it("warp_sum", function()
      local x, total = run("warp_sum", 12345)
      local want = 0
      for _, v in ipairs(x:totable()) do want = want + v end
      assert.equals(want, total:item(1))
      assert.equals(12 * 499500 + 344 * 345 // 2, want)
    end)

    it("prefix_sum", function()
      local x, y = run("prefix_sum", 5, 131)
      assert.same(list(5, function(i)
        local sum, row = 0, x[i]:totable()
        return list(131, function(j)
          sum = sum + row[j]
          return sum
        end)
      end), y:totable())
    end)

    it("nbody", function()
      local from, to, velocity = run("nbody", 150)
      local p, moved, speed = from:totable(), {}, {}
      for i, me in ipairs(p) do
        local v = { 0, 0, 0, 0 }
        for _, b in ipairs(p) do
          local d = list(3, function(c) return b[c] - me[c] end)
          local r2 = d[1] ^ 2 + d[2] ^ 2 + d[3] ^ 2 + 0.0025
          for c = 1, 3 do v[c] = v[c] + 0.01 * b[4] * d[c] / r2 ^ 1.5 end
        end
        speed[i] = v
        moved[i] = list(4, function(c) return me[c] + v[c] * 0.01 end)
      end
      helper.assert_close(flat(speed), flat(velocity:totable()), { rtol = 1e-4, atol = 1e-6 })
      helper.assert_close(flat(moved), flat(to:totable()), { rtol = 1e-5, atol = 1e-6 })
    end)

    it("heat", function()
      local n = 21
      local now, rate, steps = run("heat", n, 30)
      local u = matrix(n, n, function(i) return i == 1 and 100.0 or 0.0 end)
      for _ = 1, steps do
        local old = u
        u = matrix(n, n, function(i, j)
          if i == 1 or i == n or j == 1 or j == n then return old[i][j] end
          return old[i][j] + rate * (old[i - 1][j] + old[i + 1][j] + old[i][j - 1]
            + old[i][j + 1] - 4 * old[i][j])
        end)
      end
      helper.assert_close(flat(u), flat(now:totable()), { rtol = 1e-5, atol = 1e-4 })
    end)

    it("black_scholes", function()
      local call, put, spot, strike, years = run("black_scholes", 501)
      -- The normal distribution by Simpson's rule, where the example uses the error function.
      local function normal(d)
        local n, sum = 200, 0
        for k = 0, n do
          local weight = (k == 0 or k == n) and 1 or 2 + k % 2 * 2
          sum = sum + weight * math.exp(-(d * k / n) ^ 2 / 2)
        end
        return 0.5 + sum * d / n / 3 / math.sqrt(2 * math.pi)
      end
      local S, K, t = spot:totable(), strike:totable(), years:totable()
      local wants = { {}, {} }
      for i = 1, 501 do
        local spread = 0.3 * math.sqrt(t[i])
        local d1 = (math.log(S[i] / K[i]) + 0.065 * t[i]) / spread
        local later = K[i] * math.exp(-0.02 * t[i])
        wants[1][i] = S[i] * normal(d1) - later * normal(d1 - spread)
        wants[2][i] = later * normal(spread - d1) - S[i] * normal(-d1)
      end
      helper.assert_close(wants[1], call:totable(), { rtol = 1e-5, atol = 1e-4 })
      helper.assert_close(wants[2], put:totable(), { rtol = 1e-5, atol = 1e-4 })
    end)

    it("pi", function()
      local hits, n = run("pi", 20011)
      assert.equals(20011, n)
      assert.near(math.pi, 4 * hits:item(1) / n, 0.05)
    end)

    it("life", function()
      local first, now, generations = run("life", 9, 13, 4)
      local board = first:totable()
      for _ = 1, generations do
        local old = board
        board = matrix(9, 13, function(i, j)
          local around = -old[i][j]
          for di = 7, 9 do
            for dj = 11, 13 do around = around + old[(i + di) % 9 + 1][(j + dj) % 13 + 1] end
          end
          return (around == 3 or around + old[i][j] == 3) and 1 or 0
        end)
      end
      assert.same(board, now:totable())
      assert.is_true(now:astype("int32"):sum() > 0)
    end)
  end)
end)
