/* ptx_exit.c: threads that end. */
#include "ptx_cta_run.h"
#include "ptx_warp_run.h"

void ptx_cta_exit (ptx_xwarp *x, uint32_t i) {
  uint32_t mask = x->frags[i].mask;
  ptx_cta *c = x->cta;
  ptx_frame_leave(x, x->frags[i].frame, mask);
  if (x->num == 1) x->num = 0;
  else ptx_fragment_remove(x, i);
  x->worked = true;
  x->w.alive &= ~mask;
  c->alive -= ptx_popc(mask);
  if (x->w.alive != 0) ptx_warp_recheck(x);
  if (c->barriers_used != 0 && c->alive != 0) ptx_barrier_recheck(c);
  if (c->lead->cluster.arrived != 0) ptx_cluster_recheck(x);
}
