/* ptx_decode_cluster.c: the barrier of a cluster (9.7.13.3), and addresses in its blocks (9.7.9.23,
 * 9.7.9.24). */
#include <string.h>

#include "ptx_decode.h"

lcu_status ptx_decode_barrier_cluster (ptx_decoder *D) {
  const char *opcode = D->inst->match.op->opcode;
  bool arrives = strcmp(opcode, "barrier.cluster.arrive") == 0;
  if (D->inst->match.mods & (arrives ? PTX_M_ACQUIRE : PTX_M_RELEASE))
    return ptx_decode_fail(D, "this order");
  LCU_TRY(ptx_emit_dabc(D, arrives ? PTX_ID_cluster_arrive : PTX_ID_cluster_wait, -1, -1, -1, -1));
  if (ptx_has_part(D->inst, "relaxed")) D->uops[D->num - 1].flags |= PTX_F_VOLATILE;
  return LCU_OK;
}

/* d rank or address, a address, b rank */
lcu_status ptx_decode_mapa (ptx_decoder *D) {
  const ptx_match *m = &D->inst->match;
  const ptx_operand *o = D->inst->operands;
  bool maps = strcmp(m->op->opcode, "mapa") == 0;
  int32_t d, a, b = -1;
  if (m->num_types != 1 || (m->type != PTX_U32 && m->type != PTX_U64))
    return ptx_decode_fail(D, "takes type .u32 or .u64");
  if (m->space != PTX_GENERIC && m->space != PTX_CLUSTER)
    return ptx_decode_fail(D, "addresses are generic or .shared::cluster");
  LCU_TRY(ptx_source(D, &o[1], m->type, &a));
  if (maps) LCU_TRY(ptx_source(D, &o[2], PTX_U32, &b));
  LCU_TRY(ptx_dest(D, &o[0], maps ? m->type : PTX_U32, &d));
  LCU_TRY(ptx_emit_dabc(D, maps ? PTX_ID_mapa : PTX_ID_getctarank, d, a, b, -1));
  ptx_uop *I = &D->uops[D->num - 1];
  I->space = m->space;
  I->size = (uint8_t)ptx_type_bytes(m->type);
  return LCU_OK;
}
