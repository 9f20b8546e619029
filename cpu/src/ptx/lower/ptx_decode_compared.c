/* ptx_decode_compared.c: what surrounds atom.cas: registers that hold a guess of what is in memory,
 * and accesses that may be of the word around a smaller variable.
 *
 * `old = *p; do { assumed = old; old = atomicCAS(p, assumed, f(assumed)); } while (old != assumed)`
 * starts with a plain load, which may meet the atomics of other threads: the comparison notices
 * that its value is old. The checks must know such loads. They are found through copies and through
 * arguments of calls, not through memory. */
#include <string.h>

#include "ptx_decode.h"

bool ptx_has_part (const ptx_inst *inst, const char *part) {
  for (uint32_t k = 1; k < inst->num_parts; k++)
    if (strcmp(inst->parts[k], part) == 0) return true;
  return false;
}

static bool is_load (const ptx_inst *inst) { return strcmp(inst->parts[0], "ld") == 0; }

/* ---- following the operand that atom.cas compares back to its source */

static bool mark (bool *compared) {
  bool new = !*compared;
  *compared = true;
  return new;
}

static bool mark_register (const ptx_operand *o) {
  return o->kind == PTX_O_REG && mark(&o->reg->compared);
}

static bool is_param (const ptx_inst *inst, const char *opcode) {
  return strcmp(inst->parts[0], opcode) == 0 && ptx_has_part(inst, "param") &&
         inst->num_operands == 2;
}

static bool compares (const ptx_operand *o) {
  return (o->kind == PTX_O_REG && o->reg->compared) ||
         (o->variable != NULL && o->variable->compared);
}

/* Debug code calls a function for atomicCAS(). */
static bool mark_arguments (const ptx_inst *inst) {
  const ptx_operand *callee = &inst->operands[1], *list = &inst->operands[2];
  bool any = false;
  if (inst->num_operands < 3 || callee->kind != PTX_O_FUNCTION) return false;
  const ptx_variable *formal = callee->function->params;
  for (uint32_t k = 0; k < list->num_items && formal != NULL; k++, formal = formal->next) {
    const ptx_operand *o = &list->items[k];
    if (!formal->compared) continue;
    any |= o->kind == PTX_O_VARIABLE ? mark(&o->variable->compared) : mark_register(o);
  }
  return any;
}

/* Whether it marked the source of what is compared. */
static bool mark_source (const ptx_inst *inst) {
  const ptx_operand *o = inst->operands;
  if (strcmp(inst->parts[0], "atom") == 0 && inst->num_operands == 4 && ptx_has_part(inst, "cas"))
    return mark_register(&o[2]);
  if (strcmp(inst->parts[0], "call") == 0) return mark_arguments(inst);
  if (inst->num_operands != 2 || !compares(&o[0])) return false;
  if (strcmp(inst->parts[0], "mov") == 0 || is_param(inst, "st")) return mark_register(&o[1]);
  return is_param(inst, "ld") && o[1].variable != NULL && mark(&o[1].variable->compared);
}

static bool mark_sources (const ptx_function *f) {
  bool any = false;
  for (const ptx_inst *inst = f->body; inst != NULL; inst = inst->next) any |= mark_source(inst);
  return any;
}

void ptx_mark_compared (ptx_function *const *list, uint32_t num) {
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t k = 0; k < num; k++)
      while (mark_sources(list[k])) changed = true;
  }
}

bool ptx_loads_guess (const ptx_inst *inst) {
  const ptx_operand *to = &inst->operands[0];
  return is_load(inst) && to->kind == PTX_O_REG && to->reg->compared;
}

/* There is no atom.cas of 8 bits, and none of 16 bits before 7.0. Code loads the word around the
 * variable, by an ordered load or as a guess, and exchanges that. */
bool ptx_may_be_around (const ptx_inst *inst, uint32_t size) {
  if (!is_load(inst)) return size == 4 && ptx_has_part(inst, "cas");
  bool ordered = ptx_has_part(inst, "relaxed") || ptx_has_part(inst, "acquire");
  return (size == 2 || size == 4) && (ordered || ptx_loads_guess(inst));
}
