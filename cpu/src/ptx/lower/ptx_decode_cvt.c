/* ptx_decode_cvt.c: conversions as a chain of steps: flush, convert, saturate (9.7.9.21). */
#include "ptx_decode.h"

#include <stdio.h>
#include <string.h>

#include "ptx_round.h"

static bool is_int (ptx_type t) { return t >= PTX_U8 && t <= PTX_S64; }
static ptx_type as_unsigned (ptx_type t) {
  return ptx_type_is_signed(t) ? (ptx_type)(t - PTX_S8 + PTX_U8) : t;
}

static uint16_t find2 (const char *format, ptx_type d, ptx_type s) {
  char name[48];
  snprintf(name, sizeof name, format, ptx_type_name(d), ptx_type_name(s));
  return ptx_id_find(name);
}

static lcu_status step (ptx_decoder *D, uint16_t id, int32_t d, int32_t a) {
  return id ? ptx_emit_dabc(D, id, d, a, 0, 0) : ptx_decode_fail(D, "this pair of types");
}

/* ---- integers ---- */

/* Range of d as the 64-bit limits of a clamp. */
static void int_range (ptx_type d, int64_t *low, int64_t *high) {
  uint32_t bits = ptx_type_bytes(d) * 8;
  *low = ptx_type_is_signed(d) ? INT64_MIN >> (64 - bits) : 0;
  *high = ptx_type_is_signed(d) ? INT64_MAX >> (64 - bits)
          : bits == 64          ? INT64_MAX
                                : ((int64_t)1 << bits) - 1;
}

/* Saturates: converts to 64 bits of the sign of the source, clamps, and converts again. */
static lcu_status int_saturate (ptx_decoder *D, ptx_type d, ptx_type s, int32_t to, int32_t from) {
  int64_t low, high;
  int32_t wide, low_slot, high_slot;
  int_range(d, &low, &high);
  if (s == PTX_U64 && d == PTX_U64) return ptx_emit_dabc(D, PTX_ID_mov_b64, to, from, 0, 0);
  LCU_TRY(ptx_temp(D, &wide));
  LCU_TRY(step(D, find2("cvt_%s_%s", PTX_U64, s), wide, from));
  LCU_TRY(ptx_constant_slot(D, (uint64_t)low, 8, &low_slot));
  LCU_TRY(ptx_constant_slot(D, (uint64_t)high, 8, &high_slot));
  if (ptx_type_is_signed(s))
    LCU_TRY(ptx_emit_dabc(D, PTX_ID_step_clamp_s64, wide, wide, low_slot, high_slot));
  else LCU_TRY(ptx_emit_dabc(D, PTX_ID_step_limit_u64, wide, wide, high_slot, 0));
  return step(D, find2("cvt_%s_%s", as_unsigned(d), PTX_U64), to, wide);
}

static lcu_status int_to_int (ptx_decoder *D, ptx_type d, ptx_type s, int32_t to, int32_t from) {
  if (D->inst->match.mods & PTX_M_SAT) return int_saturate(D, d, s, to, from);
  return step(D, find2("cvt_%s_%s", as_unsigned(d), s), to, from);
}

/* ---- steps around floats ---- */

static bool directed (uint8_t round) {
  return round == PTX_ROUND_RZ || round == PTX_ROUND_RM || round == PTX_ROUND_RP;
}
static bool integral (uint8_t round) { return round >= PTX_ROUND_RNI && round <= PTX_ROUND_RPI; }

static lcu_status directed_cvt (ptx_decoder *D, ptx_type d, ptx_type s, int32_t to, int32_t from) {
  return ptx_emit_imm(D, PTX_ID_round_cvt, to, from, ptx_round_pack(D->inst->match.round, 0, d, s));
}

/* For .ftz: the flushed f32 source, in a temporary. */
static lcu_status flush_source (ptx_decoder *D, ptx_type s, int32_t *slot) {
  int32_t from = *slot;
  if (!(D->inst->match.mods & PTX_M_FTZ) || s != PTX_F32) return LCU_OK;
  LCU_TRY(ptx_temp(D, slot));
  return ptx_emit_dabc(D, PTX_ID_step_flush_f32, *slot, from, 0, 0);
}

static lcu_status after (ptx_decoder *D, ptx_type d, int32_t to) {
  const ptx_match *m = &D->inst->match;
  char name[32];
  if ((m->mods & PTX_M_FTZ) && d == PTX_F32)
    LCU_TRY(ptx_emit_dabc(D, PTX_ID_step_flush_f32, to, to, 0, 0));
  if (m->mods & PTX_M_RELU) {
    snprintf(name, sizeof name, "step_relu_%s", ptx_type_name(d));
    LCU_TRY(step(D, ptx_id_find(name), to, to));
  }
  if ((m->mods & PTX_M_SATFINITE) && ptx_type_is_float(d)) {
    snprintf(name, sizeof name, "step_satfinite_%s", ptx_type_name(d));
    LCU_TRY(step(D, ptx_id_find(name), to, to));
  }
  if (!(m->mods & PTX_M_SAT)) return LCU_OK;
  switch (d) {
    case PTX_F32: return ptx_emit_dabc(D, PTX_ID_step_sat_f32, to, to, 0, 0);
    case PTX_F64: return ptx_emit_dabc(D, PTX_ID_step_sat_f64, to, to, 0, 0);
    case PTX_F16: return ptx_emit_dabc(D, PTX_ID_step_sat_f16, to, to, 0, 0);
    default: return is_int(d) ? LCU_OK : ptx_decode_fail(D, "saturation of this type");
  }
}

/* ---- float and integer ---- */

static lcu_status int_to_float (ptx_decoder *D, ptx_type d, ptx_type s, int32_t to, int32_t from) {
  bool wide_half = ptx_type_bytes(s) == 8 && ptx_type_bytes(d) == 2;
  if (directed(D->inst->match.round) || wide_half) return directed_cvt(D, d, s, to, from);
  return step(D, find2("cvt_%s_%s", d, s), to, from);
}

/* Converts a half to f32 first, which is exact. */
static lcu_status widen_half (ptx_decoder *D, ptx_type *s, int32_t *from) {
  int32_t half = *from;
  if (*s != PTX_F16 && *s != PTX_BF16) return LCU_OK;
  uint16_t id = *s == PTX_F16 ? PTX_ID_cvt_f32_f16 : PTX_ID_cvt_f32_bf16;
  LCU_TRY(ptx_temp(D, from));
  *s = PTX_F32;
  return ptx_emit_dabc(D, id, *from, half, 0, 0);
}

static const char *integral_name (uint8_t round) {
  static const char *const names[] = { "rni", "rzi", "rmi", "rpi" };
  return integral(round) ? names[round - PTX_ROUND_RNI] : "rzi";
}

static uint16_t integral_id (uint8_t round, ptx_type d, ptx_type s) {
  char name[48];
  snprintf(name, sizeof name, "cvt_%s_%s_%s", integral_name(round), ptx_type_name(d),
           ptx_type_name(s));
  return ptx_id_find(name);
}

static lcu_status float_to_int (ptx_decoder *D, ptx_type d, ptx_type s, int32_t to, int32_t from) {
  LCU_TRY(widen_half(D, &s, &from));
  return step(D, integral_id(D->inst->match.round, d, s), to, from);
}

/* ---- float to float ---- */

static lcu_status half_integral (ptx_decoder *D, ptx_type d, ptx_type s, int32_t to, int32_t from) {
  int32_t whole;
  LCU_TRY(widen_half(D, &s, &from));
  LCU_TRY(ptx_temp(D, &whole));
  LCU_TRY(step(D, integral_id(D->inst->match.round, PTX_F32, PTX_F32), whole, from));
  return step(D, find2("cvt_%s_%s", d, PTX_F32), to, whole);
}

static lcu_status to_tf32 (ptx_decoder *D, ptx_type s, int32_t to, int32_t from) {
  uint8_t round = D->inst->match.round;
  uint16_t id = round == PTX_ROUND_RNA  ? PTX_ID_cvt_rna_tf32_f32
                : round == PTX_ROUND_RN ? PTX_ID_cvt_rn_tf32_f32
                : round == PTX_ROUND_RZ ? PTX_ID_cvt_rz_tf32_f32
                                        : 0;
  return step(D, s == PTX_F32 ? id : 0, to, from);
}

static lcu_status float_to_float (ptx_decoder *D, ptx_type d, ptx_type s, int32_t to,
                                  int32_t from) {
  uint8_t round = D->inst->match.round;
  if (integral(round) && d == s && ptx_type_bytes(d) == 2) return half_integral(D, d, s, to, from);
  if (integral(round)) return step(D, integral_id(round, d, s), to, from);
  if (d == PTX_TF32) return to_tf32(D, s, to, from);
  if (d == s)
    return ptx_emit_dabc(D, ptx_lane_bytes(d) == 8 ? PTX_ID_mov_b64 : PTX_ID_mov_b32, to, from, 0,
                         0);
  if (directed(round) && ptx_type_bytes(d) < ptx_type_bytes(s))
    return directed_cvt(D, d, s, to, from);
  uint16_t id = find2("cvt_%s_%s", d, s);
  if (id) return ptx_emit_dabc(D, id, to, from, 0, 0);
  LCU_TRY(widen_half(D, &s, &from)); /* f16 <-> bf16 */
  return step(D, find2("cvt_%s_%s", d, s), to, from);
}

/* Two f32 to a pair; the first source is the upper half. */
static lcu_status to_pair (ptx_decoder *D) {
  const ptx_inst *inst = D->inst;
  const ptx_match *m = &inst->match;
  char name[48];
  int32_t d, a, b;
  snprintf(name, sizeof name, "cvt_%s%s_%s", m->round == PTX_ROUND_RZ ? "rz_" : "",
           ptx_type_name(m->type), ptx_type_name(m->type2));
  uint16_t id = ptx_id_find(name);
  if (!id || (m->mods & PTX_M_SAT)) return ptx_decode_fail(D, "this pair of types");
  LCU_TRY(ptx_source(D, &inst->operands[1], m->type2, &a));
  LCU_TRY(ptx_source(D, &inst->operands[2], m->type2, &b));
  LCU_TRY(ptx_dest(D, &inst->operands[0], m->type, &d));
  LCU_TRY(ptx_emit_dabc(D, id, d, a, b, 0));
  return after(D, m->type, d);
}

/* ---- floats of 4, 6 and 8 bits ---- */

static bool is_tiny (ptx_type t) { return t >= PTX_E4M3X2 && t <= PTX_UE8M0X2; }

/* Results of 4 to 8 bits saturate, except for exponents; other results are exact. */
static bool tiny_fits (const ptx_match *m) {
  bool finite = (m->mods & PTX_M_SATFINITE) != 0;
  if (m->mods & (PTX_M_SAT | PTX_M_FTZ)) return false;
  if (m->type == PTX_UE8M0X2)
    return (m->round == PTX_ROUND_RZ || m->round == PTX_ROUND_RP) && !(m->mods & PTX_M_RELU);
  if (m->type2 == PTX_UE8M0X2) return m->round == PTX_ROUND_RN && !finite;
  return m->round == PTX_ROUND_RN && finite == is_tiny(m->type);
}

static lcu_status to_or_from_tiny (ptx_decoder *D) {
  const ptx_inst *inst = D->inst;
  const ptx_match *m = &inst->match;
  bool two = m->type2 == PTX_F32;
  char name[48];
  int32_t d, a, b = 0;
  if (!tiny_fits(m)) return ptx_decode_fail(D, "this rounding or saturation");
  if (inst->num_operands != (two ? 3 : 2)) return ptx_decode_fail(D, "operands do not fit");
  snprintf(name, sizeof name, "cvt_%s%s_%s",
           m->type != PTX_UE8M0X2     ? ""
           : m->round == PTX_ROUND_RZ ? "rz_"
                                      : "rp_",
           ptx_type_name(m->type), ptx_type_name(m->type2));
  uint16_t id = ptx_id_find(name);
  if (!id) return ptx_decode_fail(D, "this pair of types");
  LCU_TRY(ptx_source(D, &inst->operands[1], m->type2, &a));
  if (two) LCU_TRY(ptx_source(D, &inst->operands[2], m->type2, &b));
  LCU_TRY(ptx_dest(D, &inst->operands[0], m->type, &d));
  LCU_TRY(ptx_emit_dabc(D, id, d, a, b, 0));
  D->uops[D->num - 1].imm = (m->mods & PTX_M_SATFINITE) != 0;
  return after(D, m->type, d);
}

/* ---- packing ---- */

static uint32_t packed_bits (ptx_type t) {
  switch (t) {
    case PTX_U16:
    case PTX_S16: return 16;
    case PTX_U8:
    case PTX_S8: return 8;
    case PTX_U4:
    case PTX_S4: return 4;
    case PTX_U2:
    case PTX_S2: return 2;
    default: return 0;
  }
}

/* cvt.pack: two words saturated, and above them the lower bits of c unless the result is full. */
static lcu_status convert_packed (ptx_decoder *D) {
  const ptx_inst *inst = D->inst;
  const ptx_match *m = &inst->match;
  uint32_t bits = packed_bits(m->type);
  bool sign = m->type == PTX_S16 || m->type == PTX_S8 || m->type == PTX_S4 || m->type == PTX_S2;
  int num = bits == 16 ? 3 : 4;
  int32_t s[4];
  if (bits == 0 || m->type2 != PTX_S32 || m->mods != PTX_M_SAT || m->num_types != num - 1 ||
      (num == 4 && m->types[2] != PTX_B32))
    return ptx_decode_fail(D, "this form");
  if (inst->num_operands != num) return ptx_decode_fail(D, "operands do not fit");
  LCU_TRY(ptx_constant_slot(D, 0, 4, &s[3]));
  LCU_TRY(ptx_source_exact(D, &inst->operands[1], PTX_S32, &s[1]));
  LCU_TRY(ptx_source_exact(D, &inst->operands[2], PTX_S32, &s[2]));
  if (num == 4) LCU_TRY(ptx_source_exact(D, &inst->operands[3], PTX_B32, &s[3]));
  LCU_TRY(ptx_dest_exact(D, &inst->operands[0], PTX_B32, &s[0]));
  LCU_TRY(ptx_emit_dabc(D, PTX_ID_cvt_pack, s[0], s[1], s[2], s[3]));
  D->uops[D->num - 1].imm = bits | (sign ? 32 : 0);
  return LCU_OK;
}

/* ---- the instruction ---- */

static lcu_status convert (ptx_decoder *D, ptx_type d, ptx_type s, int32_t to, int32_t from) {
  if (is_int(d) && is_int(s)) return int_to_int(D, d, s, to, from);
  LCU_TRY(flush_source(D, s, &from));
  if (is_int(d)) return float_to_int(D, d, s, to, from);
  if (is_int(s)) LCU_TRY(int_to_float(D, d, s, to, from));
  else LCU_TRY(float_to_float(D, d, s, to, from));
  return after(D, d, to);
}

static bool is_pair (ptx_type t) { return t == PTX_F16X2 || t == PTX_BF16X2; }

/* A destination register that is wider than the type gets the extended value. */
static lcu_status dest_of (ptx_decoder *D, const ptx_operand *o, ptx_type t, int32_t *to,
                           uint16_t *extend) {
  *extend = 0;
  if (o->kind != PTX_O_REG || o->reg->slot < 0 || !is_int(t)) return ptx_dest(D, o, t, to);
  uint32_t bytes = ptx_type_bytes(t), reg = ptx_type_bytes(o->reg->type);
  bool sign = ptx_type_is_signed(t);
  if (o->reg->type == PTX_PRED || reg < bytes)
    return ptx_decode_fail(D, "register narrower than the result");
  if (reg > bytes && (sign || reg == 8)) {
    char name[32];
    snprintf(name, sizeof name, "cvt_u%u_%c%u", reg * 8, sign ? 's' : 'u', bytes * 8);
    *extend = ptx_id_find(name);
    return ptx_temp(D, to);
  }
  *to = o->reg->slot;
  return LCU_OK;
}

lcu_status ptx_decode_cvt (ptx_decoder *D) {
  const ptx_inst *inst = D->inst;
  const ptx_match *m = &inst->match;
  int32_t to, from;
  uint16_t extend;
  if (m->mode == PTX_MODE_pack) return convert_packed(D);
  if (m->mode != PTX_MODE_none || m->num_types != 2 || inst->num_operands > 3)
    return ptx_decode_fail(D, "this form");
  if (is_tiny(m->type) || is_tiny(m->type2)) return to_or_from_tiny(D);
  if (inst->num_operands == 3) return to_pair(D);
  if (is_pair(m->type) != is_pair(m->type2)) return ptx_decode_fail(D, "operands do not fit");
  if ((m->mods & PTX_M_SATFINITE) && is_int(m->type)) return ptx_decode_fail(D, "satfinite");
  LCU_TRY(ptx_check_cvt_rounding(D, m->type, m->type2));
  LCU_TRY(ptx_source(D, &inst->operands[1], m->type2, &from));
  LCU_TRY(dest_of(D, &inst->operands[0], m->type, &to, &extend));
  LCU_TRY(convert(D, m->type, m->type2, to, from));
  return extend ? ptx_emit_dabc(D, extend, inst->operands[0].reg->slot, to, 0, 0) : LCU_OK;
}
