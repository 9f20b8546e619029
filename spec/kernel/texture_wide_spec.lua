-- luacuda/texture.h: texels of 64 bits through every function for textures and surfaces.
local helper = require "spec.helper"
local cuda = require "luacuda"

local CTYPES = { float64 = { "double", "double2" }, int64 = { "long long", "longlong2" },
  uint64 = { "unsigned long long", "ulonglong2" }, float32 = { "float", "float2" } }

local N = 3

local SHAPES = {
  { "1D", { N }, {}, fetch = "x", access = "x * S" },
  { "2D", { N, N }, {}, fetch = "x, y", access = "x * S, y" },
  { "3D", { N, N, N }, {}, fetch = "x, y, z", access = "x * S, y, z" },
  { "1DLayered", { N, N }, { layered = true }, fetch = "x, (int)y", access = "x * S, y" },
  { "2DLayered", { N, N, N }, { layered = true }, fetch = "x, y, (int)z", access = "x * S, y, z" },
  { "Cubemap", { 6, N, N }, { cubemap = true }, access = "x * S, y, z",
    fetch = "dir(z).x, dir(z).y, dir(z).z" },
  { "CubemapLayered", { 12, N, N }, { cubemap = true, layered = true }, access = "x * S, y, z",
    fetch = "dir(z).x, dir(z).y, dir(z).z, z / 6" },
}

local HEAD = [[
  #include <luacuda/texture.h>
  typedef TYPE T;
  enum { S = sizeof(T) };
  // The middle of each face.
  __device__ float3 dir(int face) {
    float v[3] = { 0, 0, 0 };
    v[face % 6 / 2] = face % 2 ? -1 : 1;
    return make_float3(v[0], v[1], v[2]);
  }
]]
local KERNELS = [[
  __global__ void copy_NAME(cudaSurfaceObject_t from, cudaSurfaceObject_t to) {
    int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
    luacuda::surfNAMEwrite(luacuda::surfNAMEread<T>(from, ACCESS), to, ACCESS);
    x += y + z + 1000;
    luacuda::surfNAMEwrite(T(), to, ACCESS, cudaBoundaryModeZero);
  }
  __global__ void read_NAME(T *out, cudaTextureObject_t t, cudaTextureObject_t mips) {
    int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
    int i = (z * blockDim.y + y) * blockDim.x + x, n = gridDim.x * blockDim.y * blockDim.x;
    out[i] = luacuda::texNAME<T>(t, FETCH);
    out[n + i] = luacuda::texNAMELod<T>(mips, FETCH, 1);
  }
]]

local function source(ctype)
  local parts = { (HEAD:gsub("TYPE", ctype)) }
  for _, shape in ipairs(SHAPES) do
    parts[#parts + 1] = KERNELS:gsub("NAME", shape[1]):gsub("ACCESS", shape.access)
      :gsub("FETCH", shape.fetch)
  end
  return table.concat(parts)
end

local function values(shape, dtype, channels)
  local all = table.move(shape, 1, #shape, 1, {})
  if channels > 1 then all[#all + 1] = channels end
  local n = helper.size_of(all)
  local a = cuda.arange(0, n):astype(dtype)
  if dtype == "float64" then a = a / 7 - 1 end
  if dtype:find "int" then a = a * (1 << 40) + 5 end
  return a:reshape(all)
end

-- Textures and surfaces of these values: what the kernels copy and read.
local function run(kernels, shape, dtype, channels)
  local name, extents = shape[1], shape[2]
  local opts = { channels = channels, surface = true }
  for k, v in pairs(shape[3]) do opts[k] = v end
  local data, n, d = values(extents, dtype, channels), helper.size_of(extents), #extents
  local from, to = cuda.cuda_array(data, opts), cuda.cuda_array(extents, dtype, opts)
  opts.mipmaps = 2
  local mips = cuda.cuda_array(extents, dtype, opts)
  mips:level(2):set(9)
  local out = cuda.zeros({ 2, n, channels }, dtype)
  local launch = { grid = d == 3 and extents[1] or 1, block = { N, d > 1 and N or 1 } }
  kernels["copy_" .. name](launch, cuda.surface(from), cuda.surface(to))
  kernels["read_" .. name](launch, cuda.ptr(out.pointer), cuda.texture(from), cuda.texture(mips))
  assert.is_true(to:array():equals(data), name)
  assert.equal(9 * n * channels, out[2]:sum(), name)
  return data:reshape { n, channels }, out[1]
end

local MIDDLE = N * N // 2 + 1

helper.for_each_device(function()
  for dtype, ctypes in pairs(CTYPES) do
    for channels, ctype in ipairs(ctypes) do
      it(("are read and written as %s"):format(ctype), function()
        local kernels = cuda.module(source(ctype)).kernels
        for _, shape in ipairs(SHAPES) do
          local want, got = run(kernels, shape, dtype, channels)
          if not shape[3].cubemap then assert.is_true(got:equals(want), shape[1]) end
          for first = 0, shape[3].cubemap and shape[2][1] * N * N - 1 or -1, N * N do
            assert.is_true(got[first + 1]:equals(want[first + MIDDLE]), shape[1])
          end
        end
      end)
    end
  end
end)
