/* ptx_worker.c: the CTAs of a worker: started, parked, put away. */
#include "ptx_cta_run.h"
#include "ptx_workers.h"

/* The CTAs of a cluster, or one. */
static bool get_blocks (ptx_worker *wk, ptx_cta **out) {
  for (uint32_t k = 0; k < wk->grid->cluster_size; k++) {
    out[k] = ptx_cta_get(wk);
    if (out[k] != NULL) continue;
    while (k > 0) ptx_cta_put(wk, out[--k]);
    return false;
  }
  return true;
}

ptx_cta *ptx_worker_start (ptx_worker *wk) {
  ptx_cta *ctas[PTX_MAX_CLUSTER] = { NULL };
  uint32_t n = wk->grid->cluster_size;
  if (!get_blocks(wk, ctas)) {
    ptx_grid_fail(wk->grid, lcu_no_memory("a block of kernel `%s`", wk->grid->function->name));
    return NULL;
  }
  ptx_cluster_bind(ctas, n);
  for (uint32_t k = 0; k < n; k++) {
    ctas[k]->jit = wk->grid->slot != NULL ? wk->jit : wk->grid->jit;
    ptx_cta_start(ctas[k], wk->next++);
  }
  wk->turn_blocks += n;
  wk->resident++;
  return ctas[0];
}

bool ptx_worker_restart (ptx_cta *c) {
  ptx_worker *wk = c->worker;
  ptx_grid *g = wk->grid;
  if (wk->resident != 1 || g->cluster_size != 1 || !ptx_worker_claim(wk)) return false;
  if (g->slot != NULL && c->jit != wk->jit) return false;
  ptx_cta_end(c);
  ptx_grid_progress(g);
  wk->turn_blocks++;
  ptx_cta_start(c, wk->next++);
  return true;
}

void ptx_worker_park (ptx_worker *wk, ptx_cta *c) {
  c->next = NULL;
  *wk->parked_tail = c;
  wk->parked_tail = &c->next;
}

ptx_cta *ptx_worker_unpark (ptx_worker *wk) {
  ptx_cta *c = wk->parked;
  if (c == NULL) return NULL;
  wk->parked = c->next;
  if (wk->parked == NULL) wk->parked_tail = &wk->parked;
  return c;
}

void ptx_worker_finish (ptx_worker *wk, ptx_cta *c) {
  ptx_cta_end(c);
  wk->resident--;
  for (uint32_t k = c->cluster.size; k > 0; k--) ptx_cta_put(wk, c->cluster.ctas[k - 1]);
}
