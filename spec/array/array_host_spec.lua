local helper = require "spec.helper"
local cuda = require "luacuda"

local misuse = helper.misuse

describe("arrays in host memory", function()
  helper.for_each_device(function(device)
    for _, kind in ipairs { "pinned", "managed", "host" } do
      it("of kind " .. kind .. " are arrays of the CPU device", function()
        local a = cuda[kind]({ 2, 3 }, "int32", { zeros = true })
        assert.equal(kind, a.memory)
        assert.equal("cpu", a.device.kind)
        assert.same({ { 0, 0, 0 }, { 0, 0, 0 } }, a:totable())
        a[2][3] = 5
        a:transpose():slice({ 1, 2 }):fill(7)
        assert.same({ { 7, 7, 0 }, { 7, 7, 5 } }, a:totable())
        local d = cuda.zeros({ 2, 3 }, "int32")
        d:set(a)
        assert.is_true(d:equals(a))
        assert.matches("on cpu %(" .. kind .. "%)", tostring(a))
        assert.equal("float32", cuda[kind](3).dtype)
        assert.equal(0, cuda[kind](0).size)
        assert.matches("unknown option 'zero'; did you mean 'zeros'",
          misuse(cuda[kind], 3, { zero = true }))
        for _, option in ipairs { "out", "stream" } do
          assert.matches(kind .. ": unknown option '" .. option .. "'",
            misuse(cuda[kind], 3, { [option] = device.stream }))
        end
        assert.matches("cannot have %-1 elements", misuse(cuda[kind], -1))
        assert.matches("more than any memory", misuse(cuda[kind], { 1 << 40, 1 << 40 }))
      end)
    end

    it("reach kernels", function()
      local double = cuda.kernel [[__global__ void twice(int *x, int n) {
        int i = threadIdx.x;
        if (i < n) x[i] *= 2;
      }]]
      for _, kind in ipairs { "pinned", "managed" } do
        local a = cuda[kind](3, "int32")
        a:set { 1, 2, 3 }
        double({ grid = 1, block = 32, stream = device.stream }, a, 3)
        assert.same({ 2, 4, 6 }, a:totable())
      end
    end)

    it("have the requested alignment", function()
      assert.equal(0, cuda.host(3, "uint8", { align = 4096 }).pointer % 4096)
      assert.equal(0, cuda.host(3, "uint8").pointer % 64)
      assert.matches("48 is not a power of two", misuse(cuda.host, 3, { align = 48 }))
      assert.matches("'attach'", misuse(cuda.managed, 3, { attach = "single" }))
    end)

    it("are registered in place and outlive the handle of their source", function()
      local h = cuda.host(1024, "float32", { zeros = true, align = 4096 })
      local r = cuda.register(h)
      assert.equal("registered", r.memory)
      assert.equal(h.pointer, r.pointer)
      r[3] = 5
      assert.equal(5.0, h[3])
      h:free()
      collectgarbage()
      assert.equal(5.0, r[3])
      r:free()
      assert.matches("host memory %(cuda.host,", misuse(cuda.register, cuda.pinned(3)))
      assert.matches("expected Array", misuse(cuda.register, {}))
    end)

    it("can be inputs of operations and, if registered, outputs", function()
      local n = 4099
      local h = cuda.host(n, "int32"):set(cuda.arange(n, "int32"))
      local r <close> = cuda.register(h)
      cuda.add(h:slice{ 1, -2 }, 5, { out = r:slice{ 2, -1 } })
      cuda.synchronize "cpu"
      assert.is_true(
        h:slice{ 2, -1 }:equals(cuda.arange(5, n + 4, { dtype = "int32", device = "cpu" })))
      cuda.add(h, 1, { out = r })
      cuda.synchronize "cpu" -- a read of one array does not wait for work on the other
      assert.equals(1, h[1])
      assert.equals(n + 4, h[n])
    end)
  end)
end)

describe("foreign memory", function()
  helper.for_each_device(function(device)
    it("is used in place and keeps its owner alive", function()
      local watch = setmetatable({}, { __mode = "v" })
      local function wrapped()
        local base = cuda.arange(10, "int32")
        local owner = { base }
        watch[1] = owner
        return cuda.wrap(base.pointer, { 2, 5 }, "int32", { owner = owner, device = device })
      end
      local w = wrapped()
      collectgarbage()
      assert.is_not_nil(watch[1])
      assert.equal("foreign", w.memory)
      assert.same({ { 0, 1, 2, 3, 4 }, { 5, 6, 7, 8, 9 } }, w:totable())
      local v = w:slice(2)
      w:free()
      w = nil
      collectgarbage()
      assert.is_not_nil(watch[1])
      assert.same({ 5, 6, 7, 8, 9 }, v:totable())
      v = nil
      collectgarbage()
      collectgarbage()
      assert.is_nil(watch[1])
      assert.is_nil(w or v)
    end)

    it("may be host memory", function()
      local h = cuda.host(4, "int32", { zeros = true })
      local w = cuda.wrap(cuda.ptr(h.pointer), 4, "int32", { owner = h, memory = "host" })
      w[2] = 7
      assert.equal(7, h[2])
    end)

    it("must have an address", function()
      assert.matches("NULL is not an address of memory", misuse(cuda.wrap, 0, 3))
      assert.matches("expected an integer, got string", misuse(cuda.wrap, "0x10", 3))
      assert.matches("not aligned for float32", misuse(cuda.wrap, 0x1001, 3))
      assert.matches("0x1000 to 0x100b is not memory of ", misuse(cuda.wrap, 0x1000, 3))
      local a = cuda.zeros(4, "uint8")
      assert.matches("is not memory of ", misuse(cuda.wrap, a.pointer, 1 << 40, "uint8"))
      assert.matches("expected \"device\" or \"host\"",
        misuse(cuda.wrap, 0x1000, 3, { memory = "gpu" }))
    end)
  end)
end)

describe("bytes", function()
  helper.for_each_device(function()
    it("are allocated", function()
      local a = cuda.alloc(100)
      assert.equal("uint8", a.dtype)
      assert.same({ 100 }, a.shape)
      assert.equal(0, cuda.alloc(0).size)
      assert.matches("expected 0 or more, got %-1", misuse(cuda.alloc, -1))
      local p, pitch = cuda.alloc_pitch { width = 100, height = 3 }
      assert.same({ 3, 100 }, p.shape)
      assert.is_true(pitch >= 100)
      assert.same({ pitch, 1 }, p.strides)
      p:fill(3)
      assert.equal(3, p:item(3, 100))
      assert.matches("'width' is missing", misuse(cuda.alloc_pitch, { height = 3 }))
    end)

    it("are set in words", function()
      local a = cuda.zeros(8, "uint8")
      assert.equal(a, cuda.memset(a, 0x1234, 2, { width = 2, offset = 2 }))
      assert.same({ 0, 0, 0x34, 0x12, 0x34, 0x12, 0, 0 }, a:totable())
      cuda.memset(a, 255)
      assert.same({ 255, 255, 255, 255, 255, 255, 255, 255 }, a:totable())
      local f = cuda.ones(3)
      cuda.memset(f, 0)
      assert.same({ 0.0, 0.0, 0.0 }, f:totable())
      assert.matches("reach past the end of the array %(8 bytes%)", misuse(cuda.memset, a, 0, 9))
      assert.matches("reach past the end",
        misuse(cuda.memset, a, 0, math.maxinteger, { width = 8 }))
      assert.matches("not aligned for words of 4 bytes",
        misuse(cuda.memset, a, 0, 1, { width = 4, offset = 1 }))
      assert.matches("256 is out of range for uint8", misuse(cuda.memset, a, 256))
      assert.matches("expected 1, 2, 4 or 8 bytes, got 3",
        misuse(cuda.memset, a, 0, 1, { width = 3 }))
      assert.matches("contiguous", misuse(cuda.memset, cuda.zeros({ 2, 2 }):transpose(), 0))
    end)

    it("are set in rows", function()
      local a = cuda.zeros(12, "uint8")
      cuda.memset2d(a, 1, { columns = 2, height = 3, pitch = 4, offset = 1 })
      assert.same({ 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0 }, a:totable())
      assert.matches("reach past the end", misuse(cuda.memset2d, a, 1, { columns = 4, height = 4 }))
      assert.matches("'height' is missing", misuse(cuda.memset2d, a, 1, { columns = 4 }))
    end)

    it("are copied in rows", function()
      local src = cuda.arange(12, "uint8")
      local dst = cuda.zeros({ 3, 5 }, "uint8")
      cuda.copy2d { dst = dst, src = src, width = 2, height = 3, src_pitch = 4,
        src_x = 1, dst_x = 2 }
      assert.same({ { 0, 0, 1, 2, 0 }, { 0, 0, 5, 6, 0 }, { 0, 0, 9, 10, 0 } }, dst:totable())
      local h = cuda.pinned({ 2, 2 }, "uint8")
      cuda.copy2d { dst = h, src = dst, width = 2, height = 2, src_x = 2, src_y = 1 }
      assert.same({ { 5, 6 }, { 9, 10 } }, h:totable())
      assert.matches("reach past the end",
        misuse(cuda.copy2d, { dst = dst, src = src, width = 5, height = 4 }))
      assert.matches("'src': expected Array or CuArray, got nil",
        misuse(cuda.copy2d, { dst = dst, width = 1, height = 1 }))
      assert.matches("'width' is missing",
        misuse(cuda.copy2d, { dst = dst, src = src, height = 1 }))
      assert.matches("unknown option 'witdh'",
        misuse(cuda.copy2d, { dst = dst, src = src, witdh = 1 }))
    end)
  end)
end)
