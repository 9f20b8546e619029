/* ptx_texture_ops.c: tex, tld4, txq, suq. */
#include "ptx_texture_ops.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lcu_half.h"
#include "ptx_handlers.h"
#include "ptx_lanes.h"
#include "ptx_match.h"
#include "ptx_sample.h"

/* ---- handles ---- */

void ptx_texture_fault (ptx_warp *w, uint32_t lane, ptx_fault_kind kind, const char *fmt, ...) {
  va_list args;
  w->fault = (ptx_warp_fault){ .kind = kind, .lane = lane };
  va_start(args, fmt);
  vsnprintf(w->fault.detail, sizeof w->fault.detail, fmt, args);
  va_end(args);
}

static const ptx_texture *look_up (ptx_warp *w, uint32_t lane, uint64_t handle, bool surface) {
  const char *why = "";
  const ptx_texture *t =
    w->host->texture != NULL ? w->host->texture(w->host->ud, handle, surface, &why) : NULL;
  if (t == NULL)
    ptx_texture_fault(w, lane, PTX_FAULT_TEXTURE, "the handle 0x%llx %s",
                      (unsigned long long)handle, why);
  return t;
}

const ptx_texture *ptx_texture_bind (ptx_warp *w, uint32_t lane, uint64_t handle, bool surface) {
  for (uint32_t i = 0; i < PTX_BOUND; i++) {
    const ptx_bound *b = &w->bound[i];
    if (b->texture != NULL && b->handle == handle && b->surface == surface) return b->texture;
  }
  const ptx_texture *t = look_up(w, lane, handle, surface);
  if (t == NULL) return NULL;
  memmove(&w->bound[1], &w->bound[0], (PTX_BOUND - 1) * sizeof w->bound[0]);
  w->bound[0] = (ptx_bound){ handle, t, surface };
  return t;
}

static const char *geometry_name (ptx_geometry g) {
  static const char *const names[PTX_GEO_COUNT] = {
    [PTX_GEO_NONE] = "",          [PTX_GEO_1D] = "1D",
    [PTX_GEO_2D] = "2D",          [PTX_GEO_3D] = "3D",
    [PTX_GEO_A1D] = "layered 1D", [PTX_GEO_A2D] = "layered 2D",
    [PTX_GEO_CUBE] = "cubemap",   [PTX_GEO_ACUBE] = "layered cubemap",
  };
  return names[g];
}

/* The texture of a lane's handle, which must have the geometry of the instruction. */
static const ptx_texture *texture_of (const ptx_uop *I, const uint8_t *rf, ptx_warp *w,
                                      uint32_t lane) {
  ptx_geometry wants = (ptx_geometry)I->extra->inst->match.geometry;
  const ptx_texture *t = ptx_texture_bind(w, lane, PTX_SLOT(u64, rf, I->a)[lane], false);
  if (t == NULL || t->geometry == wants) return t;
  ptx_texture_fault(w, lane, PTX_FAULT_TEXTURE, "a %s read from a %s texture", geometry_name(wants),
                    geometry_name(t->geometry));
  return NULL;
}

/* ---- operands ---- */

static uint32_t word (const ptx_uop *I, const uint8_t *rf, uint32_t lane, uint32_t operand) {
  int32_t slot = I->extra->slots[operand];
  return slot >= 0 ? PTX_SLOT(u32, rf, slot)[lane] : 0;
}

static float real (const ptx_uop *I, const uint8_t *rf, uint32_t lane, uint32_t operand) {
  return lcu_bits_f32(word(I, rf, lane, operand));
}

/* The bias counts only for a level that the instruction gives. */
static float lod_of (const ptx_uop *I, const uint8_t *rf, uint32_t lane, const ptx_texture *t,
                     const ptx_spot *spot) {
  const ptx_match *m = &I->extra->inst->match;
  float dx[3], dy[3];
  if (!t->mipmapped || (m->mode != PTX_MODE_level && m->mode != PTX_MODE_grad)) return 0;
  if (m->mode == PTX_MODE_level && m->type2 == PTX_S32)
    return (float)(int32_t)word(I, rf, lane, PTX_TEX_LOD) + t->bias;
  if (m->mode == PTX_MODE_level) return real(I, rf, lane, PTX_TEX_LOD) + t->bias;
  for (uint32_t k = 0; k < 3; k++) {
    dx[k] = real(I, rf, lane, PTX_TEX_DX + k);
    dy[k] = real(I, rf, lane, PTX_TEX_DY + k);
  }
  return ptx_sample_lod(t, spot, dx, dy) + t->bias;
}

/* What the geometry does not have is not set. */
static void read_spot (const ptx_uop *I, const uint8_t *rf, uint32_t lane, const ptx_texture *t,
                       ptx_spot *s) {
  const ptx_match *m = &I->extra->inst->match;
  uint32_t axes = ptx_geometry_axes((ptx_geometry)m->geometry);
  s->whole = m->type2 == PTX_S32;
  for (uint32_t k = 0; k < axes; k++) {
    if (s->whole) s->texel[k] = (int32_t)word(I, rf, lane, PTX_TEX_AT + k);
    else s->at[k] = (double)real(I, rf, lane, PTX_TEX_AT + k);
    s->offset[k] = (int32_t)word(I, rf, lane, PTX_TEX_OFFSET + k);
  }
  s->layer = word(I, rf, lane, PTX_TEX_LAYER);
  s->lod = lod_of(I, rf, lane, t, s);
}

/* ---- results ---- */

static uint32_t converted (ptx_type type, const ptx_color *c, uint32_t i) {
  if (type == PTX_F16) return lcu_float_to_half(c->f[i]);
  if (type != PTX_F16X2) return c->u[i];
  return lcu_float_to_half(c->f[2 * i]) | (uint32_t)lcu_float_to_half(c->f[2 * i + 1]) << 16;
}

/* Every texel is resident: sparse arrays do not exist here. */
static void put_color (const ptx_uop *I, uint8_t *rf, uint32_t lane, const ptx_color *c) {
  const struct ptx_uop_extra *e = I->extra;
  for (uint32_t i = 0; i < e->inst->match.vector; i++)
    PTX_SLOT(u32, rf, e->slots[PTX_TEX_VALUE + i])[lane] = converted(e->inst->match.type, c, i);
  if (e->slots[PTX_TEX_RESIDENT] >= 0)
    PTX_SLOT(u32, rf, e->slots[PTX_TEX_RESIDENT])[lane] = UINT32_MAX;
}

const ptx_uop *ptx_handle_tex (const ptx_uop *I, uint8_t *rf, ptx_warp *w) {
  PTX_EACH_ACTIVE(l, w->mask) {
    const ptx_texture *t = texture_of(I, rf, w, l);
    ptx_spot s;
    ptx_color c;
    if (t == NULL) return ptx_leave(w, PTX_EV_FAULT, I);
    read_spot(I, rf, l, t, &s);
    if (!ptx_sample(w, l, t, &s, &c)) return ptx_leave(w, PTX_EV_FAULT, I);
    put_color(I, rf, l, &c);
  }
  return I + 1;
}

static uint32_t channel_of (ptx_mode mode) {
  return mode == PTX_MODE_r ? 0 : mode == PTX_MODE_g ? 1 : mode == PTX_MODE_b ? 2 : 3;
}

const ptx_uop *ptx_handle_tld4 (const ptx_uop *I, uint8_t *rf, ptx_warp *w) {
  uint32_t channel = channel_of((ptx_mode)I->extra->inst->match.mode);
  PTX_EACH_ACTIVE(l, w->mask) {
    const ptx_texture *t = texture_of(I, rf, w, l);
    ptx_spot s;
    ptx_color c;
    if (t == NULL) return ptx_leave(w, PTX_EV_FAULT, I);
    read_spot(I, rf, l, t, &s);
    if (!ptx_gather(w, l, t, &s, channel, &c)) return ptx_leave(w, PTX_EV_FAULT, I);
    put_color(I, rf, l, &c);
  }
  return I + 1;
}

/* ---- queries ---- */

/* The enumerations of OpenCL, which the ISA refers to. */
static uint32_t data_type (const ptx_texture *t) {
  enum { SNORM_INT8 = 0x10d0, SNORM_INT16, UNORM_INT8, UNORM_INT16 };
  static const uint32_t types[] = {
    [PTX_TEXEL_S8] = 0x10d7,  [PTX_TEXEL_S16] = 0x10d8, [PTX_TEXEL_S32] = 0x10d9,
    [PTX_TEXEL_U8] = 0x10da,  [PTX_TEXEL_U16] = 0x10db, [PTX_TEXEL_U32] = 0x10dc,
    [PTX_TEXEL_F16] = 0x10dd, [PTX_TEXEL_F32] = 0x10de,
  };
  static const uint32_t units[] = {
    [PTX_TEXEL_S8] = SNORM_INT8,
    [PTX_TEXEL_S16] = SNORM_INT16,
    [PTX_TEXEL_U8] = UNORM_INT8,
    [PTX_TEXEL_U16] = UNORM_INT16,
  };
  return t->as_float && t->texel <= PTX_TEXEL_S16 ? units[t->texel] : types[t->texel];
}

static uint32_t channel_order (const ptx_texture *t) {
  return t->channels == 1 ? 0x10b0 : t->channels == 2 ? 0x10b2 : 0x10b5;
}

static uint32_t level_extent (const ptx_texture *t, uint32_t k, uint32_t level) {
  uint32_t last = t->num_levels - 1;
  return t->levels[level < last ? level : last].extent[k];
}

static uint32_t answer (const ptx_texture *t, ptx_query query, uint32_t level) {
  bool cube = t->geometry == PTX_GEO_CUBE || t->geometry == PTX_GEO_ACUBE;
  switch (query) {
    case PTX_QUERY_width: return level_extent(t, 0, level);
    case PTX_QUERY_height: return level_extent(t, 1, level);
    case PTX_QUERY_depth: return level_extent(t, 2, level);
    case PTX_QUERY_channel_data_type: return data_type(t);
    case PTX_QUERY_channel_order: return channel_order(t);
    case PTX_QUERY_normalized_coords: return t->unit;
    case PTX_QUERY_force_unnormalized_coords: return !t->unit;
    case PTX_QUERY_array_size: return cube ? t->layers / 6 : t->layers;
    case PTX_QUERY_num_mipmap_levels: return t->num_levels;
    case PTX_QUERY_num_samples: return 1;
    case PTX_QUERY_filter_mode: return t->linear;
    case PTX_QUERY_addr_mode_0: return t->address[0];
    case PTX_QUERY_addr_mode_1: return t->address[1];
    case PTX_QUERY_addr_mode_2: return t->address[2];
    default: return 0;
  }
}

const ptx_uop *ptx_handle_txq (const ptx_uop *I, uint8_t *rf, ptx_warp *w) {
  const ptx_match *m = &I->extra->inst->match;
  bool surface = m->op->opcode[0] == 's';
  S_u32 *d = PTX_SLOT(u32, rf, I->extra->slots[PTX_TEX_VALUE]);
  PTX_EACH_ACTIVE(l, w->mask) {
    const ptx_texture *t = ptx_texture_bind(w, l, PTX_SLOT(u64, rf, I->a)[l], surface);
    if (t == NULL) return ptx_leave(w, PTX_EV_FAULT, I);
    d[l] = answer(t, (ptx_query)m->query, word(I, rf, l, PTX_TEX_LOD));
  }
  return I + 1;
}

/* Objects take the place of references. There are none of samplers. */
static bool is_object (const ptx_warp *w, uint64_t handle, ptx_query kind) {
  const char *why;
  if (kind == PTX_QUERY_samplerref || w->host->texture == NULL) return false;
  return w->host->texture(w->host->ud, handle, kind == PTX_QUERY_surfref, &why) != NULL;
}

const ptx_uop *ptx_handle_istypep (const ptx_uop *I, uint8_t *rf, ptx_warp *w) {
  S_pred *d = PTX_SLOT(pred, rf, I->d);
  PTX_EACH_ACTIVE(l, w->mask)
  d[l] = -(int32_t)is_object(w, PTX_SLOT(u64, rf, I->a)[l], (ptx_query)I->imm);
  return I + 1;
}
