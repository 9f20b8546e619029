/* cpu_grid.c: running grids, and counting their instructions. */
#include "cpu_grid.h"

#include <pthread.h>
#include <string.h>

#include "cpu_config.h"
#include "cpu_enter.h"
#include "cpu_fault.h"
#include "cpu_launch.h"
#include "cpu_interrupt.h"
#include "cpu_limit.h"

/* One grid at a time has the team of threads. A grid of at most this many threads does not wait for
 * the team. */
static const uint64_t SMALL_GRID = 16384;
static lcu_team *team;
static pthread_mutex_t team_lock = PTHREAD_MUTEX_INITIALIZER;

static struct {
  pthread_mutex_t lock;
  atomic_bool on;
  cux_counters sum;
} counters = { .lock = PTHREAD_MUTEX_INITIALIZER };

cu_result cpu_team_start (int threads) {
  return cpu_status_result(lcu_team_create(threads, &team));
}

void cpu_team_stop (void) {
  lcu_team_destroy(team);
  team = NULL;
}

uint64_t cpu_grid_resident (const cpu_grid *g) {
  int n = cpu_function_blocks(g->function, cpu_grid_volume(g->block), g->shared);
  return (uint64_t)(n > 0 ? n : 1) * (uint64_t)cpu_configuration.threads;
}

/* For a small grid waiting costs more than the team saves. */
lcu_team *cpu_team_borrow (bool small) {
  if (pthread_mutex_trylock(&team_lock) == 0) return team;
  if (small) return NULL;
  while (!lcu_lock_tick(&team_lock))
    if (cpu_wait_stops()) return NULL; /* the grid will end immediately */
  return team;
}

void cpu_team_return (lcu_team *borrowed) {
  if (borrowed != NULL) pthread_mutex_unlock(&team_lock);
}

static bool is_small (const cpu_grid *g) {
  return cpu_grid_volume(g->grid) * cpu_grid_volume(g->block) <= SMALL_GRID;
}

bool cpu_grid_stops (void *grid) {
  cpu_grid *g = grid;
  if (atomic_load_explicit(g->stop, memory_order_relaxed)) return true;
  if (!cpu_wait_stops()) return false;
  atomic_store(g->stop, true);
  return true;
}

static void count (const ptx_counters *c) {
  pthread_mutex_lock(&counters.lock);
  counters.sum.warp_instructions += c->warp_instructions;
  counters.sum.thread_instructions += c->thread_instructions;
  pthread_mutex_unlock(&counters.lock);
}

/* What the kernel did that precedes the operation in the stream, if that need not be complete. The
 * stream does not have it any more. */
static ptx_trace *take_trace (cpu_stream *s, const cpu_op *op) {
  ptx_trace *t = s->trace;
  s->trace = NULL;
  if (t == NULL ||
      (op->grid.programmatic && cpu_is_done(s, s->traced) && !cpu_is_done(s, s->traced + 1)))
    return t;
  ptx_trace_free(t);
  return NULL;
}

void cpu_grid_run (cpu_stream *s, cpu_op *op) {
  cpu_grid *g = &op->grid;
  ptx_trace *prior = take_trace(s, op);
  uint64_t resident = cpu_grid_resident(g);
  ptx_fault fault;
  ptx_counters counted = { 0 };
  bool counting = atomic_load_explicit(&counters.on, memory_order_relaxed);
  ptx_launch l = {
    .kernel = g->function->kernel,
    .dynamic_shared = g->shared,
    .params = g->params,
    .cooperative = g->cooperative,
    .check = cpu_configuration.check,
    .compile = cpu_configuration.compile,
    .folder = &cpu_configuration.folder,
    .max_resident_blocks = (uint32_t)resident,
    .stack_bytes = (uint32_t)cpu_limit(s->context, CU_LIMIT_STACK_SIZE_),
    .livelock_ms = cpu_configuration.livelock_ms,
    .timeout_ms = cpu_configuration.timeout_ms,
    .stop = cpu_grid_stops,
    .stop_ud = g,
    .sm_count = (uint32_t)cpu_configuration.threads,
    .prior = prior,
    .trace = op == s->head ? &s->trace : NULL, /* not of graphs */
    .max_children = (uint32_t)cpu_limit(s->context, CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT_),
  };
  memcpy(l.grid, g->grid, sizeof l.grid);
  memcpy(l.block, g->block, sizeof l.block);
  memcpy(l.cluster, g->cluster, sizeof l.cluster);
  l.profile = cpu_profile_enter(op->owner);
  l.team = l.profile == NULL ? cpu_team_borrow(is_small(g)) : NULL;
  lcu_status st = ptx_run(&l, &fault, counting ? &counted : NULL);
  cpu_team_return(l.team);
  ptx_trace_free(prior);
  s->traced = op->seq;
  cpu_profile_leave(l.profile);
  if (counting) count(&counted);
  g->failed = st != LCU_OK;
  if (lcu_unlikely(st != LCU_OK))
    cpu_fault_add(s, op, st, ptx_kernel_get_info(l.kernel)->name, &fault);
}


/* ---- counters ---- */

/* The instructions executed since counting was enabled. `enable`: 1 restarts at 0, 0 stops, -1 only
 * reads. */
cu_result cpu_cuxCounters (cux_counters *out, int enable) {
  cu_result r = cpu_enter();
  if (r != 0) return r;
  pthread_mutex_lock(&counters.lock);
  if (out != NULL) *out = counters.sum;
  if (enable > 0) counters.sum = (cux_counters){ 0 };
  if (enable >= 0) atomic_store(&counters.on, enable > 0);
  pthread_mutex_unlock(&counters.lock);
  return 0;
}
