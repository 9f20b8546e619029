/* ptx_spin.c: which loops may wait for other threads. Only these give others a turn at every back
 * edge; other loops keep their lanes together. See cpu/docs/machine.md, "Loops that wait".
 *
 * A loop may wait if it holds an instruction with PTX_F_SPIN, and if it branches on a value that
 * depends on one, or waits by its nature; or if nothing in it can end it. Values are followed
 * through registers, not through memory: once one is stored, every branch counts. */
#include <string.h>

#include "ptx_cfg.h"
#include "ptx_operands.h"

typedef struct spin {
  ptx_function *f;
  bool *tainted; /* per register: depends on what another thread wrote */
  /* such a value was stored; where it is read again is not followed */
  bool memory;
  bool changed;
  bool any_read, any_write; /* of the current instruction */
  /* per loop head: holds such an instruction; branches on such a value */
  bool *waits, *decides;
  bool *leaves; /* per loop head: something in it may end the loop */
} spin;

static void look (void *ud, ptx_reg *reg, int role) {
  spin *s = ud;
  if ((role & PTX_READ) != 0 && s->tainted[reg->id]) s->any_read = true;
}

static void taint (void *ud, ptx_reg *reg, int role) {
  spin *s = ud;
  if ((role & PTX_WRITE) == 0 || s->tainted[reg->id]) return;
  s->tainted[reg->id] = true;
  s->changed = true;
}

static void look_write (void *ud, ptx_reg *reg, int role) {
  spin *s = ud;
  (void)reg;
  if ((role & PTX_WRITE) != 0) s->any_write = true;
}

static bool reads_tainted (spin *s, const ptx_inst *inst) {
  s->any_read = false;
  ptx_inst_visit_regs(inst, look, s);
  return s->any_read;
}

/* Whether the value of a store is tainted, not its address. */
static bool stores_tainted (spin *s, const ptx_inst *inst) {
  s->any_read = false;
  for (uint32_t k = 0; k < inst->num_operands; k++)
    if (inst->operands[k].kind != PTX_O_ADDRESS)
      ptx_operand_visit_regs(&inst->operands[k], PTX_READ, look, s);
  return s->any_read;
}

static bool writes_register (spin *s, const ptx_inst *inst) {
  s->any_write = false;
  ptx_inst_visit_regs(inst, look_write, s);
  return s->any_write;
}

static void follow_inst (spin *s, const ptx_inst *inst) {
  if ((inst->match.flags & PTX_F_SPIN) != 0) ptx_inst_visit_regs(inst, taint, s);
  else if (reads_tainted(s, inst)) {
    ptx_inst_visit_regs(inst, taint, s);
    if (!writes_register(s, inst) && (inst->match.flags & (PTX_F_MEMORY | PTX_F_CALL)) != 0 &&
        stores_tainted(s, inst))
      s->memory = true;
  }
}

static const ptx_inst *end_of (const ptx_basic_block *b) { return b->last->next; }

static void follow_all (spin *s) {
  do {
    s->changed = false;
    for (uint32_t k = 0; k < s->f->num_bbs; k++) {
      const ptx_basic_block *b = &s->f->bbs[k];
      for (const ptx_inst *inst = b->first; inst != end_of(b); inst = inst->next)
        follow_inst(s, inst);
    }
  } while (s->changed);
}

static bool inst_calls_spinner (const ptx_inst *inst) {
  if ((inst->match.flags & PTX_F_CALL) == 0) return false;
  const ptx_operand *target = &inst->operands[1];
  return target->kind != PTX_O_FUNCTION || target->function->may_spin;
}

/* Whether it waits whatever its result is used for: nanosleep, a barrier object, a call. red only
 * writes. */
static bool waits_always (const ptx_inst *inst) {
  if (inst_calls_spinner(inst)) return true;
  if ((inst->match.flags & PTX_F_SPIN) == 0 || strcmp(inst->parts[0], "red") == 0) return false;
  for (int k = 0; k < inst->num_operands; k++)
    if ((ptx_operand_role(inst, k) & PTX_WRITE) != 0) return false;
  return true;
}

static void look_at_block (spin *s, const ptx_basic_block *b) {
  for (const ptx_inst *inst = b->first; inst != end_of(b); inst = inst->next) {
    bool own = waits_always(inst);
    if (own || (inst->match.flags & PTX_F_SPIN) != 0) s->waits[b->loop] = true;
    if (own) s->decides[b->loop] = true;
  }
  if (s->memory || ((b->last->match.flags & PTX_F_BRANCH) != 0 && reads_tainted(s, b->last)))
    s->decides[b->loop] = true;
}

/* What holds for a loop holds for the loop around it too. Inner heads come later in the order. */
static void spread_outwards (spin *s) {
  for (uint32_t k = s->f->num_bbs; k-- > 0;) {
    int32_t outer = s->f->bbs[k].outer_loop;
    if (outer < 0) continue;
    s->waits[outer] |= s->waits[k];
    s->decides[outer] |= s->decides[k];
  }
}

static bool holds (const ptx_function *f, int32_t head, int32_t block) {
  int32_t l = f->bbs[block].loop;
  while (l >= 0 && l != head) l = f->bbs[l].outer_loop;
  return l == head;
}

/* Marks the loops around b that an edge to `to` leaves; -1: an unknown target. */
static void note_spin_edge (spin *s, const ptx_basic_block *b, int32_t to) {
  for (int32_t l = b->loop; l >= 0 && (to < 0 || !holds(s->f, l, to)); l = s->f->bbs[l].outer_loop)
    s->leaves[l] = true;
}

/* A loop without an exit waits forever: compilers make one of a wait for a variable that is not
 * volatile. */
static void look_for_exits (spin *s, const ptx_basic_block *b) {
  bool unknown = (b->last->match.flags & PTX_F_BRANCH) != 0 && b->target < 0;
  for (const ptx_inst *inst = b->first; inst != end_of(b); inst = inst->next)
    if ((inst->match.flags & PTX_F_CALL) != 0) unknown = true;
  if (unknown) note_spin_edge(s, b, -1);
  if (b->next >= 0) note_spin_edge(s, b, b->next);
  if (b->target >= 0) note_spin_edge(s, b, b->target);
}

static bool any_loop (const ptx_function *f) {
  for (uint32_t k = 0; k < f->num_bbs; k++)
    if (f->bbs[k].loop_head) return true;
  return false;
}

static bool any_spin (const ptx_function *f) {
  for (uint32_t k = 0; k < f->num_bbs; k++)
    for (const ptx_inst *inst = f->bbs[k].first; inst != end_of(&f->bbs[k]); inst = inst->next)
      if ((inst->match.flags & PTX_F_SPIN) != 0 || inst_calls_spinner(inst)) return true;
  return false;
}

static bool mark_waits (spin *s, lcu_arena *scratch) {
  s->tainted = lcu_arena_alloc(scratch, s->f->num_regs + 1u);
  s->waits = lcu_arena_alloc(scratch, s->f->num_bbs);
  s->decides = lcu_arena_alloc(scratch, s->f->num_bbs);
  if (s->tainted == NULL || s->waits == NULL || s->decides == NULL) return false;
  follow_all(s);
  for (uint32_t k = 0; k < s->f->num_bbs; k++)
    if (s->f->bbs[k].loop >= 0) look_at_block(s, &s->f->bbs[k]);
  spread_outwards(s);
  for (uint32_t k = 0; k < s->f->num_bbs; k++) {
    int32_t l = s->f->bbs[k].loop;
    s->f->bbs[k].spin = l >= 0 && s->waits[l] && s->decides[l];
  }
  return true;
}

static bool mark_endless (spin *s, lcu_arena *scratch) {
  s->leaves = lcu_arena_alloc(scratch, s->f->num_bbs);
  if (s->leaves == NULL) return false;
  for (uint32_t k = 0; k < s->f->num_bbs; k++)
    if (s->f->bbs[k].loop >= 0) look_for_exits(s, &s->f->bbs[k]);
  for (uint32_t k = 0; k < s->f->num_bbs; k++) {
    int32_t l = s->f->bbs[k].loop;
    if (l >= 0 && !s->leaves[l]) s->f->bbs[k].spin = true;
  }
  return true;
}

bool ptx_spin_mark (ptx_function *f, lcu_arena *scratch) {
  spin s = { .f = f };
  if (!any_loop(f)) return true;
  if (any_spin(f) && !mark_waits(&s, scratch)) return false;
  return mark_endless(&s, scratch);
}
