/* ptx_decode_cancel.c: clusterlaunchcontrol (9.7.13.17). The answer of try_cancel is written as
 * GPUs write it: x in the first word, y and z in the halves of the second, and bit 0 of the third
 * says whether there is one. */
#include <string.h>

#include "ptx_decode.h"

/* ---- the request ---- */

lcu_status ptx_decode_try_cancel (ptx_decoder *D) {
  const ptx_inst *inst = D->inst;
  const ptx_match *m = &inst->match;
  bool all = m->query == PTX_QUERY_all_blocks;
  if (m->num_types != 1 || m->type != PTX_B128 || !(m->mods & PTX_M_COMPLETE_TX) ||
      (m->query != PTX_QUERY_none && !all) || (m->mods & (PTX_M_MULTICAST | PTX_M_BULK_GROUP)))
    return ptx_decode_fail(D, "this form");
  if (m->space != PTX_GENERIC && m->space != PTX_SHARED)
    return ptx_decode_fail(D, "shared memory of the block only");
  LCU_TRY(ptx_emit_bulk_pair(D, PTX_ID_try_cancel, 0, 1));
  ptx_uop *I = &D->uops[D->num - 1];
  I->imm = all;
  if (all && m->space == PTX_SHARED) I->space = PTX_CLUSTER;
  return LCU_OK;
}

/* ---- questions about the answer ---- */

/* Emits one 32-bit word of the answer into a temporary; `half` is the slot of the half with it. */
static lcu_status word (ptx_decoder *D, int32_t half, uint32_t shift, int32_t *slot) {
  LCU_TRY(ptx_temp(D, slot));
  return ptx_emit_imm(D, PTX_ID_unpack_b64_b32, *slot, half, shift);
}

static lcu_status decode_is_canceled (ptx_decoder *D, int32_t answer) {
  int32_t bits, bit, one, zero, d;
  LCU_TRY(word(D, answer + 8 * PTX_LANES, 0, &bits));
  LCU_TRY(ptx_constant_slot(D, 1, 4, &one));
  LCU_TRY(ptx_constant_slot(D, 0, 4, &zero));
  LCU_TRY(ptx_temp(D, &bit));
  LCU_TRY(ptx_emit_dabc(D, PTX_ID_and_b32, bit, bits, one, 0));
  LCU_TRY(ptx_dest(D, &D->inst->operands[0], PTX_PRED, &d));
  return ptx_emit_dabc(D, PTX_ID_setp_ne_b32, d, bit, zero, 0);
}

/* Coordinate k of the block; the fourth is 0. */
static lcu_status coordinate (ptx_decoder *D, int32_t answer, uint32_t k, const ptx_operand *to) {
  int32_t d, from;
  if (to->kind == PTX_O_SINK) return LCU_OK;
  LCU_TRY(ptx_dest_exact(D, to, PTX_B32, &d));
  if (k == 0) return ptx_emit_imm(D, PTX_ID_unpack_b64_b32, d, answer, 0);
  if (k < 3) {
    LCU_TRY(word(D, answer, 32, &from));
    return ptx_emit_imm(D, PTX_ID_unpack_b32_b16, d, from, (k - 1) * 16);
  }
  LCU_TRY(ptx_constant_slot(D, 0, 4, &from));
  return ptx_emit_dabc(D, PTX_ID_mov_b32, d, from, 0, 0);
}

static lcu_status decode_first (ptx_decoder *D, int32_t answer) {
  const ptx_operand *o = &D->inst->operands[0];
  if (o->kind != PTX_O_VECTOR || o->num_items != 4)
    return ptx_decode_fail(D, "the result is a vector of four");
  for (uint32_t k = 0; k < 4; k++) LCU_TRY(coordinate(D, answer, k, &o->items[k]));
  return LCU_OK;
}

lcu_status ptx_decode_query_cancel (ptx_decoder *D) {
  const ptx_match *m = &D->inst->match;
  const ptx_operand *to = &D->inst->operands[0];
  bool asks = m->query == PTX_QUERY_is_canceled;
  int32_t answer;
  if (m->num_types != 2 || m->type != (asks ? PTX_PRED : PTX_B32) || m->type2 != PTX_B128 ||
      (m->vector == 4) != (m->query == PTX_QUERY_get_first_ctaid))
    return ptx_decode_fail(D, "this form");
  LCU_TRY(ptx_source_exact(D, &D->inst->operands[1], PTX_B128, &answer));
  switch (m->query) {
    case PTX_QUERY_is_canceled: return decode_is_canceled(D, answer);
    case PTX_QUERY_get_first_ctaid: return decode_first(D, answer);
    case PTX_QUERY_first_x:
    case PTX_QUERY_first_y:
    case PTX_QUERY_first_z: return coordinate(D, answer, m->query - PTX_QUERY_first_x, to);
    default: return ptx_decode_fail(D, "this query");
  }
}
