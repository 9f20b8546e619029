/* ptx_decode_async.c: asynchronous copies (9.7.9.25.3) and barrier objects (9.7.13.15). */
#include <string.h>

#include "ptx_decode.h"

/* Emits an access to [x], to be completed by the caller; NULL: out of memory. */
static ptx_uop *emit_at (ptx_decoder *D, uint16_t id, const ptx_address *x, uint8_t size) {
  ptx_uop *I = ptx_emit(D, id);
  if (I == NULL) return NULL;
  I->a = x->slot;
  I->imm = x->imm;
  I->flags |= x->flags;
  I->space = x->space;
  I->size = size;
  return I;
}

/* ---- cp.async ---- */

static bool size_known (const ptx_decoder *D, const ptx_operand *o) {
  bool around_l1 = strcmp(D->inst->parts[2], "cg") == 0;
  return o->kind == PTX_O_INT && (o->i == 16 || (!around_l1 && (o->i == 4 || o->i == 8)));
}

/* d absent, a destination, b source, c bytes to read; imm and extra->imm[0] are the offsets of a
 * and b; size is the number of bytes written. */
lcu_status ptx_decode_cp_async (ptx_decoder *D) {
  const ptx_inst *inst = D->inst;
  const ptx_match *m = &inst->match;
  uint32_t given = inst->num_operands - (m->mods & PTX_M_CACHE_HINT ? 1u : 0u);
  ptx_address to, from;
  int32_t bytes;
  if (m->space != PTX_SHARED || !(m->mods & PTX_M_FROM_GLOBAL))
    return ptx_decode_fail(D, "copies from global to shared memory only");
  if (given < 3 || given > 4) return ptx_decode_fail(D, "operands do not fit");
  if (!size_known(D, &inst->operands[2])) return ptx_decode_fail(D, "size");
  LCU_TRY(ptx_address_of(D, &inst->operands[0], PTX_SHARED, &to));
  LCU_TRY(ptx_wide_address_of(D, &inst->operands[1], PTX_GLOBAL, &from));
  LCU_TRY(ptx_source(D, &inst->operands[given - 1], PTX_U32, &bytes));
  ptx_uop *I = emit_at(D, PTX_ID_cp_async, &to, (uint8_t)inst->operands[2].i);
  struct ptx_uop_extra *e = ptx_emit_extra(D, I);
  if (e == NULL) return lcu_no_memory("decoded PTX");
  I->d = -1;
  I->b = from.slot;
  I->c = bytes;
  e->imm[0] = from.imm;
  return LCU_OK;
}

static lcu_status emit_async_group (ptx_decoder *D, int64_t what) {
  const char *opcode = D->inst->match.op->opcode;
  LCU_TRY(ptx_emit_imm(D, PTX_ID_async_group, -1, -1, what));
  ptx_uop *I = &D->uops[D->num - 1];
  I->b = I->c = -1;
  I->vector = strstr(opcode, ".bulk.") != NULL   ? PTX_GROUP_BULK
              : strncmp(opcode, "wgmma", 5) == 0 ? PTX_GROUP_PRODUCT
                                                 : PTX_GROUP_COPY;
  I->negate = ptx_has_part(D->inst, "read");
  return LCU_OK;
}

lcu_status ptx_decode_cp_group (ptx_decoder *D) {
  const char *opcode = D->inst->match.op->opcode;
  if (strcmp(opcode, "wgmma.fence") == 0) return emit_async_group(D, PTX_GROUP_FENCE);
  if (strstr(opcode, "commit_group") != NULL) return emit_async_group(D, PTX_GROUP_COMMIT);
  if (strstr(opcode, "wait_all") != NULL) return emit_async_group(D, PTX_GROUP_ALL);
  const ptx_operand *groups = &D->inst->operands[0];
  if (groups->kind != PTX_O_INT || groups->i < 0 || groups->i > INT32_MAX)
    return ptx_decode_fail(D, "operands do not fit");
  return emit_async_group(D, PTX_GROUP_WAIT + groups->i);
}

/* ---- mbarrier ---- */

typedef struct mbarrier_row {
  const char *opcode;
  uint32_t mods; /* with exactly these */
  uint16_t id;
  ptx_type result, value; /* PTX_NOTYPE: none */
} mbarrier_row;

static const mbarrier_row mbarrier_rows[] = {
  { "mbarrier.init", 0, PTX_ID_mbarrier_init, PTX_NOTYPE, PTX_U32 },
  { "mbarrier.inval", 0, PTX_ID_mbarrier_inval, PTX_NOTYPE, PTX_NOTYPE },
  { "mbarrier.expect_tx", 0, PTX_ID_mbarrier_expect_tx, PTX_NOTYPE, PTX_U32 },
  { "mbarrier.complete_tx", 0, PTX_ID_mbarrier_complete_tx, PTX_NOTYPE, PTX_U32 },
  { "mbarrier.arrive", 0, PTX_ID_mbarrier_arrive, PTX_B64, PTX_U32 },
  { "mbarrier.arrive", PTX_M_EXPECT_TX, PTX_ID_mbarrier_arrive_expect_tx, PTX_B64, PTX_U32 },
  { "mbarrier.arrive_drop", 0, PTX_ID_mbarrier_arrive_drop, PTX_B64, PTX_U32 },
  { "mbarrier.arrive_drop", PTX_M_EXPECT_TX, PTX_ID_mbarrier_arrive_drop_expect_tx, PTX_B64,
    PTX_U32 },
  { "mbarrier.test_wait", 0, PTX_ID_mbarrier_test_wait, PTX_PRED, PTX_B64 },
  { "mbarrier.test_wait", PTX_M_PARITY, PTX_ID_mbarrier_test_wait_parity, PTX_PRED, PTX_U32 },
  { "mbarrier.try_wait", 0, PTX_ID_mbarrier_test_wait, PTX_PRED, PTX_B64 },
  { "mbarrier.try_wait", PTX_M_PARITY, PTX_ID_mbarrier_test_wait_parity, PTX_PRED, PTX_U32 },
  { "cp.async.mbarrier.arrive", PTX_M_NOINC, PTX_ID_mbarrier_arrive_copies, PTX_NOTYPE,
    PTX_NOTYPE },
  { "cp.async.mbarrier.arrive", 0, PTX_ID_mbarrier_arrive_copies, PTX_NOTYPE, PTX_NOTYPE },
};

static const mbarrier_row *mbarrier_row_of (const ptx_match *m) {
  const uint32_t which =
    PTX_M_PARITY | PTX_M_EXPECT_TX | PTX_M_NOINC | PTX_M_FROM_GLOBAL | PTX_M_CACHE_HINT;
  for (size_t i = 0; i < lcu_arraylen(mbarrier_rows); i++)
    if (strcmp(mbarrier_rows[i].opcode, m->op->opcode) == 0 &&
        mbarrier_rows[i].mods == (m->mods & which))
      return &mbarrier_rows[i];
  return NULL;
}

static lcu_status pending_count (ptx_decoder *D) {
  int32_t d, a;
  LCU_TRY(ptx_source(D, &D->inst->operands[1], PTX_B64, &a));
  LCU_TRY(ptx_dest(D, &D->inst->operands[0], PTX_U32, &d));
  return ptx_emit_dabc(D, PTX_ID_mbarrier_pending_count, d, a, 0, 0);
}

/* The operand, by default 1 for arrivals and otherwise 0; of arrivals of copies absent where the
 * object expects them. */
static lcu_status mbarrier_value (ptx_decoder *D, const mbarrier_row *r, uint32_t at,
                                  int32_t *slot) {
  bool given = r->value != PTX_NOTYPE && at < D->inst->num_operands;
  if (given) return ptx_source(D, &D->inst->operands[at], r->value, slot);
  if (r->mods & PTX_M_NOINC) {
    *slot = -1;
    return LCU_OK;
  }
  return ptx_constant_slot(
    D, r->id == PTX_ID_mbarrier_arrive || r->id == PTX_ID_mbarrier_arrive_drop, 4, slot);
}

/* d result, a address, b count, bytes, state or parity. */
lcu_status ptx_decode_mbarrier (ptx_decoder *D) {
  const ptx_match *m = &D->inst->match;
  if (m->num_types != 1 || m->type != PTX_B64) return ptx_decode_fail(D, "takes type .b64");
  if (strcmp(m->op->opcode, "mbarrier.pending_count") == 0) return pending_count(D);
  const mbarrier_row *r = mbarrier_row_of(m);
  if (r == NULL) return ptx_decode_fail(D, "this form");
  if (m->space != PTX_SHARED && m->space != PTX_CLUSTER && m->space != PTX_GENERIC)
    return ptx_decode_fail(D, "barrier objects are in shared memory");
  uint32_t at = r->result == PTX_NOTYPE ? 0 : 1;
  const ptx_operand *result = &D->inst->operands[0];
  ptx_address x;
  int32_t d = -1, b = 0;
  if ((m->mods & PTX_M_EXPECT_TX) && D->inst->num_operands != 3)
    return ptx_decode_fail(D, "operands do not fit");
  LCU_TRY(ptx_address_of(D, &D->inst->operands[at], m->space, &x));
  LCU_TRY(mbarrier_value(D, r, at + 1, &b));
  if (at == 1 && result->kind != PTX_O_SINK) LCU_TRY(ptx_dest(D, result, r->result, &d));
  ptx_uop *I = emit_at(D, r->id, &x, 8);
  if (I == NULL) return lcu_no_memory("decoded PTX");
  I->d = d;
  I->b = b;
  return LCU_OK;
}
