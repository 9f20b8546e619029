/* ptx_check_written.c: with all checks on, reads of device memory that nothing has written. */
#include "ptx_check.h"

/* Of a load: whether anything that it uses was written. Structures are copied with their unwritten
 * padding, so one byte is enough. */
static bool was_written (const ptx_lane_access *a, const uint8_t *written) {
  for (uint32_t k = 0; k < a->bytes; k++)
    if (ptx_check_uses(a->I, k) && __atomic_load_n(&written[k], __ATOMIC_RELAXED) != 0) return true;
  return false;
}

bool ptx_check_written (const ptx_lane_access *a, uint8_t *written) {
  if (ptx_check_reads(a) && !was_written(a, written)) {
    ptx_check_set(a, PTX_FAULT_UNINITIALIZED, "which nothing has written");
    a->x->w.fault.write = false;
    return false;
  }
  for (uint32_t k = 0; k < a->bytes && a->kind != PTX_ACCESS_LOAD; k++)
    __atomic_store_n(&written[k], 1, __ATOMIC_RELAXED);
  return true;
}
