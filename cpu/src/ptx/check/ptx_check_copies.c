/* ptx_check_copies.c: with all checks on, which copies of cp.async their threads have waited for.
 * The machine makes a copy at once; on a GPU it may be complete only after cp.async.wait_group or
 * wait_all in the thread that issued it. Groups are counted per lane; the numbers go on from block
 * to block. A thread that hands its copies to a barrier object counts as one that waited. */
#include "ptx_check.h"

static void wait_for (ptx_xwarp *x, uint32_t lane, int64_t except) {
  int64_t first = (int64_t)x->committed[lane] - except;
  if (first > x->waited[lane]) x->waited[lane] = (uint32_t)first;
}

void ptx_check_copies (ptx_xwarp *x, const ptx_uop *I) {
  for (uint32_t m = x->w.mask; m != 0; m &= m - 1) {
    uint32_t lane = ptx_first_lane(m);
    if (I->imm == PTX_NOP_COMMIT || I->imm == PTX_NOP_ALL) x->committed[lane]++;
    if (I->imm >= PTX_NOP_WAIT) wait_for(x, lane, I->imm - PTX_NOP_WAIT);
    if (I->imm == PTX_NOP_ALL) wait_for(x, lane, 0);
  }
}

uint32_t ptx_check_copy_group (const ptx_xwarp *x, uint32_t lane) { return x->committed[lane] + 1; }

bool ptx_check_in_flight (const ptx_cta *c, uint32_t thread, uint32_t group) {
  return group > c->warps[thread / PTX_LANES].waited[thread % PTX_LANES];
}
