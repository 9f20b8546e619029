/* ptx_tier.c: which blocks run compiled code. */
#include "ptx_tier.h"

#include <time.h>

/* About what it takes to compile PTX_JIT_FULL, in nanoseconds: to start the process, for each basic
 * block and for each micro-operation; how many times as long it takes for each half. A kernel is
 * compiled once it has taken a part of that without the half, because most kernels that ran so long
 * go on for longer. */
enum { START_NS = 40000000, BLOCK_NS = 4000000, UOP_NS = 300000, PART = 4 };
static const uint64_t halves[PTX_JIT_HALVES] = { [PTX_JIT_FULL] = 1, [PTX_JIT_MASKED] = 2 };

/* For how long blocks are timed each way; many times as long before compiled code is refused, which
 * is rarely right, because some blocks take longer than others. Code of an earlier process is tried
 * later, so short processes run nothing else. */
enum { TRIAL_NS = 1000000, TRIAL_TURNS = 4, DOUBT = 8, TRUST_NS = 20000000 };

/* A turn is that long, because reading a thread's clock takes longer than a small block. */
enum { TURN_BLOCKS = 16 };
static const double TURN_MS = 0.2;

/* Of short grids with fewer blocks, only each eighth is timed, and counts for all: reading the
 * clock takes longer than a block may. The first counts once: it may be the only one. */
enum { FEW_BLOCKS = 64, EACH = 8, SHORT_NS = 50000 };

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
  bool checks = l->check == PTX_CHECK_ALL && (g->cluster_size != 1 || l->prior != NULL);
  return l->compile != PTX_JIT_OFF && !checks && !g->counting && l->profile == NULL;
}

/* What an earlier process compiled is used from the first block on. */
static void look_for_code (const ptx_grid *g) {
  ptx_code *code = g->function->code;
  ptx_jit_look(code, g->form, PTX_JIT_FULL, g->launch->folder);
  if (is_ragged(g)) ptx_jit_look(code, g->form, PTX_JIT_MASKED, g->launch->folder);
}

static bool is_trusted (ptx_jit_slot *slot) {
  return atomic_load_explicit(&slot->found, memory_order_relaxed) &&
         atomic_load_explicit(&slot->trial[1].ns, memory_order_relaxed) < TRUST_NS;
}

/* Chooses how blocks run if they are not timed. Whether they may be. */
static bool choose_code (ptx_grid *g, ptx_jit_slot *slot) {
  int state = atomic_load_explicit(&slot->state[PTX_JIT_FULL], memory_order_relaxed);
  bool forced = g->launch->compile == PTX_JIT_FORCE;
  if (forced || state == PTX_JIT_KEPT || (state == PTX_JIT_READY && is_trusted(slot)))
    g->jit = ptx_jit_of(g->code, g->form);
  return !forced && state < PTX_JIT_KEPT;
}

/* How many grids this one counts for; 0: it is not timed. */
static uint32_t weight_of (const ptx_grid *g, ptx_jit_slot *slot) {
  unsigned n = atomic_fetch_add_explicit(&slot->launches, 1, memory_order_relaxed);
  uint64_t spent = atomic_load_explicit(&slot->spent_ns, memory_order_relaxed);
  bool each = g->total >= FEW_BLOCKS || n == 0 || spent / SHORT_NS >= n;
  return each ? 1 : n % EACH == 0 ? EACH : 0;
}

void ptx_tier_start (ptx_grid *g) {
  if (!may_compile(g)) return;
  ptx_jit_slot *slot = &g->function->code->jit[g->form];
  if (g->launch->compile == PTX_JIT_FORCE) {
    force(g);
  } else {
    look_for_code(g);
    (void)renew(slot);
  }
  if (!choose_code(g, slot)) return;
  g->weight = weight_of(g, slot);
  if (g->weight == 0) return;
  g->slot = slot;
  g->jit = NULL;
}

static uint64_t now_ns (void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- before there is compiled code */

static uint32_t warps_of (const ptx_grid *g) {
  return (g->block_threads + PTX_LANES - 1) / PTX_LANES;
}

static uint64_t cost_ns (const ptx_grid *g, int half) {
  const ptx_code *code = g->function->code;
  uint64_t start = ptx_jit_is_open() ? 0 : START_NS;
  return start +
         halves[half] * ((uint64_t)code->num_bbs * BLOCK_NS + (uint64_t)code->num_uops * UOP_NS);
}

/* Asks for a half once so much time was spent without it. */
static void ask (const ptx_grid *g, int half, uint64_t spent) {
  ptx_code *code = g->function->code;
  ptx_jit_look(code, g->form, half, g->launch->folder);
  if (spent >= cost_ns(g, half) / PART) ptx_jit_ask(code, g->form, half, g->launch->folder);
}

/* What the rest of the grid will take, if all blocks take as long as these. */
static uint64_t rest_ns (const ptx_worker *wk, uint64_t ns) {
  const ptx_grid *g = wk->grid;
  uint64_t begun = atomic_load_explicit(&g->next, memory_order_relaxed);
  return begun < g->total ? ns / wk->turn_blocks * (g->total - begun) : 0;
}

static void spend (const ptx_worker *wk, uint64_t ns) {
  const ptx_grid *g = wk->grid;
  ptx_jit_slot *slot = g->slot;
  uint64_t blocks = (uint64_t)wk->turn_blocks * g->weight, warps = blocks * warps_of(g),
           spent = atomic_fetch_add(&slot->spent_ns, ns * g->weight) + ns * g->weight;
  atomic_fetch_add(&slot->spent_warps, warps);
  uint64_t expected = spent + rest_ns(wk, ns) * g->weight;
  ask(g, PTX_JIT_FULL, expected);
  if (is_ragged(g)) ask(g, PTX_JIT_MASKED, expected);
}

/* ---- while it is compiled */

/* Is one core all that the device is to keep busy? Then LLVM's process gets it: interpreted blocks
 * would delay the compiled ones. */
static bool is_alone (const ptx_grid *g) {
  return g->launch->team == NULL || lcu_team_size(g->launch->team) == 1;
}

static bool is_stopped (const ptx_grid *g) {
  const ptx_launch *l = g->launch;
  return ptx_grid_stopped(g, g->total) || (l->stop != NULL && l->stop(l->stop_ud));
}

static void pause_for (ptx_worker *wk, const atomic_int *state, double most_ms) {
  const struct timespec pause = { .tv_nsec = 500000 };
  double began = lcu_now_ms();
  while (atomic_load(state) == PTX_JIT_COMPILING && lcu_now_ms() < began + most_ms &&
         !is_stopped(wk->grid)) {
    ptx_grid_progress(wk->grid);
    nanosleep(&pause, NULL);
  }
  wk->waited_ms += lcu_now_ms() - began;
}

/* Once per half. The limit is for a busy computer, and for an LLVM that hangs. */
enum { MOST_PAUSE = 8 };
static void let_compile (ptx_worker *wk, int half) {
  const ptx_grid *g = wk->grid;
  ptx_jit_slot *slot = g->slot;
  const atomic_int *state = &slot->state[half];
  if (atomic_load_explicit(state, memory_order_relaxed) != PTX_JIT_COMPILING || !is_alone(g) ||
      atomic_exchange(&slot->waited[half], true))
    return;
  pause_for(wk, state, MOST_PAUSE * 1e-6 * (double)cost_ns(g, half));
}

/* ---- where a half is missing */

static double ratio (uint64_t ns, uint64_t warps) {
  return warps > 0 ? (double)ns / (double)warps : 0;
}

/* About what the warps that lacked a half took: as long as the others of their blocks, which were
 * compiled, or as long as warps took before, when all were interpreted. */
static uint64_t lacked_ns (const ptx_grid *g, ptx_jit_slot *slot) {
  double lacked = (double)atomic_fetch_add(&slot->lacked, 1) + 1;
  double others = ratio(atomic_load(&slot->trial[1].ns),
                        atomic_load(&slot->trial[1].blocks) * warps_of(g)),
         before = ratio(atomic_load(&slot->spent_ns), atomic_load(&slot->spent_warps));
  return (uint64_t)(lacked * (others > before ? others : before));
}

/* Meanwhile, workers whose blocks wait for this one must not report a livelock. */
static void wait_for (const ptx_cta *c, int half) {
  const struct timespec pause = { .tv_nsec = 200000 };
  ptx_grid *g = c->grid;
  ptx_code *code = g->function->code;
  double began = lcu_now_ms();
  ptx_jit_ask(code, g->form, half, g->launch->folder);
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
  else ask(g, half, lacked_ns(g, &g->function->code->jit[g->form]));
  ptx_jit_run run = ptx_jit_half(c->jit, half);
  if (run == NULL) x->w.in_step = false;
  return run;
}

/* ---- trying it */

static double time_per_block (ptx_jit_slot *slot, int how) {
  return (double)atomic_load(&slot->trial[how].ns) / (double)atomic_load(&slot->trial[how].blocks);
}

static bool is_timed (ptx_jit_slot *slot, uint64_t times) {
  for (int how = 0; how < 2; how++)
    if (atomic_load(&slot->trial[how].ns) < times * TRIAL_NS ||
        atomic_load(&slot->trial[how].turns) < times * TRIAL_TURNS)
      return false;
  return true;
}

/* Compiled code that is slow without its other half is tried again with it, once enough time was
 * spent without it (ptx_tier_lack). */
static bool is_complete (const ptx_grid *g) {
  ptx_jit_slot *slot = g->slot;
  return atomic_load(&slot->lacked) == 0 ||
         (atomic_load(&slot->state[PTX_JIT_MASKED]) >= PTX_JIT_READY && !renew(slot));
}

static void judge (const ptx_grid *g) {
  ptx_jit_slot *slot = g->slot;
  if (!is_timed(slot, 1)) return;
  bool faster = time_per_block(slot, 1) < time_per_block(slot, 0);
  if (!faster && (!is_complete(g) || !is_timed(slot, DOUBT))) return;
  atomic_store(&slot->state[PTX_JIT_FULL], faster ? PTX_JIT_KEPT : PTX_JIT_REFUSED);
  if (!faster) ptx_jit_refuse(g->function->code, g->form, PTX_JIT_FULL, g->launch->folder);
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

static bool is_turn_of_code (ptx_jit_slot *slot) {
  int state = atomic_load(&slot->state[PTX_JIT_FULL]);
  return state == PTX_JIT_KEPT ||
         (state == PTX_JIT_READY &&
          (is_trusted(slot) || atomic_fetch_add(&slot->turns, 1) % 2 != 0));
}

void ptx_tier_turn (ptx_worker *wk) {
  const ptx_grid *g = wk->grid;
  if (wk->turn_blocks != 0 && wk->turn_blocks < TURN_BLOCKS && lcu_now_ms() < wk->turn_until)
    return;
  ptx_tier_end(wk);
  for (int half = 0; half < PTX_JIT_HALVES; half++) let_compile(wk, half);
  (void)renew(g->slot);
  wk->jit = is_turn_of_code(g->slot) ? ptx_jit_of(g->code, g->form) : NULL;
  wk->turn_ns = now_ns();
  wk->turn_until = lcu_now_ms() + TURN_MS;
}
