/* lcu_capture.c: captures: their streams and events, begin and end. */
#include "lcu_capture.h"

#include "lcu_capture_blocks.h"
#include "lcu_device_failure.h"
#include "lcu_function.h"
#include "lcu_module.h"
#include "lcu_order.h"
#include "lcu_recording.h"
#include "lcu_scope.h"

/* A stream of the capture, and the program's stream that it stands for. */
typedef struct branch {
  lcu_stream *stream, *of;
} branch;

/* An event of the program recorded in the capture, and the event that marks the point within. */
typedef struct mark {
  lcu_event *event; /* kept by `kept` */
  cu_event own;
} mark;

struct lcu_capture {
  lcu_device *device;
  lcu_stream *origin;
  cu_event start; /* where branches begin */
  branch *branches;
  size_t num_branches, branches_room;
  mark *marks;
  size_t num_marks, marks_room;
  lcu_capture_blocks blocks;
  lcu_kept kept;
};

lcu_device *lcu_capture_device (const lcu_capture *c) { return c->device; }
lcu_stream *lcu_capture_origin (const lcu_capture *c) { return c->origin; }


/* ---- streams ---- */

static lcu_status add_branch (lcu_capture *c, lcu_stream *stream, lcu_stream *of) {
  LCU_TRY(lcu_kept_room((void **)(void *)&c->branches, &c->branches_room, c->num_branches,
                        sizeof *c->branches, "a stream of a graph"));
  c->branches[c->num_branches++] = (branch){ lcu_ref(stream), lcu_ref(of) };
  return LCU_OK;
}

static lcu_status wait_start (lcu_capture *c, lcu_stream *s) {
  lcu_scope scope;
  LCU_TRY(lcu_device_enter(s->device, &scope));
  lcu_status st = lcu_device_status(
    s->device, LCU_CALL(s->device->drv, cuStreamWaitEvent, (s->handle, c->start, 0)));
  lcu_device_leave(&scope);
  return st;
}

static lcu_status fork_branch (lcu_capture *c, lcu_stream *of, lcu_stream **out) {
  lcu_stream *s;
  LCU_TRY(lcu_stream_create(of->device, of->priority, false, &s));
  lcu_status st = wait_start(c, s);
  if (st == LCU_OK) st = add_branch(c, s, of);
  if (st == LCU_OK) {
    s->capture = c;
    s->stands_for = of;
    *out = s;
  }
  lcu_unref(s);
  return st;
}

lcu_status lcu_capture_branch (lcu_capture *c, lcu_stream *s, lcu_stream **out) {
  *out = s;
  if (s->capture == c) return LCU_OK;
  for (size_t i = 0; i < c->num_branches; i++) {
    *out = c->branches[i].stream;
    if (c->branches[i].of == s) return LCU_OK;
  }
  if (s->device->drv != c->device->drv)
    return lcu_fail(LCU_E_STATE, "work of %s cannot be recorded in a graph of %s", s->device->label,
                    c->device->label);
  return fork_branch(c, s, out);
}

/* All branches lead into the origin, as the driver demands. */
static lcu_status join (lcu_capture *c) {
  lcu_status st = LCU_OK;
  for (size_t i = 0; i < c->num_branches && st == LCU_OK; i++)
    st = lcu_order_after(c->origin, c->branches[i].stream);
  return st;
}


/* ---- begin and end ---- */

static lcu_status begin_entered (lcu_capture *c) {
  const lcu_driver *drv = c->device->drv;
  LCU_TRY(LCU_CALL(drv, cuEventCreate, (&c->start, CU_EVENT_DISABLE_TIMING_)));
  LCU_TRY(LCU_CALL(drv, cuStreamBeginCapture, (c->origin->handle, CU_CAPTURE_RELAXED)));
  c->origin->capture = c;
  return LCU_CALL(drv, cuEventRecord, (c->start, c->origin->handle));
}

static lcu_status begin (lcu_capture *c) {
  lcu_scope scope;
  LCU_TRY(lcu_stream_create(c->device, 0, false, &c->origin));
  LCU_TRY(add_branch(c, c->origin, c->device->null_stream));
  LCU_TRY(lcu_device_enter(c->device, &scope));
  lcu_status st = lcu_device_status(c->device, begin_entered(c));
  lcu_device_leave(&scope);
  return st;
}

lcu_status lcu_capture_begin (lcu_device *d, lcu_capture **out) {
  LCU_TRY(lcu_device_open(d));
  lcu_capture *c = lcu_calloc(1, sizeof *c);
  if (c == NULL) return lcu_no_memory("a graph");
  c->device = c->kept.device = lcu_ref(d);
  lcu_recording_begin(d);
  lcu_status st = begin(c);
  if (st != LCU_OK) lcu_capture_abandon(c);
  else *out = c;
  return st;
}

static void free_events (lcu_capture *c) {
  lcu_scope scope;
  const lcu_driver *drv = c->device->drv;
  if (!lcu_device_enter_quiet(c->device, &scope)) return;
  if (c->start != NULL) lcu_device_defer(c->device, LCU_CALL(drv, cuEventDestroy, (c->start)));
  for (size_t i = 0; i < c->num_marks; i++)
    lcu_device_defer(c->device, LCU_CALL(drv, cuEventDestroy, (c->marks[i].own)));
  lcu_device_leave(&scope);
}

/* Nothing that was recorded runs: for the streams it counts as complete. */
static void leave_stream (lcu_stream *s) {
  s->capture = NULL;
  s->stands_for = NULL;
  lcu_stream_completed(s, atomic_load(&s->submitted));
}

static void capture_free (lcu_capture *c) {
  lcu_device *d = c->device;
  lcu_capture_blocks_free(&c->blocks);
  free_events(c);
  for (size_t i = 0; i < c->num_branches; i++) {
    leave_stream(c->branches[i].stream);
    lcu_unref(c->branches[i].stream);
    lcu_unref(c->branches[i].of);
  }
  lcu_unref(c->origin);
  lcu_kept_free(&c->kept);
  lcu_free(c->branches);
  lcu_free(c->marks);
  lcu_free(c);
  if (lcu_recording_end(d)) lcu_module_end_held(d);
  lcu_unref(d);
}

static lcu_status end_entered (lcu_capture *c, cu_graph *graph) {
  const lcu_driver *drv = c->device->drv;
  lcu_status st =
    lcu_device_status(c->device, LCU_CALL(drv, cuStreamEndCapture, (c->origin->handle, graph)));
  if (st == LCU_OK || *graph == NULL) return st;
  lcu_device_defer(c->device, LCU_CALL(drv, cuGraphDestroy, (*graph)));
  *graph = NULL;
  return st;
}

lcu_status lcu_capture_end (lcu_capture *c, cu_graph *graph, lcu_kept *kept) {
  lcu_scope scope;
  *graph = NULL;
  lcu_status st = join(c);
  if (st == LCU_OK) st = lcu_device_enter(c->device, &scope);
  if (st != LCU_OK) {
    lcu_capture_abandon(c);
    return st;
  }
  st = end_entered(c, graph);
  lcu_device_leave(&scope);
  if (st == LCU_OK) {
    *kept = c->kept;
    c->kept = (lcu_kept){ .device = c->device };
  }
  capture_free(c);
  return st;
}

/* The driver answers that the capture was broken: that is why it is abandoned. */
static bool is_broken (cu_result r) {
  return r >= CU_ERR_STREAM_CAPTURE_UNSUPPORTED && r <= CU_ERR_STREAM_CAPTURE_WRONG_THREAD;
}

static void drop_graph (lcu_capture *c) {
  const lcu_driver *drv = c->device->drv;
  cu_graph graph = NULL;
  cu_result r = drv->cuStreamEndCapture(c->origin->handle, &graph);
  if (r != 0 && !is_broken(r))
    lcu_device_defer(c->device,
                     lcu_device_status(c->device, lcu_driver_status(drv, "cuStreamEndCapture", r)));
  if (graph != NULL) lcu_device_defer(c->device, LCU_CALL(drv, cuGraphDestroy, (graph)));
}

/* Tries twice: while the origin is captured, the device cannot be waited for. */
static void end_quiet (lcu_capture *c) {
  lcu_scope scope;
  if (!lcu_device_enter_quiet(c->device, &scope) && !lcu_device_enter_quiet(c->device, &scope))
    return;
  drop_graph(c);
  lcu_device_leave(&scope);
}

void lcu_capture_abandon (lcu_capture *c) {
  if (c->origin != NULL && c->origin->capture == c) end_quiet(c);
  capture_free(c);
}


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

lcu_status lcu_capture_store (lcu_stream *s, cu_deviceptr dst, const void *src, size_t n) {
  const void *at;
  LCU_TRY(lcu_kept_copy(&s->capture->kept, src, n, &at));
  return lcu_device_status(s->device,
                           LCU_CALL(s->device->drv, cuMemcpyHtoDAsync, (dst, at, n, s->handle)));
}


/* ---- events ---- */

static mark *find_mark (lcu_capture *c, const lcu_event *e) {
  for (size_t i = 0; i < c->num_marks; i++)
    if (c->marks[i].event == e) return &c->marks[i];
  return NULL;
}

static lcu_status add_mark (lcu_capture *c, lcu_event *e, mark **out) {
  *out = find_mark(c, e);
  if (*out != NULL) return LCU_OK;
  LCU_TRY(lcu_kept_room((void **)(void *)&c->marks, &c->marks_room, c->num_marks, sizeof *c->marks,
                        "an event of a graph"));
  LCU_TRY(lcu_kept_event(&c->kept, e));
  mark m = { .event = e };
  LCU_TRY(LCU_CALL(c->device->drv, cuEventCreate, (&m.own, CU_EVENT_DISABLE_TIMING_)));
  c->marks[c->num_marks] = m;
  *out = &c->marks[c->num_marks++];
  return LCU_OK;
}

lcu_status lcu_capture_record (lcu_stream *s, lcu_event *e) {
  const lcu_driver *drv = s->device->drv;
  mark *m;
  LCU_TRY(add_mark(s->capture, e, &m));
  LCU_TRY(LCU_CALL(drv, cuEventRecordWithFlags, (e->handle, s->handle, CU_EVENT_RECORD_EXTERNAL_)));
  return LCU_CALL(drv, cuEventRecord, (m->own, s->handle));
}

lcu_status lcu_capture_wait (lcu_stream *s, lcu_event *e) {
  const lcu_driver *drv = s->device->drv;
  const mark *m = find_mark(s->capture, e);
  if (m != NULL) return LCU_CALL(drv, cuStreamWaitEvent, (s->handle, m->own, 0));
  LCU_TRY(lcu_kept_object(&s->capture->kept, &e->base));
  return LCU_CALL(drv, cuStreamWaitEvent, (s->handle, e->handle, CU_EVENT_WAIT_EXTERNAL_));
}
