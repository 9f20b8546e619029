/* ptx_sched.c: running a grid: workers claim blocks in increasing order and run them one after
 * another. A block that only waits is parked and another one started or resumed, so blocks may wait
 * for each other. */
#include "ptx_exec.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "ptx_module.h"

static const double ALONE_MS = 0.02; /* a grid done by then never wakes the team */
enum { CHUNKS_PER_WORKER = 8, MAX_CHUNK = 32 };

/* ---- claiming */

static bool claim (ptx_worker *wk) {
  ptx_grid *g = wk->grid;
  if (wk->next < wk->end) return !ptx_grid_stopped(g, wk->next);
  uint64_t next = atomic_load_explicit(&g->next, memory_order_relaxed);
  if (next >= g->total || ptx_grid_stopped(g, next)) return false;
  uint64_t first = atomic_fetch_add_explicit(&g->next, g->chunk, memory_order_relaxed);
  if (first >= g->total) return false;
  wk->next = first;
  wk->end = first + g->chunk < g->total ? first + g->chunk : g->total;
  return !ptx_grid_stopped(g, first);
}

static ptx_cta *start_block (ptx_worker *wk) {
  ptx_cta *c = ptx_cta_get(wk);
  if (c == NULL) {
    ptx_grid_fail(wk->grid, lcu_fail(LCU_E_NOMEM, "no memory for a thread block of kernel `%s`",
                                     wk->grid->function->name));
    return NULL;
  }
  ptx_cta_start(c, wk->next++);
  wk->resident++;
  return c;
}

static void park (ptx_worker *wk, ptx_cta *c) {
  c->next = NULL;
  *wk->parked_tail = c;
  wk->parked_tail = &c->next;
}

static ptx_cta *unpark (ptx_worker *wk) {
  ptx_cta *c = wk->parked;
  if (c == NULL) return NULL;
  wk->parked = c->next;
  if (wk->parked == NULL) wk->parked_tail = &wk->parked;
  return c;
}

/* A new block when none is in flight or all that are only wait; else the one whose turn it is. */
static ptx_cta *next_block (ptx_worker *wk) {
  bool room = wk->resident == 0 || (wk->spinning >= wk->resident && wk->resident < wk->grid->share);
  if (room && claim(wk)) return start_block(wk);
  return unpark(wk);
}

/* ---- waiting without work */

static void note_progress (ptx_worker *wk) {
  if (wk->idle_since != 0) {
    wk->idle_since = 0;
    atomic_fetch_sub_explicit(&wk->grid->idle, 1, memory_order_relaxed);
  }
  ptx_grid_progress(wk->grid);
}

static void rest (double idle_ms) {
  struct timespec t = { 0, 20000 };
  if (idle_ms < 1) sched_yield();
  else nanosleep(&t, NULL);
}

/* Every block of this worker only waits. It is a livelock when nobody else got anywhere for long
 * either. */
static void idle (ptx_worker *wk) {
  ptx_grid *g = wk->grid;
  double now = lcu_now_ms(),
         last = (double)atomic_load_explicit(&g->progress_ms, memory_order_relaxed);
  wk->spinning = 0;
  ptx_grid_give_up(g, true); /* what waits after a fault waits in vain */
  if (wk->idle_since == 0) {
    wk->idle_since = now;
    atomic_fetch_add_explicit(&g->idle, 1, memory_order_relaxed);
  }
  if (last < wk->idle_since) last = wk->idle_since;
  if (g->launch->livelock_ms > 0 && now - last > g->launch->livelock_ms) ptx_hang_livelock(wk);
  else rest(now - wk->idle_since);
}

/* ---- a worker */

static void finish (ptx_worker *wk, ptx_cta *c) {
  wk->resident--;
  ptx_cta_put(wk, c);
}

static void settle (ptx_worker *wk, ptx_cta *c, ptx_outcome outcome) {
  switch (outcome) {
    case PTX_DONE:
      wk->spinning = 0;
      finish(wk, c);
      note_progress(wk);
      return;
    case PTX_YIELDED:
      if (c->stale_passes == 0) note_progress(wk);
      wk->spinning++;
      park(wk, c);
      return;
    case PTX_BLOCKED: ptx_hang_deadlock(c); break;
    case PTX_STOPPED: break;
  }
  finish(wk, c);
}

/* Until no block is left for this worker, the grid was stopped, or `until` (ms, 0 = never) has
 * passed. */
static void work (ptx_worker *wk, double until) {
  for (;;) {
    if (wk->resident != 0 && wk->spinning >= wk->resident &&
        (wk->resident >= wk->grid->share || !claim(wk)))
      idle(wk);
    ptx_cta *c = next_block(wk);
    if (c == NULL) return;
    settle(wk, c, ptx_cta_run(c, until));
    if (until > 0 && lcu_now_ms() > until) {
      wk->spinning = 0; /* cut short, not waiting */
      return;
    }
  }
}

static void job (void *ud, int index) {
  ptx_grid *g = ud;
  work(&g->workers[index], 0);
}

/* ---- a grid */

static bool unfinished (ptx_grid *g) {
  return g->workers[0].resident != 0 || claim(&g->workers[0]);
}

/* The caller starts alone: most small grids are done before a thread would have woken. */
static void run_grid (ptx_grid *g) {
  if (g->num_workers == 1) {
    work(&g->workers[0], 0);
    return;
  }
  work(&g->workers[0], lcu_now_ms() + ALONE_MS);
  if (unfinished(g)) lcu_team_run(g->launch->team, job, g->watched ? ptx_watch_idle : NULL, g);
}

static bool calls_something (ptx_code *code) {
  int known = atomic_load_explicit(&code->calls, memory_order_relaxed);
  if (known == 0) {
    known = 1;
    for (uint32_t i = 0; i < code->num_uops && known == 1; i++)
      known = (code->uops[i].flags & PTX_F_CALL) != 0 ? 2 : 1;
    atomic_store_explicit(&code->calls, known, memory_order_relaxed);
  }
  return known == 2;
}

static uint32_t local_bytes (const ptx_launch *launch, ptx_function *f) {
  uint32_t own = (f->local_bytes + 15) & ~15u;
  return calls_something(f->code) ? own + ((launch->stack_bytes + 15) & ~15u) : own;
}

static uint32_t resident_share (const ptx_launch *launch, int workers) {
  uint32_t n = (uint32_t)workers, most = launch->max_resident_blocks;
  return most <= n ? 1 : (most + n - 1) / n;
}

static uint32_t chunk_for (const ptx_launch *launch, uint64_t total, int workers) {
  uint64_t chunk = total / ((uint64_t)workers * CHUNKS_PER_WORKER);
  /* Where all could be in flight at once nobody may hold back blocks that others wait for. */
  if (chunk < 1 || total <= launch->max_resident_blocks) return 1;
  return chunk > MAX_CHUNK ? MAX_CHUNK : (uint32_t)chunk;
}

static int worker_count (const ptx_launch *launch, uint64_t total) {
  int team = launch->team == NULL ? 1 : lcu_team_size(launch->team);
  return total < 2 ? 1 : team;
}

static void set_up_workers (ptx_grid *g) {
  for (int i = 0; i < g->num_workers; i++) {
    ptx_worker *wk = &g->workers[i];
    wk->grid = g;
    wk->index = i;
    wk->parked_tail = &wk->parked;
  }
}

static ptx_grid *new_grid (const ptx_launch *launch, ptx_fault *fault, bool counting) {
  static atomic_uint_fast64_t runs;
  uint64_t total = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
  int workers = worker_count(launch, total);
  ptx_grid *g = lcu_calloc(1, sizeof *g + (size_t)workers * sizeof(ptx_worker));
  if (g == NULL) return NULL;
  ptx_function *f = launch->kernel->function;
  g->launch = launch;
  g->function = f;
  g->code = f->code;
  g->host = launch->kernel->module->host;
  g->total = total;
  g->id = atomic_fetch_add_explicit(&runs, 1, memory_order_relaxed) + 1;
  g->num_workers = workers;
  g->chunk = chunk_for(launch, total, workers);
  g->share = resident_share(launch, workers);
  g->block_threads = launch->block[0] * launch->block[1] * launch->block[2];
  /* the latter starts where the former ends */
  g->shared_bytes = launch->kernel->info.shared_bytes + launch->dynamic_shared;
  g->reserved_bytes = launch->kernel->reads_reserved ? PTX_SHARED_RESERVED : 0;
  g->local_bytes = local_bytes(launch, f);
  g->counting = counting;
  ptx_watch_start(g);
  atomic_store(&g->stop_from, UINT64_MAX);
  g->fault = fault;
  pthread_mutex_init(&g->lock, NULL);
  set_up_workers(g);
  return g;
}

/* What a cooperative grid synchronises through; other grids read 0 and trap. */
static lcu_status make_workspace (ptx_grid *g) {
  enum { BYTES = 64 };
  if (!g->launch->cooperative) return LCU_OK;
  void *p = g->host->heap_alloc(g->host->ud, BYTES);
  if (p == NULL)
    return lcu_fail(LCU_E_NOMEM, "no memory for the workspace of a cooperative launch");
  memset(p, 0, BYTES);
  g->workspace = (uint64_t)(uintptr_t)p;
  return LCU_OK;
}

static void collect (ptx_grid *g, ptx_counters *counters) {
  for (int i = 0; i < g->num_workers; i++) {
    ptx_worker *wk = &g->workers[i];
    for (ptx_cta *c; (c = unpark(wk)) != NULL;) finish(wk, c);
    if (counters == NULL) continue;
    counters->warp_instructions += wk->counters.warp_instructions;
    counters->thread_instructions += wk->counters.thread_instructions;
  }
}

static lcu_status end_grid (ptx_grid *g, ptx_counters *counters) {
  collect(g, counters);
  ptx_cta_pool_give(g);
  if (g->workspace != 0) g->host->heap_free(g->host->ud, g->workspace);
  pthread_mutex_destroy(&g->lock);
  lcu_status status = g->status;
  if (status == LCU_E_FAULT) status = lcu_fail(LCU_E_FAULT, "%s", g->fault->message);
  else if (status != LCU_OK) status = lcu_fail(status, "%s", g->message);
  lcu_free(g);
  return status;
}

/* ---- checks */

static lcu_status bad_block (const char *name, const uint32_t *b, const char *why,
                             const uint32_t *need) {
  return lcu_fail(LCU_E_ARGUMENT,
                  "kernel `%s` cannot run with blocks of (%u,%u,%u) threads: %s (%u,%u,%u)", name,
                  b[0], b[1], b[2], why, need[0], need[1], need[2]);
}

static lcu_status check_block (const ptx_kernel_info *info, const uint32_t *b) {
  uint64_t threads = (uint64_t)b[0] * b[1] * b[2];
  uint32_t limit = info->max_threads < PTX_MAX_THREADS ? info->max_threads : PTX_MAX_THREADS;
  if (b[0] == 0 || b[1] == 0 || b[2] == 0)
    return lcu_fail(LCU_E_ARGUMENT, "block (%u,%u,%u) of kernel `%s` has no threads", b[0], b[1],
                    b[2], info->name);
  if (info->req_block[0] != 0 && memcmp(info->req_block, b, sizeof info->req_block) != 0)
    return bad_block(info->name, b, "it was compiled for", info->req_block);
  if (threads > limit)
    return lcu_fail(LCU_E_ARGUMENT,
                    "block (%u,%u,%u) of kernel `%s` has %llu threads, more than %u", b[0], b[1],
                    b[2], info->name, (unsigned long long)threads, limit);
  return LCU_OK;
}

static lcu_status check_grid (const ptx_launch *launch, const char *name) {
  const uint32_t *n = launch->grid;
  uint64_t total = (uint64_t)n[0] * n[1];
  if (total == 0 || n[2] == 0)
    return lcu_fail(LCU_E_ARGUMENT, "grid (%u,%u,%u) of kernel `%s` has no blocks", n[0], n[1],
                    n[2], name);
  if (total > UINT64_MAX / 2 / n[2])
    return lcu_fail(LCU_E_ARGUMENT, "grid (%u,%u,%u) of kernel `%s` is too large", n[0], n[1], n[2],
                    name);
  if (launch->cooperative && total * n[2] > launch->max_resident_blocks)
    return lcu_fail(
      LCU_E_ARGUMENT,
      "cooperative kernel `%s` needs all of its %llu blocks in flight; at most %u fit", name,
      (unsigned long long)(total * n[2]), launch->max_resident_blocks);
  return LCU_OK;
}

static lcu_status check_launch (const ptx_launch *launch) {
  const ptx_kernel_info *info = &launch->kernel->info;
  LCU_TRY(check_block(info, launch->block));
  LCU_TRY(check_grid(launch, info->name));
  if (info->param_bytes != 0 && launch->params == NULL)
    return lcu_fail(LCU_E_ARGUMENT, "kernel `%s` needs %u bytes of parameters", info->name,
                    info->param_bytes);
  return LCU_OK;
}

lcu_status ptx_run (const ptx_launch *launch, ptx_fault *fault, ptx_counters *counters) {
  ptx_fault unused;
  if (fault == NULL) fault = &unused;
  if (counters != NULL) memset(counters, 0, sizeof *counters);
  LCU_TRY(ptx_window_reserve());
  LCU_TRY(ptx_kernel_prepare(launch->kernel));
  LCU_TRY(check_launch(launch));
  ptx_grid *g = new_grid(launch, fault, counters != NULL);
  if (g == NULL)
    return lcu_fail(LCU_E_NOMEM, "no memory to run kernel `%s`", launch->kernel->info.name);
  g->status = make_workspace(g);
  if (g->status == LCU_OK) {
    ptx_cta_pool_take(g);
    run_grid(g);
  } else {
    snprintf(g->message, sizeof g->message, "%s", lcu_failure_get()->message);
  }
  return end_grid(g, counters);
}
