/* ptx_check_prior.c: with all checks on, a grid that may begin before the one before it in the
 * stream has ended (programmatic dependent launch). Here that one has ended; what it did is kept
 * if it has executed griddepcontrol.launch_dependents (ptx_trace).
 *
 * Contract: only certain mistakes are reported. Until it has waited (griddepcontrol.wait), a thread
 * must not access what the grid before has written, nor write what that has read after all threads
 * of the reader's block that let the next grid begin have done so. Not reported are
 * - threads that may know of another one that has waited: one of their warp, one of their block
 *   whose warp has arrived anywhere since, or one of a block that has passed a fence since;
 * - what a block of the grid before did before a fence: it may have been announced;
 * - atomics and volatile accesses to what an atomic has changed;
 * - a write of the value that is there, and a read of what atom.cas then compares. */
#include "ptx_check_pages.h"

#include <string.h>

#include "ptx_grid.h"
#include "ptx_memory.h"
#include "ptx_module.h"

/* ---- before the access */

static bool prior_done (const ptx_xwarp *x, const ptx_global_shadow *own) {
  const ptx_cta *c = x->cta;
  return x->waited_run == c->run || c->waited != 0 ||
         atomic_load_explicit(&own->waited, memory_order_relaxed);
}

static bool report_prior (const ptx_lane_access *a, const ptx_trace *t, const ptx_past *before) {
  static const char *const between[] = {
    [PTX_ACCESS_LOAD] = "without a wait (griddepcontrol.wait) for the grid before, after its read",
    [PTX_ACCESS_STORE] =
      "without a wait (griddepcontrol.wait) for the grid before, after its write",
    [PTX_ACCESS_ATOMIC] = "without a wait (griddepcontrol.wait) for the grid before, after its "
                          "atomic"
  };
  bool same_module = t->module == a->x->cta->grid->function->module->serial;
  ptx_check_set(a, PTX_FAULT_RACE, "");
  a->x->w.fault.other = (ptx_meeting){ .access = ptx_access_name((ptx_access)before->kind),
                                       .between = between[before->kind],
                                       .prior = t,
                                       .cta = before->cta,
                                       .thread = before->thread,
                                       .loc = same_module ? before->loc : 0 };
  return false;
}

/* ---- rules for one word */

typedef struct late_word {
  const ptx_lane_access *a;
  const ptx_trace *t;
  uint8_t bytes;
  bool known; /* a store: the value is */
  uint32_t value;
} late_word;

static const ptx_cta_times *times_of (const late_word *l, const ptx_past *before) {
  return &l->t->shadow->times[before->cta];
}

static bool touches_late (const late_word *l, const ptx_past *before) {
  if (before->time == 0 || (before->bytes & l->bytes) == 0) return false;
  return atomic_load_explicit(&times_of(l, before)->fenced, memory_order_relaxed) <= before->time;
}

static bool meets_change (const late_word *l, const ptx_cell *c) {
  const ptx_past *before = &c->change;
  bool meant = l->a->kind == PTX_ACCESS_ATOMIC || (l->a->I->flags & PTX_F_VOLATILE) != 0;
  uint32_t bits = ptx_word_bits(before->bytes & l->bytes);
  if (!touches_late(l, before) || (meant && before->kind == PTX_ACCESS_ATOMIC)) return false;
  return !l->known || c->writers == 0 || ((l->value ^ c->value) & bits) != 0;
}

/* Reads before its block let the next grid begin are done by then. */
static bool meets_read (const late_word *l, const ptx_past *before) {
  if (l->a->kind == PTX_ACCESS_LOAD || !touches_late(l, before)) return false;
  uint32_t triggered = atomic_load_explicit(&times_of(l, before)->triggered, memory_order_relaxed);
  return triggered != 0 && before->time > triggered;
}

static bool check_late_word (const late_word *l, const ptx_cell *c) {
  if (meets_change(l, c)) return report_prior(l->a, l->t, &c->change);
  if (meets_read(l, &c->read)) return report_prior(l->a, l->t, &c->read);
  if (meets_read(l, &c->other_read)) return report_prior(l->a, l->t, &c->other_read);
  return !meets_read(l, &c->constant) || report_prior(l->a, l->t, &c->constant);
}

bool ptx_check_prior (const ptx_lane_access *a, const ptx_global_shadow *own) {
  const ptx_trace *t = a->x->cta->grid->launch->prior;
  if (t == NULL || (a->I->flags & PTX_F_GUESS) != 0 || prior_done(a->x, own)) return true;
  for (uint64_t word = a->address & ~UINT64_C(3); word < a->address + a->bytes; word += 4) {
    ptx_page *p = ptx_page_made(t->shadow, word / PTX_PAGE_BYTES);
    late_word l = { .a = a, .t = t, .bytes = ptx_word_bytes(a, word) };
    l.known = ptx_word_value(a, word, &l.value);
    const ptx_cell *c = p == NULL ? NULL : ptx_page_cell_made(p, word);
    if (c != NULL && l.bytes != 0 && !check_late_word(&l, c)) return false;
  }
  return true;
}

/* ---- instructions */

/* Tells other warps that this one has waited. */
static bool arrives (const ptx_uop *I) {
  switch (I->id) {
    case PTX_ID_bar_sync:
    case PTX_ID_bar_arrive:
    case PTX_ID_bar_red_popc:
    case PTX_ID_bar_red_and:
    case PTX_ID_bar_red_or: return true;
    default: return ptx_id_access[I->id] == PTX_ACCESS_ARRIVAL;
  }
}

void ptx_check_dependency (ptx_xwarp *x, const ptx_uop *I) {
  ptx_cta *c = x->cta;
  ptx_global_shadow *s = c->grid->shadow;
  if (x->waited_run == c->run && arrives(I)) c->waited = 1;
  if (I->id != PTX_ID_nop || s == NULL || c->linear >= s->num_ctas) return;
  if (I->imm == PTX_NOP_GRID_WAIT) x->waited_run = c->run;
  if (I->imm != PTX_NOP_GRID_LAUNCH) return;
  atomic_store_explicit(&s->triggered, true, memory_order_relaxed);
  atomic_store_explicit(&s->times[c->linear].triggered, ++c->clock, memory_order_relaxed);
}

/* ---- keeping */

void ptx_check_keep (ptx_grid *g) {
  ptx_trace **out = g->launch->trace;
  if (out == NULL || g->shadow == NULL || !atomic_load(&g->shadow->triggered)) return;
  ptx_trace *t = lcu_calloc(1, sizeof *t);
  if (t == NULL) return;
  *t = (ptx_trace){ .shadow = g->shadow, .module = g->function->module->serial };
  memcpy(t->grid, g->launch->grid, sizeof t->grid);
  memcpy(t->block, g->launch->block, sizeof t->block);
  memcpy(t->cluster, g->cluster, sizeof t->cluster);
  g->shadow = NULL;
  *out = t;
}

void ptx_trace_free (ptx_trace *t) {
  if (t == NULL) return;
  ptx_global_shadow_free(t->shadow, NULL);
  lcu_free(t);
}
