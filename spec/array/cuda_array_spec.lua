-- CUDA arrays: making them, levels, and copies from and to every kind of memory.
local helper = require "spec.helper"
local cuda = require "luacuda"

local misuse = helper.misuse

-- The numbers from `first` on, as nested tables of a shape.
local function counted(shape, first)
  local n = first - 1
  local function build(axis)
    if axis > #shape then
      n = n + 1
      return n
    end
    local t = {}
    for i = 1, shape[axis] do t[i] = build(axis + 1) end
    return t
  end
  return build(1)
end

-- shape, options, and the extents in the order of copy3d (width in texels)
local LAYOUTS = {
  { shape = { 7 }, extents = { 7, 1, 1 } },
  { shape = { 5, 7 }, extents = { 7, 5, 1 } },
  { shape = { 3, 5, 7 }, extents = { 7, 5, 3 } },
  { shape = { 3, 7 }, layered = true, extents = { 7, 1, 3 } },
  { shape = { 4, 5, 7 }, layered = true, extents = { 7, 5, 4 } },
  { shape = { 6, 4, 4 }, cubemap = true, extents = { 4, 4, 6 } },
  { shape = { 12, 4, 4 }, cubemap = true, layered = true, extents = { 4, 4, 12 } },
}

local function make(layout, dtype, channels)
  return cuda.cuda_array(layout.shape, dtype, { channels = channels, layered = layout.layered,
    cubemap = layout.cubemap })
end

-- The shape of all elements: the channels are the last axis.
local function full_shape(layout, channels)
  local shape = { table.unpack(layout.shape) }
  if channels > 1 then shape[#shape + 1] = channels end
  return shape
end

helper.for_each_device(function(device, name)
  describe("cuda.cuda_array", function()
    it("reports what it was made with", function()
      local a = cuda.cuda_array({ 4, 6 }, "uint8", { channels = 4, surface = true })
      assert.same({ 4, 6 }, a.shape)
      assert.equal(2, a.ndim)
      assert.equal("uint8", a.dtype)
      assert.equal(4, a.channels)
      assert.equal(96, a.nbytes)
      assert.equal(1, a.levels)
      assert.equal(device, a.device)
      assert.is_true(a.surface)
      assert.is_false(a.layered or a.cubemap or a.gather)
      assert.equal("cuarray", cuda.type(a))
      assert.equal("luacuda.CuArray uint8 {4, 6}, 4 channels on " .. name, tostring(a))
      assert.truthy(math.type(a.handle) == "integer" and a.handle ~= 0)
    end)

    it("has float32 texels of one channel by default", function()
      local a = cuda.cuda_array(10)
      assert.same({ 10 }, a.shape)
      assert.equal("float32", a.dtype)
      assert.equal(1, a.channels)
    end)

    it("copies an array", function()
      local data = counted({ 3, 4, 2 }, 1)
      local a = cuda.cuda_array(cuda.array(data, "int16"), { channels = 2 })
      assert.same({ 3, 4 }, a.shape)
      assert.equal("int16", a.dtype)
      assert.same(data, a:totable())
      local b = cuda.cuda_array(cuda.array(data, "int16"), "float32")
      assert.same({ 3, 4, 2 }, b.shape)
      helper.assert_close(data, b:totable())
    end)

    it("says what is wrong with its arguments", function()
      assert.equal("cuda_array: argument 1 'shape': expected an integer or a list of integers, got "
        .. "boolean", misuse(cuda.cuda_array, true))
      assert.equal("cuda_array: argument 1 'shape': expected 1 to 3 axes, got 4",
        misuse(cuda.cuda_array, { 2, 2, 2, 2 }))
      assert.equal("cuda_array: argument 1 'shape': {2, 0} has an extent below 1",
        misuse(cuda.cuda_array, { 2, 0 }))
      assert.equal("cuda_array: 3 channels of float32; CUDA arrays have 1, 2 or 4 channels of at "
        .. "most 16 bytes together", misuse(cuda.cuda_array, { 2, 2 }, { channels = 3 }))
      assert.equal("cuda_array: 4 channels of float64; CUDA arrays have 1, 2 or 4 channels of at "
        .. "most 16 bytes together", misuse(cuda.cuda_array, { 2, 2 }, "float64", { channels = 4 }))
      assert.equal("cuda_array: argument 1 'shape': {5, 4, 4} is not {6, n, n}, the six faces of a "
        .. "cubemap", misuse(cuda.cuda_array, { 5, 4, 4 }, { cubemap = true }))
      assert.equal("cuda_array: argument 1 'shape': {8, 4, 4} is not {6 * layers, n, n}, the six "
        .. "faces of cubemaps",
        misuse(cuda.cuda_array, { 8, 4, 4 }, { cubemap = true, layered = true }))
      assert.equal("cuda_array: argument 1 'shape': {8} has no layers: expected {layers, width} or "
        .. "{layers, height, width}", misuse(cuda.cuda_array, 8, { layered = true }))
      assert.equal("cuda_array: option 'gather' is for CUDA arrays of two axes without layers",
        misuse(cuda.cuda_array, 8, { gather = true }))
      assert.equal("cuda_array: option 'mipmaps': 5 is outside 1 to 4",
        misuse(cuda.cuda_array, { 8, 8 }, { mipmaps = 5 }))
      assert.equal("cuda_array: unknown option 'chanels'; did you mean 'channels'?",
        misuse(cuda.cuda_array, { 8, 8 }, { chanels = 4 }))
      assert.equal("cuda_array: CUDA arrays have no elements of P",
        misuse(cuda.cuda_array, 8, cuda.struct("P", { { "x", "float32" } })))
      assert.equal("cuda_array: argument 1 'array': the last axis does not hold 4 channels",
        misuse(cuda.cuda_array, cuda.zeros { 4, 3 }, { channels = 4 }))
    end)

    it("names the limit of the device that an extent exceeds", function()
      local most = device.maximum_texture2d_height
      assert.equal(("cuda_array: an extent of %d is more than the %d that %s has as "
        .. "maximum_texture2d_height"):format(most + 1, most, name),
        misuse(cuda.cuda_array, { most + 1, 8 }))
    end)

    it("can be closed, and then only that", function()
      local a <close> = cuda.cuda_array { 4, 4 }
      a:free()
      a:close()
      assert.equal("luacuda.CuArray (closed)", tostring(a))
      assert.equal("closed cuarray", cuda.type(a))
      assert.equal("attempt to use a closed CuArray", misuse(a.set, a, 1))
      assert.equal("attempt to use a closed CuArray", misuse(cuda.copy, a, cuda.zeros { 4, 4 }))
      assert.equal("attempt to use a closed CuArray", misuse(cuda.texture, a))
    end)
  end)

  describe("copies with CUDA arrays", function()
    it("keep every element of every dtype, layout and number of channels", function()
      helper.for_all_dtypes(function(dtype, row)
        if row.kind == "struct" then return end
        for _, layout in ipairs(LAYOUTS) do
          for _, channels in ipairs { 1, 2, 4 } do
            if channels * row.size <= 16 and not (row.size == 8 and channels == 4) then
              local shape = full_shape(layout, channels)
              local n = helper.size_of(shape)
              local host = cuda.arange(0, n):reshape(shape):astype(dtype)
              local a = make(layout, dtype, channels)
              assert.equal(a, cuda.copy(a, host))
              local back = a:array()
              assert.same(shape, back.shape)
              assert.is_true(back:equals(host), dtype .. " " .. table.concat(shape, ","))
              a:free()
            end
          end
        end
      end, { kind = { "bool", "int", "uint", "float", "complex" } })
    end)

    local function memories(shape)
      return {
        device = cuda.zeros(shape), pinned = cuda.pinned(shape), managed = cuda.managed(shape),
        host = cuda.host(shape), registered = cuda.register(cuda.host(shape)),
        cpu = cuda.zeros(shape, { device = "cpu" }),
      }
    end

    it("work with every kind of memory", function()
      local data = counted({ 3, 5, 7 }, 1)
      for kind, memory in pairs(memories { 3, 5, 7 }) do
        memory:set(data)
        local a, b = cuda.cuda_array { 3, 5, 7 }, cuda.cuda_array { 3, 5, 7 }
        cuda.copy(a, memory)
        memory:fill(0)
        cuda.copy(b, a)
        cuda.copy(memory, b)
        helper.assert_close(data, memory:totable(), kind)
      end
    end)

    it("take views, in rows of one pitch and in any other order", function()
      local big = cuda.array(counted({ 6, 8, 10 }, 1))
      local views = {
        rows = big:slice({ 2, 4 }, { 3, 7 }, { 2, 8 }),
        planes = big:slice({ 1, 6, 2 }, { 1, 8 }, { 1, 10 }),
        steps = big:slice({ 1, 3 }, { 1, 8, 2 }, { 1, 10, 3 }),
        reversed = big:slice({ 3, 1, -1 }, { 8, 1, -1 }, { 10, 1, -1 }),
        transposed = big:transpose(),
        broadcast = cuda.array { 1, 2, 3 }:broadcast_to { 2, 4, 3 },
        one_row = big:slice({ 1, 6 }, { 3, 3 }, { 1, 10 }),
        one_column = big:slice({ 1, 6 }, { 1, 8 }, { 4, 4 }),
      }
      for kind, view in pairs(views) do
        local a = cuda.cuda_array({ table.unpack(view.shape) })
        cuda.copy(a, view)
        helper.assert_close(view:totable(), a:totable(), kind)
        if kind ~= "broadcast" then
          local want = view:totable()
          local copy = big:copy()
          view:fill(0)
          cuda.copy(view, a)
          helper.assert_close(want, view:totable(), kind)
          assert.is_true(big:equals(copy), kind .. ": elements beside the view changed")
        end
      end
      assert.equal("copy: a broadcast view cannot be written: several positions share an element; "
        .. "a:copy() makes a separate array",
        misuse(cuda.copy, views.broadcast, cuda.cuda_array { 2, 4, 3 }))
    end)

    it("take a dense array of the same size", function()
      local a = cuda.cuda_array { 3, 4 }
      cuda.copy(a, cuda.arange(1, 13):astype "float32")
      helper.assert_close(counted({ 3, 4 }, 1), a:totable())
      local flat = cuda.zeros(12)
      cuda.copy(flat, a)
      helper.assert_close(counted({ 12 }, 1), flat:totable())
    end)

    it("refuse other dtypes and shapes", function()
      local a = cuda.cuda_array { 3, 4 }
      assert.equal("copy: argument 2 'src': the dtypes differ: Array int32 {3, 4} into CuArray "
        .. "float32 {3, 4}", misuse(cuda.copy, a, cuda.zeros({ 3, 4 }, "int32")))
      assert.equal("copy: argument 2 'src': the shapes differ: CuArray float32 {3, 4} into Array "
        .. "float32 {4, 4}", misuse(cuda.copy, cuda.zeros { 4, 4 }, a))
      assert.equal("copy: argument 2 'src': the shapes differ: Array float32 {4, 3} into CuArray "
        .. "float32 {3, 4}", misuse(cuda.copy, a, cuda.zeros { 3, 4 }:transpose()))
      assert.equal("copy: argument 2 'src': the shapes differ: CuArray float32 {3, 4}, 2 channels "
        .. "into CuArray float32 {3, 4}",
        misuse(cuda.copy, a, cuda.cuda_array({ 3, 4 }, { channels = 2 })))
      assert.equal("copy: argument 2: expected Array, got integer", misuse(cuda.copy, a, 5))
    end)

    it("keep the order of streams", function()
      local s <close> = cuda.stream()
      local t <close> = cuda.stream()
      local x, a, y = cuda.zeros { 64, 64 }, cuda.cuda_array { 64, 64 }, cuda.zeros { 64, 64 }
      for i = 1, 20 do
        x:fill(i, { stream = s })
        cuda.copy(a, x, { stream = t })
        x:fill(-1, { stream = s })
        cuda.copy(y, a, { stream = s })
        a:set(0, { stream = t })
        assert.equal(i, y:item(64, 64))
      end
    end)
  end)

  describe("cuarray:set, :array and :totable", function()
    it("take tables, arrays of other dtypes, bytes and one value", function()
      local a = cuda.cuda_array({ 2, 3 }, "float32")
      assert.equal(a, a:set { { 1, 2, 3 }, { 4, 5, 6 } })
      assert.same({ { 1.0, 2.0, 3.0 }, { 4.0, 5.0, 6.0 } }, a:totable())
      a:set(cuda.array({ { 7, 8, 9 }, { 1, 2, 3 } }, "int64"))
      assert.same({ { 7.0, 8.0, 9.0 }, { 1.0, 2.0, 3.0 } }, a:totable())
      a:set(string.pack("<ffffff", 6, 5, 4, 3, 2, 1))
      assert.same({ { 6.0, 5.0, 4.0 }, { 3.0, 2.0, 1.0 } }, a:totable())
      a:set(0.5)
      assert.same({ { 0.5, 0.5, 0.5 }, { 0.5, 0.5, 0.5 } }, a:totable())
    end)

    it("fill arrays and tables that are given", function()
      local a = cuda.cuda_array({ 2, 2 }):set { { 1, 2 }, { 3, 4 } }
      local out, reuse = cuda.zeros { 2, 2 }, {}
      assert.equal(out, a:array { out = out })
      assert.same({ { 1.0, 2.0 }, { 3.0, 4.0 } }, out:totable())
      assert.equal(reuse, a:totable(reuse))
      assert.same({ { 1.0, 2.0 }, { 3.0, 4.0 } }, reuse)
      assert.equal("array: option 'out': the array does not have the dtype and shape of the CUDA "
        .. "array: Array float32 {2, 3}", misuse(a.array, a, { out = cuda.zeros { 2, 3 } }))
    end)

    it("name what does not fit", function()
      local a = cuda.cuda_array { 2, 2 }
      helper.contains(misuse(a.set, a, { 1, 2, 3 }), "set: argument 1")
      helper.contains(misuse(a.set, a, "abc"), "set: argument 1")
    end)
  end)

  describe("cuarray:level", function()
    it("gives each level of a CUDA array with mipmaps", function()
      local a = cuda.cuda_array({ 8, 4 }, "int32", { mipmaps = true })
      assert.equal(4, a.levels)
      assert.equal((32 + 8 + 2 + 1) * 4, a.nbytes)
      local shapes = { { 8, 4 }, { 4, 2 }, { 2, 1 }, { 1, 1 } }
      for i = 1, 4 do
        local level = a:level(i)
        assert.same(shapes[i], level.shape)
        assert.equal(1, level.levels)
        level:set(i)
      end
      for i = 1, 4 do assert.equal(i, a:level(i):array():item(1, 1)) end
      assert.equal(1, a:array():item(8, 4))
      assert.equal(4, a:level(4):level(1):array():item(1, 1))
      assert.equal("level: argument 1 'i': 5 is outside 1 to 4", misuse(a.level, a, 5))
      assert.equal("level: argument 1 'i': 0 is outside 1 to 4", misuse(a.level, a, 0))
    end)

    it("does not divide layers", function()
      local a = cuda.cuda_array({ 5, 8, 8 }, { layered = true, mipmaps = 2 })
      assert.same({ 5, 4, 4 }, a:level(2).shape)
    end)

    it("keeps the memory of a closed CUDA array", function()
      local a = cuda.cuda_array({ 8, 8 }, { mipmaps = true })
      local level = a:level(2):set(3)
      a:free()
      collectgarbage()
      assert.equal(3, level:array():item(4, 4))
    end)
  end)

  describe("cuda.copy2d and cuda.copy3d", function()
    it("copy a part of a CUDA array", function()
      local a = cuda.cuda_array({ 4, 6 }, "int32"):set(0)
      cuda.copy2d { dst = a, src = cuda.array({ { 1, 2 }, { 3, 4 } }, "int32"), dst_x = 8,
        dst_y = 1, width = 8, height = 2 }
      assert.same({ { 0, 0, 0, 0, 0, 0 }, { 0, 0, 1, 2, 0, 0 }, { 0, 0, 3, 4, 0, 0 },
        { 0, 0, 0, 0, 0, 0 } }, a:totable())
      local part = cuda.zeros({ 2, 3 }, "int32")
      cuda.copy2d { dst = part, src = a, src_x = 4, src_y = 1, width = 12, height = 2 }
      assert.same({ { 0, 1, 2 }, { 0, 3, 4 } }, part:totable())
    end)

    it("copy the rest of a CUDA array without extents", function()
      local a = cuda.cuda_array({ 2, 3, 4 }, "int32"):set(counted({ 2, 3, 4 }, 1))
      local x = cuda.zeros({ 1, 2, 3 }, "int32")
      cuda.copy3d { dst = x, src = a, src_x = 4, src_y = 1, src_z = 1 }
      assert.same({ { { 18, 19, 20 }, { 22, 23, 24 } } }, x:totable())
    end)

    it("copy boxes between memory with pitches and heights", function()
      local rng = helper.random(7)
      for _ = 1, 30 do
        local w, h, d = 1 + rng(9), 1 + rng(5), 1 + rng(4)
        local function side()
          local pitch, height = w + rng(5), h + rng(3)
          local x, y, z = rng(pitch - w + 1), rng(height - h + 1), rng(3)
          return { pitch = pitch, height = height, x = x, y = y, z = z,
            at = function(i, j, k) return ((z + k) * height + y + j) * pitch + x + i end,
            size = (z + d) * height * pitch }
        end
        local s, t = side(), side()
        local from, to = {}, {}
        for i = 1, s.size do from[i] = rng(200) end
        for i = 1, t.size do to[i] = 255 end
        local src, dst = cuda.array(from, "uint8"), cuda.array(to, "uint8")
        cuda.copy3d { dst = dst, src = src, width = w, height = h, depth = d,
          dst_pitch = t.pitch, dst_height = t.height, dst_x = t.x, dst_y = t.y, dst_z = t.z,
          src_pitch = s.pitch, src_height = s.height, src_x = s.x, src_y = s.y, src_z = s.z }
        for k = 0, d - 1 do
          for j = 0, h - 1 do
            for i = 0, w - 1 do to[t.at(i, j, k) + 1] = from[s.at(i, j, k) + 1] end
          end
        end
        assert.same(to, dst:totable())
      end
    end)

    it("take pitch and height of the array", function()
      local big = cuda.array(counted({ 4, 5, 6 }, 1), "int32")
      local view, box = big:slice({ 1, 4 }, { 1, 3 }, { 1, 6 }), cuda.zeros({ 2, 2, 2 }, "int32")
      cuda.copy3d { dst = box, src = view, width = 8, height = 2, depth = 2, src_z = 1, src_x = 4 }
      assert.same({ { { 32, 33 }, { 38, 39 } }, { { 62, 63 }, { 68, 69 } } }, box:totable())
    end)

    it("copy overlapping boxes as if through other memory", function()
      local a = cuda.array(counted({ 2, 4, 4 }, 1), "int32")
      cuda.copy3d { dst = a, src = a, width = 12, height = 3, depth = 2, dst_x = 4, dst_y = 1 }
      assert.same({ { { 1, 2, 3, 4 }, { 5, 1, 2, 3 }, { 9, 5, 6, 7 }, { 13, 9, 10, 11 } },
        { { 17, 18, 19, 20 }, { 21, 17, 18, 19 }, { 25, 21, 22, 23 }, { 29, 25, 26, 27 } } },
        a:totable())
    end)

    it("copy between the host and the device", function()
      local x, h = cuda.array(counted({ 3, 4, 5 }, 1), "int32"), cuda.host({ 2, 2, 2 }, "int32")
      cuda.copy3d { dst = h, src = x, width = 8, height = 2, depth = 2, src_x = 8, src_y = 1,
        src_z = 1 }
      assert.same({ { { 28, 29 }, { 33, 34 } }, { { 48, 49 }, { 53, 54 } } }, h:totable())
      h:fill(0)
      cuda.copy3d { dst = x, src = h, width = 8, height = 2, depth = 2, dst_z = 1 }
      assert.equal(0, x:item(3, 2, 2))
      assert.equal(23, x:item(2, 1, 3))
    end)

    it("name what lies outside", function()
      local a, x = cuda.cuda_array({ 4, 6 }, "int32"), cuda.zeros({ 4, 6 }, "int32")
      local past = "the box reaches past the CUDA array (24 bytes, 4 rows, 1 slices)"
      assert.equal("copy2d: option 'dst': " .. past,
        misuse(cuda.copy2d, { dst = a, src = x, width = 28, height = 1 }))
      assert.equal("copy3d: option 'src': " .. past,
        misuse(cuda.copy3d, { dst = x, src = a, src_y = 4, height = 1 }))
      assert.equal("copy3d: option 'src': " .. past,
        misuse(cuda.copy3d, { dst = x, src = a, depth = 2 }))
      assert.equal("copy2d: option 'dst': the box does not hold whole texels of 4 bytes",
        misuse(cuda.copy2d, { dst = a, src = x, width = 6, height = 1 }))
      assert.equal("copy3d: slices of 24 bytes reach past the end of the array (96 bytes)",
        misuse(cuda.copy3d, { dst = x, src = x, width = 24, height = 4, depth = 2 }))
      assert.equal("copy3d: option 'src_height' is less than 'height'",
        misuse(cuda.copy3d, { dst = x, src = x, width = 4, height = 2, depth = 2,
          src_height = 1 }))
      assert.equal("copy3d: option 'dst_pitch' is less than 'width'",
        misuse(cuda.copy3d, { dst = x, src = x, width = 8, height = 2, dst_pitch = 4 }))
      assert.equal("copy3d: option 'dst': expected Array or CuArray, got nil",
        misuse(cuda.copy3d, { src = x, width = 4, height = 1 }))
      assert.equal("copy3d: option 'width' is missing",
        misuse(cuda.copy3d, { dst = x, src = x, height = 1 }))
    end)

    it("copy nothing where an extent is 0", function()
      local a, x = cuda.cuda_array({ 4, 6 }, "int32"), cuda.zeros({ 4, 6 }, "int32")
      cuda.copy2d { dst = a, src = x, width = 0, height = 4 }
      cuda.copy3d { dst = x, src = x, width = 4, height = 4, depth = 0 }
    end)
  end)

  it("collects CUDA arrays that work still uses", function()
    local s <close> = cuda.stream()
    local y = cuda.zeros({ 256, 256 }, { stream = s })
    for i = 1, 20 do
      local a = cuda.cuda_array { 256, 256 }
      a:set(i, { stream = s })
      cuda.copy(y, a, { stream = s })
    end
    collectgarbage()
    assert.equal(20, y:item(256, 256))
  end)
end)
