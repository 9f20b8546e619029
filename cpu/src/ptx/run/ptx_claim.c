/* ptx_claim.c: which CTAs a worker runs. */
#include "ptx_tier.h"
#include "ptx_workers.h"

enum { CLAIMS_PER_WORKER = 8 }; /* of what is left */

/* How many CTAs to claim, whole clusters: fewer towards the end, so that all workers are done at
 * about the same time. */
static uint64_t claim_size (const ptx_grid *g, uint64_t next) {
  uint64_t clusters = (g->total - next) / g->cluster_size;
  uint64_t share = clusters / ((uint64_t)g->num_workers * CLAIMS_PER_WORKER);
  if (share > g->chunk) share = g->chunk;
  return (share > 1 ? share : 1) * g->cluster_size;
}

bool ptx_worker_claim (ptx_worker *wk) {
  ptx_grid *g = wk->grid;
  if (wk->next < wk->end) return !ptx_grid_stopped(g, wk->next);
  uint64_t next = atomic_load_explicit(&g->next, memory_order_relaxed);
  if (next >= g->total || ptx_grid_stopped(g, next)) return false;
  uint64_t size = claim_size(g, next);
  uint64_t first = atomic_fetch_add_explicit(&g->next, size, memory_order_relaxed);
  if (first >= g->total) return false;
  wk->next = first;
  wk->end = first + size < g->total ? first + size : g->total;
  if (lcu_unlikely(g->slot != NULL)) ptx_tier_turn(wk);
  return !ptx_grid_stopped(g, first);
}

/* Not a chunk: the others are for blocks that start. */
bool ptx_worker_cancel (ptx_worker *wk, uint64_t *first) {
  ptx_grid *g = wk->grid;
  if (wk->next < wk->end) {
    *first = wk->next;
    wk->next += g->cluster_size;
    return true;
  }
  if (atomic_load_explicit(&g->next, memory_order_relaxed) >= g->total) return false;
  *first = atomic_fetch_add_explicit(&g->next, g->cluster_size, memory_order_relaxed);
  return *first < g->total;
}
