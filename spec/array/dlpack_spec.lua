-- DLPack tensors: to and from another library (spec/c/dlpack_peer.c), old and versioned, in one
-- Lua state and between two.
local helper = require "spec.helper"
local cuda = require "luacuda"

local misuse = helper.misuse

local CPU, CUDA, CUDA_HOST, CUDA_MANAGED = 1, 2, 3, 13
-- dtype -> code and bits of DLPack
local CODES = {
  bool = { 6, 8 }, int8 = { 0, 8 }, int16 = { 0, 16 }, int32 = { 0, 32 }, int64 = { 0, 64 },
  uint8 = { 1, 8 }, uint16 = { 1, 16 }, uint32 = { 1, 32 }, uint64 = { 1, 64 },
  float16 = { 2, 16 }, bfloat16 = { 4, 16 }, float32 = { 2, 32 }, float64 = { 2, 64 },
  complex64 = { 5, 64 }, complex128 = { 5, 128 },
}

helper.for_each_device(function(device)
  local peer
  local is_gpu = device.kind ~= "cpu"

  setup(function() peer = helper.c_module "dlpack_peer" end)
  teardown(helper.forget_host)

  -- Tensors of the peer that nothing has deleted yet.
  local function alive() return (peer.counts()) end

  -- fn must call exactly n deleters, at the latest when its garbage is collected.
  local function deletes(n, fn)
    local before, gone = peer.counts()
    fn()
    for _ = 1, 3 do collectgarbage() end
    cuda.synchronize()
    local after, now = peer.counts()
    assert.equal(n, now - gone)
    assert.equal(before, after)
  end

  local function read(array, options)
    local pointer, name = array:dlpack(options):release()
    local fields = peer.read(pointer, name)
    peer.delete(pointer, name)
    return fields
  end

  describe("array:dlpack", function()
    for _, versioned in ipairs { true, false } do
      local form = versioned and "versioned" or "old"

      it("describes an array of each dtype: " .. form, function()
        for dtype, code in pairs(CODES) do
          local a = cuda.zeros({ 3, 4 }, dtype)
          local t = read(a, { versioned = versioned })
          assert.same(code, { t.code, t.bits }, dtype)
          assert.same({ { 3, 4 }, { 4, 1 }, 2, 1, 0 },
            { t.shape, t.strides, t.ndim, t.lanes, t.byte_offset })
          assert.equal(a.pointer, t.pointer)
          assert.equal(is_gpu and CUDA or CPU, t.device_type)
          assert.equal(device.ordinal, t.device_id)
          assert.equal(versioned and 1 or nil, t.major)
          assert.equal(versioned and 0 or nil, t.flags)
        end
      end)

      it("describes views: " .. form, function()
        local a = cuda.arange(24, "int16"):reshape { 4, 6 }
        local v = a:slice({ 2, 3 }, { 6, 1, -2 }):transpose()
        local t = read(v, { versioned = versioned })
        assert.same({ { 3, 2 }, { -2, 6 } }, { t.shape, t.strides })
        assert.equal(a.pointer + 2 * 11, t.pointer)
        assert.same({ 1, 0 }, read(cuda.zeros { 3, 1 }:broadcast_to { 3, 5 }).strides)
        assert.equal(0, read(cuda.zeros {}).ndim)
        assert.same({ 0, 3 }, read(cuda.zeros { 0, 3 }).shape)
      end)
    end

    it("names the kind of memory", function()
      local on_gpu = is_gpu and { CUDA_HOST, CUDA_MANAGED } or { CPU, CPU }
      assert.equal(on_gpu[1], read(cuda.pinned(3)).device_type)
      assert.equal(on_gpu[2], read(cuda.managed(3)).device_type)
      assert.equal(CPU, read(cuda.host(3)).device_type)
      local r <close> = cuda.register(cuda.host(3))
      assert.equal(on_gpu[1], read(r).device_type)
    end)

    it("keeps the memory until the deleter is called, on any thread", function()
      for _, thread in ipairs { false, true } do
        local before = require "luacuda.core"._live().block
        local a = cuda.full(1000, 7, "int32")
        local pointer, name = a:dlpack():release()
        a:free()
        a = nil
        collectgarbage()
        local w = cuda.wrap(peer.read(pointer, name).pointer, 1000, "int32", { device = device })
        assert.equal(7, w:item(1000))
        w:free()
        peer.delete(pointer, name, thread)
        assert.equal(before, require "luacuda.core"._live().block)
        assert.is_nil(a)
      end
    end)

    it("keeps the owner of wrapped memory alive", function()
      local watch = setmetatable({}, { __mode = "v" })
      local function export()
        local owner = { cuda.ones(3) }
        watch[1] = owner
        local c = cuda.wrap(owner[1].pointer, 3, { owner = owner }):dlpack()
        return c
      end
      local pointer, name = export():release()
      collectgarbage()
      collectgarbage()
      assert.is_table(watch[1])
      peer.delete(pointer, name, true)
      cuda.zeros(1):dlpack():close() -- a later call drops what the other thread released
      collectgarbage()
      collectgarbage()
      assert.is_nil(watch[1])
    end)

    it("orders the consumer's stream after earlier work", function()
      local n, s, t = 1 << 18, cuda.stream(), cuda.stream()
      local a = cuda.zeros(n, "int32")
      for i = 1, 30 do a:fill(i, { stream = s }) end
      local c = a:dlpack { stream = t }
      local b = cuda.from_dlpack(c, { stream = t })
      assert.equal(30, cuda.with_stream(t, function() return b:copy() end):item(n))
      a:dlpack { stream = cuda.ptr(t.pointer) }:close()
      assert.equal(is_gpu, not pcall(a.dlpack, a, { stream = cuda.stream { device = "cpu" } }))
      s:close()
      t:close()
    end)

    it("is refused where DLPack has no words for the array", function()
      local P = cuda.struct("P", { { "x", "float32" }, { "n", "int32" } })
      local a = cuda.zeros(3, P)
      assert.matches("dlpack: DLPack has no structs such as P; a:view \"uint8\"",
        misuse(a.dlpack, a))
      local base = cuda.zeros(10, "int32")
      local r = cuda.wrap(base.pointer, 3, { owner = base, readonly = true })
      assert.matches("cannot say that it is read%-only", misuse(r.dlpack, r, { versioned = false }))
      assert.equal(1, read(r).flags)
      assert.matches("unknown option 'version'", misuse(base.dlpack, base, { version = 1 }))
      assert.matches("'stream': expected a Stream", misuse(base.dlpack, base, { stream = 3 }))
      assert.matches("'versioned': expected a boolean",
        misuse(base.dlpack, base, { versioned = 1 }))
      base:free()
      assert.matches("closed Array", misuse(base.dlpack, base))
    end)

    it("waits for host memory, which no_sync forbids", function()
      local h = cuda.host(3)
      helper.contains(helper.error_of(cuda.no_sync, function() h:dlpack() end), "dlpack")
    end)
  end)

  describe("a capsule", function()
    it("is consumed once", function()
      local c = cuda.ones(3):dlpack()
      assert.equal("dltensor_versioned", c.name)
      assert.is_false(c.consumed)
      assert.equal("luacuda.Capsule dltensor_versioned", tostring(c))
      assert.same({ 1.0, 1.0, 1.0 }, cuda.from_dlpack(c):totable())
      assert.is_true(c.consumed)
      assert.matches("%(consumed%)", tostring(c))
      for _, again in ipairs { cuda.from_dlpack, c.release } do
        assert.matches("consumed Capsule: a tensor is used once", misuse(again, c))
      end
      c:close()
      c:free()
      assert.equal("dltensor", cuda.ones(3):dlpack({ versioned = false }).name)
    end)

    it("calls the deleter if nothing consumes it", function()
      local function pending()
        local c = setmetatable({}, { __dlpack = function() return peer.make { bytes = "" } end })
        return c
      end
      deletes(1, function()
        pcall(cuda.from_dlpack, pending(), { stream = 5 })
        local pointer, name = peer.make { shape = { 1 }, code = 77 }
        local ok, e = pcall(cuda.from_dlpack, pointer, name)
        assert.is_false(ok)
        helper.contains(e, "no dtype for elements of code 77 with 32 bits and 1 lanes")
      end)
      local c = cuda.ones(3):dlpack()
      c = nil
      collectgarbage()
      assert.is_nil(c)
    end)
  end)

  describe("from_dlpack", function()
    for version = 0, 1 do
      it("reads host tensors of each dtype, form " .. version, function()
        for dtype, code in pairs(CODES) do
          local source = cuda.arange(6, "int32", { device = "cpu" }):astype(dtype)
          deletes(1, function()
            local a = cuda.from_dlpack(peer.make { bytes = source:tobytes(), shape = { 2, 3 },
              code = code[1], bits = code[2], version = version })
            assert.equal("foreign", a.memory)
            assert.equal("cpu", a.device.label)
            assert.equal(dtype, a.dtype)
            assert.is_true(a:equals(source:reshape { 2, 3 }), dtype)
            a[2][3] = a:item(1, 1)
            assert.equal(a:item(1, 1), a:item(2, 3))
            if is_gpu then assert.is_true(a:to(device):equals(a)) end
          end)
        end
      end)
    end

    it("reads strides, offsets and empty tensors", function()
      local bytes = cuda.arange(24, "int16", { device = "cpu" }):tobytes()
      local function tensor(fields)
        fields.bytes, fields.code, fields.bits = bytes, 0, 16
        return cuda.from_dlpack(peer.make(fields))
      end
      deletes(6, function()
        assert.same({ { 2, 8, 14 }, { 3, 9, 15 } }, tensor { shape = { 2, 3 }, strides = { 1, 6 },
          byte_offset = 4 }:totable())
        local back = tensor { shape = { 4 }, strides = { -2 }, byte_offset = 46 }
        assert.same({ 23, 21, 19, 17 }, back:totable())
        assert.same({ 21, 17 }, (back:slice { 2, -1, 2 } + 0):totable())
        local same = tensor { shape = { 3 }, strides = { 0 }, byte_offset = 10 }
        assert.same({ 5, 5, 5 }, same:totable())
        assert.equal(7, tensor { shape = {}, byte_offset = 14 }:item())
        local none = cuda.from_dlpack(peer.make { shape = { 0, 3 } })
        assert.same({ 0, 3 }, { table.unpack(none.shape) })
        assert.equal(23, tensor { shape = { 24 } }:max())
      end)
    end)

    it("keeps the tensor as long as its views and their queued work", function()
      deletes(1, function()
        local before = alive()
        local a = cuda.from_dlpack(peer.make { bytes = ("\0"):rep(4096), shape = { 1024 } })
        local v = a:slice { 2, -1 }
        a:free()
        a = nil
        collectgarbage()
        assert.equal(1, alive() - before)
        local s = cuda.stream { device = "cpu" }
        for i = 1, 20 do v:fill(i, { stream = s }) end
        v:free()
        v = nil
        s:synchronize()
        s:close()
        assert.is_nil(a or v)
      end)
    end)

    it("takes the read-only flag", function()
      deletes(1, function()
        local a = cuda.from_dlpack(peer.make { bytes = ("\0"):rep(12), shape = { 3 }, flags = 1 })
        assert.is_true(a.is_readonly)
        helper.contains(misuse(a.fill, a, 1), "read-only")
        assert.equal(0.0, a:sum())
      end)
    end)

    it("takes memory of the device, on the stream where it will be used", function()
      local base = cuda.arange(6, "float32")
      local s = cuda.stream()
      deletes(2, function()
        local asked
        local x = setmetatable({}, { __dlpack = function(_, options)
          asked = options
          return peer.make { pointer = base.pointer, shape = { 2, 3 },
            device_type = is_gpu and CUDA or CPU, device_id = device.ordinal }
        end })
        local a = cuda.from_dlpack(x, { stream = s })
        assert.same({ 1, 1 }, asked.max_version)
        assert.equal(("%x"):format(s.pointer), (tostring(asked.stream):match "0x0*(%x+)"))
        assert.equal(base.pointer, a.pointer)
        assert.equal(device, a.device)
        assert.equal(15.0, a:sum())
        a:fill(2, { stream = s })
        assert.equal(12.0, base:sum() * 1 + a:sum() * 0)
        local field = { __dlpack = x.__dlpack or getmetatable(x).__dlpack }
        assert.equal(12.0, cuda.from_dlpack(field):sum())
      end)
      s:close()
    end)

    it("takes page-locked and managed memory", function()
      for type, memory in pairs { [CUDA_HOST] = "pinned", [CUDA_MANAGED] = "managed" } do
        local h = cuda[memory](8, "float32"):fill(3)
        cuda.synchronize "cpu"
        deletes(1, function()
          local a = cuda.from_dlpack(peer.make { pointer = h.pointer, shape = { 8 },
            device_type = type })
          assert.equal("cpu", a.device.label)
          assert.equal(24.0, a:sum())
          local k = cuda.kernel [[__global__ void twice(float *x, const float *y) {
            x[threadIdx.x] += y[threadIdx.x];
          }]]
          k({ grid = 1, block = 8, stream = device.stream }, a, a)
          assert.equal(6.0, a:item(8))
          k({ grid = 1, block = 8 }, cuda.zeros(8, { device = device }), a)
        end)
      end
    end)

    it("gives back the very memory of its own tensors", function()
      local a = cuda.zeros({ 4, 5 }, "int32")
      for _, versioned in ipairs { true, false } do
        local b = cuda.from_dlpack(a:slice({ 2, 3 }):dlpack { versioned = versioned })
        assert.equal(a.memory, b.memory)
        assert.same({ 2, 5 }, { table.unpack(b.shape) })
        local s = cuda.stream()
        for i = 1, 20 do a:fill(i, { stream = s }) end
        assert.equal(20, (b + 0):item(2, 5)) -- ordered after the other array's work
        s:close()
      end
      local c = cuda.from_dlpack(a)
      c:fill(7)
      assert.equal(7, a:item(4, 5))
      assert.equal(a.pointer, c.pointer)
    end)

    it("tells apart what a consumer has moved out of its tensor", function()
      local BIG, FIRST, SIZE = 40, 12, 16 -- elements; `mine` is [FIRST, FIRST + SIZE) of them
      local big = cuda.arange(BIG, "int32")
      local mine = cuda.wrap(big.pointer + 4 * FIRST, SIZE, "int32")
      local random, own = helper.random(7), 0
      local function live() return require "luacuda.core"._live().block end
      for _ = 1, 200 do
        local n, stride = random(7), random(7) - 3
        local reach = math.max(n - 1, 0) * stride
        local at = math.max(0, -reach) + random(BIG - math.abs(reach))
        local low, high = at + math.min(0, reach), at + math.max(0, reach)
        local pointer, name = mine:dlpack({ versioned = random(2) == 1 }):release()
        peer.change(pointer, name, 4 * (at - FIRST), n, stride)
        local blocks = live()
        local b = cuda.from_dlpack(pointer, name)
        local inside = n > 0 and low >= FIRST and high < FIRST + SIZE
        if inside then own = own + 1 end
        local what = ("%d elements from %d on, stride %d"):format(n, at, stride)
        assert.equal(inside and 0 or 1, live() - blocks, what)
        local want = {}
        for i = 1, n do want[i] = at + (i - 1) * stride end
        assert.same(want, b:totable(), what)
        b:free()
      end
      assert.is_true(own > 40 and own < 160)
    end)

    it("refuses what cannot be an array", function()
      local function refused(fields, words)
        deletes(1, function()
          local pointer, name = peer.make(fields)
          helper.contains(misuse(cuda.from_dlpack, pointer, name), words)
        end)
      end
      local bytes = ("\0"):rep(64)
      refused({ bytes = bytes, shape = { 3 }, version = 2 }, "DLPack 2.0 is not known")
      refused({ bytes = bytes, shape = { 3 }, bits = 8 }, "code 2 with 8 bits")
      refused({ bytes = bytes, shape = { 3 }, lanes = 4 }, "4 lanes")
      refused({ bytes = bytes, shape = { 3 }, device_type = 7 }, "device type 7")
      refused({ bytes = bytes, shape = { 3 }, device_type = 2, device_id = 63 }, "GPU 63")
      refused({ bytes = bytes, shape = { 3 }, device_type = 2, device_id = -1 }, "GPU -1")
      refused({ bytes = bytes, shape = { 3 }, ndim = 17 }, "17 axes")
      refused({ bytes = bytes, shape = { 3 }, ndim = -1 }, "-1 axes")
      refused({ bytes = bytes, ndim = 1 }, "no shape")
      refused({ bytes = bytes, shape = { -3 } }, "more than any memory")
      refused({ bytes = bytes, shape = { 1 << 40, 1 << 40 } }, "more than any memory")
      refused({ bytes = bytes, shape = { 2 }, strides = { 1 << 62 } }, "more than any memory")
      refused({ bytes = bytes, shape = { 3 }, strides = { math.mininteger } }, "more than any")
      refused({ bytes = bytes, shape = { 3 }, byte_offset = 2 }, "not aligned for float32")
      refused({ shape = { 3 } }, "the tensor has no memory")
    end)

    it("refuses other values", function()
      assert.matches("expected a Capsule, a pointer and its name, or an object with __dlpack, got",
        misuse(cuda.from_dlpack, {}))
      assert.matches("got string", misuse(cuda.from_dlpack, "x"))
      assert.matches("expected a value, got nothing", misuse(cuda.from_dlpack))
      assert.matches("expected a table of options", misuse(cuda.from_dlpack, cuda.ones(2), 5))
      assert.matches("got integer", misuse(cuda.from_dlpack, 3))
      assert.matches("unknown option 'strem'",
        misuse(cuda.from_dlpack, cuda.ones(2), { strem = 1 }))
      deletes(1, function()
        local pointer, name = peer.make { shape = { 0 } }
        assert.matches("needs the name of what it points to", misuse(cuda.from_dlpack, pointer))
        assert.matches("got capsule", misuse(cuda.from_dlpack, pointer, "capsule"))
        cuda.from_dlpack(pointer, name)
      end)
      local function object(...)
        local results = table.pack(...)
        return setmetatable({}, { __dlpack = function()
          return table.unpack(results, 1, results.n)
        end })
      end
      assert.matches("__dlpack returned nil", misuse(cuda.from_dlpack, object()))
      assert.matches("__dlpack returned table", misuse(cuda.from_dlpack, object {}))
    end)
  end)
end)
