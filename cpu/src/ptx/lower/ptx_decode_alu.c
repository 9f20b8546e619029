/* ptx_decode_alu.c: arithmetic, comparison, selection. */
#include "ptx_decode.h"

#include <stdio.h>
#include <string.h>

#include "ptx_round.h"

/* ---- plain operations ---- */

static ptx_type wide_type (ptx_type t) {
  switch (t) {
    case PTX_U16: return PTX_U32;
    case PTX_S16: return PTX_S32;
    case PTX_U32: return PTX_U64;
    default: return PTX_S64;
  }
}

/* One letter for each operand: as in the form of ptx_ops.def; w: twice as wide as t. */
static const char *type_names (const ptx_match *m) {
  const char *types = strchr(m->op->form, ':');
  if (m->mul_part == PTX_PART_WIDE) return "wttw";
  return types != NULL ? types + 1 : "ttttt";
}

static ptx_type operand_type (const ptx_match *m, char letter) {
  switch (letter) {
    case '2': return m->type2;
    case 'u': return PTX_U32;
    case 'w': return wide_type(m->type);
    case 'p': return PTX_PRED;
    default: return m->type;
  }
}

static bool has_carry (const ptx_match *m) {
  size_t n = strlen(m->op->opcode);
  return (m->mods & PTX_M_CC) ||
         (n == 4 && m->op->opcode[3] == 'c' && m->op->decode == PTX_DEC_alu &&
          (strcmp(m->op->opcode, "addc") == 0 || strcmp(m->op->opcode, "subc") == 0 ||
           strcmp(m->op->opcode, "madc") == 0));
}

lcu_status ptx_emit_alu (ptx_decoder *D, int32_t d, int32_t a, int32_t b, int32_t c) {
  const ptx_match *m = &D->inst->match;
  LCU_TRY(ptx_emit_dabc(D, m->id, d, a, b, c));
  if (m->round == PTX_ROUND_RZ || m->round == PTX_ROUND_RM || m->round == PTX_ROUND_RP)
    D->uops[D->num - 1].imm = ptx_round_pack(m->round, m->mods, PTX_NOTYPE, PTX_NOTYPE);
  return LCU_OK;
}

lcu_status ptx_decode_alu (ptx_decoder *D) {
  const ptx_inst *inst = D->inst;
  const ptx_match *m = &inst->match;
  const char *types = type_names(m);
  LCU_TRY(ptx_check_rounding(D));
  if (ptx_is_composed(inst)) return ptx_decode_composed(D);
  if ((m->mods & (PTX_M_ABS | PTX_M_XORSIGN)) == PTX_M_ABS)
    return ptx_decode_fail(D, ".abs of two numbers goes with .xorsign");
  int32_t s[5] = { 0 };
  for (int i = 1; i < inst->num_operands; i++)
    LCU_TRY(ptx_source_exact(D, &inst->operands[i], operand_type(m, types[i]), &s[i]));
  LCU_TRY(ptx_dest_exact(D, &inst->operands[0], operand_type(m, types[0]), &s[0]));
  LCU_TRY(ptx_emit_alu(D, s[0], s[1], s[2], s[3]));
  ptx_uop *I = &D->uops[D->num - 1];
  if (inst->num_operands == 5) I->imm = s[4];
  if (has_carry(m)) {
    I->imm = PTX_CARRY_AT;
    I->flags |= PTX_F_CARRY;
    D->has_carry = true;
  }
  return LCU_OK;
}

/* ---- comparisons ---- */

typedef struct comparison {
  const char *name;
  bool swap, is_unsigned;
} comparison;

/* gt and ge are lt and le with swapped operands; lo ls hi hs are unsigned. */
static const comparison comparisons[PTX_CMP_COUNT] = {
  [PTX_CMP_eq] = { "eq", false, false },   [PTX_CMP_ne] = { "ne", false, false },
  [PTX_CMP_lt] = { "lt", false, false },   [PTX_CMP_le] = { "le", false, false },
  [PTX_CMP_gt] = { "lt", true, false },    [PTX_CMP_ge] = { "le", true, false },
  [PTX_CMP_lo] = { "lt", false, true },    [PTX_CMP_ls] = { "le", false, true },
  [PTX_CMP_hi] = { "lt", true, true },     [PTX_CMP_hs] = { "le", true, true },
  [PTX_CMP_equ] = { "equ", false, false }, [PTX_CMP_neu] = { "neu", false, false },
  [PTX_CMP_ltu] = { "ltu", false, false }, [PTX_CMP_leu] = { "leu", false, false },
  [PTX_CMP_gtu] = { "ltu", true, false },  [PTX_CMP_geu] = { "leu", true, false },
  [PTX_CMP_num] = { "num", false, false }, [PTX_CMP_nan] = { "nan", false, false }
};

/* The type of the handler that compares t. */
static const char *compare_type (ptx_type t, const comparison *c) {
  bool equality = strcmp(c->name, "eq") == 0 || strcmp(c->name, "ne") == 0;
  if (ptx_type_is_float(t)) return ptx_type_name(t);
  if (equality) return ptx_lane_bytes(t) == 8 ? "b64" : "b32";
  switch (t) {
    case PTX_S16: return c->is_unsigned ? "u32" : "s16";
    case PTX_S32: return c->is_unsigned ? "u32" : "s32";
    case PTX_S64: return c->is_unsigned ? "u64" : "s64";
    default: return ptx_lane_bytes(t) == 8 ? "u64" : "u32";
  }
}

/* Bit types can only be equal or not, and lo ls hi hs are for unsigned integers. Predicates, bytes
 * and 128 bits cannot be compared. */
static bool comparable (ptx_type t, uint8_t compare) {
  if (ptx_type_bytes(t) < 2 || ptx_type_bytes(t) > 8) return false;
  if (t >= PTX_B8 && t <= PTX_B64) return compare == PTX_CMP_eq || compare == PTX_CMP_ne;
  return !comparisons[compare].is_unsigned || (t >= PTX_U8 && t <= PTX_U64);
}

static lcu_status emit_compare (ptx_decoder *D, ptx_type t, int32_t d, int32_t a, int32_t b) {
  const ptx_match *m = &D->inst->match;
  const comparison *c = &comparisons[m->compare];
  if (c->name == NULL) return ptx_decode_fail(D, "no comparison");
  if (!comparable(t, m->compare)) return ptx_decode_fail(D, "this comparison of this type");
  char name[48];
  bool ftz = (m->mods & PTX_M_FTZ) && t == PTX_F32;
  snprintf(name, sizeof name, "setp_%s_%s%s", c->name, compare_type(t, c), ftz ? "_ftz" : "");
  uint16_t id = ptx_id_find(name);
  if (!id) return ptx_decode_fail(D, "this comparison of this type");
  return ptx_emit_dabc(D, id, d, c->swap ? b : a, c->swap ? a : b, 0);
}

static uint16_t bool_id (uint8_t op) {
  return op == PTX_BOOL_AND  ? PTX_ID_and_pred
         : op == PTX_BOOL_OR ? PTX_ID_or_pred
                             : PTX_ID_xor_pred;
}

static bool is_pair_type (ptx_type t) { return t == PTX_F16X2 || t == PTX_BF16X2; }
static ptx_type half_of (ptx_type t) { return t == PTX_F16X2 ? PTX_F16 : PTX_BF16; }

/* Moves the upper halves of a and b to temporaries. */
static lcu_status upper_halves (ptx_decoder *D, int32_t *a, int32_t *b) {
  int32_t high_a, high_b;
  LCU_TRY(ptx_temp(D, &high_a));
  LCU_TRY(ptx_temp(D, &high_b));
  LCU_TRY(ptx_emit_imm(D, PTX_ID_unpack_b32_b16, high_a, *a, 16));
  LCU_TRY(ptx_emit_imm(D, PTX_ID_unpack_b32_b16, high_b, *b, 16));
  *a = high_a;
  *b = high_b;
  return LCU_OK;
}

/* Compares and combines with predicate c. *p is the result; *q, unless q is NULL, the result of the
 * negated comparison, or of the upper halves of pairs. Both are temporaries, so that destinations
 * may be sources. */
static lcu_status compare_and_combine (ptx_decoder *D, ptx_type t, const ptx_operand *o,
                                       const ptx_operand *oc, int32_t *p, int32_t *q) {
  const ptx_match *m = &D->inst->match;
  int32_t a, b, c = 0;
  ptx_type one = is_pair_type(t) ? half_of(t) : t;
  LCU_TRY(ptx_source_exact(D, &o[0], t, &a));
  LCU_TRY(ptx_source_exact(D, &o[1], t, &b));
  if (oc != NULL) LCU_TRY(ptx_source(D, oc, PTX_PRED, &c));
  LCU_TRY(ptx_temp(D, p));
  LCU_TRY(emit_compare(D, one, *p, a, b));
  if (q != NULL) {
    LCU_TRY(ptx_temp(D, q));
    if (is_pair_type(t)) {
      LCU_TRY(upper_halves(D, &a, &b));
      LCU_TRY(emit_compare(D, one, *q, a, b));
    } else {
      LCU_TRY(ptx_emit_dabc(D, PTX_ID_not_pred, *q, *p, 0, 0));
    }
    if (oc != NULL) LCU_TRY(ptx_emit_dabc(D, bool_id(m->bool_op), *q, *q, c, 0));
  }
  return oc != NULL ? ptx_emit_dabc(D, bool_id(m->bool_op), *p, *p, c, 0) : LCU_OK;
}

/* The usual case: one result, nothing to combine. */
static lcu_status simple_setp (ptx_decoder *D, const ptx_operand *o) {
  int32_t d, a, b;
  LCU_TRY(ptx_source_exact(D, &o[1], D->inst->match.type, &a));
  LCU_TRY(ptx_source_exact(D, &o[2], D->inst->match.type, &b));
  LCU_TRY(ptx_dest(D, &o[0], PTX_PRED, &d));
  return emit_compare(D, D->inst->match.type, d, a, b);
}

lcu_status ptx_decode_setp (ptx_decoder *D) {
  const ptx_inst *inst = D->inst;
  const ptx_operand *o = inst->operands;
  int pair = inst->pair, sources = 1 + pair;
  bool combines = inst->num_operands > sources + 2;
  if (combines != (inst->match.bool_op != PTX_BOOL_NONE))
    return ptx_decode_fail(D, "operands do not fit");
  if (!pair && !combines && !is_pair_type(inst->match.type)) return simple_setp(D, o);
  int32_t p, q, d;
  LCU_TRY(compare_and_combine(D, inst->match.type, o + sources, combines ? o + sources + 2 : NULL,
                              &p, pair ? &q : NULL));
  LCU_TRY(ptx_dest(D, &o[0], PTX_PRED, &d));
  LCU_TRY(ptx_emit_dabc(D, PTX_ID_mov_b32, d, p, 0, 0));
  if (!pair) return LCU_OK;
  LCU_TRY(ptx_dest(D, &o[1], PTX_PRED, &d));
  return ptx_emit_dabc(D, PTX_ID_mov_b32, d, q, 0, 0);
}

/* The value of a true comparison in that type. */
static int64_t true_value (ptx_type t) {
  switch (t) {
    case PTX_F16:
    case PTX_F16X2: return 0x3c00;
    case PTX_BF16:
    case PTX_BF16X2: return 0x3f80;
    case PTX_F32: return 0x3f800000;
    default: return -1;
  }
}

/* Whether `set` gives type d for operands of type s: words and floats of 16 bits for all, integers
 * of 16 bits for halves, pairs for pairs. */
static bool set_gives (ptx_type d, ptx_type s) {
  if (is_pair_type(s)) return ptx_type_bytes(d) == 4 && d != PTX_F32;
  return !is_pair_type(d) && (ptx_type_bytes(d) == 4 || d == PTX_F16 || d == PTX_BF16 ||
                              (ptx_type_bytes(d) == 2 && (s == PTX_F16 || s == PTX_BF16)));
}

lcu_status ptx_decode_set (ptx_decoder *D) {
  const ptx_inst *inst = D->inst;
  const ptx_match *m = &inst->match;
  const ptx_operand *oc = inst->num_operands > 3 ? &inst->operands[3] : NULL;
  int32_t p, q, d, low, high;
  bool pair = is_pair_type(m->type2);
  if (!set_gives(m->type, m->type2)) return ptx_decode_fail(D, "this result of this comparison");
  if ((oc != NULL) != (m->bool_op != PTX_BOOL_NONE))
    return ptx_decode_fail(D, "operands do not fit");
  LCU_TRY(compare_and_combine(D, m->type2, &inst->operands[1], oc, &p, pair ? &q : NULL));
  LCU_TRY(ptx_dest_exact(D, &inst->operands[0], m->type, &d));
  if (!pair)
    return ptx_emit_imm(D,
                        ptx_type_bytes(m->type) == 2 ? PTX_ID_set_value_b16 : PTX_ID_set_value_b32,
                        d, p, true_value(m->type));
  LCU_TRY(ptx_temp(D, &low));
  LCU_TRY(ptx_temp(D, &high));
  LCU_TRY(ptx_emit_imm(D, PTX_ID_set_value_b16, low, p, true_value(m->type)));
  LCU_TRY(ptx_emit_imm(D, PTX_ID_set_value_b16, high, q, true_value(m->type)));
  return ptx_emit_dabc(D, PTX_ID_pack_b16_b32, d, low, high, 0);
}

/* ---- selection, logic with a table ---- */

lcu_status ptx_decode_selp (ptx_decoder *D) {
  const ptx_operand *o = D->inst->operands;
  ptx_type t = D->inst->match.type;
  int32_t d, a, b, c;
  if (ptx_type_bytes(t) < 2 || ptx_type_bytes(t) > 8) return ptx_decode_fail(D, "this type");
  LCU_TRY(ptx_source_exact(D, &o[1], t, &a));
  LCU_TRY(ptx_source_exact(D, &o[2], t, &b));
  LCU_TRY(ptx_source(D, &o[3], PTX_PRED, &c));
  LCU_TRY(ptx_dest_exact(D, &o[0], t, &d));
  return ptx_emit_dabc(D, ptx_lane_bytes(t) == 8 ? PTX_ID_selp_b64 : PTX_ID_selp_b32, d, a, b, c);
}

static lcu_status lop3_predicate (ptx_decoder *D, const ptx_operand *op, const ptx_operand *oq,
                                  int32_t value) {
  int32_t p, q, zero, d;
  LCU_TRY(ptx_source(D, oq, PTX_PRED, &q));
  LCU_TRY(ptx_constant_slot(D, 0, 4, &zero));
  LCU_TRY(ptx_temp(D, &p));
  LCU_TRY(ptx_emit_dabc(D, PTX_ID_setp_ne_b32, p, value, zero, 0));
  LCU_TRY(ptx_dest(D, op, PTX_PRED, &d));
  return ptx_emit_dabc(D, bool_id(D->inst->match.bool_op), d, p, q, 0);
}

lcu_status ptx_decode_lop3 (ptx_decoder *D) {
  const ptx_inst *inst = D->inst;
  int at = inst->pair ? 2 : 1;
  const ptx_operand *o = inst->operands;
  int32_t d, s[3];
  if (inst->match.type != PTX_B32 || o[at + 3].kind != PTX_O_INT)
    return ptx_decode_fail(D, "the table must be a number");
  if (inst->match.bool_op == PTX_BOOL_XOR) return ptx_decode_fail(D, "this kind of combination");
  if (inst->pair != (inst->match.bool_op != PTX_BOOL_NONE) ||
      inst->num_operands != (inst->pair ? 7 : 5))
    return ptx_decode_fail(D, "operands do not fit");
  for (int i = 0; i < 3; i++) LCU_TRY(ptx_source_exact(D, &o[at + i], PTX_B32, &s[i]));
  LCU_TRY(ptx_dest_exact(D, &o[0], PTX_B32, &d));
  LCU_TRY(ptx_emit_dabc(D, PTX_ID_lop3_b32, d, s[0], s[1], s[2]));
  D->uops[D->num - 1].imm = o[at + 3].i;
  return inst->pair ? lop3_predicate(D, &o[1], &o[6], d) : LCU_OK;
}
