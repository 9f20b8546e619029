/* ptx_decode_composed.c: arithmetic that is made of several f32 operations: sums and products with
 * halves (9.7.5), pairs of f32, minima and maxima of three numbers. */
#include <string.h>

#include "ptx_decode.h"

static bool is_of_three (const ptx_inst *inst) {
  return inst->num_operands == 4 &&
         (strcmp(inst->match.op->opcode, "min") == 0 || strcmp(inst->match.op->opcode, "max") == 0);
}

static bool is_one_of (const ptx_inst *inst, const char *const *opcodes) {
  for (; *opcodes != NULL; opcodes++)
    if (strcmp(inst->match.op->opcode, *opcodes) == 0) return true;
  return false;
}

bool ptx_is_composed (const ptx_inst *inst) {
  return inst->match.type == PTX_F32X2 || ptx_match_is_mixed(&inst->match) || is_of_three(inst);
}

/* ---- halves ---- */

static lcu_status widened (ptx_decoder *D, const ptx_operand *o, int32_t *slot) {
  ptx_type t = D->inst->match.type2;
  int32_t half;
  LCU_TRY(ptx_source_exact(D, o, t, &half));
  LCU_TRY(ptx_temp(D, slot));
  return ptx_emit_dabc(D, t == PTX_F16 ? PTX_ID_cvt_f32_f16 : PTX_ID_cvt_f32_bf16, *slot, half, 0,
                       0);
}

/* All operands but the last source are halves. */
static lcu_status decode_mixed (ptx_decoder *D) {
  static const char *const opcodes[] = { "add", "sub", "fma", NULL };
  const ptx_inst *inst = D->inst;
  int last = inst->num_operands - 1;
  if (!is_one_of(inst, opcodes) || (inst->match.mods & PTX_M_FTZ))
    return ptx_decode_fail(D, "f32 and halves in this operation");
  int32_t s[4] = { 0 };
  for (int i = 1; i < last; i++) LCU_TRY(widened(D, &inst->operands[i], &s[i]));
  LCU_TRY(ptx_source_exact(D, &inst->operands[last], PTX_F32, &s[last]));
  LCU_TRY(ptx_dest_exact(D, &inst->operands[0], PTX_F32, &s[0]));
  return ptx_emit_alu(D, s[0], s[1], s[2], s[3]);
}

/* ---- pairs ---- */

/* One of the two operations, 0 or 1, on the sources whose slots are given. */
static lcu_status half_of_pair (ptx_decoder *D, const int32_t *sources, int n, int which,
                                int32_t *result) {
  int32_t s[4] = { 0 };
  for (int i = 1; i < n; i++) {
    LCU_TRY(ptx_temp(D, &s[i]));
    LCU_TRY(ptx_emit_imm(D, PTX_ID_unpack_b64_b32, s[i], sources[i], which * 32));
  }
  LCU_TRY(ptx_temp(D, result));
  return ptx_emit_alu(D, *result, s[1], s[2], s[3]);
}

static lcu_status decode_pairs (ptx_decoder *D) {
  const ptx_inst *inst = D->inst;
  static const char *const opcodes[] = { "add", "sub", "mul", "fma", NULL };
  int32_t sources[4] = { 0 }, results[2], d;
  if (!is_one_of(inst, opcodes) || (inst->match.mods & PTX_M_SAT))
    return ptx_decode_fail(D, "pairs of f32 in this operation");
  for (int i = 1; i < inst->num_operands; i++)
    LCU_TRY(ptx_source_exact(D, &inst->operands[i], PTX_B64, &sources[i]));
  for (int k = 0; k < 2; k++) LCU_TRY(half_of_pair(D, sources, inst->num_operands, k, &results[k]));
  LCU_TRY(ptx_dest_exact(D, &inst->operands[0], PTX_B64, &d));
  return ptx_emit_dabc(D, PTX_ID_pack_b32_b64, d, results[0], results[1], 0);
}

/* ---- minimum and maximum of three ---- */

static lcu_status source_of_three (ptx_decoder *D, const ptx_operand *o, int32_t *slot) {
  int32_t plain;
  LCU_TRY(ptx_source_exact(D, o, PTX_F32, &plain));
  *slot = plain;
  if (!(D->inst->match.mods & PTX_M_ABS)) return LCU_OK;
  LCU_TRY(ptx_temp(D, slot));
  return ptx_emit_dabc(D, PTX_ID_abs_f32, *slot, plain, 0, 0);
}

static lcu_status decode_three (ptx_decoder *D) {
  const ptx_inst *inst = D->inst;
  int32_t s[4], between;
  if (inst->match.type != PTX_F32 || (inst->match.mods & (PTX_M_XORSIGN | PTX_M_RELU)))
    return ptx_decode_fail(D, "three numbers of f32 only");
  for (int i = 1; i < 4; i++) LCU_TRY(source_of_three(D, &inst->operands[i], &s[i]));
  LCU_TRY(ptx_temp(D, &between));
  LCU_TRY(ptx_emit_alu(D, between, s[1], s[2], 0));
  LCU_TRY(ptx_dest_exact(D, &inst->operands[0], PTX_F32, &s[0]));
  return ptx_emit_alu(D, s[0], between, s[3], 0);
}

lcu_status ptx_decode_composed (ptx_decoder *D) {
  if (ptx_match_is_mixed(&D->inst->match)) return decode_mixed(D);
  return D->inst->match.type == PTX_F32X2 ? decode_pairs(D) : decode_three(D);
}
