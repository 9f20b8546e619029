-- cuda.graph with CUDA arrays, textures, surfaces, linked modules, functions of the host, profiles.
local helper = require "spec.helper"
local cuda = require "luacuda"

local SOURCE = [[
extern "C" __global__ void read(float *y, cudaTextureObject_t tex) {
  y[threadIdx.x] = tex2D<float>(tex, threadIdx.x + 0.5f, 0.5f);
}
extern "C" __global__ void twice(cudaSurfaceObject_t s) {
  int x = threadIdx.x * 4;
  surf2Dwrite(2 * surf2Dread<float>(s, x, 0), s, x, 0);
}
]]
local FOUR = { grid = 1, block = 4 }

helper.for_each_device(function(device)
  describe("a graph", function()
    it("copies CUDA arrays, and keeps them, textures and surfaces alive", function()
      local k = cuda.module { source = SOURCE }.kernels
      local x, y, z = cuda.array({ { 1, 2, 3, 4 } }, "float32"), cuda.zeros(4), cuda.zeros { 1, 4 }
      local side <close> = cuda.stream()
      local g <close> = cuda.graph(function()
        local c <close> = cuda.cuda_array({ 1, 4 }, { surface = true })
        local t <close> = cuda.texture(c)
        local s <close> = cuda.surface(c)
        cuda.copy(c, x)
        k.twice({ grid = 1, block = 4, stream = side }, s)
        k.read(FOUR, y, t)
        cuda.copy(z, c, { stream = side })
        k.twice(FOUR, s)
      end)
      collectgarbage()
      collectgarbage()
      for i = 1, 20 do
        x:fill(i)
        local others = cuda.cuda_array({ 1, 4 }):set { { -1, -1, -1, -1 } }
        g:launch(i % 2 == 0 and side or nil)
        assert.same({ 2 * i, 2 * i, 2 * i, 2 * i }, y:totable())
        assert.same({ { 2 * i, 2 * i, 2 * i, 2 * i } }, z:totable())
        others:close()
      end
    end)

    it("sets a CUDA array from a table, which it keeps", function()
      local c = cuda.cuda_array { 1, 4 }
      local g <close>, out = cuda.graph(function()
        c:set { { 5, 6, 7, 8 } }
        return c:array()
      end)
      c:set { { 0, 0, 0, 0 } }
      g:launch()
      assert.same({ { 5, 6, 7, 8 } }, out:totable())
      helper.contains(helper.error_of(cuda.graph, function() c:totable() end),
        "cannot be recorded in a graph")
    end)

    it("takes another texture", function()
      local k = cuda.module { source = SOURCE }.kernels
      local y = cuda.zeros(4)
      local function texture(v) return cuda.texture(cuda.cuda_array { 1, 4 }:set(
        cuda.full({ 1, 4 }, v, "float32"))) end
      local first = texture(3)
      local g <close> = cuda.graph(function() k.read(FOUR, y, first) end)
      first:close()
      g:launch()
      assert.equal(3, y:item(4))
      g:set(1, y, texture(4))
      collectgarbage()
      collectgarbage()
      local others = texture(5)
      g:launch()
      assert.equal(4, y:item(4))
      helper.contains(helper.misuse(g.set, g, 1, y, y), "argument 2")
      others:close()
    end)

    it("runs kernels of a linked module", function()
      local x = cuda.array({ 1, 2 }, "float32")
      local g <close> = cuda.graph(function()
        local m <close> = cuda.module { sources = {
          "__device__ float by(float x); __global__ void f(float *x) { *x = by(*x); }",
          "__device__ float by(float x) { return 3 * x; }",
        } }
        m.kernels.f({ grid = 1, block = 1 }, x)
      end)
      g:launch():launch()
      assert.same({ 9, 2 }, x:totable())
    end)

    it("runs no function of the host, not even one that waits for its turn", function()
      local x, calls = cuda.zeros(3), 0
      device.null_stream:call(function()
        calls = calls + 1
        x:fill(7)
      end)
      while not device.null_stream:is_done() and calls == 0 do end -- luacheck: ignore 542
      local seen = calls
      local g <close> = cuda.graph(function()
        assert.equal(0, cuda.poll())
        assert.equal(seen, calls)
      end)
      cuda.synchronize()
      assert.equal(1, calls)
      assert.equal(0, #g.nodes)
      assert.equal(7, x:item(1))
    end)

    it("is one entry of a profile", function()
      local x = cuda.ones(100)
      local g <close> = cuda.graph(function() for _ = 1, 5 do x:add(1, { out = x }) end end)
      local p = cuda.profile(function() g:launch():launch() end)
      local n = 0
      for _, entry in ipairs(p.entries) do
        if entry.name == "graph" then
          n = n + 1
          assert.is_true(entry.duration_ms > 0)
        end
      end
      assert.equal(2, n)
      assert.equal(11, x:item(100))
    end)
  end)
end)
