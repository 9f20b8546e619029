/* lcu_graph.c: graphs: creation, launches, end. */
#include "lcu_graph.h"

#include "lcu_comm.h"
#include "lcu_comm_guard.h"
#include "lcu_device_failure.h"
#include "lcu_scope.h"
#include "lcu_timeline.h"
#include "lcu_wait.h"

/* ---- the two parts ---- */

static void destroy_graph (lcu_device *d, cu_graph g) {
  lcu_scope scope;
  if (g == NULL || !lcu_device_enter_quiet(d, &scope)) return;
  lcu_device_defer(d, LCU_CALL(d->drv, cuGraphDestroy, (g)));
  lcu_device_leave(&scope);
}

static void release_recording (void *ud) {
  lcu_recording *r = ud;
  destroy_graph(r->device, r->graph);
  lcu_kept_free(&r->kept);
  lcu_unref(r->device);
  lcu_free(r);
}

static void release_executable (void *ud) {
  lcu_executable *x = ud;
  lcu_scope scope;
  if (x->exec != NULL && lcu_device_enter_quiet(x->device, &scope)) {
    lcu_device_defer(x->device, LCU_CALL(x->device->drv, cuGraphExecDestroy, (x->exec)));
    lcu_device_leave(&scope);
  }
  destroy_graph(x->device, x->origin);
  lcu_unref(x->recorded);
  lcu_unref(x->device);
  lcu_free(x->nodes);
  lcu_free(x);
}

/* Makes the block that holds a part; frees the part if that fails. */
static lcu_status hold (lcu_device *d, void (*release)(void *ud), void *part, lcu_block **out) {
  lcu_status st = lcu_block_wrap(d, LCU_MEM_FOREIGN, 0, NULL, 0, release, part, out);
  if (st != LCU_OK) release(part);
  return st;
}

lcu_status lcu_graph_hold (lcu_recording *r, lcu_block **out) {
  return hold(r->device, release_recording, r, out);
}

lcu_status lcu_graph_record (lcu_device *d, lcu_capture *c, lcu_recording **out,
                             lcu_block **holder) {
  lcu_recording *r = lcu_calloc(1, sizeof *r);
  if (r == NULL) {
    lcu_capture_abandon(c);
    return lcu_no_memory("a graph");
  }
  r->device = lcu_ref(d);
  r->kept.device = d;
  lcu_status st = lcu_capture_end(c, &r->graph, &r->kept);
  if (st != LCU_OK) {
    release_recording(r);
    return st;
  }
  *out = r;
  return lcu_graph_hold(r, holder);
}

static lcu_status instantiate_entered (lcu_graph *g, lcu_executable *x) {
  const lcu_kept *k = &g->recording->kept;
  x->nodes = lcu_calloc(k->num_kernels + 1, sizeof *x->nodes);
  if (x->nodes == NULL) return lcu_no_memory("a graph");
  x->num_nodes = k->num_kernels;
  for (size_t i = 0; i < k->num_kernels; i++) x->nodes[i] = k->kernels[i].node;
  lcu_status st = lcu_comm_guard_device(g->device);
  if (st == LCU_OK)
    st = LCU_CALL(g->device->drv, cuGraphInstantiateWithFlags, (&x->exec, g->recording->graph, 0));
  if (st != LCU_OK) x->exec = NULL;
  return lcu_device_status(g->device, st);
}

lcu_status lcu_graph_instantiate (lcu_graph *g) {
  lcu_scope scope;
  lcu_executable *x = lcu_calloc(1, sizeof *x);
  if (x == NULL) return lcu_no_memory("a graph");
  x->device = lcu_ref(g->device);
  x->recorded = lcu_ref(g->recorded);
  lcu_status st = lcu_device_enter(g->device, &scope);
  if (st == LCU_OK) {
    st = instantiate_entered(g, x);
    lcu_device_leave(&scope);
  }
  if (st != LCU_OK) {
    release_executable(x);
    return st;
  }
  g->x = x;
  return hold(g->device, release_executable, x, &g->executable);
}


/* ---- graphs ---- */

static void graph_destroy (lcu_object *o) {
  lcu_graph *g = (lcu_graph *)(void *)o;
  lcu_unref(g->executable);
  lcu_unref(g->recorded);
  lcu_unref(g->device);
  lcu_free(g->uses);
  lcu_free(g);
}

lcu_status lcu_graph_list_uses (lcu_graph *g) {
  const lcu_kept *k = &g->recording->kept;
  lcu_use *uses = lcu_calloc(k->num_uses + 2, sizeof *uses);
  if (uses == NULL) return lcu_no_memory("a graph");
  uses[0] = (lcu_use){ g->executable, true };
  uses[1] = (lcu_use){ g->recorded, true };
  for (size_t i = 0; i < k->num_uses; i++) uses[i + 2] = k->uses[i];
  lcu_free(g->uses);
  g->uses = uses;
  g->num_uses = k->num_uses + 2;
  return LCU_OK;
}

lcu_graph *lcu_graph_new (lcu_device *d) {
  static atomic_uint_fast64_t next_id = 1;
  lcu_graph *g = lcu_calloc(1, sizeof *g);
  if (g == NULL) {
    lcu_no_memory("a graph");
    return NULL;
  }
  g->device = lcu_ref(d);
  g->id = UINT64_MAX - atomic_fetch_add(&next_id, 1);
  lcu_object_init(&g->base, LCU_OBJ_GRAPH, graph_destroy);
  return g;
}

lcu_status lcu_graph_create (lcu_capture *c, lcu_graph **out) {
  lcu_graph *g = lcu_graph_new(lcu_capture_device(c));
  if (g == NULL) {
    lcu_capture_abandon(c);
    return LCU_E_NOMEM;
  }
  lcu_status st = lcu_graph_record(g->device, c, &g->recording, &g->recorded);
  if (st == LCU_OK) st = lcu_graph_instantiate(g);
  if (st == LCU_OK) st = lcu_graph_list_uses(g);
  if (st == LCU_OK) *out = g;
  else lcu_unref(g);
  return st;
}


/* ---- launches ---- */

/* The stream's count before the launch: an event in the middle does not cover all of it. */
static void note_events (const lcu_kept *k, lcu_stream *s, uint64_t seq) {
  for (size_t i = 0; i < k->num_events; i++) lcu_event_noted(k->events[i], s, seq);
}

/* For cuda.profile all work of the graph is one span. */
static lcu_status queue_graph (lcu_graph *g, lcu_stream *s) {
  bool timed = lcu_timeline_on();
  if (timed) {
    lcu_timeline_open(s, LCU_SPAN_KERNEL);
    lcu_timeline_kernel("graph", NULL, NULL);
  }
  lcu_status st = LCU_CALL(g->device->drv, cuGraphLaunch, (g->x->exec, s->handle));
  if (timed) lcu_timeline_close(s, st);
  return lcu_device_status(g->device, st);
}

static lcu_status begin_comms (const lcu_kept *k, lcu_stream *s) {
  for (size_t i = 0; i < k->num_comms; i++) {
    LCU_TRY(lcu_device_status(k->device, lcu_comm_check(k->comms[i])));
    LCU_TRY(lcu_device_status(k->device, lcu_comm_queueing(k->comms[i], s, false)));
  }
  return LCU_OK;
}

static void note_comms (const lcu_kept *k, lcu_stream *s) {
  uint64_t seq = atomic_load(&s->submitted);
  for (size_t i = 0; i < k->num_comms; i++) lcu_comm_queued(k->comms[i], s, seq);
}

static lcu_status launch_graph_entered (lcu_graph *g, lcu_stream *s) {
  const lcu_kept *k = &g->recording->kept;
  LCU_TRY(lcu_work_begin(s, g->uses, g->num_uses));
  LCU_TRY(begin_comms(k, s));
  uint64_t seq = atomic_load(&s->submitted);
  LCU_TRY(queue_graph(g, s));
  lcu_work_end_kernel(s, g->uses, g->num_uses, true, "a graph", g->id);
  note_events(k, s, seq);
  note_comms(k, s);
  return LCU_OK;
}

lcu_status lcu_graph_launch (lcu_graph *g, lcu_stream *s) {
  lcu_scope scope;
  LCU_TRY(lcu_device_enter(g->device, &scope));
  lcu_status st = launch_graph_entered(g, s);
  lcu_device_leave(&scope);
  if (lcu_unlikely(lcu_process_launches_wait()) && st == LCU_OK) return lcu_stream_synchronize(s);
  return st;
}
