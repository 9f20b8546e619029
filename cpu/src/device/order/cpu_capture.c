/* cpu_capture.c: recording streams.
 *
 * cuStreamBeginCapture makes a stream the origin of a capture. Another stream joins the capture
 * when it waits for an event recorded in it. Until the origin ends the capture, operations of these
 * streams become nodes: each depends on the front of its stream, the nodes that the stream would
 * wait for, and then is the front. A call that a capture cannot record breaks it: later calls in
 * its streams fail, and so does cuStreamEndCapture, after which the streams are as before.
 *
 * The capture of a stream changes with cpu_graph_lock held. Only cpu_capturing reads it without. */
#include "cpu_capture.h"

#include <string.h>

#include "cpu_driver.h"
#include "cpu_enter.h"
#include "cpu_memory_node.h"

static struct {
  cpu_capture *first;
  uint64_t last_id;
  atomic_int count, blocking; /* captures; blocking streams in captures */
} captures;

static _Thread_local int thread_mode; /* cuThreadExchangeStreamCaptureMode */
static _Thread_local char this_thread;


/* ---- fronts ---- */

static bool has (const cpu_front *f, const cpu_node *n) {
  for (size_t i = 0; i < f->count; i++)
    if (f->nodes[i] == n) return true;
  return false;
}

static bool make_room_in_front (cpu_front *f, size_t count) {
  if (f->room >= count) return true;
  cpu_node **nodes = lcu_realloc(f->nodes, (count + 4) * sizeof *nodes);
  if (nodes == NULL) return false;
  f->nodes = nodes;
  f->room = count + 4;
  return true;
}

bool cpu_front_add (cpu_front *f, cpu_node *const *nodes, size_t count) {
  if (!make_room_in_front(f, f->count + count)) return false;
  for (size_t i = 0; i < count; i++)
    if (!has(f, nodes[i])) f->nodes[f->count++] = nodes[i];
  return true;
}

void cpu_front_clear (cpu_front *f) {
  lcu_free(f->nodes);
  *f = (cpu_front){ 0 };
}


/* ---- captures; these need the lock ---- */

static cpu_capture *capture_numbered (uint64_t id) {
  cpu_capture *c = captures.first;
  while (c != NULL && c->id != id) c = c->next;
  return c;
}

static bool add_captured_stream (cpu_capture *c, cpu_stream *s) {
  if (s->front == NULL && (s->front = lcu_calloc(1, sizeof *s->front)) == NULL) return false;
  s->next_captured = c->streams;
  c->streams = s;
  atomic_store_explicit(&s->capture, c, memory_order_relaxed);
  if (s->blocking) atomic_fetch_add(&captures.blocking, 1);
  return true;
}

static void release_stream (cpu_stream *s) {
  cpu_front_clear(s->front);
  lcu_free(s->front);
  s->front = NULL;
  atomic_store_explicit(&s->capture, NULL, memory_order_relaxed);
  if (s->blocking) atomic_fetch_sub(&captures.blocking, 1);
}

static void remove_stream (cpu_capture *c, cpu_stream *s) {
  cpu_stream **at = &c->streams;
  while (*at != s) at = &(*at)->next_captured;
  *at = s->next_captured;
  release_stream(s);
}

cu_result cpu_capture_begin (cpu_stream *s, cpu_graph *g, bool own, int mode) {
  cpu_capture *c = lcu_calloc(1, sizeof *c);
  if (c == NULL || !add_captured_stream(c, s)) {
    lcu_free(c);
    return CU_ERR_OUT_OF_MEMORY;
  }
  *c = (cpu_capture){ .id = ++captures.last_id,
                      .graph = g,
                      .own = own,
                      .mode = mode,
                      .thread = &this_thread,
                      .origin = s,
                      .streams = s,
                      .next = captures.first };
  captures.first = c;
  atomic_fetch_add(&captures.count, 1);
  g->captures++;
  return 0;
}

void cpu_capture_end (cpu_capture *c) {
  cpu_capture **at = &captures.first;
  while (*at != c) at = &(*at)->next;
  *at = c->next;
  while (c->streams != NULL) remove_stream(c, c->streams);
  cpu_front_clear(&c->left);
  c->graph->captures--;
  atomic_fetch_sub(&captures.count, 1);
  lcu_free(c);
}

/* Ends the captures that record into bodies of the graph. */
static void end_inner (const cpu_graph *g) {
  for (cpu_capture *c = captures.first, *next; c != NULL; c = next) {
    next = c->next;
    if (cpu_graph_root(c->graph) == g) cpu_capture_end(c);
  }
}

void cpu_capture_drop (cpu_capture *c) {
  cpu_graph *g = c->graph;
  bool own = c->own;
  cpu_capture_end(c);
  if (!own) {
    g->captures++; /* stays busy: with a driver of a GPU, destroying the graph around it crashes */
    return;
  }
  end_inner(g);
  cpu_graph_free(g);
}

cu_result cpu_capture_break (cpu_capture *c, cu_result why) {
  if (c->broken) return CU_ERR_STREAM_CAPTURE_INVALIDATED;
  c->broken = true;
  return why;
}


/* ---- recording ---- */

static cu_result record_node (cpu_stream *s, cu_node_type type, cpu_op *op, cpu_node **n) {
  cpu_capture *c = cpu_capture_of(s);
  cpu_front *f = s->front;
  if (c == NULL || c->broken || !make_room_in_front(f, 1)) {
    if (op != NULL) cpu_op_discard(op);
    return c == NULL || !c->broken ? CU_ERR_OUT_OF_MEMORY : CU_ERR_STREAM_CAPTURE_INVALIDATED;
  }
  *n = cpu_node_new(c->graph, type, op, f->nodes, f->count);
  if (*n == NULL) return cpu_capture_break(c, CU_ERR_OUT_OF_MEMORY);
  f->nodes[0] = *n;
  f->count = 1;
  return 0;
}

cu_result cpu_capture_op (cpu_stream *s, cu_node_type type, cpu_op *op, const cu_copy3d *copy) {
  cpu_node *n;
  pthread_mutex_lock(&cpu_graph_lock);
  cu_result r = record_node(s, type, op, &n);
  if (r == 0 && copy != NULL) n->copy = *copy;
  return cpu_graph_leave(r);
}

static cu_result record_memory (cpu_stream *s, cu_node_type type, cpu_block *b) {
  cpu_node *n;
  cu_result r = record_node(s, type, NULL, &n);
  if (r == 0) cpu_node_give_memory(n, b);
  return r;
}

cu_result cpu_capture_alloc (cpu_stream *s, cpu_block *b) {
  pthread_mutex_lock(&cpu_graph_lock);
  return cpu_graph_leave(record_memory(s, CU_NODE_MEM_ALLOC, b));
}

static cu_result record_free (const char *call, cpu_stream *s, uint64_t address) {
  cpu_block *b;
  const cpu_capture *c = cpu_capture_of(s);
  if (c == NULL) return CU_ERR_ILLEGAL_STATE;
  if (c->broken) return CU_ERR_STREAM_CAPTURE_INVALIDATED;
  cu_result r = cpu_node_check_free(call, c->graph, address, &b);
  if (r != 0) return r;
  r = record_memory(s, CU_NODE_MEM_FREE, b);
  if (r != 0) cpu_plan_drop(b);
  return r;
}

cu_result cpu_capture_free (const char *call, cpu_stream *s, uint64_t address) {
  pthread_mutex_lock(&cpu_graph_lock);
  return cpu_graph_leave(record_free(call, s, address));
}

cu_result cpu_capture_mark (cpu_stream *s, cpu_mark *out) {
  pthread_mutex_lock(&cpu_graph_lock);
  cpu_capture *c = cpu_capture_of(s);
  if (c == NULL) return cpu_graph_leave(CU_ERR_ILLEGAL_STATE);
  if (c->broken) return cpu_graph_leave(CU_ERR_STREAM_CAPTURE_INVALIDATED);
  if (!cpu_front_add(&out->front, s->front->nodes, s->front->count))
    return cpu_graph_leave(cpu_capture_break(c, CU_ERR_OUT_OF_MEMORY));
  out->capture = c->id;
  return cpu_graph_leave(0);
}

static cu_result join (cpu_stream *s, const cpu_mark *mark) {
  cpu_capture *own = cpu_capture_of(s), *c = capture_numbered(mark->capture);
  if (c == NULL)
    return own != NULL ? cpu_capture_break(own, CU_ERR_STREAM_CAPTURE_ISOLATION)
                       : CU_ERR_CAPTURED_EVENT;
  if (own != NULL && own != c) {
    own->broken = c->broken = true;
    return CU_ERR_STREAM_CAPTURE_MERGE;
  }
  if (c->broken) return CU_ERR_STREAM_CAPTURE_INVALIDATED;
  if (cpu_stream_is_null(s)) return cpu_capture_break(c, CU_ERR_STREAM_CAPTURE_IMPLICIT);
  if ((own == NULL && !add_captured_stream(c, s)) ||
      !cpu_front_add(s->front, mark->front.nodes, mark->front.count))
    return cpu_capture_break(c, CU_ERR_OUT_OF_MEMORY);
  return 0;
}

cu_result cpu_capture_join (cpu_stream *s, const cpu_mark *mark) {
  pthread_mutex_lock(&cpu_graph_lock);
  return cpu_graph_leave(join(s, mark));
}


/* ---- what a capture forbids ---- */

cu_result cpu_capture_forbid (cpu_stream *s) {
  if (!cpu_capturing(s)) return 0;
  pthread_mutex_lock(&cpu_graph_lock);
  cpu_capture *c = cpu_capture_of(s);
  return cpu_graph_leave(c != NULL ? cpu_capture_break(c, CU_ERR_STREAM_CAPTURE_UNSUPPORTED) : 0);
}

cu_result cpu_capture_isolate (cpu_stream *s) {
  pthread_mutex_lock(&cpu_graph_lock);
  cpu_capture *c = cpu_capture_of(s);
  return cpu_graph_leave(c != NULL ? cpu_capture_break(c, CU_ERR_STREAM_CAPTURE_ISOLATION) : 0);
}

cu_result cpu_capture_forbid_mark (uint64_t capture) {
  pthread_mutex_lock(&cpu_graph_lock);
  cpu_capture *c = capture_numbered(capture);
  if (c != NULL) c->broken = true;
  return cpu_graph_leave(CU_ERR_CAPTURED_EVENT);
}

/* Breaks the captures that `applies` to, and returns `why` if there was one. */
static cu_result forbid_where (bool (*applies)(const cpu_capture *c, cu_context ctx),
                               cu_context ctx, cu_result why) {
  cu_result r = 0;
  pthread_mutex_lock(&cpu_graph_lock);
  for (cpu_capture *c = captures.first; c != NULL; c = c->next) {
    if (!applies(c, ctx)) continue;
    c->broken = true;
    r = why;
  }
  return cpu_graph_leave(r);
}

static bool has_stream (const cpu_capture *c, cu_context ctx) {
  const cpu_stream *s = c->streams;
  while (s != NULL && s->context != ctx) s = s->next_captured;
  return s != NULL;
}

static bool has_blocking (const cpu_capture *c, cu_context ctx) {
  const cpu_stream *s = c->streams;
  while (s != NULL && !(s->blocking && s->context == ctx)) s = s->next_captured;
  return s != NULL;
}

bool cpu_capture_is_ours (const cpu_capture *c) { return c->thread == &this_thread; }

static bool forbids_unsafe (const cpu_capture *c, cu_context ctx) {
  (void)ctx;
  if (thread_mode == CU_CAPTURE_RELAXED || c->mode == CU_CAPTURE_RELAXED) return false;
  return cpu_capture_is_ours(c) ||
         (thread_mode == CU_CAPTURE_GLOBAL && c->mode == CU_CAPTURE_GLOBAL);
}

cu_result cpu_capture_forbid_all (cu_context ctx) {
  if (lcu_likely(atomic_load_explicit(&captures.count, memory_order_relaxed) == 0)) return 0;
  return forbid_where(has_stream, ctx, CU_ERR_STREAM_CAPTURE_UNSUPPORTED);
}

cu_result cpu_capture_forbid_unsafe (void) {
  if (lcu_likely(atomic_load_explicit(&captures.count, memory_order_relaxed) == 0)) return 0;
  return forbid_where(forbids_unsafe, NULL, CU_ERR_STREAM_CAPTURE_UNSUPPORTED);
}

cu_result cpu_capture_implicit (cu_context ctx) {
  if (lcu_likely(atomic_load_explicit(&captures.blocking, memory_order_relaxed) == 0)) return 0;
  return forbid_where(has_blocking, ctx, CU_ERR_STREAM_CAPTURE_IMPLICIT);
}

static void abandon (cpu_capture *c, cpu_stream *s) {
  if (c->origin == s) cpu_capture_drop(c);
  else {
    if (!cpu_front_add(&c->left, s->front->nodes, s->front->count)) c->broken = true;
    remove_stream(c, s);
  }
}

void cpu_capture_abandon (cpu_stream *s) {
  if (!cpu_capturing(s)) return;
  pthread_mutex_lock(&cpu_graph_lock);
  cpu_capture *c = cpu_capture_of(s);
  if (c != NULL) abandon(c, s);
  pthread_mutex_unlock(&cpu_graph_lock);
}

/* A stream of the context that is in a capture, or NULL. */
static cpu_stream *captured_stream (cu_context ctx) {
  for (cpu_capture *c = captures.first; c != NULL; c = c->next)
    for (cpu_stream *s = c->streams; s != NULL; s = s->next_captured)
      if (s->context == ctx) return s;
  return NULL;
}

void cpu_captures_abandon (cu_context ctx) {
  cpu_stream *s;
  pthread_mutex_lock(&cpu_graph_lock);
  while ((s = captured_stream(ctx)) != NULL) {
    cpu_capture_of(s)->broken = true;
    abandon(cpu_capture_of(s), s);
  }
  pthread_mutex_unlock(&cpu_graph_lock);
}

void cpu_captures_free (void) {
  while (captures.first != NULL) cpu_capture_drop(captures.first);
}

cu_result cpu_cuThreadExchangeStreamCaptureMode (int *mode) {
  cu_result r = cpu_enter_driver();
  if (r != 0) return r;
  if (mode == NULL || *mode < CU_CAPTURE_GLOBAL || *mode > CU_CAPTURE_RELAXED)
    return CU_ERR_INVALID_VALUE;
  int before = thread_mode;
  thread_mode = *mode;
  *mode = before;
  return 0;
}
