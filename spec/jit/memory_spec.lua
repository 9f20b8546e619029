-- Arrays of a thread block and of a thread in kernels, against the same function in plain Lua.
local cuda = require "luacuda"
local helper = require "spec.helper"

-- luacheck: read globals grid threadIdx shared array syncthreads float32

-- Runs the function both ways on a copy of the array, and returns what both gave.
local function agree(fn, launch, x)
  local compiled, in_lua = x:copy(), x:copy()
  local k = cuda.jit(fn)
  k(launch, compiled)
  k:run_in_lua(launch, in_lua)
  assert.same(in_lua:totable(), compiled:totable())
  return compiled:totable(), k
end

local SHAPE = { 3, 4 }

helper.for_each_device(function()
  describe("memory in a kernel", function()
    it("takes its extents one by one, as a table, and as a table around it", function()
      local got = agree(function(x)
        local a, b = array("float32", 3, 4), array(float32, { 3, 4 })
        local c = array("float32", SHAPE)
        a[3][4], b[3][4], c[3][4] = 1, 2, 3
        x[1] = a[3][4] + b[3][4] + c[3][4] + #a * 1000 + b.shape[2] * 100 + c.size * 10
      end, { threads = 1 }, cuda.zeros(1))
      assert.same({ 3526.0 }, got)
    end)

    it("follows a table of extents that changes", function()
      local shape = { 4 }
      local k = cuda.jit(function(x)
        local a = array("int32", shape)
        x[1], x[2] = #a, a.ndim
      end)
      local x = cuda.zeros(2, "int32")
      for _, change in ipairs { { 4, 1 }, { 9, 1 }, { 9, 2 } } do
        shape[1], shape[2] = change[1], change[2] == 2 and 5 or nil
        k({ threads = 1 }, x)
        assert.same(change, x:totable())
      end
    end)

    it("can be an argument, indexed at once, and the value of an assignment", function()
      local function twice(a, v)
        a[1] = v
        return 2 * a[1]
      end
      local got = agree(function(x)
        local s
        s = shared("float32", 2)
        s[2] = 3
        x[1] = twice(array("float32", 2), s[2]) + #shared("float32", 7)
        shared("float32", 2)[1] = 4
        s = x
        s[2] = 5
      end, { threads = 1 }, cuda.zeros(2))
      assert.same({ 13.0, 5.0 }, got)
    end)

    it("begins as 0 in each round of a loop, for a thread's own", function()
      local got = agree(function(x)
        for i = 1, #x do
          local a = array("float32", 2)
          a[2] = a[2] + i
          x[i] = a[2]
        end
      end, { threads = 1 }, cuda.zeros(4))
      assert.same({ 1.0, 2.0, 3.0, 4.0 }, got)
    end)

    it("may stand behind a jump", function()
      local got = agree(function(x)
        for i = 1, #x do
          if i % 2 == 0 then goto continue end
          local a, s = array("float32", 2), shared("float32", 2)
          s[1] = i
          a[1] = a[1] + s[1]
          x[i] = a[1]
          ::continue::
        end
      end, { threads = 1 }, cuda.zeros(4))
      assert.same({ 1.0, 0.0, 3.0, 0.0 }, got)
    end)

    it("refuses what is no extent", function()
      local function refused(fn)
        return helper.misuse(function() cuda.jit(fn)({ threads = 1 }, cuda.zeros(4)) end)
      end
      helper.contains(refused(function(x) x[1] = #array("float32", { n = 3 }) end),
        "a table cannot be made on a device")
      helper.contains(refused(function(x) x[1] = #array("float32", { #x }) end),
        "array: argument 2: expected an extent that is known when the kernel is made")
      helper.contains(refused(function(x) x[1] = #array("float32", {}) end),
        "array takes 2 to 5 arguments, and got 1")
    end)
  end)
end)
