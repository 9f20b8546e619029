local helper = require "spec.helper"
local cuda = require "luacuda"

local misuse = helper.misuse

-- Values that every dtype of the kind can hold, as they read back.
local SAMPLES = {
  bool = { true, false, true },
  int = { 0, 1, -128, 127 },
  uint = { 0, 1, 255 },
  float = { 0.0, -1.5, 96.0, 1 / 0, -1 / 0 },
  complex = { cuda.complex(0, 0), cuda.complex(1.5, -2), cuda.complex(0, 1) },
}

describe("elements of arrays", function()
  helper.for_each_device(function()
    it("of the longest axis can be indexed from both ends", function()
      local long = cuda.full(1, 7, "uint8"):broadcast_to(math.maxinteger)
      assert.equals(7, long[math.maxinteger])
      assert.equals(7, long[-math.maxinteger])
      assert.matches("is outside an axis",
        misuse(function() return long[math.mininteger] end), 1, true)
    end)

    helper.for_all_dtypes(function(name, row)
      local samples = SAMPLES[row.kind]

      it("of " .. name .. " are written and read one by one and together", function()
        local a = cuda.array(samples, name)
        assert.same(samples, a:totable())
        for i, v in ipairs(samples) do
          assert.is_true(a[i] == v)
          assert.is_true(a:item(i - #samples - 1) == v)
        end
        local b = cuda.zeros(#samples, name)
        for i, v in ipairs(samples) do b[i] = v end
        assert.equal(a:tobytes(), b:tobytes())
        assert.is_true(a:equals(b))
        b[1] = samples[2]
        assert.is_false(a:equals(b))
        assert.equal(row.size * #samples, #a:tobytes())
      end)

      it("of " .. name .. " are filled, with gaps too", function()
        local v = samples[2]
        local a = cuda.zeros({ 4, 6 }, name)
        a:slice({ 2, 3 }, { 1, 6, 2 }):fill(v)
        local zero = cuda.zeros(1, name)[1]
        for i = 1, 4 do
          for j = 1, 6 do
            local inside = (i == 2 or i == 3) and j % 2 == 1
            assert.is_true(a[i][j] == (inside and v or zero))
          end
        end
        a:fill(v)
        assert.is_true(a[4][6] == v)
      end)

      if row.pack ~= "" and row.kind ~= "bool" then
        it("of " .. name .. " have the bytes of string.pack", function()
          local want = {}
          for i, v in ipairs(samples) do want[i] = ("<" .. row.pack):pack(v) end
          assert.equal(table.concat(want), cuda.array(samples, name):tobytes())
        end)
      end
    end)

    it("are indexed from both ends; the one past the last is nil", function()
      local a = cuda.array { 10, 20, 30 }
      assert.equal(30.0, a[-1])
      assert.equal(10.0, a[-3])
      assert.equal(20.0, a[2.0])
      assert.is_nil(a[4])
      local seen = {}
      for i, v in ipairs(a) do seen[i] = v end
      assert.same({ 10.0, 20.0, 30.0 }, seen)
      assert.equal("index 0 is outside an axis of 3 elements (1 to 3, or -3 to -1)",
        misuse(function() return a[0] end))
      assert.matches("index 5 is outside", misuse(function() return a[5] end))
      assert.matches("index %-4 is outside", misuse(function() return a[-4] end))
      assert.matches("index 4 is outside", misuse(function() a[4] = 1 end))
      assert.matches("indexed with integers, got number", misuse(function() return a[1.5] end))
      assert.matches("indexed with integers, got boolean", misuse(function() return a[true] end))
      assert.matches("no field or method 'shap'; did you mean 'shape'",
        misuse(function() return a.shap end))
      assert.matches("no settable field 'shape'", misuse(function() a.shape = { 3 } end))
      assert.is_nil(cuda.zeros(0)[1])
      assert.matches("the array is empty", misuse(function() return cuda.zeros(0)[2] end))
    end)

    it("are subarrays when the array has more axes", function()
      local a = cuda.zeros({ 2, 3 }, "int32")
      a[1][2] = 5
      a[2] = { 7, 8, 9 }
      assert.same({ { 0, 5, 0 }, { 7, 8, 9 } }, a:totable())
      a[1] = 4
      assert.same({ 4, 4, 4 }, a[1]:totable())
      a[1] = a[2]
      assert.same({ 7, 8, 9 }, a[1]:totable())
      a[2] = cuda.array({ 1, 2, 3 }, "float64")
      assert.same({ 1, 2, 3 }, a[2]:totable())
      assert.is_nil(a[3])
      assert.matches("table of shape {2} does not fit an array of shape {3}",
        misuse(function() a[1] = { 1, 2 } end))
      assert.matches("got string", misuse(function() a[1][1] = "5" end))
    end)

    it("are read and written by full indices", function()
      local a = cuda.zeros({ 2, 3, 4 }, "int32")
      assert.equal(a, a:setitem(9, 2, -1, 4))
      assert.equal(9, a:item(2, 3, 4))
      assert.equal(9, a:item(-1, -1, -1))
      assert.equal(3.5, cuda.array({ { 3.5 } }):item())
      assert.matches("item: 2 indices for an array of 3 axes", misuse(a.item, a, 1, 2))
      assert.matches("item: 0 indices", misuse(a.item, a))
      assert.matches("item: argument 2 'index': 4 is outside an axis of 3 elements",
        misuse(a.item, a, 1, 4, 1))
      assert.matches("expected an integer, got string", misuse(a.item, a, "1", 1, 1))
      assert.matches("setitem: argument 1 'value': expected an integer %(int32%), got 1.5",
        misuse(a.setitem, a, 1.5, 1, 1, 1))
    end)

    it("are unchanged by a value that does not fit", function()
      local a = cuda.array({ 1, 2, 3 }, "int8")
      assert.matches("a%[i%] = v: argument 3 'value': 300 is out of range for int8",
        misuse(function() a[2] = 300 end))
      assert.matches("fill: argument 1 'value': %-129 is out of range", misuse(a.fill, a, -129))
      assert.matches("%[3%]: 128 is out of range", misuse(a.set, a, { 5, 6, 128 }))
      assert.same({ 1, 2, 3 }, a:totable())
    end)

    it("are set from tables, arrays, bytes and single values", function()
      local a = cuda.zeros({ 2, 2 }, "int16")
      assert.equal(a, a:set { { 1, 2 }, { 3, 4 } })
      assert.same({ { 1, 2 }, { 3, 4 } }, a:totable())
      a:set(cuda.array({ 5, 6 }, "float32"))
      assert.same({ { 5, 6 }, { 5, 6 } }, a:totable())
      a:set(("<i2i2i2i2"):pack(1, -1, 2, -2))
      assert.same({ { 1, -1 }, { 2, -2 } }, a:totable())
      a:transpose():set { { 1, 2 }, { 3, 4 } }
      assert.same({ { 1, 3 }, { 2, 4 } }, a:totable())
      a:transpose():set(("<i2i2i2i2"):pack(5, 6, 7, 8))
      assert.same({ { 5, 7 }, { 6, 8 } }, a:totable())
      a:set(3)
      assert.same({ { 3, 3 }, { 3, 3 } }, a:totable())
      assert.matches("7 bytes do not fill an array of 8 bytes", misuse(a.set, a, "1234567"))
      assert.matches("shape {3} does not broadcast to {2, 2}", misuse(a.set, a, cuda.zeros(3)))
      assert.matches("unknown option 'strm'", misuse(a.set, a, 3, { strm = 1 }))
    end)

    it("survive data that closes the array it goes to", function()
      local function closing(a)
        return setmetatable({},
          { __len = function() return 2 end, __index = function() a:free() return 1 end })
      end
      local a = cuda.zeros(2)
      assert.matches("closed Array", misuse(a.set, a, closing(a)))
      local b = cuda.zeros(2)
      assert.matches("closed Array", misuse(cuda.array, closing(b), "float32", { out = b }))
      local c = cuda.zeros { 2, 2 }
      c[1] = closing(c)
      assert.matches("closed Array", misuse(function() return c[1] end))
    end)

    it("are read into an existing table", function()
      local a = cuda.array({ { 1, 2 }, { 3, 4 } }, "int32")
      local inner = { 0, 0, 0 }
      local t = { inner, 5, 6 }
      assert.equal(t, a:totable(t))
      assert.same({ { 1, 2 }, { 3, 4 } }, t)
      assert.equal(inner, t[1])
      assert.matches("'reuse': expected a table, got integer", misuse(a.totable, a, 3))
    end)

    it("make tables of arrays larger than the staging buffer", function()
      local rows, columns = 3, 50001
      local a = cuda.arange(rows * columns, "float32"):reshape { rows, columns }
      local t = a:totable()
      for r = 1, rows do
        assert.equal(columns, #t[r])
        for c = 1, columns do
          if t[r][c] ~= (r - 1) * columns + c - 1 then
            error(("[%d][%d] is %s"):format(r, c, t[r][c]))
          end
        end
      end
      assert.equal(columns - 1, a[1]:totable()[columns])
      a:free()
    end)

    it("keep the bits of uint64", function()
      local a = cuda.array({ -1, math.mininteger, 2.0 ^ 63, 18446744073709549568.0 }, "uint64")
      assert.same({ -1, math.mininteger, math.mininteger, -2048 }, a:totable())
      assert.matches("18446744073709549568", tostring(a))
      assert.matches("out of range", misuse(cuda.array, { -1.0 }, "uint64"))
      assert.matches("out of range", misuse(cuda.array, { 2.0 ^ 64 }, "uint64"))
    end)

    it("round to nearest even in halves and refuse what becomes infinite", function()
      local h = cuda.array({ 2049, 2051, 65519, 5.960464477539063e-08, 2.9e-8 }, "float16")
      assert.same({ 2048.0, 2052.0, 65504.0, 5.960464477539063e-08, 0.0 }, h:totable())
      assert.same({ 256.0, 260.0 }, cuda.array({ 257, 259 }, "bfloat16"):totable())
      assert.matches("65520.* is out of range for float16",
        misuse(cuda.array, { 65520 }, "float16"))
      assert.matches("out of range for float32", misuse(cuda.array, { 1e39 }, "float32"))
      assert.equal(1 / 0, cuda.array({ 1 / 0 }, "float16")[1])
      local nan = cuda.array({ 0 / 0 }, "float16")[1]
      assert.is_true(nan ~= nan)
    end)

    it("compare by value, shapes first", function()
      local a = cuda.array({ 1, 2 }, "int32")
      assert.is_true(a:equals(cuda.array { 1, 2 }))
      assert.is_true(a:equals(cuda.array({ cuda.complex(1), cuda.complex(2) })))
      assert.is_false(a:equals(cuda.array({ cuda.complex(1, 1), cuda.complex(2) })))
      assert.is_false(a:equals(a:reshape { 2, 1 }))
      assert.is_false(cuda.array({ 0 / 0 }):equals(cuda.array { 0 / 0 }))
      assert.is_false(cuda.array({ -1 }, "int64"):equals(cuda.array({ -1 }, "uint64")))
      assert.is_false(
        cuda.array({ (1 << 53) + 1 }, "int64"):equals(cuda.array({ 2.0 ^ 53 }, "float64")))
      assert.is_true(cuda.arange(6):reshape({ 2, 3 }):transpose():equals(cuda.array {
        { 0, 3 }, { 1, 4 }, { 2, 5 },
      }))
      assert.is_true(cuda.zeros(0):equals(cuda.zeros(0, "int8")))
      assert.is_true(a:same_shape(cuda.zeros(2)))
      assert.is_false(a:same_shape(cuda.zeros { 2, 1 }))
    end)

    it("cannot be compared with `<`; `==` is identity", function()
      local a, b = cuda.zeros(2), cuda.zeros(2)
      assert.is_false(a == b)
      assert.is_true(a == a)
      assert.matches("use a:lt%(b%)", misuse(function() return a < b end))
      assert.matches("use a:le%(b%)", misuse(function() return a <= b end))
      assert.matches("'>'.*use .* a:gt%(b%)$", misuse(function() return a > 1 end))
    end)

    it("report their layout", function()
      local a = cuda.zeros({ 2, 3 }, "float64")
      assert.same({ 24, 8 }, a.strides)
      assert.equal(6, a.size)
      assert.equal(48, a.nbytes)
      assert.equal(2, a.ndim)
      assert.equal(2, #a)
      assert.is_true(a.is_contiguous)
      assert.equal("integer", math.type(a.pointer))
      assert.equal(a.pointer + 32, a[2]:slice({ 2, 3 }).pointer)
      assert.equal("array", cuda.type(a))
    end)

    it("do not accept other objects as self", function()
      local index = getmetatable(cuda.zeros(1)).__index
      assert.has_error(function() index({}, 1) end)
      assert.has_error(function() index(io.stdout, 1) end)
      assert.has_error(function() cuda.zeros(1).fill(3, 4) end)
      assert.has_error(function() cuda.zeros(1).fill() end)
    end)
  end)
end)
