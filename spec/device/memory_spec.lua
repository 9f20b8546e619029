local helper = require "spec.helper"
local cuda = require "luacuda"
local core = require "luacuda.core"

helper.for_each_device(function(device)
  describe("the pool", function()
    it("counts bytes in use and bytes held", function()
      local pool = cuda.pool()
      assert.equal(pool, cuda.pool(device))
      collectgarbage()
      collectgarbage()
      local before = pool:stats()
      local a = cuda.empty(1 << 20, "uint8")
      local during = pool:stats()
      assert.equal(before.used + (1 << 20), during.used)
      assert.equal(before.allocations + 1, during.allocations)
      assert.is_true(during.used_high >= during.used)
      assert.is_true(during.reserved >= during.used)
      a:free()
      local after = pool:stats()
      assert.equal(before.used, after.used)
      assert.equal(before.frees + 1, after.frees)
    end)

    it("returns memory when trimmed", function()
      local pool = cuda.pool()
      cuda.empty(1 << 22, "uint8"):free()
      device:synchronize()
      assert.equal(pool, pool:trim())
      assert.is_true(pool:stats().reserved <= pool:stats().used + (64 << 20))
      assert.error(function() pool:trim(-1) end)
    end)

    it("obeys a limit, and reports the numbers", function()
      local pool = cuda.pool()
      local used = pool:stats().used
      pool:limit(used + (1 << 20))
      finally(function() pool:limit(0) end)
      local a = cuda.empty(1 << 19, "uint8")
      local ok, e = pcall(cuda.empty, 1 << 20, "uint8")
      assert.is_false(ok)
      assert.is_true(cuda.is_error(e, "memory"))
      assert.equal("CUDA_ERROR_OUT_OF_MEMORY", e.name)
      assert.equal(device.label, e.device)
      assert.matches("1.0 MB wanted", e.message, 1, true)
      assert.matches("its limit is", e.message, 1, true)
      a:free()
      cuda.empty(1 << 20, "uint8"):free() -- fits now
      assert.equal(0, pool:limit(0))
    end)

    it("collects garbage before it gives up", function()
      local pool = cuda.pool()
      collectgarbage()
      collectgarbage()
      pool:limit(pool:stats().used + (4 << 20))
      finally(function() pool:limit(0) end)
      for _ = 1, 50 do
        local a = cuda.empty(3 << 20, "uint8") -- the previous one is garbage by now
        assert.equal(3 << 20, a.nbytes)
      end
    end)

    it("also collects garbage inside a coroutine", function()
      local pool = cuda.pool()
      collectgarbage()
      collectgarbage()
      pool:limit(pool:stats().used + (4 << 20))
      finally(function() pool:limit(0) end)
      coroutine.wrap(function()
        for _ = 1, 20 do
          cuda.empty(3 << 20, "uint8")
          coroutine.wrap(function() cuda.empty(3 << 20, "uint8") end)()
          assert.is_true(pool:stats().used <= pool:limit())
        end
      end)()
    end)

    it("refuses what no memory could hold", function()
      local ok, e = pcall(cuda.empty, 1 << 50, "uint8")
      assert.is_false(ok)
      assert.is_true(cuda.is_error(e, "memory"))
    end)
  end)

  describe("memory", function()
    it("of size 0 is legal", function()
      local a = cuda.empty(0, "float32")
      assert.equal(0, a.nbytes)
      a:fill(1)
      assert.same({}, a:totable())
      a:free()
    end)

    it("round-trips data of all sizes around that of a staging buffer", function()
      for _, n in ipairs {
        1, 63, 64, 65, 4095, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, (3 << 20) + 17,
      } do
        local bytes = string.rep("\1\2\3\4\5\6\7", n // 7 + 1):sub(1, n)
        local a = cuda.array(bytes, "uint8")
        assert.is_true(a:tobytes() == bytes, ("%d bytes"):format(n))
        a:free()
      end
    end)

    it("many small copies do not overtake each other", function()
      local a, s, t = cuda.zeros(64, "int32"), cuda.stream(), cuda.stream()
      for i = 1, 300 do
        cuda.with_stream(i % 2 == 0 and s or t, function() a:setitem(i, i % 64 + 1) end)
        if i % 50 == 0 then assert.equal(i, a:item(i % 64 + 1)) end
      end
      s:close()
      t:close()
    end)

    it("fills with elements of every width", function()
      for _, dtype in ipairs {
        "uint8", "int16", "int32", "float32", "int64", "float64", "complex128",
      } do
        for _, n in ipairs { 1, 3, 1000, 5000 } do
          local a = cuda.full(n, 3, dtype)
          assert.equal(3, cuda.type(a:item(n)) == "complex" and a:item(n).re or a:item(n))
          assert.equal(3, cuda.type(a:item(1)) == "complex" and a:item(1).re or a:item(1))
          a:free()
        end
      end
      local a = cuda.full(3000, 1.1, "float64") -- both halves differ, so no narrower fill works
      local sum = 0
      for _, v in ipairs(a:totable()) do sum = sum + v end
      assert.is_true(math.abs(sum - 3300) < 1e-6)
    end)

    it("can be freed twice; its use afterwards is an error", function()
      local a = cuda.zeros(10)
      a:free()
      a:close()
      assert.error_matches(function() a:totable() end, "closed Array")
    end)

    it("can be freed in any order of views and owners", function()
      local a = cuda.array({ 1, 2, 3, 4 }, "int32")
      local v = a:slice { 2, 3 }
      a:free()
      assert.same({ 2, 3 }, v:totable())
      v:free()
    end)
  end)

  describe("host memory", function()
    it("pinned goes to the device and back, asynchronously", function()
      local h, back = cuda.pinned(1000, "int32"), cuda.pinned(1000, "int32")
      h:fill(5)
      local a = cuda.empty(1000, "int32")
      local s <close> = cuda.stream()
      cuda.copy(a, h, { stream = s })
      cuda.copy(back, a, { stream = s })
      assert.equal(5, back:item(1000)) -- reading waits
      h:fill(6) -- writing waits for the copy that reads it
      assert.equal(5, a:item(1))
    end)

    it("dropped while a copy reads it stays alive until the copy is done", function()
      local a = cuda.zeros(1 << 16, "int32")
      local s <close> = cuda.stream()
      for i = 1, 30 do
        local h = cuda.pinned(1 << 16, "int32")
        h:fill(i)
        cuda.copy(a, h, { stream = s })
        h:free()
        assert.equal(i, a:item(1 << 16))
      end
    end)

    it("plain works through staging", function()
      local h = cuda.host(5000, "float32")
      h:fill(2.5)
      local a = cuda.zeros(5000, "float32")
      cuda.copy(a, h)
      assert.equal(2.5, a:item(5000))
      a:fill(3.5)
      cuda.copy(h, a)
      assert.equal(3.5, h:item(1))
    end)
  end)

  for _, kind in ipairs { "host", "pinned", "managed", "empty" } do
    it(kind .. " refuses what the system does not have, on the CPU device", function()
      local total = tonumber(io.open("/proc/meminfo"):read("a"):match "MemTotal:%s*(%d+)") * 1024
      local previous = cuda.use "cpu"
      finally(function() cuda.use(previous) end)
      local parts, e = {}, nil                  -- in parts that are each valid, and never touched
      for i = 1, 10 do
        local ok, a = pcall(cuda[kind], total // 4, "uint8")
        if not ok then
          e = a
          break
        end
        parts[i] = a
      end
      for _, a in ipairs(parts) do a:free() end
      assert.is_true(cuda.is_error(e, "memory"), tostring(e))
      assert.is_true(#parts < 4, #parts)
      cuda[kind](1000, "uint8"):free()
    end)
  end

  it("live counts return to their initial values", function()
    collectgarbage()
    collectgarbage()
    local before = core._live().block
    do
      local list = {}
      for i = 1, 100 do list[i] = cuda.zeros(i) end
      assert.equal(before + 100, core._live().block)
    end
    collectgarbage()
    collectgarbage()
    assert.equal(before, core._live().block)
  end)
end)
