/* ptx_decode.c: the tree of a function -> code, block by block. */
#include "ptx_decode.h"
#include "ptx_wgmma.h"

#include <stdio.h>
#include <string.h>

#include "ptx_cfg.h"
#include "ptx_select.h"

/* ---- emitting ---- */

static bool grow (ptx_decoder *D) {
  uint32_t cap = D->cap ? D->cap * 2 : 256;
  ptx_uop *p = lcu_realloc(D->uops, cap * sizeof *p);
  if (p == NULL) return false;
  D->uops = p;
  const ptx_inst **insts = lcu_realloc(D->insts, cap * sizeof *insts);
  if (insts == NULL) return false;
  D->insts = insts;
  D->cap = cap;
  return true;
}

ptx_uop *ptx_emit (ptx_decoder *D, uint16_t id) {
  if (D->num == D->cap && !grow(D)) return NULL;
  D->insts[D->num] = D->inst;
  ptx_uop *I = &D->uops[D->num++];
  memset(I, 0, sizeof *I);
  I->fn[0] = D->isa->handlers[id][0];
  I->fn[1] = D->isa->handlers[id][1];
  I->id = id;
  I->target_bb = I->bb = D->bb;
  I->vector = 1;
  I->loc = D->inst != NULL ? D->inst->loc : 0;
  I->flags = D->inst != NULL ? D->inst->match.flags : 0;
  return I;
}

lcu_status ptx_emit_dabc (ptx_decoder *D, uint16_t id, int32_t d, int32_t a, int32_t b, int32_t c) {
  ptx_uop *I = ptx_emit(D, id);
  if (I == NULL) return lcu_no_memory("decoded PTX");
  I->d = d;
  I->a = a;
  I->b = b;
  I->c = c;
  return LCU_OK;
}

lcu_status ptx_emit_imm (ptx_decoder *D, uint16_t id, int32_t d, int32_t a, int64_t imm) {
  LCU_TRY(ptx_emit_dabc(D, id, d, a, 0, 0));
  D->uops[D->num - 1].imm = imm;
  return LCU_OK;
}

struct ptx_uop_extra *ptx_emit_extra (ptx_decoder *D, ptx_uop *I) {
  struct ptx_uop_extra *e = I != NULL ? lcu_arena_alloc(D->arena, sizeof *e) : NULL;
  if (e == NULL) return NULL;
  for (size_t i = 0; i < lcu_arraylen(e->slots); i++) e->slots[i] = -1;
  e->inst = D->inst;
  I->extra = e;
  return e;
}

static lcu_status refuse_inst (const ptx_decoder *D, lcu_status status, const char *why) {
  char name[160];
  ptx_inst_name(D->inst, name, sizeof name);
  return lcu_fail(status, "PTX `%s` is not supported: %s", name, why);
}

lcu_status ptx_decode_fail (const ptx_decoder *D, const char *why) {
  return refuse_inst(D, LCU_E_SYNTAX, why);
}

lcu_status ptx_decode_lack (const ptx_decoder *D, const char *why) {
  return refuse_inst(D, LCU_E_UNSUPPORTED, why);
}

/* ---- one instruction ---- */

lcu_status ptx_decode_nothing (ptx_decoder *D) {
  (void)D;
  return LCU_OK;
}
lcu_status ptx_decode_setmaxnreg (ptx_decoder *D) {
  const ptx_operand *o = &D->inst->operands[0];
  if (o->kind != PTX_O_INT || o->i < 24 || o->i > 256 || o->i % 8 != 0)
    return ptx_decode_fail(D, "the number of registers");
  return ptx_emit_imm(D, PTX_ID_nop, -1, -1, o->i);
}
/* For the checks. */
lcu_status ptx_decode_griddepcontrol (ptx_decoder *D) {
  bool waits = ptx_has_part(D->inst, "wait");
  return ptx_emit_imm(D, PTX_ID_nop, -1, -1, waits ? PTX_NOP_GRID_WAIT : PTX_NOP_GRID_LAUNCH);
}
/* A policy changes nothing; its value is 0. */
lcu_status ptx_decode_createpolicy (ptx_decoder *D) {
  int32_t d, zero;
  LCU_TRY(ptx_constant_slot(D, 0, 8, &zero));
  LCU_TRY(ptx_dest(D, &D->inst->operands[0], PTX_B64, &d));
  return ptx_emit_dabc(D, PTX_ID_mov_b64, d, zero, 0, 0);
}
lcu_status ptx_decode_nanosleep (ptx_decoder *D) {
  return ptx_emit_dabc(D, PTX_ID_nanosleep, 0, 0, 0, 0);
}

static lcu_status (*const decoders[])(ptx_decoder *D) = {
#define X(n) ptx_decode_##n,
  PTX_DECODE_KINDS(X)
#undef X
};

static lcu_status decode_plain (ptx_decoder *D) {
  D->temps = 0;
  return decoders[D->inst->match.op->decode](D);
}

/* A `guard` precedes the micro-operations of a guarded instruction and holds their number. Branches
 * have the predicate as an operand. */
static lcu_status decode_guarded (ptx_decoder *D, const ptx_inst *inst) {
  if (inst->match.op == NULL) return lcu_fail(LCU_E_STATE, "PTX instruction without a match");
  if (!inst->guarded || inst->match.op->decode == PTX_DEC_bra) return decode_plain(D);
  uint32_t at = D->num;
  LCU_TRY(ptx_emit_dabc(D, PTX_ID_guard, 0, inst->guard->slot, 0, 0));
  D->uops[at].negate = inst->guard_negate;
  LCU_TRY(decode_plain(D));
  D->uops[at].imm = D->num - at - 1;
  return LCU_OK;
}

static lcu_status decode_inst (ptx_decoder *D, const ptx_inst *inst) {
  D->inst = inst;
  LCU_TRY(decode_guarded(D, inst));
  ptx_shapes_pass(D);
  return LCU_OK;
}

/* ---- blocks ---- */

/* Continues in the next block. A jump is where the executor checks whether other lanes wait to be
 * joined, so every block with several predecessors needs one before it. */
static lcu_status finish_block (ptx_decoder *D, const ptx_basic_block *b) {
  const ptx_inst *last = b->last;
  if (last != NULL && !last->guarded && (last->match.flags & PTX_F_END)) return LCU_OK;
  if (last != NULL && !last->guarded && (last->match.flags & PTX_F_BRANCH)) return LCU_OK;
  if (b->next < 0) return ptx_emit_dabc(D, PTX_ID_ret, 0, 0, 0, 0);
  if ((uint32_t)b->next == D->bb + 1 && D->predecessors[b->next] == 1 && b->first != NULL)
    return LCU_OK;
  LCU_TRY(ptx_emit_dabc(D, PTX_ID_jump, 0, 0, 0, 0));
  ptx_uop *I = &D->uops[D->num - 1];
  I->target_bb = (uint32_t)b->next;
  I->imm = b->next;
  I->flags = PTX_F_BRANCH | (D->f->bbs[b->next].spin ? PTX_F_SPIN : 0);
  return LCU_OK;
}

static lcu_status decode_block (ptx_decoder *D, uint32_t index, uint32_t *first) {
  const ptx_basic_block *b = &D->f->bbs[index];
  D->bb = index;
  D->inst = NULL;
  ptx_shapes_forget(D);
  *first = D->num;
  for (const ptx_inst *inst = b->first; inst != NULL; inst = inst == b->last ? NULL : inst->next)
    LCU_TRY(decode_inst(D, inst));
  LCU_TRY(finish_block(D, b));
  /* A block of instructions without effect needs something to be at. */
  return D->num > *first ? LCU_OK : ptx_emit_dabc(D, PTX_ID_nop, 0, 0, 0, 0);
}

static lcu_status count_predecessors (ptx_decoder *D) {
  D->predecessors = lcu_arena_alloc(D->arena, (D->f->num_bbs + 1) * sizeof *D->predecessors);
  if (D->predecessors == NULL) return lcu_no_memory("decoded PTX");
  for (uint32_t i = 0; i < D->f->num_bbs; i++) {
    int32_t successor;
    for (uint32_t k = 0; (successor = ptx_basic_block_successor(&D->f->bbs[i], k)) >= 0; k++)
      D->predecessors[successor]++;
  }
  return LCU_OK;
}

/* ---- the whole function ---- */

static int32_t align64 (uint32_t n) { return (int32_t)((n + 63u) & ~63u); }

/* Offsets of the parts of the register file. */
typedef struct parts {
  int32_t temps, carry, constants;
} parts;

static parts part_offsets (const ptx_decoder *D) {
  parts x;
  x.temps = D->area_at + align64((D->f->area_bytes + 3) / 4 * 4 * PTX_LANES);
  x.carry = x.temps + (int32_t)D->max_temps * PTX_TEMP_BYTES;
  x.constants = x.carry + (D->has_carry ? 4 * PTX_LANES : 0);
  return x;
}

static int32_t final_slot (const parts *x, int32_t slot) {
  if (slot >= PTX_CONSTANTS_AT) return slot - PTX_CONSTANTS_AT + x->constants;
  if (slot >= PTX_CARRY_AT) return slot - PTX_CARRY_AT + x->carry;
  return slot >= PTX_TEMPS_AT ? slot - PTX_TEMPS_AT + x->temps : slot;
}

/* Whether imm is a slot. */
static bool imm_is_slot (const ptx_uop *I) {
  return I->id == PTX_ID_bfi_b32 || I->id == PTX_ID_bfi_b64 || (I->flags & PTX_F_CARRY) != 0;
}

static bool has_extra (const ptx_uop *I) {
  return I->extra != NULL && I->id != PTX_ID_bra && I->id != PTX_ID_bra_not && I->id != PTX_ID_jump;
}

static void settle (const parts *x, ptx_uop *I);

static void settle_products (const parts *x, ptx_products *p) {
  for (uint32_t i = 0; i < p->num; i++) settle(x, (ptx_uop *)(uintptr_t)&p->uops[i]);
  for (uint32_t i = 0; i < p->num_kept; i++) p->slots[i] = final_slot(x, p->slots[i]);
  ptx_decode_runs((ptx_uop *)(uintptr_t)p->uops, p->num);
}

/* Gives the micro-operation its final slots. Before branches get their targets. */
static void settle (const parts *x, ptx_uop *I) {
  I->d = final_slot(x, I->d);
  I->a = final_slot(x, I->a);
  I->b = final_slot(x, I->b);
  I->c = final_slot(x, I->c);
  if (imm_is_slot(I)) I->imm = final_slot(x, (int32_t)I->imm);
  if (!has_extra(I)) return;
  struct ptx_uop_extra *e = (struct ptx_uop_extra *)(uintptr_t)I->extra;
  for (uint32_t i = 0; i < e->num; i++) e->slots[i] = final_slot(x, e->slots[i]);
  if (I->id == PTX_ID_wgmma) settle_products(x, e->p);
}

static lcu_status make_code (ptx_decoder *D, const uint32_t *first, ptx_code *code) {
  ptx_function *f = D->f;
  ptx_uop *uops = lcu_arena_alloc(D->arena, (D->num + 1) * sizeof *uops);
  const ptx_uop **starts = lcu_arena_alloc(D->arena, (f->num_bbs + 1) * sizeof *starts);
  uint8_t *constants = lcu_arena_alloc(D->arena, D->constants.len + 1);
  const ptx_inst **insts = lcu_arena_alloc(D->arena, (D->num + 1) * sizeof *insts);
  if (uops == NULL || starts == NULL || constants == NULL || insts == NULL || D->constants.failed)
    return lcu_no_memory("decoded PTX");
  if (D->num != 0) memcpy(insts, D->insts, D->num * sizeof *insts);
  memcpy(uops, D->uops, D->num * sizeof *uops);
  if (D->constants.len) memcpy(constants, D->constants.data, D->constants.len);
  for (uint32_t i = 0; i < f->num_bbs; i++) starts[i] = uops + first[i];
  parts x = part_offsets(D);
  for (uint32_t i = 0; i < D->num; i++) settle(&x, &uops[i]);
  ptx_decode_runs(uops, D->num);
  for (uint32_t i = 0; i < D->num; i++)
    if (uops[i].id == PTX_ID_bra || uops[i].id == PTX_ID_bra_not || uops[i].id == PTX_ID_jump)
      uops[i].target = starts[uops[i].target_bb];
  for (uint32_t i = 0; i < D->num; i++) {
    code->calls |= (uops[i].flags & PTX_F_CALL) != 0;
    code->allocates |= uops[i].id == PTX_ID_alloca;
    code->multiplies |= uops[i].id == PTX_ID_wgmma;
  }
  code->uops = uops;
  code->insts = insts;
  code->num_uops = D->num;
  code->bb_first = starts;
  code->bbs = f->bbs;
  code->num_bbs = f->num_bbs;
  code->constants = constants;
  code->constants_bytes = (uint32_t)D->constants.len;
  code->constants_at = (uint32_t)x.constants;
  code->params_at = (uint32_t)D->area_at;
  code->frame_bytes = (uint32_t)align64((uint32_t)x.constants + (uint32_t)D->constants.len);
  code->function = f;
  f->code = code;
  return LCU_OK;
}

static lcu_status decode_function (ptx_decoder *D) {
  ptx_code *code = lcu_arena_alloc(D->arena, sizeof *code);
  uint32_t *first = lcu_arena_alloc(D->arena, (D->f->num_bbs + 1) * sizeof *first);
  if (code == NULL || first == NULL) return lcu_no_memory("decoded PTX");
  LCU_TRY(count_predecessors(D));
  D->area_at = align64(D->f->regs_bytes);
  for (uint32_t i = 0; i < D->f->num_bbs; i++) LCU_TRY(decode_block(D, i, &first[i]));
  return make_code(D, first, code);
}

static void note_unsupported (ptx_decoder *D) {
  D->f->refused = D->inst;
  D->f->unsupported =
    lcu_arena_strndup(D->arena, lcu_failure_get()->message, strlen(lcu_failure_get()->message));
}

lcu_status ptx_decode (ptx_function *f, lcu_arena *arena) {
  ptx_decoder D = { .f = f, .arena = arena, .isa = ptx_isa_select() };
  lcu_status s = decode_function(&D);
  if (s == LCU_E_UNSUPPORTED || s == LCU_E_SYNTAX) note_unsupported(&D);
  lcu_free(D.uops);
  lcu_free(D.insts);
  lcu_free(D.table);
  lcu_buf_free(&D.constants);
  return s;
}
