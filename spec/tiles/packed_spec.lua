-- Loads and stores of arrays whose rows begin at multiples of 16 bytes, or elsewhere: one kernel
-- takes all of them, in any order. Against the functions of arrays.
local cuda = require "luacuda"
local helper = require "spec.helper"

local DTYPES = { "float32", "bfloat16", "float16", "int8", "uint8", "float8_e4m3fn", "int16",
  "float64" }

-- y = x + 1 where x is outside of the array; `width`: elements of x that lie in it
local function kernel_of(M, N, warps)
  return cuda.tiled(function(y, x)
    local i, j = program(1), program(2)
    store(y, { i, j }, load(x, { i, j }, { M, N }, 1))
  end, { warps = warps })
end

local function numbers(dtype, ...)
  return cuda.random.integers(0, 100, { ... }):astype(dtype)
end

-- Rows of a longer array of one axis, from element `first` on.
local function window(dtype, first, rows, columns)
  local whole = numbers(dtype, first + rows * columns)
  return whole:slice{ first, first + rows * columns - 1 }:reshape(rows, columns)
end

helper.for_each_device(function()
  describe("rows of tiles", function()
    it("are loaded and stored wherever they begin", function()
      for _, dtype in ipairs(DTYPES) do
        local kernel = kernel_of(8, 32, math.random(2) == 1 and 1 or 4)
        local kinds = {}
        for _ = 1, 12 do
          local rows, columns = math.random(1, 20), math.random(1, 80)
          if math.random(2) == 1 then columns = (columns + 15) // 16 * 16 end
          local first = math.random(2) == 1 and 1 or math.random(1, 17)
          local x = window(dtype, first, rows, columns)
          -- a tile beyond the array is 1, and what it would store there is left out
          local y = cuda.full({ rows + 1, columns }, 64, dtype)
          local own = math.random(2) == 1 and y:slice{ 1, rows } or y:slice{ 2, rows + 1 }
          local rest = math.random(2) == 1 and cuda.empty({ rows, columns + 3 }, dtype) or own
          kernel({ tiles = rest }, rest, x)
          local wide = rest:astype "float32"
          assert.is_true(wide:slice({}, { 1, columns }):eq(x:astype "float32"):all())
          assert.is_true(columns == rest.shape[2]
            or wide:slice({}, { columns + 1, columns + 3 }):eq(1):all())
          assert.is_true(rest ~= own
            or y:astype "float32":eq(64):sum() >= columns)
          kinds[#kinds + 1] = kernel:source()
        end
        -- vectors for some of them, single elements for others
        local texts = {}
        for _, text in ipairs(kinds) do texts[text] = true end
        assert.is_not_nil(next(texts, (next(texts))))
      end
    end)

    it("are loaded as vectors at places of elements that permit it", function()
      local shifted = cuda.tiled(function(y, x, n)
        store(y, { 1, 1 }, load(x, { 1, at(n) }, { 8, 32 }, 1))
      end)
      local x, y = numbers("bfloat16", 8, 64), cuda.empty({ 8, 32 }, "bfloat16")
      local wide = cuda.pad(x:astype "float32", { { 0, 0 }, { 32, 32 } }, { constant_values = 1 })
      for n = -20, 60, 4 do
        shifted({ programs = 1 }, y, x, n + math.random(0, 3) * math.random(0, 1))
        shifted({ programs = 1 }, y, x, n)
        assert.is_true(y:astype "float32":eq(wide:slice({}, { n + 32, n + 63 })):all())
      end
    end)
  end)
end)
