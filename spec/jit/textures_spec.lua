-- Textures and surfaces in kernels written in Lua, against kernels in CUDA C++.
local cuda = require "luacuda"
local helper = require "spec.helper"

local N = 40

-- Places around a CUDA array's texels, off their boundaries.
local function places(rng, sizes)
  local list = {}
  for i = 1, N do
    list[i] = {}
    for k, size in ipairs(sizes) do list[i][k] = (rng(64 * (size + 2)) - 64) / 64 + 1 / 256 end
  end
  return cuda.array(list, "float32")
end

local function random_array(shape, dtype)
  return cuda.random.generator(6):integers(0, 100, shape):astype(dtype)
end

-- What a kernel in C++ reads at the places: `read` is the call.
local function want(texture, at, read, ctype)
  local k = cuda.kernel(([[
#include <luacuda/texture.h>
extern "C" __global__ void k(CTYPE *out, cudaTextureObject_t t, const float *p, int n, int axes) {
  for (int i = 0; i < n; i++) {
    const float *at = p + i * axes;
    out[i] = READ;
  }
}]]):gsub("CTYPE", ctype):gsub("READ", read), "k")
  local out = cuda.zeros(N, ctype == "int" and "int32" or ctype == "double" and "float64" or nil)
  k({ grid = 1, block = 1 }, out, texture, at, N, at.shape[2])
  return out
end

-- Runs a kernel of (out, texture, places) both ways and compares it with `expected`.
local function compare(fn, texture, at, expected)
  local k = cuda.jit(fn)
  for _, run in ipairs{ k, function(...) k:run_in_lua(...) end } do
    local out = cuda.zeros(N, expected.dtype)
    run({ threads = N }, out, texture, at)
    assert.is_true(cuda.array_equal(expected, out), tostring(out))
  end
end

helper.for_each_device(function()
  describe("tex", function()
    local rng = helper.random(4)

    it("reads one, two and three axes as C++ does, with every filter and address", function()
      for _, filter in ipairs{ "point", "linear" } do
        for _, address in ipairs{ "clamp", "border" } do
          local how = { filter = filter, address = address, border = 7 }
          local line = cuda.texture(cuda.cuda_array(random_array(9, "float32")), how)
          local at = places(rng, { 9 })
          compare(function(out, t, p) for i in grid(#out) do out[i] = tex(t, p[i][1]) end end, line,
            at, want(line, at, "tex1D<float>(t, at[0])", "float"))
          local image = cuda.texture(cuda.cuda_array(random_array({ 5, 7 }, "float32")), how)
          at = places(rng, { 7, 5 })
          compare(function(out, t, p) for i in grid(#out) do out[i] = tex(t, p[i][1], p[i][2]) end
          end, image, at, want(image, at, "tex2D<float>(t, at[0], at[1])", "float"))
          local volume = cuda.texture(cuda.cuda_array(random_array({ 4, 3, 6 }, "float32")), how)
          at = places(rng, { 6, 3, 4 })
          compare(function(out, t, p)
            for i in grid(#out) do out[i] = tex(t, p[i][1], p[i][2], p[i][3]) end
          end, volume, at, want(volume, at, "tex3D<float>(t, at[0], at[1], at[2])", "float"))
        end
      end
    end)

    it("reads layers and normalized integers", function()
      local layers = cuda.texture(cuda.cuda_array(random_array({ 3, 4, 5 }, "int32"),
        { layered = true }))
      local at = places(rng, { 5, 4 })
      compare(function(out, t, p)
        for i in grid(#out) do out[i] = tex(t, p[i][1], p[i][2], 2) end
      end, layers, at, want(layers, at, "tex2DLayered<int>(t, at[0], at[1], 2)", "int"))
      local bytes = cuda.texture(cuda.cuda_array(random_array({ 4, 5 }, "uint8")),
        { read = "normalized", filter = "linear", normalized = true, address = "wrap" })
      at = places(rng, { 1, 1 })
      compare(function(out, t, p) for i in grid(#out) do out[i] = tex(t, p[i][1], p[i][2]) end end,
        bytes, at, want(bytes, at, "tex2D<float>(t, at[0], at[1])", "float"))
    end)

    it("reads arrays by index, from 0, and texels of 64 bits", function()
      local x = random_array(20, "float32")
      compare(function(out, t, p)
        for i in grid(#out) do out[i] = tex(t, (i - 1) % 20) + 0 * p[1][1] end
      end, cuda.texture(x), places(rng, { 1 }), x:take(cuda.arange(N, "int64") % 20 + 1))
      local wide = cuda.texture(cuda.cuda_array(random_array({ 4, 5 }, "float64")))
      local at = places(rng, { 5, 4 })
      compare(function(out, t, p) for i in grid(#out) do out[i] = tex(t, p[i][1], p[i][2]) end end,
        wide, at, want(wide, at, "luacuda::tex2D<double>(t, at[0], at[1])", "double"))
    end)

    it("gives a value for each channel", function()
      local data = random_array({ 5, 7, 4 }, "float32")
      local image = cuda.texture(cuda.cuda_array(data, { channels = 4 }))
      local k = cuda.jit(function(out, t)
        for i, j in grid(out.shape[1], out.shape[2]) do
          local r, g, b, a = tex(t, j - 0.5, i - 0.5)
          out[i][j][1], out[i][j][2], out[i][j][3], out[i][j][4] = a, b, g, r
        end
      end)
      for _, run in ipairs{ k, function(...) k:run_in_lua(...) end } do
        local out = cuda.zeros { 5, 7, 4 }
        run({ threads = { 7, 5 } }, out, image)
        assert.is_true(cuda.array_equal(data:flip { axis = 3 }, out))
      end
    end)

    it("takes upvalues, in functions and in functions in C++ too", function()
      local image = cuda.texture(cuda.cuda_array { 3, 3 }:set(2))
      local function at(x, y) return tex(image, x, y) end
      local native = cuda.device_function [[
__device__ float native(cudaTextureObject_t t, float x) { return tex2D<float>(t, x, x); }]]
      local k = cuda.jit(function(out)
        for i in grid(#out) do out[i] = at(i, 1) + 10 * tex(image, i, 2) + native(image, i) end
      end)
      local out = cuda.zeros(3)
      k({ threads = 3 }, out)
      assert.is.same({ 24, 24, 24 }, out:totable())
      local first = k:kernel()
      image = cuda.texture(cuda.cuda_array { 3, 3 }:set(3))
      k({ threads = 3 }, out)
      assert.is.same({ 36, 36, 36 }, out:totable())
      assert.is.equal(first, k:kernel())
    end)

    it("makes another kernel for an upvalue with texels of another dtype", function()
      local image = cuda.texture(cuda.cuda_array { 3 }:set(2.5))
      local k = cuda.jit(function(out) for i in grid(#out) do out[i] = tex(image, i) end end)
      local out = cuda.zeros(2)
      k({ threads = 2 }, out)
      assert.is.same({ 2.5, 2.5 }, out:totable())
      image = cuda.texture(cuda.cuda_array({ 3 }, "uint16"):set(4))
      k({ threads = 2 }, out)
      assert.is.same({ 4, 4 }, out:totable())
    end)

    it("refuses other values and coordinates", function()
      local image = cuda.texture(cuda.cuda_array { 3, 3 }:set(2))
      local surface = cuda.surface(cuda.cuda_array({ 3 }, "float32", { surface = true }))
      local function message(body, t)
        return helper.misuse(function()
          cuda.jit("function(x, t) " .. body .. " end")({ threads = 1 }, cuda.zeros(2), t or image)
        end)
      end
      helper.contains(message "x[1] = tex(x, 1, 1)", "tex: argument 1: expected a texture, got an "
        .. "array (float32, one axis)")
      helper.contains(message "x[1] = tex(t, 1)",
        "tex: expected the texture and x, y, got 2 arguments")
      helper.contains(message "x[1] = tex(t, 1, x[1] > 0)",
        "tex: argument 3: expected a number, got a boolean")
      helper.contains(message("x[1] = tex(t, 1)", surface),
        "tex: argument 1: expected a texture, got a surface")
      helper.contains(message("surf_write(t, 1, 0.5)", surface),
        "surf_write: argument 3: expected an integer")
      helper.contains(message("surf_write(t, 0)", surface),
        "surf_write: expected the surface, the value and x, got 2 arguments")
      helper.contains(message "x[1] = t", "a texture cannot be an element of float32")
      local mipmapped = cuda.texture(cuda.cuda_array({ 4, 4 }, "float32", { mipmaps = true }))
      helper.contains(message("x[1] = tex(t, 1, 1)", mipmapped),
        "a texture with mipmaps needs C++: cuda.device_function takes a function with a "
        .. "cudaTextureObject_t")
      helper.contains(helper.misuse(function()
        cuda.vectorize(function(v) return tex(image, v, v) end)(cuda.zeros(2))
      end), "'image' is a texture, which kernels of cuda.jit take")
    end)
  end)

  describe("surfaces", function()
    it("are read and written by texel, from 0", function()
      for _, dtype in ipairs{ "float32", "int32", "uint8", "float64" } do
        local data = random_array({ 4, 6 }, dtype)
        local ways = cuda.jit(function(s, n)
          for y, x in grid(4, 6) do
            surf_write(s, surf_read(s, x - 1, y - 1) + n, x - 1, y - 1)
          end
        end)
        for _, run in ipairs{ ways, function(...) ways:run_in_lua(...) end } do
          local memory = cuda.cuda_array(data, { surface = true })
          run({ threads = { 6, 4 } }, cuda.surface(memory), 3)
          assert.is_true(cuda.array_equal(data + 3, memory:array()))
        end
      end
    end)

    it("have channels", function()
      local k = cuda.jit(function(s)
        for x in grid(5) do
          local a, b = surf_read(s, x - 1)
          surf_write(s, b, a * 2, x - 1)
        end
      end)
      local data = random_array({ 5, 2 }, "float32")
      for _, run in ipairs{ k, function(...) k:run_in_lua(...) end } do
        local memory = cuda.cuda_array(data, { surface = true, channels = 2 })
        run({ threads = 5 }, cuda.surface(memory))
        local got, before = memory:array():totable(), data:totable()
        for i = 1, 5 do assert.is.same({ before[i][2], before[i][1] * 2 }, got[i]) end
      end
    end)
  end)
end)
