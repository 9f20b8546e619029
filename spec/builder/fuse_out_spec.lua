-- Option `out` of fused functions that consist of several kernels: one may write what another has
-- yet to read.
local cuda = require "luacuda"
local helper = require "spec.helper"

helper.for_each_device(function()
  describe("results of a fused function that overwrite an argument", function()
    it("do not change the input of other reductions", function()
      local f = cuda.fuse(function(x) return x * 2, x:sum() end)
      local x = cuda.arange(6, "float32")
      local y, total = f(x, { out = { x } })
      assert.equals(x, y)
      assert.same({ 0, 2, 4, 6, 8, 10 }, x:totable())
      assert.equals(15.0, total)
    end)

    it("may be views, also for reductions", function()
      local f = cuda.fuse(function(x)
        return x + 1, (x * x):sum { axis = 1 }, x:max { axis = 1 }
      end)
      local x, row = cuda.arange(12, "float32"):reshape { 4, 3 }, cuda.zeros(3)
      local s = cuda.stream()
      local p, q, r = f(x, { out = { nil, row, x:slice(2) }, stream = s })
      assert.same({ { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 }, { 10, 11, 12 } }, p:totable())
      assert.equals(row, q)
      assert.same({ 0 + 9 + 36 + 81, 1 + 16 + 49 + 100, 4 + 25 + 64 + 121 }, row:totable())
      assert.same({ 9, 10, 11 }, r:totable())
      assert.same({ { 0, 1, 2 }, { 9, 10, 11 }, { 6, 7, 8 }, { 9, 10, 11 } }, x:totable())
    end)

    it("do not change the input of results with other shapes", function()
      local f = cuda.fuse(function(x, y) return x + 1, y + 1, x + y end)
      local x, y = cuda.array { { 1, 2, 3 }, { 4, 5, 6 } }, cuda.array { 10, 20, 30 }
      local p, q, r = f(x, y, { out = { x, y } })
      assert.equals(x, p)
      assert.equals(y, q)
      assert.same({ { 2, 3, 4 }, { 5, 6, 7 } }, x:totable())
      assert.same({ 11, 21, 31 }, y:totable())
      assert.same({ { 11, 22, 33 }, { 14, 25, 36 } }, r:totable())
    end)

    it("have the shape and dtype of the result", function()
      local f = cuda.fuse(function(x) return x * 2, x:sum() end)
      local x = cuda.arange(6, "float32")
      assert.matches("fused: option 'out': result 1 is float32 {6}, the array is float32 {2, 3}",
        helper.misuse(f, x, { out = { x:reshape { 2, 3 } } }), 1, true)
      assert.same({ 0, 1, 2, 3, 4, 5 }, x:totable())
    end)
  end)

  it("a traced value that escapes through an error is unusable outside", function()
    local kept
    local f = cuda.fuse(function(x)
      kept = x
      error "stop"
    end)
    assert.has_error(function() f(cuda.ones(3)) end)
    assert.matches("stood for an argument while its function was fused",
      helper.misuse(function() return kept + 1 end), 1, true)
  end)
end)
