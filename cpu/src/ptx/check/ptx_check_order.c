/* ptx_check_order.c: with all checks on, which accesses come after which, within a CTA.
 *
 * The CTA has one clock, which counts accesses, fences and arrivals. What happened before its epoch
 * (the latest barrier of all threads) comes before everything now. For the rest, each warp has a
 * vector clock: per thread, the time up to which it knows what the thread has done. Whoever arrives
 * at a barrier object or a named barrier leaves there what its warp knows, and the time now;
 * whoever waits there takes it over. Of the other lanes of a warp that arrives, what they did
 * before they last met others of the warp is passed on (ptx_check_lanes.c). A warp knows what any
 * of its lanes knows.
 *
 * A fence says that what came before it may be announced, by whatever means. Another warp may have
 * been told when it next reads something that is meant to meet other threads: a volatile or relaxed
 * load, an atomic, a wait. A thread knows nothing of other blocks until it has read such a thing,
 * or met a thread that did. */
#include "ptx_check.h"
#include "ptx_fault.h"

/* A barrier of some threads. */
typedef struct order_barrier {
  ptx_times arrived; /* what those who arrived left */
  /* Who waited there when it was complete last, and at what time; time 0: nobody yet. */
  uint32_t time, warps;
  ptx_touch waiter;
} order_barrier;

struct ptx_order {
  ptx_times known[PTX_MAX_WARPS];
  order_barrier barriers[PTX_BARRIERS];
};

static struct ptx_order *order_of (ptx_cta *c) {
  if (c->order == NULL) c->order = lcu_calloc(1, sizeof *c->order);
  return c->order;
}

static void raise_time (uint32_t *to, uint32_t time) {
  if (*to < time) *to = time;
}

static void join_times (const ptx_cta *c, ptx_times *to, const ptx_times *from) {
  for (uint32_t t = 0; t < c->num_threads; t++) raise_time(&to->of[t], from->of[t]);
}

void ptx_order_release (ptx_xwarp *x, uint32_t lanes, ptx_times *to) {
  struct ptx_order *o = order_of(x->cta);
  uint32_t now = ++x->cta->clock, first = x->w.warpid * PTX_LANES;
  if (o == NULL) x->cta->epoch = now; /* nothing that is right may be reported */
  else join_times(x->cta, to, &o->known[x->w.warpid]);
  for (uint32_t l = 0; l < PTX_LANES; l++)
    raise_time(&to->of[first + l], (lanes >> l & 1) != 0 ? now : x->synced[l]);
}

void ptx_order_acquire (ptx_xwarp *x, const ptx_times *from) {
  struct ptx_order *o = order_of(x->cta);
  if (o != NULL) join_times(x->cta, &o->known[x->w.warpid], from);
  ptx_order_observe(x);
  if (x->w.num_peers > 1) ptx_order_hear(x, UINT32_MAX);
}

void ptx_order_observe (ptx_xwarp *x) {
  const ptx_cta *c = x->cta;
  for (uint32_t k = 0; k < c->num_warps; k++) x->announced[k] = c->warps[k].fenced;
}

bool ptx_order_knows (const ptx_xwarp *x, uint32_t thread, uint32_t time) {
  const ptx_cta *c = x->cta;
  uint32_t warp = thread / PTX_LANES;
  if (time < c->epoch || x->announced[warp] > time) return true;
  if (warp == x->w.warpid && x->fenced > time) return true;
  return c->order != NULL && c->order->known[x->w.warpid].of[thread] > time;
}

bool ptx_order_knows_warp (const ptx_xwarp *x, uint32_t warp, uint32_t time) {
  for (uint32_t l = 0; l < PTX_LANES; l++)
    if (ptx_order_knows(x, warp * PTX_LANES + l, time)) return true;
  return false;
}

/* ---- other blocks */

void ptx_order_hear (ptx_xwarp *x, uint32_t lanes) {
  if (x->heard_run != x->cta->run) {
    x->heard_run = x->cta->run;
    x->heard = ++x->cta->clock;
    x->heard_lanes = 0;
  }
  x->heard_lanes |= lanes;
}

/* Whether the lane has met others of its warp, or waited for others, since one of them heard. */
static bool heard_beside (const ptx_xwarp *x, uint32_t lane) {
  if (x->heard_run != x->cta->run) return false;
  return (x->heard_lanes >> lane & 1) != 0 || x->heard < x->cta->epoch ||
         x->synced[lane] > x->heard || x->waited[lane] > x->heard;
}

bool ptx_order_heard (const ptx_xwarp *x, uint32_t lane) {
  const ptx_cta *c = x->cta;
  if (heard_beside(x, lane)) return true;
  for (uint32_t k = 0; k < c->num_warps; k++)
    if (k != x->w.warpid && c->warps[k].heard_run == c->run &&
        ptx_order_knows_warp(x, k, c->warps[k].heard))
      return true;
  return false;
}

/* ---- named barriers */

/* Whether the warp knows that the barrier was complete: it waited there, or has heard of one that
 * did. */
static bool knows_complete (const ptx_xwarp *x, const order_barrier *b) {
  if (b->time < x->cta->epoch || (b->warps >> x->w.warpid & 1) != 0) return true;
  for (uint32_t m = b->warps; m != 0; m &= m - 1)
    if (ptx_order_knows_warp(x, ptx_first_lane(m), b->time)) return true;
  return false;
}

static bool fail_reuse (ptx_xwarp *x, uint32_t lanes, uint32_t barrier, const order_barrier *b) {
  ptx_fault_set(x, ptx_first_lane(lanes), PTX_FAULT_BARRIER,
                "arrival at barrier %u, which nothing orders after the latest time that others "
                "waited there: it might have counted for them, too,",
                barrier);
  x->w.fault.other = (ptx_meeting){
    .access = "barrier", .cta = x->cta->linear, .thread = b->waiter.thread, .loc = b->waiter.loc
  };
  return false;
}

bool ptx_order_arrive (ptx_xwarp *x, const ptx_fragment *f, uint32_t barrier) {
  struct ptx_order *o = order_of(x->cta);
  if (o == NULL) return true;
  order_barrier *b = &o->barriers[barrier];
  if (!knows_complete(x, b)) return fail_reuse(x, f->mask, barrier, b);
  ptx_order_release(x, f->mask, &b->arrived);
  return true;
}

void ptx_order_pass (ptx_xwarp *x, const ptx_fragment *f, uint32_t barrier) {
  struct ptx_order *o = order_of(x->cta);
  if (o == NULL) return;
  order_barrier *b = &o->barriers[barrier];
  ptx_order_acquire(x, &b->arrived);
  b->warps |= UINT32_C(1) << x->w.warpid;
  b->waiter =
    (ptx_touch){ .loc = f->pc->loc,
                 .thread = (uint16_t)(x->w.warpid * PTX_LANES + ptx_first_lane(f->mask)) };
}

void ptx_order_complete (ptx_cta *c, uint32_t barrier) {
  struct ptx_order *o = order_of(c);
  if (o == NULL) return;
  o->barriers[barrier].warps = 0;
  o->barriers[barrier].time = ++c->clock;
}
