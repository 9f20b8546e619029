local helper = require "spec.helper"
local cuda = require "luacuda"
local core = require "luacuda.core"

helper.for_each_device(function(device)
  describe("the collector", function()
    before_each(function()
      collectgarbage()
      collectgarbage()
    end)

    -- How soon it collects depends on the size of the Lua heap, which in a suite can be anything.
    -- most_alive(n, bytes) drops n arrays and returns the largest number alive at the same time.
    local function in_own_process(code)
      local ok, out = helper.lua([[
        local cuda, core = require "luacuda", require "luacuda.core"
        cuda.use(...)
        local function most_alive(n, bytes)
          local most = 0
          for i = 1, n do
            cuda.empty(bytes, "uint8")
            if i % 50 == 0 then most = math.max(most, core._live().block) end
          end
          return most
        end
      ]] .. code, { args = { device.label } })
      assert.is_true(ok, out)
    end

    it("notices small and large arrays", function()
      in_own_process [[
        local small, large, huge = most_alive(100000, 16), most_alive(1000, 1 << 20),
          most_alive(500, 32 << 20)
        assert(small < 2000, small)
        assert(large < 100, large)
        assert(huge < 10, huge)
      ]]
    end)

    it("notices them in generational mode", function()
      in_own_process [[
        collectgarbage "generational"
        local large = most_alive(1000, 4 << 20)
        assert(large < 500, large)
      ]]
    end)

    it("notices them beside a large Lua heap", function()
      in_own_process [[
        local heap = {}
        for i = 1, 100000 do heap[i] = { i } end
        local large = most_alive(1000, 4 << 20)
        assert(large < 500, large)
        assert(#heap == 100000)
      ]]
    end)

    it("is left alone while it is stopped", function()
      collectgarbage "stop"
      finally(function() collectgarbage "restart" end)
      local base = core._live().block
      for _ = 1, 300 do cuda.empty(1 << 20, "uint8") end
      assert.equal(base + 300, core._live().block)
    end)

    it("may find objects in any order", function()
      local before = core._live()
      for _ = 1, 50 do
        local s, e = cuda.stream(), cuda.event()
        local a = cuda.zeros(100, "int32")
        local v = a:slice { 2, 50 }
        cuda.with_stream(s, function() v:fill(3) end)
        e:record(s)
        local c = cuda.cuda_array(49, "int32", { surface = true }):set(v, { stream = s })
        local g = cuda.graph(function() v:fill(4, { stream = s }) end):launch(s)
        local box = { s, e, a, v, c, cuda.texture(c), cuda.surface(c), g }
        box.me = box
        box, s, e, a, v, c, g = nil, nil, nil, nil, nil, nil, nil
        collectgarbage "step"
      end
      collectgarbage()
      collectgarbage()
      local after = core._live()
      assert.same({ before.block, before.stream, before.event, before.graph },
        { after.block, after.stream, after.event, after.graph })
    end)

    it("may run the library's functions in finalizers", function()
      local done = 0
      for _ = 1, 20 do
        local a = cuda.full(10, 5, "int32")
        setmetatable({}, { __gc = function() done = done + (a:item(1) == 5 and 1 or 0) end })
      end
      collectgarbage()
      collectgarbage()
      assert.equal(20, done)
    end)

    it("may run them while a graph is recorded, outside of the graph", function()
      local done, x = 0, cuda.zeros(10, "int32")
      local g <close> = cuda.graph(function()
        for _ = 1, 20 do
          local a = cuda.full(10, 5, "int32")
          setmetatable({}, { __gc = function()
            a:fill(7)
            done = done + (a:item(1) == 7 and 1 or 0)
          end })
          x:add(1, { out = x })
        end
        collectgarbage()
        collectgarbage()
      end)
      assert.same({ 20, 0 }, { done, x:item(1) })
      g:launch()
      assert.equal(20, x:item(10))
    end)

    it("closes to-be-closed variables at the end of their block", function()
      local before = core._live()
      do
        local a <close> = cuda.zeros(10)
        local s <close> = cuda.stream()
        local e <close> = cuda.event()
        e:record(s)
        assert.equal("array", cuda.type(a))
      end
      local after = core._live()
      assert.same({ before.block, before.stream, before.event },
        { after.block, after.stream, after.event })
    end)
  end)
end)
