/* ptx_tier.c: which blocks run compiled code. */
#include "ptx_tier.h"

#include <time.h>

/* Nanoseconds of all processors: until compiled code is looked for, until it is made, and for which
 * blocks are timed each way. The first grows with the text to be written, the second with what LLVM
 * needs for the text. */
enum { LOOK_NS = 1000000, COMPILE_NS = 20000000, TRIAL_NS = 1000000 };
enum { LOOK_UOP_NS = 50000, COMPILE_BYTE_NS = 1000 };
enum { TRIAL_TURNS = 4 };

/* A turn is that long, because reading a thread's clock takes longer than a small block. */
enum { TURN_BLOCKS = 16 };
static const double TURN_MS = 0.2;

/* Of grids with fewer blocks, only each eighth is timed, and counts for all: reading the clock
 * takes longer than a block may. The first counts once: it may be the only one. */
enum { FEW_BLOCKS = 64, EACH = 8 };

/* Some warp of a block has fewer lanes from its start. */
static bool is_ragged (const ptx_grid *g) { return g->block_threads % PTX_LANES != 0; }

static void force (const ptx_grid *g) {
  ptx_code *code = g->function->code;
  ptx_jit_force(code, g->form, PTX_JIT_FULL, g->launch->folder);
  if (is_ragged(g)) ptx_jit_force(code, g->form, PTX_JIT_MASKED, g->launch->folder);
}

/* Once there are both halves, what was measured before does not count. Whether this is so now. */
static bool renew (ptx_jit_slot *slot) {
  int kept = PTX_JIT_KEPT;
  if (atomic_load_explicit(&slot->complete, memory_order_relaxed) ||
      atomic_load_explicit(&slot->state[PTX_JIT_MASKED], memory_order_relaxed) != PTX_JIT_READY ||
      atomic_exchange(&slot->complete, true))
    return false;
  for (int how = 0; how < 2; how++) {
    atomic_store(&slot->trial[how].ns, 0);
    atomic_store(&slot->trial[how].blocks, 0);
    atomic_store(&slot->trial[how].turns, 0);
  }
  (void)atomic_compare_exchange_strong(&slot->state[PTX_JIT_FULL], &kept, PTX_JIT_READY);
  return true;
}

static bool may_compile (const ptx_grid *g) {
  const ptx_launch *l = g->launch;
  bool checks = l->check == PTX_CHECK_ALL && g->cluster_size != 1;
  return l->compile != PTX_JIT_OFF && !checks && !g->counting && l->profile == NULL;
}

void ptx_tier_start (ptx_grid *g) {
  const ptx_launch *l = g->launch;
  if (!may_compile(g)) return;
  ptx_jit_slot *slot = &g->function->code->jit[g->form];
  if (l->compile == PTX_JIT_FORCE) force(g);
  else (void)renew(slot);
  int state = atomic_load_explicit(&slot->state[PTX_JIT_FULL], memory_order_relaxed);
  if (l->compile == PTX_JIT_FORCE || state == PTX_JIT_KEPT) g->jit = ptx_jit_of(g->code, g->form);
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

static uint64_t compile_ns (ptx_jit_slot *slot, int half) {
  return COMPILE_NS + atomic_load(&slot->text_bytes[half]) * COMPILE_BYTE_NS;
}

/* Asks for a half once so much time was spent without it. */
static void ask (const ptx_grid *g, int half, uint64_t spent) {
  ptx_code *code = g->function->code;
  ptx_jit_slot *slot = &code->jit[g->form];
  int state = atomic_load(&slot->state[half]);
  bool look = state == PTX_JIT_NEW && spent >= look_ns(g),
       compile = state == PTX_JIT_MISSED && spent >= compile_ns(slot, half);
  if (look || compile) ptx_jit_ask(code, g->form, half, g->launch->folder, compile);
}

static void spend (const ptx_worker *wk, uint64_t ns) {
  const ptx_grid *g = wk->grid;
  ptx_jit_slot *slot = g->slot;
  uint64_t blocks = (uint64_t)wk->turn_blocks * g->weight,
           warps = blocks * ((g->block_threads + PTX_LANES - 1) / PTX_LANES),
           spent = atomic_fetch_add(&slot->spent_ns, ns * g->weight) + ns * g->weight;
  atomic_fetch_add(&slot->spent_warps, warps);
  ask(g, PTX_JIT_FULL, spent);
  if (is_ragged(g)) ask(g, PTX_JIT_MASKED, spent);
}

/* ---- where a half is missing */

/* About what the warps that lacked a half took: as if all were interpreted from their start. */
static uint64_t lacked_ns (ptx_jit_slot *slot) {
  double lacked = (double)atomic_fetch_add(&slot->lacked, 1) + 1;
  double warps = (double)atomic_load(&slot->spent_warps);
  return warps > 0 ? (uint64_t)(lacked * (double)atomic_load(&slot->spent_ns) / warps) : 0;
}

/* Meanwhile, workers whose blocks wait for this one must not report a livelock. */
static void wait_for (const ptx_cta *c, int half) {
  const struct timespec pause = { .tv_nsec = 200000 };
  ptx_grid *g = c->grid;
  ptx_code *code = g->function->code;
  double began = lcu_now_ms();
  ptx_jit_ask(code, g->form, half, g->launch->folder, true);
  while (atomic_load(&code->jit[g->form].state[half]) < PTX_JIT_READY) {
    ptx_grid_progress(g);
    nanosleep(&pause, NULL);
  }
  c->worker->waited_ms += lcu_now_ms() - began;
}

ptx_jit_run ptx_tier_lack (ptx_xwarp *x, int half) {
  const ptx_cta *c = x->cta;
  const ptx_grid *g = c->grid;
  if (g->launch->compile == PTX_JIT_FORCE) wait_for(c, half);
  else ask(g, half, lacked_ns(&g->function->code->jit[g->form]));
  ptx_jit_run run = ptx_jit_half(c->jit, half);
  if (run == NULL) x->w.in_step = false;
  return run;
}

/* ---- trying it */

static double time_per_block (ptx_jit_slot *slot, int how) {
  return (double)atomic_load(&slot->trial[how].ns) / (double)atomic_load(&slot->trial[how].blocks);
}

static bool is_timed (ptx_jit_slot *slot, int how) {
  return atomic_load(&slot->trial[how].ns) >= TRIAL_NS &&
         atomic_load(&slot->trial[how].turns) >= TRIAL_TURNS;
}

/* Compiled code that was slow without its other half is tried again with it. */
static bool is_complete (const ptx_grid *g) {
  ptx_jit_slot *slot = g->slot;
  if (atomic_load(&slot->lacked) == 0) return true;
  ptx_jit_ask(g->function->code, g->form, PTX_JIT_MASKED, g->launch->folder, true);
  return atomic_load(&slot->state[PTX_JIT_MASKED]) >= PTX_JIT_READY && !renew(slot);
}

static void judge (const ptx_grid *g) {
  ptx_jit_slot *slot = g->slot;
  if (!is_timed(slot, 0) || !is_timed(slot, 1)) return;
  bool faster = time_per_block(slot, 1) < time_per_block(slot, 0);
  if (!faster && !is_complete(g)) return;
  atomic_store(&slot->state[PTX_JIT_FULL], faster ? PTX_JIT_KEPT : PTX_JIT_REFUSED);
}

static void try (const ptx_worker *wk, uint64_t ns) {
  ptx_jit_slot *slot = wk->grid->slot;
  int how = wk->jit != NULL;
  atomic_fetch_add(&slot->trial[how].ns, ns);
  atomic_fetch_add(&slot->trial[how].blocks, wk->turn_blocks);
  atomic_fetch_add(&slot->trial[how].turns, 1);
  judge(wk->grid);
}

/* ---- turns */

void ptx_tier_end (ptx_worker *wk) {
  if (wk->turn_blocks == 0) return;
  uint64_t ns = now_ns() - wk->turn_ns;
  int state = atomic_load(&wk->grid->slot->state[PTX_JIT_FULL]);
  if (state == PTX_JIT_READY) try(wk, ns);
  else if (state < PTX_JIT_READY) spend(wk, ns);
  wk->turn_blocks = 0;
}

void ptx_tier_turn (ptx_worker *wk) {
  const ptx_grid *g = wk->grid;
  if (wk->turn_blocks != 0 && wk->turn_blocks < TURN_BLOCKS && lcu_now_ms() < wk->turn_until)
    return;
  ptx_tier_end(wk);
  (void)renew(g->slot);
  int state = atomic_load(&g->slot->state[PTX_JIT_FULL]);
  bool compiled = state == PTX_JIT_KEPT ||
                  (state == PTX_JIT_READY && atomic_fetch_add(&g->slot->turns, 1) % 2 != 0);
  wk->jit = compiled ? ptx_jit_of(g->code, g->form) : NULL;
  wk->turn_ns = now_ns();
  wk->turn_until = lcu_now_ms() + TURN_MS;
}
