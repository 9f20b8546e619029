-- What textures read outside with address "border": option `border` in the type of the texels.
local helper = require "spec.helper"
local cuda = require "luacuda"

local misuse = helper.misuse

local SOURCE = [[
  #include <luacuda/texture.h>
  template<class T> __global__ void outside(T *y, cudaTextureObject_t t) {
    y[0] = luacuda::tex2D<T>(t, -5.f, 0.f);
    y[1] = luacuda::tex2D<T>(t, 1.f, 9.f);
    y[2] = luacuda::tex2D<T>(t, 1.f, 1.f);
  }]]

local CTYPES = { uint8 = "unsigned char", int8 = "signed char", uint16 = "unsigned short",
  int16 = "short", uint32 = "unsigned", int32 = "int", uint64 = "unsigned long long",
  int64 = "long long", float32 = "float", float64 = "double", complex64 = "float2",
  complex128 = "double2" }

local VALUES = { uint8 = 200, int8 = -3, uint16 = 65535, int16 = -32768, uint32 = 0xfffffffe,
  int32 = -7, uint64 = -1, int64 = -1 << 40, float32 = -2.5, float64 = 0.1,
  complex64 = cuda.complex(1.5, -2), complex128 = cuda.complex(0.1, 1e300) }

helper.for_each_device(function()
  local m

  setup(function() m = cuda.module(SOURCE) end)

  local function read(ctype, out, source, opts)
    local tex <close> = cuda.texture(source, opts)
    m:kernel("outside<" .. ctype .. ">")({ grid = 1, block = 1 }, out, tex)
    return out:totable()
  end

  for dtype, ctype in pairs(CTYPES) do
    it("is a value of " .. dtype, function()
      local value = VALUES[dtype]
      local got = read(ctype, cuda.zeros(3, dtype), cuda.cuda_array({ 3, 3 }, dtype):set(1),
        { address = "border", border = value })
      assert.equal(value, got[1])
      assert.equal(value, got[2])
      assert.equal(dtype:find "complex" and cuda.complex(1, 0) or 1, got[3])
    end)
  end

  it("has a value for each channel", function()
    local function four(dtype, ctype, out, border)
      local a = cuda.cuda_array({ 3, 3 }, dtype, { channels = 4 }):set(1)
      return read(ctype, cuda.zeros({ 3, 4 }, out), a, { address = "border", border = border })[1]
    end
    assert.same({ -1, 2, -3, 127 }, four("int8", "int4", "int32", { -1, 2, -3, 127 }))
    assert.same({ 9, 9, 9, 9 }, four("uint16", "uint4", "uint32", 9))
    assert.same({ 0.5, 1.0, 1.5, 2.0 }, four("float16", "float4", "float32", { 0.5, 1, 1.5, 2 }))
    local a = cuda.cuda_array({ 3, 3 }, "float64", { channels = 2 }):set(1)
    assert.same({ 0.25, -4.0 }, read("double2", cuda.zeros({ 3, 2 }, "float64"), a,
      { address = "border", border = { 0.25, -4 } })[1])
  end)

  it("is a float where integers are read as floats", function()
    local got = read("float", cuda.zeros(3), cuda.cuda_array({ 3, 3 }, "uint8"):set(255),
      { address = "border", border = 0.2, read = "normalized" })
    helper.assert_close({ 0.2, 0.2, 1 }, got, { rtol = 1e-6 })
  end)

  it("says what is wrong", function()
    local function wrong(dtype, border, opts)
      opts = opts or {}
      opts.border = border
      return misuse(cuda.texture, cuda.cuda_array({ 2, 2 }, dtype), opts)
    end
    local option = "texture: option 'border': "
    assert.equal(option .. "256 is out of range for uint8 (0 to 255)", wrong("uint8", 256))
    assert.equal(option .. "expected an integer (int32), got 0.5", wrong("int32", { 1, 0.5 }))
    assert.equal(option .. "expected a number (float32), got string", wrong("float32", "1"))
    assert.equal(option .. "expected a number (float32), got string",
      wrong("uint8", "1", { read = "normalized" }))
    assert.equal(option .. "expected at most 2 numbers, got 3", wrong("float64", { 1, 2, 3 }))
    assert.equal(option .. "expected at most 4 numbers, got 5", wrong("uint8", { 1, 2, 3, 4, 5 }))
  end)
end)
