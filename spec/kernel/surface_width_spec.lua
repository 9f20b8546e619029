-- Surfaces whose rows are shorter than what a kernel reads and writes: on the CPU device a fault,
-- unless the boundary mode drops the access.
local helper = require "spec.helper"
local cuda = require "luacuda"

local SOURCE = [[
  extern "C" __global__ void get_MODE(uint4 *out, cudaSurfaceObject_t s, int x, int y) {
    *out = surf2Dread<uint4>(s, x, y, cudaBoundaryModeMODE);
  }
  extern "C" __global__ void put_MODE(cudaSurfaceObject_t s, int x, int y) {
    surf2Dwrite(make_uint4(1, 2, 3, 4), s, x, y, cudaBoundaryModeMODE);
  }
]]

helper.for_each_device(function(device)
  if device.kind ~= "cpu" then return end

  local kernels, one

  setup(function()
    local parts = {}
    for i, mode in ipairs { "Trap", "Clamp", "Zero" } do parts[i] = SOURCE:gsub("MODE", mode) end
    kernels, one = cuda.module(table.concat(parts)).kernels, { grid = 1, block = 1 }
  end)

  local function failure(name, ...)
    local args = table.pack(...)
    return tostring(select(2, pcall(function()
      kernels[name](one, table.unpack(args, 1, args.n))
      cuda.synchronize()
    end)))
  end

  it("are not accessed by .trap and .clamp", function()
    local out = cuda.zeros(4, "uint32")
    for _, mode in ipairs { "Trap", "Clamp" } do
      for _, x in ipairs { -16, 0, 16, 1000 } do
        local s <close> = cuda.surface(cuda.cuda_array({ 64, 1 }, "uint8", { surface = true }))
        local words = "out of bounds: %s of 16 bytes at x = %d of a surface whose rows have 1 bytes"
        helper.contains(failure("get_" .. mode, out, s, x, 63), words:format("read", x))
        helper.contains(failure("put_" .. mode, s, x, 63), words:format("write", x))
      end
    end
  end)

  it("read 0 by .zero, and drop writes", function()
    local a = cuda.cuda_array({ 3, 3 }, "float32", { surface = true }):set(7)
    local s <close> = cuda.surface(a)
    local out = cuda.full(4, 5, "uint32")
    kernels.get_Zero(one, out, s, 0, 2)
    kernels.put_Zero(one, s, 0, 2)
    assert.same({ 0, 0, 0, 0 }, out:totable())
    assert.equal(63, a:array():sum())
  end)

  it("are accessed at the edge where one access fits", function()
    local a = cuda.cuda_array({ 3, 4 }, "float32", { surface = true }):set(7)
    local s <close> = cuda.surface(a)
    local out = cuda.zeros(4, "uint32")
    kernels.put_Clamp(one, s, 1000, 9)
    kernels.get_Clamp(one, out, s, -1000, 9)
    assert.same({ 1, 2, 3, 4 }, out:totable())
  end)
end)
