/* ptx_sample.c: reading a texture at coordinates. */
#include "ptx_sample.h"

#include <math.h>
#include <string.h>

#include "ptx_cube.h"
#include "ptx_memory.h"
#include "ptx_texture_ops.h"

/* What reads of one lane share. */
typedef struct reader {
  ptx_warp *w;
  uint32_t lane;
  const ptx_texture *t;
  const ptx_image *image;
  uint32_t layer; /* or face */
  uint32_t share; /* of the level in the result, in 1/256 */
  bool filters;
} reader;

/* ---- texels ---- */

enum { OUTSIDE = -1 };

static void border (const ptx_texture *t, ptx_color *out) {
  for (int c = 0; c < 4; c++) out->f[c] = t->border[c];
}

/* The texel at x, y, z; the border when one of them is OUTSIDE. */
static bool read_texel (const reader *r, const int32_t at[3], ptx_color *out) {
  const ptx_texture *t = r->t;
  const ptx_image *m = r->image;
  if (at[0] < 0 || at[1] < 0 || at[2] < 0) {
    border(t, out);
    return true;
  }
  const uint8_t *p = m->texels + (size_t)at[0] * t->texel_bytes + (size_t)at[1] * m->pitch +
                     ((size_t)at[2] + r->layer) * m->slice;
  if (t->in_memory &&
      ptx_memory_at(r->w, PTX_GLOBAL, r->lane, (uintptr_t)p, t->texel_bytes, false) == NULL)
    return false;
  ptx_texel_read(t, p, r->filters, out);
  return true;
}

/* ---- one axis ---- */

/* The texels next to a coordinate, and the weight of the second one in 1/256. */
typedef struct axis {
  int32_t texel[2];
  uint32_t weight;
} axis;

static int32_t modulo (int64_t i, int64_t n) {
  int64_t m = i % n;
  return (int32_t)(m < 0 ? m + n : m);
}

/* The texel that stands for number i of n. */
static int32_t resolve_index (int64_t i, uint32_t n, ptx_address_mode mode) {
  if (i >= 0 && i < (int64_t)n) return (int32_t)i;
  switch (mode) {
    case PTX_ADDRESS_WRAP: return modulo(i, n);
    case PTX_ADDRESS_MIRROR: {
      int32_t m = modulo(i, 2 * (int64_t)n);
      return m < (int64_t)n ? m : (int32_t)(2 * (int64_t)n - 1 - m);
    }
    case PTX_ADDRESS_BORDER: return OUTSIDE;
    default: return i < 0 ? 0 : (int32_t)n - 1;
  }
}

/* Wrapping and mirroring are for coordinates from 0 to 1. */
static ptx_address_mode mode_of (const ptx_texture *t, uint32_t k) {
  ptx_address_mode mode = (ptx_address_mode)t->address[k];
  bool repeats = mode == PTX_ADDRESS_WRAP || mode == PTX_ADDRESS_MIRROR;
  return repeats && !t->unit ? PTX_ADDRESS_CLAMP : mode;
}

/* The coordinate in texels, in a range where integers hold it. NaN counts as 0. */
static double in_texels (const ptx_texture *t, const ptx_spot *spot, uint32_t k, uint32_t n) {
  const double far = 1 << 30;
  double x = spot->at[k];
  if (t->unit) {
    if (mode_of(t, k) == PTX_ADDRESS_WRAP) x -= floor(x);
    if (mode_of(t, k) == PTX_ADDRESS_MIRROR) x -= 2 * floor(x / 2);
    x *= n;
  }
  x += spot->offset[k];
  return x >= -far ? x < far ? x : far : x < -far ? -far : 0;
}

/* The place between the centers of texels, in 1/256. */
static int64_t fixed_of (double texels) { return (int64_t)floor((texels - 0.5) * 256 + 0.5); }

static void set_axis (axis *a, int32_t first, int32_t second, uint32_t weight) {
  a->texel[0] = first;
  a->texel[1] = second;
  a->weight = weight;
}

static void read_axis (const ptx_texture *t, const ptx_spot *spot, uint32_t k, uint32_t n,
                       bool linear, axis *out) {
  ptx_address_mode mode = mode_of(t, k);
  double x = spot->whole ? 0 : in_texels(t, spot, k, n);
  if (spot->whole || !linear) {
    int64_t i = spot->whole ? (int64_t)spot->texel[k] + spot->offset[k] : (int64_t)floor(x);
    int32_t texel = resolve_index(i, n, mode);
    set_axis(out, texel, texel, 0);
    return;
  }
  int64_t fixed = fixed_of(x), i = fixed >> 8;
  set_axis(out, resolve_index(i, n, mode), resolve_index(i + 1, n, mode), (uint32_t)(fixed & 255));
}

/* ---- one level ---- */

enum { CORNERS = 8 }; /* bit k of a corner: the second texel of axis k */

/* The weights of the corners in 1/256. One axis after the other divides the level's share: the
 * second texel's part is rounded, the first one gets the rest. Ties are rounded as an H100 does. */
static void weigh (const axis a[3], uint32_t share, uint32_t weight[CORNERS]) {
  static const uint8_t order[3] = { 2, 0, 1 };
  memset(weight, 0, CORNERS * sizeof *weight);
  weight[0] = share;
  for (uint32_t i = 0; i < 3; i++) {
    uint32_t k = order[i], second = 1u << k;
    if (a[k].weight == 0) continue;
    for (uint32_t corner = 0; corner < CORNERS; corner++) {
      if (corner & second) continue;
      bool up = k == 0 || (k == 1 && (corner & 1));
      uint32_t part = (weight[corner] * a[k].weight + (up ? 128 : 127)) >> 8;
      weight[corner | second] = part;
      weight[corner] -= part;
    }
  }
}

/* The channels that are not 0. A border has all. */
static uint32_t channels_of (const ptx_texture *t) {
  for (uint32_t k = 0; k < 3; k++)
    if (t->address[k] == PTX_ADDRESS_BORDER) return 4;
  return t->channels;
}

static bool mix (const reader *r, const axis a[3], ptx_color *out) {
  double sum[4] = { 0 };
  uint32_t weight[CORNERS], channels = channels_of(r->t);
  weigh(a, r->share, weight);
  for (uint32_t corner = 0; corner < CORNERS; corner++) {
    int32_t at[3];
    ptx_color c;
    if (weight[corner] == 0) continue;
    for (uint32_t k = 0; k < 3; k++) at[k] = a[k].texel[corner >> k & 1];
    if (!read_texel(r, at, &c)) return false;
    for (uint32_t i = 0; i < channels; i++) sum[i] += weight[corner] / 256.0 * (double)c.f[i];
  }
  for (uint32_t i = 0; i < channels; i++) out->f[i] = (float)sum[i];
  for (uint32_t i = channels; i < 4; i++) out->f[i] = 0;
  return true;
}

static bool is_cube (const ptx_texture *t) {
  return t->geometry == PTX_GEO_CUBE || t->geometry == PTX_GEO_ACUBE;
}

static uint32_t axes_of (const ptx_texture *t) {
  return is_cube(t) ? 2 : ptx_geometry_axes(t->geometry);
}

/* A one-dimensional texture is a row that the filter reads at y = 0, half of it above the row. */
static void read_row (const ptx_texture *t, axis *out) {
  bool halved = t->geometry == PTX_GEO_1D && t->address[1] == PTX_ADDRESS_BORDER;
  set_axis(out, halved ? OUTSIDE : 0, 0, halved ? 128 : 0);
}

static void axes_at (const reader *r, const ptx_spot *spot, bool linear, axis a[3]) {
  uint32_t axes = axes_of(r->t);
  for (uint32_t k = 0; k < axes; k++) read_axis(r->t, spot, k, r->image->extent[k], linear, &a[k]);
  for (uint32_t k = axes; k < 3; k++) set_axis(&a[k], 0, 0, 0);
  if (linear && axes == 1) read_row(r->t, &a[1]);
}

/* ---- across the edges of a cubemap's faces ---- */

static bool read_beyond (const reader *r, const int32_t at[2], ptx_color *out) {
  int32_t n = (int32_t)r->image->extent[0], texel[3] = { 0 };
  reader other = *r;
  other.layer -= r->layer % 6;
  other.layer += ptx_cube_beyond(r->layer % 6, n, at, texel);
  return read_texel(&other, texel, out);
}

/* Three faces meet in a corner: the fourth texel is the mean of the other three. */
static void set_corner (ptx_color c[4], int corner) {
  for (int i = 0; i < 4; i++) {
    float sum = 0;
    for (int k = 0; k < 4; k++)
      if (k != corner) sum += c[k].f[i];
    c[corner].f[i] = sum / 3;
  }
}

static bool mix_seamless (const reader *r, const ptx_spot *spot, ptx_color *out) {
  int32_t n = (int32_t)r->image->extent[0], first[2];
  axis a[3] = { 0 };
  uint32_t weight[CORNERS];
  double sum[4] = { 0 };
  ptx_color c[4];
  int corner = -1;
  for (uint32_t k = 0; k < 2; k++) {
    int64_t fixed = fixed_of(in_texels(r->t, spot, k, (uint32_t)n));
    first[k] = (int32_t)(fixed >> 8);
    a[k].weight = (uint32_t)(fixed & 255);
  }
  for (int k = 0; k < 4; k++) {
    const int32_t at[3] = { first[0] + (k & 1), first[1] + (k >> 1), 0 };
    bool out_x = at[0] < 0 || at[0] >= n, out_y = at[1] < 0 || at[1] >= n;
    if (out_x && out_y) corner = k;
    else if (!(out_x || out_y ? read_beyond(r, at, &c[k]) : read_texel(r, at, &c[k]))) return false;
  }
  if (corner >= 0) set_corner(c, corner);
  weigh(a, r->share, weight);
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < 4 && weight[k] != 0; i++) sum[i] += weight[k] / 256.0 * (double)c[k].f[i];
  for (int i = 0; i < 4; i++) out->f[i] = (float)sum[i];
  return true;
}

static bool sample_level (const reader *r, const ptx_spot *spot, ptx_color *out) {
  axis a[3];
  if (r->filters && r->t->seamless) return mix_seamless(r, spot, out);
  axes_at(r, spot, r->filters, a);
  if (r->filters || r->share < 256) return mix(r, a, out);
  return read_texel(r, (int32_t[3]){ a[0].texel[0], a[1].texel[0], a[2].texel[0] }, out);
}

/* ---- faces, layers, levels ---- */

/* The reader of level 0, and the spot in its face. */
static reader reader_of (ptx_warp *w, uint32_t lane, const ptx_texture *t, ptx_spot *spot) {
  uint32_t faces = is_cube(t) ? 6 : 1, last = t->layers / faces - 1;
  uint32_t layer = spot->layer < last ? spot->layer : last;
  if (!ptx_geometry_layered(t->geometry)) layer = 0;
  if (is_cube(t)) layer = layer * 6 + ptx_cube_face(spot->at, spot->at);
  return (reader){ w, lane, t, &t->levels[0], layer, 256, false };
}

static bool same_level (const ptx_texture *t, float lod) {
  return !t->mip_linear || lod == floorf(lod) || t->num_levels == 1;
}

/* Mixes two levels, with a weight of 8 bits. */
static bool sample_between (reader *r, const ptx_spot *spot, float lod, ptx_color *out) {
  ptx_color next;
  uint32_t fixed = (uint32_t)(lod * 256 + 0.5f), at = fixed >> 8;
  r->image = &r->t->levels[at];
  r->share = 256 - (fixed & 255);
  if (!sample_level(r, spot, out)) return false;
  if (r->share == 256) return true;
  r->image = &r->t->levels[at + 1];
  r->share = 256 - r->share;
  if (!sample_level(r, spot, &next)) return false;
  for (int i = 0; i < 4; i++) out->f[i] += next.f[i];
  return true;
}

static float clamp_float (float v, float least, float most) {
  return v > least ? v < most ? v : most : least;
}

static bool sample (reader *r, const ptx_spot *s, ptx_color *out) {
  const ptx_texture *t = r->t;
  if (!t->mipmapped) return sample_level(r, s, out);
  float lod = clamp_float(s->lod, t->least, t->most);
  lod = clamp_float(lod, 0, (float)(t->num_levels - 1));
  if (!same_level(t, lod) && ptx_texel_is_float(t)) return sample_between(r, s, lod, out);
  r->image = &t->levels[(uint32_t)(lod + 0.5f)];
  return sample_level(r, s, out);
}

bool ptx_sample (ptx_warp *w, uint32_t lane, const ptx_texture *t, ptx_spot *spot, ptx_color *out) {
  reader r = reader_of(w, lane, t, spot);
  r.filters = t->linear && ptx_texel_is_float(t) && !spot->whole;
  if (!sample(&r, spot, out)) return false;
  if (r.filters) ptx_texel_filtered(t, out);
  return true;
}

/* The square of a change of coordinates, in texels. */
static double squared (const ptx_texture *t, const ptx_spot *spot, const float change[3]) {
  double d[3] = { (double)change[0], (double)change[1], (double)change[2] }, sum = 0;
  if (is_cube(t)) ptx_cube_slope(spot->at, change, d);
  for (uint32_t k = 0; k < axes_of(t); k++) {
    double texels = d[k] * t->levels[0].extent[k];
    sum += texels * texels;
  }
  return sum;
}

float ptx_sample_lod (const ptx_texture *t, const ptx_spot *spot, const float dx[3],
                      const float dy[3]) {
  return (float)(0.5 * log2(fmax(squared(t, spot, dx), squared(t, spot, dy))));
}

bool ptx_gather (ptx_warp *w, uint32_t lane, const ptx_texture *t, ptx_spot *spot, uint32_t channel,
                 ptx_color *out) {
  static const uint8_t order[4][2] = { { 0, 1 }, { 1, 1 }, { 1, 0 }, { 0, 0 } };
  reader r = reader_of(w, lane, t, spot);
  axis a[3];
  axes_at(&r, spot, true, a);
  for (int i = 0; i < 4; i++) {
    ptx_color c;
    int32_t at[3] = { a[0].texel[order[i][0]], a[1].texel[order[i][1]], 0 };
    if (!read_texel(&r, at, &c)) return false;
    out->u[i] = c.u[channel];
  }
  return true;
}
