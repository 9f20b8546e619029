/* ptx_step.c: the inner loop that asks the checks and a profile about every instruction. */
#include "ptx_step.h"

#include <string.h>

#include "ptx_check.h"
#include "ptx_count.h"
#include "ptx_grid.h"
#include "ptx_ids.h"

void (*ptx_step_watcher)(const ptx_xwarp *x, const ptx_uop *I, const uint8_t *rf);

static ptx_profile *profile_of (const ptx_xwarp *x) { return x->cta->grid->launch->profile; }

static const ptx_uop *carry_out (ptx_xwarp *x, const ptx_uop *I, const ptx_frame *f, int full) {
  ptx_profile *profile = profile_of(x);
  if (profile != NULL) ptx_profile_step(profile, &x->w, I, f);
  x->w.singly = true;
  const ptx_uop *next = I->fn[full](I, f->rf, &x->w);
  x->w.singly = false;
  if (profile == NULL) return next;
  if (next == NULL && x->w.event == PTX_EV_DIVERGE) ptx_profile_diverged(profile, I);
  return next;
}

static const ptx_uop *step_fragment (ptx_xwarp *x, const ptx_uop *I, const ptx_frame *f, int full) {
  ptx_warp *w = &x->w;
  w->instructions++;
  if (lcu_unlikely(ptx_step_watcher != NULL)) ptx_step_watcher(x, I, f->rf);
  w->thread_instructions += ptx_popc(w->mask);
  bool all = w->check == PTX_CHECK_ALL;
  if (all && !ptx_check_before(x, I, f)) return ptx_leave(w, PTX_EV_FAULT, I);
  const ptx_uop *next = carry_out(x, I, f, full);
  if (all && next != NULL) ptx_check_after(x, I, f);
  return next;
}

static uint32_t guard_lanes (const ptx_uop *I, const uint8_t *rf, uint32_t mask) {
  const uint32_t *p = (const uint32_t *)(const void *)(rf + I->a);
  uint32_t on = 0;
  for (uint32_t l = 0; l < PTX_LANES; l++) on |= (uint32_t)((p[l] != 0) != (I->negate != 0)) << l;
  return on & mask;
}

/* The handler of `guard`, step by step. */
static const ptx_uop *run_guarded (ptx_xwarp *x, const ptx_uop *I, const ptx_frame *f) {
  ptx_warp *w = &x->w;
  const ptx_uop *at = I + 1, *end = at + I->imm;
  uint32_t mask = w->mask, on = guard_lanes(I, f->rf, mask);
  int32_t lanes[PTX_LANES];
  w->mask = on;
  if (profile_of(x) != NULL) ptx_profile_step(profile_of(x), w, I, f);
  if (on == 0) at = end;
  memcpy(lanes, w->lanes, sizeof lanes);
  for (uint32_t l = 0; l < PTX_LANES; l++) w->lanes[l] = (on >> l) & 1 ? -1 : 0;
  while (at != NULL && at != end) at = step_fragment(x, at, f, 0);
  w->mask = mask;
  memcpy(w->lanes, lanes, sizeof lanes);
  return at;
}

/* An operation of a basic block that may have begun in compiled code, which did not note what
 * earlier accesses know about addresses (PTX_F_KNOWN). */
static const ptx_uop *step_any (ptx_xwarp *x, const ptx_uop *I, const ptx_frame *f, int full) {
  if (I->id == PTX_ID_guard) return run_guarded(x, I, f);
  return step_fragment(x, I, f, (I->flags & PTX_F_KNOWN) != 0 ? 0 : full);
}

const ptx_uop *ptx_step_checked (const ptx_uop *I, uint8_t *rf, ptx_warp *w) {
  ptx_xwarp *x = (ptx_xwarp *)w;
  (void)rf;
  return step_any(x, I, &x->root, w->mask == UINT32_MAX);
}

void ptx_step_on (ptx_xwarp *x, const ptx_frame *f, const ptx_uop *I, int full) {
  while (I != NULL) I = step_any(x, I, f, full);
}

void ptx_step_run (ptx_xwarp *x, const ptx_fragment *fragment, int full) {
  const ptx_frame *f = fragment->frame;
  for (const ptx_uop *I = fragment->pc; I != NULL;)
    I = I->id == PTX_ID_guard ? run_guarded(x, I, f) : step_fragment(x, I, f, full);
}
