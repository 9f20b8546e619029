-- `c and a or b` between arrays, rows and structs in kernels. The oracle is the same function in
-- plain Lua (run_in_lua) and tables.
local cuda = require "luacuda"
local helper = require "spec.helper"

-- luacheck: read globals grid threadIdx shared array atomic_add

-- Runs the function both ways on copies of the arrays, compares all, and returns them.
local function agree(fn, threads, ...)
  local k, compiled, in_lua = cuda.jit(fn), { ... }, { ... }
  for i, v in ipairs(compiled) do
    if cuda.type(v) == "array" then compiled[i], in_lua[i] = v:copy(), v:copy() end
  end
  k({ threads = threads }, table.unpack(compiled))
  k:run_in_lua({ threads = threads }, table.unpack(in_lua))
  for i, v in ipairs(compiled) do
    if cuda.type(v) == "array" then assert.same(in_lua[i]:totable(), v:totable()) end
  end
  return table.unpack(compiled)
end

helper.for_each_device(function()
  describe("a selection between arrays", function()
    it("gives the array whose elements are read and written", function()
      local rng = helper.random(1)
      local x, y, z = {}, {}, {}
      for i = 1, 100 do x[i], y[i], z[i] = i, 1000 + i, rng(5) end
      local gx, gy = agree(function(a, b, c)
        for i in grid(#a) do
          local to = c[i] > 2 and a or b
          to[i] = -to[i];
          (c[i] == 1 and a or b)[i] = (c[i] == 2 and b or a)[i] + 5
        end
      end, 64, cuda.array(x, "int32"), cuda.array(y, "int32"), cuda.array(z, "int32"))
      for i = 1, 100 do
        local to = z[i] > 2 and x or y
        to[i] = -to[i];
        (z[i] == 1 and x or y)[i] = (z[i] == 2 and y or x)[i] + 5
      end
      assert.same(x, gx:totable())
      assert.same(y, gy:totable())
    end)

    it("takes arrays of other extents and strides", function()
      local m = cuda.arange(12):reshape { 3, 4 }
      local out = cuda.zeros(6, "int64")
      agree(function(to, p, q)
        for i in grid(#to) do
          local one = i % 2 == 0 and p or q
          to[i] = 100 * #one + 10 * one.shape[2] + one[2][-1] + #(i < 3 and p or q)
        end
      end, 6, out, m:transpose(), cuda.arange(10):reshape { 2, 5 })
    end)

    it("takes rows, shared and private arrays", function()
      local m = cuda.zeros { 4, 3 }
      local _, got = agree(function(a, b)
        local mine, ours = array("float32", 3), shared("float32", 3)
        mine[2], ours[2] = 7, 8
        for i in grid(#a) do
          local row = i <= 2 and a[i] or a[5 - i + 1]
          row[1] = row[1] + i
          b[i] = (i % 2 == 0 and mine or ours)[2]
        end
      end, 1, m, cuda.zeros(4))
      assert.same({ 8.0, 7.0, 8.0, 7.0 }, got:totable())
    end)

    it("is made anew in each round of a loop", function()
      local _, _, rounds = agree(function(x, y, n)
        local k = 1
        while (k % 2 == 0 and x or y)[k] > 0 do k = k + 1 end
        n[1] = k
        repeat k = k - 1 until (k > 2 and x or y)[k] == 50 or k == 1
        n[2] = k
      end, 1, cuda.array { 0, 6, 0, 0, 5 }, cuda.array { 3, 50, 4, 9, 1 },
        cuda.zeros(2, "int32"))
      assert.same({ 4, 2 }, rounds:totable())
    end)

    it("evaluates only what it needs, in Lua's order", function()
      local _, _, calls = agree(function(x, y, n)
        local function count(v)
          n[1] = n[1] + 1
          return v > 0
        end
        local s = n[1] + (count(1) and x or y)[1] + n[1]
        if s > 3 and (count(-1) and x or y)[1] == 20 then n[2] = s end
        n[3] = s < 0 and (count(1) and x or y)[1] or 1
      end, 1, cuda.array({ 10 }, "int32"), cuda.array({ 20 }, "int32"), cuda.zeros(3, "int32"))
      assert.same({ 2, 11, 1 }, calls:totable())
    end)

    it("is chosen before anything is assigned", function()
      local x, y = agree(function(p, q)
        local c = 0
        c, (c == 0 and p or q)[2] = 1, 5;
        (c == 0 and p or q)[1], c = c, 0
        p[1] = c
      end, 1, cuda.zeros(2), cuda.zeros(2))
      assert.same({ { 0.0, 5.0 }, { 1.0, 0.0 } }, { x:totable(), y:totable() })
    end)

    it("can be an argument of a function and the target of an atomic operation", function()
      local function add(to, i, v) to[i] = to[i] + v end
      agree(function(x, y)
        for i in grid(#x) do
          add(i > 3 and x or y, i, 10 * i)
          atomic_add(i > 5 and x or y, i, 1)
        end
      end, 8, cuda.zeros(8), cuda.zeros(8))
    end)

    it("takes elements of arrays of structs", function()
      local P = cuda.struct("P", { { "v", "float32" }, { "k", "int32" } })
      local a = cuda.array({ { v = 1, k = 2 }, { v = 3, k = 4 } }, P)
      local k = cuda.jit(function(p, y)
        for i in grid(#y) do
          local one = i == 1 and p[2] or p[1]
          y[i] = one.v + (i == 1 and p[2] or p[1]).k
          one.k = 10 * i
        end
      end)
      local y = cuda.zeros(2)
      k({ threads = 2 }, a, y)
      assert.same({ 7.0, 3.0 }, y:totable())
      assert.same({ 20, 10 }, { a[1].k, a[2].k })
    end)

    it("between elements sees what the thread has written", function()
      local k = cuda.jit(function(s, m, c, out)
        for i in grid(#s) do
          local old = c[i] and s[i] or m[i]
          s[i] = i
          out[i] = (c[i] and s[i] or m[i]) - old
        end
      end)
      local s, c, out = cuda.full(1000, -7), cuda.random.uniform(1000):lt(0.5), cuda.zeros(1000)
      k({ threads = 1000 }, s, cuda.full(1000, 2), c, out)
      local want = cuda.where(c, cuda.arange(1, 1001, 1, "float32") + 7, 0)
      assert.is_true(out:equals(want))
      -- The compiler merges the two loads, and the read-only cache does not see writes.
      assert.is_nil(k:ptx():find("ld.global.nc.f32", 1, true))
    end)

    it("is refused between arrays of two types, with both", function()
      local k = cuda.jit(function(x, y) (#x > 1 and x or y)[1] = 0 end)
      helper.contains(helper.misuse(function() k({ threads = 1 }, cuda.zeros(2),
        cuda.zeros(2, "int32")) end), "'or' has an array (float32, one axis) on the left and an "
        .. "array (int32, one axis) on the right: a selection takes arrays of one dtype and number "
        .. "of axes")
      k = cuda.jit(function(x) x[1] = #x > 1 and x or 1 end)
      helper.contains(helper.misuse(function() k({ threads = 1 }, cuda.zeros(2)) end),
        "have no type in common")
    end)
  end)
end)
