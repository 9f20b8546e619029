/* ptx_decode_video.c: video operations: on parts of words (9.7.17), and on two halves or four bytes
 * of a word at a time (9.7.18). Selectors are the names of register operands: %r1.b3. */
#include "ptx_decode.h"

#include <string.h>

#include "ptx_simd.h"
#include "ptx_video.h"

/* ---- operands ---- */

static const char *selector (const ptx_operand *o) { return o->kind == PTX_O_REG ? o->name : NULL; }

/* Sources without their selectors and signs. */
static lcu_status sources (ptx_decoder *D, uint32_t num, int32_t slots[4]) {
  for (uint32_t k = 1; k <= num; k++) {
    ptx_operand plain = D->inst->operands[k];
    plain.negate = false;
    if (plain.kind == PTX_O_REG) plain.name = NULL;
    LCU_TRY(ptx_source_exact(D, &plain, PTX_U32, &slots[k]));
  }
  return LCU_OK;
}

static lcu_status destination (ptx_decoder *D, int32_t *slot) {
  ptx_operand plain = D->inst->operands[0];
  if (plain.kind == PTX_O_REG) plain.name = NULL;
  return ptx_dest_exact(D, &plain, PTX_U32, slot);
}

/* All `num` types are .u32 or .s32. */
static lcu_status check_video_types (const ptx_decoder *D, uint32_t num) {
  const ptx_match *m = &D->inst->match;
  if (m->num_types != num) return ptx_decode_fail(D, "the number of types");
  for (uint32_t k = 0; k < num; k++)
    if (m->types[k] != PTX_U32 && m->types[k] != PTX_S32) return ptx_decode_fail(D, "this type");
  return LCU_OK;
}

static bool is_order (uint8_t compare) { return compare >= PTX_CMP_eq && compare <= PTX_CMP_ge; }

/* The index of `opcode`, without its last `cut` letters, in a list of names. */
static uint32_t index_of (const char *const *names, uint32_t num, const char *opcode, size_t cut) {
  size_t n = strlen(opcode) - cut;
  for (uint32_t i = 0; i < num; i++)
    if (strlen(names[i]) == n && strncmp(names[i], opcode, n) == 0) return i;
  return 0;
}

/* ---- scalar ---- */

static const char *const video_names[PTX_VIDEO_OPS] = {
  [PTX_VIDEO_ADD] = "vadd", [PTX_VIDEO_SUB] = "vsub", [PTX_VIDEO_ABSDIFF] = "vabsdiff",
  [PTX_VIDEO_MIN] = "vmin", [PTX_VIDEO_MAX] = "vmax", [PTX_VIDEO_SHL] = "vshl",
  [PTX_VIDEO_SHR] = "vshr", [PTX_VIDEO_SET] = "vset", [PTX_VIDEO_MAD] = "vmad"
};

/* b0 to b3, h0, h1, or nothing. */
static lcu_status part_of (const ptx_decoder *D, const ptx_operand *o, uint8_t *part) {
  const char *s = selector(o);
  *part = PTX_PART_WORD;
  if (s == NULL) return LCU_OK;
  uint32_t index = (uint32_t)(s[1] - '0');
  if (strlen(s) == 2 && s[0] == 'b' && index < 4) *part = (uint8_t)(PTX_PART_B0 + index);
  else if (strlen(s) == 2 && s[0] == 'h' && index < 2) *part = (uint8_t)(PTX_PART_H0 + index);
  else return ptx_decode_fail(D, "this selection of a part");
  return LCU_OK;
}

static uint8_t second_of (const ptx_match *m, const ptx_video *x) {
  if (x->d_part != PTX_PART_WORD) return PTX_VIDEO_MERGE;
  switch (m->mode) {
    case PTX_MODE_add: return PTX_VIDEO_THEN_ADD;
    case PTX_MODE_min: return PTX_VIDEO_THEN_MIN;
    case PTX_MODE_max: return PTX_VIDEO_THEN_MAX;
    default: return PTX_VIDEO_NONE;
  }
}

/* vset has no type of its result: it compares c in the type of a. */
static void signs_of (const ptx_match *m, bool set, ptx_video *x) {
  const ptx_type *t = set ? m->types : m->types + 1;
  x->d_signed = m->types[0] == PTX_S32;
  x->a_signed = t[0] == PTX_S32;
  x->b_signed = t[1] == PTX_S32;
}

static lcu_status video_of (const ptx_decoder *D, ptx_video *x) {
  const ptx_inst *inst = D->inst;
  const ptx_match *m = &inst->match;
  const ptx_operand *o = inst->operands;
  bool mad = x->op == PTX_VIDEO_MAD;
  LCU_TRY(check_video_types(D, x->op == PTX_VIDEO_SET ? 2 : 3));
  signs_of(m, x->op == PTX_VIDEO_SET, x);
  LCU_TRY(part_of(D, &o[0], &x->d_part));
  LCU_TRY(part_of(D, &o[1], &x->a_part));
  LCU_TRY(part_of(D, &o[2], &x->b_part));
  x->second = second_of(m, x);
  x->sat = (m->mods & PTX_M_SAT) != 0;
  x->wrap = (m->mods & PTX_M_WRAP) != 0;
  x->compare = m->compare;
  x->plus_one = m->mode == PTX_MODE_po;
  x->negate_product = o[1].negate != o[2].negate;
  x->negate_c = inst->num_operands == 4 && o[3].negate;
  x->scale = m->scale;
  if (!mad && (o[1].negate || o[2].negate || x->negate_c))
    return ptx_decode_fail(D, "negated operand");
  if (inst->num_operands == 4 && selector(&o[3]) != NULL)
    return ptx_decode_fail(D, "selection of a part of the third operand");
  return LCU_OK;
}

/* What the row of the opcode does not say. */
static lcu_status check_video (const ptx_decoder *D, const ptx_video *x) {
  const ptx_match *m = &D->inst->match;
  bool mad = x->op == PTX_VIDEO_MAD, shift = x->op == PTX_VIDEO_SHL || x->op == PTX_VIDEO_SHR;
  bool second = x->second != PTX_VIDEO_NONE || mad; /* otherwise c has no effect */
  bool known =
    m->mode == PTX_MODE_none ||
    (mad ? m->mode == PTX_MODE_po
         : m->mode == PTX_MODE_add || m->mode == PTX_MODE_min || m->mode == PTX_MODE_max);
  if (!known) return ptx_decode_fail(D, "this second operation");
  if (second && D->inst->num_operands != 4) return ptx_decode_fail(D, "operands do not fit");
  if (x->second == PTX_VIDEO_MERGE && (mad || m->mode != PTX_MODE_none))
    return ptx_decode_fail(D, "a part of the result and a second operation");
  if (x->op == PTX_VIDEO_SET && !is_order(x->compare)) return ptx_decode_fail(D, "no comparison");
  if (shift && (m->mods & (PTX_M_CLAMP | PTX_M_WRAP)) == 0)
    return ptx_decode_fail(D, "clamp or wrap is missing");
  if (shift && x->b_signed) return ptx_decode_fail(D, "the amount of a shift is unsigned");
  if (x->plus_one && (D->inst->operands[1].negate || D->inst->operands[2].negate || x->negate_c))
    return ptx_decode_fail(D, "negated operand");
  return LCU_OK;
}

lcu_status ptx_decode_video (ptx_decoder *D) {
  ptx_video x = { .op =
                    (uint8_t)index_of(video_names, PTX_VIDEO_OPS, D->inst->match.op->opcode, 0) };
  int32_t s[4] = { 0 };
  LCU_TRY(video_of(D, &x));
  LCU_TRY(check_video(D, &x));
  LCU_TRY(sources(D, D->inst->num_operands - 1u, s));
  LCU_TRY(destination(D, &s[0]));
  LCU_TRY(ptx_emit_dabc(D, PTX_ID_video, s[0], s[1], s[2], s[3]));
  D->uops[D->num - 1].imm = ptx_video_pack(&x);
  return LCU_OK;
}

/* ---- two halves or four bytes ---- */

static const char *const simd_names[PTX_SIMD_COUNT] = {
  [PTX_SIMD_ADD] = "vadd",         [PTX_SIMD_SUB] = "vsub", [PTX_SIMD_AVRG] = "vavrg",
  [PTX_SIMD_ABSDIFF] = "vabsdiff", [PTX_SIMD_MIN] = "vmin", [PTX_SIMD_MAX] = "vmax",
  [PTX_SIMD_SET] = "vset"
};

/* h32, b7654: the digits are elements of a, then of b; the last one is element 0. */
static lcu_status select_of (const ptx_decoder *D, const ptx_operand *o, const ptx_simd *x,
                             uint32_t first, uint32_t *select) {
  const char *s = selector(o);
  uint32_t num = 32 / x->bits;
  *select = 0;
  for (uint32_t k = 0; k < num && s == NULL; k++) *select |= (first + k) << (3 * k);
  if (s == NULL) return LCU_OK;
  if (strlen(s) != num + 1 || s[0] != (x->bits == 8 ? 'b' : 'h'))
    return ptx_decode_fail(D, "this selection of parts");
  for (uint32_t k = 0; k < num; k++) {
    uint32_t digit = (uint32_t)(s[num - k] - '0');
    if (digit >= 2 * num) return ptx_decode_fail(D, "this selection of parts");
    *select |= digit << (3 * k);
  }
  return LCU_OK;
}

/* h1, b320: the elements that are written, in descending order. */
static lcu_status simd_mask (const ptx_decoder *D, const ptx_operand *o, ptx_simd *x) {
  const char *s = selector(o);
  uint32_t num = 32 / x->bits, last = num;
  x->mask = s == NULL ? (1u << num) - 1u : 0;
  if (s == NULL) return LCU_OK;
  bool known = s[0] == (x->bits == 8 ? 'b' : 'h') && s[1] != '\0';
  for (s++; known && *s != '\0'; s++) {
    uint32_t digit = (uint32_t)(*s - '0');
    known = digit < last;
    if (known) x->mask |= 1u << digit;
    last = digit;
  }
  return known ? LCU_OK : ptx_decode_fail(D, "this selection of parts");
}

static lcu_status simd_of (const ptx_decoder *D, ptx_simd *x) {
  const ptx_match *m = &D->inst->match;
  const ptx_operand *o = D->inst->operands;
  const char *opcode = m->op->opcode;
  *x = (ptx_simd){ .op = index_of(simd_names, PTX_SIMD_COUNT, opcode, 1),
                   .bits = opcode[strlen(opcode) - 1] == '4' ? 8 : 16,
                   .sat = (m->mods & PTX_M_SAT) != 0,
                   .accumulate = m->mode == PTX_MODE_add,
                   .compare = m->compare };
  bool set = x->op == PTX_SIMD_SET;
  LCU_TRY(check_video_types(D, set ? 2 : 3));
  x->d_signed = !set && m->types[0] == PTX_S32;
  x->a_signed = m->types[set ? 0 : 1] == PTX_S32;
  x->b_signed = m->types[set ? 1 : 2] == PTX_S32;
  if (set && !is_order(m->compare)) return ptx_decode_fail(D, "no comparison");
  if (m->mode != PTX_MODE_none && (m->mode != PTX_MODE_add || x->sat))
    return ptx_decode_fail(D, "this second operation");
  LCU_TRY(simd_mask(D, &o[0], x));
  LCU_TRY(select_of(D, &o[1], x, 0, &x->a_select));
  return select_of(D, &o[2], x, 32 / x->bits, &x->b_select);
}

lcu_status ptx_decode_simd (ptx_decoder *D) {
  const ptx_operand *o = D->inst->operands;
  ptx_simd x;
  int32_t s[4];
  LCU_TRY(simd_of(D, &x));
  if (o[1].negate || o[2].negate || o[3].negate) return ptx_decode_fail(D, "negated operand");
  if (selector(&o[3]) != NULL)
    return ptx_decode_fail(D, "selection of a part of the third operand");
  LCU_TRY(sources(D, 3, s));
  LCU_TRY(destination(D, &s[0]));
  LCU_TRY(ptx_emit_dabc(D, PTX_ID_simd, s[0], s[1], s[2], s[3]));
  D->uops[D->num - 1].imm = ptx_simd_pack(&x);
  return LCU_OK;
}
