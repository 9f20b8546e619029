/* ptx_jit_operands.c: the operands of micro-operations, from the tables of lane loops and the lists
 * of ptx_uop.h. */
#include "ptx_jit_operands.h"

#include <string.h>

#include "ptx_fragment.h"
#include "ptx_ids.h"
#include "ptx_match.h"
#include "ptx_operands.h"

#define L(T) PTX_LANE_##T
#define PTX_NU(name, TD, ...) [PTX_ID_##name] = { 1, 0, 0, L(TD), { 0 } },
#define PTX_UN(name, TD, TA, ...) [PTX_ID_##name] = { 1, 1, 0, L(TD), { L(TA) } },
#define PTX_BI(name, TD, TA, TB, ...) [PTX_ID_##name] = { 1, 2, 0, L(TD), { L(TA), L(TB) } },
#define PTX_TE(name, TD, TA, TB, TC, ...) \
  [PTX_ID_##name] = { 1, 3, 0, L(TD), { L(TA), L(TB), L(TC) } },
#define PTX_QU(name, TD, TA, TB, TC, TE, ...) \
  [PTX_ID_##name] = { 1, 4, 0, L(TD), { L(TA), L(TB), L(TC), L(TE) } },
#define PTX_ADDC(name, T, ...) [PTX_ID_##name] = { 1, 3, 1, L(T), { L(T), L(T), L(T) } },
#define PTX_SUBB(name, T, ...) [PTX_ID_##name] = { 1, 3, 1, L(T), { L(T), L(T), L(T) } },
static const ptx_loop_row rows[PTX_ID_COUNT] = {
#include "ptx_compare.def"
#include "ptx_cvt.def"
#include "ptx_float.def"
#include "ptx_half.def"
#include "ptx_int.def"
};
#undef L

const ptx_loop_row *ptx_loop_row_of (const ptx_uop *I) {
  return rows[I->id].known ? &rows[I->id] : NULL;
}

int32_t ptx_loop_source (const ptx_uop *I, uint32_t k) {
  return k == 0 ? I->a : k == 1 ? I->b : k == 2 ? I->c : (int32_t)I->imm;
}

uint32_t ptx_lane_slot_bytes (ptx_lane t) {
  return t == PTX_LANE_u64 || t == PTX_LANE_s64 || t == PTX_LANE_f64 ? 8 : 4;
}

static bool named (uint16_t id, const char *start) {
  return strncmp(ptx_id_names[id], start, strlen(start)) == 0;
}

bool ptx_jit_is_load (uint16_t id) {
  return ptx_id_access[id] == PTX_ACCESS_LOAD && named(id, "ld_");
}
bool ptx_jit_is_store (uint16_t id) {
  return ptx_id_access[id] == PTX_ACCESS_STORE && named(id, "st_");
}

/* ---- by kind ---- */

static void loop_operands (const ptx_uop *I, const ptx_loop_row *r, ptx_jit_each each, void *ud) {
  for (uint32_t k = 0; k < r->sources; k++)
    each(ud, ptx_loop_source(I, k), ptx_lane_slot_bytes(r->s[k]), PTX_JIT_READS);
  if (r->carry) each(ud, (int32_t)I->imm, 4, PTX_JIT_READS | PTX_JIT_WRITES);
  each(ud, I->d, ptx_lane_slot_bytes(r->d), PTX_JIT_WRITES);
}

static void address_operand (const ptx_uop *I, ptx_jit_each each, void *ud) {
  if (!(I->flags & PTX_F_DIRECT)) each(ud, I->a, I->flags & PTX_F_ADDRESS32 ? 4 : 8, PTX_JIT_READS);
}

static void access_operands (const ptx_uop *I, ptx_jit_each each, void *ud) {
  int role = ptx_jit_is_load(I->id) ? PTX_JIT_WRITES : PTX_JIT_READS;
  address_operand(I, each, ud);
  for (uint32_t e = 0; e < I->vector; e++) {
    int32_t slot = I->vector == 1 ? I->d : I->extra->slots[e];
    if (I->size > 8) each(ud, slot, 16, PTX_JIT_UNKNOWN);
    else each(ud, slot, I->size == 8 ? 8 : 4, role);
  }
}

static void atomic_operands (const ptx_uop *I, ptx_jit_each each, void *ud) {
  uint32_t bytes = I->size == 8 ? 8 : 4;
  address_operand(I, each, ud);
  if (I->size > 8) {
    each(ud, I->b, 16, PTX_JIT_UNKNOWN);
    each(ud, I->c, 16, PTX_JIT_UNKNOWN);
    if (I->d >= 0) each(ud, I->d, 16, PTX_JIT_UNKNOWN);
    return;
  }
  each(ud, I->b, bytes, PTX_JIT_READS);
  if ((I->used_bytes & 255u) == PTX_MODE_cas) each(ud, I->c, bytes, PTX_JIT_READS);
  if (I->d >= 0) each(ud, I->d, bytes, PTX_JIT_WRITES);
}

/* Operands in I->extra: `written` of them at the start are results. */
static void extra_operands (const ptx_uop *I, uint32_t written, uint32_t wide, ptx_jit_each each,
                            void *ud) {
  for (uint32_t k = 0; k < I->extra->num; k++)
    if (I->extra->slots[k] >= 0)
      each(ud, I->extra->slots[k], k == wide ? 8 : 4, k < written ? PTX_JIT_WRITES : PTX_JIT_READS);
}

typedef struct visitor {
  ptx_jit_each each;
  void *ud;
} visitor;

static void register_of_call (void *ud, ptx_reg *reg, int role) {
  visitor *v = ud;
  uint32_t bytes = ptx_type_slot_bytes(reg->type);
  (void)role; /* results are read, too: lanes keep the old value until the return */
  if (reg->slot < 0) return;
  if (bytes > 8 * PTX_LANES) v->each(v->ud, reg->slot, 16, PTX_JIT_UNKNOWN);
  else v->each(v->ud, reg->slot, bytes / PTX_LANES, PTX_JIT_READS | PTX_JIT_WRITES);
}

/* Those of products in flight stay in the register file. */
static void register_of_product (void *ud, ptx_reg *reg, int role) {
  visitor *v = ud;
  (void)role;
  uint32_t bytes = ptx_type_slot_bytes(reg->type) / PTX_LANES;
  if (reg->slot >= 0) v->each(v->ud, reg->slot, bytes, PTX_JIT_UNKNOWN);
}

/* Fragments of matrices stay in the register file, too: ptx_regs.c keeps other registers away. */
static void fragment_operands (const ptx_uop *I, uint32_t bytes, ptx_jit_each each, void *ud) {
  for (uint32_t k = 0; k < I->extra->num; k++)
    if (I->extra->slots[k] >= 0) each(ud, I->extra->slots[k], bytes, PTX_JIT_UNKNOWN);
}

static void rounded_operands (const ptx_uop *I, ptx_jit_each each, void *ud) {
  const char *name = ptx_id_names[I->id] + strlen("round_");
  uint32_t bytes = strstr(name, "f64") != NULL ? 8 : 4;
  bool three = strncmp(name, "fma", 3) == 0;
  bool one = strncmp(name, "rcp", 3) == 0 || strncmp(name, "sqrt", 4) == 0;
  each(ud, I->a, bytes, PTX_JIT_READS);
  if (!one) each(ud, I->b, bytes, PTX_JIT_READS);
  if (three) each(ud, I->c, bytes, PTX_JIT_READS);
  each(ud, I->d, bytes, PTX_JIT_WRITES);
}

static void unknown_operands (const ptx_uop *I, ptx_jit_each each, void *ud) {
  const int32_t slots[] = { I->d, I->a, I->b, I->c };
  for (size_t k = 0; k < lcu_arraylen(slots); k++)
    if (slots[k] >= 0) each(ud, slots[k], 16, PTX_JIT_UNKNOWN);
  if (I->extra == NULL) return;
  for (uint32_t k = 0; k < I->extra->num; k++)
    if (I->extra->slots[k] >= 0) each(ud, I->extra->slots[k], 16, PTX_JIT_UNKNOWN);
}

static void other_operands (const ptx_uop *I, ptx_jit_each each, void *ud) {
  switch (I->id) {
    case PTX_ID_bra:
    case PTX_ID_bra_not:
    case PTX_ID_guard: each(ud, I->a, 4, PTX_JIT_READS); return;
    case PTX_ID_jump:
    case PTX_ID_nop:
    case PTX_ID_async_group:
    case PTX_ID_ret:
    case PTX_ID_exit:
    case PTX_ID_trap:
    case PTX_ID_nanosleep:
    case PTX_ID_cluster_arrive:
    case PTX_ID_cluster_wait:
    case PTX_ID_fence: return;
    case PTX_ID_sreg_b32:
    case PTX_ID_place_word_b32:
    case PTX_ID_ld_param_32: each(ud, I->d, 4, PTX_JIT_WRITES); return;
    case PTX_ID_sreg_b64:
    case PTX_ID_place_word_b64:
    case PTX_ID_ld_param_64: each(ud, I->d, 8, PTX_JIT_WRITES); return;
    case PTX_ID_prmt_b32:
      each(ud, I->a, 4, PTX_JIT_READS);
      each(ud, I->b, 4, PTX_JIT_READS);
      each(ud, I->c, 4, PTX_JIT_READS);
      each(ud, I->d, 4, PTX_JIT_WRITES);
      return;
    case PTX_ID_call: {
      visitor v = { each, ud };
      ptx_inst_visit_regs(I->extra->inst, register_of_call, &v);
      return;
    }
    case PTX_ID_wgmma: {
      visitor v = { each, ud };
      ptx_inst_visit_regs(I->extra->inst, register_of_product, &v);
      return;
    }
    case PTX_ID_mma_f32:
    case PTX_ID_mma_b1:
    case PTX_ID_mma_quad:
    case PTX_ID_movmatrix: fragment_operands(I, 4, each, ud); return;
    case PTX_ID_mma_f64: fragment_operands(I, 8, each, ud); return;
    case PTX_ID_ldmatrix:
    case PTX_ID_stmatrix:
      address_operand(I, each, ud);
      fragment_operands(I, 4, each, ud);
      return;
    case PTX_ID_wmma_load:
    case PTX_ID_wmma_store:
      address_operand(I, each, ud);
      each(ud, I->b, 4, PTX_JIT_READS);
      fragment_operands(I, ptx_move_in(I).bits == 64 ? 8 : 4, each, ud);
      return;
    case PTX_ID_match_any_b64:
    case PTX_ID_match_all_b64: extra_operands(I, 2, 2, each, ud); return;
    default: break;
  }
  if (named(I->id, "bar_warp")) extra_operands(I, 0, 99, each, ud);
  else if (named(I->id, "bar_") || named(I->id, "vote_") || named(I->id, "redux_"))
    extra_operands(I, 1, 99, each, ud);
  else if (named(I->id, "shfl_") || named(I->id, "match_") || I->id == PTX_ID_elect)
    extra_operands(I, 2, 99, each, ud);
  else if (named(I->id, "round_") && I->id != PTX_ID_round_cvt) rounded_operands(I, each, ud);
  else unknown_operands(I, each, ud);
}

void ptx_jit_operands (const ptx_uop *I, ptx_jit_each each, void *ud) {
  const ptx_loop_row *r = ptx_loop_row_of(I);
  if (r != NULL) loop_operands(I, r, each, ud);
  else if (ptx_jit_is_load(I->id) || ptx_jit_is_store(I->id)) access_operands(I, each, ud);
  else if (named(I->id, "atom")) atomic_operands(I, each, ud);
  else other_operands(I, each, ud);
}

/* ---- flow ---- */

ptx_jit_flow ptx_jit_flow_of (const ptx_uop *I) {
  if (ptx_loop_row_of(I) != NULL || named(I->id, "round_")) return PTX_JIT_PLAIN;
  switch (I->id) {
    case PTX_ID_nop:
    case PTX_ID_fence:
    case PTX_ID_prmt_b32:
    case PTX_ID_sreg_b32:
    case PTX_ID_sreg_b64:
    case PTX_ID_place_word_b32:
    case PTX_ID_place_word_b64:
    case PTX_ID_ld_param_32:
    case PTX_ID_ld_param_64: return PTX_JIT_PLAIN;
    case PTX_ID_ret:
    case PTX_ID_exit:
    case PTX_ID_trap: return PTX_JIT_ENDS;
    case PTX_ID_call:
    case PTX_ID_nanosleep:
    case PTX_ID_cluster_arrive:
    case PTX_ID_cluster_wait:
    case PTX_ID_bar_sync:
    case PTX_ID_bar_arrive:
    case PTX_ID_bar_red_popc:
    case PTX_ID_bar_red_and:
    case PTX_ID_bar_red_or: return PTX_JIT_LEAVES;
    case PTX_ID_jump: return PTX_JIT_JUMP;
    case PTX_ID_bra:
    case PTX_ID_bra_not: return PTX_JIT_BRANCH;
    case PTX_ID_guard: return PTX_JIT_GUARD;
    default: return PTX_JIT_MAY;
  }
}
