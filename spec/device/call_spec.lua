-- stream:call and cuda.poll: Lua functions in the order of a stream.
local helper = require "spec.helper"
local cuda = require "luacuda"

local misuse = helper.misuse

helper.for_each_device(function(_, name)
  describe("stream:call", function()
    it("runs functions in order, when Lua waits", function()
      local s, log = cuda.stream(), {}
      local a = cuda.zeros(1000, "int32")
      for i = 1, 5 do
        a:fill(i, { stream = s })
        assert.equal(s, s:call(function() log[#log + 1] = i end))
      end
      s:synchronize()
      assert.same({ 1, 2, 3, 4, 5 }, log)
      local e = s:call(function() log[#log + 1] = "event" end) and cuda.event():record(s)
      e:synchronize()
      assert.equal("event", log[6])
      s:call(function() log[#log + 1] = "all" end)
      cuda.synchronize()
      assert.equal("all", log[7])
      s:close()
    end)

    it("runs nothing before the program asks", function()
      local s, ran = cuda.stream(), 0
      for _ = 1, 3 do s:call(function() ran = ran + 1 end) end
      local e = cuda.event():record(s)
      local a = cuda.ones(100)
      assert.equal(100.0, a:sum())
      assert.equal(0, ran)
      repeat until e:is_done()
      cuda.poll()
      assert.equal(3, ran)
      assert.equal(0, cuda.poll())
      s:close()
    end)

    it("raises a function's error by name; the next ones wait", function()
      local s, after = cuda.stream(), false
      s:call(function() error "boom" end)
      s:call(function() after = true end)
      local ok, e = pcall(s.synchronize, s)
      assert.is_false(ok)
      helper.contains(e, "stream:call of the function at spec/device/call_spec.lua:")
      helper.contains(e, "boom")
      assert.is_false(after)
      assert.equal(1, cuda.poll())
      assert.is_true(after)
      local object = {}
      s:call(function() error(object) end)
      ok, e = pcall(cuda.synchronize)
      assert.is_false(ok)
      assert.equal(object, e)
      s:close()
    end)

    it("may be nested, and frees what it called", function()
      local s = cuda.stream()
      local watch = setmetatable({}, { __mode = "v" })
      local function queue()
        local data = {}
        watch[1] = data
        s:call(function() s:call(function() data.ran = true end):synchronize() end)
      end
      queue()
      s:synchronize()
      collectgarbage()
      collectgarbage()
      assert.is_nil(watch[1])
      assert.matches("expected a function, got nothing", misuse(s.call, s))
      assert.matches("expected a function, got table", misuse(s.call, s, {}))
      assert.matches("expected Stream before the ':', got function", misuse(s.call, print))
      assert.matches("too many arguments", misuse(cuda.poll, 1))
      s:close()
      assert.matches("closed Stream", misuse(s.call, s, print))
    end)

    it("leaves a state that closes in peace", function()
      local ok, out = helper.lua([[
        local cuda = require "luacuda"
        cuda.use(...)
        local s, a = cuda.stream(), cuda.zeros(1 << 20)
        for i = 1, 20 do
          a:fill(i, { stream = s })
          s:call(function() print "too late" end)
        end
        print "done"
      ]], { args = { name } })
      assert.is_true(ok, out)
      assert.equal("done\n", out)
    end)
  end)
end)
