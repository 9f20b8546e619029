/* ptx_checked.c: what compiled code asks with all checks on. */
#include "ptx_checked.h"

#include "ptx_check_fast.h"
#include "ptx_step.h"

const ptx_checks ptx_checked = {
  .step = ptx_step_checked,
  .shared = ptx_fast_shared,
  .shared_one = ptx_fast_shared_one,
  .shared_rows = ptx_fast_shared_rows,
  .global = ptx_fast_global,
  .global_one = ptx_fast_global_one,
  .global_rows = ptx_fast_global_rows,
  .store_rows = ptx_fast_store_rows,
};
