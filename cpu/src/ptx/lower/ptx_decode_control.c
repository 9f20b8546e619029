/* ptx_decode_control.c: branches, calls, barriers, exchange within a warp. Operations that the
 * executor carries out have their operands in I->extra, in the order of ptx_uop.h. */
#include "ptx_decode.h"
#include "ptx_module.h"

#include <stdio.h>
#include <string.h>

/* ---- branches and ends ---- */

lcu_status ptx_decode_bra (ptx_decoder *D) {
  const ptx_inst *inst = D->inst;
  const ptx_basic_block *b = &D->f->bbs[D->bb];
  uint16_t id = !inst->guarded ? PTX_ID_jump : inst->guard_negate ? PTX_ID_bra_not : PTX_ID_bra;
  if (b->target < 0) return ptx_decode_fail(D, "the target is not a label");
  LCU_TRY(ptx_emit_dabc(D, id, 0, inst->guarded ? inst->guard->slot : 0, 0, 0));
  ptx_uop *I = &D->uops[D->num - 1];
  I->target_bb = (uint32_t)b->target;
  I->imm = b->next;
  if (D->f->bbs[b->target].spin) I->flags |= PTX_F_SPIN;
  return LCU_OK;
}

static lcu_status emit_case (ptx_decoder *D, int32_t index, int64_t value, int32_t p,
                             int32_t target) {
  int32_t number;
  LCU_TRY(ptx_constant_slot(D, (uint64_t)value, 4, &number));
  LCU_TRY(ptx_emit_dabc(D, PTX_ID_setp_eq_b32, p, index, number, 0));
  LCU_TRY(ptx_emit_dabc(D, PTX_ID_bra, 0, p, 0, 0));
  ptx_uop *I = &D->uops[D->num - 1];
  I->target_bb = (uint32_t)target;
  I->imm = -1;
  if (D->f->bbs[target].spin) I->flags |= PTX_F_SPIN;
  return LCU_OK;
}

/* One comparison per label: compilers do not emit branch tables. An index past the last label is
 * undefined; here it traps. */
lcu_status ptx_decode_brx (ptx_decoder *D) {
  const ptx_inst *inst = D->inst;
  const ptx_operand *list = &inst->operands[1];
  int32_t index, p;
  if (inst->num_operands != 2 || list->kind != PTX_O_LIST || inst->match.mode != PTX_MODE_idx)
    return ptx_decode_fail(D, "operands do not fit");
  /* Lanes diverge between the comparisons, and then others may use the temporaries. */
  LCU_TRY(ptx_source(D, &inst->operands[0], PTX_U32, &index));
  if (D->temps != 0) return ptx_decode_fail(D, "the index must be in a register of 32 bits");
  LCU_TRY(ptx_temp(D, &p));
  for (uint32_t k = 0; k < list->num_items; k++)
    LCU_TRY(emit_case(D, index, k, p, (int32_t)list->items[k].i));
  return ptx_emit_dabc(D, PTX_ID_trap, 0, 0, 0, 0);
}

lcu_status ptx_decode_end (ptx_decoder *D) {
  return ptx_emit_dabc(D, ptx_id_find(D->inst->match.op->opcode), 0, 0, 0, 0);
}

/* ---- operands in extra ---- */

static lcu_status emit_slots (ptx_decoder *D, uint16_t id, const int32_t *slots, uint32_t num) {
  ptx_uop *I = ptx_emit(D, id);
  struct ptx_uop_extra *e = ptx_emit_extra(D, I);
  if (e == NULL) return lcu_no_memory("decoded PTX");
  e->num = num;
  if (num) memcpy(e->slots, slots, num * sizeof *slots);
  return LCU_OK;
}

/* Results and arguments are registers, vectors of them, numbers and .param variables. */
static lcu_status check_passed (const ptx_decoder *D, const ptx_operand *list) {
  for (uint32_t k = 0; k < list->num_items; k++) {
    const ptx_operand *o = &list->items[k];
    bool in_memory = o->kind == PTX_O_VARIABLE;
    if (o->negate || (in_memory && (o->variable->space != PTX_PARAM || o->i != 0)) ||
        o->kind == PTX_O_SREG || o->kind == PTX_O_FUNCTION || o->kind == PTX_O_ADDRESS)
      return ptx_decode_fail(D, "this kind of argument: move it to a register first");
    if (in_memory && D->f->is_entry && o->variable->is_formal)
      return ptx_decode_fail(D, "a kernel parameter as an argument: load it first");
  }
  return LCU_OK;
}

/* An open parameter has room for some arguments. */
static lcu_status check_open (const ptx_decoder *D, const ptx_function *f,
                              const ptx_operand *arguments) {
  uint32_t k = 0;
  char detail[96];
  for (const ptx_variable *v = f->params; v != NULL && k < arguments->num_items; v = v->next, k++) {
    const ptx_variable *passed = arguments->items[k].variable;
    if (!v->is_open || passed == NULL || passed->size <= v->size) continue;
    snprintf(detail, sizeof detail, "%llu bytes for '...': pass at most %u",
             (unsigned long long)passed->size, PTX_OPEN_BYTES);
    return ptx_decode_fail(D, detail);
  }
  return LCU_OK;
}

static uint32_t count_formals (const ptx_variable *v) {
  uint32_t n = 0;
  for (; v != NULL && !v->is_open; v = v->next) n++;
  return n;
}

static bool has_open (const ptx_variable *v) {
  while (v != NULL && !v->is_open) v = v->next;
  return v != NULL;
}

static lcu_status check_count (const ptx_decoder *D, const ptx_function *f,
                               const ptx_variable *list, uint32_t given, bool results) {
  char detail[256];
  uint32_t want = count_formals(list);
  if (given == want || (given > want && has_open(list))) return LCU_OK;
  snprintf(detail, sizeof detail, "%u %s where '%.150s' %s %u", given,
           results ? "results" : "arguments", f->name, results ? "has" : "takes", want);
  return ptx_decode_fail(D, detail);
}

/* Bytes of an argument, at least 4, as for registers in the head of a function; 0: anything
 * fits. */
static uint64_t passed_bytes (const ptx_operand *o) {
  uint64_t n = o->kind == PTX_O_VARIABLE ? o->variable->size
               : o->kind == PTX_O_REG    ? ptx_lane_bytes(o->reg->type)
                                         : 0;
  return n != 0 && n < 4 ? 4 : n;
}

static lcu_status check_size (const ptx_decoder *D, const ptx_function *f, const ptx_variable *v,
                              const ptx_operand *o) {
  char detail[400];
  uint64_t given = passed_bytes(o), want = v->size < 4 ? 4 : v->size;
  if (v->is_open || given == 0 || given == want) return LCU_OK;
  snprintf(detail, sizeof detail, "'%.120s' of '%.150s' has %llu bytes, the argument %llu", v->name,
           f->name, (unsigned long long)want, (unsigned long long)given);
  return ptx_decode_fail(D, detail);
}

/* Do the results or arguments of a direct call fit the head of the function? */
static lcu_status check_list (const ptx_decoder *D, const ptx_function *f, const ptx_variable *list,
                              const ptx_operand *given, bool results) {
  uint32_t k = 0, num = given != NULL ? given->num_items : 0;
  LCU_TRY(check_count(D, f, list, num, results));
  for (const ptx_variable *v = list; v != NULL && k < num; v = v->next, k++)
    LCU_TRY(check_size(D, f, v, &given->items[k]));
  return LCU_OK;
}

/* operands[target] is the function. */
static lcu_status check_direct (const ptx_decoder *D, int target) {
  const ptx_inst *inst = D->inst;
  const ptx_function *f = inst->operands[target].function;
  const ptx_operand *arguments =
    target + 1 < inst->num_operands ? &inst->operands[target + 1] : NULL;
  if (f->is_entry) return ptx_decode_fail(D, "the target is a kernel");
  LCU_TRY(check_list(D, f, f->returns, target > 0 ? &inst->operands[0] : NULL, true));
  LCU_TRY(check_list(D, f, f->params, arguments, false));
  return arguments != NULL ? check_open(D, f, arguments) : LCU_OK;
}

lcu_status ptx_decode_call (ptx_decoder *D) {
  const ptx_inst *inst = D->inst;
  int target = 0;
  int32_t slot = -1;
  for (int i = 0; i < inst->num_operands; i++)
    if (inst->operands[i].kind == PTX_O_LIST) LCU_TRY(check_passed(D, &inst->operands[i]));
  while (target < inst->num_operands && inst->operands[target].kind == PTX_O_LIST) target++;
  if (target == inst->num_operands) return ptx_decode_fail(D, "no target");
  const ptx_operand *o = &inst->operands[target];
  if (o->kind == PTX_O_REG) slot = o->reg->slot;
  else if (o->kind != PTX_O_FUNCTION) return ptx_decode_fail(D, "this kind of target");
  else LCU_TRY(check_direct(D, target));
  LCU_TRY(emit_slots(D, PTX_ID_call, &slot, 1));
  struct ptx_uop_extra *e = (struct ptx_uop_extra *)(uintptr_t)D->uops[D->num - 1].extra;
  e->p = o->kind == PTX_O_FUNCTION ? o->function : NULL;
  return LCU_OK;
}

/* ---- barriers ---- */

enum { NUM_BARRIERS = 16 };

static uint16_t bar_id (const ptx_match *m) {
  switch (m->mode) {
    case PTX_MODE_none: return m->mods & PTX_M_SYNC ? PTX_ID_bar_sync : 0;
    case PTX_MODE_arrive: return PTX_ID_bar_arrive;
    case PTX_MODE_popc: return PTX_ID_bar_red_popc;
    case PTX_MODE_and: return PTX_ID_bar_red_and;
    case PTX_MODE_or: return PTX_ID_bar_red_or;
    case PTX_MODE_warp: return m->mods & PTX_M_SYNC ? PTX_ID_bar_warp_sync : 0;
    default: return 0;
  }
}

/* Marks a barrier of all threads with a constant number. */
static void note_barrier (ptx_decoder *D, const ptx_operand *o) {
  ptx_uop *I = &D->uops[D->num - 1];
  if (D->inst->num_operands != 1 || o->kind != PTX_O_INT) return;
  I->flags |= PTX_F_DIRECT;
  I->imm = o->i;
}

lcu_status ptx_decode_bar (ptx_decoder *D) {
  const ptx_inst *inst = D->inst;
  const ptx_operand *o = inst->operands;
  uint16_t id = bar_id(&inst->match);
  int32_t slots[4] = { -1, -1, -1, -1 };
  int at = 0, last = inst->num_operands;
  if (!id) return ptx_decode_fail(D, "this kind of barrier");
  if (id == PTX_ID_bar_warp_sync) {
    if (last != 1) return ptx_decode_fail(D, "operands do not fit");
    LCU_TRY(ptx_source(D, &o[0], PTX_U32, &slots[0]));
    return emit_slots(D, id, slots, 1);
  }
  if (id == PTX_ID_bar_red_popc || id == PTX_ID_bar_red_and || id == PTX_ID_bar_red_or) {
    LCU_TRY(ptx_dest(D, &o[at++], id == PTX_ID_bar_red_popc ? PTX_U32 : PTX_PRED, &slots[0]));
    LCU_TRY(ptx_source(D, &o[--last], PTX_PRED, &slots[3]));
  }
  if (id == PTX_ID_bar_arrive && last != 2) return ptx_decode_fail(D, "operands do not fit");
  if (o[at].kind == PTX_O_INT && (o[at].i < 0 || o[at].i >= NUM_BARRIERS))
    return ptx_decode_fail(D, "barriers are 0 to 15");
  LCU_TRY(ptx_source_exact(D, &o[at++], PTX_U32, &slots[1]));
  if (at < last && o[at].kind == PTX_O_INT && o[at].i % PTX_LANES != 0)
    return ptx_decode_fail(D, "threads are counted in whole warps");
  if (at < last) LCU_TRY(ptx_source_exact(D, &o[at], PTX_U32, &slots[2]));
  LCU_TRY(emit_slots(D, id, slots, 4));
  if (id == PTX_ID_bar_sync) note_barrier(D, o);
  return LCU_OK;
}

/* ---- exchange within a warp ---- */

/* The membermask, or the current lanes for the old forms without one. */
static lcu_status membermask (ptx_decoder *D, int at, int32_t *slot) {
  if (at < D->inst->num_operands) return ptx_source_exact(D, &D->inst->operands[at], PTX_U32, slot);
  if (D->inst->match.mods & PTX_M_SYNC) return ptx_decode_fail(D, "no member mask");
  LCU_TRY(ptx_temp(D, slot));
  return ptx_emit_dabc(D, PTX_ID_activemask_b32, *slot, 0, 0, 0);
}

/* Result and optional predicate; *at is the index of the next operand. */
static lcu_status call_results (ptx_decoder *D, ptx_type t, int32_t *slots, int *at) {
  const ptx_inst *inst = D->inst;
  LCU_TRY(ptx_dest_exact(D, &inst->operands[0], t, &slots[0]));
  slots[1] = -1;
  if (inst->pair) LCU_TRY(ptx_dest(D, &inst->operands[1], PTX_PRED, &slots[1]));
  *at = inst->pair ? 2 : 1;
  return LCU_OK;
}

static uint16_t mode_id (const ptx_decoder *D, const char *suffix) {
  char name[48];
  const ptx_match *m = &D->inst->match;
  snprintf(name, sizeof name, "%s_%s%s", m->op->opcode, ptx_mode_names[m->mode], suffix);
  return ptx_id_find(name);
}

/* From PTX 6.4 on, sm_70 and later have only the forms with .sync. */
static lcu_status check_sync (const ptx_decoder *D) {
  const struct ptx_module_ast *ast = &D->f->module->ast;
  if ((D->inst->match.mods & PTX_M_SYNC) || ast->target < 70 || ast->version < 64) return LCU_OK;
  return ptx_decode_fail(D, ".sync is missing");
}

lcu_status ptx_decode_shfl (ptx_decoder *D) {
  const ptx_operand *o = D->inst->operands;
  uint16_t id = mode_id(D, "");
  int32_t slots[6];
  int at;
  if (!id || ptx_type_bytes(D->inst->match.type) != 4)
    return ptx_decode_fail(D, "this mode or type");
  LCU_TRY(check_sync(D));
  LCU_TRY(call_results(D, PTX_B32, slots, &at));
  for (int i = 0; i < 3; i++) LCU_TRY(ptx_source_exact(D, &o[at + i], PTX_B32, &slots[2 + i]));
  LCU_TRY(membermask(D, at + 3, &slots[5]));
  return emit_slots(D, id, slots, 6);
}

lcu_status ptx_decode_vote (ptx_decoder *D) {
  uint16_t id = mode_id(D, "");
  int32_t slots[3];
  if (!id) return ptx_decode_fail(D, "this mode");
  LCU_TRY(check_sync(D));
  LCU_TRY(ptx_dest_exact(D, &D->inst->operands[0], id == PTX_ID_vote_ballot ? PTX_B32 : PTX_PRED,
                         &slots[0]));
  LCU_TRY(ptx_source(D, &D->inst->operands[1], PTX_PRED, &slots[1]));
  LCU_TRY(membermask(D, 2, &slots[2]));
  return emit_slots(D, id, slots, 3);
}

lcu_status ptx_decode_match (ptx_decoder *D) {
  ptx_type t = D->inst->match.type;
  uint16_t id = mode_id(D, ptx_lane_bytes(t) == 8 ? "_b64" : "_b32");
  int32_t slots[4];
  int at;
  if (!id || ptx_type_bytes(t) < 4 || (D->inst->pair && D->inst->match.mode == PTX_MODE_any))
    return ptx_decode_fail(D, "this mode");
  LCU_TRY(call_results(D, PTX_B32, slots, &at));
  LCU_TRY(ptx_source_exact(D, &D->inst->operands[at], t, &slots[2]));
  LCU_TRY(membermask(D, at + 1, &slots[3]));
  return emit_slots(D, id, slots, 4);
}

/* For .abs: the absolute value, in a temporary. */
static lcu_status absolute (ptx_decoder *D, int32_t *slot) {
  int32_t plain = *slot;
  if (!(D->inst->match.mods & PTX_M_ABS)) return LCU_OK;
  if (D->inst->match.type != PTX_F32) return ptx_decode_fail(D, ".abs of f32 only");
  LCU_TRY(ptx_temp(D, slot));
  return ptx_emit_dabc(D, PTX_ID_abs_f32, *slot, plain, 0, 0);
}

lcu_status ptx_decode_redux (ptx_decoder *D) {
  const ptx_match *m = &D->inst->match;
  bool ordered = m->mode == PTX_MODE_min || m->mode == PTX_MODE_max;
  bool is_float = m->type == PTX_F32;
  uint16_t id = mode_id(D, !ordered                     ? ""
                           : m->type == PTX_S32         ? "_s32"
                           : m->type == PTX_U32         ? "_u32"
                           : !is_float                  ? "_none"
                           : (m->mods & PTX_M_NAN) != 0 ? "_f32_nan"
                                                        : "_f32");
  int32_t slots[3];
  if (!id || (is_float && !ordered) || ptx_type_is_float(m->type) != is_float ||
      ptx_type_bytes(m->type) != 4 || (m->mods & PTX_M_XORSIGN) ||
      ((m->mods & PTX_M_NAN) && !is_float))
    return ptx_decode_fail(D, "this operation or type");
  LCU_TRY(ptx_dest_exact(D, &D->inst->operands[0], m->type, &slots[0]));
  LCU_TRY(ptx_source_exact(D, &D->inst->operands[1], m->type, &slots[1]));
  LCU_TRY(absolute(D, &slots[1]));
  LCU_TRY(membermask(D, 2, &slots[2]));
  return emit_slots(D, id, slots, 3);
}

lcu_status ptx_decode_elect (ptx_decoder *D) {
  int32_t slots[3];
  int at;
  LCU_TRY(call_results(D, PTX_B32, slots, &at));
  LCU_TRY(membermask(D, at, &slots[2]));
  return emit_slots(D, PTX_ID_elect, slots, 3);
}
