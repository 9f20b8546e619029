-- Textures and surfaces: as arguments of kernels, what they read, what they keep, and the order of
-- work on them.
local helper = require "spec.helper"
local sampling = require "spec.support.sampling"
local cuda = require "luacuda"

local misuse = helper.misuse

local FETCH = [[
extern "C" __global__ void fetch1(float *y, cudaTextureObject_t tex, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = tex1D<float>(tex, x[i]);
}
extern "C" __global__ void fetch2(float *y, cudaTextureObject_t tex, const float2 *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = tex2D<float>(tex, x[i].x, x[i].y);
}
extern "C" __global__ void fetch3(float *y, cudaTextureObject_t tex, const float4 *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = tex3D<float>(tex, x[i].x, x[i].y, x[i].z);
}
]]

local WRITE = [[
extern "C" __global__ void write(cudaSurfaceObject_t s, int w, int h, float v) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) surf2Dwrite(v + 100 * y + x, s, x * 4, y);
}
extern "C" __global__ void both(cudaSurfaceObject_t s, int w) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < w) surf2Dwrite(2 * surf2Dread<float>(s, x * 4, 0), s, x * 4, 0);
}
]]

local function random_texels(rng, shape, axis)
  axis = axis or 1
  if axis > #shape then return rng(1000) / 8 end
  local t = {}
  for i = 1, shape[axis] do t[i] = random_texels(rng, shape, axis + 1) end
  return t
end

-- Random places around the texels; on the x axis first. They lie on multiples of 1/64 of a texel
-- off the boundaries, so that rounding of the coordinates changes no texel.
local function random_places(rng, shape, normalized, n)
  local list = {}
  for k = 1, n do
    local at = {}
    for axis = 1, #shape do
      local size = shape[#shape + 1 - axis]
      local x = (rng(128 * 3 * size) - 128 * size) / 128 + 1 / 256
      at[axis] = normalized and x / size or x
    end
    list[k] = at
  end
  return list
end

-- The places as rows of 1, 2 or 4 numbers.
local function rows_of(list)
  local rows = {}
  for k, at in ipairs(list) do
    rows[k] = { at[1], at[2], at[3], at[3] and 0 or nil }
  end
  return rows
end

helper.for_each_device(function(device, name)
  local module

  setup(function() module = cuda.module(FETCH .. WRITE) end)

  -- Values that the device reads at places, and those expected.
  local function read(shape, texels, opts, places, source)
    local tex <close> = cuda.texture(source or cuda.cuda_array(shape):set(texels), opts)
    local y = cuda.zeros(#places)
    module.kernels["fetch" .. #shape]({ threads = #places }, y, tex,
      cuda.array(rows_of(places), "float32"), #places)
    return y:totable()
  end

  local function want(texels, opts, places)
    local list = {}
    for k, at in ipairs(places) do list[k] = sampling.fetch(texels, at, opts) end
    return list
  end

  describe("a texture", function()
    for _, shape in ipairs { { 13 }, { 5, 9 }, { 4, 3, 6 } } do
      for _, filter in ipairs { "point", "linear" } do
        for _, address in ipairs { "clamp", "border", "wrap", "mirror" } do
          it(("of %d axes reads with %s and %s"):format(#shape, filter, address), function()
            local rng = helper.random(#shape * 8 + #address)
            local outside = address == "wrap" or address == "mirror"
            for _, normalized in ipairs(outside and { true } or { false, true }) do
              local opts = { filter = filter, address = address, normalized = normalized,
                border = address == "border" and 3.5 or nil }
              local texels = random_texels(rng, shape)
              local places = random_places(rng, shape, normalized, 300)
              helper.assert_close(want(texels, opts, places), read(shape, texels, opts, places),
                sampling.tolerance(device, texels, opts))
            end
          end)
        end
      end
    end

    it("has an address for each axis", function()
      local tex <close> = cuda.texture(cuda.cuda_array { 4, 4 }, { normalized = true,
        address = { "wrap", "border" } })
      assert.same({ "wrap", "border", "border" }, tex.address)
      assert.equal("point", tex.filter)
      assert.equal("element", tex.read)
      assert.is_true(tex.normalized)
      assert.equal(device, tex.device)
      assert.equal("texture", cuda.type(tex))
      assert.equal("luacuda.Texture point on " .. name, tostring(tex))
    end)

    it("reads integers as elements and as normalized floats", function()
      local k = cuda.kernel [[
        extern "C" __global__ void k(int *y, float *z, cudaTextureObject_t a, cudaTextureObject_t b,
                                     cudaTextureObject_t c) {
          int i = threadIdx.x;
          y[i] = tex1D<unsigned char>(a, i + 0.5f);
          z[2 * i] = tex1D<float>(b, i + 0.5f);
          z[2 * i + 1] = tex1D<float>(c, i + 0.5f);
        }]]
      local u = cuda.cuda_array(cuda.array({ 0, 51, 102, 255 }, "uint8"))
      local s = cuda.cuda_array(cuda.array({ -32768, -32767, 0, 32767 }, "int16"))
      local y, z = cuda.zeros(4, "int32"), cuda.zeros { 4, 2 }
      k({ grid = 1, block = 4 }, y, z, cuda.texture(u), cuda.texture(u, { read = "normalized" }),
        cuda.texture(s, { read = "normalized" }))
      assert.same({ 0, 51, 102, 255 }, y:totable())
      helper.assert_close({ { 0, -1 }, { 0.2, -1 }, { 0.4, 0 }, { 1, 1 } }, z:totable(),
        { rtol = 1e-6 })
    end)

    it("reads several channels", function()
      local k = cuda.kernel [[
        extern "C" __global__ void k(float4 *y, float2 *z, cudaTextureObject_t a,
                                     cudaTextureObject_t b) {
          int i = threadIdx.x;
          y[i] = tex2D<float4>(a, i + 0.5f, 1.5f);
          z[i] = tex2D<float2>(b, i + 0.5f, 1.5f);
        }]]
      local data = cuda.arange(0, 24):astype "float32"
      local y, z = cuda.zeros { 3, 4 }, cuda.zeros({ 3 }, "complex64")
      k({ grid = 1, block = 3 }, y, z,
        cuda.texture(cuda.cuda_array(data:reshape { 2, 3, 4 }, { channels = 4 })),
        cuda.texture(cuda.cuda_array(data:slice { 1, 12 }:view "complex64":reshape { 2, 3 })))
      helper.assert_close(data:reshape { 2, 3, 4 }[2]:totable(), y:totable())
      assert.equal("6+7i 8+9i 10+11i", table.concat({ tostring(z[1]), tostring(z[2]),
        tostring(z[3]) }, " "))
    end)

    it("sees later writes to its memory", function()
      local a = cuda.cuda_array { 4, 4 }
      local tex <close> = cuda.texture(a)
      local y, x = cuda.zeros(1), cuda.array({ { 2.5, 1.5 } }, "float32")
      for i = 1, 5 do
        a:set(i)
        module.kernels.fetch2({ threads = 1 }, y, tex, x, 1)
        assert.equal(i, y:item(1))
      end
    end)

    it("keeps the memory behind it", function()
      local a = cuda.cuda_array({ 4, 4 }):set(7)
      local tex <close> = cuda.texture(a)
      a:free()
      a = nil
      collectgarbage()
      local y = cuda.zeros(1)
      module.kernels.fetch2({ threads = 1 }, y, tex, cuda.array({ { 2.5, 1.5 } }, "float32"), 1)
      assert.equal(7, y:item(1))
    end)

    it("is kept by work that uses it", function()
      local s <close> = cuda.stream()
      local x, y = cuda.zeros { 4096, 2 }, cuda.zeros { 20, 4096 }
      for i = 1, 20 do
        local tex = cuda.texture(cuda.cuda_array({ 64, 64 }):set(i, { stream = s }))
        module.kernels.fetch2({ threads = 4096, stream = s }, y[i], tex, x, 4096)
        if i % 2 == 0 then tex:free() end
      end
      collectgarbage()
      for i = 1, 20 do assert.equal(i, y:item(i, 4096)) end
    end)

    it("says what is wrong with its options", function()
      local a = cuda.cuda_array { 4, 4 }
      local bytes = cuda.cuda_array({ 4, 4 }, "uint8")
      local function wrong(opts, source) return misuse(cuda.texture, source or a, opts) end
      assert.equal("texture: argument 1: expected CuArray or Array, got integer",
        misuse(cuda.texture, 5))
      assert.equal("texture: option 'filter': expected \"point\" or \"linear\", got \"cubic\"",
        wrong { filter = "cubic" })
      assert.equal("texture: option 'filter': expected \"point\" or \"linear\", got boolean",
        wrong { filter = true })
      assert.equal("texture: option 'address': \"wrap\" needs normalized coordinates: normalized "
        .. "= true", wrong { address = "wrap" })
      assert.equal("texture: option 'address': expected 1 to 3 words, got 4",
        wrong { address = { "clamp", "clamp", "clamp", "clamp" } })
      assert.equal("texture: option 'read': only integers of 8 and 16 bits are read as normalized "
        .. "floats, not float32", wrong { read = "normalized" })
      assert.equal("texture: option 'filter': texels of uint8 cannot be filtered as integers; read "
        .. "= \"normalized\" gives floats", wrong({ filter = "linear" }, bytes))
      assert.equal("texture: option 'filter': texels of float64 cannot be filtered",
        wrong({ filter = "linear" }, cuda.cuda_array({ 4, 4 }, "float64")))
      assert.equal("texture: option 'srgb': needs texels of uint8 and read = \"normalized\"",
        wrong({ srgb = true }, bytes))
      assert.equal("texture: option 'border': expected at most 4 numbers, got 5",
        wrong { border = { 1, 2, 3, 4, 5 } })
      assert.equal("texture: option 'anisotropy': 17 is outside 0 to 16", wrong { anisotropy = 17 })
      assert.equal("texture: option 'normalized': mipmaps are read at normalized coordinates",
        wrong({ normalized = false }, cuda.cuda_array({ 4, 4 }, { mipmaps = true })))
      assert.equal("texture: option 'channels' is for arrays; the CUDA array has 1 channels",
        wrong { channels = 2 })
      assert.equal("texture: unknown option 'filtre'; did you mean 'filter'?",
        wrong { filtre = "point" })
    end)

    it("has at most the width and the height that the device reads from memory", function()
      local function most(what) return device:attribute("maximum_texture2d_linear_" .. what) end
      local wide, high = most "width", most "height"
      cuda.texture(cuda.zeros({ high, 32 }, "int8")):close()
      for what, shape in pairs { width = { 2, wide // 32 * 32 + 32 }, height = { high + 1, 32 } } do
        assert.equal(("texture: an extent of %d is more than the %d that %s has as %s"):format(
          math.max(table.unpack(shape)), most(what), name, "maximum_texture2d_linear_" .. what),
          helper.misuse(cuda.texture, cuda.zeros(shape, "int8")))
      end
    end)

    it("can be closed, and then only that", function()
      local tex <close> = cuda.texture(cuda.cuda_array { 4, 4 })
      tex:free()
      tex:close()
      assert.equal("luacuda.Texture (closed)", tostring(tex))
      assert.equal("attempt to use a closed Texture",
        misuse(function() return tex.filter end))
      assert.equal("fetch1: argument 2 'tex': attempt to use a closed Texture",
        misuse(module.kernels.fetch1, { threads = 1 }, cuda.zeros(1), tex, cuda.zeros(1), 1))
    end)
  end)

  describe("a surface", function()
    it("writes texels that a texture then reads", function()
      local a = cuda.cuda_array({ 5, 9 }, { surface = true })
      local s <close> = cuda.surface(a)
      local tex <close> = cuda.texture(a)
      module.kernels.write({ threads = { 9, 5 } }, s, 9, 5, 0.5)
      local y = cuda.zeros(1)
      module.kernels.fetch2({ threads = 1 }, y, tex, cuda.array({ { 7.5, 3.5 } }, "float32"), 1)
      assert.equal(307.5, y:item(1))
      assert.equal(408.5, a:array():item(5, 9))
      assert.equal(device, s.device)
      assert.equal(a, s.source)
      assert.equal("surface", cuda.type(s))
    end)

    it("orders kernels of several streams", function()
      local a = cuda.cuda_array({ 1, 4096 }, { surface = true }):set(1)
      local s <close> = cuda.surface(a)
      local streams = { cuda.stream(), cuda.stream(), cuda.stream() }
      for i = 1, 12 do
        module.kernels.both({ threads = 4096, stream = streams[i % 3 + 1] }, s, 4096)
      end
      assert.equal(4096, a:array():item(1, 4096))
      for _, stream in ipairs(streams) do stream:close() end
    end)

    -- Kernels of stream `s` wait until the word in pinned memory is set, so that work of `t` which
    -- does not wait for them runs too early.
    it("is written before textures and copies of other streams read", function()
      local k = cuda.module [[
        __device__ long long now() {
          long long t;
          asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
          return t;
        }
        extern "C" __global__ void gate(volatile int *word) {
          for (long long start = now(); word[0] == 0 && now() - start < 5000000000;) ;
        }
        extern "C" __global__ void spin() {
          for (long long start = now(); now() - start < 20000000;) ;
        }
        extern "C" __global__ void put(cudaSurfaceObject_t s, float v) {
          surf2Dwrite(v, s, 0, 0);
        }
        extern "C" __global__ void get(float *y, cudaTextureObject_t t) {
          *y = tex2D<float>(t, 0.5f, 0.5f);
        }]].kernels
      local word = cuda.pinned(1, "int32"):fill(0)
      local a = cuda.cuda_array({ 1, 1 }, { surface = true }):set(1)
      local surf <close> = cuda.surface(a)
      local tex <close> = cuda.texture(a)
      local y, copy = cuda.zeros(1), cuda.zeros { 1, 1 }
      local s <close> = cuda.stream()
      local t <close> = cuda.stream()
      local u <close> = cuda.stream()
      k.put({ threads = 1 }, surf, 2)
      k.get({ threads = 1 }, y, tex)
      cuda.synchronize()
      k.gate({ threads = 1, stream = s }, cuda.ptr(word.pointer))
      k.put({ threads = 1, stream = s }, surf, 5)
      k.get({ threads = 1, stream = t }, y, tex)
      cuda.copy(copy, a, { stream = t })
      k.spin({ threads = 1, stream = u })
      u:synchronize()
      word[1] = 1
      assert.equal(5, y:item(1))
      assert.equal(5, copy:item(1, 1))
    end)

    it("needs a CUDA array made for it", function()
      assert.equal("surface: argument 1 'cuda_array': it was not made for surfaces: "
        .. "cuda.cuda_array(shape, dtype, { surface = true })",
        misuse(cuda.surface, cuda.cuda_array { 4, 4 }))
      assert.equal("surface: argument 1: expected CuArray, got Array float32 {4}",
        misuse(cuda.surface, cuda.zeros(4)))
      assert.equal("surface: too many arguments",
        misuse(cuda.surface, cuda.cuda_array(4, { surface = true }), {}))
    end)
  end)

  describe("as arguments", function()
    local SOURCE = [[
      using other = cudaTextureObject_t;
      extern "C" __global__ void k(int *y, const cudaTextureObject_t tex, cudaSurfaceObject_t surf,
                                   unsigned long long n, other o) { *y = (int)n; }]]

    it("have kinds of their own in the signature", function()
      local kinds = {}
      for i, p in ipairs(cuda.kernel(SOURCE).signature) do kinds[i] = p.name .. " " .. p.kind end
      assert.equal("y pointer, tex texture, surf surface, n number, o number",
        table.concat(kinds, ", "))
    end)

    it("are the only values for their parameters", function()
      local k, y = cuda.kernel(SOURCE), cuda.zeros(1, "int32")
      local a = cuda.cuda_array({ 4, 4 }, { surface = true })
      local tex <close> = cuda.texture(a)
      local surf <close> = cuda.surface(a)
      local function wrong(...) return misuse(k, { threads = 1 }, ...) end
      k({ threads = 1 }, y, tex, surf, 5, tex)
      k({ threads = 1 }, y, tex, surf, 6, 7)
      assert.equal(6, y:item(1))
      assert.equal("k: argument 2 'tex': expected a texture (cudaTextureObject_t), got integer; "
        .. "cuda.texture makes one of an array or a CUDA array", wrong(y, tex.handle, surf, 1, 1))
      assert.equal("k: argument 2 'tex': expected a texture (cudaTextureObject_t), got int32 "
        .. "array; cuda.texture makes one of an array or a CUDA array", wrong(y, y, surf, 1, 1))
      assert.equal("k: argument 2 'tex': expected a texture (cudaTextureObject_t), got surface; "
        .. "cuda.texture makes one of an array or a CUDA array", wrong(y, surf, surf, 1, 1))
      assert.equal("k: argument 2 'tex': expected a texture (cudaTextureObject_t), got nil; "
        .. "cuda.texture makes one of an array or a CUDA array", wrong(y, nil, surf, 1, 1))
      assert.equal("k: argument 3 'surf': expected a surface (cudaSurfaceObject_t), got texture; "
        .. "cuda.surface makes one of a CUDA array", wrong(y, tex, tex, 1, 1))
      assert.equal("k: argument 4 'n': expected an integer (uint64), got Texture",
        wrong(y, tex, surf, tex, 1))
      assert.equal("k: argument 1 'y': expected int32 array (int *), got texture",
        wrong(tex, tex, surf, 1, 1))
    end)

    it("are accepted where the types are not known", function()
      local ptx = cuda.compile(SOURCE)
      local k, y = cuda.kernel { binary = ptx, name = "k" }, cuda.zeros(1, "int32")
      local a = cuda.cuda_array({ 4, 4 }, { surface = true })
      local tex <close> = cuda.texture(a)
      local surf <close> = cuda.surface(a)
      k({ threads = 1 }, y, tex, surf, 8, 9)
      assert.equal(8, y:item(1))
    end)

    it("of templates and prepared launches are checked as well", function()
      local m = cuda.module [[
        template<class T> __global__ void k(T *y, cudaTextureObject_t tex) {
          *y = tex2D<T>(tex, 1.5f, 0.5f);
        }]]
      local k, y = m:kernel "k<float>", cuda.zeros(1)
      local tex <close> = cuda.texture(cuda.cuda_array({ 4, 4 }):set(3))
      helper.contains(misuse(k, { threads = 1 }, y, 5), "expected a texture")
      local prepared = k:prepare { threads = 1 }
      prepared(y, tex)
      assert.equal(3, y:item(1))
      helper.contains(misuse(prepared, y, y), "expected a texture")
    end)

    it("decide the device of the launch", function()
      local k = cuda.kernel [[extern "C" __global__ void k(cudaSurfaceObject_t s) {
        surf2Dwrite(4.0f, s, 8, 1);
      }]]
      local a = cuda.cuda_array({ 4, 4 }, { surface = true })
      cuda.use "cpu"
      k({ threads = 1 }, cuda.surface(a))
      cuda.use(device)
      assert.equal(4, a:array():item(2, 3))
    end)
  end)
end)
