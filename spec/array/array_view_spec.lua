local helper = require "spec.helper"
local numpy = require "spec.support.numpy_oracle"
local cuda = require "luacuda"

local misuse = helper.misuse

-- Element {i, j} is 10 i + j.
local function grid(rows, columns, dtype)
  local t = {}
  for i = 1, rows do
    t[i] = {}
    for j = 1, columns do t[i][j] = 10 * i + j end
  end
  return cuda.array(t, dtype or "int32"), t
end

describe("views", function()
  helper.for_each_device(function()
    describe("slice", function()
      it("includes both ends, counts from the end, clips like string.sub", function()
        local a = cuda.arange(1, 6)
        local letters = "\1\2\3\4\5"
        for first = -8, 8 do
          for last = -8, 8 do
            local want = { letters:sub(first, last):byte(1, -1) }
            assert.same(want, a:slice({ first, last }):totable(), first .. ", " .. last)
          end
        end
      end)

      it("takes steps, also negative ones", function()
        local a = cuda.arange(1, 8)
        assert.same({ 1, 3, 5, 7 }, a:slice({ 1, -1, 2 }):totable())
        assert.same({ 2, 5 }, a:slice({ 2, 6, 3 }):totable())
        assert.same({ 7, 6, 5, 4, 3, 2, 1 }, a:slice({ nil, nil, -1 }):totable())
        assert.same({ 5, 3 }, a:slice({ 5, 2, -2 }):totable())
        assert.same({}, a:slice({ 2, 5, -1 }):totable())
        assert.same({ 7, 1 }, a:slice({ 100, -100, -6 }):totable())
        assert.same({ 1 }, a:slice({ 1, -1, math.maxinteger }):totable())
        assert.same({ 7 }, a:slice({ -1, 1, math.mininteger }):totable())
      end)

      it("drops axes with integers and keeps the rest", function()
        local a = grid(3, 4)
        assert.same({ 21, 22, 23, 24 }, a:slice(2):totable())
        assert.same({ 14, 24, 34 }, a:slice({}, -1):totable())
        assert.same({ { 22, 23 }, { 32, 33 } }, a:slice({ 2 }, { 2, 3 }):totable())
        assert.same({}, a:slice(2, 3).shape)
        assert.equal(23, a:slice(2, 3):item())
        assert.same(a.shape, a:slice().shape)
      end)

      it("shares memory", function()
        local a = cuda.zeros({ 3, 3 }, "int32")
        a:slice({ 1, 3, 2 }, { 2, 3 }):set { { 1, 2 }, { 3, 4 } }
        assert.same({ { 0, 1, 2 }, { 0, 0, 0 }, { 0, 3, 4 } }, a:totable())
      end)

      it("refuses invalid ranges", function()
        local a = grid(3, 4)
        assert.matches("4 is outside an axis of 3 elements", misuse(a.slice, a, 4))
        assert.matches("0 is outside", misuse(a.slice, a, 0))
        assert.matches("the step cannot be 0", misuse(a.slice, a, { 1, 2, 0 }))
        assert.matches("3 ranges for an array of 2 axes", misuse(a.slice, a, {}, {}, {}))
        assert.matches("got string", misuse(a.slice, a, "1"))
        assert.matches("other keys", misuse(a.slice, a, { first = 1 }))
        assert.matches("expected an integer, got 1.5", misuse(a.slice, a, { 1.5 }))
      end)
    end)

    it("transpose in reverse or in the given order", function()
      local a, t = grid(2, 3)
      local v = a:transpose()
      assert.same({ 3, 2 }, v.shape)
      assert.is_false(v.is_contiguous)
      for i = 1, 2 do
        for j = 1, 3 do assert.equal(t[i][j], v:item(j, i)) end
      end
      local b = cuda.arange(24):reshape { 2, 3, 4 }
      assert.same({ 4, 2, 3 }, b:transpose(3, 1, 2).shape)
      assert.same({ 4, 2, 3 }, b:transpose({ -1, 1, 2 }).shape)
      assert.equal(b:item(2, 3, 4), b:transpose(3, 1, 2):item(4, 2, 3))
      assert.matches("axis 1 is named twice", misuse(b.transpose, b, 1, 1, 2))
      assert.matches("2 axes given for an array of 3", misuse(b.transpose, b, 1, 2))
      assert.matches("4 is not an axis", misuse(b.transpose, b, 1, 2, 4))
      assert.equal("transpose: argument 1 'axes': a list holds all axes; 1 argument follows it",
        misuse(b.transpose, b, { 1, 2, 3 }, 1))
    end)

    it("broadcast to larger shapes, read only", function()
      local row = cuda.array({ 1, 2, 3 }, "int32")
      local v = row:broadcast_to { 2, 3 }
      assert.same({ { 1, 2, 3 }, { 1, 2, 3 } }, v:totable())
      assert.same({ 0, 4 }, v.strides)
      assert.same({ { 1, 1 }, { 2, 2 }, { 3, 3 } },
        row:reshape({ 3, 1 }):broadcast_to({ 3, 2 }):totable())
      assert.equal(1 << 40, cuda.ones(1, "int8"):broadcast_to(1 << 40).size)
      assert.matches("shape {3} does not broadcast to {2}", misuse(row.broadcast_to, row, 2))
      assert.matches("broadcast view cannot be written", misuse(v.fill, v, 1))
      assert.matches("broadcast view cannot be written", misuse(v.setitem, v, 1, 1, 1))
      -- empty, so no two elements share a place
      assert.same({ 2, 0 }, cuda.zeros(0):broadcast_to({ 2, 0 }):fill(1).shape)
    end)

    -- The extents of a shape are given as one list or as separate arguments.
    for _, name in ipairs { "reshape", "broadcast_to" } do
      it(name .. " takes extents as separate arguments", function()
        local source = math.random
        for _ = 1, 40 do
          local shape, size = {}, 1
          for k = 1, source(1, 5) do
            shape[k] = source(1, 4)
            size = size * shape[k]
          end
          local a = cuda.arange(name == "reshape" and size or shape[#shape])
          local want = a[name](a, shape)
          local v = a[name](a, table.unpack(shape))
          assert.same(shape, v.shape)
          assert.same(want.strides, v.strides)
          assert.equal(a.pointer, v.pointer)
          assert.same(want:totable(), v:totable())
        end
      end)

      it(name .. " refuses values that are not extents", function()
        local a = cuda.arange(6)
        local head = name .. ": argument %d 'shape': "
        local function refused(at, words, ...)
          assert.equal(head:format(at) .. words, misuse(a[name], a, ...))
        end
        refused(2, "expected an integer, got 1.5", 2, 1.5)
        refused(2, "expected an integer, got nil", 2, nil)
        refused(2, "expected an integer, got string", 2, "3")
        refused(3, "expected an integer, got table", 2, 3, { order = "F" })
        refused(1, "a list holds all extents; 1 argument follows it", { 2, 3 }, 1)
        refused(1, "a list holds all extents; 2 arguments follow it", a.shape, 1, 1)
        refused(2, "an axis cannot have -2 elements", 2, -2)
        refused(1, "34 axes are too many (at most 16)", table.unpack({}, 1, 34))
      end)
    end

    describe("reshape", function()
      it("takes -1 as one of several extents", function()
        local a = cuda.arange(24)
        for _, given in ipairs { { 2, -1 }, { -1, 6 }, { 2, -1, 3 }, { 2, 3, 4, -1 } } do
          assert.same(a:reshape(given).shape, a:reshape(table.unpack(given)).shape)
        end
        assert.equal("reshape: argument 1 'shape': only one axis can be -1",
          misuse(a.reshape, a, -1, -1))
        assert.matches("has 24 elements, which do not fill {5, %-1}", misuse(a.reshape, a, 5, -1))
        assert.matches("has 24 elements, which do not fill {5, 5}", misuse(a.reshape, a, 5, 5))
      end)

      it("gives the elements another shape", function()
        local a = cuda.arange(6)
        assert.same({ { 0, 1, 2 }, { 3, 4, 5 } }, a:reshape({ 2, 3 }):totable())
        assert.same({ 3, 2 }, a:reshape({ -1, 2 }).shape)
        assert.same({ 6 }, a:reshape({ 2, 3 }):reshape(-1).shape)
        assert.same({}, cuda.ones(1):reshape({}).shape)
        assert.same({ 0, 5 }, cuda.zeros({ 5, 0 }):reshape({ 0, 5 }).shape)
      end)

      it("gives a view where the strides allow it", function()
        local a = cuda.arange(24):reshape { 4, 6 }
        local v = a:slice({}, { 1, 4 })
        assert.same(v:copy():reshape({ 4, 2, 2 }):totable(), v:reshape({ 4, 2, 2 }):totable())
        assert.same(v:copy():reshape({ 2, 2, 4 }):totable(), v:reshape({ 2, 2, 4 }):totable())
        assert.same(v:copy():reshape({ 4, 1, 4, 1 }):totable(), v:reshape({ 4, 1, 4, 1 }):totable())
        assert.matches("no view is possible.*a:contiguous%(%)", misuse(v.reshape, v, 16))
        assert.matches("no view is possible", misuse(v.reshape, v, { 2, 8 }))
        local t = a:transpose()
        assert.matches("no view is possible", misuse(t.reshape, t, 24))
        assert.same(t:contiguous():reshape(24):totable(), t:copy():reshape(24):totable())
      end)

      it("refuses other sizes", function()
        local a = cuda.arange(6)
        assert.matches("has 6 elements, which do not fill {4}", misuse(a.reshape, a, 4))
        assert.matches("do not fill {%-1, 4}", misuse(a.reshape, a, { -1, 4 }))
        assert.matches("only one axis", misuse(a.reshape, a, { -1, -1 }))
        assert.matches("do not fill", misuse(a.reshape, a, { 1 << 62, 4 }))
      end)
    end)

    it("view the bytes as another dtype", function()
      local a = cuda.array({ { 1.0, 2.0 }, { -1.0, 0.5 } }, "float32")
      assert.same({ { 0x3f800000, 0x40000000 }, { 0xbf800000, 0x3f000000 } },
        a:view("uint32"):totable())
      assert.same({ 2, 8 }, a:view("uint8").shape)
      assert.same({ 2, 1 }, a:view("complex64").shape)
      assert.equal(cuda.complex(-1, 0.5), a:view("complex64")[2][1])
      assert.equal(a:tobytes(), a:view("uint8"):view("float32"):tobytes())
      local column = a:slice({}, 1)
      assert.same({ 0x3f800000, 0xbf800000 },
        column:view("int32"):totable()[1] and column:view("uint32"):totable())
      assert.matches("the last axis has gaps", misuse(column.view, column, "uint8"))
      assert.matches("not whole elements of complex128", misuse(a.view, a, "complex128"))
      assert.matches("not aligned",
        misuse(function() return cuda.zeros(9, "uint8"):slice({ 2, 9 }):view("float32") end))
      local rows = cuda.zeros({ 3, 6 }, "uint8"):slice({}, { 1, 4 })
      assert.matches("the elements are not aligned", misuse(rows.view, rows, "float32"))
      assert.same({ 1, 1 }, rows:slice({ 1, 1 }):view("float32").shape)
    end)

    it("keep memory alive and close on their own", function()
      local a = cuda.arange(10)
      local v = a:slice({ 3, 4 })
      a:free()
      a:free()
      collectgarbage()
      assert.same({ 2, 3 }, v:totable())
      assert.matches("attempt to use a closed Array", misuse(function() return a.shape end))
      assert.matches("closed Array", misuse(function() return a[1] end))
      assert.matches("closed Array", misuse(function() return #a end))
      assert.equal("closed array", cuda.type(a))
      assert.equal("luacuda.Array (closed)", tostring(a))
      v:close()
      assert.equal("closed array", cuda.type(v))
    end)

    it("close with their scope", function()
      local kept
      do
        local a <close> = cuda.zeros(3)
        kept = a
      end
      assert.equal("closed array", cuda.type(kept))
    end)

    local by_numpy = numpy.found and it or pending
    by_numpy("of arrays without elements are those of NumPy", function()
      local rng, cases = helper.random(3), {}
      -- a slice of an axis of n elements, in Lua and in Python
      local function range(n)
        local from, count, step = rng(n), rng(3), rng(2) + 1
        return { from + 1, from + count * step, step },
          ("%d:%d:%d"):format(from, from + count * step, step)
      end
      for _ = 1, 300 do
        local dtype = ({ "int8", "int16", "float32", "float64", "complex128" })[rng(5) + 1]
        local other = ({ "int8", "int16", "float32", "float64", "complex128" })[rng(5) + 1]
        local rows, row_text = range(5)
        local columns, column_text = range(8)
        local turned = rng(2) == 0
        local a = cuda.zeros({ 5, 8 }, dtype):slice(rows, columns)
        if turned then a = a:transpose() end
        if a.size == 0 then
          local last = a.shape[2] * (cuda.zeros(1, dtype).nbytes)
          cases[#cases + 1] = { ("np.zeros((5, 8), '%s')[%s, %s]%s.view('%s')"):format(dtype,
            row_text, column_text, turned and ".T" or "", other),
            function() return a:view(other) end,
            raises = last % cuda.zeros(1, other).nbytes ~= 0 }
        end
      end
      assert.is_true(#cases > 100)
      numpy.check({}, cases)
      assert.same({ 4, 0 }, cuda.zeros({ 4, 0 }):view("float64"):copy().shape)
    end)
  end)
end)
