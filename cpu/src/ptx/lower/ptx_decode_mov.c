/* ptx_decode_mov.c: moves, vectors packed and unpacked, address conversions (9.7.9.3, 9.7.9.4,
 * 9.7.9.18, 9.7.9.20). */
#include "ptx_decode.h"
#include "ptx_window.h"


static uint16_t mov_id (ptx_type t) {
  return ptx_lane_bytes(t) == 8 ? PTX_ID_mov_b64 : PTX_ID_mov_b32;
}

/* ---- packing: adjacent elements are joined until one value is left ---- */

static uint16_t pack_id (uint32_t part_bytes) {
  return part_bytes == 4   ? PTX_ID_pack_b32_b64
         : part_bytes == 2 ? PTX_ID_pack_b16_b32
                           : PTX_ID_pack_b8_b16;
}

static ptx_type bits_type (uint32_t bytes) {
  return bytes == 1 ? PTX_B8 : bytes == 2 ? PTX_B16 : bytes == 4 ? PTX_B32 : PTX_B64;
}

/* Slots of the lower and the upper half of a register, or of a vector of two. */
static lcu_status halves (ptx_decoder *D, const ptx_operand *o, int32_t slots[2],
                          lcu_status (*find)(ptx_decoder *D, const ptx_operand *o, ptx_type t,
                                             int32_t *slot)) {
  if (o->kind != PTX_O_VECTOR) {
    LCU_TRY(find(D, o, PTX_B128, &slots[0]));
    slots[1] = slots[0] + 8 * PTX_LANES;
    return LCU_OK;
  }
  if (o->num_items != 2) return ptx_decode_fail(D, "elements do not fill the register");
  for (uint32_t i = 0; i < 2; i++) LCU_TRY(find(D, &o->items[i], PTX_B64, &slots[i]));
  return LCU_OK;
}

/* Four words from or to a register. */
static lcu_status mov_words (ptx_decoder *D, const ptx_operand *d, const ptx_operand *s) {
  bool packs = s->kind == PTX_O_VECTOR;
  const ptx_operand *v = packs ? s : d;
  int32_t words[4], half;
  LCU_TRY(packs ? ptx_dest_exact(D, d, PTX_B128, &half) : ptx_source_exact(D, s, PTX_B128, &half));
  for (uint32_t k = 0; k < 4; k++)
    LCU_TRY(packs ? ptx_source_exact(D, &v->items[k], PTX_B32, &words[k])
                  : ptx_dest_exact(D, &v->items[k], PTX_B32, &words[k]));
  for (uint32_t k = 0; k < 4; k++) {
    int32_t at = half + (int32_t)(k / 2) * 8 * PTX_LANES;
    if (!packs) LCU_TRY(ptx_emit_imm(D, PTX_ID_unpack_b64_b32, words[k], at, k % 2 * 32));
    else if (k % 2 == 0)
      LCU_TRY(ptx_emit_dabc(D, PTX_ID_pack_b32_b64, at, words[k], words[k + 1], 0));
  }
  return LCU_OK;
}

static lcu_status mov_b128 (ptx_decoder *D, const ptx_operand *d, const ptx_operand *s) {
  int32_t to[2] = { 0 }, from[2] = { 0 };
  if (d->kind == PTX_O_VECTOR && s->kind == PTX_O_VECTOR)
    return ptx_decode_fail(D, "a vector from a vector");
  if (d->num_items == 4 || s->num_items == 4) return mov_words(D, d, s);
  LCU_TRY(halves(D, s, from, ptx_source_exact));
  LCU_TRY(halves(D, d, to, ptx_dest_exact));
  LCU_TRY(ptx_emit_dabc(D, PTX_ID_mov_b64, to[0], from[0], 0, 0));
  return ptx_emit_dabc(D, PTX_ID_mov_b64, to[1], from[1], 0, 0);
}

/* Bytes of one of n elements that fill `bytes`; 0 when that is impossible. */
static uint32_t element_bytes (uint32_t n, uint32_t bytes) {
  return n > 1 && bytes <= 8 && bytes % n == 0 ? bytes / n : 0;
}

static lcu_status pack_vector (ptx_decoder *D, int32_t d, const ptx_operand *v, uint32_t bytes) {
  uint32_t n = v->num_items, part = element_bytes(n, bytes);
  int32_t slots[8];
  if (part == 0 || v->items[0].kind == PTX_O_SREG)
    return ptx_decode_fail(D, "elements do not fill the register");
  for (uint32_t i = 0; i < n; i++)
    LCU_TRY(ptx_source_exact(D, &v->items[i], bits_type(part), &slots[i]));
  for (; n > 1; n /= 2, part *= 2)
    for (uint32_t i = 0; i < n / 2; i++) {
      int32_t to = d;
      if (n > 2) LCU_TRY(ptx_temp(D, &to));
      LCU_TRY(ptx_emit_dabc(D, pack_id(part), to, slots[2 * i], slots[2 * i + 1], 0));
      slots[i] = to;
    }
  return LCU_OK;
}

static uint16_t unpack_id (uint32_t bytes, uint32_t part) {
  if (bytes == 8)
    return part == 4   ? PTX_ID_unpack_b64_b32
           : part == 2 ? PTX_ID_unpack_b64_b16
                       : PTX_ID_unpack_b64_b8;
  return part == 2 ? PTX_ID_unpack_b32_b16 : PTX_ID_unpack_b32_b8;
}

/* No destination has the slot of the source (see ptx_regs.h), so they can be written in turn. */
static lcu_status unpack (ptx_decoder *D, const ptx_operand *v, int32_t s, uint32_t bytes) {
  uint32_t n = v->num_items, part = element_bytes(n, bytes);
  if (part == 0) return ptx_decode_fail(D, "elements do not fill the register");
  for (uint32_t i = 0; i < n; i++) {
    int32_t d;
    if (v->items[i].kind == PTX_O_SINK) continue;
    LCU_TRY(ptx_dest_exact(D, &v->items[i], bits_type(part), &d));
    LCU_TRY(ptx_emit_imm(D, unpack_id(bytes, part), d, s, i * part * 8));
  }
  return LCU_OK;
}

/* ---- mov ---- */

static lcu_status mov_into (ptx_decoder *D, int32_t d, const ptx_operand *s, ptx_type t) {
  int32_t from;
  if (s->kind == PTX_O_SREG) return ptx_emit_sreg(D, s->sreg, ptx_lane_bytes(t), d);
  if (s->kind == PTX_O_VARIABLE) return ptx_emit_variable(D, s, ptx_lane_bytes(t), false, d);
  LCU_TRY(ptx_source_exact(D, s, t, &from));
  return ptx_emit_dabc(D, mov_id(t), d, from, 0, 0);
}

/* mov.v4: element by element, through temporaries, since a register may be on both sides. */
static lcu_status mov_vector (ptx_decoder *D, const ptx_operand *d, const ptx_operand *s,
                              ptx_type t) {
  uint32_t num = D->inst->match.vector;
  int32_t value[4], to;
  if (num > 4 || d->kind != PTX_O_VECTOR || s->kind != PTX_O_VECTOR || d->num_items != num ||
      s->num_items != num)
    return ptx_decode_fail(D, "vector and operand do not fit");
  for (uint32_t k = 0; k < num; k++) {
    LCU_TRY(ptx_temp(D, &value[k]));
    LCU_TRY(mov_into(D, value[k], &s->items[k], t));
  }
  for (uint32_t k = 0; k < num; k++) {
    if (d->items[k].kind == PTX_O_SINK) continue;
    LCU_TRY(ptx_dest_exact(D, &d->items[k], t, &to));
    LCU_TRY(ptx_emit_dabc(D, mov_id(t), to, value[k], 0, 0));
  }
  return LCU_OK;
}

lcu_status ptx_decode_mov (ptx_decoder *D) {
  const ptx_operand *d = &D->inst->operands[0], *s = &D->inst->operands[1];
  ptx_type t = D->inst->match.type;
  int32_t slot;
  if (D->inst->match.num_types != 1) return ptx_decode_fail(D, "takes one type");
  if (D->inst->match.vector > 1) return mov_vector(D, d, s, t);
  if (t == PTX_B128) return mov_b128(D, d, s);
  if (d->kind == PTX_O_VECTOR) {
    LCU_TRY(ptx_source_exact(D, s, t, &slot));
    return unpack(D, d, slot, ptx_type_bytes(t));
  }
  LCU_TRY(ptx_dest_exact(D, d, t, &slot));
  return s->kind == PTX_O_VECTOR ? pack_vector(D, slot, s, ptx_type_bytes(t))
                                 : mov_into(D, slot, s, t);
}

/* ---- generic addresses ---- */

static uint64_t generic_window (uint8_t space) {
  return space == PTX_SHARED || space == PTX_CLUSTER ? ptx_window_shared
         : space == PTX_LOCAL                        ? ptx_window_local
         : space == PTX_PARAM                        ? ptx_window_param
                                                     : 0;
}

lcu_status ptx_decode_cvta (ptx_decoder *D) {
  const ptx_match *m = &D->inst->match;
  const ptx_operand *o = &D->inst->operands[1];
  uint64_t base = generic_window(m->space);
  int32_t d, a;
  if (ptx_lane_bytes(m->type) != 8) return ptx_decode_fail(D, "addresses have 64 bits");
  LCU_TRY(ptx_dest(D, &D->inst->operands[0], m->type, &d));
  if (o->kind == PTX_O_VARIABLE) return ptx_emit_variable(D, o, 8, !(m->mods & PTX_M_TO), d);
  LCU_TRY(ptx_source(D, o, m->type, &a));
  if (base == 0) return ptx_emit_dabc(D, PTX_ID_mov_b64, d, a, 0, 0);
  return ptx_emit_imm(D, PTX_ID_add_imm_b64, d, a,
                      m->mods & PTX_M_TO ? -(int64_t)base : (int64_t)base);
}

/* A generic address of 32 or 64 bits. */
static lcu_status wide_address (ptx_decoder *D, const ptx_operand *o, int32_t *slot) {
  int32_t narrow;
  if (o->kind != PTX_O_REG || ptx_type_bytes(o->reg->type) != 4)
    return ptx_source(D, o, PTX_U64, slot);
  LCU_TRY(ptx_source(D, o, PTX_U32, &narrow));
  LCU_TRY(ptx_temp(D, slot));
  return ptx_emit_dabc(D, PTX_ID_cvt_u64_u32, *slot, narrow, 0, 0);
}

lcu_status ptx_decode_isspacep (ptx_decoder *D) {
  static const uint16_t ids[] = {
    [PTX_GLOBAL] = PTX_ID_space_global,   [PTX_SHARED] = PTX_ID_space_shared,
    [PTX_CLUSTER] = PTX_ID_space_cluster, [PTX_LOCAL] = PTX_ID_space_local,
    [PTX_CONST] = PTX_ID_space_const,     [PTX_PARAM] = PTX_ID_space_param
  };
  int32_t d, a;
  uint8_t space = D->inst->match.space;
  if (space == PTX_GENERIC || !ids[space]) return ptx_decode_fail(D, "no state space");
  LCU_TRY(wide_address(D, &D->inst->operands[1], &a));
  LCU_TRY(ptx_dest(D, &D->inst->operands[0], PTX_PRED, &d));
  return ptx_emit_dabc(D, ids[space], d, a, 0, 0);
}
