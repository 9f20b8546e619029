-- Elementwise kernels over every dtype, size and array layout, against references computed in Lua.
local cuda = require "luacuda"
local helper = require "spec.helper"

-- References --------------------------------------------------------------------------------------

-- The element of nested tables at a position of the common shape; missing axes and axes of one
-- element repeat.
local function element(nested, ndim_of_it, index)
  local at = nested
  for d = #index - ndim_of_it + 1, #index do at = at[#at == 1 and 1 or index[d]] end
  return at
end

local function build(shape, fn, index)
  index = index or {}
  if #index == #shape then return fn(index) end
  local out = {}
  for k = 1, shape[#index + 1] do
    index[#index + 1] = k
    out[k] = build(shape, fn, index)
    index[#index] = nil
  end
  return out
end

-- The results of fn for each element of arrays broadcast to a shape.
local function reference(shape, fn, ...)
  local inputs = { ... }
  for k, a in ipairs(inputs) do inputs[k] = { data = a:totable(), ndim = a.ndim } end
  return build(shape, function(index)
    local values = {}
    for k, input in ipairs(inputs) do values[k] = element(input.data, input.ndim, index) end
    return fn(table.unpack(values))
  end)
end

-- Numbers without a visible order, so that misplaced elements show.
local function filled(shape, dtype, seed)
  local n, list = helper.size_of(shape), {}
  for k = 1, n do list[k] = (k * 7919 + seed * 104729) % 1009 end
  return cuda.array(n > 0 and list or {}, dtype or "float32"):reshape(shape)
end

local function modes(ew)
  local list = {}
  for k, variant in ipairs(ew:cached()) do list[k] = variant.mode .. variant.vector end
  return table.concat(list, " ")
end

local function subtract() return cuda.elementwise("T x, T y", "T z", "z = x - y", "subtract") end
local function minus(x, y) return x - y end

helper.for_each_device(function()
  describe("elementwise kernels over dtypes", function()
    local SIZES = { 0, 1, 31, 255, 256, 257, 1023, 1025, 4099 }

    local function sample(kind, k)
      if kind == "bool" then return k % 3 == 0 end
      if kind == "complex" then return cuda.complex(k % 13, k % 7) end
      return kind == "int" and k % 11 - 5 or k % 11
    end

    local function sum(kind, x, y)
      if kind == "bool" then return x or y end
      if kind == "complex" then return cuda.complex(x.re + y.re, x.im + y.im) end
      return x + y
    end

    helper.for_all_dtypes(function(dtype, row)
      it("add " .. dtype .. " of any size", function()
        local add = cuda.elementwise("T x, T y", "T z", "z = x + y", "add")
        for _, n in ipairs(SIZES) do
          local a, b, want = {}, {}, {}
          for k = 1, n do
            a[k], b[k] = sample(row.kind, k), sample(row.kind, k * 5 + 1)
            want[k] = sum(row.kind, a[k], b[k])
          end
          local x, y = cuda.zeros(n, dtype), cuda.zeros(n, dtype)
          if n > 0 then x:set(a) y:set(b) end
          local z = add(x, y)
          assert.equals(dtype, z.dtype)
          helper.assert_close(want, z, { rtol = 0, atol = 0 })
        end
        assert.equals(1, #add:cached())
        assert.equals("flat" .. 16 // row.size, modes(add))
      end)

      it("transpose " .. dtype .. " through tiles", function()
        local copy = cuda.elementwise("T x", "T y", "y = x", "copy")
        local list = {}
        for k = 1, 70 * 131 do list[k] = sample(row.kind, k * 17 // 3) end
        local a = cuda.array(list, dtype):reshape{ 70, 131 }
        local y = copy(a:transpose(), cuda.empty({ 131, 70 }, dtype))
        helper.assert_close(a:transpose():totable(), y, { rtol = 0, atol = 0 })
        assert.equals("tile1", modes(copy))
      end)
    end)

    -- A block of the CPU device has 8192 elements of these, 512 of them at a time.
    it("end anywhere in the work of a block", function()
      local twice = cuda.elementwise("float32 x", "float32 y", "y = 2 * x + i", "twice")
      for _, n in ipairs { 511, 512, 513, 639, 8191, 8192, 8193, 8703, 25000 } do
        local x = cuda.arange(1, n + 1, "float32")
        local y = twice(x):totable()
        for k = 1, n do
          if y[k] ~= 3 * k - 1 then assert.equals(3 * k - 1, y[k], n .. ": element " .. k) end
        end
        local even = twice(x:slice{ 1, -1, 2 }):totable()
        for k = 1, #even do
          if even[k] ~= 5 * k - 3 then assert.equals(5 * k - 3, even[k], n .. ": step " .. k) end
        end
      end
    end)

    it("mix types of different sizes in one vector unit", function()
      local mix = cuda.elementwise("int8 a, float64 b, float32 c", "float64 x, uint8 y",
        "x = a * b + c; y = a > 0", "mix")
      for _, n in ipairs { 5, 64, 1001 } do
        local a, b, c, wx, wy = {}, {}, {}, {}, {}
        for k = 1, n do
          a[k], b[k], c[k] = k % 200 - 100, k * 0.5, k % 9
          wx[k], wy[k] = a[k] * b[k] + c[k], a[k] > 0 and 1 or 0
        end
        local x, y = mix(cuda.array(a, "int8"), cuda.array(b, "float64"), cuda.array(c, "float32"))
        assert.same(wx, x:totable())
        assert.same(wy, y:totable())
      end
    end)
  end)

  describe("elementwise kernels over layouts", function()
    -- Every pair of views of arrays of one shape.
    local function check(ew, x, y, out)
      local shape = out and out.shape or x.shape
      local want = reference(shape, minus, x, y)
      helper.assert_close(want, ew(x, y, out), { rtol = 0, atol = 0 })
    end

    it("views: offset, reversed, stepped", function()
      local ew = subtract()
      local x, y = filled({ 1031 }, "float32", 1), filled({ 1031 }, "float32", 2)
      check(ew, x:slice{ 2, -1 }, y:slice{ 1, -2 })
      check(ew, x:slice{ 3, -1 }, y:slice{ 3, -1 })
      check(ew, x:slice{ -1, 1, -1 }, y)
      check(ew, x:slice{ 1, -1, 2 }, y:slice{ -1, 1, -2 })
      check(ew, x:slice{ 1, 1024, 4 }, y:slice{ 1, 256 })
      check(ew, x:slice{ 1, 1024 }, y:slice{ 1024, 1, -1 }, cuda.zeros(2048):slice{ 1, -1, 2 })
    end)

    it("broadcasting", function()
      local ew = subtract()
      for _, shapes in ipairs {
        { { 3, 1 }, { 1, 4 }, { 3, 4 } }, { {}, { 5 }, { 5 } }, { {}, {}, {} },
        { { 1 }, {}, { 1 } }, { { 2, 3, 4 }, { 4 }, { 2, 3, 4 } },
        { { 7, 1, 64 }, { 5, 1 }, { 7, 5, 64 } }, { { 2, 1, 3, 1 }, { 5, 1, 8 }, { 2, 5, 3, 8 } },
        { { 13, 17 }, { 13, 1 }, { 13, 17 } },
        { { 0, 3 }, { 1, 3 }, { 0, 3 } }, { { 1, 1 }, { 1 }, { 1, 1 } },
        { { 64, 64 }, { 64 }, { 64, 64 } },
      } do
        local x, y = filled(shapes[1], "float32", 1), filled(shapes[2], "float32", 2)
        local z = ew(x, y)
        assert.same(shapes[3], z.shape)
        helper.assert_close(reference(shapes[3], minus, x, y), z, { rtol = 0, atol = 0 })
      end
      check(ew, filled({ 6 }, "float32", 1):broadcast_to{ 4, 6 }, filled({ 4, 6 }, "float32", 2))
    end)

    it("prime shapes with swapped and reversed axes", function()
      local ew = subtract()
      local x, y = filled({ 7, 11, 13 }, "float32", 1), filled({ 13, 11, 7 }, "float32", 2)
      check(ew, x, y:transpose())
      check(ew, x:transpose(2, 1, 3), y:transpose(2, 3, 1))
      check(ew, x:slice({}, { -1, 1, -1 }, {}), x:slice({ -1, 1, -1 }, {}, { -1, 1, -1 }))
      check(ew, x:slice({}, 3), x:slice({}, 5))
      check(ew, x:slice({}, {}, 2), filled({ 11, 7 }, "float32", 3):transpose())
      check(ew, filled({ 2, 3, 2, 3, 2, 3, 2 }, "int32", 1),
        filled({ 2, 3, 2, 3, 2, 3, 2 }, "int32", 2):transpose())
    end)

    it("long rows: parts, steps, reversed, broadcast, more than one block", function()
      for _, dtype in ipairs { "int16", "float32", "float64" } do
        local ew = subtract()
        local a, b = filled({ 7, 301 }, dtype, 1), filled({ 7, 301 }, dtype, 2)
        for _, part in ipairs { { 2, 301 }, { 1, 300 }, { 5, 132 }, { 1, 301, 2 }, { -1, 1, -1 },
          { 40, 104 } } do
          local x = a:slice({}, part)
          check(ew, x, b:slice({}, part))
          check(ew, x, filled({ 7, x.shape[2] }, dtype, 3))
          check(ew, filled({ x.shape[2] }, dtype, 4):broadcast_to(x.shape), x)
          check(ew, x, filled({ 7, 1 }, dtype, 5):broadcast_to(x.shape))
          check(ew, x:slice({ -1, 1, -2 }), b:slice({ 1, 7, 2 }, part))
        end
        check(ew, filled({ 2, 12001 }, dtype, 1):slice({}, { 1, 12000 }),
          filled({ 2, 1 }, dtype, 2):broadcast_to{ 2, 12000 })
        check(ew, filled({ 2, 3, 67 }, dtype, 1):slice({}, {}, { 2, 65 }),
          filled({ 3, 2, 64 }, dtype, 2):transpose(2, 1, 3))
      end
    end)

    it("transposed inputs, two axes and three reversed, through tiles", function()
      for _, dtype in ipairs { "int16", "float32", "float64" } do
        local ew = subtract()
        local a, b = filled({ 130, 67 }, dtype, 1), filled({ 67, 130 }, dtype, 2)
        check(ew, a:transpose(), b)
        check(ew, b, a:transpose())
        check(ew, a:slice{ -1, 1, -1 }:transpose(), b)
        check(ew, a:slice({ 1, 128 }, { 1, 64 }):transpose(), b:slice({ 1, 64 }, { 1, 128 }))
        assert.is_truthy(modes(ew):find "tile1")
        local x, y = filled({ 19, 3, 66 }, dtype, 1), filled({ 66, 3, 19 }, dtype, 2)
        check(ew, x:transpose(), y)
        check(ew, y, x:transpose())
        local u, v = filled({ 33, 2, 3, 40 }, dtype, 3), filled({ 40, 2, 3, 33 }, dtype, 4)
        check(ew, u:transpose(4, 2, 3, 1), v)
        check(ew, v, u:transpose(4, 2, 3, 1))
        check(ew, u:transpose(), filled({ 40, 3, 2, 33 }, dtype, 5))
      end
    end)

    it("many transposed inputs do not exceed shared memory", function()
      local sum = cuda.elementwise("T a, T b, T c, T d, T e", "T z",
        "z = a + 2 * b + 3 * c + 4 * d + 5 * e", "sum5")
      local a, list = cuda.arange(40 * 50, "complex128"):reshape{ 40, 50 }, {}
      for k = 1, 5 do list[k] = a:transpose() end
      local z = sum(list[1], list[2], list[3], list[4], list[5],
        cuda.empty({ 50, 40 }, "complex128"))
      assert.equals("tile1", modes(sum))
      for j = 1, 50 do
        for i = 1, 40 do assert.equals(15.0 * ((i - 1) * 50 + j - 1), z:item(j, i).re) end
      end
    end)

    it("outputs given as views", function()
      local ew = subtract()
      local x, y = filled({ 70, 90 }, "float32", 1), filled({ 70, 90 }, "float32", 2)
      local memory = cuda.zeros{ 90, 70 }
      local out = memory:transpose()
      assert.equals(out, ew(x, y, out))
      helper.assert_close(reference({ 70, 90 }, minus, x, y), out, { rtol = 0, atol = 0 })
      local wide = cuda.full({ 70, 100 }, 5)
      check(ew, x, y, wide:slice({}, { 6, 95 }))
      assert.equals(5.0, wide:item(3, 5))
      assert.equals(5.0, wide:item(3, 96))
      check(ew, x, y, cuda.zeros{ 70, 90 }:slice({ -1, 1, -1 }, { -1, 1, -1 }))
      local first, second = cuda.zeros{ 70, 90 }, cuda.zeros{ 90, 70 }
      local both = cuda.elementwise("T x, T y", "T s, T d", "s = x + y; d = x - y", "both")
      both(x, y, first, second:transpose())
      helper.assert_close(reference({ 70, 90 }, function(a, b) return a + b end, x, y), first)
      helper.assert_close(reference({ 70, 90 }, minus, x, y), second:transpose())
    end)

    it("in place, and into memory that overlaps inputs", function()
      local ew = subtract()
      local x, y = filled({ 515 }, "float32", 1), filled({ 515 }, "float32", 2)
      local want = reference({ 515 }, minus, x, y)
      assert.equals(x, ew(x, y, x))
      helper.assert_close(want, x)
      local shifted = reference({ 514 }, minus, x:slice{ 1, -2 }, y:slice{ 1, -2 })
      ew(x:slice{ 1, -2 }, y:slice{ 1, -2 }, x:slice{ 2, -1 })
      helper.assert_close(shifted, x:slice{ 2, -1 })
      local reversed = reference({ 515 }, minus, x:slice{ -1, 1, -1 }, y)
      ew(x:slice{ -1, 1, -1 }, y, x)
      helper.assert_close(reversed, x)
      local square = filled({ 80, 80 }, "float32", 3)
      local turned = reference({ 80, 80 }, minus, square:transpose(), square)
      ew(square:transpose(), square, square)
      helper.assert_close(turned, square)
    end)

    it("outputs that the body reads", function()
      local accumulate = cuda.elementwise("T x", "T y", "if (x > 500) y += x", "accumulate")
      for _, shape in ipairs { { 1001 }, { 37, 41 } } do
        local x, y = filled(shape, "int64", 1), filled(shape, "int64", 2)
        local want = reference(shape, function(a, b) return a > 500 and a + b or b end, x, y)
        accumulate(x, y)
        assert.same(want, y:totable())
        local view = filled(shape, "int64", 4):slice{ -1, 1, -1 }
        local again = reference(shape, function(a, b) return a > 500 and a + b or b end, x, view)
        accumulate(x, view)
        assert.same(again, view:totable())
      end
    end)

    it("one kernel source for all sizes", function()
      local ew = subtract()
      for _, n in ipairs { 1, 7, 100, 1000, 5000 } do
        check(ew, filled({ n }, "float32", 1), filled({ n }, "float32", 2))
      end
      assert.equals("flat4", modes(ew))
    end)
  end)
end)
