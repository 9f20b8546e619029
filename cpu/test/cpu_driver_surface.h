/* cpu_driver_surface.h: tests of surfaces, and of what calls and kernels refuse about arrays,
 * textures and surfaces. */
#ifndef CPU_DRIVER_SURFACE_H
#define CPU_DRIVER_SURFACE_H

#include "cpu_driver_seamless.h"


/* ---- surfaces ---- */

typedef struct surface_row {
  const char *name;
  uint32_t bytes; /* of an element */
  int format;
  unsigned channels;
  shape_row shape;
} surface_row;
#define SURFACES(kind, w, h, z, flags) \
  { #kind "_b8", 1, CU_FORMAT_U8, 1, { NULL, w, h, z, flags } }, \
    { #kind "_b16", 2, CU_FORMAT_F16, 1, { NULL, w, h, z, flags } }, \
    { #kind "_b32", 4, CU_FORMAT_F32, 1, { NULL, w, h, z, flags } }, \
    { #kind "_b64", 8, CU_FORMAT_U32, 2, { NULL, w, h, z, flags } }, \
    { #kind "_v4b8", 4, CU_FORMAT_U8, 4, { NULL, w, h, z, flags } }, \
    { #kind "_v2b32", 8, CU_FORMAT_S32, 2, { NULL, w, h, z, flags } }, \
    { #kind "_v4b32", 16, CU_FORMAT_F32, 4, { NULL, w, h, z, flags } }, { \
    #kind "_v2b64", 16, CU_FORMAT_U32, 4, { NULL, w, h, z, flags } \
  }
static const surface_row surfaces[] = {
  SURFACES(1d, 13, 0, 0, 0),
  SURFACES(2d, 13, 9, 0, 0),
  SURFACES(3d, 7, 5, 6, 0),
  { "a1d", 4, CU_FORMAT_F32, 1, { NULL, 13, 0, 3, CU_ARRAY_LAYERED } },
  { "a2d", 4, CU_FORMAT_F32, 1, { NULL, 13, 9, 3, CU_ARRAY_LAYERED } },
  { "cube", 4, CU_FORMAT_F32, 1, { NULL, 8, 8, 6, CU_ARRAY_CUBEMAP } },
  { "acube", 4, CU_FORMAT_F32, 1, { NULL, 8, 8, 12, CU_ARRAY_CUBEMAP | CU_ARRAY_LAYERED } },
};

typedef struct place4 {
  int x, y, z, layer;
} place4;

/* Every element of the array once, in a random order. */
static int all_places (const subject *s, place4 *at) {
  int n = 0, w = (int)s->shape.width, h = (int)at_least(s->shape.height),
      z = (int)at_least(s->shape.depth);
  for (int k = 0; k < z; k++)
    for (int j = 0; j < h; j++)
      for (int i = 0; i < w; i++)
        at[n++] = has_slices(s) ? (place4){ i, j, 0, k } : (place4){ i, j, k, 0 };
  for (int i = n - 1; i > 0; i--) {
    int other = (int)(tex_random() % (unsigned)(i + 1));
    place4 swap = at[i];
    at[i] = at[other];
    at[other] = swap;
  }
  return n;
}

static size_t element_at (const subject *s, place4 p) {
  size_t w = s->shape.width, h = at_least(s->shape.height);
  return (((size_t)(p.z + p.layer) * h + (size_t)p.y) * w + (size_t)p.x) * texel_size(s);
}

static cu_result launch_surface (cu_module m, const char *verb, const char *name, cu_surface s,
                                 int n, cu_deviceptr at, cu_deviceptr values) {
  char kernel[64];
  snprintf(kernel, sizeof kernel, "%s_%s", verb, name);
  return launch1(function(m, kernel), (unsigned)(n + 127) / 128, 128, NULL,
                 (void *[]){ &s, &n, &at, &values });
}

static cu_surface surface_over (cu_array a) {
  cu_surface s = 0;
  OK(d->cuSurfObjectCreate(&s, &(cu_resource_desc){ .type = CU_RESOURCE_ARRAY, .array = { a } }));
  return s;
}

/* Reads every element, then writes new ones. */
static void check_surface (cu_module m, const surface_row *row) {
  static place4 at[1024];
  static uint8_t got[16 * 1024], fresh[16 * 1024], whole[16 * 1024];
  subject s = subject_of(&row->shape, row->format, row->channels);
  s.shape.flags |= CU_ARRAY_SURFACE;
  OK(d->cuArray3DCreate(&s.array, &s.shape));
  fill_level(&s, 0, s.array);
  int n = all_places(&s, at), wrong = 0;
  size_t bytes = (size_t)n * row->bytes;
  cu_surface surface = surface_over(s.array);
  cu_deviceptr places = device_alloc(sizeof at), values = device_alloc(bytes);
  OK(d->cuMemcpyHtoDAsync(places, at, sizeof at, NULL));
  OK(launch_surface(m, "read", row->name, surface, n, places, values));
  OK(d->cuMemcpyDtoHAsync(got, values, bytes, NULL));
  for (int i = 0; i < n; i++)
    wrong += memcmp(got + (size_t)i * row->bytes, s.host[0] + element_at(&s, at[i]), row->bytes);
  CHECK(wrong == 0, "read_%s", row->name);
  for (size_t i = 0; i < bytes; i++) fresh[i] = (uint8_t)tex_random();
  OK(d->cuMemcpyHtoDAsync(values, fresh, bytes, NULL));
  OK(launch_surface(m, "write", row->name, surface, n, places, values));
  size_t pitch = s.shape.width * row->bytes, h = at_least(s.shape.height);
  OK(d->cuMemcpy3DAsync(&(cu_copy3d){ .src_type = CU_MEMTYPE_ARRAY,
                                      .src_array = s.array,
                                      .dst_type = CU_MEMTYPE_HOST,
                                      .dst_host = whole,
                                      .dst_pitch = pitch,
                                      .dst_height = h,
                                      .width = pitch,
                                      .height = h,
                                      .depth = at_least(s.shape.depth) },
                        NULL));
  OK(d->cuCtxSynchronize());
  for (int i = 0; i < n; i++)
    wrong += memcmp(fresh + (size_t)i * row->bytes, whole + element_at(&s, at[i]), row->bytes);
  CHECK(wrong == 0, "write_%s", row->name);
  OK(d->cuSurfObjectDestroy(surface));
  OK(d->cuArrayDestroy(s.array));
  OK(d->cuMemFree(places));
  OK(d->cuMemFree(values));
  free(s.host[0]);
}

/* Outside of the surface: zero reads 0 and drops writes, clamp goes to the edge. */
static void test_boundaries (cu_module m) {
  static const place4 at[4] = { { -1, 2, 0, 0 }, { 13, 2, 0, 0 }, { 3, -5, 0, 0 }, { 3, 9, 0, 0 } };
  static const long edge[4][4] = { { 0, 2 }, { 12, 2 }, { 3, 0 }, { 3, 8 } };
  uint32_t got[4], fresh[4] = { 1, 2, 3, 4 };
  subject s = { .shape = { 13, 9, 0, CU_FORMAT_U32, 1, CU_ARRAY_SURFACE } };
  OK(d->cuArray3DCreate(&s.array, &s.shape));
  fill_level(&s, 0, s.array);
  cu_surface surface = surface_over(s.array);
  cu_deviceptr places = device_alloc(sizeof at), values = device_alloc(sizeof got);
  OK(d->cuMemcpyHtoDAsync(places, at, sizeof at, NULL));
  OK(launch_surface(m, "read", "zero", surface, 4, places, values));
  OK(d->cuMemcpyDtoHAsync(got, values, sizeof got, NULL));
  OK(d->cuCtxSynchronize());
  for (int i = 0; i < 4; i++) CHECK(got[i] == 0);
  OK(launch_surface(m, "read", "clamp", surface, 4, places, values));
  OK(d->cuMemcpyDtoHAsync(got, values, sizeof got, NULL));
  OK(d->cuCtxSynchronize());
  for (int i = 0; i < 4; i++) CHECK(got[i] == texel_at(&s, 0, edge[i], 0), "clamped read %d", i);
  OK(d->cuMemcpyHtoDAsync(values, fresh, sizeof fresh, NULL));
  OK(launch_surface(m, "write", "zero", surface, 4, places, values));
  OK(launch_surface(m, "read", "clamp", surface, 4, places, values));
  OK(d->cuMemcpyDtoHAsync(got, values, sizeof got, NULL));
  OK(d->cuCtxSynchronize());
  for (int i = 0; i < 4; i++) CHECK(got[i] == texel_at(&s, 0, edge[i], 0), "dropped write %d", i);
  OK(d->cuMemcpyHtoDAsync(values, fresh, sizeof fresh, NULL));
  OK(launch_surface(m, "write", "clamp", surface, 4, places, values));
  OK(launch_surface(m, "read", "clamp", surface, 4, places, values));
  OK(d->cuMemcpyDtoHAsync(got, values, sizeof got, NULL));
  OK(d->cuCtxSynchronize());
  for (int i = 0; i < 4; i++) CHECK(got[i] == fresh[i], "clamped write %d", i);
  OK(d->cuSurfObjectDestroy(surface));
  OK(d->cuArrayDestroy(s.array));
  OK(d->cuMemFree(places));
  OK(d->cuMemFree(values));
  free(s.host[0]);
}


/* ---- wrong calls ---- */

static void test_array_errors (void) {
  cu_array a = NULL;
  cu_mipmapped_array mips = NULL;
  cu_array_desc got;
  static const cu_array_desc wrong[] = {
    { 0, 4, 0, CU_FORMAT_F32, 1, 0 },                /* no width */
    { 4, 0, 4, CU_FORMAT_F32, 1, 0 },                /* 3D without a height */
    { 4, 4, 0, CU_FORMAT_F32, 3, 0 },                /* three channels */
    { 4, 4, 0, 0x7f, 1, 0 },                         /* no such format */
    { 4, 4, 0, CU_FORMAT_F32, 1, CU_ARRAY_LAYERED }, /* no layers */
    { 4, 5, 6, CU_FORMAT_F32, 1, CU_ARRAY_CUBEMAP }, /* not a square */
    { 4, 4, 5, CU_FORMAT_F32, 1, CU_ARRAY_CUBEMAP }, /* five faces */
    { 1u << 30, 0, 0, CU_FORMAT_F32, 1, 0 },         /* too large */
  };
  for (size_t i = 0; i < lcu_arraylen(wrong); i++)
    RESULT(INVALID_VALUE, d->cuArray3DCreate(&a, &wrong[i]));
  RESULT(INVALID_VALUE, d->cuArray3DCreate(NULL, &wrong[0]));
  RESULT(INVALID_VALUE, d->cuArray3DCreate(&a, NULL));
  cu_array_desc right = { 9, 5, 0, CU_FORMAT_S16, 2, CU_ARRAY_SURFACE };
  OK(d->cuArray3DCreate(&a, &right));
  OK(d->cuArray3DGetDescriptor(&got, a));
  CHECK(got.width == 9 && got.height == 5 && got.depth == 0 && got.format == CU_FORMAT_S16 &&
        got.channels == 2 && got.flags == CU_ARRAY_SURFACE);
  cu_copy3d c = { .src_type = CU_MEMTYPE_ARRAY,
                  .src_array = a,
                  .dst_type = CU_MEMTYPE_HOST,
                  .dst_host = &got,
                  .width = 40,
                  .height = 1,
                  .depth = 1 };
  RESULT(INVALID_VALUE, d->cuMemcpy3DAsync(&c, NULL));
  c.width = 4;
  c.src_y = 5;
  RESULT(INVALID_VALUE, d->cuMemcpy3DAsync(&c, NULL));
  c.src_y = 0;
  c.src_x = 2;
  ON_CPU(RESULT(INVALID_VALUE, d->cuMemcpy3DAsync(&c, NULL)));
  OK(d->cuArrayDestroy(a));
  ON_CPU(RESULT(INVALID_HANDLE, d->cuArrayDestroy(a)));
  ON_CPU(RESULT(INVALID_HANDLE, d->cuArray3DGetDescriptor(&got, a)));
  c.src_x = 0;
  ON_CPU(RESULT(INVALID_HANDLE, d->cuMemcpy3DAsync(&c, NULL)));
  right = (cu_array_desc){ 9, 5, 3, CU_FORMAT_F32, 1, 0 };
  OK(d->cuMipmappedArrayCreate(&mips, &right, 99));
  OK(d->cuMipmappedArrayGetLevel(&a, mips, 3));
  OK(d->cuArray3DGetDescriptor(&got, a));
  CHECK(got.width == 1 && got.height == 1 && got.depth == 1);
  RESULT(INVALID_VALUE, d->cuMipmappedArrayGetLevel(&a, mips, 4));
  ON_CPU(RESULT(INVALID_HANDLE, d->cuArrayDestroy(a)));
  OK(d->cuMipmappedArrayDestroy(mips));
  ON_CPU(RESULT(INVALID_HANDLE, d->cuMipmappedArrayDestroy(mips)));
  ON_CPU(RESULT(INVALID_HANDLE, d->cuArray3DGetDescriptor(&got, a)));
}

static void test_texture_errors (void) {
  cu_array a = NULL;
  cu_texture t = 0;
  cu_surface s = 0;
  cu_texture_desc how = { .filter = CU_FILTER_POINT }, got;
  cu_array_desc shape = { 9, 5, 0, CU_FORMAT_U32, 1, 0 };
  OK(d->cuArray3DCreate(&a, &shape));
  cu_resource_desc r = { .type = CU_RESOURCE_ARRAY, .array = { a } }, got_r;
  ON_CPU(RESULT(INVALID_VALUE, d->cuSurfObjectCreate(&s, &r))); /* without the flag */
  RESULT(INVALID_VALUE, d->cuTexObjectCreate(&t, NULL, &how, NULL));
  RESULT(INVALID_VALUE, d->cuTexObjectCreate(NULL, &r, &how, NULL));
  how.filter = CU_FILTER_LINEAR;
  ON_CPU(RESULT(INVALID_VALUE, d->cuTexObjectCreate(&t, &r, &how, NULL)));
  how.filter = 7;
  ON_CPU(RESULT(INVALID_VALUE, d->cuTexObjectCreate(&t, &r, &how, NULL)));
  how.filter = CU_FILTER_POINT;
  how.address[1] = 9;
  ON_CPU(RESULT(INVALID_VALUE, d->cuTexObjectCreate(&t, &r, &how, NULL)));
  how.address[1] = CU_ADDRESS_CLAMP;
  OK(d->cuTexObjectCreate(&t, &r, &how, NULL));
  OK(d->cuTexObjectGetTextureDesc(&got, t));
  OK(d->cuTexObjectGetResourceDesc(&got_r, t));
  CHECK(got.address[1] == CU_ADDRESS_CLAMP && got_r.type == CU_RESOURCE_ARRAY &&
        got_r.array.handle == a);
  OK(d->cuTexObjectDestroy(t));
  ON_CPU(RESULT(INVALID_HANDLE, d->cuTexObjectDestroy(t)));
  ON_CPU(RESULT(INVALID_HANDLE, d->cuSurfObjectDestroy(t)));
  OK(d->cuArrayDestroy(a));
  ON_CPU(RESULT(INVALID_HANDLE, d->cuTexObjectCreate(&t, &r, &how, NULL)));
  cu_deviceptr p = device_alloc(4096);
  r = (cu_resource_desc){ .type = CU_RESOURCE_LINEAR };
  r.linear.address = p + 4;
  r.linear.format = CU_FORMAT_F32;
  r.linear.channels = 1;
  r.linear.bytes = 64;
  RESULT(INVALID_VALUE, d->cuTexObjectCreate(&t, &r, &how, NULL));
  r.linear.address = p;
  r.linear.bytes = 8192;
  ON_CPU(RESULT(INVALID_VALUE, d->cuTexObjectCreate(&t, &r, &how, NULL)));
  r = (cu_resource_desc){ .type = CU_RESOURCE_PITCH2D };
  r.pitch2d.address = p;
  r.pitch2d.format = CU_FORMAT_F32;
  r.pitch2d.channels = 1;
  r.pitch2d.width = r.pitch2d.height = 8;
  r.pitch2d.pitch = 40;
  RESULT(INVALID_VALUE, d->cuTexObjectCreate(&t, &r, &how, NULL));
  OK(d->cuMemFree(p));
}


/* ---- faults ---- */

/* The next fault is of this kind and its message has these words. */
static void expect_fault (cu_result code, const char *kind, const char *kernel, const char *said) {
  cux_fault f = { .line = 0 };
  result_at(__LINE__, __FILE__, d->cuCtxSynchronize(), code, kernel);
  OK(d->cuxTakeFault(&f));
  CHECK(strcmp(f.kind, kind) == 0 && strcmp(f.kernel, kernel) == 0 && f.line > 0 &&
          strstr(f.message, said) != NULL,
        "%s: %s", f.kind, f.message);
}

static void test_texture_faults (cu_module m) {
  subject s = { .shape = { 13, 9, 0, CU_FORMAT_F32, 1, CU_ARRAY_SURFACE } };
  subject memory = { .shape = { 64, 0, 0, CU_FORMAT_F32, 1, 0 }, .linear_memory = true };
  place4 at = { 13, 0, 0, 0 };
  sample p = { .x = 1 };
  int n = 1;
  uint64_t none = 12345;
  subject_open(&s);
  subject_open(&memory);
  cu_surface surface = surface_over(s.array);
  cu_deviceptr in = device_alloc(256), out = device_alloc(256);
  OK(d->cuMemcpyHtoDAsync(in, &p, sizeof p, NULL));
  OK(launch1(function(m, "tex_2d"), 1, 1, NULL, (void *[]){ &none, &n, &in, &out }));
  expect_fault(CU_ERR_LAUNCH_FAILED, "texture", "tex_2d", "0x3039 is not a texture object");
  OK(launch1(function(m, "tex_2d"), 1, 1, NULL, (void *[]){ &surface, &n, &in, &out }));
  expect_fault(CU_ERR_LAUNCH_FAILED, "texture", "tex_2d", "is a surface object, not a texture");
  OK(launch1(function(m, "read_2d_b32"), 1, 1, NULL, (void *[]){ &s.texture, &n, &in, &out }));
  expect_fault(CU_ERR_LAUNCH_FAILED, "texture", "read_2d_b32",
               "is a texture object, not a surface");
  OK(launch1(function(m, "tex_3d"), 1, 1, NULL, (void *[]){ &s.texture, &n, &in, &out }));
  expect_fault(CU_ERR_LAUNCH_FAILED, "texture", "tex_3d", "a 3D read from a 2D texture");
  OK(d->cuMemFree(memory.memory));
  OK(launch1(function(m, "fetch_1d"), 1, 1, NULL, (void *[]){ &memory.texture, &n, &in, &out }));
  expect_fault(CU_ERR_ILLEGAL_ADDRESS, "use after free", "fetch_1d", "4 bytes into the freed");
  memory.memory = 0;
  OK(d->cuMemcpyHtoDAsync(in, &at, sizeof at, NULL));
  OK(launch_surface(m, "read", "2d_b32", surface, 1, in, out));
  expect_fault(CU_ERR_ILLEGAL_ADDRESS, "out of bounds", "read_2d_b32",
               "read of 4 bytes at x = 52 of a surface whose rows have 52 bytes");
  at = (place4){ 0, -1, 0, 0 };
  OK(d->cuMemcpyHtoDAsync(in, &at, sizeof at, NULL));
  OK(launch_surface(m, "write", "2d_b32", surface, 1, in, out));
  expect_fault(CU_ERR_ILLEGAL_ADDRESS, "out of bounds", "write_2d_b32", "write at y = -1");
  OK(launch1(function(m, "crooked"), 1, 1, NULL, (void *[]){ &surface, &out }));
  expect_fault(CU_ERR_MISALIGNED_ADDRESS, "misaligned", "crooked", "x = 2");
  OK(d->cuSurfObjectDestroy(surface));
  OK(launch1(function(m, "crooked"), 1, 1, NULL, (void *[]){ &surface, &out }));
  expect_fault(CU_ERR_LAUNCH_FAILED, "texture", "crooked", "is a destroyed surface");
  OK(d->cuArrayDestroy(s.array));
  s.array = NULL;
  OK(launch1(function(m, "tex_2d"), 1, 1, NULL, (void *[]){ &s.texture, &n, &in, &out }));
  expect_fault(CU_ERR_LAUNCH_FAILED, "texture", "tex_2d", "is a texture of a destroyed array");
  subject_close(&s);
  subject_close(&memory);
  OK(d->cuMemFree(in));
  OK(d->cuMemFree(out));
}

/* ---- the end of objects ---- */

static cu_texture texture_of_memory (cu_deviceptr p, size_t bytes) {
  cu_texture t = 0;
  cu_resource_desc r = { .type = CU_RESOURCE_LINEAR };
  cu_texture_desc how = { .filter = CU_FILTER_POINT };
  r.linear.address = p;
  r.linear.format = CU_FORMAT_U32;
  r.linear.channels = 1;
  r.linear.bytes = bytes;
  OK(d->cuTexObjectCreate(&t, &r, &how, NULL));
  return t;
}

static bool all_differ (const cu_texture *list, size_t n) {
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < i; k++)
      if (list[i] == list[k]) return false;
  return true;
}

/* A kernel that is queued reads a texture that the program has destroyed since, whatever objects
 * are made before it runs. */
static void test_destroyed_in_use (cu_module m) {
  uint32_t values[SAMPLES], zeros[SAMPLES] = { 0 };
  sample at[SAMPLES] = { 0 };
  words4 out[SAMPLES];
  int n = SAMPLES, wrong = 0;
  gate g = { 0 };
  cu_deviceptr p = device_alloc(sizeof values), q = device_alloc(sizeof zeros),
               in = device_alloc(sizeof at), to = device_alloc(sizeof out);
  for (int i = 0; i < SAMPLES; i++) {
    values[i] = tex_random() | 1;
    at[i].x = (float)i;
  }
  OK(d->cuMemcpyHtoDAsync(p, values, sizeof values, NULL));
  OK(d->cuMemcpyHtoDAsync(q, zeros, sizeof zeros, NULL));
  OK(d->cuMemcpyHtoDAsync(in, at, sizeof at, NULL));
  cu_texture t = texture_of_memory(p, sizeof values), others[8];
  OK(d->cuLaunchHostFunc(NULL, gate_wait, &g));
  OK(
    launch1(function(m, "fetch_1d_int"), SAMPLES / 128, 128, NULL, (void *[]){ &t, &n, &in, &to }));
  OK(d->cuTexObjectDestroy(t));
  RESULT(INVALID_HANDLE, d->cuTexObjectDestroy(t));
  for (int i = 0; i < 8; i++) others[i] = texture_of_memory(q, sizeof zeros);
  g.open = true;
  OK(d->cuMemcpyDtoHAsync(out, to, sizeof out, NULL));
  OK(d->cuCtxSynchronize());
  for (int i = 0; i < SAMPLES; i++) wrong += out[i].u[0] != values[i];
  CHECK(wrong == 0, "%d differ", wrong);
  for (int i = 0; i < 8; i++) OK(d->cuTexObjectDestroy(others[i]));
  OK(d->cuMemFree(p));
  OK(d->cuMemFree(q));
  OK(d->cuMemFree(in));
  OK(d->cuMemFree(to));
}

/* Objects end with their context, those of others stay. A record that is free already is not freed
 * again: later objects have records of their own. */
static void test_textures_of_context (void) {
  enum { N = 8 };
  cu_deviceptr p = device_alloc(256);
  cu_resource_desc seen;
  cu_texture ours[N], theirs[N], later[N];
  for (int i = 0; i < N; i++) ours[i] = texture_of_memory(p, 256);
  cu_context c = NULL;
  OK(d->cuCtxCreate(&c, 0, 0));
  for (int i = 0; i < N; i++) theirs[i] = texture_of_memory(p, 256);
  for (int i = 0; i < N / 2; i++) OK(d->cuTexObjectDestroy(theirs[i]));
  OK(d->cuCtxSynchronize());
  cu_texture last = texture_of_memory(p, 256); /* takes the records of those that have left */
  OK(d->cuCtxDestroy(c));
  RESULT(INVALID_HANDLE, d->cuTexObjectDestroy(last));
  for (int i = 0; i < N; i++) {
    RESULT(INVALID_HANDLE, d->cuTexObjectGetResourceDesc(&seen, theirs[i]));
    RESULT(INVALID_HANDLE, d->cuTexObjectDestroy(theirs[i]));
    OK(d->cuTexObjectGetResourceDesc(&seen, ours[i]));
  }
  for (int i = 0; i < N; i++) later[i] = texture_of_memory(p, 256);
  CHECK(all_differ(later, N));
  for (int i = 0; i < N; i++) {
    OK(d->cuTexObjectDestroy(ours[i]));
    OK(d->cuTexObjectDestroy(later[i]));
  }
  OK(d->cuMemFree(p));
}

static void test_surface_parts (void) {
  cu_module m = texture_module();
  for (size_t i = 0; i < lcu_arraylen(surfaces); i++) check_surface(m, &surfaces[i]);
  test_boundaries(m);
  test_seamless(m);
  test_array_errors();
  test_texture_errors();
  if (on_cpu) test_texture_faults(m);
  if (on_cpu) test_destroyed_in_use(m);
  if (on_cpu) test_textures_of_context();
  OK(d->cuModuleUnload(m));
}

#endif
