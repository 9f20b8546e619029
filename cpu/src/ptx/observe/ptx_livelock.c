/* ptx_livelock.c: the account of a livelock: which threads of which blocks only wait. */
#include "ptx_hang.h"

#include <stdio.h>
#include <string.h>


enum { MAX_CLUSTERS = 4, LIVELOCK_SIZE = 1280 };

/* ---- the list; the grid's lock is held */

static void insert (ptx_hangs *hangs, ptx_hang *h) {
  ptx_hang **at = &hangs->first;
  while (*at != NULL && (*at)->cta < h->cta) at = &(*at)->next;
  h->next = *at;
  *at = h;
}

void ptx_hangs_free (ptx_hangs *h) {
  for (ptx_hang *at = h->first, *next; at != NULL; at = next) {
    next = at->next;
    ptx_hang_free(at);
  }
  h->first = NULL;
}

/* The worker's parked cluster with the lowest number from `from` on; NULL: there is none. */
static ptx_cta *next_parked (const ptx_worker *wk, uint64_t from) {
  ptx_cta *best = NULL;
  for (ptx_cta *c = wk->parked; c != NULL; c = c->next)
    if (c->linear >= from && (best == NULL || c->linear < best->linear)) best = c;
  return best;
}

static void list_clusters (ptx_worker *wk) {
  ptx_hangs *hangs = &wk->grid->hangs;
  uint64_t from = 0;
  for (int n = 0; n < MAX_CLUSTERS; n++) {
    ptx_cta *c = next_parked(wk, from);
    ptx_hang *h = c == NULL ? NULL : ptx_hang_new(c, PTX_FAULT_LIVELOCK);
    if (h == NULL) break;
    from = c->linear + 1;
    insert(hangs, h);
  }
  hangs->clusters += wk->resident;
  wk->hang_round = hangs->round;
  atomic_fetch_add(&hangs->workers, 1);
}

/* ---- the report */

static void add_waiting (ptx_fault *to, const ptx_fault *from, uint32_t *n) {
  for (uint32_t k = 0; k < PTX_WAITING && *n < PTX_WAITING && from->waiting[k].count != 0; k++)
    to->waiting[(*n)++] = from->waiting[k];
}

/* Returns the number of clusters that the text names. */
static uint32_t add_clusters (lcu_buf *b, ptx_fault *f, const ptx_hangs *hangs) {
  uint32_t n = 0, waiting = 0;
  for (const ptx_hang *h = hangs->first; h != NULL; h = h->next) {
    add_waiting(f, &h->fault, &waiting);
    if (n == MAX_CLUSTERS || b->len >= LIVELOCK_SIZE) continue;
    if (n++ > 0) lcu_buf_adds(b, "; ");
    if (!h->text.failed) lcu_buf_add(b, h->text.data, h->text.len);
  }
  return n;
}

static void compose (const ptx_grid *g, ptx_fault *f) {
  const ptx_hangs *hangs = &g->hangs;
  lcu_buf b = { 0 };
  *f = hangs->first->fault;
  memset(f->waiting, 0, sizeof f->waiting);
  lcu_buf_addf(
    &b, "all threads only waited, and none stored anything, for %.0f ms: ", g->launch->livelock_ms);
  uint32_t more = hangs->clusters - add_clusters(&b, f, hangs);
  if (more != 0) {
    uint32_t blocks = more * g->cluster_size;
    lcu_buf_addf(&b, "; and %u more block%s", blocks, blocks == 1 ? "" : "s");
  }
  snprintf(f->message, sizeof f->message, "%s in kernel `%s`: %s", ptx_fault_kind_name(f->kind),
           f->kernel, b.failed ? "not enough host memory for the details" : b.data);
  lcu_buf_free(&b);
}

/* Lists the worker's clusters. When all idle workers have listed theirs: sets *f and *cta, and
 * *described unless memory ran out. */
static bool list_and_describe (ptx_worker *wk, ptx_fault *f, uint64_t *cta, bool *described) {
  ptx_hangs *hangs = &wk->grid->hangs;
  if (hangs->round == 0) hangs->round = 1;
  if (wk->hang_round != hangs->round) list_clusters(wk);
  if (atomic_load(&hangs->workers) < atomic_load(&wk->grid->idle)) return false;
  *described = f != NULL && hangs->first != NULL;
  if (*described) {
    compose(wk->grid, f);
    *cta = hangs->first->cta;
  }
  return true;
}

void ptx_livelock_list (ptx_worker *wk) {
  ptx_grid *g = wk->grid;
  ptx_fault *f = lcu_calloc(1, sizeof *f);
  uint64_t cta = 0;
  bool described = false;
  pthread_mutex_lock(&g->lock);
  bool complete = list_and_describe(wk, f, &cta, &described);
  pthread_mutex_unlock(&g->lock);
  if (described) ptx_grid_fault(g, cta, f);
  else if (complete) ptx_grid_fail(g, lcu_no_memory("the account of a livelock"));
  if (complete) ptx_grid_give_up(g, true);
  lcu_free(f);
}

void ptx_livelock_cancel (ptx_worker *wk) {
  ptx_grid *g = wk->grid;
  pthread_mutex_lock(&g->lock);
  ptx_hangs_free(&g->hangs);
  g->hangs.clusters = 0;
  g->hangs.round++;
  atomic_store(&g->hangs.workers, 0);
  pthread_mutex_unlock(&g->lock);
}
