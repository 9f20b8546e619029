/* ptx_jit_parts.c: stretches of a basic block that need more vector registers than there are.
 *
 * A value of all lanes takes four registers of AVX2, so that most of a long block's values are
 * kept in memory. In a stretch of operations whose lanes do not depend on each other, a part of
 * the lanes is computed from the first operation to the last, then the next part. What is computed
 * from bases comes before all parts. */
#include <string.h>

#include "ptx_jit_access.h"
#include "ptx_jit_emit.h"

/* A stretch reads and writes its values in memory once, however short it is: it must have so many
 * operations, and so many for each word of a lane that is needed at a time. */
enum { LEAST_OPERATIONS = 16, LEAST_PER_WORD = 5 };

/* ---- what may be in a stretch ---- */

typedef struct operands {
  const ptx_jit_facts *f;
  uint32_t i;
  bool found;
} operands;

static void look_for_resident (void *ud, int32_t slot, uint32_t bytes, int role) {
  operands *o = ud;
  int32_t v = ptx_jit_find(o->f, slot, bytes);
  bool constant = role == PTX_JIT_READS && ptx_jit_is_constant(o->f->code, slot);
  o->found |= !constant && (v < 0 || o->f->vars[v].resident);
}

/* Are all operands variables? */
static bool has_variables (const ptx_jit_facts *f, uint32_t i) {
  operands o = { f, i, false };
  ptx_jit_operands(&f->code->uops[i], look_for_resident, &o);
  return !o.found;
}

static bool is_by_lanes (const ptx_jit_emitter *E, uint32_t i) {
  return ptx_jit_alu_by_lanes(E->f, i) && has_variables(E->f, i);
}

/* A load of one value by all lanes that an earlier access has checked. */
static bool is_checked_load (const ptx_jit_emitter *E, uint32_t i) {
  if (E->f->checked || !E->groups[i].follows || !ptx_jit_is_load(E->f->code->uops[i].id))
    return false;
  ptx_jit_transfer x = ptx_jit_transfer_of(E, i);
  ptx_jit_transfer_shape(E, &x);
  if (x.shape != PTX_JIT_ONE) return false;
  for (uint32_t e = 0; e < x.I->vector; e++) {
    const ptx_value *d = ptx_jit_result(E->f, i, ptx_jit_move_slot(&x, e), x.slot_bytes);
    if (d == NULL || d->offsets != NULL) return false;
  }
  return true;
}

static bool belongs_to_part (const ptx_jit_emitter *E, uint32_t i) {
  if (E->f->guarded[i] || !has_variables(E->f, i)) return false;
  return ptx_jit_alu_by_lanes(E->f, i) || ptx_jit_alu_by_bases(E->f, i) || is_checked_load(E, i);
}

static uint32_t end_of_stretch (const ptx_jit_emitter *E, uint32_t from) {
  uint32_t i = from;
  while (i < E->f->code->num_uops && (i == from || !E->f->leader[i]) && belongs_to_part(E, i)) i++;
  return i;
}

/* ---- is it worth it? ---- */

/* The host's vector registers, and the bytes of one. */
static void host_registers (uint32_t *num, uint32_t *bytes) {
  const char *isa = ptx_isa_name();
  *num = strcmp(isa, "x86-64-v2") == 0 || strcmp(isa, "x86-64-v3") == 0 ? 16 : 32;
  *bytes = strcmp(isa, "x86-64-v4") == 0 ? 64 : strcmp(isa, "x86-64-v3") == 0 ? 32 : 16;
}

typedef struct touched {
  const ptx_jit_emitter *E;
  uint32_t i;
  bool *vars;
} touched;

static void note_touched (void *ud, int32_t slot, uint32_t bytes, int role) {
  touched *t = ud;
  int32_t v = ptx_jit_find(t->E->f, slot, bytes);
  if (v < 0) return;
  const ptx_value *known = role == PTX_JIT_READS ? ptx_jit_var_value(t->E->f, t->i, (uint32_t)v)
                                                 : ptx_jit_result(t->E->f, t->i, slot, bytes);
  if (known == NULL) t->vars[v] = true;
}

/* Sets the variables of which a stretch reads or writes lanes. */
static void find_touched (const ptx_jit_emitter *E, uint32_t from, uint32_t to, bool *vars) {
  touched t = { E, from, vars };
  for (; t.i < to; t.i++)
    if (is_by_lanes(E, t.i)) ptx_jit_operands(&E->f->code->uops[t.i], note_touched, &t);
}

/* The most bytes of a lane that are needed at a time. */
static uint32_t most_bytes (const ptx_jit_facts *f, uint32_t from, uint32_t to, const bool *vars) {
  uint32_t most = 0;
  for (uint32_t i = from; i < to; i++) {
    uint32_t bytes = 0;
    for (uint32_t v = 0; v < f->num_vars; v++)
      if (vars[v] && ptx_jit_has(&f->live, i, v) && ptx_jit_var_value(f, i, v) == NULL)
        bytes += f->vars[v].bytes;
    if (bytes > most) most = bytes;
  }
  return most;
}

static uint32_t count_by_lanes (const ptx_jit_emitter *E, uint32_t from, uint32_t to) {
  uint32_t n = 0;
  for (uint32_t i = from; i < to; i++) n += is_by_lanes(E, i);
  return n;
}

static bool is_worth_it (const ptx_jit_emitter *E, uint32_t from, uint32_t to, bool *vars) {
  uint32_t num, bytes, operations = count_by_lanes(E, from, to);
  host_registers(&num, &bytes);
  if (operations < LEAST_OPERATIONS) return false;
  find_touched(E, from, to, vars);
  uint32_t most = most_bytes(E->f, from, to, vars);
  return most * PTX_LANES > num * bytes && operations >= most / 4 * LEAST_PER_WORD;
}

void ptx_jit_find_stretches (ptx_jit_emitter *E) {
  const ptx_jit_facts *f = E->f;
  bool *vars = lcu_calloc(f->num_vars + 1, sizeof *vars);
  memset(E->split, 0, f->num_vars * sizeof *E->split);
  memset(E->stretches, 0, f->code->num_uops * sizeof *E->stretches);
  for (uint32_t i = 0; vars != NULL && i < f->code->num_uops;) {
    uint32_t end = end_of_stretch(E, i);
    memset(vars, 0, f->num_vars * sizeof *vars);
    if (end > i && is_worth_it(E, i, end, vars)) {
      E->stretches[i] = end;
      for (uint32_t v = 0; v < f->num_vars; v++) E->split[v] |= vars[v];
    }
    i = end > i ? end : i + 1;
  }
  lcu_free(vars);
}

/* ---- its code ---- */

void ptx_jit_stretch (ptx_jit_emitter *E, uint32_t from) {
  uint32_t to = E->stretches[from];
  for (uint32_t i = from; i < to; i++) {
    if (is_by_lanes(E, i)) ptx_jit_alu_note(E, i);
    else if (ptx_jit_alu_knows(&E->f->code->uops[i])) ptx_jit_alu(E, i);
    else (void)ptx_jit_access(E, i);
  }
  for (uint32_t p = 0; p < PTX_JIT_PARTS; p++)
    for (uint32_t i = from; i < to; i++)
      if (is_by_lanes(E, i)) ptx_jit_alu_part(E, i, p);
}
