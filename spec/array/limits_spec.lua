-- Values at the limits of each dtype and one past them, for every conversion into a dtype; launch
-- tables at the limits of the device.
local cuda = require "luacuda"
local helper = require "spec.helper"

-- Ways --------------------------------------------------------------------------------------------

-- Each stores a value and returns the stored value.
local function ways(dtype, kernels)
  local list = {
    ["an element of an array"] = function(v)
      local a = cuda.zeros(1, dtype)
      a[1] = v
      return a[1]
    end,
    ["an element of host memory"] = function(v)
      local a = cuda.host(1, dtype)
      a[1] = v
      return a[1]
    end,
    ["a table"] = function(v) return cuda.array({ v }, dtype)[1] end,
    ["fill"] = function(v) return cuda.zeros(1, dtype):fill(v)[1] end,
    ["full"] = function(v) return cuda.full(1, v, dtype)[1] end,
    ["a typed scalar"] = function(v) return cuda[dtype](v).value end,
  }
  if kernels then
    list["an argument"] = function(v)
      local out = cuda.zeros(1, dtype)
      kernels["k_" .. dtype]({ grid = 1, block = 1 }, v, out)
      return out[1]
    end
  end
  return list
end

local CTYPES = { int8 = "signed char", uint8 = "unsigned char", int16 = "short",
  uint16 = "unsigned short", int32 = "int", uint32 = "unsigned", int64 = "long long",
  uint64 = "unsigned long long", float32 = "float", float64 = "double" }

local function kernel_source()
  local parts = {}
  for dtype, ctype in pairs(CTYPES) do
    parts[#parts + 1] = ("__global__ void k_%s(%s v, %s *out) { *out = v; }"):format(dtype, ctype,
      ctype)
  end
  return table.concat(parts, "\n")
end

-- Integers ----------------------------------------------------------------------------------------

-- Values around the limits of all integer dtypes, as integers and as floats.
local function around_the_ends()
  local list = { 0.5, -0.5, 1.5, -1.0, 0x1p63, 0x1p63 - 1024, -0x1p63, -0x1p63 - 2048, 0x1p64,
    0x1p64 - 2048, 1e300, math.huge, -math.huge, 0 / 0 }
  for _, bits in ipairs { 7, 8, 15, 16, 31, 32 } do
    for _, base in ipairs { 1 << bits, -(1 << bits) } do
      for offset = -2, 1 do
        list[#list + 1] = base + offset
        list[#list + 1] = (base + offset) + 0.0
      end
      list[#list + 1] = base + 0.5
    end
  end
  for _, v in ipairs {
    math.mininteger, math.mininteger + 1, math.maxinteger, math.maxinteger - 1, 0, 1, -1,
  } do
    list[#list + 1] = v
  end
  return list
end

-- The stored value, or nil if the value does not fit. A uint64 of 2^63 or more is a negative
-- integer in Lua.
local function integer_fits(v, bits, is_signed)
  if bits == 64 and not is_signed and math.type(v) == "float" and v >= 0x1p63 and v < 0x1p64 then
    return math.tointeger(v - 0x1p64)
  end
  local n = math.tointeger(v)
  if not n then return nil end
  if bits == 64 and (is_signed or math.type(v) == "integer") then return n end
  local least = is_signed and -(1 << bits - 1) or 0
  local most = is_signed and (1 << bits - 1) - 1 or bits == 64 and math.maxinteger
    or (1 << bits) - 1
  return n >= least and n <= most and n or nil
end

-- Floats ------------------------------------------------------------------------------------------

-- dtype -> the smallest value that rounds to infinity, the value below it, and its rounded value
local OVERFLOW = {
  float16 = { 65520.0, 65520.0 - 0x1p-37, 65504.0 },
  bfloat16 = { 0x1p128 - 0x1p119, 0x1p128 - 0x1p119 - 0x1p75, 0x1p128 - 0x1p120 },
  float32 = { 0x1p128 - 0x1p103, 0x1p128 - 0x1p103 - 0x1p75, 0x1p128 - 0x1p104 },
}

helper.for_each_device(function(device, label)
  local kernels, module

  setup(function()
    module = cuda.module(kernel_source())
    kernels = module.kernels
  end)
  teardown(function() module:free() end)

  for _, dtype in ipairs {
    "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64",
  } do
    it(dtype .. " takes the values it can hold, and no others", function()
      local bits, is_signed = tonumber(dtype:match "%d+"), dtype:sub(1, 1) == "i"
      for way, store in pairs(ways(dtype, kernels)) do
        for _, v in ipairs(around_the_ends()) do
          local want = integer_fits(v, bits, is_signed)
          local ok, got = pcall(store, v)
          local text = ("%s of %s by %s: %s"):format(dtype, v, way, tostring(got))
          if want then
            assert.is_true(ok, text)
            assert.equal(want, got, text)
          else
            assert.is_false(ok, text)
            assert.matches(math.tointeger(v) and "out of range for " .. dtype or "",
              tostring(got), 1, true)
          end
        end
      end
    end)
  end

  for dtype, row in pairs(OVERFLOW) do
    it(dtype .. " refuses a finite value that would become infinite", function()
      local least, before, most = table.unpack(row)
      for way, store in pairs(ways(dtype, CTYPES[dtype] and kernels)) do
        for _, sign in ipairs { 1, -1 } do
          assert.equal(sign * most, store(sign * before), dtype .. " by " .. way)
          assert.equal(sign * most, store(sign * most), dtype .. " by " .. way)
          assert.equal(sign * math.huge, store(sign * math.huge), dtype .. " by " .. way)
          local ok, e = pcall(store, sign * least)
          assert.is_false(ok, dtype .. " by " .. way)
          assert.matches("out of range for " .. dtype, tostring(e), 1, true)
        end
      end
    end)
  end

  describe("a launch table", function()
    local touch

    setup(function()
      touch = cuda.module [[
        __global__ void shape(unsigned *out) {
          if (blockIdx.x | blockIdx.y | blockIdx.z) return;
          if (threadIdx.x | threadIdx.y | threadIdx.z) return;
          out[0] = gridDim.x; out[1] = gridDim.y; out[2] = gridDim.z;
          out[3] = blockDim.x; out[4] = blockDim.y; out[5] = blockDim.z;
        }
        __global__ void __launch_bounds__(96) bounded(unsigned *out) {
          if (threadIdx.x == 0) out[3] = blockDim.x;
        }
      ]]
    end)
    teardown(function() touch:free() end)

    local function launch(kernel, table)
      local out = cuda.zeros(6, "uint32")
      kernel(table, out)
      return out:totable()
    end

    it("may use the device's maximum of threads per block, and no more", function()
      local most = { device.max_block_dim_x, device.max_block_dim_y, device.max_block_dim_z }
      local all = device.max_threads_per_block
      for axis = 1, 3 do
        local block = { 1, 1, 1 }
        block[axis] = math.min(most[axis], all)
        assert.same(block,
          table.move(launch(touch.kernels.shape, { grid = 1, block = block }), 4, 6, 1, {}))
        block[axis] = most[axis] + 1
        assert.matches(("block of %d along %s is more than the %d that %s allows")
          :format(most[axis] + 1, ("xyz"):sub(axis, axis), most[axis], label),
          helper.misuse(launch, touch.kernels.shape, { grid = 1, block = block }), 1, true)
      end
      assert.equal(all // 2, launch(touch.kernels.shape, { grid = 1, block = { all // 2, 2 } })[4])
      assert.matches("threads is more than the " .. all, helper.misuse(launch, touch.kernels.shape,
        { grid = 1, block = { all // 2 + 1, 2 } }), 1, true)
      assert.equal(96, launch(touch.kernels.bounded, { grid = 1, block = 96 })[4])
      assert.matches("is more than the 96",
        helper.misuse(launch, touch.kernels.bounded, { grid = 1, block = 97 }), 1, true)
    end)

    it("may use the device's maximum of blocks along y and z, and no more", function()
      for axis = 2, 3 do
        local most = device["max_grid_dim_" .. ("xyz"):sub(axis, axis)]
        local grid = { 1, 1, 1 }
        grid[axis] = most
        assert.equal(most, launch(touch.kernels.shape, { grid = grid, block = 1 })[axis])
        grid[axis] = most + 1
        assert.matches(("grid of %d along %s is more than the %d")
          :format(most + 1, ("xyz"):sub(axis, axis), most),
          helper.misuse(launch, touch.kernels.shape, { grid = grid, block = 1 }), 1, true)
      end
      local most = device.max_grid_dim_y
      assert.equal(most, launch(touch.kernels.shape, { threads = { 1, most }, block = 1 })[2])
      assert.matches(("threads along y make %d blocks of 1, more than the %d"):format(most + 1,
        most), helper.misuse(launch, touch.kernels.shape, { threads = { 1, most + 1 }, block = 1 }),
        1, true)
    end)

    it("makes exactly as many blocks as the threads need", function()
      for _, block in ipairs { 1, 2, 32, 33, 96, 256 } do
        for blocks = 1, 3 do
          for _, less in ipairs { 0, 1, block - 1 } do
            local threads = blocks * block - less
            if threads > 0 then
              assert.equal((threads + block - 1) // block,
                launch(touch.kernels.shape, { threads = threads, block = block })[1])
            end
          end
        end
      end
    end)
  end)
end)
