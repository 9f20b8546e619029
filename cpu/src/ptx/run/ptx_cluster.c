/* ptx_cluster.c: clusters of CTAs, and their barrier (9.7.13.3).
 *
 * Contract: a thread arrives, does other work, and waits until all threads of the cluster that have
 * not ended have arrived. So a thread may wait once per arrival. Lanes whose phase is complete
 * before they wait are in x->cluster_passed. */
#include "ptx_check.h"
#include "ptx_cta_run.h"
#include "ptx_fault.h"
#include "ptx_ids.h"

void ptx_cluster_bind (ptx_cta *const *ctas, uint32_t size) {
  ptx_cta *lead = ctas[0];
  bool again = size == 1 && lead->lead == lead && lead->cluster.size == 1;
  lead->cluster.size = size;
  lead->cluster.arrived = 0;
  lead->cluster.peers[0].shared = lead->warps[0].w.shared;
  if (again) return;
  for (uint32_t rank = 0; rank < size; rank++) {
    ptx_cta *c = ctas[rank];
    lead->cluster.ctas[rank] = c;
    lead->cluster.peers[rank] = (ptx_peer){ c->warps[0].w.shared, &c->alive };
    c->lead = lead;
    for (uint32_t k = 0; k < c->num_warps; k++) {
      ptx_warp *w = &c->warps[k].w;
      w->peers = lead->cluster.peers;
      w->flying = &lead->cluster.flying;
      w->num_peers = size;
      w->cluster_rank = rank;
    }
  }
}

/* ---- the barrier */

/* Fragments of a warp that wait go on, as one where they are at one instruction. */
static void release_warp (ptx_xwarp *x) {
  ptx_fragment list[PTX_LANES];
  uint32_t n = 0;
  for (uint32_t i = 0; i < x->num;) {
    if (x->frags[i].wait != PTX_AT_CLUSTER) {
      i++;
      continue;
    }
    list[n++] = x->frags[i];
    x->cluster_passed &= ~x->frags[i].mask;
    ptx_fragment_remove(x, i);
  }
  for (uint32_t i = 0; i < n; i++)
    ptx_fragment_add(x, list[i].mask, list[i].pc + 1, list[i].frame, false);
}

static void release_cluster (ptx_cluster *cl) {
  cl->arrived = 0;
  for (uint32_t rank = 0; rank < cl->size; rank++) {
    ptx_cta *c = cl->ctas[rank];
    ptx_cta_pass(c);
    ptx_check_cluster_met(c);
    for (uint32_t k = 0; k < c->num_warps; k++) {
      c->warps[k].cluster_passed |= c->warps[k].cluster_waited;
      c->warps[k].cluster_waited = 0;
      release_warp(&c->warps[k]);
      if (c->warps[k].w.check == PTX_CHECK_ALL) ptx_order_hear(&c->warps[k], UINT32_MAX);
    }
  }
}

static void release_complete_cluster (ptx_cluster *cl) {
  uint32_t alive = 0;
  for (uint32_t rank = 0; rank < cl->size; rank++) alive += cl->ctas[rank]->alive;
  if (cl->arrived >= alive) release_cluster(cl);
}

void ptx_cluster_recheck (ptx_xwarp *x) {
  ptx_cluster *cl = &x->cta->lead->cluster;
  uint32_t ended = x->cluster_waited & ~x->w.alive;
  x->cluster_waited &= ~ended;
  cl->arrived -= ptx_popc(ended);
  if (cl->arrived != 0) release_complete_cluster(cl);
}

static bool arrive_at_cluster (ptx_xwarp *x, uint32_t i) {
  ptx_fragment *f = &x->frags[i];
  uint32_t mask = f->mask, twice = mask & (x->cluster_waited | x->cluster_passed);
  ptx_cluster *cl = &x->cta->lead->cluster;
  if (twice != 0)
    return ptx_fault_set(x, ptx_first_lane(twice), PTX_FAULT_BARRIER,
                         "the thread arrives at the barrier of the cluster twice without a wait");
  x->cluster_waited |= mask;
  cl->arrived += ptx_popc(mask);
  ptx_fragment_move(x, i, f->pc + 1);
  release_complete_cluster(cl);
  return true;
}

/* Lanes whose phase is complete go on; the others stay. */
static bool wait (ptx_xwarp *x, uint32_t i) {
  uint32_t mask = x->frags[i].mask, passed = mask & x->cluster_passed,
           missing = mask & ~(x->cluster_waited | x->cluster_passed);
  if (missing != 0)
    return ptx_fault_set(x, ptx_first_lane(missing), PTX_FAULT_BARRIER,
                         "the thread waits at the barrier of the cluster without having arrived");
  if (passed == 0) {
    x->frags[i].wait = PTX_AT_CLUSTER;
    return true;
  }
  if (passed != mask) ptx_fragment_split(x, i, passed);
  x->cluster_passed &= ~passed;
  ptx_fragment_move(x, i, x->frags[i].pc + 1);
  return true;
}

bool ptx_cluster_barrier (ptx_xwarp *x, uint32_t i) {
  return x->frags[i].pc->id == PTX_ID_cluster_arrive ? arrive_at_cluster(x, i) : wait(x, i);
}
