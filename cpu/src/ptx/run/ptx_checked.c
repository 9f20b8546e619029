/* ptx_checked.c: what compiled code asks with all checks on. */
#include "ptx_checked.h"

#include "ptx_check.h"
#include "ptx_check_fast.h"
#include "ptx_step.h"

static bool passes (const ptx_uop *I, const uint8_t *rf, ptx_warp *w) {
  ptx_xwarp *x = (ptx_xwarp *)w;
  x->seen_bb = UINT32_MAX;
  return ptx_check_passing(x, I, rf);
}

const ptx_checks ptx_checked = {
  .step = ptx_step_checked,
  .passes = passes,
  .shared = ptx_fast_shared,
  .shared_one = ptx_fast_shared_one,
  .shared_rows = ptx_fast_shared_rows,
  .global = ptx_fast_global,
  .global_one = ptx_fast_global_one,
  .global_rows = ptx_fast_global_rows,
  .store_rows = ptx_fast_store_rows,
};
