/* cpu_capture_entry.c: entry points that begin, end and describe captures. */
#include "cpu_capture.h"
#include "cpu_driver.h"


/* ---- beginning ---- */

static cu_result check_begin (cpu_stream *s, int mode) {
  if (cpu_stream_is_null(s)) return CU_ERR_STREAM_CAPTURE_UNSUPPORTED;
  if (cpu_capture_of(s) != NULL) return CU_ERR_ILLEGAL_STATE;
  return mode < CU_CAPTURE_GLOBAL || mode > CU_CAPTURE_RELAXED ? CU_ERR_INVALID_VALUE : 0;
}

static cu_result begin_new (cpu_stream *s, int mode) {
  cu_result r = check_begin(s, mode);
  if (r != 0) return r;
  cpu_graph *g = cpu_graph_new();
  if (g == NULL) return CU_ERR_OUT_OF_MEMORY;
  r = cpu_capture_begin(s, g, true, mode);
  if (r != 0) cpu_graph_free(g);
  return r;
}

cu_result cpu_cuStreamBeginCapture (cu_stream handle, int mode) {
  cpu_stream *s;
  cu_result r = cpu_stream_enter(handle, &s);
  if (r != 0) return r;
  pthread_mutex_lock(&cpu_graph_lock);
  return cpu_graph_leave(begin_new(s, mode));
}

static cu_result begin_into (cpu_stream *s, cu_graph g, const cu_graph_node *deps, size_t n,
                             int mode) {
  cu_result r = check_begin(s, mode);
  if (r == 0 && (!cpu_object_is(CPU_GRAPH, g) || !cpu_graph_has(g, deps, n)))
    r = CU_ERR_INVALID_VALUE;
  if (r == 0) r = cpu_capture_begin(s, g, false, mode);
  if (r != 0 || cpu_front_add(s->front, deps, n)) return r;
  cpu_capture_drop(cpu_capture_of(s));
  return CU_ERR_OUT_OF_MEMORY;
}

cu_result cpu_cuStreamBeginCaptureToGraph (cu_stream handle, cu_graph g, const cu_graph_node *deps,
                                           const cu_edge_data *data, size_t n, int mode) {
  cpu_stream *s;
  cu_result r = cpu_stream_enter(handle, &s);
  (void)data;
  if (r != 0) return r;
  pthread_mutex_lock(&cpu_graph_lock);
  return cpu_graph_leave(begin_into(s, g, deps, n, mode));
}


/* ---- ending ---- */

/* Marks the nodes that come before the front. */
static void mark_before (const cpu_graph *g, const cpu_front *f, bool *before) {
  for (size_t i = 0; i < f->count; i++) before[f->nodes[i]->index] = true;
  for (size_t i = g->count; i-- > 0;)
    for (size_t j = 0; before[i] && j < g->nodes[i]->num_deps; j++)
      before[g->nodes[i]->deps[j]->index] = true;
}

static bool all_before (const cpu_front *f, const bool *before) {
  for (size_t i = 0; i < f->count; i++)
    if (!before[f->nodes[i]->index]) return false;
  return true;
}

/* Does the origin come after everything in the other streams? */
static cu_result check_joined (const cpu_capture *c) {
  bool *before = lcu_calloc(c->graph->count + 1, sizeof *before), joined = true;
  if (before == NULL) return CU_ERR_OUT_OF_MEMORY;
  mark_before(c->graph, c->origin->front, before);
  for (const cpu_stream *s = c->streams; s != NULL && joined; s = s->next_captured)
    joined = all_before(s->front, before);
  joined = joined && all_before(&c->left, before);
  lcu_free(before);
  return joined ? 0 : CU_ERR_STREAM_CAPTURE_UNJOINED;
}

static cu_result end (cpu_stream *s, cu_graph *g) {
  cpu_capture *c = cpu_capture_of(s);
  *g = NULL;
  if (c == NULL) return CU_ERR_ILLEGAL_STATE;
  if (c->origin != s) return cpu_capture_break(c, CU_ERR_STREAM_CAPTURE_UNMATCHED);
  if (c->mode != CU_CAPTURE_RELAXED && !cpu_capture_is_ours(c))
    return CU_ERR_STREAM_CAPTURE_WRONG_THREAD;
  cu_result r = c->broken ? CU_ERR_STREAM_CAPTURE_INVALIDATED : check_joined(c);
  if (r != 0) {
    cpu_capture_drop(c);
    return r;
  }
  *g = c->graph;
  cpu_capture_end(c);
  return 0;
}

cu_result cpu_cuStreamEndCapture (cu_stream handle, cu_graph *g) {
  cpu_stream *s;
  cu_result r = cpu_stream_enter(handle, &s);
  if (r != 0) return r;
  if (g == NULL) return CU_ERR_INVALID_VALUE;
  pthread_mutex_lock(&cpu_graph_lock);
  return cpu_graph_leave(end(s, g));
}


/* ---- state ---- */

static int status_of (cpu_stream *s) {
  const cpu_capture *c = cpu_capture_of(s);
  return c == NULL ? CU_CAPTURE_NONE : c->broken ? CU_CAPTURE_INVALIDATED : CU_CAPTURE_ACTIVE;
}

cu_result cpu_cuStreamIsCapturing (cu_stream handle, int *status) {
  cpu_stream *s;
  cu_result r = cpu_stream_enter(handle, &s);
  if (r != 0) return r;
  if (status == NULL) return CU_ERR_INVALID_VALUE;
  pthread_mutex_lock(&cpu_graph_lock);
  *status = status_of(s);
  return cpu_graph_leave(0);
}

/* Any place for an answer but `status` may be NULL. Only an active capture has the answers. */
cu_result cpu_cuStreamGetCaptureInfo (cu_stream handle, int *status, uint64_t *id, cu_graph *g,
                                      const cu_graph_node **deps, size_t *n) {
  cpu_stream *s;
  cu_result r = cpu_stream_enter(handle, &s);
  if (r != 0) return r;
  if (status == NULL) return CU_ERR_INVALID_VALUE;
  pthread_mutex_lock(&cpu_graph_lock);
  *status = status_of(s);
  if (*status != CU_CAPTURE_ACTIVE) return cpu_graph_leave(0);
  if (id != NULL) *id = cpu_capture_of(s)->id;
  if (g != NULL) *g = cpu_capture_of(s)->graph;
  if (deps != NULL) *deps = s->front->nodes;
  if (n != NULL) *n = s->front->count;
  return cpu_graph_leave(0);
}

static cu_result update_dependencies (cpu_stream *s, cu_graph_node *deps, size_t n,
                                      unsigned flags) {
  cpu_capture *c = cpu_capture_of(s);
  if (c == NULL) return CU_ERR_ILLEGAL_STATE;
  if (c->broken) return CU_ERR_STREAM_CAPTURE_INVALIDATED;
  if (flags > CU_CAPTURE_SET_DEPENDENCIES || !cpu_graph_has(c->graph, deps, n))
    return CU_ERR_INVALID_VALUE;
  if (flags == CU_CAPTURE_SET_DEPENDENCIES) s->front->count = 0;
  return cpu_front_add(s->front, deps, n) ? 0 : cpu_capture_break(c, CU_ERR_OUT_OF_MEMORY);
}

cu_result cpu_cuStreamUpdateCaptureDependencies (cu_stream handle, cu_graph_node *deps, size_t n,
                                                 unsigned flags) {
  cpu_stream *s;
  cu_result r = cpu_stream_enter(handle, &s);
  if (r != 0) return r;
  pthread_mutex_lock(&cpu_graph_lock);
  return cpu_graph_leave(update_dependencies(s, deps, n, flags));
}
