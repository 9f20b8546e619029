-- Arrays with more than 2^31 and 2^32 elements, on GPUs with enough memory; the same with more than
-- 2^16 and 2^17 on every device.
local cuda = require "luacuda"
local helper = require "spec.helper"

local ENOUGH = 48 << 30 -- bytes free

helper.for_each_device(function(device)
  local sizes = { { (1 << 16) + 3, 16 }, { (1 << 17) + 11, 17 } }
  if device.kind == "gpu" and not helper.fake_gpu and device:memory_info() >= ENOUGH then
    table.move({ { (1 << 31) + 3, 31 }, { (1 << 32) + 11, 32 } }, 1, 2, 3, sizes)
  end

  for _, row in ipairs(sizes) do
    local n, half = row[1], 1 << row[2] - 1
    describe(("arrays of %d elements"):format(n), function()
      -- Positions where a narrow index would wrap, and both ends.
      local places = { 1, 2, half, half + 1, 2 * half, 2 * half + 1, 2 * half + 2, n - 1, n }
      if 2 * half + 2 >= n - 1 then
        places = { 1, 2, half, half + 1, 2 * half, 2 * half + 1, n - 1, n }
      end

      local low_byte = cuda.elementwise("", "uint8 y",
        "y = (unsigned char)(i * 7 + (i >> 32))", "low_byte")
      local function value(place) return ((place - 1) * 7 + (place - 1 >> 32)) & 0xff end

      local function numbered()
        local a = cuda.empty(n, "uint8")
        low_byte(a)
        return a
      end

      it("are numbered, added, compared and converted", function()
        local a = numbered()
        local sum = a + a
        for _, k in ipairs(places) do
          assert.equal(value(k), a[k])
          assert.equal(value(k) * 2 & 0xff, sum[k])
        end
        assert.is_true(a:eq(sum:slice({}) - a):all())
        sum:free()
        local wide = a:slice({ n - n // 4, n }):astype "float32"
        assert.equal(value(n), wide[-1])
      end)

      it("are read with strides", function()
        local a = numbered()
        local back = a:slice { n, 1, -1 }:copy()
        for _, k in ipairs(places) do assert.equal(value(k), back[n + 1 - k]) end
        back:free()
        local rows = n // 8
        local turned = a:slice({ 1, rows * 8 }):reshape({ rows, 8 }):transpose():copy()
        for _, k in ipairs { 1, 5, rows - 1, rows } do
          for column = 1, 8 do assert.equal(value((k - 1) * 8 + column), turned:item(column, k)) end
        end
      end)

      it("are reduced", function()
        local a = cuda.ones(n, "uint8")
        assert.equal(n, a:sum())
        a[n - 1] = 9
        assert.equal(n - 1, a:argmax())
        assert.equal(9, a:max())
        assert.is_true(a:all())
        a[n] = 0
        assert.is_false(a:all())
        assert.equal(n, a:argmin())
      end)

      it("are scanned and selected", function()
        local a = cuda.ones(n, "uint8")
        local sums = cuda.empty(n, "uint8")
        a:cumsum { dtype = "uint8", out = sums }
        for _, k in ipairs(places) do assert.equal(k & 0xff, sums[k]) end
        sums:free()
        local mask = cuda.zeros(n, "bool")
        for _, k in ipairs(places) do mask[k] = true end
        assert.same(places, (cuda.nonzero(mask)):totable())
      end)

      it("are filled with random numbers and sorted", function()
        local a = cuda.random.generator(5):integers(0, 255, n, { dtype = "uint8" })
        local before = a:sum()
        a:sort()
        assert.equal(before, a:sum())
        assert.equal(0, a[1])
        assert.equal(255, a[n])
        assert.is_true(a:slice({ 1, n - 1 }):le(a:slice { 2, n }):all())
        assert.near(127.5, a[n // 2], n > 1 << 30 and 0.5 or 4)
      end)
    end)
  end
end)
