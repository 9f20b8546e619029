local cuda = require "luacuda"
local helper = require "spec.helper"

describe("cumsum and cumprod with include_initial", function()
  helper.for_each_device(function()
    it("begin with the value of no elements", function()
      local a = cuda.array({ 2, 0, 3, 1 }, "int32")
      local sums = a:cumsum { include_initial = true }
      assert.equal("int64", sums.dtype)
      assert.same({ 0, 2, 2, 5, 6 }, sums:totable())
      assert.same({ 1, 2, 0, 0, 0 }, cuda.cumprod(a, { include_initial = true }):totable())
      assert.same({ 2, 2, 5, 6 }, a:cumsum { include_initial = false }:totable())
    end)

    helper.for_all_dtypes(function(dtype)
      it("agree with the plain scan for " .. dtype, function()
        local a = cuda.arange(20, "int32"):astype(dtype):reshape { 4, 5 }
        for axis = 1, 2 do
          local got = a:cumsum { axis = axis, include_initial = true }
          local plain = a:cumsum { axis = axis }
          assert.equal(plain.dtype, got.dtype)
          local first, rest = { {}, {} }, { {}, {} }
          first[axis], rest[axis] = { 1, 1 }, { 2, -1 }
          assert.same(plain:totable(), got:slice(table.unpack(rest)):totable())
          local ends = got:slice(table.unpack(first))
          assert.equal(0, ends:count_nonzero())
        end
      end)
    end)

    it("take many elements, views, out and dtype", function()
      local n = 100003
      local ones = cuda.ones(n, "int8")
      assert.is_true(ones:cumsum { include_initial = true }:equals(cuda.arange(n + 1)))
      local view = cuda.arange(12):reshape({ 3, 4 }):transpose():slice({ 4, 1, -2 })
      assert.same({ { 0, 3, 10, 21 }, { 0, 1, 6, 15 } },
        view:cumsum { axis = -1, include_initial = true }:totable())
      assert.same({ 0, 3, 10, 21, 22, 27, 36 }, view:cumsum { include_initial = true }:totable())
      local out = cuda.empty({ 2, 8 }, "float32"):slice({}, { 8, 1, -2 })
      assert.equal(out, view:cumsum { axis = 2, dtype = "float32", out = out,
        include_initial = true })
      assert.same({ { 0, 3, 10, 21 }, { 0, 1, 6, 15 } }, out:totable())
      local room = cuda.arange(1, 7)
      room:slice({ 1, 5 }):cumsum { out = room, include_initial = true }
      assert.same({ 0, 1, 3, 6, 10, 15 }, room:totable())
      assert.same({ true, true, false },
        cuda.array({ true, false }):cumprod { dtype = "bool", include_initial = true }:totable())
    end)

    it("take no elements", function()
      assert.same({ 0 }, cuda.empty(0):cumsum { include_initial = true }:totable())
      assert.same({ { 1 }, { 1 } },
        cuda.empty { 2, 0 }:cumprod { axis = 2, include_initial = true }:totable())
      assert.same({ 3, 0 }, cuda.empty { 2, 0 }:cumsum { axis = 1, include_initial = true }.shape)
      assert.same({ 0, 5 }, cuda.array(5, "float32"):cumsum { include_initial = true }:totable())
    end)

    it("refuse what has no such value", function()
      local a = cuda.zeros(3)
      helper.contains(helper.misuse(a.cummax, a, { include_initial = true }),
        "cummax: option 'include_initial': there is no value before the first element")
      helper.contains(helper.misuse(a.cumsum, a, { include_initial = 1 }),
        "option 'include_initial': expected a boolean")
      helper.contains(helper.misuse(a.cumsum, a, { include_initial = true, out = a }),
        "option 'out': expected float32 array of shape {4}")
      helper.contains(helper.misuse(a.cumsum, a, { include_initial = true, axis = 2 }), "axis")
    end)
  end)
end)
