/* ptx_decode_compared.c: what surrounds atom.cas: registers that hold a guess of what is in memory,
 * and accesses that may be of the word around a smaller variable.
 *
 * `old = *p; do { assumed = old; old = atomicCAS(p, assumed, f(assumed)); } while (old != assumed)`
 * starts with a plain load, which may meet the atomics of other threads: the comparison notices
 * that its value is old. The checks must know such loads. */
#include <string.h>

#include "ptx_decode.h"

bool ptx_has_part (const ptx_inst *inst, const char *part) {
  for (uint32_t k = 1; k < inst->num_parts; k++)
    if (strcmp(inst->parts[k], part) == 0) return true;
  return false;
}

static bool mark (const ptx_operand *o) {
  if (o->kind != PTX_O_REG || o->reg->compared) return false;
  o->reg->compared = true;
  return true;
}

/* Whether it marked a register: that which atom.cas compares, or the source of a marked copy. */
static bool mark_operand (const ptx_inst *inst) {
  const ptx_operand *o = inst->operands;
  if (strcmp(inst->parts[0], "atom") == 0 && inst->num_operands == 4 && ptx_has_part(inst, "cas"))
    return mark(&o[2]);
  return strcmp(inst->parts[0], "mov") == 0 && inst->num_operands == 2 && o[0].kind == PTX_O_REG &&
         o[0].reg->compared && mark(&o[1]);
}

/* A copy before the loop and one in it are what compilers write. */
void ptx_mark_compared (ptx_function *f) {
  enum { MOST_COPIES = 4 };
  bool any = true;
  for (int round = 0; any && round <= MOST_COPIES; round++) {
    any = false;
    for (const ptx_inst *inst = f->body; inst != NULL; inst = inst->next) any |= mark_operand(inst);
  }
}

static bool is_load (const ptx_inst *inst) { return strcmp(inst->parts[0], "ld") == 0; }

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
