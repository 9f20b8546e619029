/* cpu_driver_texture.h: tests of textures: what kernels read through them is compared with
 * cpu_driver_texel.h. */
#ifndef CPU_DRIVER_TEXTURE_H
#define CPU_DRIVER_TEXTURE_H

#include "cpu_driver_texel.h"


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

/* Where a direction meets its face, in texels, when `step` times the change is added to it. The
 * face is that of the direction itself. */
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
      double want = value_of(s, &at[i], lod || grad ? &level : NULL, c), got = (double)out[i].f[c];
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

/* What lies halfway between two steps of a filter may be rounded either way. */
static double step_of (const subject *s) {
  return s->shape.format == CU_FORMAT_S8 && filters(s) ? 1.1 / 32767 : 0;
}

static void check_subject (cu_module m, const char *kernel, subject s, double tolerance) {
  sample at[SAMPLES];
  words4 out[SAMPLES];
  subject_open(&s);
  random_samples(&s, at);
  run_samples(m, kernel, s.texture, at, out);
  double error = largest_error(&s, kernel, at, out);
  CHECK(error <= fmax(tolerance, step_of(&s)),
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
        double tolerance = graded ? 2e-2 : tolerance_of(&s.how);
        check_subject(m, kernels[r][kind], s, graded && !on_cpu ? 2 : tolerance);
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

static void test_texture_parts (void) {
  cu_module m = texture_module();
  test_formats(m);
  test_sampling(m);
  test_texture_memory(m);
  test_srgb(m);
  test_mipmaps(m);
  test_gather(m);
  if (on_cpu) test_texture_queries(m); /* a GPU driver has not found the kernel in the module */
  test_offset(m);
  OK(d->cuModuleUnload(m));
}

#endif
