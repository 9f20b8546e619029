/* ptx_decode_atomic.c: atom and red (9.7.13.5, 9.7.13.6). */
#include "ptx_atomic.h"
#include "ptx_decode.h"
#include "ptx_module.h"

enum { MOST_ELEMENTS = 8, WIDE_TARGET = 90 };

/* The operands of an instruction. */
typedef struct atomic {
  const ptx_operand *d, *b, *c; /* d is NULL in red, c in all but cas */
  ptx_address at;
} atomic;

static uint16_t atom_id (const ptx_address *x, uint32_t size) {
  if (size == 16) return PTX_ID_atom_b128;
  if (size != 4 && size != 8) return PTX_ID_atom;
  if (x->space == PTX_SHARED) return size == 4 ? PTX_ID_atom_shared_32 : PTX_ID_atom_shared_64;
  if (x->space != PTX_CLUSTER && (x->flags & PTX_F_ADDRESS32) != 0) return PTX_ID_atom;
  return size == 4 ? PTX_ID_atom_global_32 : PTX_ID_atom_global_64;
}

static lcu_status emit_atomic (ptx_decoder *D, const ptx_address *x, int64_t offset, int32_t d,
                               int32_t b, int32_t c) {
  const ptx_match *m = &D->inst->match;
  LCU_TRY(ptx_emit_dabc(D, atom_id(x, ptx_type_bytes(m->type)), d, x->slot, b, c));
  ptx_uop *I = &D->uops[D->num - 1];
  I->imm = x->imm + offset;
  I->flags |= x->flags | (m->mods & (PTX_M_ACQUIRE | PTX_M_RELEASE) ? PTX_F_ORDERS : 0);
  I->space = x->space;
  I->size = (uint8_t)ptx_type_bytes(m->type);
  if (ptx_may_be_around(D->inst, I->size)) I->flags |= PTX_F_WORD;
  I->used_bytes = (uint32_t)m->mode | (uint32_t)m->type << 8;
  return LCU_OK;
}

static bool has_result (const ptx_operand *d) { return d != NULL && d->kind != PTX_O_SINK; }

static lcu_status emit_one (ptx_decoder *D, const atomic *a) {
  ptx_type type = D->inst->match.type;
  int32_t d = -1, b = 0, c = 0;
  LCU_TRY(ptx_source_exact(D, a->b, type, &b));
  if (a->c != NULL) LCU_TRY(ptx_source_exact(D, a->c, type, &c));
  if (has_result(a->d)) LCU_TRY(ptx_dest_exact(D, a->d, type, &d));
  return emit_atomic(D, &a->at, 0, d, b, c);
}

/* ---- vectors: an operation for each element ---- */

static lcu_status check_vector (ptx_decoder *D, const atomic *a) {
  const ptx_match *m = &D->inst->match;
  uint32_t bytes = m->vector * ptx_type_bytes(m->type);
  if (!ptx_atomic_known_vector((ptx_mode)m->mode, m->type) || bytes > 16)
    return ptx_decode_fail(D, "this operation of vectors of this type");
  if (a->at.space != PTX_GENERIC && a->at.space != PTX_GLOBAL)
    return ptx_decode_fail(D, "vectors are in global memory");
  if (a->b->kind != PTX_O_VECTOR || a->b->num_items != m->vector ||
      (has_result(a->d) && (a->d->kind != PTX_O_VECTOR || a->d->num_items != m->vector)))
    return ptx_decode_fail(D, "vector and operand do not fit");
  return LCU_OK;
}

/* Results are moved to their registers at the end, since these may be sources as well. */
static lcu_status emit_vector (ptx_decoder *D, const atomic *a) {
  const ptx_match *m = &D->inst->match;
  int32_t old[MOST_ELEMENTS], b, d;
  LCU_TRY(check_vector(D, a));
  for (uint32_t e = 0; e < m->vector; e++) {
    old[e] = -1;
    LCU_TRY(ptx_source_exact(D, &a->b->items[e], m->type, &b));
    if (has_result(a->d) && has_result(&a->d->items[e])) LCU_TRY(ptx_temp(D, &old[e]));
    LCU_TRY(emit_atomic(D, &a->at, (int64_t)e * ptx_type_bytes(m->type), old[e], b, 0));
  }
  for (uint32_t e = 0; e < m->vector; e++) {
    if (old[e] < 0) continue;
    LCU_TRY(ptx_dest_exact(D, &a->d->items[e], m->type, &d));
    LCU_TRY(ptx_emit_dabc(D, PTX_ID_mov_b32, d, old[e], 0, 0));
  }
  return LCU_OK;
}

/* ---- the instruction ---- */

static lcu_status read_operands (ptx_decoder *D, atomic *a) {
  const ptx_inst *inst = D->inst;
  const ptx_match *m = &inst->match;
  bool red = m->op->opcode[0] == 'r', cas = m->mode == PTX_MODE_cas;
  int at = red ? 0 : 1, hint = m->mods & PTX_M_CACHE_HINT ? 1 : 0;
  if ((m->vector == 1 && !ptx_atomic_known((ptx_mode)m->mode, m->type, red)) || m->num_types != 1)
    return ptx_decode_fail(D, "this operation of this type");
  if (inst->num_operands - at - 1 - hint != (cas ? 2 : 1))
    return ptx_decode_fail(D, "operands do not fit");
  a->d = red ? NULL : &inst->operands[0];
  a->b = &inst->operands[at + 1];
  a->c = cas ? &inst->operands[at + 2] : NULL;
  return ptx_address_of(D, &inst->operands[at], m->space, &a->at);
}

/* GPUs have no instruction for 16 bytes before sm_90. */
static lcu_status check_target (ptx_decoder *D) {
  if (D->inst->match.type != PTX_B128 || D->f->module->ast.target >= WIDE_TARGET) return LCU_OK;
  return ptx_decode_fail(D, "atomics of 128 bits need .target sm_90 or later");
}

lcu_status ptx_decode_atom (ptx_decoder *D) {
  atomic a;
  LCU_TRY(check_target(D));
  LCU_TRY(read_operands(D, &a));
  if (a.at.space != PTX_GENERIC && a.at.space != PTX_GLOBAL && a.at.space != PTX_SHARED &&
      a.at.space != PTX_CLUSTER)
    return ptx_decode_fail(D, "global and shared memory only");
  return D->inst->match.vector > 1 ? emit_vector(D, &a) : emit_one(D, &a);
}
