/* cpu_driver_texel.h: what a texture must read: the formulas of the CUDA C++ Programming Guide
 * ("Texture Fetching"), computed in double precision. The weights of a filter are multiples of
 * 1/256, rounded as an H100 does. */
#ifndef CPU_DRIVER_TEXEL_H
#define CPU_DRIVER_TEXEL_H

#include <math.h>

#include "cpu_driver_check.h"

static cu_module texture_module (void) {
  cu_module m = NULL;
  char *text = ptx_of("cpu/test/ptx/texture.ptx");
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

/* The integer that is read as 1; 0: there is none. */
static double unit_of (int format) {
  return format == CU_FORMAT_U8    ? 255
         : format == CU_FORMAT_S8  ? 127
         : format == CU_FORMAT_U16 ? 65535
         : format == CU_FORMAT_S16 ? 32767
                                   : 0;
}

static double as_unit (int format, double v) {
  double most = unit_of(format);
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

static bool filters (const subject *s) {
  return s->how.filter == CU_FILTER_LINEAR && reads_floats(s);
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

/* The border is stored like a texel. */
static double border_of (const subject *s, int channel) {
  double v = (double)s->how.border[channel], most = unit_of(s->shape.format);
  if (!reads_floats(s) || most == 0) return v;
  bool is_signed = s->shape.format == CU_FORMAT_S8 || s->shape.format == CU_FORMAT_S16;
  return round(fmin(fmax(v, is_signed ? -1 : 0), 1) * most) / most;
}

static double texel_at (const subject *s, int level, const long at[4], int channel) {
  size_t w = extent_of(s, 0, level), h = extent_of(s, 1, level);
  if (at[0] < 0 || at[1] < 0 || at[2] < 0) return border_of(s, channel);
  if (channel >= (int)s->shape.channels) return 0;
  size_t n = (((size_t)(at[2] + at[3]) * h + (size_t)at[1]) * w + (size_t)at[0]) * texel_size(s);
  const uint8_t *p = s->host[level] + n + (size_t)channel * format_size(s->shape.format);
  double v = stored_value(s->shape.format, p);
  if (!reads_floats(s)) return v;
  /* a filter takes -128 as it is */
  v = s->shape.format == CU_FORMAT_S8 && filters(s) ? v / 127 : as_unit(s->shape.format, v);
  return (s->how.flags & CU_TEXTURE_SRGB) && channel < 3 ? decode_srgb(v) : v;
}

/* The axis that divides a weight when `rank` others are still to come: z, then x, then y. */
static int axis_at (const subject *s, int rank) {
  int axes = axes_of_subject(s);
  return axes == 1 || rank == 2 ? rank : 1 - rank;
}

/* The second texel's part of a weight. A tie goes up on x; on y when the texel is a second one on
 * x as well; never on z. */
static double part_of (double weight, double fraction, int axis, bool second) {
  bool up = axis == 0 || (axis == 1 && second);
  return up ? floor(weight * fraction + 0.5) : ceil(weight * fraction - 0.5);
}

/* The sum of the texels around x, which share `weight` (of 256). `rank` more axes follow; `odd`:
 * the last one chose its second texel. */
static double share (const subject *s, int level, int rank, double weight, bool odd,
                     const double x[3], long at[4], int channel) {
  bool unit = is_cube(s) || (s->how.flags & CU_TEXTURE_NORMALIZED_COORDINATES) != 0;
  if (rank < 0) return weight / 256 * texel_at(s, level, at, channel);
  int axis = axis_at(s, rank), mode = s->how.address[axis];
  long n = (long)extent_of(s, axis, level);
  double v = unit ? x[axis] * (double)n : x[axis];
  if (!filters(s)) {
    at[axis] = inside((long)floor(v), n, mode, unit);
    return share(s, level, rank - 1, weight, odd, x, at, channel);
  }
  double place = floor((v - 0.5) * 256 + 0.5), first = floor(place / 256), sum = 0;
  double second = part_of(weight, place / 256 - first, axis, odd);
  for (int i = 0; i < 2; i++) {
    double part = i == 0 ? weight - second : second;
    if (part == 0) continue;
    at[axis] = inside((long)first + i, n, mode, unit);
    sum += share(s, level, rank - 1, part, i == 1, x, at, channel);
  }
  return sum;
}

/* The filter reads half of the border above a texture that is one row. */
static double around (const subject *s, int level, double weight, const double x[3], long at[4],
                      int channel) {
  int axes = axes_of_subject(s);
  bool halved = axes == 1 && !is_layered(s) && filters(s) && s->how.address[1] == CU_ADDRESS_BORDER;
  double part = halved ? weight / 2 : weight;
  double v = share(s, level, axes - 1, part, false, x, at, channel);
  return halved ? v + part / 256 * border_of(s, channel) : v;
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

static double level_value (const subject *s, int level, double weight, const sample *p,
                           int channel) {
  double x[3] = { (double)p->x, (double)p->y, (double)p->z };
  long at[4] = { 0, 0, 0, 0 }, layers = (long)at_least(s->shape.depth);
  if (is_cube(s)) layers /= 6;
  if (is_layered(s))
    at[3] = p->layer < 0 ? 0 : (long)p->layer >= layers ? layers - 1 : (long)p->layer;
  if (is_cube(s)) at[3] = at[3] * 6 + face_of(x[0], x[1], x[2], &x[0], &x[1]);
  return around(s, level, weight, x, at, channel);
}

/* `given` is NULL where the instruction gives no level: then it is 0, without the bias. */
static double unrounded (const subject *s, const sample *p, const double *given, int channel) {
  if (s->num_levels == 0) return level_value(s, 0, 256, p, channel);
  double last = s->num_levels - 1, lod = given != NULL ? *given + (double)s->how.mipmap_bias : 0;
  lod = fmin(fmax(lod, (double)s->how.mipmap_min), (double)s->how.mipmap_max);
  lod = fmin(fmax(lod, 0), last);
  if (s->how.mipmap_filter == CU_FILTER_POINT || !reads_floats(s))
    return level_value(s, (int)floor(lod + 0.5), 256, p, channel);
  int fixed = (int)round(lod * 256), level = fixed / 256, weight = fixed % 256;
  double v = level_value(s, level, 256 - weight, p, channel);
  return weight == 0 ? v : v + level_value(s, level + 1, weight, p, channel);
}

/* The filter of signed 8-bit texels counts in 1/32767. */
static double value_of (const subject *s, const sample *p, const double *given, int channel) {
  double v = unrounded(s, p, given, channel);
  if (s->shape.format != CU_FORMAT_S8 || !filters(s)) return v;
  return fmax(round(v * 32767) / 32767, -1);
}

#endif
