-- cuda.jit: kernels written in Lua. The oracle is plain Lua: the same function runs on tables.
local cuda = require "luacuda"
local helper = require "spec.helper"

-- What `grid` means to plain Lua: one thread does all.
local function host_grid(n, m)
  local i, j = 1, 0
  if not m then
    return function()
      j = j + 1
      if j <= n then return j end
    end
  end
  return function()
    j = j + 1
    if j > m then i, j = i + 1, 1 end
    if i <= n and m > 0 then return i, j end
  end
end

local ENV = { math = math, grid = host_grid }

-- The function of a text, run by Lua.
local function host(text) return assert(load("return " .. text, "=host", "t", ENV))() end

-- Runs the text on tables and on arrays made of them, and compares the first one.
local function agree(text, dtypes, tables, ...)
  local arrays, n = {}, #tables[1]
  for k, t in ipairs(tables) do arrays[k] = cuda.array(t, dtypes[k]) end
  local list, more = table.move(tables, 1, #tables, 1, {}), { ... }
  host(text)(table.unpack(table.move(more, 1, #more, #list + 1, list)))
  local k = cuda.jit(text)
  k({ threads = n }, table.unpack(table.move(more, 1, #more, #arrays + 1, arrays)))
  helper.assert_close(tables[1], arrays[1]:totable(), { dtype = dtypes[1] })
end

local random_list, integer = helper.random_list, helper.random_integer
local float = helper.random_float

helper.for_each_device(function()
  describe("cuda.jit", function()
    it("computes elements in a loop over the grid", function()
      local rng = helper.random(1)
      agree("function(y, x, a) for i in grid(#x) do y[i] = a * x[i] + y[i] end end",
        { "float32", "float32" }, { random_list(rng, 1000, float), random_list(rng, 1000, float) },
        2)
    end)

    it("follows Lua in loops and branches", function()
      local rng = helper.random(2)
      agree([[function(y, x)
        for i in grid(#x) do
          local n, steps = x[i] % 50 + 1, 0
          while n ~= 1 do
            n = n % 2 == 0 and n // 2 or 3 * n + 1
            steps = steps + 1
          end
          for k = 10, 1, -3 do
            if k == 4 then goto continue end
            steps = steps + k
            ::continue::
          end
          repeat
            local done = steps > 40
            steps = steps + 7
          until done
          for f = 0.5, 2, 0.25 do
            if f > 1.5 then break end
            steps = steps + 1
          end
          y[i] = steps
        end
      end]], { "int64", "int64" }, { random_list(rng, 100, integer),
        random_list(rng, 100, integer) })
    end)

    it("assigns several variables at once, in Lua's order", function()
      local rng = helper.random(3)
      agree([[function(y, x)
        for i in grid(#x) do
          local a, b, k = x[i], y[i], i
          a, b = b, a - b
          k, y[k] = k + 1, a
          y[i], x[i] = x[i] + b, y[i]
          y[i] = y[i] + k + x[i]
        end
      end]], { "int64", "int64" }, { random_list(rng, 50, integer), random_list(rng, 50, integer) })
    end)

    it("computes with Lua's integers as Lua does", function()
      local rng = helper.random(4)
      local text = [[function(y, a, b)
        for i in grid(#y) do
          local s = (i + a) * b // 7 - (i * b) % -13
          s = s ~ (a << i % 70) | (b >> i % 70) & ~i
          y[i] = s + (i - 3) // 4 + (i - 9) % 8 - (b << -2)
        end
      end]]
      for _ = 1, 3 do
        agree(text, { "int64" }, { random_list(rng, 80, integer) }, integer(rng) << 40,
          math.maxinteger - rng(100))
      end
    end)

    it("computes with Lua's floats as Lua does", function()
      local rng = helper.random(5)
      agree([[function(y, x, a)
        for i in grid(#x) do
          local v = i / 3 + a // 0.7 - x[i] % 2.5
          v = v + math.floor(x[i]) + math.ceil(a * i) + math.max(i, x[i], 2) - math.min(a, i)
          y[i] = v + math.sqrt(math.abs(x[i])) + math.sin(i) * math.pi ^ 2 + math.atan(x[i], a)
        end
      end]], { "float64", "float64" }, { random_list(rng, 200, float),
        random_list(rng, 200, float) }, 3.25)
    end)

    it("has remainders of floats with Lua's signs", function()
      local values = { 0.0, -0.0, 4.0, -4.0, 3.5, -3.5, 1e300, -1e300, math.huge, -math.huge,
        0 / 0 }
      for _, b in ipairs{ 2.0, -2.0, 0.75, -0.75, 1e-300, math.huge, -math.huge, 0.0 } do
        for _, a in ipairs(values) do
          agree([[function(y, a, b)
            for i in grid(#y) do
              local r = a % b
              y[i] = r ~= r and 7 or r ~= 0 and r or 1 / r > 0 and 8 or 9
            end
          end]], { "float64" }, { { 0 } }, a, b)
        end
      end
    end)

    it("has remainders of divisors that NVVM takes for positive", function()
      for p = 1, 4 do
        agree([[function(y, a, p)
          for i in grid(#y) do y[i] = (-a) % (1.5 / ((p < 3) and -0.0 or 0.5)) end
        end]], { "float64" }, { { 0 } }, 3.5, p)
      end
    end)

    it("gives the first of equal zeros and of NaN as the least and the greatest", function()
      local values = { 0.0, -0.0, 1.0, -1.0, 0 / 0 }
      local list = {}
      for _, fn in ipairs{ "math.min", "math.max" } do
        for _, c in ipairs{ "0.0", "-0.0", "1.0", "0 / 0", "x[i]" } do
          for _, order in ipairs{ "%s, a", "a, %s" } do
            list[#list + 1] = ("v = %s(%s)"):format(fn, order:format(c))
            list[#list + 1] = "y[i] = y[i] * 4 + (v ~= v and 3 or 1 / v < 0 and 2 or 1)"
          end
        end
      end
      for _, dtype in ipairs{ "float64", "float32" } do
        for _, a in ipairs(values) do
          agree(("function(y, x, a) for i in grid(#x) do local v\n%s\nend end"):format(
            table.concat(list, "\n")), { "int64", dtype }, { { 0, 0, 0, 0, 0 }, values }, a)
        end
      end
    end)

    it("knows the functions of Lua 5.2's math, where Lua has them", function()
      for name, args in pairs { pow = { 1.5, 3 }, cosh = { 0.5 }, sinh = { 0.5 }, tanh = { 0.5 },
        log10 = { 50 } } do
        if math[name] then
          local k = cuda.jit(("function(y, a, b) y[1] = math.%s(a%s) end"):format(name,
            args[2] and ", b" or ""))
          local y = cuda.zeros(1, "float64")
          k({ threads = 1 }, y, cuda.float64(args[1]), args[2] or 0)
          assert.near(math[name](args[1], args[2]), y:item(1), 1e-12)
        end
      end
    end)

    it("compares integers and floats exactly", function()
      local big = 2 ^ 53 + 4          -- 2^53 + 3 is rounded to it
      agree([[function(y, a, f, g)
        for i in grid(#y) do
          local n = a + i
          local v = n < f and 1 or 0
          if n == f then v = v + 2 end
          if f <= n then v = v + 4 end
          if n ~= g then v = v + 8 end
          if n >= g then v = v + 16 end
          if g > n then v = v + 32 end
          y[i] = v
        end
      end]], { "int64" }, { { 0, 0, 0, 0, 0, 0 } }, math.tointeger(2 ^ 53) - 2, big, 0 / 0)
    end)

    it("calls functions of Lua with several results", function()
      local function halves(v)
        if v > 0 then return v // 2, v % 2 end
        return 0, -v
      end
      local k = cuda.jit(function(y, x)
        local function twice(v) return 2 * v end
        local total = 0
        local function count(v) total = total + v end
        for i in grid(#x) do
          local a, b = halves(x[i])
          count(a)
          count(twice(b))
          y[i] = total
          total = 0
        end
      end)
      local x = cuda.array({ 5, -3, 8, 0 }, "int64")
      local y = cuda.zeros(4, "int64")
      k({ threads = 4 }, y, x)
      assert.same({ 4, 6, 4, 0 }, y:totable())
    end)

    it("takes functions as values of variables and as arguments", function()
      local k = cuda.jit(function(y, x)
        local twice, root = function(v) return 2 * v end, math.sqrt
        local function both(f, g, v) return f(g(v)) end
        for i in grid(#x) do
          y[i] = both(twice, root, x[i]) + both(function(v) return -v end, twice, 1)
        end
      end)
      local y = cuda.zeros(2)
      k({ threads = 2 }, y, cuda.array{ 4, 9 })
      assert.same({ 2.0, 4.0 }, y:totable())
    end)

    it("computes the index of an element before a value that changes memory", function()
      local x, y = cuda.array({ 2, 9 }, "int64"), cuda.zeros(4, "int64")
      cuda.jit(function(a, b)
        b[a[1]] = atomic_exch(a, 1, 3)
        b[a[1] + 1] = atomic_add(a, 1, 1)
      end)({ threads = 1 }, x, y)
      assert.same({ 0, 2, 0, 3 }, y:totable())
    end)

    it("keeps Lua's order where functions change variables", function()
      local k = cuda.jit(function(y)
        local c = 0
        local function n()
          c = c + 1
          return c
        end
        y[1] = n() - n() * n()
        if n() > 3 and n() > 4 then y[2] = n() end
        while n() < 10 do y[3] = c end
        y[4] = c
        y[5] = c + n()
        y[6] = (n() < 0 or n() > 0) and n() or n()
      end)
      local y = cuda.zeros(6, "int32")
      k({ threads = 1 }, y)
      assert.same({ -5, 6, 9, 10, 21, 14 }, y:totable())
    end)

    it("exchanges rows", function()
      local k = cuda.jit(function(a)
        local p, q = a[1], a[2]
        p, q = q, p
        for j = 1, #p do p[j] = 10 * q[j] end
      end)
      local a = cuda.array{ { 1, 2 }, { 3, 4 } }
      k({ threads = 1 }, a)
      assert.same({ { 1.0, 2.0 }, { 10.0, 20.0 } }, a:totable())
    end)

    it("reads upvalues at each call", function()
      local scale, w, config = 3, cuda.array{ 1, 2 }, { offset = 1 }
      local k = cuda.jit(function(y) for i in grid(#y) do
        y[i] = scale * w[i] + config.offset
      end end)
      local y = cuda.zeros(2)
      k({ threads = 2 }, y)
      assert.same({ 4.0, 7.0 }, y:totable())
      scale, w, config.offset = 2.5, cuda.array{ 10, 20 }, 0
      k({ threads = 2 }, y)
      assert.same({ 25.0, 50.0 }, y:totable())
      local z = cuda.zeros(2, "int32")
      scale, w = 2, cuda.array({ 1, 2 }, "int32")
      k({ threads = 2 }, z)
      assert.same({ 2, 4 }, z:totable())
      scale = 2.0
      assert.matches("float64 cannot be an element of int32",
        helper.misuse(function() k({ threads = 2 }, z) end))
    end)

    it("widens variables so that integers do not wrap", function()
      local k = cuda.jit(function(y, x)
        local last, sum = 0, 0
        for i = 1, #x do
          last = x[i]
          sum = sum + x[i]
        end
        y[1], y[2] = last + last, sum
      end)
      local y = cuda.zeros(2, "int64")
      k({ threads = 1 }, y, cuda.full(4, 2147483647, "int32"))
      assert.same({ 4294967294, 8589934588 }, y:totable())
      assert.equals("int64", k:types().last)
    end)

    it("indexes arrays of several axes, rows and strided views", function()
      local k = cuda.jit(function(c, a, b)
        for i, j in grid(#a, b.shape[2]) do
          local s, row = 0, a[i]
          for n = 1, #b do s = s + row[n] * b[n][j] end
          c[i][j] = s + a[-1][1] - a[#a][1]
        end
      end)
      local a = cuda.random.uniform{ 7, 5 }:astype "float64"
      local b = cuda.random.uniform{ 9, 5 }:astype("float64"):transpose()
      local c = cuda.zeros({ 7, 9 }, "float64")
      k({ threads = { 9, 7 } }, c, a, b)
      assert.is_true(c:allclose(a:matmul(b)))
    end)

    it("has shared memory, barriers and warps", function()
      local N = 16
      local k = cuda.jit(function(y, x)
        local tile = shared("float32", N, N + 1)
        local i, j = blockIdx.x * N + threadIdx.x + 1, blockIdx.y * N + threadIdx.y + 1
        if i <= x.shape[2] and j <= #x then tile[threadIdx.y + 1][threadIdx.x + 1] = x[j][i] end
        syncthreads()
        local a, b = blockIdx.y * N + threadIdx.x + 1, blockIdx.x * N + threadIdx.y + 1
        if a <= y.shape[2] and b <= #y then y[b][a] = tile[threadIdx.x + 1][threadIdx.y + 1] end
      end)
      local x, y = cuda.random.uniform{ 40, 25 }, cuda.zeros{ 25, 40 }
      k({ grid = { 2, 3 }, block = { N, N } }, y, x)
      assert.is_true(cuda.array_equal(y, x:transpose()))
      local sum = cuda.jit(function(v)
        local s = v[threadIdx.x + 1]
        for d = 4, 0, -1 do s = s + shfl_down_sync(0xffffffff, s, 1 << d) end
        if laneid == 0 then v[1] = s end
      end)
      local v = cuda.arange(1, 33, "float32")
      sum({ threads = 32 }, v)
      assert.equals(528.0, v:item(1))
    end)

    it("changes elements atomically", function()
      local k = cuda.jit(function(h, x)
        for i in grid(#x) do
          atomic_add(h, x[i], 1)
          atomic_max(h, 4, x[i])
        end
      end)
      for _, dtype in ipairs{ "int32", "uint32", "int64", "uint64", "float32", "float64" } do
        local h = cuda.zeros(4, dtype)
        k({ threads = 300 }, h, cuda.arange(0, 300, "int32"):mod(3) + 1)
        assert.same({ 100, 100, 100, 3 }, h:totable())
      end
    end)

    it("promotes elements as operators of arrays do", function()
      helper.for_all_dtypes(function(dtype)
        local x, y = cuda.array({ 3, 5, 7 }, dtype), cuda.array({ 2, 2, 3 }, "int16")
        local want = x * y + x
        local z = cuda.zeros(3, want.dtype)
        cuda.jit(function(c, a, b)
          for i in grid(#a) do c[i] = a[i] * b[i] + a[i] end
        end)({ threads = 3 }, z, x, y)
        assert.same(want:totable(), z:totable())
      end, { kind = { "int", "uint", "float", "complex" } })
    end)

    it("knows which arrays a kernel only reads", function()
      local k = cuda.jit(function(y, x) for i in grid(#x) do y[i] = x[i] end end)
      k({ threads = 3 }, cuda.zeros(3), cuda.ones(3))
      local signature = k:kernel().signature
      assert.is_false(signature[1].const)
      assert.is_true(signature[3].const)
    end)

    it("gives faults the line of the script", function()
      local k = cuda.jit(function(y) y[#y + 1000000] = 1 end)  -- the fault
      local here = helper.line_of "the fault"
      local device = cuda.device()
      if device.kind ~= "cpu" then return end
      local e = helper.error_of(function()
        k({ threads = 1 }, cuda.zeros(3))
        cuda.synchronize()
      end)
      helper.contains(e, ("jit_spec.lua:%d"):format(here))
    end)
  end)
end)
