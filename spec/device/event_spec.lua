local helper = require "spec.helper"
local cuda = require "luacuda"

helper.for_each_device(function(device)
  describe("an event", function()
    it("chains record and synchronize", function()
      local s <close> = cuda.stream()
      local e = cuda.event()
      assert.equal(e, e:record(s):synchronize())
      assert.is_true(e:is_done())
      assert.equal(device, e.device)
    end)

    it("is done if it was never recorded, and need not be waited for", function()
      local e = cuda.event()
      assert.is_false(e.recorded)
      assert.is_true(e:is_done())
      assert.equal(e, e:synchronize())
      local s <close> = cuda.stream()
      assert.equal(s, s:wait(e))
    end)

    it("measures milliseconds and waits for both", function()
      local s <close> = cuda.stream()
      local start, stop = cuda.event():record(s), cuda.event()
      local a = cuda.zeros(1 << 20, "float32")
      cuda.with_stream(s, function() for i = 1, 10 do a:fill(i) end end)
      stop:record(s)
      local ms = stop:elapsed_ms(start)
      assert.is_number(ms)
      assert.is_true(ms >= 0 and ms < 60000)
      assert.is_true(stop:is_done())
    end)

    it("says why it has no time", function()
      local s <close> = cuda.stream()
      local timed, untimed = cuda.event():record(s), cuda.event({ timing = false }):record(s)
      local ok, e = pcall(untimed.elapsed_ms, untimed, timed)
      assert.is_false(ok)
      assert.is_true(cuda.is_error(e, "logic"))
      assert.matches("stop event was made with timing = false", tostring(e), 1, true)
      assert.error_matches(function() timed:elapsed_ms(cuda.event()) end,
        "start event was never recorded")
      assert.error(function() timed:elapsed_ms(5) end)
    end)

    it("for several processes has no times", function()
      assert.error_matches(function() cuda.event { interprocess = true, timing = true } end,
        "cannot take times")
      assert.error_matches(function() cuda.event { interproces = true } end,
        "did you mean 'interprocess'")
    end)

    it("is recorded on the current stream by default", function()
      local s <close> = cuda.stream()
      cuda.with_stream(s, function() cuda.event():record():synchronize() end)
    end)

    it("orders two streams", function()
      local n = 1 << 14
      local a, b = cuda.zeros(n, "int32"), cuda.zeros(n, "int32")
      local s <close> = cuda.stream()
      local t <close> = cuda.stream()
      local e = cuda.event { timing = false }
      for i = 1, 50 do
        cuda.with_stream(s, function() a:fill(i) end)
        e:record(s)
        t:wait(e)
        cuda.copy(b, a, { stream = t })
        assert.equal(i, b:item(n))
      end
    end)

    it("is destroyed once", function()
      local e = cuda.event()
      e:close()
      e:free()
      assert.equal("closed event", cuda.type(e))
      assert.error_matches(function() e:record() end, "attempt to use a closed Event")
      assert.error_matches(function() e:is_done() end, "attempt to use a closed Event")
      do local f <close> = cuda.event(); f:record() end
    end)
  end)
end)
