/* ptx_texel.c: one texel: its conversion to what a texture instruction returns. */
#include "ptx_texel.h"

#include <math.h>
#include <string.h>

#include "lcu_half.h"

bool ptx_texel_is_float (const ptx_texture *t) {
  if (t->texel == PTX_TEXEL_F16 || t->texel == PTX_TEXEL_F32) return true;
  return t->as_float && t->texel != PTX_TEXEL_U32 && t->texel != PTX_TEXEL_S32;
}

/* ---- one channel ---- */

static uint32_t texel_bytes (ptx_texel texel) {
  static const uint8_t bytes[] = {
    [PTX_TEXEL_U8] = 1,  [PTX_TEXEL_S8] = 1,  [PTX_TEXEL_U16] = 2, [PTX_TEXEL_S16] = 2,
    [PTX_TEXEL_U32] = 4, [PTX_TEXEL_S32] = 4, [PTX_TEXEL_F16] = 2, [PTX_TEXEL_F32] = 4,
  };
  return bytes[texel];
}

static uint16_t bits16 (const uint8_t *p) {
  uint16_t v;
  memcpy(&v, p, sizeof v);
  return v;
}

static uint32_t read_integer (ptx_texel texel, const uint8_t *p) {
  uint32_t v;
  switch (texel) {
    case PTX_TEXEL_U8: return *p;
    case PTX_TEXEL_S8: return (uint32_t)(int8_t)*p;
    case PTX_TEXEL_U16: return bits16(p);
    case PTX_TEXEL_S16: return (uint32_t)(int16_t)bits16(p);
    default: memcpy(&v, p, sizeof v); return v;
  }
}

/* The most negative integer is -1 as well. */
static float to_unit (int32_t v, int32_t most) {
  return v < -most ? -1.0f : (float)v / (float)most;
}

static float read_float (ptx_texel texel, const uint8_t *p) {
  float v;
  switch (texel) {
    case PTX_TEXEL_U8: return (float)*p / 255.0f;
    case PTX_TEXEL_S8: return to_unit((int8_t)*p, INT8_MAX);
    case PTX_TEXEL_U16: return (float)bits16(p) / 65535.0f;
    case PTX_TEXEL_S16: return to_unit((int16_t)bits16(p), INT16_MAX);
    case PTX_TEXEL_F16: return lcu_half_to_float(bits16(p));
    default: memcpy(&v, p, sizeof v); return v;
  }
}

/* IEC 61966-2-1 */
static float linear_light (float v) {
  return v <= 0.04045f ? v / 12.92f : powf((v + 0.055f) / 1.055f, 2.4f);
}

/* ---- all channels ---- */

/* A filter of an H100 takes -128 as it is, and has 1/32767 as the unit of its results. */
static bool is_coarse (const ptx_texture *t) { return t->texel == PTX_TEXEL_S8 && t->as_float; }

static void read_floats (const ptx_texture *t, const uint8_t *p, bool filtered, ptx_color *out) {
  uint32_t bytes = texel_bytes(t->texel);
  for (uint32_t c = 0; c < t->channels; c++) {
    bool raw = filtered && is_coarse(t);
    out->f[c] = raw ? (float)(int8_t)p[c] / INT8_MAX : read_float(t->texel, p + c * bytes);
    if (t->srgb && c < 3) out->f[c] = linear_light(out->f[c]);
  }
  for (uint32_t c = t->channels; c < 4; c++) out->f[c] = 0;
}

void ptx_texel_filtered (const ptx_texture *t, ptx_color *c) {
  for (uint32_t i = 0; i < t->channels && is_coarse(t); i++)
    c->f[i] = fmaxf(roundf(c->f[i] * INT16_MAX) / INT16_MAX, -1.0f);
}

void ptx_texel_read (const ptx_texture *t, const uint8_t *p, bool filtered, ptx_color *out) {
  uint32_t bytes = texel_bytes(t->texel);
  if (ptx_texel_is_float(t)) {
    read_floats(t, p, filtered, out);
    return;
  }
  for (uint32_t c = 0; c < t->channels; c++) out->u[c] = read_integer(t->texel, p + c * bytes);
  for (uint32_t c = t->channels; c < 4; c++) out->u[c] = 0;
}
