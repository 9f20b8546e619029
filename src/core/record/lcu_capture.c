/* lcu_capture.c: captures: their streams and events, begin and end. */
#include "lcu_capture_own.h"

#include "lcu_device_failure.h"
#include "lcu_module.h"
#include "lcu_stream.h"
#include "lcu_device.h"
#include "lcu_scope.h"

lcu_device *lcu_capture_device (const lcu_capture *c) { return c->device; }
lcu_stream *lcu_capture_origin (const lcu_capture *c) { return c->origin; }


/* ---- streams ---- */

static lcu_status add_branch (lcu_capture *c, lcu_stream *stream, lcu_stream *of) {
  LCU_TRY(lcu_kept_room((void **)(void *)&c->branches, &c->branches_room, c->num_branches,
                        sizeof *c->branches, "a stream of a graph"));
  c->branches[c->num_branches++] = (lcu_branch){ lcu_ref(stream), lcu_ref(of), NULL };
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

lcu_stream *lcu_capture_stands_for (lcu_stream *s) {
  while (s->stands_for != NULL) s = s->stands_for;
  return s->capture != NULL ? s->device->null_stream : s;
}

static lcu_status check_device (const lcu_capture *c, const lcu_device *d) {
  bool contexts = d->parent != NULL || c->device->parent != NULL; /* one may end earlier */
  if (d->drv != c->device->drv || (contexts && d != c->device))
    return lcu_fail(LCU_E_STATE, "work of %s cannot be recorded in a graph of %s", d->label,
                    c->device->label);
  if (c->parent != NULL && d != c->device)
    return lcu_fail(LCU_E_STATE, "work of %s cannot be recorded under a condition of %s", d->label,
                    c->device->label);
  return LCU_OK;
}

lcu_status lcu_capture_branch (lcu_capture *c, lcu_stream *s, lcu_stream **out) {
  *out = s;
  if (s->capture == c) return LCU_OK;
  s = lcu_capture_stands_for(s);
  for (size_t i = 0; i < c->num_branches; i++) {
    *out = c->branches[i].stream;
    if (c->branches[i].of == s) return LCU_OK;
  }
  LCU_TRY(check_device(c, s->device));
  return fork_branch(c, s, out);
}

bool lcu_capture_is_body (const lcu_capture *c) { return c->parent != NULL; }

lcu_status lcu_capture_join (lcu_capture *c, lcu_stream *s) {
  lcu_status st = LCU_OK;
  for (size_t i = 0; i < c->num_branches && st == LCU_OK; i++)
    st = lcu_order_after(s, c->branches[i].stream);
  return st;
}


/* ---- begin and end ---- */

static lcu_status begin_driver (const lcu_capture *c) {
  const lcu_driver *drv = c->device->drv;
  if (c->body == NULL)
    return LCU_CALL(drv, cuStreamBeginCapture, (c->origin->handle, CU_CAPTURE_RELAXED));
  return LCU_CALL(drv, cuStreamBeginCaptureToGraph,
                  (c->origin->handle, c->body, NULL, NULL, 0, CU_CAPTURE_RELAXED));
}

static lcu_status begin_entered (lcu_capture *c) {
  const lcu_driver *drv = c->device->drv;
  LCU_TRY(LCU_CALL(drv, cuEventCreate, (&c->start, CU_EVENT_DISABLE_TIMING_)));
  LCU_TRY(begin_driver(c));
  c->origin->capture = c;
  return LCU_CALL(drv, cuEventRecord, (c->start, c->origin->handle));
}

lcu_status lcu_capture_start (lcu_capture *c, lcu_stream *of) {
  lcu_scope scope;
  LCU_TRY(lcu_stream_create(c->device, of->priority, false, &c->origin));
  LCU_TRY(add_branch(c, c->origin, of));
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
  lcu_status st = lcu_capture_start(c, d->null_stream);
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

void lcu_capture_free (lcu_capture *c) {
  lcu_device *d = c->device;
  lcu_capture_blocks_free(&c->blocks);
  free_events(c);
  for (size_t i = 0; i < c->num_branches; i++) {
    leave_stream(c->branches[i].stream);
    lcu_unref(c->branches[i].stream);
    lcu_unref(c->branches[i].of);
    lcu_unref(c->branches[i].workspace);
  }
  lcu_unref(c->origin);
  lcu_kept_free(&c->kept);
  lcu_object_unref(c->setter);
  lcu_free(c->conditions);
  lcu_free(c->branches);
  lcu_free(c->marks);
  lcu_free(c);
  if (lcu_recording_end(d)) lcu_module_end_held(d);
  lcu_unref(d);
}

/* The recording of a body did not end well. If the graph around it were destroyed now, a GPU's
 * driver (580, for CUDA 13.0) would free the memory of the body twice. So that graph is never
 * destroyed. */
static void keep_graph (lcu_capture *c) {
  if (c->body != NULL) lcu_capture_root(c)->keeps_graph = true;
}

/* The driver's graph of a body belongs to its node. */
static void destroy_graph (const lcu_capture *c, cu_graph *graph) {
  if (*graph != NULL && c->body == NULL && !c->keeps_graph)
    lcu_device_defer(c->device, LCU_CALL(c->device->drv, cuGraphDestroy, (*graph)));
  *graph = NULL;
}

static lcu_status end_entered (lcu_capture *c, cu_graph *graph) {
  lcu_status st = lcu_device_status(
    c->device, LCU_CALL(c->device->drv, cuStreamEndCapture, (c->origin->handle, graph)));
  if (st != LCU_OK) {
    keep_graph(c);
    destroy_graph(c, graph);
  }
  return st;
}

static lcu_status check_complete (const lcu_capture *c) {
  if (c->incomplete > 0)
    return lcu_fail(LCU_E_STATE, "the work under a condition was not recorded to its end, because "
                                 "of an earlier error");
  if (c->num_conditions > 0)
    return lcu_fail(LCU_E_STATE, "a condition made with stream:condition was not given to "
                                 "stream:when, stream:loop or stream:switch");
  return LCU_OK;
}

lcu_status lcu_capture_finish (lcu_capture *c, cu_graph *graph) {
  lcu_scope scope;
  *graph = NULL;
  LCU_TRY(check_complete(c));
  LCU_TRY(lcu_capture_join(c, c->origin));
  LCU_TRY(lcu_device_enter(c->device, &scope));
  lcu_status st = end_entered(c, graph);
  lcu_device_leave(&scope);
  c->origin->capture = NULL; /* it has ended */
  return st;
}

lcu_status lcu_capture_end (lcu_capture *c, cu_graph *graph, lcu_kept *kept) {
  lcu_status st = lcu_capture_finish(c, graph);
  if (st != LCU_OK) {
    lcu_capture_abandon(c);
    return st;
  }
  *kept = c->kept;
  c->kept = (lcu_kept){ .device = c->device };
  lcu_capture_free(c);
  return LCU_OK;
}

/* The driver answers that the capture was broken: that is why it is abandoned. */
static bool is_broken (cu_result r) {
  return r >= CU_ERR_STREAM_CAPTURE_UNSUPPORTED && r <= CU_ERR_STREAM_CAPTURE_WRONG_THREAD;
}

/* The driver destroys the graph of a capture whose streams are not joined. */
static void drop_graph (lcu_capture *c) {
  const lcu_driver *drv = c->device->drv;
  cu_graph graph = NULL;
  if (c->body != NULL || c->keeps_graph) (void)lcu_capture_join(c, c->origin);
  cu_result r = drv->cuStreamEndCapture(c->origin->handle, &graph);
  if (r != 0) keep_graph(c);
  if (r != 0 && !is_broken(r))
    lcu_device_defer(c->device,
                     lcu_device_status(c->device, lcu_driver_status(drv, "cuStreamEndCapture", r)));
  destroy_graph(c, &graph);
}

/* Tries twice: while the origin is captured, the device cannot be waited for. */
static void end_quiet (lcu_capture *c) {
  lcu_scope scope;
  if (!lcu_device_enter_release(c->device, &scope)) {
    keep_graph(c);
    return;
  }
  drop_graph(c);
  lcu_device_leave(&scope);
}

void lcu_capture_abandon (lcu_capture *c) {
  if (c->origin != NULL && c->origin->capture == c) end_quiet(c);
  lcu_capture_free(c);
}
