/* ptx_decode_texture.c: textures (9.7.10) and surfaces (9.7.11). The micro-operation has its
 * operands in extra->slots (ptx_texture_ops.h) and the rest in extra->inst. */
#include "ptx_decode.h"

#include "ptx_texture_ops.h"

/* ---- operands ---- */

/* The slot of the handle. */
static lcu_status handle_of (ptx_decoder *D, const ptx_operand *o, int32_t *slot) {
  if (o->kind != PTX_O_ADDRESS || o->reg == NULL || o->i != 0)
    return ptx_decode_fail(
      D, o->variable != NULL
           ? "references to textures and surfaces: use an object, a handle in a register"
           : "the texture or surface is not a handle in a register");
  ptx_operand reg = { .kind = PTX_O_REG, .reg = o->reg, .name = o->name };
  return ptx_source_exact(D, &reg, PTX_U64, slot);
}

/* `num` values of type t in slots[0] and so on. A vector may be longer: it is padded. */
static lcu_status values (ptx_decoder *D, const ptx_operand *items, uint32_t num, ptx_type t,
                          int32_t *slots) {
  for (uint32_t i = 0; i < num; i++) LCU_TRY(ptx_source(D, &items[i], t, &slots[i]));
  return LCU_OK;
}

/* Elements of a coordinate vector: vectors of three are padded to four. */
static uint32_t vector_size (ptx_geometry g) {
  uint32_t n = ptx_geometry_axes(g) + (ptx_geometry_layered(g) ? 1 : 0);
  return n == 3 ? 4 : n;
}

static lcu_status coordinates (ptx_decoder *D, const ptx_operand *o, ptx_type t,
                               struct ptx_uop_extra *e) {
  ptx_geometry g = (ptx_geometry)D->inst->match.geometry;
  if (g == PTX_GEO_NONE) return ptx_decode_fail(D, "no geometry");
  if (o->num_items != vector_size(g))
    return ptx_decode_fail(D, "coordinates and geometry do not fit");
  bool layered = ptx_geometry_layered(g);
  if (layered) LCU_TRY(values(D, &o->items[0], 1, PTX_U32, &e->slots[PTX_TEX_LAYER]));
  return values(D, &o->items[layered], ptx_geometry_axes(g), t, &e->slots[PTX_TEX_AT]);
}

/* The written values: a vector, or one register. */
static lcu_status texture_results (ptx_decoder *D, const ptx_operand *o, ptx_type t,
                                   int32_t *slots) {
  const ptx_operand *items = o->kind == PTX_O_VECTOR ? o->items : o;
  uint32_t num = o->kind == PTX_O_VECTOR ? o->num_items : 1;
  if (num != D->inst->match.vector) return ptx_decode_fail(D, "vector and operand do not fit");
  for (uint32_t i = 0; i < num; i++) LCU_TRY(ptx_dest(D, &items[i], t, &slots[i]));
  return LCU_OK;
}

/* The extra of a new micro-operation whose slots are complete. */
static lcu_status emit_texture (ptx_decoder *D, uint16_t id, int32_t handle,
                                const struct ptx_uop_extra *from) {
  ptx_uop *I = ptx_emit(D, id);
  struct ptx_uop_extra *e = ptx_emit_extra(D, I);
  if (e == NULL) return lcu_no_memory("decoded PTX");
  I->a = handle;
  e->num = PTX_TEX_SLOTS;
  for (uint32_t i = 0; i < PTX_TEX_SLOTS; i++) e->slots[i] = from->slots[i];
  return LCU_OK;
}

static void clear (struct ptx_uop_extra *e) {
  for (size_t i = 0; i < lcu_arraylen(e->slots); i++) e->slots[i] = -1;
}

/* ---- tex, tld4 ---- */

static bool is_gather (const ptx_match *m) { return m->op->opcode[1] == 'l'; }

static lcu_status check_texture_types (const ptx_decoder *D) {
  const ptx_match *m = &D->inst->match;
  bool cube = m->geometry == PTX_GEO_CUBE || m->geometry == PTX_GEO_ACUBE;
  if (m->num_types != 2) return ptx_decode_fail(D, "takes two types");
  switch (m->type) {
    case PTX_U32:
    case PTX_S32:
    case PTX_F32:
    case PTX_F16:
      if (m->vector != 4) return ptx_decode_fail(D, "the result is a vector of four");
      break;
    case PTX_F16X2:
      if (m->vector != 2) return ptx_decode_fail(D, "the result is a vector of two");
      break;
    default: return ptx_decode_fail(D, "type of the result");
  }
  if (m->type2 != PTX_F32 && (m->type2 != PTX_S32 || cube || is_gather(m)))
    return ptx_decode_fail(D, "type of the coordinates");
  return LCU_OK;
}

static lcu_status check_mode (const ptx_decoder *D) {
  const ptx_match *m = &D->inst->match;
  switch (m->mode) {
    case PTX_MODE_none:
    case PTX_MODE_base:
    case PTX_MODE_level:
    case PTX_MODE_grad:
      if (!is_gather(m)) return LCU_OK;
      break;
    case PTX_MODE_r:
    case PTX_MODE_g:
    case PTX_MODE_b:
    case PTX_MODE_a:
      if (is_gather(m) && ptx_geometry_axes((ptx_geometry)m->geometry) >= 2 &&
          m->geometry != PTX_GEO_3D)
        return LCU_OK;
      break;
    default: break;
  }
  return ptx_decode_fail(D, "this form");
}

static const ptx_operand *next_operand (const ptx_decoder *D, uint32_t *at) {
  return *at < D->inst->num_operands ? &D->inst->operands[(*at)++] : NULL;
}

/* A vector with a value per coordinate, or one value for one coordinate. */
static lcu_status per_axis (ptx_decoder *D, const ptx_operand *o, ptx_type t, int32_t *slots) {
  ptx_geometry g = (ptx_geometry)D->inst->match.geometry;
  uint32_t axes = ptx_geometry_axes(g);
  if (o == NULL) return ptx_decode_fail(D, "an operand is missing");
  if (o->kind != PTX_O_VECTOR && axes == 1) return values(D, o, 1, t, slots);
  if (o->kind != PTX_O_VECTOR || o->num_items != (axes == 3 ? 4 : axes))
    return ptx_decode_fail(D, "operand and geometry do not fit");
  return values(D, o->items, axes, t, slots);
}

static lcu_status level (ptx_decoder *D, uint32_t *at, struct ptx_uop_extra *e) {
  const ptx_match *m = &D->inst->match;
  if (m->mode == PTX_MODE_level) {
    const ptx_operand *lod = next_operand(D, at);
    if (lod == NULL) return ptx_decode_fail(D, "an operand is missing");
    return values(D, lod, 1, m->type2, &e->slots[PTX_TEX_LOD]);
  }
  if (m->mode != PTX_MODE_grad) return LCU_OK;
  LCU_TRY(per_axis(D, next_operand(D, at), PTX_F32, &e->slots[PTX_TEX_DX]));
  return per_axis(D, next_operand(D, at), PTX_F32, &e->slots[PTX_TEX_DY]);
}

/* Is the operand a value to compare with? Offsets of several axes are a vector. */
static bool is_depth (const ptx_inst *inst, uint32_t at) {
  uint32_t axes = ptx_geometry_axes((ptx_geometry)inst->match.geometry);
  return axes > 1 && inst->operands[at].kind != PTX_O_VECTOR;
}

lcu_status ptx_decode_tex (ptx_decoder *D) {
  const ptx_inst *inst = D->inst;
  const ptx_match *m = &inst->match;
  struct ptx_uop_extra e;
  uint32_t at = inst->pair ? 2 : 1;
  int32_t handle;
  clear(&e);
  LCU_TRY(check_texture_types(D));
  LCU_TRY(check_mode(D));
  LCU_TRY(texture_results(D, &inst->operands[0], m->type, &e.slots[PTX_TEX_VALUE]));
  if (inst->pair) LCU_TRY(ptx_dest(D, &inst->operands[1], PTX_PRED, &e.slots[PTX_TEX_RESIDENT]));
  const ptx_operand *address = &inst->operands[at++];
  LCU_TRY(handle_of(D, address, &handle));
  LCU_TRY(coordinates(D, address, m->type2, &e));
  LCU_TRY(level(D, &at, &e));
  if (at < inst->num_operands && !is_depth(inst, at))
    LCU_TRY(per_axis(D, &inst->operands[at++], PTX_S32, &e.slots[PTX_TEX_OFFSET]));
  if (at < inst->num_operands) return ptx_decode_lack(D, "depth textures");
  return emit_texture(D, is_gather(m) ? PTX_ID_tld4 : PTX_ID_tex, handle, &e);
}

/* ---- txq, suq ---- */

static bool query_known (const ptx_match *m) {
  bool is_extent =
    m->query == PTX_QUERY_width || m->query == PTX_QUERY_height || m->query == PTX_QUERY_depth;
  if (m->mode != PTX_MODE_none) return m->mode == PTX_MODE_level && is_extent;
  if (m->op->opcode[0] == 't')
    return m->query != PTX_QUERY_none && m->query <= PTX_QUERY_memory_layout;
  return is_extent || m->query == PTX_QUERY_channel_data_type ||
         m->query == PTX_QUERY_channel_order || m->query == PTX_QUERY_array_size ||
         m->query == PTX_QUERY_memory_layout;
}
lcu_status ptx_decode_txq (ptx_decoder *D) {
  const ptx_inst *inst = D->inst;
  const ptx_match *m = &inst->match;
  struct ptx_uop_extra e;
  int32_t handle;
  clear(&e);
  if (m->num_types != 1 || m->type != PTX_B32) return ptx_decode_fail(D, "takes type .b32");
  if (!query_known(m)) return ptx_decode_fail(D, "this query");
  if (inst->num_operands != (m->mode == PTX_MODE_level ? 3 : 2))
    return ptx_decode_fail(D, "operands do not fit");
  LCU_TRY(ptx_dest(D, &inst->operands[0], PTX_B32, &e.slots[PTX_TEX_VALUE]));
  LCU_TRY(handle_of(D, &inst->operands[1], &handle));
  if (inst->operands[1].num_items != 0) return ptx_decode_fail(D, "takes no coordinates");
  if (m->mode == PTX_MODE_level)
    LCU_TRY(values(D, &inst->operands[2], 1, PTX_S32, &e.slots[PTX_TEX_LOD]));
  return emit_texture(D, PTX_ID_txq, handle, &e);
}

lcu_status ptx_decode_istypep (ptx_decoder *D) {
  const ptx_inst *inst = D->inst;
  int32_t d, a;
  if (inst->match.query < PTX_QUERY_texref || inst->match.query > PTX_QUERY_surfref ||
      inst->match.num_types != 0)
    return ptx_decode_fail(D, "texref, samplerref or surfref is missing");
  LCU_TRY(ptx_source_exact(D, &inst->operands[1], PTX_U64, &a));
  LCU_TRY(ptx_dest(D, &inst->operands[0], PTX_PRED, &d));
  return ptx_emit_imm(D, PTX_ID_istypep, d, a, inst->match.query);
}

/* ---- suld, sust, sured ---- */

static lcu_status check_boundary (const ptx_decoder *D) {
  const ptx_match *m = &D->inst->match;
  if (!(m->mods & (PTX_M_TRAP | PTX_M_CLAMP | PTX_M_ZERO)))
    return ptx_decode_fail(D, "trap, clamp or zero is missing");
  return LCU_OK;
}

static lcu_status check_surface (const ptx_decoder *D) {
  const ptx_match *m = &D->inst->match;
  bool store = m->op->opcode[2] == 's', texels = (m->mods & PTX_M_TEXELS) != 0;
  if (m->num_types != 1 || m->type < PTX_B8 || m->type > PTX_B64)
    return ptx_decode_fail(D, "takes one type of .b8 to .b64");
  if (!(m->mods & (PTX_M_BYTES | PTX_M_TEXELS)) || (texels && (!store || m->type != PTX_B32)))
    return ptx_decode_fail(D, "this form");
  LCU_TRY(check_boundary(D));
  if (m->geometry == PTX_GEO_CUBE || m->geometry == PTX_GEO_ACUBE)
    return ptx_decode_fail(D, "this geometry");
  if (m->vector > 4 || ptx_type_bytes(m->type) * m->vector > 16)
    return ptx_decode_fail(D, "more than 16 bytes");
  return LCU_OK;
}

lcu_status ptx_decode_suld (ptx_decoder *D) {
  const ptx_inst *inst = D->inst;
  struct ptx_uop_extra e;
  int32_t handle;
  clear(&e);
  LCU_TRY(check_surface(D));
  LCU_TRY(texture_results(D, &inst->operands[0], inst->match.type, &e.slots[PTX_TEX_VALUE]));
  LCU_TRY(handle_of(D, &inst->operands[1], &handle));
  LCU_TRY(coordinates(D, &inst->operands[1], PTX_S32, &e));
  return emit_texture(D, PTX_ID_suld, handle, &e);
}

lcu_status ptx_decode_sust (ptx_decoder *D) {
  const ptx_inst *inst = D->inst;
  const ptx_operand *v = &inst->operands[1];
  struct ptx_uop_extra e;
  int32_t handle;
  clear(&e);
  LCU_TRY(check_surface(D));
  if ((v->kind == PTX_O_VECTOR ? v->num_items : 1) != inst->match.vector)
    return ptx_decode_fail(D, "vector and operand do not fit");
  LCU_TRY(values(D, v->kind == PTX_O_VECTOR ? v->items : v, inst->match.vector, inst->match.type,
                 &e.slots[PTX_TEX_VALUE]));
  LCU_TRY(handle_of(D, &inst->operands[0], &handle));
  LCU_TRY(coordinates(D, &inst->operands[0], PTX_S32, &e));
  return emit_texture(D, PTX_ID_sust, handle, &e);
}

/* Texels have the type of the surface, so there the instruction gives only its size. */
static bool reduction_known_to_surfaces (const ptx_match *m) {
  bool bits = m->mode == PTX_MODE_and || m->mode == PTX_MODE_or;
  bool order = m->mode == PTX_MODE_min || m->mode == PTX_MODE_max;
  if (m->num_types != 1 || (!bits && !order && m->mode != PTX_MODE_add)) return false;
  if (m->mods & PTX_M_TEXELS) return m->type == PTX_B32 || (m->type == PTX_B64 && order);
  if (bits) return m->type == PTX_B32;
  return m->type == PTX_U32 || m->type == PTX_S32 || m->type == PTX_U64 ||
         (m->type == PTX_S64 && order);
}

lcu_status ptx_decode_sured (ptx_decoder *D) {
  const ptx_inst *inst = D->inst;
  const ptx_match *m = &inst->match;
  struct ptx_uop_extra e;
  int32_t handle;
  clear(&e);
  if (!(m->mods & (PTX_M_BYTES | PTX_M_TEXELS)) || !reduction_known_to_surfaces(m))
    return ptx_decode_fail(D, "this operation of this type");
  LCU_TRY(check_boundary(D));
  if (m->geometry != PTX_GEO_1D && m->geometry != PTX_GEO_2D && m->geometry != PTX_GEO_3D)
    return ptx_decode_fail(D, "this geometry");
  LCU_TRY(ptx_source(D, &inst->operands[1], m->type, &e.slots[PTX_TEX_VALUE]));
  LCU_TRY(handle_of(D, &inst->operands[0], &handle));
  LCU_TRY(coordinates(D, &inst->operands[0], PTX_S32, &e));
  return emit_texture(D, PTX_ID_sured, handle, &e);
}
