/* lcu_routine.c: see lcu_routine.h. */
#include "lcu_routine.h"

#include "lcu_device_failure.h"
#include "lcu_scope.h"
#include "lcu_timeline.h"
#include "lcu_wait.h"

static lcu_status queue_job (lcu_stream *s, const lcu_routine *r, const void *job) {
  LCU_TRY(lcu_work_begin(s, r->uses, r->num_uses));
  if (lcu_timeline_on()) lcu_timeline_open_routine(s, r->name);
  lcu_status st = r->queue(s, job);
  if (lcu_timeline_on()) lcu_timeline_close(s, st);
  lcu_work_end_kernel(s, r->uses, r->num_uses, true, r->name, LCU_NO_KERNEL);
  return lcu_device_status(s->device, st);
}

lcu_status lcu_routine_queue (lcu_stream *s, const lcu_routine *r, const void *job) {
  lcu_scope scope;
  LCU_TRY(lcu_device_enter(s->device, &scope));
  lcu_status st = queue_job(s, r, job);
  lcu_device_leave(&scope);
  if (lcu_unlikely(lcu_process_launches_wait()) && st == LCU_OK && s->capture == NULL)
    return lcu_stream_synchronize(s);
  return st;
}
