/* ptx_grid_new.c: making and ending the run of a kernel. */
#include "ptx_check.h"
#include "ptx_cta_run.h"
#include "ptx_hang.h"
#include "ptx_module.h"
#include "ptx_workers.h"

enum { MAX_CHUNK = 32 };

/* ---- making */

static uint32_t local_bytes (const ptx_launch *launch, const ptx_function *f) {
  uint32_t own = (f->local_bytes + 15) & ~15u;
  return f->code->calls || f->code->allocates ? own + ((launch->stack_bytes + 15) & ~15u) : own;
}

/* In clusters. */
static uint32_t resident_share (const ptx_launch *launch, uint32_t size, int workers) {
  uint32_t n = (uint32_t)workers, most = launch->max_resident_blocks / size;
  return most <= n ? 1 : (most + n - 1) / n;
}

/* When all CTAs could be in flight, no worker may hold back some that others wait for. */
static uint32_t chunk_for (const ptx_launch *launch, uint64_t clusters) {
  return clusters <= launch->max_resident_blocks ? 1 : MAX_CHUNK;
}

static int worker_count (const ptx_launch *launch, uint64_t blocks) {
  if (launch->team == NULL || launch->profile != NULL) return 1;
  int team = lcu_team_size(launch->team);
  return blocks < (uint64_t)team ? (int)blocks : team;
}

static void set_cluster (ptx_grid *g) {
  ptx_cluster_of(g->launch, g->cluster);
  g->cluster_size = g->cluster[0] * g->cluster[1] * g->cluster[2];
  g->explicit_cluster = g->launch->cluster[0] != 0 || g->launch->kernel->info.req_cluster[0] != 0;
}

static void set_up_workers (ptx_grid *g) {
  for (int i = 0; i < g->num_workers; i++) {
    ptx_worker *wk = &g->workers[i];
    wk->grid = g;
    wk->index = i;
    wk->parked_tail = &wk->parked;
  }
}

ptx_grid *ptx_grid_new (const ptx_launch *launch, ptx_fault *fault, bool counting) {
  static atomic_uint_fast64_t runs;
  uint64_t total = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
  int workers = worker_count(launch, total);
  ptx_grid *g = lcu_calloc(1, sizeof *g + (size_t)workers * sizeof(ptx_worker));
  if (g == NULL) return NULL;
  ptx_function *f = launch->kernel->function;
  g->launch = launch;
  g->function = f;
  g->code = f->code;
  g->blocks = ptx_block_class_of(launch->block);
  g->form = ptx_jit_form_of(g->blocks, launch->check == PTX_CHECK_ALL);
  g->host = launch->kernel->module->host;
  g->total = total;
  g->id = atomic_fetch_add_explicit(&runs, 1, memory_order_relaxed) + 1;
  g->num_workers = workers;
  set_cluster(g);
  g->chunk = chunk_for(launch, total / g->cluster_size);
  g->share = resident_share(launch, g->cluster_size, workers);
  g->block_threads = launch->block[0] * launch->block[1] * launch->block[2];
  /* dynamic shared memory follows the static part */
  g->shared_bytes = launch->kernel->info.shared_bytes + launch->dynamic_shared;
  g->reserved_bytes = launch->kernel->reads_reserved ? PTX_SHARED_RESERVED : 0;
  g->local_bytes = local_bytes(launch, f);
  g->counting = counting;
  if (launch->check == PTX_CHECK_ALL &&
      (g->shadow = ptx_global_shadow_new(total, f->code)) == NULL) {
    lcu_free(g);
    return NULL;
  }
  if (launch->check == PTX_CHECK_ALL) ptx_find_changes(g);
  ptx_watch_start(g);
  atomic_store(&g->stop_from, UINT64_MAX);
  g->fault = fault;
  pthread_mutex_init(&g->lock, NULL);
  set_up_workers(g);
  return g;
}

/* ---- ending */

void ptx_counters_add (ptx_counters *to, const ptx_counters *more) {
  to->warp_instructions += more->warp_instructions;
  to->thread_instructions += more->thread_instructions;
}

static void collect (ptx_grid *g, ptx_counters *counters) {
  for (int i = 0; i < g->num_workers; i++) {
    ptx_worker *wk = &g->workers[i];
    for (ptx_cta *c; (c = ptx_worker_unpark(wk)) != NULL;) ptx_worker_finish(wk, c);
    if (counters != NULL) ptx_counters_add(counters, &wk->counters);
  }
}

lcu_status ptx_grid_end (ptx_grid *g, ptx_counters *counters) {
  collect(g, counters);
  ptx_cta_pool_give(g);
  if (g->workspace != 0) g->host->heap_free(g->host->ud, g->workspace);
  if (g->status == LCU_OK) ptx_check_keep(g);
  ptx_global_shadow_free(g->shadow, g->function->code);
  ptx_hangs_free(&g->hangs);
  pthread_mutex_destroy(&g->lock);
  lcu_status status = g->status;
  if (status == LCU_E_FAULT) status = lcu_fail(LCU_E_FAULT, "%s", g->fault->message);
  else if (status != LCU_OK) status = lcu_fail(status, "%s", g->message);
  lcu_free(g);
  return status;
}
