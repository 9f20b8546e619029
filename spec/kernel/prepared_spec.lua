-- Prepared launches that change: with(), set() and keep(); timed ones.
local helper = require "spec.helper"
local cuda = require "luacuda"

local SOURCE = [==[
  struct pair { int a, b; };
  __global__ void shape(int *out) {
    if (threadIdx.x == 0 && blockIdx.x == 0) { out[0] = gridDim.x; out[1] = blockDim.x; }
  }
  __global__ void add(int *y, const int *x, int factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += factor * x[i];
  }
  __global__ void sum(int *out, pair p) { *out = p.a + p.b; }
  __global__ void one() {}
]==]

local function fails(part, fn, ...)
  local text = helper.misuse(fn, ...)
  assert.is_truthy(text:find(part, 1, true), text)
end

helper.for_each_device(function(device)
  local m, kernels, out

  setup(function()
    m = cuda.module(SOURCE)
    kernels = m.kernels
  end)
  teardown(function() m:close() m, kernels, out = nil, nil, nil end)
  before_each(function() out = cuda.zeros(8, "int32") end)
  after_each(function() out = nil end)

  local function shape(f)
    f(out)
    return table.concat(out:slice { 1, 2 }:totable(), " ")
  end

  describe("with", function()
    it("changes what the table names and keeps the rest", function()
      local f = kernels.shape:prepare { grid = 2, block = 64, shared = 128 }
      assert.are.equal("5 64", shape(f:with { grid = 5 }))
      assert.are.equal("3 32", shape(f:with { grid = 3, block = 32 }))
      assert.are.equal("4 64", shape(f:with { threads = 200 }))
      assert.are.equal("2 64", shape(f:with {}))
      assert.are.equal("2 64", shape(f))
    end)

    it("keeps the block of a launch that gave threads", function()
      local f = kernels.shape:prepare { threads = 1000 }
      local g = f:with { threads = 10 * f.block[1] }
      assert.are.same(f.block, g.block)
      assert.are.equal(10, g.grid[1])
    end)

    it("chooses a block again that was chosen for few threads", function()
      local f = kernels.shape:prepare { threads = 9 }
      assert.are.same({ 9, 1, 1 }, f.block)
      assert.are.equal("2 9", shape(f:with { grid = 2 }))
      assert.are.equal("4 256", shape(f:with { threads = 1000 }))
      assert.are.equal("4 256", shape(f:with { grid = 2 }:with { threads = 1000 }))
      assert.are.equal("32 32", shape(f:with { grid = 2, block = 32 }:with { threads = 1000 }))
      assert.are.equal("4 256", shape(kernels.shape:prepare { threads = 0 }:with { threads = 999 }))
    end)

    it("checks the table", function()
      local f = kernels.shape:prepare { threads = 1000 }
      fails("another 'block' needs 'grid' or 'threads'", f.with, f, { block = 32 })
      fails("'grid' and 'threads' exclude each other", f.with, f, { grid = 3, threads = 7 })
      fails("unknown key 'gird'; did you mean 'grid'?", f.with, f, { gird = 3 })
      fails("'grid' is 0 along x", f.with, f, { grid = 0 })
      assert.has_error(function() f:with() end)
      assert.has_error(function() f:with(5) end)
      assert.has_error(function() f:with({}, 5) end)
    end)

    it("leaves the stream or takes another", function()
      local out = cuda.zeros(8, "int32") -- luacheck: ignore (its memory marks the streams)
      local s <close> = cuda.stream()
      local t <close> = cuda.stream()
      local f = kernels.shape:prepare { grid = 2, block = 1, stream = s }
      f:with { grid = 3 } (out)
      s:synchronize()
      assert.are.equal(3, out:item(1))
      f:with { stream = t, grid = 4 } (out)
      t:synchronize()
      assert.are.equal(4, out:item(1))
    end)

    it("holds the stream that it was given", function()
      local out = cuda.zeros(8, "int32") -- luacheck: ignore (its memory marks the stream)
      local s = cuda.stream()
      local f = kernels.shape:prepare { grid = 2, block = 1, stream = s }
      local g = f:with { grid = 6 }
      f:free()
      s:close()
      g(out)
      assert.are.equal(6, out:item(1))
    end)

    it("of a launch of 0 threads launches nothing until it names threads", function()
      local f = kernels.shape:prepare { threads = 0 }
      f:with { shared = 16 } (out)
      assert.are.equal(0, out:item(1))
      f:with { threads = 1 } (out)
      assert.are.equal(1, out:item(1))
      fails("'grid' needs 'block'", f.with, f, { grid = 1 })
      f = kernels.shape:prepare { threads = 10 }
      f:with { threads = 0 } (cuda.null)
    end)

    it("is refused by a closed launch", function()
      local f = kernels.shape:prepare { threads = 1 }
      f:close()
      fails("attempt to use a closed Prepared", f.with, f, { threads = 2 })
      fails("attempt to use a closed Prepared", f.set, f, 1, out)
      fails("attempt to use a closed Prepared", f.keep, f, out)
      fails("attempt to use a closed Prepared", f.time_ms, f, out)
    end)
  end)

  describe("kept arguments", function()
    it("are used by calls without any", function()
      local x, y = cuda.arange(100, "int32"), cuda.zeros(100, "int32")
      local f = kernels.add:prepare { threads = 100 }
      assert.are.equal(f, f:keep(y, x, 2, 100))
      f()
      f()
      assert.are.equal(4 * 99, y:item(100))
      assert.are.equal(f, f:set(3, 10))
      f()
      assert.are.equal(14 * 99, y:item(100))
      f(y, x, 1, 1) -- changes nothing that is kept
      f()
      assert.are.equal(24 * 99, y:item(100))
    end)

    it("may be set one by one", function()
      local x, y = cuda.ones(4, "int32"), cuda.zeros(4, "int32")
      local f = kernels.add:prepare { threads = 4 }
      fails("add: expected 4 arguments, got 0", f)
      f:set(4, 4):set(2, x)
      fails("add: argument 1 'y': not set: set(1, value) keeps one for calls without arguments", f)
      f:set(1, y):set(3, 5)
      f()
      assert.are.same({ 5, 5, 5, 5 }, y:totable())
    end)

    it("are checked when they are set", function()
      local f = kernels.add:prepare { threads = 4 }
      fails("add: argument 1 'y': expected int32 array (int *), got float32 array", f.set, f, 1,
        cuda.zeros(4))
      fails("add: argument 3 'factor': expected an integer (int32), got 1.5", f.set, f, 3, 1.5)
      fails("add: argument 3 'factor': expected int, got nil", f.set, f, 3, nil)
      fails("add: set: there is no argument 5; it has 4", f.set, f, 5, 1)
      fails("add: set: there is no argument 0; it has 4", f.set, f, 0, 1)
      fails("expected the number of an argument", f.set, f, "x", 1)
      fails("add: keep: expected 4 arguments, got 1", f.keep, f, out)
      fails("add: argument 2 'x': ", f.keep, f, out, 3, 1, 4)
      fails("add: expected 4 arguments, got 0", f) -- nothing wrong was kept
    end)

    it("may be structs, host values and views", function()
      local f = kernels.sum:prepare { threads = 1 }
      local p = { a = 1, b = 2 }
      f:keep(out, p)()
      assert.are.equal(3, out:item(1))
      p.b = 5 -- tables are read by each launch
      f()
      assert.are.equal(6, out:item(1))
      local result = { 0 }
      f:set(1, cuda.output(result))()
      assert.are.equal(6, result[1])
      fails("field 'c'", f.set, f, 2, { a = 1, c = 2 })
    end)

    it("live as long as they are kept, and no longer", function()
      local f = kernels.add:prepare { threads = 1000 }
      local weak = setmetatable({}, { __mode = "v" })
      do
        local x, y = cuda.ones(1000, "int32"), cuda.zeros(1000, "int32")
        f:keep(y, x, 1, 1000)
        weak[1], weak[2] = x, y
      end
      collectgarbage()
      f()
      assert.are.equal(1, weak[2]:item(1000))
      f:close()
      collectgarbage()
      collectgarbage()
      assert.is_nil(weak[1])
    end)

    it("raise when they are closed", function()
      local x = cuda.ones(4, "int32")
      local f = kernels.add:prepare { threads = 4 }:keep(cuda.zeros(4, "int32"), x, 1, 4)
      x:free()
      fails("closed Array", f)
    end)

    it("go along to with()", function()
      local x, y = cuda.ones(4, "int32"), cuda.zeros(4, "int32")
      local f = kernels.add:prepare { threads = 4 }:keep(y, x, 1, 4)
      local g = f:with { threads = 2 }:set(4, 2)
      g()
      f()
      assert.are.same({ 2, 2, 1, 1 }, y:totable())
    end)

    it("are none of a kernel without parameters", function()
      kernels.one:prepare { threads = 1 }()
      local f = kernels.one:prepare { threads = 1 }
      f:keep()()
      fails("there is no argument 1; it has 0", f.set, f, 1, 1)
    end)

    it("are checked by a launch of 0 threads too", function()
      local f = kernels.add:prepare { threads = 0 }:keep(out, out, 1, 8)
      f()
      assert.are.equal(0, f:time_ms())
    end)
  end)

  it("are timed", function()
    local x, y = cuda.ones(4, "int32"), cuda.zeros(4, "int32")
    local f = kernels.add:prepare { threads = 4 }
    assert.is_true(f:time_ms(y, x, 1, 4) >= 0)
    f:keep(y, x, 2, 4)
    assert.is_true(f:time_ms() >= 0)
    assert.are.same({ 3, 3, 3, 3 }, y:totable())
    fails("add: expected 4 arguments, got 1", f.time_ms, f, y)
    helper.contains(helper.error_of(cuda.no_sync, function() f:time_ms() end),
      "prepared:time_ms waits for the device")
  end)

  it("work on the device of their stream", function()
    local other
    for _, d in ipairs(cuda.devices()) do if d ~= device then other = d end end
    if not other then return end
    local s <close> = cuda.stream { device = other }
    local f = kernels.shape:prepare { grid = 7, block = 1 }
    local g = f:with { stream = s }
    assert.are.equal(other, g.device)
    local there = cuda.zeros(8, "int32", { device = other })
    g(there)
    assert.are.equal(7, there:item(1))
  end)
end)
