-- headers.lua: C and C++ standard headers for NVRTC, which has none. Each is a few lines over
-- CUDA's own cuda/std, given to the compiler in memory. The user's own headers come before these.
-- CCCL moves its files between releases, hence the chains of __has_include, which cover CUDA 12.0
-- and later. A file of CCCL that includes "algorithm" gets the one made here: NVRTC looks for a
-- name in memory first.

local STD = "namespace cuda { namespace std {} }\nnamespace std { using namespace cuda::std; }\n"

-- Before CUDA 12.6 these are in libcxx only, which expects the settings around it.
local IN_LIBCXX = { algorithm = true, cstdlib = true, numeric = true }
local LIBCXX = [[
#elif __has_include(<cuda/std/detail/libcxx/include/NAME>)
#include <cuda/std/detail/__config>
#include <cuda/std/detail/__pragma_push>
#include <cuda/std/detail/libcxx/include/NAME>
#include <cuda/std/detail/__pragma_pop>
]]
local TOO_OLD = '#error "CUDA\'s headers here are too old for <NAME>"\n'

-- Includes the first of the files that the headers have; without any, the text is `otherwise`.
local function first_of(name, files, otherwise)
  local lines = { "#pragma once\n" }
  for i, file in ipairs(files) do
    lines[#lines + 1] = ("#%s __has_include(<cuda/std/%s>)\n#include <cuda/std/%s>\n")
      :format(i == 1 and "if" or "elif", file, file)
  end
  if IN_LIBCXX[name] then lines[#lines + 1] = LIBCXX end
  lines[#lines + 1] = "#else\n" .. (otherwise or TOO_OLD) .. "#endif\n"
  return (table.concat(lines):gsub("NAME", name))
end

local function over(name)
  return first_of(name, { name }) .. STD
end

local texts = {}

for name in ([[cstdint cstddef type_traits utility tuple limits cmath complex array functional
  atomic climits cfloat cstdlib cassert initializer_list numeric bit concepts span optional
  variant ratio iterator chrono memory barrier latch semaphore expected mdspan inplace_vector
  numbers bitset ranges source_location version]]):gmatch "%S+" do
  texts[name] = over(name)
end

texts["algorithm"] = over("utility") .. first_of("algorithm", { "algorithm", "__algorithm_" })
texts["stdint.h"] = "#pragma once\n#include <cuda/std/cstdint>\n"
texts["stddef.h"] = "#pragma once\n#include <cuda/std/cstddef>\n"
texts["limits.h"] = "#pragma once\n#include <cuda/std/climits>\n"
-- memcpy and memset are built into NVRTC. CCCL has the rest of <cstring> since CUDA 13.
texts["string.h"] = first_of("string.h", { "cstring" }, "")
texts["cstring"] = first_of("cstring", { "cstring" },
  "namespace cuda { namespace std { using ::memcpy; using ::memset; using ::size_t; } }\n") .. STD
texts["stdlib.h"] = first_of("cstdlib", { "cstdlib" })
texts["assert.h"] = "#pragma once\n"        -- assert and printf are built into the compiler
texts["stdio.h"] = "#pragma once\n"
texts["cstdio"] = "#pragma once\nnamespace std { using ::printf; }\n"
texts["stdbool.h"] = "#pragma once\n"
texts["new"] = "#pragma once\n"             -- placement new is built in
texts["math.h"] = [[
#pragma once
#include <cuda/std/cmath>
#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#endif
#ifndef NAN
#define NAN __int_as_float(0x7fffffff)
#endif
#ifndef HUGE_VAL
#define HUGE_VAL __longlong_as_double(0x7ff0000000000000LL)
#endif
]]
for _, row in ipairs(require "luacuda.base.math_constants") do
  texts["math.h"] = texts["math.h"]
    .. ("#ifndef %s\n#define %s %s\n#endif\n"):format(row[1], row[1], row[2])
end
texts["cmath"] = "#pragma once\n#include <math.h>\n" .. STD
-- Name, value for float, value for double. In kernels, `long double` is double.
local LIMITS = {
  { "MANT_DIG", "24", "53" }, { "DIG", "6", "15" }, { "DECIMAL_DIG", "9", "17" },
  { "HAS_SUBNORM", "1", "1" }, { "EPSILON", "1.19209290e-07f", "2.2204460492503131e-16" },
  { "MIN", "1.17549435e-38f", "2.2250738585072014e-308" },
  { "MAX", "3.40282347e+38f", "1.7976931348623157e+308" },
  { "TRUE_MIN", "1.40129846e-45f", "4.9406564584124654e-324" },
  { "MIN_EXP", "(-125)", "(-1021)" }, { "MAX_EXP", "128", "1024" },
  { "MIN_10_EXP", "(-37)", "(-307)" }, { "MAX_10_EXP", "38", "308" },
}
local function limits_text()
  local lines = { "#pragma once", "#define FLT_RADIX 2", "#define FLT_ROUNDS 1",
    "#define FLT_EVAL_METHOD 0", "#define DECIMAL_DIG 17" }
  for _, row in ipairs(LIMITS) do
    for i, kind in ipairs { "FLT", "DBL", "LDBL" } do
      lines[#lines + 1] = ("#define %s_%s %s"):format(kind, row[1], row[math.min(i, 2) + 1])
    end
  end
  return table.concat(lines, "\n") .. "\n"
end

texts["float.h"] = limits_text()
texts["cfloat"] = "#include <float.h>\n" .. texts["cfloat"]         -- CCCL's has none for NVRTC
texts["inttypes.h"] = texts["stdint.h"]
texts["cinttypes"] = texts["cstdint"]
-- The driver's own header declares host functions, which device code cannot call and NVRTC refuses;
-- kernels use only these types. <cuda/barrier> declares the first of them as well.
texts["cuda.h"] = [[
#pragma once
typedef struct CUtensorMap_st { alignas(64) unsigned long long opaque[16]; } CUtensorMap;
typedef unsigned long long CUdeviceptr;
typedef unsigned long long CUtexObject;
typedef unsigned long long CUsurfObject;
]]
-- Thrust's own header has stream operators, which NVRTC refuses. Beyond cuda::std it adds
-- arithmetic on numbers of two types.
texts["thrust/complex.h"] = over("complex") .. [[
#include <cuda/std/type_traits>
#define LUACUDA_MIXED(OP) \
  template <class A, class B, class = enable_if_t<!is_same<A, B>::value>> \
  __host__ __device__ constexpr complex<common_type_t<A, B>> \
  operator OP (const complex<A> &a, const complex<B> &b) { \
    return complex<common_type_t<A, B>>(a) OP complex<common_type_t<A, B>>(b); \
  } \
  template <class A, class B, \
            class = enable_if_t<is_arithmetic<B>::value && !is_same<A, B>::value>> \
  __host__ __device__ constexpr complex<common_type_t<A, B>> operator OP (const complex<A> &a, \
                                                                          B b) { \
    return complex<common_type_t<A, B>>(a) OP common_type_t<A, B>(b); \
  } \
  template <class A, class B, \
            class = enable_if_t<is_arithmetic<A>::value && !is_same<A, B>::value>> \
  __host__ __device__ constexpr complex<common_type_t<A, B>> operator OP (A a, \
                                                                          const complex<B> &b) { \
    return common_type_t<A, B>(a) OP complex<common_type_t<A, B>>(b); \
  }
namespace cuda { namespace std {
    LUACUDA_MIXED(+) LUACUDA_MIXED(-) LUACUDA_MIXED(*) LUACUDA_MIXED(/) } }
#undef LUACUDA_MIXED

]]

-- namespace `name` { using FROM::complex; ... } with the functions of complex numbers
local function complex_namespace(name, from, functions)
  local parts = { ("namespace %s { using %s::complex;"):format(name, from) }
  for f in functions:gmatch "%S+" do parts[#parts + 1] = (" using %s::%s;"):format(from, f) end
  return table.concat(parts) .. " }\n"
end

local COMPLEX_FUNCTIONS = [[abs arg norm conj polar exp log log10 pow sqrt sin cos tan sinh cosh
  tanh asin acos atan asinh acosh atanh]]
texts["thrust/complex.h"] = texts["thrust/complex.h"]
  .. complex_namespace("thrust", "cuda::std", COMPLEX_FUNCTIONS .. " proj")
-- Those of CuPy and PyCUDA. The kernel builders declare complex themselves and define
-- LUACUDA_COMPLEX.
texts["cupy/complex.cuh"] = [[
#pragma once
#ifndef LUACUDA_COMPLEX
#include <thrust/complex.h>
using thrust::complex;
#endif
]]
texts["pycuda-complex.hpp"] = "#pragma once\n#ifdef LUACUDA_COMPLEX\n"
  .. complex_namespace("pycuda", "", COMPLEX_FUNCTIONS .. " real imag")
  .. "#else\n#include <thrust/complex.h>\n"
  .. complex_namespace("pycuda", "thrust", COMPLEX_FUNCTIONS) .. "#endif\n"
texts["luacuda/complex.h"] =
  "#pragma once\n#include <cuda/std/complex>\nusing cuda::std::complex;\n"

texts["luacuda/vector.h"] = require "luacuda.compile.vector_header"

-- With nvcc the names of fixed width come from the host compiler.
texts["cuda_runtime.h"] =
  "#pragma once\n#include <cuda/std/cstdint>\n#include_next <cuda_runtime.h>\n"

-- CUB's own header includes functions of the host, which NVRTC refuses.
texts["cub/cub.cuh"] = "#pragma once\n"
for _, row in ipairs {
  { "block", [[adjacent_difference discontinuity exchange histogram load merge_sort radix_rank
    radix_sort reduce run_length_decode scan shuffle store]] },
  { "warp", "exchange load merge_sort reduce scan store" },
  { "thread", "load operators reduce scan search sort store" },
} do
  for name in row[2]:gmatch "%S+" do
    local path = ("<cub/%s/%s_%s.cuh>"):format(row[1], row[1], name)
    texts["cub/cub.cuh"] = texts["cub/cub.cuh"]
      .. ("#if __has_include(%s)\n#include %s\n#endif\n"):format(path, path)
  end
end

-- Texels of 64 bits, which the hardware does not have: CUDA arrays store them as channels of 32
-- bits. The functions have CUDA's names and arguments.
texts["luacuda/texture.h"] = [[
#pragma once
namespace luacuda {
template <class T> struct texel {
  typedef T stored;
  static __device__ __forceinline__ T load(T v) { return v; }
  static __device__ __forceinline__ T store(T v) { return v; }
};
template <> struct texel<double> {
  typedef int2 stored;
  static __device__ __forceinline__ double load(int2 v) { return __hiloint2double(v.y, v.x); }
  static __device__ __forceinline__ int2 store(double v) {
    return make_int2(__double2loint(v), __double2hiint(v));
  }
};
template <> struct texel<double2> {
  typedef int4 stored;
  static __device__ __forceinline__ double2 load(int4 v) {
    return make_double2(__hiloint2double(v.y, v.x), __hiloint2double(v.w, v.z));
  }
  static __device__ __forceinline__ int4 store(double2 v) {
    return make_int4(__double2loint(v.x), __double2hiint(v.x), __double2loint(v.y),
                     __double2hiint(v.y));
  }
};
template <> struct texel<long long> {
  typedef int2 stored;
  static __device__ __forceinline__ long long load(int2 v) {
    return (long long)((unsigned long long)(unsigned)v.y << 32 | (unsigned)v.x);
  }
  static __device__ __forceinline__ int2 store(long long v) {
    return make_int2((int)v, (int)(v >> 32));
  }
};
template <> struct texel<unsigned long long> {
  typedef uint2 stored;
  static __device__ __forceinline__ unsigned long long load(uint2 v) {
    return (unsigned long long)v.y << 32 | v.x;
  }
  static __device__ __forceinline__ uint2 store(unsigned long long v) {
    return make_uint2((unsigned)v, (unsigned)(v >> 32));
  }
};
template <> struct texel<longlong2> {
  typedef int4 stored;
  static __device__ __forceinline__ longlong2 load(int4 v) {
    typedef texel<long long> one;
    return make_longlong2(one::load(make_int2(v.x, v.y)), one::load(make_int2(v.z, v.w)));
  }
  static __device__ __forceinline__ int4 store(longlong2 v) {
    return make_int4((int)v.x, (int)(v.x >> 32), (int)v.y, (int)(v.y >> 32));
  }
};
template <> struct texel<ulonglong2> {
  typedef uint4 stored;
  static __device__ __forceinline__ ulonglong2 load(uint4 v) {
    typedef texel<unsigned long long> one;
    return make_ulonglong2(one::load(make_uint2(v.x, v.y)), one::load(make_uint2(v.z, v.w)));
  }
  static __device__ __forceinline__ uint4 store(ulonglong2 v) {
    return make_uint4((unsigned)v.x, (unsigned)(v.x >> 32), (unsigned)v.y, (unsigned)(v.y >> 32));
  }
};
]]

-- Name, parameters after the object, and arguments of each function.
local FETCHES = {
  { "tex1D", "float x", "x" }, { "tex2D", "float x, float y", "x, y" },
  { "tex3D", "float x, float y, float z", "x, y, z" },
  { "tex1DLayered", "float x, int layer", "x, layer" },
  { "tex2DLayered", "float x, float y, int layer", "x, y, layer" },
  { "texCubemap", "float x, float y, float z", "x, y, z" },
  { "texCubemapLayered", "float x, float y, float z, int layer", "x, y, z, layer" },
}
local SURFACES = {
  { "surf1D", "int x", "x" }, { "surf2D", "int x, int y", "x, y" },
  { "surf3D", "int x, int y, int z", "x, y, z" },
  { "surf1DLayered", "int x, int layer", "x, layer" },
  { "surf2DLayered", "int x, int y, int layer", "x, y, layer" },
  { "surfCubemap", "int x, int y, int face", "x, y, face" },
  { "surfCubemapLayered", "int x, int y, int layer_face", "x, y, layer_face" },
}

local FETCH = [[
template <class T> __device__ __forceinline__ T NAME(cudaTextureObject_t t, PARAMS) {
  return texel<T>::load(::NAME<typename texel<T>::stored>(t, ARGS));
}
]]
local LEVEL = [[
template <class T>
__device__ __forceinline__ T NAMELod(cudaTextureObject_t t, PARAMS, float level) {
  return texel<T>::load(::NAMELod<typename texel<T>::stored>(t, ARGS, level));
}
]]
local SURFACE = [[
template <class T>
__device__ __forceinline__ T NAMEread(cudaSurfaceObject_t s, PARAMS,
                                      cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  return texel<T>::load(::NAMEread<typename texel<T>::stored>(s, ARGS, mode));
}
template <class T>
__device__ __forceinline__ void NAMEwrite(T v, cudaSurfaceObject_t s, PARAMS,
                                          cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  ::NAMEwrite(texel<T>::store(v), s, ARGS, mode);
}
]]

local function instances(template, rows)
  local parts = {}
  for i, row in ipairs(rows) do
    parts[i] = template:gsub("NAME", row[1]):gsub("PARAMS", row[2]):gsub("ARGS", row[3])
  end
  return table.concat(parts)
end

texts["luacuda/texture.h"] = texts["luacuda/texture.h"]
  .. instances(FETCH, { { "tex1Dfetch", "int x", "x" } }) .. instances(FETCH, FETCHES)
  .. instances(LEVEL, FETCHES) .. instances(SURFACE, SURFACES) .. "}\n"

return texts
