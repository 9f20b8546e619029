/* lcu_capture_work.c: what captures note about the work on their streams. */
#include "lcu_capture_own.h"

#include "lcu_comm.h"
#include "lcu_device_failure.h"
#include "lcu_function.h"

/* ---- work ---- */

lcu_status lcu_capture_begin_use (lcu_capture *c, const lcu_use *uses, size_t n,
                                  const lcu_use **out) {
  return lcu_capture_blocks_find(&c->blocks, &c->kept, uses, n, true, out);
}

lcu_status lcu_capture_end_use (lcu_capture *c, const lcu_use *uses, size_t n,
                                const lcu_use **out) {
  return lcu_capture_blocks_find(&c->blocks, &c->kept, uses, n, false, out);
}

lcu_status lcu_capture_kernel (lcu_stream *s, lcu_kept_kernel *kernel, const lcu_use *uses,
                               size_t n) {
  const lcu_driver *drv = s->device->drv;
  const cu_graph_node *last = NULL;
  size_t num = 0;
  int status;
  LCU_TRY(LCU_CALL(drv, cuStreamGetCaptureInfo, (s->handle, &status, NULL, NULL, &last, &num)));
  if (num != 1) return lcu_fail(LCU_E_STATE, "another user of its stream has ended the recording");
  kernel->node = last[0];
  LCU_TRY(lcu_kept_object(&s->capture->kept, &kernel->function->base));
  return lcu_kept_add_kernel(&s->capture->kept, kernel, uses, n);
}

lcu_status lcu_capture_comm (lcu_stream *s, lcu_comm *comm) {
  return lcu_kept_comm(&s->capture->kept, comm);
}

lcu_status lcu_capture_store (lcu_stream *s, cu_deviceptr dst, const void *src, size_t n) {
  const void *at;
  LCU_TRY(lcu_kept_copy(&s->capture->kept, src, n, &at));
  return lcu_device_status(s->device,
                           LCU_CALL(s->device->drv, cuMemcpyHtoDAsync, (dst, at, n, s->handle)));
}

lcu_status lcu_capture_workspace (lcu_stream *s, size_t size, lcu_block **out) {
  lcu_capture *c = s->capture;
  size_t i = 0;
  while (c->branches[i].stream != s) i++;
  if (c->branches[i].workspace == NULL)
    LCU_TRY(lcu_block_alloc(s->device, size, s, &c->branches[i].workspace));
  *out = c->branches[i].workspace;
  return LCU_OK;
}


/* ---- events ---- */

static lcu_capture_mark *find_mark (const lcu_capture *c, const lcu_event *e) {
  for (size_t i = 0; i < c->num_marks; i++)
    if (c->marks[i].event == e) return &c->marks[i];
  return NULL;
}

static lcu_status add_mark (lcu_capture *c, lcu_event *e, lcu_capture_mark **out) {
  *out = find_mark(c, e);
  if (*out != NULL) return LCU_OK;
  LCU_TRY(lcu_kept_room((void **)(void *)&c->marks, &c->marks_room, c->num_marks, sizeof *c->marks,
                        "an event of a graph"));
  LCU_TRY(lcu_kept_event(&c->kept, e));
  lcu_capture_mark m = { .event = e };
  LCU_TRY(LCU_CALL(c->device->drv, cuEventCreate, (&m.own, CU_EVENT_DISABLE_TIMING_)));
  c->marks[c->num_marks] = m;
  *out = &c->marks[c->num_marks++];
  return LCU_OK;
}

/* The driver allows kernels, copies and fills in the body of a conditional node. */
static lcu_status check_event (const lcu_capture *c, const char *what) {
  if (c->parent == NULL) return LCU_OK;
  return lcu_fail(LCU_E_STATE, "%s cannot be recorded under a condition", what);
}

lcu_status lcu_capture_record (lcu_stream *s, lcu_event *e) {
  const lcu_driver *drv = s->device->drv;
  lcu_capture_mark *m;
  LCU_TRY(check_event(s->capture, "event:record"));
  LCU_TRY(add_mark(s->capture, e, &m));
  LCU_TRY(LCU_CALL(drv, cuEventRecordWithFlags, (e->handle, s->handle, CU_EVENT_RECORD_EXTERNAL_)));
  return LCU_CALL(drv, cuEventRecord, (m->own, s->handle));
}

/* Recorded around a body: the body comes after it. */
static bool is_marked_around (const lcu_capture *c, const lcu_event *e) {
  while ((c = c->parent) != NULL)
    if (find_mark(c, e) != NULL) return true;
  return false;
}

lcu_status lcu_capture_wait (lcu_stream *s, lcu_event *e) {
  const lcu_driver *drv = s->device->drv;
  const lcu_capture_mark *m = find_mark(s->capture, e);
  if (m != NULL) return LCU_CALL(drv, cuStreamWaitEvent, (s->handle, m->own, 0));
  if (is_marked_around(s->capture, e)) return LCU_OK;
  LCU_TRY(check_event(s->capture, "waiting for an event"));
  LCU_TRY(lcu_kept_object(&s->capture->kept, &e->base));
  return LCU_CALL(drv, cuStreamWaitEvent, (s->handle, e->handle, CU_EVENT_WAIT_EXTERNAL_));
}
