/* ptx_tier.c: which blocks run compiled code. */
#include "ptx_tier.h"

#include <time.h>

#include "ptx_jit.h"

/* Nanoseconds of all processors: until compiled code is looked for, until it is made, and for which
 * blocks are timed each way. The first grows with the text to be written, the second with what LLVM
 * needs for the text. */
enum { LOOK_NS = 1000000, COMPILE_NS = 20000000, TRIAL_NS = 1000000 };
enum { LOOK_UOP_NS = 50000, COMPILE_BYTE_NS = 1000 };
enum { TRIAL_TURNS = 4 };

/* Of grids with fewer blocks, only each eighth is timed, and counts for all: reading the clock
 * takes longer than a block may. The first counts once: it may be the only one. */
enum { FEW_BLOCKS = 64, EACH = 8 };

static bool may_compile (const ptx_grid *g) {
  const ptx_launch *l = g->launch;
  return l->compile != PTX_JIT_OFF && l->check != PTX_CHECK_ALL && !g->counting &&
         l->profile == NULL;
}

void ptx_tier_start (ptx_grid *g) {
  const ptx_launch *l = g->launch;
  if (!may_compile(g)) return;
  ptx_jit_slot *slot = &g->function->code->jit[g->blocks];
  if (l->compile == PTX_JIT_FORCE) ptx_jit_force(g->function->code, g->blocks, l->folder);
  int state = atomic_load_explicit(&slot->state, memory_order_relaxed);
  if (l->compile == PTX_JIT_FORCE || state == PTX_JIT_KEPT) g->jit = ptx_jit_of(g->code, g->blocks);
  if (l->compile == PTX_JIT_FORCE || state >= PTX_JIT_KEPT) return;
  unsigned n = atomic_fetch_add_explicit(&slot->launches, 1, memory_order_relaxed);
  g->weight = g->total >= FEW_BLOCKS || n == 0 ? 1 : n % EACH == 0 ? EACH : 0;
  if (g->weight != 0) g->slot = slot;
}

static uint64_t now_ns (void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- before there is compiled code */

static uint64_t look_ns (const ptx_grid *g) {
  return LOOK_NS + (uint64_t)g->function->code->num_uops * LOOK_UOP_NS;
}

static uint64_t compile_ns (ptx_jit_slot *slot) {
  return COMPILE_NS + atomic_load(&slot->text_bytes) * COMPILE_BYTE_NS;
}

static void spend (const ptx_worker *wk, uint64_t ns) {
  ptx_grid *g = wk->grid;
  ptx_jit_slot *slot = g->slot;
  uint64_t spent = atomic_fetch_add(&slot->spent_ns, ns * g->weight) + ns * g->weight;
  int state = atomic_load(&slot->state);
  bool look = state == PTX_JIT_NEW && spent >= look_ns(g),
       compile = state == PTX_JIT_MISSED && spent >= compile_ns(slot);
  if (look || compile) ptx_jit_ask(g->function->code, g->blocks, g->launch->folder, compile);
}

/* ---- trying it */

static double time_per_block (ptx_jit_slot *slot, int how) {
  return (double)atomic_load(&slot->trial[how].ns) / (double)atomic_load(&slot->trial[how].blocks);
}

static bool is_timed (ptx_jit_slot *slot, int how) {
  return atomic_load(&slot->trial[how].ns) >= TRIAL_NS &&
         atomic_load(&slot->trial[how].turns) >= TRIAL_TURNS;
}

static void judge (ptx_jit_slot *slot) {
  if (!is_timed(slot, 0) || !is_timed(slot, 1)) return;
  bool faster = time_per_block(slot, 1) < time_per_block(slot, 0);
  atomic_store(&slot->state, faster ? PTX_JIT_KEPT : PTX_JIT_REFUSED);
}

static void try (const ptx_worker *wk, uint64_t ns) {
  ptx_jit_slot *slot = wk->grid->slot;
  int how = wk->jit != NULL;
  atomic_fetch_add(&slot->trial[how].ns, ns);
  atomic_fetch_add(&slot->trial[how].blocks, wk->turn_blocks);
  atomic_fetch_add(&slot->trial[how].turns, 1);
  judge(slot);
}

/* ---- turns */

void ptx_tier_end (ptx_worker *wk) {
  if (wk->turn_blocks == 0) return;
  uint64_t ns = now_ns() - wk->turn_ns;
  int state = atomic_load(&wk->grid->slot->state);
  if (state == PTX_JIT_READY) try(wk, ns);
  else if (state < PTX_JIT_READY) spend(wk, ns);
  wk->turn_blocks = 0;
}

void ptx_tier_turn (ptx_worker *wk) {
  const ptx_grid *g = wk->grid;
  ptx_tier_end(wk);
  int state = atomic_load(&g->slot->state);
  bool compiled = state == PTX_JIT_KEPT ||
                  (state == PTX_JIT_READY && atomic_fetch_add(&g->slot->turns, 1) % 2 != 0);
  wk->jit = compiled ? ptx_jit_of(g->code, g->blocks) : NULL;
  wk->turn_ns = now_ns();
}
