/* ptx_jit_flow.c: variables, and analyses of the flow of micro-operations. */
#include "ptx_jit_flow.h"

#include <string.h>

#include "ptx_ids.h"
#include "ptx_warp.h"

/* ---- variables ---- */

typedef struct collector {
  ptx_jit_facts *f;
  uint32_t cap;
} collector;

bool ptx_jit_is_constant (const ptx_code *code, int32_t slot) {
  return slot >= (int32_t)code->constants_at &&
         slot < (int32_t)(code->constants_at + code->constants_bytes);
}

int32_t ptx_jit_find (const ptx_jit_facts *f, int32_t slot, uint32_t bytes) {
  for (uint32_t v = 0; v < f->num_vars; v++)
    if (f->vars[v].slot == slot && f->vars[v].bytes == bytes) return (int32_t)v;
  return -1;
}

static void collect (void *ud, int32_t slot, uint32_t bytes, int role) {
  collector *c = ud;
  ptx_jit_facts *f = c->f;
  if (role == PTX_JIT_UNKNOWN || ptx_jit_is_constant(f->code, slot)) return;
  if (ptx_jit_find(f, slot, bytes) >= 0 || f->num_vars == c->cap) return;
  f->vars[f->num_vars++] = (ptx_jit_var){ .slot = slot, .bytes = bytes };
}

static void reside (ptx_jit_facts *f, int32_t from, int32_t to) {
  for (uint32_t v = 0; v < f->num_vars; v++) {
    int32_t slot = f->vars[v].slot, end = slot + (int32_t)f->vars[v].bytes * PTX_LANES;
    if (slot < to && from < end) f->vars[v].resident = true;
  }
}

static void reside_unknown (void *ud, int32_t slot, uint32_t bytes, int role) {
  if (role == PTX_JIT_UNKNOWN) reside(ud, slot, slot + (int32_t)bytes * PTX_LANES);
}

static void reside_overlaps (ptx_jit_facts *f) {
  for (uint32_t v = 0; v < f->num_vars; v++)
    for (uint32_t u = 0; u < v; u++) {
      const ptx_jit_var *a = &f->vars[u], *b = &f->vars[v];
      if (a->slot + (int32_t)a->bytes * PTX_LANES <= b->slot ||
          b->slot + (int32_t)b->bytes * PTX_LANES <= a->slot)
        continue;
      f->vars[u].resident = f->vars[v].resident = true;
    }
}

bool ptx_jit_find_variables (ptx_jit_facts *f, lcu_arena *arena) {
  const ptx_code *code = f->code;
  collector c = { f, code->frame_bytes / 64 + 1 };
  f->vars = lcu_arena_alloc(arena, c.cap * sizeof *f->vars);
  if (f->vars == NULL) return false;
  for (uint32_t i = 0; i < code->num_uops; i++) ptx_jit_operands(&code->uops[i], collect, &c);
  for (uint32_t i = 0; i < code->num_uops; i++) ptx_jit_operands(&code->uops[i], reside_unknown, f);
  uint32_t area = (code->function->area_bytes + 3) / 4 * 4 * PTX_LANES;
  if (area != 0) reside(f, (int32_t)code->params_at, (int32_t)(code->params_at + area));
  reside_overlaps(f);
  return true;
}

/* ---- flow ---- */

uint32_t ptx_jit_successors (const ptx_code *code, uint32_t i, uint32_t out[2]) {
  const ptx_uop *I = &code->uops[i];
  uint32_t n = 0;
  switch (ptx_jit_flow_of(I)) {
    case PTX_JIT_ENDS: return 0;
    case PTX_JIT_JUMP: out[n++] = ptx_jit_index(code, I->target); return n;
    case PTX_JIT_BRANCH: out[n++] = ptx_jit_index(code, I->target); break;
    case PTX_JIT_GUARD: out[n++] = i + 1 + (uint32_t)I->imm; break;
    default: break;
  }
  if (i + 1 < code->num_uops) out[n++] = i + 1;
  return n;
}

bool ptx_jit_mark_flow (ptx_jit_facts *f, lcu_arena *arena) {
  const ptx_code *code = f->code;
  f->leader = lcu_arena_alloc(arena, code->num_uops + 1);
  f->entry = lcu_arena_alloc(arena, code->num_uops + 1);
  f->guarded = lcu_arena_alloc(arena, code->num_uops + 1);
  f->looped = lcu_arena_alloc(arena, code->num_uops + 1);
  if (f->leader == NULL || f->entry == NULL || f->guarded == NULL || f->looped == NULL)
    return false;
  for (uint32_t k = 0; k < code->num_bbs; k++)
    f->entry[ptx_jit_index(code, code->bb_first[k])] = true;
  for (uint32_t i = 0; i < code->num_uops; i++) {
    uint32_t to[2], n = ptx_jit_successors(code, i, to);
    ptx_jit_flow flow = ptx_jit_flow_of(&code->uops[i]);
    for (uint32_t k = 0; k < n; k++) {
      if (to[k] != i + 1 || n == 2) f->leader[to[k]] = true;
      for (uint32_t j = to[k]; j <= i; j++) f->looped[j] = true;
    }
    if (flow == PTX_JIT_BRANCH || flow == PTX_JIT_LEAVES) f->entry[i + 1] = true;
    for (int64_t k = 1; flow == PTX_JIT_GUARD && k <= code->uops[i].imm; k++)
      f->guarded[i + (uint32_t)k] = true;
  }
  for (uint32_t i = 0; i < code->num_uops; i++) f->leader[i] |= f->entry[i];
  return true;
}

/* ---- sets ---- */

static bool make_sets (ptx_jit_sets *s, const ptx_jit_facts *f, lcu_arena *arena) {
  s->words = f->num_vars / 64 + 1;
  s->bits = lcu_arena_alloc(arena, ((size_t)f->code->num_uops + 1) * s->words * 8);
  return s->bits != NULL;
}

static uint64_t *at (const ptx_jit_sets *s, uint32_t i) { return s->bits + (size_t)i * s->words; }

static void put (uint64_t *set, int32_t v, bool in) {
  if (v < 0) return;
  uint64_t bit = (uint64_t)1 << (v % 64);
  if (in) set[v / 64] |= bit;
  else set[v / 64] &= ~bit;
}

/* The state that the operands of one micro-operation change. */
typedef struct flow_change {
  const ptx_jit_facts *f;
  uint64_t *set;
  int role; /* of the operands to apply */
  bool value;
} flow_change;

static void apply_change (void *ud, int32_t slot, uint32_t bytes, int role) {
  flow_change *c = ud;
  if ((role & c->role) != 0) put(c->set, ptx_jit_find(c->f, slot, bytes), c->value);
}

static void apply_operands (const ptx_jit_facts *f, uint32_t i, uint64_t *set, int role,
                            bool value) {
  flow_change c = { f, set, role, value };
  ptx_jit_operands(&f->code->uops[i], apply_change, &c);
}

/* Backwards: what is read before it is written. A guarded write is one of two ways. */
static bool pass_live (ptx_jit_facts *f, uint64_t *set) {
  uint32_t words = f->live.words;
  bool changed = false;
  for (uint32_t i = f->code->num_uops; i-- > 0;) {
    uint32_t to[2], n = ptx_jit_successors(f->code, i, to);
    memset(set, 0, words * 8);
    for (uint32_t k = 0; k < n; k++)
      for (uint32_t w = 0; w < words; w++) set[w] |= at(&f->live, to[k])[w];
    apply_operands(f, i, set, PTX_JIT_WRITES, false);
    apply_operands(f, i, set, PTX_JIT_READS, true);
    changed |= memcmp(set, at(&f->live, i), words * 8) != 0;
    memcpy(at(&f->live, i), set, words * 8);
  }
  return changed;
}

static bool is_inline (const ptx_uop *I) {
  return ptx_jit_alu_knows(I) || I->id == PTX_ID_ld_param_32 || I->id == PTX_ID_ld_param_64 ||
         I->id == PTX_ID_place_word_b32 || I->id == PTX_ID_place_word_b64;
}

/* Forwards: what was written since it was loaded. Behind an operation that always leaves, all that
 * is live has been stored and loaded again. */
static bool pass_dirty (ptx_jit_facts *f, uint64_t *set) {
  uint32_t words = f->dirty.words;
  bool changed = false;
  for (uint32_t i = 0; i < f->code->num_uops; i++) {
    uint32_t to[2], n = ptx_jit_successors(f->code, i, to);
    memcpy(set, at(&f->dirty, i), words * 8);
    apply_operands(f, i, set, PTX_JIT_WRITES, true);
    if (ptx_jit_flow_of(&f->code->uops[i]) == PTX_JIT_LEAVES) memset(set, 0, words * 8);
    for (uint32_t k = 0; k < n; k++)
      for (uint32_t w = 0; w < words; w++) {
        uint64_t old = at(&f->dirty, to[k])[w];
        at(&f->dirty, to[k])[w] |= set[w];
        changed |= old != at(&f->dirty, to[k])[w];
      }
  }
  return changed;
}

static bool until_stable (ptx_jit_sets *s, ptx_jit_facts *f, lcu_arena *arena,
                          bool (*pass)(ptx_jit_facts *f, uint64_t *set)) {
  if (!make_sets(s, f, arena)) return false;
  uint64_t *set = lcu_arena_alloc(arena, s->words * 8);
  while (set != NULL && pass(f, set));
  return set != NULL;
}

bool ptx_jit_find_live (ptx_jit_facts *f, lcu_arena *arena) {
  return until_stable(&f->live, f, arena, pass_live);
}

bool ptx_jit_find_dirty (ptx_jit_facts *f, lcu_arena *arena) {
  return until_stable(&f->dirty, f, arena, pass_dirty);
}

bool ptx_jit_keeps_same (const ptx_uop *I) {
  switch (I->id) {
    case PTX_ID_sreg_tid_x:
    case PTX_ID_sreg_tid_y:
    case PTX_ID_sreg_tid_z:
    case PTX_ID_sreg_laneid: return false;
    default: return is_inline(I);
  }
}
