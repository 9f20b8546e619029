/* ptx_cta_pool.c: the memory of CTAs. Each worker makes one per shape and starts it again for block
 * after block; a few are kept with the kernel for its next run. */
#include "ptx_check.h"
#include "ptx_check_fast.h"
#include "ptx_checked.h"
#include "ptx_cta_run.h"
#include "ptx_select.h"
#include "ptx_warp_run.h"
#include "ptx_workers.h"

#include <string.h>

/* The most to keep with a kernel between runs, for each worker, but for few workers as for eight;
 * initial contents of shared memory: NaN as float, -1 as integer. */
enum { KEEP_BYTES = 512 << 10, KEEP_WORKERS = 8, SHARED_FILL = 0xFF };

/* ---- memory */

static size_t round64 (size_t n) { return (n + 63) & ~(size_t)63; }

static size_t warp_bytes (const ptx_grid *g) {
  return round64(g->code->frame_bytes) + round64((size_t)g->local_bytes * PTX_LANES);
}

static uint32_t valid_lanes (const ptx_grid *g, uint32_t warp) {
  uint32_t left = g->block_threads - warp * PTX_LANES;
  return left >= PTX_LANES ? UINT32_MAX : (1u << left) - 1;
}

static void set_threads (ptx_warp *w, const uint32_t *block) {
  for (uint32_t l = 0; l < PTX_LANES; l++) {
    uint32_t t = w->warpid * PTX_LANES + l;
    w->tid[0][l] = (uint16_t)(t % block[0]);
    w->tid[1][l] = (uint16_t)(t / block[0] % block[1]);
    w->tid[2][l] = (uint16_t)(t / block[0] / block[1]);
  }
}

static uint8_t *lay_out_warp (ptx_cta *c, const ptx_grid *g, uint32_t k, uint8_t *at) {
  ptx_xwarp *x = &c->warps[k];
  x->cta = c;
  x->valid = valid_lanes(g, k);
  x->w.warpid = k;
  x->w.place = &c->place;
  set_threads(&x->w, g->launch->block);
  ptx_frame_root(x, g->code, at);
  x->w.local = at + round64(g->code->frame_bytes);
  return at + warp_bytes(g);
}

_Static_assert(sizeof(ptx_cta) >= PTX_SHARED_RESERVED,
               "bind_warp subtracts it from the address of the shared memory");

static ptx_cta *make (const ptx_grid *g) {
  uint32_t num_warps = (g->block_threads + PTX_LANES - 1) / PTX_LANES;
  size_t head = sizeof(ptx_cta) + num_warps * sizeof(ptx_xwarp);
  size_t bytes = head + num_warps * warp_bytes(g) + g->reserved_bytes + round64(g->shared_bytes);
  ptx_cta *c = lcu_alloc_aligned(bytes, 64);
  if (c == NULL) return NULL;
  memset(c, 0, head);
  c->bytes = bytes;
  c->num_warps = num_warps;
  c->num_threads = g->block_threads;
  memcpy(c->place.ntid, g->launch->block, sizeof c->place.ntid);
  c->reserved_bytes = g->reserved_bytes;
  c->shared_bytes = g->shared_bytes;
  c->local_bytes = g->local_bytes;
  uint8_t *at = (uint8_t *)c + head;
  for (uint32_t k = 0; k < num_warps; k++) at = lay_out_warp(c, g, k, at);
  c->shared = at;
  return c;
}

static void free_cta (ptx_cta *c) {
  for (uint32_t k = 0; k < c->num_warps; k++) ptx_frames_free(&c->warps[k]);
  lcu_free(c->shadow);
  lcu_free(c->words.write);
  lcu_free(c->objects);
  lcu_free(c->groups);
  lcu_free(c->order);
  lcu_free(c->visits);
  lcu_free(c);
}

/* ---- for one run */

static bool cancel (ptx_warp *w, uint32_t ctaid[3]) {
  const ptx_cta *c = ((ptx_xwarp *)w)->cta;
  uint64_t first;
  if (!ptx_worker_cancel(c->worker, &first)) return false;
  ptx_cta_index(c->grid, first, ctaid);
  return true;
}

static void bind_mates (ptx_cta *c, ptx_warp *w) {
  uint32_t first = w->warpid - w->warpid % PTX_GROUP_WARPS;
  for (uint32_t k = 0; k < PTX_GROUP_WARPS; k++)
    w->mates[k] = first + k < c->num_warps ? &c->warps[first + k].w : NULL;
}

static void bind_warp (ptx_cta *c, ptx_warp *w) {
  const ptx_grid *g = c->grid;
  bind_mates(c, w);
  const ptx_launch *launch = g->launch;
  w->check = launch->check;
  w->checks = &ptx_checked;
  w->changes = launch->check == PTX_CHECK_ALL ? &g->changes : NULL;
  w->touched = &c->words;
  w->clock = &c->clock;
  w->epoch = &c->epoch;
  w->latest_atomic = &c->latest_atomic;
  w->words = ptx_isa_select()->words;
  /* never before the start of c: see the assertion above */
  w->shared = c->shared + g->reserved_bytes - PTX_SHARED_RESERVED;
  w->shared_from = PTX_SHARED_RESERVED - g->reserved_bytes;
  w->shared_end = PTX_SHARED_RESERVED + g->shared_bytes;
  w->local_bytes = g->local_bytes;
  ptx_stack_reset(w);
  w->params = launch->params;
  w->param_bytes = g->function->param_bytes;
  memset(w->last, 0, sizeof w->last);
  memset(w->bound, 0, sizeof w->bound);
  w->host = g->host;
  w->cancel = cancel;
  w->instructions = w->thread_instructions = 0;
  memcpy(w->cluster, g->cluster, sizeof w->cluster);
  w->explicit_cluster = g->explicit_cluster;
  w->nwarpid = PTX_MAX_WARPS; /* possible numbers of warps, not those of this block */
  w->smid = (uint32_t)c->worker->index;
  w->nsmid = launch->sm_count;
  w->gridid = g->id;
  w->envreg_workspace = g->workspace;
  w->dynamic_shared = launch->dynamic_shared;
  w->total_shared = g->shared_bytes;
}

static bool make_shadow (ptx_cta *c) {
  if (c->shadow == NULL && c->shared_bytes != 0)
    c->shadow = lcu_calloc(c->shared_bytes, sizeof *c->shadow);
  return c->shared_bytes == 0 || (c->shadow != NULL && ptx_fast_words_make(c));
}

ptx_cta *ptx_cta_get (ptx_worker *wk) {
  ptx_cta *c = wk->free;
  if (c != NULL) wk->free = c->next;
  else c = make(wk->grid);
  if (c == NULL || c->grid == wk->grid) return c;
  if (wk->grid->launch->check == PTX_CHECK_ALL && !make_shadow(c)) {
    free_cta(c);
    return NULL;
  }
  c->grid = wk->grid;
  c->worker = wk;
  memcpy(c->place.nctaid, wk->grid->launch->grid, sizeof c->place.nctaid);
  c->steady = false;
  memset(c->pages, 0, sizeof c->pages);
  for (uint32_t k = 0; k < c->num_warps; k++) bind_warp(c, &c->warps[k].w);
  return c;
}

static void count (ptx_worker *wk, ptx_cta *c) {
  for (uint32_t k = 0; k < c->num_warps; k++) {
    ptx_warp *w = &c->warps[k].w;
    wk->counters.warp_instructions += w->instructions;
    wk->counters.thread_instructions += w->thread_instructions;
    w->instructions = w->thread_instructions = 0;
  }
}

void ptx_cta_put (ptx_worker *wk, ptx_cta *c) {
  if (wk->grid->counting) count(wk, c);
  c->next = wk->free;
  wk->free = c;
}

/* ---- for one block */

static void start_warp (ptx_xwarp *x, const ptx_uop *pc) {
  ptx_warp *w = &x->w;
  if (x->root.child != NULL) ptx_frames_reset(x);
  w->event = PTX_EV_NONE;
  if (w->stack_low != w->local_bytes) ptx_stack_reset(w);
  w->stored = 0;
  x->w.alive = x->valid;
  x->fuel = PTX_FUEL;
  x->cluster_waited = x->cluster_passed = 0;
  x->failed = 0;
  x->w.in_step = true;
  x->w.products = 0;
  x->num = 1;
  x->frags[0] = (ptx_fragment){ .mask = x->valid, .wait = PTX_READY, .pc = pc, .frame = &x->root };
}

/* The block before left all else as it was when it began. `stored` may stay set: it only tells that
 * the block does not merely wait. */
static void start_again (ptx_cta *c) {
  for (uint32_t k = 0; c->grid->code->allocates && k < c->num_warps; k++) {
    ptx_warp *w = &c->warps[k].w;
    if (w->stack_low != w->local_bytes) ptx_stack_reset(w);
  }
}

/* Usually the block behind the one that was last here. */
static void set_index (ptx_cta *c, uint64_t linear) {
  const ptx_grid *g = c->grid;
  bool follows = c->steady && linear == c->linear + 1 && g->cluster_size == 1;
  c->linear = linear;
  if (follows && ++c->place.ctaid[0] < g->launch->grid[0]) return;
  ptx_cta_index(g, linear, c->place.ctaid);
}

/* The checks' clock goes on from block to block. */
static void wind_clock_back (ptx_cta *c) {
  enum { LATEST = INT32_MAX / 2 };
  if (lcu_likely(c->clock < LATEST)) return;
  c->clock = c->latest_atomic = 0;
  ptx_fast_words_forget(c);
  lcu_free(c->order);
  c->order = NULL;
  for (uint32_t k = 0; k < c->num_warps; k++) {
    ptx_xwarp *x = &c->warps[k];
    x->fenced = x->heard = 0;
    memset(x->synced, 0, sizeof x->synced);
    memset(x->proxied, 0, sizeof x->proxied);
    memset(x->waited, 0, sizeof x->waited);
    memset(x->announced, 0, sizeof x->announced);
  }
}

void ptx_cta_start (ptx_cta *c, uint64_t linear) {
  set_index(c, linear);
  wind_clock_back(c);
  c->alive = c->num_threads;
  c->running = c->num_warps;
  c->run++;
  ptx_cta_pass(c);
  ptx_fast_words_begin(c);
  c->told = c->waited = 0;
  if (c->barriers_used != 0) memset(c->barriers, 0, sizeof c->barriers);
  c->barriers_used = 0;
  if (c->reserved_bytes != 0) memset(c->shared, 0, c->reserved_bytes);
  if (c->shared_bytes != 0) memset(c->shared + c->reserved_bytes, SHARED_FILL, c->shared_bytes);
  c->again = c->steady && c->jit != NULL && c->grid->cluster_size == 1;
  c->steady = true;
  if (c->again) {
    start_again(c);
    return;
  }
  const ptx_uop *pc = c->grid->code->bb_first[0];
  for (uint32_t k = 0; k < c->num_warps; k++) start_warp(&c->warps[k], pc);
}

/* ---- between runs */

static void free_chain (ptx_cta *c) {
  while (c != NULL) {
    ptx_cta *next = c->next;
    free_cta(c);
    c = next;
  }
}

static bool fits (const ptx_cta *c, const ptx_grid *g) {
  return memcmp(c->place.ntid, g->launch->block, sizeof c->place.ntid) == 0 &&
         c->shared_bytes == g->shared_bytes && c->local_bytes == g->local_bytes;
}

/* The pool is one pointer, and a run takes the whole chain, so two runs never share CTAs. */
void ptx_cta_pool_take (ptx_grid *g) {
  ptx_cta *c = atomic_exchange(&((ptx_code *)(uintptr_t)g->code)->pool, NULL);
  if (c == NULL) return;
  if (!fits(c, g)) {
    free_chain(c);
    return;
  }
  while (c != NULL) {
    ptx_cta *next = c->next;
    ptx_worker *wk = &g->workers[c->warps[0].w.smid % (uint32_t)g->num_workers];
    c->next = wk->free;
    wk->free = c;
    c = next;
  }
}

static void keep (ptx_cta **chain, size_t *bytes, ptx_cta *c) {
  *bytes += c->bytes;
  c->grid = NULL;
  c->next = *chain;
  *chain = c;
}

static size_t most_kept (const ptx_grid *g) {
  return (size_t)(g->num_workers > KEEP_WORKERS ? g->num_workers : KEEP_WORKERS) * KEEP_BYTES;
}

static void recycle (const ptx_grid *g, ptx_cta *c, ptx_cta **chain, size_t *bytes) {
  uint64_t frames = 0;
  for (uint32_t k = 0; k < c->num_warps; k++) frames += c->warps[k].frame_memory;
  if (frames == 0 && *bytes + c->bytes <= most_kept(g)) keep(chain, bytes, c);
  else free_cta(c);
}

/* Frees the workers' CTAs, except a few that the kernel keeps. */
void ptx_cta_pool_give (ptx_grid *g) {
  ptx_cta *chain = NULL;
  size_t bytes = 0;
  for (int i = 0; i < g->num_workers; i++)
    for (ptx_cta *c = g->workers[i].free; c != NULL;) {
      ptx_cta *next = c->next;
      recycle(g, c, &chain, &bytes);
      c = next;
    }
  free_chain(atomic_exchange(&((ptx_code *)(uintptr_t)g->code)->pool, chain));
}

void ptx_cta_pool_free (ptx_code *code) {
  ptx_global_pages_free(code);
  if (code != NULL) free_chain(atomic_exchange(&code->pool, NULL));
}
