-- Arrays that grow and shrink in place.
local helper = require "spec.helper"
local cuda = require "luacuda"

local contains, error_of = helper.contains, helper.error_of

helper.for_each_device(function(device, label)
  local function fails(part, fn, ...) contains(error_of(fn, ...), part) end

  describe("resize", function()
    it("keeps address and contents", function()
      local a = cuda.empty({ 2, 3 }, "int32", { reserve = 100000 })
      local at = a.pointer
      assert.are.same({ 2, 3 }, a.shape)
      assert.are.equal(100000, a.capacity)
      a:set { { 1, 2, 3 }, { 4, 5, 6 } }
      for _, rows in ipairs { 3, 100, 5000, 100000 } do
        assert.are.equal(a, a:resize(rows))
        assert.are.equal(rows, #a)
        assert.are.equal(at, a.pointer)
        assert.are.same({ 1, 2, 3 }, a:slice(1):totable())
        assert.are.same({ 4, 5, 6 }, a:slice(2):totable())
        a:slice { 3, -1 }:fill(rows)
        assert.are.equal(rows, a:item(rows, 3))
        assert.are.equal(21 + 3 * rows * (rows - 2), a:sum { axis = 1 }:astype "int64":sum())
      end
      assert.are.equal(100000 * 12, a.nbytes)
      a:resize(2)
      assert.are.same({ { 1, 2, 3 }, { 4, 5, 6 } }, a:totable())
      a:resize(0)
      assert.are.equal(0, a.size)
      a:resize(4):fill(8)
      assert.are.equal(8 * 12, a:sum())
    end)

    it("is the same as a list that grows", function()
      local rng, want = helper.random(7), {}
      local a = cuda.empty(0, "int32", { reserve = 1000 })
      for step = 1, 60 do
        local n = rng(1001)
        for i = #want, n + 1, -1 do want[i] = nil end
        local old = #want
        for i = old + 1, n do want[i] = 1000 * step + i end
        a:resize(n)
        if n > old then
          cuda.copy(a:slice { old + 1, n }, cuda.array({ table.unpack(want, old + 1, n) }, "int32"))
        end
        assert.are.same(want, a:totable())
      end
    end)

    it("leaves views as they are", function()
      local a = cuda.empty(100, "float32", { reserve = 10000 }):fill(1)
      local tail = a:slice { 91, 100 }
      a:resize(10000)
      tail:fill(2)
      assert.are.equal(2, a:item(95))
      a:resize(10)
      assert.are.equal(20, tail:sum()) -- its memory stays as long as it does
      tail = nil -- luacheck: ignore
      a:resize(5)
      assert.are.equal(5, a:sum())
    end)

    it("gives memory back when work on it is done", function()
      local add = cuda.kernel [==[
        __global__ void add(int *p, int n) {
          int i = blockIdx.x * blockDim.x + threadIdx.x;
          if (i < n) p[i] += 1;
        }]==]
      local s <close> = cuda.stream()
      local n = 1 << 18
      local a = cuda.empty(n, "int32", { reserve = n }):fill(0)
      for _ = 1, 5 do add({ threads = n, stream = s }, a, n) end
      a:resize(16):resize(n)
      assert.are.equal(5, a:item(16))
      add({ threads = n, stream = s }, a, n)
      a:free()
    end)

    it("is checked", function()
      local a = cuda.empty({ 4, 2 }, "float32", { reserve = 8 })
      fails("resize: 9 is outside 0 to 8, which are reserved", a.resize, a, 9)
      fails("resize: -1 is outside", a.resize, a, -1)
      fails("expected an integer", a.resize, a, 1.5)
      fails("expected an integer", a.resize, a)
      assert.has_error(function() a:resize(1, 2) end)
      local rows = a:slice { 2, 3 }
      fails("resize: expected an array from the start of its memory", rows.resize, rows, 1)
      local turned = a:transpose()
      fails("got a view; resize the array itself", turned.resize, turned, 1)
      local plain = cuda.zeros(3)
      fails("the array has no room to grow", plain.resize, plain, 4)
      assert.is_nil(plain.capacity)
      fails("option 'reserve'", cuda.empty, 10, { reserve = 5 })
      fails("option 'reserve'", cuda.empty, 10, { reserve = "x" })
      fails("option 'reserve'", cuda.empty, {}, { reserve = 5 })
      fails("option 'reserve'", cuda.empty, 0, { reserve = 0 })
      fails("rows of the shape are empty", cuda.empty, { 1, 0 }, { reserve = 5 })
      fails("exclude each other", cuda.empty, 3, { reserve = 5, out = plain })
      fails("is more than any memory", cuda.empty, 3, { reserve = math.maxinteger })
      fails("unknown option", cuda.zeros, 3, { reserve = 5 })
      a:free()
      fails("attempt to use a closed Array", a.resize, a, 1)
    end)

    it("reserves more than there is memory", function()
      local a = cuda.empty(10, "uint8", { reserve = 1 << 42 })
      assert.are.equal(1 << 42, a.capacity)
      assert.are.equal(30, a:resize(30):fill(1):sum())
      local e = error_of(function() a:resize(1 << 42) end)
      assert.is_true(cuda.is_error(e, "memory"), tostring(e))
      assert.are.equal(30, a:sum())
    end)

    it("takes memory and gives it back", function()
      if device.kind ~= "cpu" and not helper.fake_gpu then return end
      local ok, out = helper.lua([==[
        local cuda = require "luacuda"
        cuda.use(tonumber((...):match "%d+") or ...)
        local size = 40 << 20
        local free = cuda.mem_info()
        local a = cuda.empty(0, "uint8", { reserve = 1 << 40 })
        assert(cuda.mem_info() == free)
        a:resize(size):fill(1)
        assert(cuda.mem_info() <= free - size)
        assert(cuda.is_error(select(2, pcall(cuda.zeros, size, "uint8")), "memory"))
        local view = a:slice { 5, 6 }
        a:resize(0)
        assert(cuda.mem_info() <= free - size) -- the view can reach it
        view:free()
        a:resize(1):resize(0)
        assert(cuda.mem_info() == free)
        cuda.zeros(size, "uint8"):free()
        a:resize(10)
        collectgarbage "stop"
        local garbage = cuda.zeros(size, "uint8")
        garbage = nil
        a:resize(size) -- the garbage goes first
        collectgarbage "restart"
        a:free()
      ]==], { env = { LUACUDA_CPU_MEMORY = "64M" }, args = { label } })
      assert.is_true(ok, out)
    end)

    it("is known to the driver", function()
      local a = cuda.empty(100, "uint8", { reserve = 1 << 20 })
      local info = cuda.pointer_info(a)
      assert.are.equal("device", info.memory)
      assert.are.equal(a.pointer, info.base)
    end)

    it("may be forgotten", function()
      for _ = 1, 20 do cuda.empty(1000, { reserve = 100000 }):fill(1):resize(50000) end
      collectgarbage()
      local b <close> = cuda.empty(3, { reserve = 9 })
      b:resize(9)
    end)
  end)

  it("finds accesses beyond the grown size on the CPU device", function()
    if device.kind ~= "cpu" then return end
    local put = cuda.kernel "__global__ void put(int *p, int i) { p[i] = 1; }"
    local a = cuda.empty(10, "int32", { reserve = 1000 })
    a:resize(20)
    put({ threads = 1, block = 1 }, a, 19)
    assert.are.equal(1, a:item(20))
    put({ threads = 1, block = 1 }, a, 20)
    contains(error_of(cuda.synchronize), "int32 {20}")
    a:resize(21)
    put({ threads = 1, block = 1 }, a, 20)
    assert.are.equal(1, a:item(21))
  end)

  it("is used by another GPU", function()
    local other
    for _, d in ipairs(cuda.devices()) do
      if d ~= device and d.kind == device.kind and d:can_access_peer(device) then other = d end
    end
    if not other then return end
    local add = cuda.kernel [==[
      __global__ void add(int *p, int n) { if (threadIdx.x < n) p[threadIdx.x] += 2; }]==]
    local a = cuda.empty(10, "int32", { reserve = 1000 }):fill(1)
    local s <close> = cuda.stream { device = other }
    add({ grid = 1, block = 128, stream = s }, a, 10)
    assert.are.equal(30, a:sum())
    a:resize(100):fill(1)
    add({ grid = 1, block = 128, stream = s }, a, 100)
    assert.are.equal(300, a:sum(), label)
    a:free()
  end)
end)
