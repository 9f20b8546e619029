local helper = require "spec.helper"
local cuda = require "luacuda"
local core = require "luacuda.core"

helper.for_each_device(function(device)
  describe("a stream", function()
    it("is made with a priority and does not block with the null stream", function()
      local s <close> = cuda.stream { priority = -1 }
      assert.equal("integer", math.type(s.priority))
      assert.is_true(s.priority <= 0)
      assert.is_false(s.blocking)
      assert.is_false(s.is_null)
      assert.equal(device, s.device)
      local b <close> = cuda.stream { blocking = true }
      assert.is_true(b.blocking)
    end)

    it("waits, reports completion and chains", function()
      local s <close> = cuda.stream()
      local t <close> = cuda.stream()
      assert.equal(s, s:synchronize())
      assert.is_true(s:is_done())
      assert.equal(s, s:wait(t))
      assert.equal(s, s:wait(s))
      assert.equal(s, s:wait(cuda.event()))
      assert.error_matches(function() s:wait(3) end, "expected an Event or a Stream, got integer")
    end)

    it("is the null stream by default", function()
      assert.is_true(device.stream.is_null)
      assert.equal(device.null_stream, device.stream)
      local s <close> = cuda.stream()
      assert.equal(device.null_stream, s:use())
      assert.equal(s, device.stream)
      assert.equal(s, device.null_stream:use())
      assert.equal(device.null_stream, device.stream)
    end)

    it("is no longer current once closed", function()
      local s = cuda.stream()
      s:use()
      s:close()
      assert.equal(device.null_stream, device.stream)
    end)

    it("stays current if only its handle is collected", function()
      do cuda.stream():use() end
      collectgarbage()
      assert.is_false(device.stream.is_null)
      device.null_stream:use()
    end)

    it("can be closed once; using it afterwards is a clear error", function()
      local s = cuda.stream()
      assert.equal("stream", cuda.type(s))
      s:close()
      s:free()
      assert.equal("closed stream", cuda.type(s))
      assert.equal("luacuda.Stream (closed)", tostring(s))
      for _, method in ipairs { "synchronize", "is_done", "use" } do
        assert.error_matches(function() s[method](s) end, "attempt to use a closed Stream")
      end
      assert.error_matches(function() cuda.event():record(s) end, "closed Stream")
    end)

    it("refuses unknown and wrong options", function()
      assert.error_matches(function() cuda.stream { prioritty = 1 } end, "did you mean 'priority'")
      assert.error_matches(function() cuda.stream { priority = "high" } end,
        "expected an integer, got string")
      assert.error_matches(function() cuda.stream { priority = 1.5 } end, "expected an integer")
      assert.error_matches(function() cuda.stream { blocking = 1 } end,
        "expected a boolean, got integer")
      assert.error_matches(function() cuda.stream(7) end, "expected a table of options")
    end)

    it("of the host program is used, not destroyed", function()
      local s <close> = cuda.stream()
      local f = cuda.stream { pointer = cuda.ptr(s.pointer) }
      assert.equal(s.pointer, f.pointer)
      f:synchronize()
      f:close()
      s:synchronize()
      assert.is_true(s:is_done())
    end)

    -- libcuda may crash on a destroyed stream; the CPU device detects it.
    if device.kind == "cpu" or helper.fake_gpu then
      it("of the host program, if destroyed too early, is reported once", function()
        local bytes, a = ("abcd"):rep(1 << 16), cuda.zeros(1 << 16, "int32")
        for _ = 1, 20 do a:set(bytes) end
        local s, b = cuda.stream(), cuda.zeros(1 << 16, "int32")
        local f = cuda.stream { pointer = cuda.ptr(s.pointer) }
        a:set(bytes, { stream = f })
        f:synchronize()
        s:close()
        local failures = 0
        for _ = 1, 20 do
          if not pcall(b.set, b, bytes) then failures = failures + 1 end
        end
        f:close()
        assert.is_true(failures <= 1)
        assert.equal(("<i4"):unpack "abcd", b:item(1 << 16))
      end)
    end

    it("that is invalid is refused", function()
      assert.error_matches(function() cuda.stream { pointer = cuda.null } end,
        "stream: option 'pointer': NULL is the null stream")
      assert.error_matches(function() cuda.stream { pointer = "x" } end,
        "stream: option 'pointer': expected cuda.ptr%(address%)")
      assert.error_matches(function() cuda.stream { pointer = 12345 } end,
        "expected cuda.ptr%(address%) or a light userdata, got integer")
      for _, junk in ipairs { 3, 12345, 0x7f1234560000, 0xdeadbeefdeadbeef } do
        local ok, e = pcall(cuda.stream, { pointer = cuda.ptr(junk) })
        assert.is_false(ok)
        assert.equal("CUDA_ERROR_INVALID_HANDLE", e.name)
      end
    end)
  end)

  describe("with_stream", function()
    it("sets the stream inside, passes values, and restores it", function()
      local s <close> = cuda.stream()
      local inside, a, b = cuda.with_stream(s, function(x, y) return device.stream, y, x end, 1, 2)
      assert.equal(s, inside)
      assert.same({ 2, 1 }, { a, b })
      assert.is_true(device.stream.is_null)
    end)

    it("nests", function()
      local s <close> = cuda.stream()
      local t <close> = cuda.stream()
      cuda.with_stream(s, function()
        cuda.with_stream(t, function() assert.equal(t, device.stream) end)
        assert.equal(s, device.stream)
      end)
    end)

    it("restores on error and keeps the error", function()
      local s <close> = cuda.stream()
      local object = {}
      local ok, e = pcall(cuda.with_stream, s, function() error(object) end)
      assert.is_false(ok)
      assert.equal(object, e)
      assert.is_true(device.stream.is_null)
    end)

    it("allows no yield", function()
      local s <close> = cuda.stream()
      local co = coroutine.create(function() cuda.with_stream(s, coroutine.yield) end)
      local ok, e = coroutine.resume(co)
      assert.is_false(ok)
      assert.matches("yield", e)
      assert.is_true(device.stream.is_null)
    end)

    it("ends when an error leaves a coroutine, closed or not", function()
      local s <close> = cuda.stream()
      local t <close> = cuda.stream()
      local value = {}
      local co = coroutine.create(function()
        cuda.with_stream(s, function()
          local ok, e = pcall(cuda.with_stream, t, error, "inner")
          assert(not ok and e == "inner" and device.stream == s)
          cuda.with_stream(t, error, value)
        end)
      end)
      local ok, e = coroutine.resume(co)
      assert.is_false(ok)
      assert.equal(value, e)
      assert.is_true(device.stream.is_null)
      coroutine.close(co)
      assert.is_true(device.stream.is_null)
      cuda.with_stream(s, function() assert.equal(s, device.stream) end)
      assert.is_true(device.stream.is_null)
    end)

    it("checks its arguments first", function()
      assert.error(function() cuda.with_stream(1, print) end)
      local s <close> = cuda.stream()
      assert.error(function() cuda.with_stream(s) end)
      assert.error(function() cuda.with_stream(s, 5) end)
      assert.is_true(device.stream.is_null)
    end)
  end)

  describe("no_sync", function()
    it("forbids waits inside only", function()
      local s <close> = cuda.stream()
      local e = cuda.event():record(s)
      for _, wait in ipairs {
        function() s:synchronize() end, function() e:synchronize() end,
        function() device:synchronize() end,
        function() cuda.synchronize() end, function() e:elapsed_ms(e) end,
      } do
        local ok, err = pcall(cuda.no_sync, wait)
        assert.is_false(ok)
        assert.is_true(cuda.is_error(err, "logic"))
        assert.matches("no_sync forbids", tostring(err), 1, true)
      end
      assert.equal(3, cuda.no_sync(function() return 3 end))
      s:synchronize()
    end)

    it("ends when an error leaves a coroutine", function()
      for _, fn in ipairs {
        function() error "x" end, coroutine.yield, function() cuda.no_sync(error) end,
      } do
        local co = coroutine.create(cuda.no_sync)
        assert.is_false(coroutine.resume(co, fn))
        cuda.synchronize()
        coroutine.close(co)
        assert.equal(5,
          coroutine.wrap(function() return cuda.no_sync(function() return 5 end) end)())
        cuda.synchronize()
      end
    end)
  end)

  describe("streams of one array", function()
    -- Overtaking shows only with work in flight, so each case runs a few hundred rounds.
    local n = 1 << 14

    it("are ordered: a copy on one waits for the fill on the other", function()
      local a, b = cuda.zeros(n, "int32"), cuda.zeros(n, "int32")
      local s <close> = cuda.stream()
      local t <close> = cuda.stream()
      for i = 1, 200 do
        cuda.with_stream(s, function() a:fill(i) end)
        cuda.copy(b, a, { stream = t })
        assert.equal(i, b:item(n))
      end
    end)

    it("free memory only after their work", function()
      local s <close> = cuda.stream()
      local t <close> = cuda.stream()
      local sum = cuda.zeros(n, "int32")
      for i = 1, 100 do
        local a = cuda.with_stream(s, function() return cuda.full(n, i, "int32") end)
        cuda.copy(sum, a, { stream = t })
        a:free() -- t still reads it
        local other = cuda.with_stream(s, function() return cuda.full(n, -1, "int32") end)
        assert.equal(i, sum:item(1))
        assert.equal(i, sum:item(n))
        other:free()
      end
    end)

    it("may be closed with work in flight", function()
      local a = cuda.zeros(n, "int32")
      for i = 1, 20 do
        local s = cuda.stream()
        cuda.with_stream(s, function() a:fill(i) end)
        s:close()
        assert.equal(i, a:item(n))
      end
      a:free()
    end)

    it("make no extra driver calls while one stream is used", function()
      local ok, out = helper.lua([[
        local cuda, core = require "luacuda", require "luacuda.core"
        cuda.use(...)
        local a = cuda.zeros(100, "int32")
        a:fill(1)
        core._fail_at(0)
        for i = 1, 100 do a:fill(i) end
        -- one or two context queries, and the fill itself
        print(core._calls() // 100 <= 4)
      ]], { env = { LUACUDA_SHIM = 1 }, args = { device.label } })
      assert.is_true(ok, out)
      assert.equal("true\n", out)
    end)
  end)

  it("a block waits for all its streams before it is freed, with or without marks", function()
    local a = cuda.full(1000, 7, "int32")
    local outs, streams = {}, {}
    for i = 1, 12 do
      streams[i], outs[i] = cuda.stream(), cuda.zeros(1000, "int32")
      cuda.copy(outs[i], a, { stream = streams[i] })
    end
    a:fill(8)
    a:free()
    for i = 1, 12 do
      assert.equal(7, outs[i]:item(1000))
      streams[i]:close()
    end
    assert.equal("number", type(core._live().block))
  end)
end)
