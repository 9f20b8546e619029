/* ptx_grid.c: stopping the run of a kernel. */
#include "ptx_grid.h"

#include <stdio.h>

static const double GRACE_MS = 100;

/* CTAs above the one that failed stop immediately. Those below it go on for a while: if one of them
 * fails too, its fault is the one to report, so that the report does not depend on the number of
 * workers. */
void ptx_grid_fault (ptx_grid *g, uint64_t cta, const ptx_fault *f) {
  pthread_mutex_lock(&g->lock);
  if (g->status == LCU_OK || (g->status == LCU_E_FAULT && cta < g->fault_cta)) {
    if (g->status == LCU_OK) g->stop_at = lcu_now_ms() + GRACE_MS;
    *g->fault = *f;
    g->fault_cta = cta;
    g->status = LCU_E_FAULT;
    if (cta < atomic_load(&g->stop_from)) atomic_store(&g->stop_from, cta);
  }
  pthread_mutex_unlock(&g->lock);
}

void ptx_grid_give_up (ptx_grid *g, bool now) {
  if (atomic_load_explicit(&g->stop_from, memory_order_acquire) == UINT64_MAX) return;
  if (now || lcu_now_ms() > g->stop_at) atomic_store(&g->stop_from, 0);
}

void ptx_grid_fail (ptx_grid *g, lcu_status status) {
  pthread_mutex_lock(&g->lock);
  if (g->status == LCU_OK) {
    g->status = status;
    snprintf(g->message, sizeof g->message, "%s", lcu_failure_get()->message);
  }
  pthread_mutex_unlock(&g->lock);
  atomic_store(&g->stop_from, 0);
}
