/* ptx_jit_value.c: claims are about registers, variables are slots that hold one register after the
 * other. Forwards through the flow, it is found out which register a variable holds. */
#include "ptx_jit_flow.h"

#include <string.h>

#include "ptx_ids.h"
#include "ptx_operands.h"
#include "ptx_shape_inst.h"

enum {
  NOTHING = 0,     /* a register of which nothing is known, or several */
  UNIFORM = 65534, /* a temporary that is the same in all lanes */
  ANY = 65535      /* not reached yet */
};

static const ptx_value uniform = { .base = PTX_BASE_WARP };

/* ---- what a micro-operation writes ---- */

typedef struct written {
  int32_t slot;
  uint32_t bits;
  const ptx_reg *reg;
} written;

static void find_written_reg (void *ud, ptx_reg *reg, int role) {
  written *x = ud;
  if ((role & PTX_WRITE) && reg->slot == x->slot && ptx_value_bits(reg->type) == x->bits)
    x->reg = reg;
}

typedef struct touch {
  int32_t slot;
  bool found;
} touch;

static void find_touch (void *ud, int32_t slot, uint32_t bytes, int role) {
  touch *x = ud;
  (void)bytes;
  (void)role;
  x->found |= slot == x->slot;
}

/* Claims hold when the instruction has been completed. */
static bool is_last (const ptx_jit_facts *f, uint32_t i, int32_t slot) {
  const ptx_code *code = f->code;
  touch x = { slot, false };
  for (uint32_t k = i + 1; k < code->num_uops && code->insts[k] == code->insts[i]; k++)
    ptx_jit_operands(&code->uops[k], find_touch, &x);
  return !x.found;
}

typedef struct sources {
  const ptx_jit_facts *f;
  uint32_t i;
  bool same;
} sources;

static void look (void *ud, int32_t slot, uint32_t bytes, int role) {
  sources *s = ud;
  if (!(role & PTX_JIT_READS)) return;
  const ptx_value *v = ptx_jit_value(s->f, s->i, slot, bytes);
  s->same &= v != NULL && ptx_value_uniform(v);
}

static uint16_t held_temporary (const ptx_jit_facts *f, uint32_t i) {
  sources s = { f, i, ptx_jit_keeps_same(&f->code->uops[i]) && !f->guarded[i] };
  if (s.same) ptx_jit_operands(&f->code->uops[i], look, &s);
  return s.same ? UNIFORM : NOTHING;
}

static uint16_t held_after (const ptx_jit_facts *f, uint32_t i, int32_t slot, uint32_t bytes) {
  const ptx_inst *inst = f->code->insts[i];
  written x = { slot, bytes * 8, NULL };
  if (inst == NULL) return NOTHING;
  ptx_inst_visit_regs(inst, find_written_reg, &x);
  if (x.reg == NULL) return held_temporary(f, i);
  bool known = f->claims->values[x.reg->id].base <= PTX_BASE_ROW && x.reg->id < UNIFORM - 1;
  return known && is_last(f, i, slot) ? (uint16_t)(x.reg->id + 1) : NOTHING;
}

/* ---- reading ---- */

static const ptx_value *value_of (const ptx_jit_facts *f, uint16_t held) {
  if (held == NOTHING || held == ANY) return NULL;
  return held == UNIFORM ? &uniform : &f->claims->values[held - 1];
}

static uint16_t *held_at (const ptx_jit_facts *f, uint32_t i) {
  return f->held + (size_t)i * f->num_vars;
}

const ptx_value *ptx_jit_var_value (const ptx_jit_facts *f, uint32_t i, uint32_t var) {
  return f->vars[var].resident ? NULL : value_of(f, held_at(f, i)[var]);
}

const ptx_value *ptx_jit_value (const ptx_jit_facts *f, uint32_t i, int32_t slot, uint32_t bytes) {
  if (ptx_jit_is_constant(f->code, slot)) return &uniform;
  int32_t v = ptx_jit_find(f, slot, bytes);
  return v < 0 ? NULL : ptx_jit_var_value(f, i, (uint32_t)v);
}

const ptx_value *ptx_jit_result (const ptx_jit_facts *f, uint32_t i, int32_t slot, uint32_t bytes) {
  int32_t v = ptx_jit_find(f, slot, bytes);
  if (v < 0 || f->vars[v].resident) return NULL;
  return value_of(f, held_after(f, i, slot, bytes));
}

bool ptx_jit_widens (const ptx_jit_facts *f, uint32_t i) {
  return f->code->insts[i] != NULL && ptx_inst_widens(f->claims, f->code->insts[i]);
}

/* ---- the flow ---- */

typedef struct written_at {
  const ptx_jit_facts *f;
  uint32_t i;
  uint16_t *state;
} written_at;

static void write_operand (void *ud, int32_t slot, uint32_t bytes, int role) {
  written_at *s = ud;
  int32_t v = ptx_jit_find(s->f, slot, bytes);
  if ((role & PTX_JIT_WRITES) && v >= 0) s->state[v] = held_after(s->f, s->i, slot, bytes);
}

static bool meet (uint16_t *to, const uint16_t *from, uint32_t n) {
  bool changed = false;
  for (uint32_t v = 0; v < n; v++) {
    uint16_t now = to[v] == ANY || to[v] == from[v] ? from[v] : from[v] == ANY ? to[v] : NOTHING;
    changed |= now != to[v];
    to[v] = now;
  }
  return changed;
}

static bool pass (ptx_jit_facts *f, uint16_t *state) {
  uint32_t n = f->num_vars;
  bool changed = false;
  for (uint32_t i = 0; i < f->code->num_uops; i++) {
    uint32_t to[2], num = ptx_jit_successors(f->code, i, to);
    written_at s = { f, i, state };
    memcpy(state, held_at(f, i), n * sizeof *state);
    ptx_jit_operands(&f->code->uops[i], write_operand, &s);
    for (uint32_t k = 0; k < num; k++) changed |= meet(held_at(f, to[k]), state, n);
  }
  return changed;
}

bool ptx_jit_find_values (ptx_jit_facts *f, lcu_arena *arena) {
  size_t entries = ((size_t)f->code->num_uops + 1) * f->num_vars;
  f->held = lcu_arena_alloc(arena, (entries + 1) * sizeof *f->held);
  uint16_t *state = lcu_arena_alloc(arena, (f->num_vars + 1u) * sizeof *state);
  if (f->held == NULL || state == NULL) return false;
  memset(f->held, 0xff, entries * sizeof *f->held);
  while (pass(f, state));
  return true;
}
