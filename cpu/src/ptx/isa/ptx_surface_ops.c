/* ptx_surface_ops.c: suld, sust, sured. The x coordinate is in bytes (suld.b, sust.b, sured.b) or
 * in texels (sust.p, sured.p), the others in texels. */
#include <string.h>

#include "lcu_half.h"
#include "ptx_atomic.h"
#include "ptx_handlers.h"
#include "ptx_lanes.h"
#include "ptx_match.h"
#include "ptx_texture_ops.h"

/* An access of one lane: its place, and the end of each coordinate. */
typedef struct surface_access {
  int64_t at[4], end[4]; /* x in bytes, y, z, layer */
  uint32_t bytes;        /* a power of two */
} surface_access;

static bool is_aligned (const surface_access *x) { return (x->at[0] & (x->bytes - 1)) == 0; }

static int64_t surface_coordinate (const ptx_uop *I, const uint8_t *rf, uint32_t lane,
                                   uint32_t operand) {
  int32_t slot = I->extra->slots[operand];
  return slot >= 0 ? (int32_t)PTX_SLOT(u32, rf, slot)[lane] : 0;
}

static void read_access (const ptx_uop *I, const uint8_t *rf, uint32_t lane, const ptx_texture *t,
                         surface_access *x) {
  const ptx_match *m = &I->extra->inst->match;
  const ptx_image *image = &t->levels[0];
  x->bytes = m->mods & PTX_M_TEXELS ? t->texel_bytes : ptx_type_bytes(m->type) * m->vector;
  for (uint32_t k = 0; k < 3; k++) {
    x->at[k] = surface_coordinate(I, rf, lane, PTX_TEX_AT + k);
    x->end[k] = image->extent[k];
  }
  if (m->mods & PTX_M_TEXELS) x->at[0] *= t->texel_bytes;
  x->end[0] = x->end[0] * t->texel_bytes - x->bytes + 1;
  x->at[3] = surface_coordinate(I, rf, lane, PTX_TEX_LAYER);
  x->end[3] = t->layers;
}

/* The first coordinate that is outside; -1: none. */
static int outside_surface (const surface_access *x) {
  for (int k = 0; k < 4; k++)
    if (x->at[k] < 0 || x->at[k] >= x->end[k]) return k;
  return -1;
}

static void move_inside (surface_access *x) {
  for (int k = 0; k < 4; k++) {
    if (x->at[k] < 0) x->at[k] = 0;
    if (x->at[k] >= x->end[k]) x->at[k] = x->end[k] - 1;
  }
}

static void fault_outside (ptx_warp *w, uint32_t lane, const surface_access *x, int k,
                           const char *verb) {
  static const char *const names[] = { "x", "y", "z", "layer" };
  if (k == 0)
    ptx_texture_fault(w, lane, PTX_FAULT_OUT_OF_BOUNDS,
                      "%s of %u bytes at x = %lld of a surface whose rows have %lld bytes", verb,
                      x->bytes, (long long)x->at[0], (long long)(x->end[0] + x->bytes - 1));
  else
    ptx_texture_fault(w, lane, PTX_FAULT_OUT_OF_BOUNDS, "%s at %s = %lld of a surface with %lld",
                      verb, names[k], (long long)x->at[k], (long long)x->end[k]);
}

/* A cubemap is a layered surface. */
static bool geometry_fits (ptx_geometry wants, ptx_geometry has) {
  return wants == has || (wants == PTX_GEO_A2D && (has == PTX_GEO_CUBE || has == PTX_GEO_ACUBE));
}

static const ptx_texture *surface_of (const ptx_uop *I, const uint8_t *rf, ptx_warp *w,
                                      uint32_t lane) {
  const ptx_texture *t = ptx_texture_bind(w, lane, PTX_SLOT(u64, rf, I->a)[lane], true);
  if (t == NULL || geometry_fits((ptx_geometry)I->extra->inst->match.geometry, t->geometry))
    return t;
  ptx_texture_fault(w, lane, PTX_FAULT_TEXTURE,
                    "the surface has another geometry than the function that accesses it");
  return NULL;
}

/* Does an access outside fault? One that is longer than a row has no place at the edge either. */
static bool traps (const ptx_match *m, const surface_access *x) {
  return (m->mods & PTX_M_TRAP) || (!(m->mods & PTX_M_ZERO) && x->end[0] <= 0);
}

/* Where the access goes. NULL with *ok: nowhere, as its boundary mode says; without: a fault. */
static uint8_t *locate_texel (const ptx_uop *I, const uint8_t *rf, ptx_warp *w, uint32_t lane,
                              const ptx_texture *t, const char *verb, bool *ok) {
  const ptx_match *m = &I->extra->inst->match;
  *ok = false;
  if (t == NULL) return NULL;
  surface_access x;
  read_access(I, rf, lane, t, &x);
  int k = outside_surface(&x);
  if (k >= 0 && traps(m, &x)) {
    fault_outside(w, lane, &x, k, verb);
    return NULL;
  }
  if (k < 0 && !is_aligned(&x)) {
    ptx_texture_fault(w, lane, PTX_FAULT_MISALIGNED,
                      "%s of %u bytes of a surface at x = %lld, which counts bytes", verb, x.bytes,
                      (long long)x.at[0]);
    return NULL;
  }
  *ok = true;
  if (k >= 0 && (m->mods & PTX_M_ZERO)) return NULL;
  if (k >= 0) move_inside(&x);
  const ptx_image *image = &t->levels[0];
  return image->texels + ((size_t)x.at[0] & -(size_t)x.bytes) + (size_t)x.at[1] * image->pitch +
         (size_t)(x.at[2] + x.at[3]) * image->slice;
}

/* ---- values: registers of up to 4 bytes have 32-bit lanes, those of 8 bytes 64-bit lanes ---- */

static void load (const ptx_uop *I, uint8_t *rf, uint32_t lane, const uint8_t *p) {
  const ptx_match *m = &I->extra->inst->match;
  uint32_t size = ptx_type_bytes(m->type);
  for (uint32_t i = 0; i < m->vector; i++) {
    uint8_t *slot = rf + I->extra->slots[PTX_TEX_VALUE + i];
    uint64_t v = 0;
    if (p != NULL) memcpy(&v, p + i * size, size);
    if (size == 8) PTX_SLOT(u64, slot, 0)[lane] = v;
    else PTX_SLOT(u32, slot, 0)[lane] = (uint32_t)v;
  }
}

static void store (const ptx_uop *I, const uint8_t *rf, uint32_t lane, uint8_t *p) {
  const ptx_match *m = &I->extra->inst->match;
  uint32_t size = ptx_type_bytes(m->type);
  for (uint32_t i = 0; i < m->vector; i++) {
    int32_t slot = I->extra->slots[PTX_TEX_VALUE + i];
    uint64_t v = size == 8 ? PTX_SLOT(u64, rf, slot)[lane] : PTX_SLOT(u32, rf, slot)[lane];
    memcpy(p + i * size, &v, size);
  }
}

/* A component as the surface stores it: integers are clamped to its range. */
static uint32_t formatted (ptx_texel texel, uint32_t v) {
  int32_t s = (int32_t)v;
  switch (texel) {
    case PTX_TEXEL_U8: return v < UINT8_MAX ? v : UINT8_MAX;
    case PTX_TEXEL_U16: return v < UINT16_MAX ? v : UINT16_MAX;
    case PTX_TEXEL_S8: return (uint32_t)(s < INT8_MIN ? INT8_MIN : s > INT8_MAX ? INT8_MAX : s);
    case PTX_TEXEL_S16:
      return (uint32_t)(s < INT16_MIN ? INT16_MIN : s > INT16_MAX ? INT16_MAX : s);
    case PTX_TEXEL_F16: return lcu_float_to_half(lcu_bits_f32(v));
    default: return v;
  }
}

/* The channels for which there is no component are 0. */
static void store_texel (const ptx_uop *I, const uint8_t *rf, uint32_t lane, const ptx_texture *t,
                         uint8_t *p) {
  uint32_t size = t->texel_bytes / t->channels;
  for (uint32_t i = 0; i < t->channels; i++) {
    int32_t slot = i < I->extra->inst->match.vector ? I->extra->slots[PTX_TEX_VALUE + i] : -1;
    uint32_t v = slot >= 0 ? formatted(t->texel, PTX_SLOT(u32, rf, slot)[lane]) : 0;
    memcpy(p + i * size, &v, size);
  }
}

const ptx_uop *ptx_handle_suld (const ptx_uop *I, uint8_t *rf, ptx_warp *w) {
  PTX_EACH_ACTIVE(l, w->mask) {
    bool ok;
    const uint8_t *p = locate_texel(I, rf, w, l, surface_of(I, rf, w, l), "read", &ok);
    if (!ok) return ptx_leave(w, PTX_EV_FAULT, I);
    load(I, rf, l, p);
  }
  return I + 1;
}

const ptx_uop *ptx_handle_sust (const ptx_uop *I, uint8_t *rf, ptx_warp *w) {
  PTX_EACH_ACTIVE(l, w->mask) {
    bool ok;
    const ptx_texture *t = surface_of(I, rf, w, l);
    uint8_t *p = locate_texel(I, rf, w, l, t, "write", &ok);
    if (!ok) return ptx_leave(w, PTX_EV_FAULT, I);
    if (p != NULL && (I->extra->inst->match.mods & PTX_M_TEXELS)) store_texel(I, rf, l, t, p);
    else if (p != NULL) store(I, rf, l, p);
  }
  w->stored = 1;
  return I + 1;
}

/* The type that sured.p computes in: the surface's, if it has the size of the instruction's. */
static ptx_type reduced_type (const ptx_match *m, const ptx_texture *t) {
  if (!(m->mods & PTX_M_TEXELS)) return m->type;
  if (t->texel_bytes != ptx_type_bytes(m->type)) return PTX_NOTYPE;
  bool is_signed =
    t->texel == PTX_TEXEL_S8 || t->texel == PTX_TEXEL_S16 || t->texel == PTX_TEXEL_S32;
  if (t->texel_bytes == 8) return is_signed ? PTX_S64 : PTX_U64;
  return is_signed ? PTX_S32 : PTX_U32;
}

/* The memory of surfaces is global, so other blocks may change it at the same time. */
static bool reduce_lane (const ptx_uop *I, const uint8_t *rf, ptx_warp *w, uint32_t lane) {
  const ptx_match *m = &I->extra->inst->match;
  const ptx_texture *t = surface_of(I, rf, w, lane);
  bool ok;
  uint8_t *p = locate_texel(I, rf, w, lane, t, "reduction", &ok);
  if (!ok) return false;
  ptx_type type = reduced_type(m, t);
  if (type == PTX_NOTYPE) {
    ptx_texture_fault(w, lane, PTX_FAULT_TEXTURE,
                      "a reduction of texels of %u bytes on a surface with texels of %u bytes",
                      ptx_type_bytes(m->type), t->texel_bytes);
    return false;
  }
  uint32_t size = ptx_type_bytes(m->type);
  int32_t slot = I->extra->slots[PTX_TEX_VALUE];
  uint64_t v = size == 8 ? PTX_SLOT(u64, rf, slot)[lane] : PTX_SLOT(u32, rf, slot)[lane];
  if (p != NULL) ptx_atomic_change(p, false, size, (ptx_mode)m->mode, type, v);
  return true;
}

const ptx_uop *ptx_handle_sured (const ptx_uop *I, uint8_t *rf, ptx_warp *w) {
  PTX_EACH_ACTIVE(l, w->mask)
  if (!reduce_lane(I, rf, w, l)) return ptx_leave(w, PTX_EV_FAULT, I);
  w->stored = 1;
  return I + 1;
}
