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

/* With so many operations, its code is a loop over the parts, which LLVM compiles in a quarter of
 * the time. Values that live across the loop pass through memory. */
enum { LEAST_LOOPED = 200 };

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

/* What parts share, and what comes before them all. `lane`: see ptx_jit_emitter. */
static void begin_stretch (ptx_jit_emitter *E, uint32_t from, uint32_t to, uint32_t lane) {
  for (uint32_t i = from; i < to; i++) {
    E->lane = lane;
    if (is_by_lanes(E, i)) {
      ptx_jit_alu_note(E, i);
      continue;
    }
    E->lane = 0;
    if (ptx_jit_alu_knows(&E->f->code->uops[i])) ptx_jit_alu(E, i);
    else (void)ptx_jit_access(E, i);
  }
  E->lane = 0;
}

static void compute_part (ptx_jit_emitter *E, uint32_t from, uint32_t to, uint32_t p) {
  for (uint32_t i = from; i < to; i++)
    if (is_by_lanes(E, i)) ptx_jit_alu_part(E, i, p);
}

/* ---- a long one, as a loop over its parts ---- */

/* A variable of the stretch. In the loop, the part of it that is computed is in the place of the
 * first part. Before and after, all parts are in an array. */
typedef struct looped {
  bool reads, writes; /* reads lanes set before the stretch; sets lanes read after it */
  uint32_t array;
} looped;

typedef struct looped_search {
  const ptx_jit_emitter *E;
  uint32_t i;
  looped *vars;
} looped_search;

static void note_read (void *ud, int32_t slot, uint32_t bytes, int role) {
  looped_search *s = ud;
  int32_t v = ptx_jit_find(s->E->f, slot, bytes);
  if (v >= 0 && (role & PTX_JIT_READS) && is_by_lanes(s->E, s->i) &&
      ptx_jit_var_value(s->E->f, s->i, (uint32_t)v) == NULL)
    s->vars[v].reads |= !s->vars[v].writes;
}

static void note_written (void *ud, int32_t slot, uint32_t bytes, int role) {
  looped_search *s = ud;
  int32_t v = ptx_jit_find(s->E->f, slot, bytes);
  if (v >= 0 && (role & PTX_JIT_WRITES)) s->vars[v].writes = is_by_lanes(s->E, s->i);
}

static looped *find_looped (const ptx_jit_emitter *E, uint32_t from, uint32_t to) {
  looped_search s = { E, from, lcu_calloc(E->f->num_vars + 1, sizeof(looped)) };
  for (; s.vars != NULL && s.i < to; s.i++) {
    ptx_jit_operands(&E->f->code->uops[s.i], note_read, &s);
    ptx_jit_operands(&E->f->code->uops[s.i], note_written, &s);
  }
  for (uint32_t v = 0; s.vars != NULL && v < E->f->num_vars; v++)
    s.vars[v].writes = s.vars[v].writes && ptx_jit_has(&E->f->live, to, v);
  return s.vars;
}

static void load_part_at (ptx_jit_emitter *E, uint32_t bytes, uint32_t t, uint32_t at) {
  lcu_buf_addf(&E->out, "  %%t%u = load <%u x %s>, ptr %%t%u\n", t, (uint32_t)PTX_JIT_PART_LANES,
               ptx_jit_int(bytes), at);
}

static void store_part (ptx_jit_emitter *E, uint32_t bytes, uint32_t t, uint32_t at) {
  lcu_buf_addf(&E->out, "  store <%u x %s> %%t%u, ptr %%t%u\n", (uint32_t)PTX_JIT_PART_LANES,
               ptx_jit_int(bytes), t, at);
}

/* Copies parts of a variable to its array, or from there. */
static void copy_parts (ptx_jit_emitter *E, uint32_t var, uint32_t array, uint32_t parts, bool in) {
  uint32_t bytes = E->f->vars[var].bytes;
  for (uint32_t p = 0; p < parts; p++) {
    uint32_t at = ptx_jit_number(E), t = in ? ptx_jit_part(E, var, p) : ptx_jit_number(E);
    lcu_buf_addf(&E->out, "  %%t%u = getelementptr i8, ptr %%a%u, i64 %u\n", at, array,
                 p * PTX_JIT_PART_LANES * bytes);
    if (in) store_part(E, bytes, t, at);
    else {
      load_part_at(E, bytes, t, at);
      ptx_jit_set_part(E, var, p, t);
    }
  }
}

/* The part of this turn, from the array or to it. */
static void copy_turn (ptx_jit_emitter *E, uint32_t var, uint32_t array, bool in) {
  uint32_t bytes = E->f->vars[var].bytes, at = ptx_jit_array_part(E, array, bytes);
  if (in) {
    uint32_t t = ptx_jit_number(E);
    load_part_at(E, bytes, t, at);
    ptx_jit_set_part(E, var, 0, t);
  } else store_part(E, bytes, ptx_jit_part(E, var, 0), at);
}

static void loop_head (ptx_jit_emitter *E, uint32_t lane, uint32_t next, uint32_t n) {
  lcu_buf_addf(&E->out, "  br label %%X%u\nX%u:\n  br label %%X%u\nX%u:\n", n, n, n + 1, n + 1);
  lcu_buf_addf(&E->out, "  %%t%u = phi i64 [ 0, %%X%u ], [ %%t%u, %%X%u ]\n", lane, n, next, n + 1);
}

static void loop_end (ptx_jit_emitter *E, uint32_t lane, uint32_t next, uint32_t n) {
  uint32_t more = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = add i64 %%t%u, %u\n  %%t%u = icmp ne i64 %%t%u, %u\n", next,
               lane, PTX_JIT_PART_LANES, more, next, PTX_LANES);
  lcu_buf_addf(&E->out, "  br i1 %%t%u, label %%X%u, label %%X%u\nX%u:\n", more, n + 1, n + 2,
               n + 2);
}

static void loop_over_parts (ptx_jit_emitter *E, uint32_t from, uint32_t to, looped *vars) {
  uint32_t num = E->f->num_vars, lane = ptx_jit_number(E), next = ptx_jit_number(E), n = E->next;
  E->next += 3;
  E->stored.len = 0;
  begin_stretch(E, from, to, lane);
  for (uint32_t v = 0; v < num; v++) {
    if (vars[v].reads || vars[v].writes) vars[v].array = ptx_jit_array(E, E->f->vars[v].bytes);
    if (vars[v].reads) copy_parts(E, v, vars[v].array, PTX_JIT_PARTS, true);
  }
  loop_head(E, lane, next, n);
  E->lane = lane;
  for (uint32_t v = 0; v < num; v++)
    if (vars[v].reads) copy_turn(E, v, vars[v].array, true);
  compute_part(E, from, to, 0);
  for (uint32_t v = 0; v < num; v++)
    if (vars[v].writes) copy_turn(E, v, vars[v].array, false);
  E->lane = 0;
  loop_end(E, lane, next, n);
  for (uint32_t v = 0; v < num; v++)
    if (vars[v].reads || vars[v].writes)
      copy_parts(E, v, vars[v].array, vars[v].writes ? PTX_JIT_PARTS : 1, false);
}

void ptx_jit_stretch (ptx_jit_emitter *E, uint32_t from) {
  uint32_t to = E->stretches[from];
  bool loops = count_by_lanes(E, from, to) >= LEAST_LOOPED;
  looped *vars = loops ? find_looped(E, from, to) : NULL;
  if (vars != NULL) {
    loop_over_parts(E, from, to, vars);
    lcu_free(vars);
    return;
  }
  begin_stretch(E, from, to, 0);
  for (uint32_t p = 0; p < PTX_JIT_PARTS; p++) compute_part(E, from, to, p);
}
