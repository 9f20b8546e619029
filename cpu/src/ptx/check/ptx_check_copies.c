/* ptx_check_copies.c: with all checks on, which copies of cp.async their threads have waited for.
 * Groups are counted per lane; the numbers go on from block to block. A thread that hands its copies
 * to a barrier object counts as one that waited. */
#include "ptx_check.h"
#include "ptx_ids.h"

static void wait_for (ptx_xwarp *x, uint32_t lane, int64_t groups) {
  if (groups > x->waited[lane]) x->waited[lane] = (uint32_t)groups;
}

/* Before the instruction. */
void ptx_check_copies (ptx_xwarp *x, const ptx_uop *I) {
  const uint32_t *committed = x->w.committed[PTX_GROUP_COPY];
  bool all = I->id == PTX_ID_mbarrier_arrive_copies;
  if (!all && (I->id != PTX_ID_async_group || I->vector != PTX_GROUP_COPY)) return;
  for (uint32_t m = x->w.mask; m != 0; m &= m - 1) {
    uint32_t lane = ptx_first_lane(m);
    if (all || I->imm == PTX_GROUP_ALL) wait_for(x, lane, (int64_t)committed[lane] + 1);
    else if (I->imm >= PTX_GROUP_WAIT)
      wait_for(x, lane, (int64_t)committed[lane] - (I->imm - PTX_GROUP_WAIT));
  }
}

uint32_t ptx_check_copy_group (const ptx_xwarp *x, uint32_t lane) {
  return x->w.committed[PTX_GROUP_COPY][lane] + 1;
}

bool ptx_check_in_flight (const ptx_cta *c, uint32_t thread, uint32_t group) {
  return group > c->warps[thread / PTX_LANES].waited[thread % PTX_LANES];
}
