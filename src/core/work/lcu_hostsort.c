/* lcu_hostsort.c: see lcu_hostsort.h. */
#include "lcu_routine.h"

static lcu_status call_hostsort (lcu_stream *s, const void *job) {
  return LCU_CALL(s->device->drv, cuxSort, (job, s->handle));
}

lcu_status lcu_hostsort_scratch (lcu_device *d, const cux_sort *job, uint64_t *bytes) {
  return LCU_CALL(d->drv, cuxSortScratch, (job, bytes));
}

lcu_status lcu_hostsort (lcu_stream *s, const cux_sort *job, const lcu_use uses[3]) {
  const lcu_routine r = { CUX_SORT_NAME, uses, 3, call_hostsort };
  return lcu_routine_queue(s, &r, job);
}
