// Kernels of cpu_driver_texture.h: every function that reads a texture or accesses a surface. A
// sample is 12 floats: x, y, z, layer, lod, then the gradients dx and dy of 3 floats.

struct sample {
  float x, y, z, layer, lod, dx[3], dy[3], unused;
};

#define READ(name, type, call) \
  extern "C" __global__ void name(cudaTextureObject_t t, int n, const sample *at, type *out) { \
    int i = blockIdx.x * blockDim.x + threadIdx.x; \
    if (i >= n) return; \
    sample s = at[i]; \
    float2 dx = make_float2(s.dx[0], s.dx[1]), dy = make_float2(s.dy[0], s.dy[1]); \
    float4 dx4 = make_float4(s.dx[0], s.dx[1], s.dx[2], 0); \
    float4 dy4 = make_float4(s.dy[0], s.dy[1], s.dy[2], 0); \
    int layer = (int)s.layer; \
    (void)dx, (void)dy, (void)dx4, (void)dy4, (void)layer; \
    out[i] = call; \
  }

READ(fetch_1d, float4, tex1Dfetch<float4>(t, (int)s.x))
READ(fetch_1d_int, int4, tex1Dfetch<int4>(t, (int)s.x))
READ(tex_1d, float4, tex1D<float4>(t, s.x))
READ(tex_2d, float4, tex2D<float4>(t, s.x, s.y))
READ(tex_2d_int, int4, tex2D<int4>(t, s.x, s.y))
READ(tex_3d, float4, tex3D<float4>(t, s.x, s.y, s.z))
READ(tex_a1d, float4, tex1DLayered<float4>(t, s.x, layer))
READ(tex_a2d, float4, tex2DLayered<float4>(t, s.x, s.y, layer))
READ(tex_cube, float4, texCubemap<float4>(t, s.x, s.y, s.z))
READ(tex_acube, float4, texCubemapLayered<float4>(t, s.x, s.y, s.z, layer))
READ(lod_1d, float4, tex1DLod<float4>(t, s.x, s.lod))
READ(lod_2d, float4, tex2DLod<float4>(t, s.x, s.y, s.lod))
READ(lod_3d, float4, tex3DLod<float4>(t, s.x, s.y, s.z, s.lod))
READ(lod_a1d, float4, tex1DLayeredLod<float4>(t, s.x, layer, s.lod))
READ(lod_a2d, float4, tex2DLayeredLod<float4>(t, s.x, s.y, layer, s.lod))
READ(lod_cube, float4, texCubemapLod<float4>(t, s.x, s.y, s.z, s.lod))
READ(lod_acube, float4, texCubemapLayeredLod<float4>(t, s.x, s.y, s.z, layer, s.lod))
READ(grad_1d, float4, tex1DGrad<float4>(t, s.x, s.dx[0], s.dy[0]))
READ(grad_2d, float4, tex2DGrad<float4>(t, s.x, s.y, dx, dy))
READ(grad_3d, float4, tex3DGrad<float4>(t, s.x, s.y, s.z, dx4, dy4))
READ(grad_a1d, float4, tex1DLayeredGrad<float4>(t, s.x, layer, s.dx[0], s.dy[0]))
READ(grad_a2d, float4, tex2DLayeredGrad<float4>(t, s.x, s.y, layer, dx, dy))
READ(grad_cube, float4, texCubemapGrad<float4>(t, s.x, s.y, s.z, dx4, dy4))
READ(grad_acube, float4, texCubemapLayeredGrad<float4>(t, s.x, s.y, s.z, layer, dx4, dy4))
READ(gather_r, float4, tex2Dgather<float4>(t, s.x, s.y, 0))
READ(gather_g, float4, tex2Dgather<float4>(t, s.x, s.y, 1))
READ(gather_b, float4, tex2Dgather<float4>(t, s.x, s.y, 2))
READ(gather_a, float4, tex2Dgather<float4>(t, s.x, s.y, 3))

// Attributes of a texture and of a surface.
#define QUERY(what, at) \
  asm("txq." what ".b32 %0, [%1];" : "=r"(v) : "l"(t)); \
  out[at] = v;
extern "C" __global__ void query(cudaTextureObject_t t, cudaSurfaceObject_t s, int *out) {
  int v;
  QUERY("width", 0)
  QUERY("height", 1)
  QUERY("depth", 2)
  QUERY("array_size", 3)
  QUERY("num_mipmap_levels", 4)
  QUERY("normalized_coords", 5)
  asm("txq.level.width.b32 %0, [%1], %2;" : "=r"(v) : "l"(t), "r"(1));
  out[6] = v;
  asm("suq.width.b32 %0, [%1];" : "=r"(v) : "l"(s));
  out[7] = v;
  asm("suq.height.b32 %0, [%1];" : "=r"(v) : "l"(s));
  out[8] = v;
}

extern "C" __global__ void resident(cudaTextureObject_t t, float x, float y, int *out) {
  bool yes = false;
  float4 v = tex2D<float4>(t, x, y, &yes);
  out[0] = yes;
  out[1] = (int)v.x;
}

// Coordinates of an offset in the instruction, and halves as results.
extern "C" __global__ void offset(cudaTextureObject_t t, float x, float y, float *out) {
  float v[4];
  asm("tex.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}], {1, -2};"
      : "=f"(v[0]), "=f"(v[1]), "=f"(v[2]), "=f"(v[3])
      : "l"(t), "f"(x), "f"(y));
  unsigned h[2];
  asm("tex.2d.v2.f16x2.f32 {%0, %1}, [%2, {%3, %4}];"
      : "=r"(h[0]), "=r"(h[1])
      : "l"(t), "f"(x), "f"(y));
  out[0] = v[0];
  out[1] = v[1];
  ((unsigned *)out)[2] = h[0];
  ((unsigned *)out)[3] = h[1];
}

// Surfaces: reads or writes the element at c.x, c.y, c.z; c.w is the layer or face.
#define SURF(name, type, shape, mode, ...) \
  extern "C" __global__ void read_##name(cudaSurfaceObject_t s, int n, const int4 *at, \
                                         type *out) { \
    int i = blockIdx.x * blockDim.x + threadIdx.x; \
    if (i >= n) return; \
    int4 c = at[i]; \
    int x = c.x * (int)sizeof(type); \
    out[i] = surf##shape##read<type>(s, __VA_ARGS__, mode); \
  } \
  extern "C" __global__ void write_##name(cudaSurfaceObject_t s, int n, const int4 *at, \
                                          const type *in) { \
    int i = blockIdx.x * blockDim.x + threadIdx.x; \
    if (i >= n) return; \
    int4 c = at[i]; \
    int x = c.x * (int)sizeof(type); \
    surf##shape##write<type>(in[i], s, __VA_ARGS__, mode); \
  }

#define SURF_TYPES(name, shape, mode, ...) \
  SURF(name##_b8, unsigned char, shape, mode, __VA_ARGS__) \
  SURF(name##_b16, unsigned short, shape, mode, __VA_ARGS__) \
  SURF(name##_b32, unsigned, shape, mode, __VA_ARGS__) \
  SURF(name##_b64, unsigned long long, shape, mode, __VA_ARGS__) \
  SURF(name##_v4b8, uchar4, shape, mode, __VA_ARGS__) \
  SURF(name##_v2b32, uint2, shape, mode, __VA_ARGS__) \
  SURF(name##_v4b32, uint4, shape, mode, __VA_ARGS__) \
  SURF(name##_v2b64, ulonglong2, shape, mode, __VA_ARGS__)

SURF_TYPES(1d, 1D, cudaBoundaryModeTrap, x)
SURF_TYPES(2d, 2D, cudaBoundaryModeTrap, x, c.y)
SURF_TYPES(3d, 3D, cudaBoundaryModeTrap, x, c.y, c.z)
SURF(a1d, unsigned, 1DLayered, cudaBoundaryModeTrap, x, c.w)
SURF(a2d, unsigned, 2DLayered, cudaBoundaryModeTrap, x, c.y, c.w)
SURF(cube, unsigned, Cubemap, cudaBoundaryModeTrap, x, c.y, c.w)
SURF(acube, unsigned, CubemapLayered, cudaBoundaryModeTrap, x, c.y, c.w)
SURF(zero, unsigned, 2D, cudaBoundaryModeZero, x, c.y)
SURF(clamp, unsigned, 2D, cudaBoundaryModeClamp, x, c.y)

// A surface access whose x is not a multiple of its size.
extern "C" __global__ void crooked(cudaSurfaceObject_t s, unsigned *out) {
  *out = surf2Dread<unsigned>(s, 2, 0);
}
