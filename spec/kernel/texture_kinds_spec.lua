-- Textures over layers, cubemaps, mipmaps and memory, texels of 64 bits, and textures in
-- elementwise kernels.
local helper = require "spec.helper"
local sampling = require "spec.support.sampling"
local cuda = require "luacuda"

local misuse = helper.misuse

helper.for_each_device(function(device, name)
  describe("a texture over", function()
    it("layers reads each of them", function()
      local k = cuda.kernel [[
        extern "C" __global__ void k(float *y, cudaTextureObject_t one, cudaTextureObject_t two) {
          int layer = threadIdx.x, x = threadIdx.y;
          y[layer * 4 + x] = tex1DLayered<float>(one, x + 0.5f, layer)
            + 1000 * tex2DLayered<float>(two, x + 0.5f, 1.5f, layer);
        }]]
      local one = cuda.cuda_array(cuda.arange(0, 12):astype "float32":reshape { 3, 4 },
        { layered = true })
      local two = cuda.cuda_array(cuda.arange(0, 24):astype "float32":reshape { 3, 2, 4 },
        { layered = true })
      local y = cuda.zeros { 3, 4 }
      k({ grid = 1, block = { 3, 4 } }, y, cuda.texture(one), cuda.texture(two))
      for layer = 0, 2 do
        for x = 0, 3 do
          assert.equal(layer * 4 + x + 1000 * (layer * 8 + 4 + x), y:item(layer + 1, x + 1))
        end
      end
    end)

    it("a cubemap reads the face of a direction", function()
      local k = cuda.kernel [[
        extern "C" __global__ void k(float *y, cudaTextureObject_t cube, const float4 *d) {
          float4 v = d[threadIdx.x];
          y[threadIdx.x] = texCubemap<float>(cube, v.x, v.y, v.z);
        }]]
      local cube = cuda.cuda_array({ 6, 4, 4 }, { cubemap = true })
      local faces = cuda.zeros { 6, 4, 4 }
      for i = 1, 6 do faces:slice { i, i }:fill(i) end
      cuda.copy(cube, faces)
      local y = cuda.zeros(6)
      k({ grid = 1, block = 6 }, y, cuda.texture(cube), cuda.array({ { 2, 1, -1, 0 },
        { -2, 1, -1, 0 }, { 1, 3, 1, 0 }, { 1, -3, 1, 0 }, { 0, 1, 2, 0 }, { 0, 1, -2, 0 } },
        "float32"))
      assert.same({ 1.0, 2.0, 3.0, 4.0, 5.0, 6.0 }, y:totable())
    end)

    it("mipmaps reads the level that the kernel gives", function()
      local k = cuda.kernel [[
        extern "C" __global__ void k(float *y, cudaTextureObject_t tex, float step) {
          y[threadIdx.x] = tex2DLod<float>(tex, 0.5f, 0.5f, threadIdx.x * step);
        }]]
      local a = cuda.cuda_array({ 8, 8 }, { mipmaps = true })
      for i = 1, 4 do a:level(i):set(10 ^ i) end
      local y = cuda.zeros(5)
      k({ grid = 1, block = 5 }, y, cuda.texture(a), 1)
      assert.same({ 10.0, 100.0, 1000.0, 10000.0, 10000.0 }, y:totable())
      k({ grid = 1, block = 5 }, y, cuda.texture(a, { filter = "linear" }), 0.5)
      helper.assert_close({ 10, 55, 100, 550, 1000 }, y:totable(), { rtol = 1e-5 })
      k({ grid = 1, block = 5 }, y, cuda.texture(a, { min_level = 1, max_level = 2 }), 1)
      assert.same({ 100.0, 100.0, 1000.0, 1000.0, 1000.0 }, y:totable())
      k({ grid = 1, block = 5 }, y, cuda.texture(a:level(3)), 0)
      assert.same({ 1000.0, 1000.0, 1000.0, 1000.0, 1000.0 }, y:totable())
    end)

    it("a CUDA array made for it gathers four texels", function()
      local k = cuda.kernel [[
        extern "C" __global__ void k(float4 *y, cudaTextureObject_t tex) {
          y[0] = tex2Dgather<float4>(tex, 2.0f, 1.0f, 0);
        }]]
      local a = cuda.cuda_array(cuda.arange(0, 16):astype "float32":reshape { 4, 4 },
        { gather = true })
      local y = cuda.zeros(4)
      k({ threads = 1 }, y, cuda.texture(a))
      assert.same({ 5.0, 6.0, 2.0, 1.0 }, y:totable())
    end)

    it("an array of one axis reads by index", function()
      local k = cuda.kernel [[
        extern "C" __global__ void k(float *y, cudaTextureObject_t tex, float4 *z,
                                     cudaTextureObject_t four) {
          y[threadIdx.x] = tex1Dfetch<float>(tex, threadIdx.x);
          z[threadIdx.x] = tex1Dfetch<float4>(four, threadIdx.x);
        }]]
      local x = cuda.arange(0, 40):astype "float32"
      local y, z = cuda.zeros(10), cuda.zeros { 10, 4 }
      local tex <close> = cuda.texture(x)
      k({ grid = 1, block = 10 }, y, tex, z,
        cuda.texture(x:reshape { 10, 4 }, { channels = 4 }))
      assert.is_true(y:equals(x:slice { 1, 10 }))
      assert.is_true(z:equals(x:reshape { 10, 4 }))
      x:fill(7)
      k({ grid = 1, block = 10 }, y, tex, z, tex)
      assert.equal(7, y:item(10))
    end)

    it("an array of rows reads with filters", function()
      local k = cuda.kernel [[
        extern "C" __global__ void k(float *y, cudaTextureObject_t tex, const float2 *x) {
          y[threadIdx.x] = tex2D<float>(tex, x[threadIdx.x].x, x[threadIdx.x].y);
        }]]
      local rows = cuda.alloc_pitch { width = 28, height = 5 }:view "float32"
      local texels, places, want = {}, {}, {}
      local rng = helper.random(3)
      for i = 1, 5 do
        texels[i] = {}
        for j = 1, 7 do texels[i][j] = rng(100) end
      end
      rows:set(texels)
      local opts = { filter = "linear", address = "clamp" }
      for i = 1, 200 do
        places[i] = { rng(1200) / 128 - 1, rng(900) / 128 - 1 }
        want[i] = sampling.fetch(texels, places[i], opts)
      end
      local y = cuda.zeros(200)
      k({ grid = 1, block = 200 }, y, cuda.texture(rows, opts), cuda.array(places, "float32"))
      helper.assert_close(want, y:totable(), sampling.tolerance(device, texels, opts))
    end)

    it("channels that it lacks reads them as 0", function()
      local k = cuda.kernel [[
        extern "C" __global__ void k(float4 *y, int4 *z, cudaTextureObject_t a,
                                     cudaTextureObject_t b) {
          *y = tex2D<float4>(a, 0.5f, 0.5f);
          *z = tex2D<int4>(b, 0.5f, 0.5f);
        }]]
      local y, z = cuda.zeros(4), cuda.zeros(4, "int32")
      k({ threads = 1 }, y, z, cuda.texture(cuda.cuda_array({ 2, 2 }):set(5)),
        cuda.texture(cuda.cuda_array({ 2, 2 }, "int32", { channels = 2 }):set(7)))
      assert.same({ 5.0, 0.0, 0.0, 0.0 }, y:totable())
      assert.same({ 7, 7, 0, 0 }, z:totable())
    end)

    it("memory says what the hardware cannot read", function()
      local unit = device.texture_pitch_alignment
      assert.equal(("texture: argument 1 'source': rows 28 bytes apart; a texture needs a multiple "
        .. "of %d (cuda.alloc_pitch), or copy it to a CUDA array (cuda.cuda_array)"):format(unit),
        misuse(cuda.texture, cuda.zeros { 4, 7 }))
      assert.equal(("texture: argument 1 'source': the first element is 4 bytes past a multiple of "
        .. "the %d that textures need; a:copy() is aligned"):format(device.texture_alignment),
        misuse(cuda.texture, cuda.zeros(1000):slice { 2, 900 }))
      assert.equal("texture: an array of one axis is read by index, without filter and normalized "
        .. "coordinates; a CUDA array (cuda.cuda_array) has both",
        misuse(cuda.texture, cuda.zeros(8), { filter = "linear" }))
      assert.equal("texture: argument 1 'source': expected an array of 1 or 2 axes, got 3; a CUDA "
        .. "array (cuda.cuda_array) may have 3", misuse(cuda.texture, cuda.zeros { 2, 2, 8 }))
      assert.equal("texture: argument 1 'source': the array is not contiguous; pass "
        .. "a:contiguous()", misuse(cuda.texture, cuda.zeros(1000):slice { 1, 1000, 2 }))
      assert.equal("texture: argument 1 'source': the array has no elements",
        misuse(cuda.texture, cuda.zeros(0)))
      assert.equal("texture: 3 channels of float32; textures have 1, 2 or 4 channels of at most 16 "
        .. "bytes together", misuse(cuda.texture, cuda.zeros { 8, 3 }, { channels = 3 }))
    end)
  end)

  describe("texels of 64 bits", function()
    it("are put together by luacuda/texture.h", function()
      local m = cuda.module [[
        #include <luacuda/texture.h>
        template <class T> __global__ void k(T *y, cudaTextureObject_t tex) {
          int x = threadIdx.x, j = threadIdx.y;
          y[j * 4 + x] = luacuda::tex2D<T>(tex, x + 0.5f, j + 0.5f);
        }
        template <class T> __global__ void twice(cudaSurfaceObject_t s, int bytes) {
          int x = threadIdx.x * bytes, y = threadIdx.y;
          luacuda::surf2Dwrite(luacuda::surf2Dread<T>(s, x, y) * 2, s, x, y);
        }]]
      local types = { float64 = "double", int64 = "long long", uint64 = "unsigned long long",
        float32 = "float" }
      for dtype, ctype in pairs(types) do
        local data = cuda.arange(0, 12):astype(dtype):reshape { 3, 4 }
        if dtype == "float64" then data = data / 7 - 1 end
        if dtype == "int64" then data = data * (1 << 40) - 5 end
        local a = cuda.cuda_array(data, { surface = true })
        local y = cuda.zeros({ 3, 4 }, dtype)
        m:kernel("k<" .. ctype .. ">")({ grid = 1, block = { 4, 3 } }, y, cuda.texture(a))
        assert.is_true(y:equals(data), dtype)
        m:kernel("twice<" .. ctype .. ">")({ grid = 1, block = { 4, 3 } }, cuda.surface(a),
          dtype == "float32" and 4 or 8)
        assert.is_true(a:array():equals(data * 2), dtype)
      end
    end)

    it("of complex128 are double2", function()
      local k = cuda.kernel [[
        #include <luacuda/texture.h>
        extern "C" __global__ void k(double2 *y, cudaTextureObject_t tex) {
          y[threadIdx.x] = luacuda::tex1D<double2>(tex, threadIdx.x + 0.5f);
        }]]
      local data = cuda.array({ cuda.complex(1, 2), cuda.complex(0.1, -3) }, "complex128")
      local y = cuda.zeros(2, "complex128")
      k({ grid = 1, block = 2 }, y, cuda.texture(cuda.cuda_array(data)))
      assert.is_true(y:equals(data))
    end)
  end)

  it("surfaces are written by every launch of a kernel", function()
    local k = cuda.kernel [[
      __global__ void put(unsigned *x, cudaSurfaceObject_t s, int rounds, float v) {
        unsigned z = *x;
        for (int i = 0; i < rounds; i++) z = z * 1664525 + 1013904223;
        *x = z;
        surf1Dwrite(v, s, 0);
      }]]
    local a = cuda.cuda_array({ 1 }, { surface = true })
    local s <close> = cuda.surface(a)
    local side <close> = cuda.stream()
    local x = cuda.zeros(1, "uint32")
    for v = 1, 5 do -- from the second on, the arguments are passed on a shorter way
      cuda.with_stream(side, k, { grid = 1, block = 1 }, x, s, 20000, v)
      assert.equal(v, a:array():item(1))
    end
  end)

  describe("elementwise kernels", function()
    local function image()
      return cuda.cuda_array(cuda.arange(0, 16):astype "float32":reshape { 4, 4 })
    end

    it("read textures that are not indexed", function()
      local f = cuda.elementwise("T x, T y, cudaTextureObject_t tex", "T z",
        "z = tex2D<T>(tex, x, y)", "sample")
      local tex <close> = cuda.texture(image(), { filter = "linear" })
      assert.same({ 6.5, 7.5, 8.5 }, f(cuda.array { 1, 2, 3 }, 2, tex):totable())
      local grid = f(cuda.array { 1, 2, 3 }, cuda.array { { 1 }, { 2 } }, tex)
      assert.same({ 2, 3 }, grid.shape)
      assert.equal("sample: argument 3 'tex': expected a texture (cudaTextureObject_t), got number",
        misuse(f, cuda.ones(3), 2, 5.5))
      assert.equal("sample: argument 3 'tex': expected a texture (cudaTextureObject_t), got "
        .. "float32 array", misuse(f, cuda.ones(3), 2, cuda.ones(3)))
      tex:close()
      assert.equal("sample: argument 3 'tex': attempt to use a closed Texture",
        misuse(f, cuda.ones(3), 2, tex))
    end)

    it("write surfaces, ordered after earlier work", function()
      local a = cuda.cuda_array({ 1, 4096 }, { surface = true })
      local s <close> = cuda.surface(a)
      local f = cuda.elementwise("cudaSurfaceObject_t s, raw T x", "T y",
        "surf2Dwrite(x[i] + 1, s, (int)i * 4, 0); y = x[i]", "shift")
      local stream <close> = cuda.stream()
      local x = cuda.full(4096, 3, "float32")
      f(s, x, { size = 4096, stream = stream })
      assert.equal(4, a:array():item(1, 4096))
    end)

    it("refuse them as outputs and raw, and reductions and scans everywhere", function()
      local T = "cudaTextureObject_t t"
      assert.equal("elementwise: parameter 't': textures and surfaces are inputs, also those that "
        .. "the body writes", misuse(cuda.elementwise, "T x", T, "x"))
      assert.equal("elementwise: parameter 't': a cudaTextureObject_t is not an array: leave out "
        .. "'raw'", misuse(cuda.elementwise, "raw " .. T, "T y", "y = 1"))
      local refused = "parameter 't': textures and surfaces are not supported here; "
        .. "cuda.elementwise takes them"
      assert.equal("reduction: " .. refused,
        misuse(cuda.reduction, "T x, " .. T, "T y", "x", "a + b", "y = a", 0, "r"))
      assert.equal("scan: " .. refused,
        misuse(cuda.scan, "T x, " .. T, "T y", "x", "a + b", 0, "s"))
    end)

    it("take one for a parameter of any type, as CuPy does", function()
      local tex <close> = cuda.texture(image())
      local x = cuda.arange(4, "float32")
      local f = cuda.elementwise("T x, U tex", "T z",
        "U same = tex; z = tex2D<T>(same, i + 0.5f, 0.5f) + x", "sampled")
      for _ = 1, 2 do assert.same({ 0.0, 2.0, 4.0, 6.0 }, f(x, tex):totable()) end
      helper.assert_raises(function() f(x, x) end,
        "sampled: argument 2 'tex': expected a texture %(cudaTextureObject_t%), got")
      assert.truthy(f:source(x, tex):find("typedef cudaTextureObject_t U;", 1, true))
      local g = cuda.elementwise("T x, U t", "T z", "z = x", "second")
      assert.same({ 0.0, 1.0, 2.0, 3.0 }, g(x, x):totable())
      helper.assert_raises(function() g(x, tex) end,
        "second: argument 2 't': expected an array or a number, got texture")
    end)

    it("take a surface for a parameter of any type", function()
      local a = cuda.cuda_array({ 1, 4 }, "int32", { surface = true })
      local s <close> = cuda.surface(a)
      local f = cuda.elementwise("s surface, T x", "T y",
        "surf2Dwrite(x + 1, surface, (int)i * 4, 0); y = x", "store")
      local x = cuda.arange(4, "int32")
      f(s, x)
      local b = cuda.zeros({ 1, 4 }, "int32")
      cuda.copy(b, a)
      assert.same({ { 1, 2, 3, 4 } }, b:totable())
    end)

    it("tell how to declare one that CuPy would take for an array", function()
      local tex <close> = cuda.texture(image())
      local surface <close> = cuda.surface(cuda.cuda_array({ 4, 4 }, { surface = true }))
      local f = cuda.elementwise("float32 tex, float32 x", "float32 y", "y = x", "cupy")
      local x = cuda.zeros(4)
      local words = "cupy: argument 1 'tex': expected an array or a number, got %s; declare the "
        .. "parameter with the type cuda%sObject_t"
      assert.equal(words:format("texture", "Texture"), misuse(f, tex, x))
      assert.equal(words:format("surface", "Surface"), misuse(f, surface, x))
      assert.equal("cupy: argument 3 'y': expected an array, got texture", misuse(f, x, x, tex))
    end)

    it("run where the texture is", function()
      local f = cuda.elementwise("cudaTextureObject_t tex", "float32 z",
        "z = tex2D<float>(tex, i + 0.5f, 0.5f)", "row")
      local tex <close> = cuda.texture(image())
      cuda.use "cpu"
      local z = f(tex, { size = 4 })
      cuda.use(device)
      assert.equal(name, z.device.label)
      assert.same({ 0.0, 1.0, 2.0, 3.0 }, z:totable())
    end)
  end)
end)
