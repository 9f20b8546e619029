/* cpu_driver_texture.h: tests of CUDA arrays, textures and surfaces. What a texture reads is
 * compared with the formulas of the CUDA C++ Programming Guide ("Texture Fetching"), computed here
 * in double precision, one axis after the other. */
#ifndef CPU_DRIVER_TEXTURE_H
#define CPU_DRIVER_TEXTURE_H

#include <math.h>

#include "cpu_driver_check.h"

static cu_module texture_module (void) {
  cu_module m = NULL;
  char *text = ptx_of("spec/ptx/texture.ptx");
  OK(d->cuModuleLoadDataEx(&m, text, 0, NULL, NULL));
  free(text);
  return m;
}

static uint64_t texture_seed = 88172645463325252u;
static uint32_t tex_random (void) {
  texture_seed ^= texture_seed << 13;
  texture_seed ^= texture_seed >> 7;
  texture_seed ^= texture_seed << 17;
  return (uint32_t)(texture_seed >> 32);
}
static double tex_uniform (double from, double to) {
  return from + (to - from) * (tex_random() / 4294967296.0);
}


/* ---- formats ---- */

static uint32_t format_size (int format) {
  return format == CU_FORMAT_U8 || format == CU_FORMAT_S8                                ? 1
         : format == CU_FORMAT_U16 || format == CU_FORMAT_S16 || format == CU_FORMAT_F16 ? 2
                                                                                         : 4;
}

static double half_value (uint16_t h) {
  int exponent = h >> 10 & 31, fraction = h & 1023;
  double v = exponent == 0 ? ldexp(fraction, -24) : ldexp(1024 + fraction, exponent - 25);
  return h & 0x8000 ? -v : v;
}

/* The stored number. */
static double stored_value (int format, const uint8_t *p) {
  int8_t s8;
  uint16_t u16;
  int16_t s16;
  uint32_t u32;
  int32_t s32;
  float f32;
  memcpy(&s8, p, 1);
  if (format == CU_FORMAT_U8) return *p;
  if (format == CU_FORMAT_S8) return s8;
  memcpy(&u16, p, 2);
  memcpy(&s16, p, 2);
  if (format == CU_FORMAT_U16) return u16;
  if (format == CU_FORMAT_S16) return s16;
  if (format == CU_FORMAT_F16) return half_value(u16);
  memcpy(&u32, p, 4);
  memcpy(&s32, p, 4);
  memcpy(&f32, p, 4);
  return format == CU_FORMAT_U32 ? u32 : format == CU_FORMAT_S32 ? s32 : (double)f32;
}

static double as_unit (int format, double v) {
  double most = format == CU_FORMAT_U8    ? 255
                : format == CU_FORMAT_S8  ? 127
                : format == CU_FORMAT_U16 ? 65535
                : format == CU_FORMAT_S16 ? 32767
                                          : 0;
  return most == 0 ? v : v / most < -1 ? -1 : v / most;
}

/* Random texels: floats from -1 to 1. */
static void random_texels (int format, uint8_t *p, size_t count) {
  uint32_t size = format_size(format);
  for (size_t i = 0; i < count; i++) {
    uint32_t bits = tex_random();
    float f = (float)tex_uniform(-1, 1);
    if (format == CU_FORMAT_F32) memcpy(&bits, &f, 4);
    if (format == CU_FORMAT_F16) bits = (bits & 0x83ff) | (10 + bits % 5) << 10;
    memcpy(p + i * size, &bits, size);
  }
}


/* ---- a texture and what it must read ---- */

typedef struct sample {
  float x, y, z, layer, lod, dx[3], dy[3], unused;
} sample;

/* A texture over an array (or memory), beside a copy of its texels in the host's memory. */
typedef struct subject {
  cu_array_desc shape;
  cu_texture_desc how;
  unsigned num_levels; /* 0: not mipmapped */
  bool linear_memory, pitched;
  uint8_t *host[16];
  cu_array array;
  cu_mipmapped_array mipmapped;
  cu_deviceptr memory;
  cu_texture texture;
} subject;

static size_t at_least (size_t n) { return n != 0 ? n : 1; }
static bool is_layered (const subject *s) { return (s->shape.flags & CU_ARRAY_LAYERED) != 0; }
static bool is_cube (const subject *s) { return (s->shape.flags & CU_ARRAY_CUBEMAP) != 0; }
static bool has_slices (const subject *s) { return is_layered(s) || is_cube(s); }
static int axes_of_subject (const subject *s) {
  if (has_slices(s)) return s->shape.height != 0 ? 2 : 1;
  return s->shape.depth != 0 ? 3 : s->shape.height != 0 ? 2 : 1;
}

/* Width, height and depth of a level. */
static size_t extent_of (const subject *s, int axis, int level) {
  size_t n[3] = { s->shape.width, s->shape.height, s->shape.depth };
  if (axis == 2 && has_slices(s)) return n[2];
  return at_least(n[axis] >> level);
}

static uint32_t texel_size (const subject *s) {
  return format_size(s->shape.format) * s->shape.channels;
}

static bool reads_floats (const subject *s) {
  if (s->shape.format == CU_FORMAT_F16 || s->shape.format == CU_FORMAT_F32) return true;
  return !(s->how.flags & CU_TEXTURE_READ_AS_INTEGER) && format_size(s->shape.format) < 4;
}

/* The number of the texel that stands for i, which may be outside of [0, n); -1: the border. */
static long inside (long i, long n, int mode, bool unit) {
  if (i >= 0 && i < n) return i;
  if (mode == CU_ADDRESS_BORDER) return -1;
  if (mode == CU_ADDRESS_CLAMP || !unit) return i < 0 ? 0 : n - 1;
  while (i < 0) i += 2 * n;
  i %= 2 * n;
  if (i < n) return i;
  return mode == CU_ADDRESS_WRAP ? i - n : 2 * n - 1 - i;
}

static double decode_srgb (double v) {
  return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

static double texel_at (const subject *s, int level, const long at[4], int channel) {
  size_t w = extent_of(s, 0, level), h = extent_of(s, 1, level);
  if (at[0] < 0 || at[1] < 0 || at[2] < 0) return (double)s->how.border[channel];
  if (channel >= (int)s->shape.channels) return channel == 3 ? 1 : 0;
  size_t n = (((size_t)(at[2] + at[3]) * h + (size_t)at[1]) * w + (size_t)at[0]) * texel_size(s);
  const uint8_t *p = s->host[level] + n + (size_t)channel * format_size(s->shape.format);
  double v = stored_value(s->shape.format, p);
  if (!reads_floats(s)) return v;
  v = as_unit(s->shape.format, v);
  return (s->how.flags & CU_TEXTURE_SRGB) && channel < 3 ? decode_srgb(v) : v;
}

/* Interpolates along `axis`; those after it are settled in at[]. */
static double along (const subject *s, int level, int axis, const double x[3], long at[4],
                     int channel) {
  bool unit = is_cube(s) || (s->how.flags & CU_TEXTURE_NORMALIZED_COORDINATES) != 0;
  if (axis < 0) return texel_at(s, level, at, channel);
  long n = (long)extent_of(s, axis, level);
  double v = unit ? x[axis] * (double)n : x[axis];
  if (s->how.filter == CU_FILTER_POINT || !reads_floats(s)) {
    at[axis] = inside((long)floor(v), n, s->how.address[axis], unit);
    return along(s, level, axis - 1, x, at, channel);
  }
  double fraction = v - 0.5 - floor(v - 0.5), weight = round(fraction * 256) / 256;
  long first = (long)floor(v - 0.5);
  double sum = 0;
  for (int i = 0; i < 2; i++) {
    double part = i == 0 ? 1 - weight : weight;
    if (part == 0) continue;
    at[axis] = inside(first + i, n, s->how.address[axis], unit);
    sum += part * along(s, level, axis - 1, x, at, channel);
  }
  return sum;
}

/* The table of the guide ("Cubemap Textures"). */
static int face_of (double x, double y, double z, double *s, double *t) {
  double ax = fabs(x), ay = fabs(y), az = fabs(z), m, a, b;
  int face;
  if (ax > ay && ax > az) face = x >= 0 ? 0 : 1, m = ax, a = x >= 0 ? -z : z, b = -y;
  else if (ay > az) face = y >= 0 ? 2 : 3, m = ay, a = x, b = y >= 0 ? z : -z;
  else face = z >= 0 ? 4 : 5, m = az, a = z >= 0 ? x : -x, b = -y;
  *s = (a / m + 1) / 2;
  *t = (b / m + 1) / 2;
  return face;
}

static double level_value (const subject *s, int level, const sample *p, int channel) {
  double x[3] = { (double)p->x, (double)p->y, (double)p->z };
  long at[4] = { 0, 0, 0, 0 }, layers = (long)at_least(s->shape.depth);
  if (is_cube(s)) layers /= 6;
  if (is_layered(s))
    at[3] = p->layer < 0 ? 0 : (long)p->layer >= layers ? layers - 1 : (long)p->layer;
  if (is_cube(s)) at[3] = at[3] * 6 + face_of(x[0], x[1], x[2], &x[0], &x[1]);
  return along(s, level, axes_of_subject(s) - 1, x, at, channel);
}

static double value_of (const subject *s, const sample *p, double lod, int channel) {
  if (s->num_levels == 0) return level_value(s, 0, p, channel);
  double last = s->num_levels - 1;
  lod = fmin(fmax(lod + (double)s->how.mipmap_bias, (double)s->how.mipmap_min),
             (double)s->how.mipmap_max);
  lod = fmin(fmax(lod, 0), last);
  if (s->how.mipmap_filter == CU_FILTER_POINT || !reads_floats(s))
    return level_value(s, (int)floor(lod + 0.5), p, channel);
  double fixed = round(lod * 256) / 256, weight = fixed - floor(fixed);
  int level = (int)floor(fixed);
  double v = level_value(s, level, p, channel);
  return weight == 0 ? v : v + weight * (level_value(s, level + 1, p, channel) - v);
}


/* ---- making textures ---- */

static void fill_level (subject *s, int level, cu_array array) {
  size_t w = extent_of(s, 0, level), h = extent_of(s, 1, level), z = extent_of(s, 2, level);
  size_t bytes = w * h * at_least(z) * texel_size(s);
  s->host[level] = malloc(bytes);
  random_texels(s->shape.format, s->host[level], bytes / format_size(s->shape.format));
  OK(d->cuMemcpy3DAsync(&(cu_copy3d){ .src_type = CU_MEMTYPE_HOST,
                                      .src_host = s->host[level],
                                      .src_pitch = w * texel_size(s),
                                      .src_height = h,
                                      .dst_type = CU_MEMTYPE_ARRAY,
                                      .dst_array = array,
                                      .width = w * texel_size(s),
                                      .height = h,
                                      .depth = at_least(z) },
                        NULL));
}

static cu_resource_desc make_array (subject *s) {
  if (s->num_levels == 0) {
    OK(d->cuArray3DCreate(&s->array, &s->shape));
    fill_level(s, 0, s->array);
    return (cu_resource_desc){ .type = CU_RESOURCE_ARRAY, .array = { s->array } };
  }
  OK(d->cuMipmappedArrayCreate(&s->mipmapped, &s->shape, s->num_levels));
  for (unsigned i = 0; i < s->num_levels; i++) {
    cu_array level = NULL;
    OK(d->cuMipmappedArrayGetLevel(&level, s->mipmapped, i));
    fill_level(s, (int)i, level);
  }
  return (cu_resource_desc){ .type = CU_RESOURCE_MIPMAPPED, .mipmapped = { s->mipmapped } };
}

static cu_resource_desc make_memory (subject *s) {
  size_t row = s->shape.width * texel_size(s), h = at_least(s->shape.height);
  size_t pitch = s->pitched ? (row + 127) / 128 * 128 : row;
  s->host[0] = malloc(row * h);
  random_texels(s->shape.format, s->host[0], row * h / format_size(s->shape.format));
  s->memory = device_alloc(pitch * h);
  for (size_t y = 0; y < h; y++)
    OK(d->cuMemcpyHtoDAsync(s->memory + y * pitch, s->host[0] + y * row, row, NULL));
  cu_resource_desc r = { .type = s->pitched ? CU_RESOURCE_PITCH2D : CU_RESOURCE_LINEAR };
  if (s->pitched) {
    r.pitch2d.address = s->memory;
    r.pitch2d.format = s->shape.format;
    r.pitch2d.channels = s->shape.channels;
    r.pitch2d.width = s->shape.width;
    r.pitch2d.height = h;
    r.pitch2d.pitch = pitch;
  } else {
    r.linear.address = s->memory;
    r.linear.format = s->shape.format;
    r.linear.channels = s->shape.channels;
    r.linear.bytes = row;
  }
  return r;
}

static void subject_open (subject *s) {
  cu_resource_desc r = s->linear_memory || s->pitched ? make_memory(s) : make_array(s);
  s->texture = 0;
  OK(d->cuTexObjectCreate(&s->texture, &r, &s->how, NULL));
}

static void subject_close (subject *s) {
  OK(d->cuCtxSynchronize());
  OK(d->cuTexObjectDestroy(s->texture));
  if (s->array != NULL) OK(d->cuArrayDestroy(s->array));
  if (s->mipmapped != NULL) OK(d->cuMipmappedArrayDestroy(s->mipmapped));
  if (s->memory != 0) OK(d->cuMemFree(s->memory));
  for (int i = 0; i < 16; i++) free(s->host[i]);
}


/* ---- comparing ---- */

enum { SAMPLES = 512 };

typedef union words4 {
  float f[4];
  uint32_t u[4];
} words4;

static void run_samples (cu_module m, const char *kernel, cu_texture t, const sample *at,
                         words4 *out) {
  cu_deviceptr in = device_alloc(SAMPLES * sizeof *at), p = device_alloc(SAMPLES * sizeof *out);
  int n = SAMPLES;
  OK(d->cuMemcpyHtoDAsync(in, at, SAMPLES * sizeof *at, NULL));
  OK(launch1(function(m, kernel), SAMPLES / 128, 128, NULL, (void *[]){ &t, &n, &in, &p }));
  OK(d->cuMemcpyDtoHAsync(out, p, SAMPLES * sizeof *out, NULL));
  OK(d->cuCtxSynchronize());
  OK(d->cuMemFree(in));
  OK(d->cuMemFree(p));
}

/* Samples around the whole texture and a little outside. */
static void random_samples (const subject *s, sample *at) {
  bool unit = (s->how.flags & CU_TEXTURE_NORMALIZED_COORDINATES) != 0;
  for (int i = 0; i < SAMPLES; i++) {
    sample *p = &at[i];
    float *x[3] = { &p->x, &p->y, &p->z };
    memset(p, 0, sizeof *p);
    for (int k = 0; k < 3; k++) {
      double n = (double)extent_of(s, k, 0);
      *x[k] = (float)(unit ? tex_uniform(-1.5, 2.5) : tex_uniform(-3, n + 3));
      if (is_cube(s)) *x[k] = (float)tex_uniform(-1, 1);
      if (s->linear_memory) *x[k] = floorf(*x[k]);
    }
    p->layer = (float)(tex_random() % (at_least(s->shape.depth) + 1));
    p->lod = (float)tex_uniform(-1, s->num_levels + 1);
    for (int k = 0; k < 3; k++) {
      p->dx[k] = (float)exp2(tex_uniform(-6, 0));
      p->dy[k] = (float)exp2(tex_uniform(-6, 0));
    }
  }
}

/* Where a direction meets its face, in texels, when `step` times the change is added to it. The face is that
 * of the direction itself. */
static void on_face (const subject *s, const sample *p, const float change[3], double step,
                     double out[2]) {
  double v[3] = { (double)p->x, (double)p->y, (double)p->z }, a, b, m;
  int face = face_of(v[0], v[1], v[2], &a, &b);
  for (int k = 0; k < 3; k++) v[k] += step * (double)change[k];
  m = fabs(v[face / 2]);
  a = face < 2 ? v[2] : v[0];
  b = face == 2 || face == 3 ? v[2] : v[1];
  out[0] = a / m * (double)s->shape.width / 2;
  out[1] = b / m * (double)s->shape.width / 2;
}

/* The length in texels of a gradient. */
static double length_of (const subject *s, const sample *p, const float change[3]) {
  double sum = 0, from[2], to[2];
  const double step = 1e-6;
  if (is_cube(s)) {
    on_face(s, p, change, -step, from);
    on_face(s, p, change, step, to);
    return hypot(to[0] - from[0], to[1] - from[1]) / (2 * step);
  }
  for (int k = 0; k < axes_of_subject(s); k++)
    sum += pow((double)change[k] * (double)extent_of(s, k, 0), 2);
  return sqrt(sum);
}

static double gradient_lod (const subject *s, const sample *p) {
  return log2(fmax(length_of(s, p, p->dx), length_of(s, p, p->dy)));
}

/* Largest difference in all samples. */
static double largest_error (const subject *s, const char *kernel, const sample *at,
                             const words4 *out) {
  double worst = 0;
  bool grad = strncmp(kernel, "grad", 4) == 0, lod = strncmp(kernel, "lod", 3) == 0;
  for (int i = 0; i < SAMPLES; i++)
    for (int c = 0; c < 4; c++) {
      double level = lod ? (double)at[i].lod : grad ? gradient_lod(s, &at[i]) : 0;
      double want = value_of(s, &at[i], level, c), got = (double)out[i].f[c];
      if (!reads_floats(s))
        got = s->shape.format == CU_FORMAT_U32 ? out[i].u[c] : (double)(int32_t)out[i].u[c];
      double error = fabs(got - want);
      if (!(error <= worst)) worst = error;
      if (!(error < 1e-2) && getenv("LUACUDA_TEST_TEXTURE") != NULL)
        printf("%s: (%.9g %.9g %.9g) layer %g lod %g channel %d: %.9g, expected %.9g\n", kernel,
               (double)at[i].x, (double)at[i].y, (double)at[i].z, (double)at[i].layer, level, c,
               got, want);
    }
  return worst;
}

static void check_subject (cu_module m, const char *kernel, subject s, double tolerance) {
  sample at[SAMPLES];
  words4 out[SAMPLES];
  subject_open(&s);
  random_samples(&s, at);
  run_samples(m, kernel, s.texture, at, out);
  double error = largest_error(&s, kernel, at, out);
  CHECK(error <= tolerance,
        "%s: %zu x %zu x %zu, flags %u, format %d x %u, address %d, filter %d, flags 0x%x, "
        "%u levels: error %g",
        kernel, s.shape.width, s.shape.height, s.shape.depth, s.shape.flags, s.shape.format,
        s.shape.channels, s.how.address[0], s.how.filter, s.how.flags, s.num_levels, error);
  subject_close(&s);
}


/* ---- all combinations ---- */

static const int all_formats[] = { CU_FORMAT_U8,  CU_FORMAT_S8,  CU_FORMAT_U16, CU_FORMAT_S16,
                                   CU_FORMAT_U32, CU_FORMAT_S32, CU_FORMAT_F16, CU_FORMAT_F32 };

typedef struct shape_row {
  const char *kernel;
  size_t width, height, depth;
  unsigned flags;
} shape_row;
static const shape_row shapes[] = {
  { "tex_1d", 13, 0, 0, 0 },
  { "tex_2d", 13, 9, 0, 0 },
  { "tex_3d", 7, 5, 6, 0 },
  { "tex_a1d", 13, 0, 3, CU_ARRAY_LAYERED },
  { "tex_a2d", 13, 9, 3, CU_ARRAY_LAYERED },
  { "tex_cube", 8, 8, 6, CU_ARRAY_CUBEMAP },
  { "tex_acube", 8, 8, 12, CU_ARRAY_CUBEMAP | CU_ARRAY_LAYERED },
};

static double tolerance_of (const cu_texture_desc *how) {
  if (how->filter == CU_FILTER_POINT) return 1e-6;
  return on_cpu ? 2e-6 : 2.0 / 256;
}

static subject subject_of (const shape_row *r, int format, unsigned channels) {
  return (subject){ .shape = { r->width, r->height, r->depth, format, channels, r->flags } };
}

/* Every format as it is, and as a number from 0 or -1 to 1. */
static void test_formats (cu_module m) {
  for (size_t r = 0; r < lcu_arraylen(shapes); r++)
    for (size_t f = 0; f < lcu_arraylen(all_formats); f++)
      for (unsigned channels = 1; channels <= 4; channels *= 2)
        for (unsigned integer = 0; integer < 2; integer++) {
          subject s = subject_of(&shapes[r], all_formats[f], channels);
          s.how.flags = integer ? CU_TEXTURE_READ_AS_INTEGER : 0;
          for (int k = 0; k < 3; k++) s.how.address[k] = CU_ADDRESS_CLAMP;
          check_subject(m, shapes[r].kernel, s, 1e-6);
        }
}

/* Address modes and filters, with coordinates in texels and from 0 to 1. */
static void test_sampling (cu_module m) {
  for (size_t r = 0; r < lcu_arraylen(shapes); r++)
    for (int mode = CU_ADDRESS_WRAP; mode <= CU_ADDRESS_BORDER; mode++)
      for (int filter = CU_FILTER_POINT; filter <= CU_FILTER_LINEAR; filter++)
        for (unsigned unit = 0; unit < 2; unit++) {
          int format = all_formats[(r + (size_t)mode) % 2 ? 7 : (unsigned)mode % 4];
          subject s = subject_of(&shapes[r], format, 4);
          s.how = (cu_texture_desc){ .filter = filter,
                                     .flags = unit ? CU_TEXTURE_NORMALIZED_COORDINATES : 0,
                                     .border = { 0.25f, 0.5f, -0.75f, 0.125f } };
          for (int k = 0; k < 3; k++) s.how.address[k] = mode;
          check_subject(m, shapes[r].kernel, s, tolerance_of(&s.how));
        }
}

static void test_texture_memory (cu_module m) {
  for (size_t f = 0; f < lcu_arraylen(all_formats); f++) {
    subject s = { .shape = { 77, 0, 0, all_formats[f], 2, 0 }, .linear_memory = true };
    for (int k = 0; k < 3; k++) s.how.address[k] = CU_ADDRESS_BORDER;
    s.how.flags = CU_TEXTURE_READ_AS_INTEGER;
    check_subject(m, reads_floats(&s) ? "fetch_1d" : "fetch_1d_int", s, 1e-6);
    s = (subject){ .shape = { 13, 9, 0, all_formats[f], 1, 0 }, .pitched = true };
    for (int k = 0; k < 3; k++) s.how.address[k] = CU_ADDRESS_CLAMP;
    if (reads_floats(&s)) s.how.filter = CU_FILTER_LINEAR;
    check_subject(m, "tex_2d", s, tolerance_of(&s.how));
  }
}

static void test_srgb (cu_module m) {
  for (int filter = CU_FILTER_POINT; filter <= CU_FILTER_LINEAR; filter++) {
    subject s = subject_of(&shapes[1], CU_FORMAT_U8, 4);
    s.how.flags = CU_TEXTURE_SRGB;
    s.how.filter = filter;
    for (int k = 0; k < 3; k++) s.how.address[k] = CU_ADDRESS_CLAMP;
    check_subject(m, "tex_2d", s, on_cpu ? 2e-6 : 2.0 / 256);
  }
}

static void test_mipmaps (cu_module m) {
  static const char *const kernels[][3] = {
    { "tex_1d", "lod_1d", "grad_1d" },          { "tex_2d", "lod_2d", "grad_2d" },
    { "tex_3d", "lod_3d", "grad_3d" },          { "tex_a1d", "lod_a1d", "grad_a1d" },
    { "tex_a2d", "lod_a2d", "grad_a2d" },       { "tex_cube", "lod_cube", "grad_cube" },
    { "tex_acube", "lod_acube", "grad_acube" },
  };
  for (size_t r = 0; r < lcu_arraylen(shapes); r++)
    for (int kind = 0; kind < 3; kind++)
      for (int filter = 0; filter < 4; filter++) {
        subject s = subject_of(&shapes[r], CU_FORMAT_F32, 1);
        s.num_levels = 3;
        s.how.flags = CU_TEXTURE_NORMALIZED_COORDINATES;
        s.how.filter = filter & 1;
        s.how.mipmap_filter = filter >> 1;
        s.how.mipmap_bias = 0.25f;
        s.how.mipmap_min = 0.125f;
        s.how.mipmap_max = 1.75f;
        bool graded = kind == 2;
        if (graded && !s.how.mipmap_filter) continue; /* a small error may change the level */
        check_subject(m, kernels[r][kind], s, graded ? 2e-2 : tolerance_of(&s.how));
      }
}


/* ---- what else a texture does ---- */

static void test_gather (cu_module m) {
  static const char *const kernels[] = { "gather_r", "gather_g", "gather_b", "gather_a" };
  static const long corners[4][2] = { { 0, 1 }, { 1, 1 }, { 1, 0 }, { 0, 0 } };
  subject s = { .shape = { 13, 9, 0, CU_FORMAT_F32, 4, CU_ARRAY_GATHER } };
  sample at[SAMPLES];
  words4 out[SAMPLES];
  for (int k = 0; k < 3; k++) s.how.address[k] = CU_ADDRESS_CLAMP;
  subject_open(&s);
  random_samples(&s, at);
  for (int channel = 0; channel < 4; channel++) {
    int wrong = 0;
    run_samples(m, kernels[channel], s.texture, at, out);
    for (int i = 0; i < SAMPLES; i++)
      for (int c = 0; c < 4; c++) {
        long x = (long)floor(round(((double)at[i].x - 0.5) * 256) / 256),
             y = (long)floor(round(((double)at[i].y - 0.5) * 256) / 256);
        long n[4] = { inside(x + corners[c][0], 13, CU_ADDRESS_CLAMP, false),
                      inside(y + corners[c][1], 9, CU_ADDRESS_CLAMP, false), 0, 0 };
        wrong += (double)out[i].f[c] != texel_at(&s, 0, n, channel);
      }
    CHECK(wrong == 0, "%s: %d differ", kernels[channel], wrong);
  }
  subject_close(&s);
}

static void test_texture_queries (cu_module m) {
  cu_mipmapped_array mips = NULL;
  cu_array level = NULL;
  cu_texture t = 0;
  cu_surface s = 0;
  cu_array_desc shape = { 24, 12, 5, CU_FORMAT_F32, 1, CU_ARRAY_LAYERED | CU_ARRAY_SURFACE };
  cu_texture_desc how = { .flags = CU_TEXTURE_NORMALIZED_COORDINATES };
  int got[9] = { 0 };
  static const int want[9] = { 24, 12, 1, 5, 3, 1, 12, 24, 12 };
  cu_deviceptr p = device_alloc(sizeof got);
  OK(d->cuMipmappedArrayCreate(&mips, &shape, 3));
  OK(d->cuMipmappedArrayGetLevel(&level, mips, 0));
  cu_resource_desc r = { .type = CU_RESOURCE_MIPMAPPED, .mipmapped = { mips } };
  OK(d->cuTexObjectCreate(&t, &r, &how, NULL));
  r = (cu_resource_desc){ .type = CU_RESOURCE_ARRAY, .array = { level } };
  OK(d->cuSurfObjectCreate(&s, &r));
  OK(launch1(function(m, "query"), 1, 1, NULL, (void *[]){ &t, &s, &p }));
  OK(d->cuMemcpyDtoHAsync(got, p, sizeof got, NULL));
  OK(d->cuCtxSynchronize());
  for (int i = 0; i < 9; i++) CHECK(got[i] == want[i], "query %d: %d", i, got[i]);
  OK(d->cuTexObjectDestroy(t));
  OK(d->cuSurfObjectDestroy(s));
  OK(d->cuMipmappedArrayDestroy(mips));
  OK(d->cuMemFree(p));
}

static void test_offset (cu_module m) {
  subject s = { .shape = { 13, 9, 0, CU_FORMAT_F32, 4, 0 } };
  float x = 4.5f, y = 5.5f, got[4] = { 0 };
  int yes[2] = { 0 };
  cu_deviceptr p = device_alloc(sizeof got);
  subject_open(&s);
  OK(launch1(function(m, "offset"), 1, 1, NULL, (void *[]){ &s.texture, &x, &y, &p }));
  OK(d->cuMemcpyDtoHAsync(got, p, sizeof got, NULL));
  OK(launch1(function(m, "resident"), 1, 1, NULL, (void *[]){ &s.texture, &x, &y, &p }));
  OK(d->cuMemcpyDtoHAsync(yes, p, sizeof yes, NULL));
  OK(d->cuCtxSynchronize());
  CHECK(yes[0] == 1);
  for (int c = 0; c < 4; c++) {
    uint16_t half;
    memcpy(&half, (const char *)&got[2] + 2 * c, 2);
    double plain = texel_at(&s, 0, (long[4]){ 4, 5, 0, 0 }, c);
    CHECK(fabs(half_value(half) - plain) < 1e-3);
    if (c < 2) CHECK((double)got[c] == texel_at(&s, 0, (long[4]){ 5, 3, 0, 0 }, c));
  }
  subject_close(&s);
  OK(d->cuMemFree(p));
}


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
  CHECK(memcmp(&got, &right, sizeof got) == 0);
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
  RESULT(INVALID_VALUE, d->cuSurfObjectCreate(&s, &r)); /* without the flag */
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

static void test_texture_parts (void) {
  cu_module m = texture_module();
  test_formats(m);
  test_sampling(m);
  test_texture_memory(m);
  test_srgb(m);
  test_mipmaps(m);
  test_gather(m);
  test_texture_queries(m);
  test_offset(m);
  for (size_t i = 0; i < lcu_arraylen(surfaces); i++) check_surface(m, &surfaces[i]);
  test_boundaries(m);
  test_array_errors();
  test_texture_errors();
  if (on_cpu) test_texture_faults(m);
  OK(d->cuModuleUnload(m));
}

#endif
