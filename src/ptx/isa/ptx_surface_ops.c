/* ptx_surface_ops.c: suld, sust. The x coordinate is in bytes, the others in texels. */
#include <string.h>

#include "ptx_handlers.h"
#include "ptx_lanes.h"
#include "ptx_match.h"
#include "ptx_texture_ops.h"

/* An access of one lane: its place, and the end of each coordinate. */
typedef struct access {
  int64_t at[4], end[4]; /* x in bytes, y, z, layer */
  uint32_t axes, bytes;
  bool layered;
} access;

static int64_t coordinate (const ptx_uop *I, const uint8_t *rf, uint32_t lane, uint32_t operand) {
  int32_t slot = I->extra->slots[operand];
  return slot >= 0 ? (int32_t)PTX_SLOT(u32, rf, slot)[lane] : 0;
}

static access access_of (const ptx_uop *I, const uint8_t *rf, uint32_t lane, const ptx_texture *t) {
  const ptx_match *m = &I->extra->inst->match;
  const ptx_image *image = &t->levels[0];
  access x = { .axes = ptx_geometry_axes((ptx_geometry)m->geometry),
               .bytes = ptx_type_bytes(m->type) * m->vector,
               .layered = ptx_geometry_layered((ptx_geometry)m->geometry) };
  for (uint32_t k = 0; k < 3; k++) {
    x.at[k] = coordinate(I, rf, lane, PTX_TEX_AT + k);
    x.end[k] = image->extent[k];
  }
  x.end[0] = x.end[0] * t->texel_bytes - x.bytes + 1;
  x.at[3] = coordinate(I, rf, lane, PTX_TEX_LAYER);
  x.end[3] = t->layers;
  return x;
}

/* The first coordinate that is outside; -1: none. */
static int outside (const access *x) {
  for (int k = 0; k < 4; k++)
    if (x->at[k] < 0 || x->at[k] >= x->end[k]) return k;
  return -1;
}

static void move_inside (access *x) {
  for (int k = 0; k < 4; k++) {
    if (x->at[k] < 0) x->at[k] = 0;
    if (x->at[k] >= x->end[k]) x->at[k] = x->end[k] - 1;
  }
}

static void fault_outside (ptx_warp *w, uint32_t lane, const access *x, int k, const char *verb) {
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
static bool fits (ptx_geometry wants, ptx_geometry has) {
  return wants == has || (wants == PTX_GEO_A2D && (has == PTX_GEO_CUBE || has == PTX_GEO_ACUBE));
}

static const ptx_texture *surface_of (const ptx_uop *I, const uint8_t *rf, ptx_warp *w,
                                      uint32_t lane) {
  const ptx_texture *t = ptx_texture_bind(w, lane, PTX_SLOT(u64, rf, I->a)[lane], true);
  if (t == NULL || fits((ptx_geometry)I->extra->inst->match.geometry, t->geometry)) return t;
  ptx_texture_fault(w, lane, PTX_FAULT_TEXTURE,
                    "the surface has another geometry than the function that accesses it");
  return NULL;
}

/* Where the access goes. NULL with *ok: nowhere, as its boundary mode says; without: a fault. */
static uint8_t *locate (const ptx_uop *I, const uint8_t *rf, ptx_warp *w, uint32_t lane,
                        const char *verb, bool *ok) {
  const ptx_match *m = &I->extra->inst->match;
  const ptx_texture *t = surface_of(I, rf, w, lane);
  *ok = false;
  if (t == NULL) return NULL;
  access x = access_of(I, rf, lane, t);
  int k = outside(&x);
  if (k >= 0 && !(m->mods & (PTX_M_CLAMP | PTX_M_ZERO))) {
    fault_outside(w, lane, &x, k, verb);
    return NULL;
  }
  if (k < 0 && x.at[0] % x.bytes != 0) {
    ptx_texture_fault(w, lane, PTX_FAULT_MISALIGNED,
                      "%s of %u bytes of a surface at x = %lld, which counts bytes", verb, x.bytes,
                      (long long)x.at[0]);
    return NULL;
  }
  *ok = true;
  if (k >= 0 && (m->mods & PTX_M_ZERO)) return NULL;
  move_inside(&x);
  const ptx_image *image = &t->levels[0];
  return image->texels + (size_t)(x.at[0] / x.bytes * x.bytes) + (size_t)x.at[1] * image->pitch +
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

const ptx_uop *ptx_handle_suld (const ptx_uop *I, uint8_t *rf, ptx_warp *w) {
  PTX_EACH_ACTIVE(l, w->mask) {
    bool ok;
    const uint8_t *p = locate(I, rf, w, l, "read", &ok);
    if (!ok) return ptx_leave(w, PTX_EV_FAULT, I);
    load(I, rf, l, p);
  }
  return I + 1;
}

const ptx_uop *ptx_handle_sust (const ptx_uop *I, uint8_t *rf, ptx_warp *w) {
  PTX_EACH_ACTIVE(l, w->mask) {
    bool ok;
    uint8_t *p = locate(I, rf, w, l, "write", &ok);
    if (!ok) return ptx_leave(w, PTX_EV_FAULT, I);
    if (p != NULL) store(I, rf, l, p);
  }
  w->stored = 1;
  return I + 1;
}
