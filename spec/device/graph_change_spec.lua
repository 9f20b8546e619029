-- Graphs after they were made: update, set, clone, nodes, dot.
local helper = require "spec.helper"
local cuda = require "luacuda"

local SOURCE = [[
__device__ float factor = 2;
__global__ void scale(float *x, float k, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= k;
}
__global__ void copy(float *to, const float *from, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}
__global__ void by_factor(float *x) { x[threadIdx.x] *= factor; }
struct Pair { float a, b; };
__global__ void pair(Pair p, float *x) { x[0] = p.a + p.b; }
]]

local function kernels_of(g)
  local list = {}
  for _, node in ipairs(g.nodes) do
    if node.kind == "kernel" then list[#list + 1] = node end
  end
  return list
end

helper.for_each_device(function(device)
  describe("a graph", function()
    local m, k
    helper.each_module(SOURCE, function(module) m, k = module, module and module.kernels end)

    it("lists its nodes", function()
      local x, y = cuda.ones(300), cuda.zeros(300)
      local e = cuda.event()
      local g <close> = cuda.graph(function(stream)
        x:fill(3)
        k.scale({ threads = 300, shared = 16 }, x, 2, 300)
        cuda.copy(y, x)
        e:record(stream)
        y:add(1, { out = y })
      end)
      local nodes, kinds = g.nodes, {}
      for i, node in ipairs(nodes) do
        assert.equal(i, node.index)
        kinds[#kinds + 1] = node.kind
      end
      assert.same({ "fill", "kernel", "copy", "record", "kernel" }, kinds)
      assert.same({ index = 2, kind = "kernel", name = "scale", grid = { 2, 1, 1 },
        block = { 256, 1, 1 }, shared = 16, settable = true }, nodes[2])
      assert.is_false(nodes[5].settable)
      local empty <close> = cuda.graph(function() end)
      assert.same({}, empty.nodes)
    end)

    it("is described for Graphviz", function()
      local x = cuda.ones(3)
      local g <close> = cuda.graph(function() k.scale({ threads = 3 }, x, 2, 3) end)
      local text = g:dot()
      assert.matches("^digraph", text)
      assert.matches("scale", text)
    end)

    it("takes other arguments for a kernel", function()
      local x, y, z = cuda.ones(10), cuda.full(10, 5), cuda.zeros(10)
      local g <close> = cuda.graph(function()
        k.scale({ threads = 10 }, x, 2, 10)
        k.copy({ threads = 10 }, z, x, 10)
      end)
      g:launch()
      assert.equal(2, z:item(10))
      local nodes = kernels_of(g)
      assert.equal(g, g:set(nodes[1], y, 3, 10))
      g:set(nodes[2].index, z, y, 10)
      g:launch()
      assert.same({ 2, 15, 15 }, { x:item(1), y:item(10), z:item(1) })
      g:set(nodes[1], y, 10, 1)
      g:launch()
      assert.same({ 150, 15 }, { z:item(1), z:item(2) })
    end)

    it("keeps and orders new arguments, and forgets the old ones", function()
      local core = require "luacuda.core"
      local x, z = cuda.ones(1000), cuda.zeros(1000)
      local g <close> = cuda.graph(function() k.copy({ threads = 1000 }, z, x, 1000) end)
      local before = core._live().block
      local node = kernels_of(g)[1]
      x:free()
      assert.equal(before, core._live().block)
      local s <close> = cuda.stream()
      for i = 1, 30 do
        local y = cuda.zeros(1000, { stream = s })
        y:fill(i, { stream = s })
        g:set(node, z, y, 1000)
        y:free()
        collectgarbage()
        assert.equal(before, core._live().block)
        g:launch()
        assert.equal(i, z:item(1000))
      end
    end)

    it("checks new arguments like those of a launch", function()
      local x = cuda.ones(10)
      local g <close> = cuda.graph(function()
        k.scale({ threads = 10 }, x, 2, 10)
        x:add(1, { out = x })
        x:fill(1)
        k.pair({ grid = 1, block = 1 }, { a = 1, b = 2 }, x)
      end)
      local function why(...) return helper.misuse(g.set, g, ...) end
      helper.contains(why(1, x, 2), "scale: expected 3 arguments")
      helper.contains(why(1, cuda.ones(10, "int32"), 2, 10), "scale: argument 1")
      helper.contains(why(1, x, "a", 10), "scale: argument 2")
      helper.contains(why(1, x, 2, 2.5), "scale: argument 3")
      helper.contains(why(1, cuda.inout { 1, 2 }, 2, 10), "cuda.inout")
      helper.contains(why(0, x), "1 to 4")
      helper.contains(why(5, x), "1 to 4")
      helper.contains(why("x"), "graph.nodes")
      helper.contains(why {}, "graph.nodes")
      helper.contains(why(2, x), "graph:update")
      helper.contains(why(3, x), "is no kernel")
      helper.contains(why(4, { a = 1, b = 2 }, x), "parameters of a class")
      g:launch()
      assert.equal(3, x:item(1))
    end)

    it("is updated to other work of the same form", function()
      local x, y = cuda.ones(10), cuda.full(10, 5)
      local g <close>, made = cuda.graph(function()
        k.scale({ threads = 10 }, x, 2, 10)
        return x + 1
      end)
      g:launch()
      assert.equal(3, made:item(1))
      local same, other, more = g:update(function(stream)
        k.scale({ threads = 10, stream = stream }, y, 4, 10)
        return y + 2, "more"
      end)
      assert.equal(g, same)
      assert.equal("more", more)
      x:free()
      made:free()
      g:launch()
      assert.same({ 20, 22 }, { y:item(10), other:item(10) })
      g:set(kernels_of(g)[1], y, 0.5, 10)
      g:launch()
      assert.same({ 10, 12 }, { y:item(1), other:item(1) })
    end)

    it("stays as it was where an update fails", function()
      local x = cuda.ones(10)
      local g <close> = cuda.graph(function() k.scale({ threads = 10 }, x, 2, 10) end)
      for _, fn in ipairs {
        function() k.scale({ threads = 10 }, x, 2, 10) x:fill(1) end,
        function() x:fill(7) end, function() error "x" end, function() x:item(1) end,
        function() g:launch() end, function() g:update(function() end) end,
      } do
        assert.is_false(pcall(g.update, g, fn))
        x:fill(1)
        g:launch()
        assert.equal(2, x:item(10))
        assert.equal(1, #g.nodes)
      end
      helper.contains(helper.error_of(g.update, g, function() x:fill(7) end), "make a new graph")
      helper.contains(helper.misuse(g.update, g), "expected a function")
    end)

    it("may be closed by the function that updates it", function()
      local x = cuda.ones(10)
      local g = cuda.graph(function() x:fill(2) end)
      helper.contains(helper.error_of(g.update, g, function() g:close() x:fill(3) end), "closed")
      assert.equal(1, x:item(1))
    end)

    it("is cloned", function()
      local x, y = cuda.ones(10), cuda.ones(10)
      local g = cuda.graph(function()
        k.scale({ threads = 10 }, x, 2, 10)
        y:set { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 }
      end)
      local c <close> = g:clone()
      c:set(kernels_of(c)[1], y, 3, 10)
      g:launch()
      assert.same({ 2, 10 }, { x:item(1), y:item(10) })
      g:close()
      y:fill(1)
      c:launch()
      device:synchronize()
      assert.same({ 2, #c.nodes }, { x:item(1), 2 })
      local d <close> = c:clone()
      d:launch()
      assert.equal(2, x:item(1))
    end)

    it("uses variables of the module also with new arguments", function()
      local x, y = cuda.ones(4), cuda.ones(4)
      local factor = m:global "factor"
      local g <close> = cuda.graph(function() k.by_factor({ grid = 1, block = 4 }, x) end)
      g:set(1, y)
      factor:fill(7)
      g:launch()
      assert.same({ 1, 7 }, { x:item(1), y:item(4) })
      g:close()
      factor:free()
      m:close()
    end)
  end)
end)
