/* cpu_driver_graph.h: tests of stream capture and of graphs. */
#ifndef CPU_DRIVER_GRAPH_H
#define CPU_DRIVER_GRAPH_H

#include "cpu_driver_stream.h"

static void capture (cu_stream s) { OK(d->cuStreamBeginCapture(s, CU_CAPTURE_RELAXED)); }

static cu_graph end_capture (cu_stream s) {
  cu_graph g = NULL;
  OK(d->cuStreamEndCapture(s, &g));
  return g;
}

static cu_graph_exec instantiate (cu_graph g) {
  cu_graph_exec e = NULL;
  OK(d->cuGraphInstantiateWithFlags(&e, g, 0));
  return e;
}

static void run_graph (cu_graph_exec e, cu_stream s) {
  OK(d->cuGraphLaunch(e, s));
  OK(d->cuStreamSynchronize(s));
}

static size_t node_count (cu_graph g) {
  size_t n = 99;
  OK(d->cuGraphGetNodes(g, NULL, &n));
  return n;
}

static size_t edge_count (cu_graph g) {
  size_t n = 99;
  OK(d->cuGraphGetEdges(g, NULL, NULL, NULL, &n));
  return n;
}

static int capture_status (cu_stream s) {
  int status = -1;
  OK(d->cuStreamIsCapturing(s, &status));
  return status;
}

/* What the tests share: a stream, 64 ints on the device, kernels. */
enum { CELLS = 64 };
typedef struct bench {
  cu_module m;
  cu_function add, scale, count_up;
  cu_stream s, t;
  cu_event e, f;
  cu_deviceptr p, q;
  int *host, *pinned;
} bench;

static bench bench_open (void) {
  bench b = { .m = stored_module() };
  void *pinned = NULL;
  b.add = function(b.m, "add");
  b.scale = function(b.m, "scale");
  b.count_up = function(b.m, "count_up");
  b.s = new_stream(CU_STREAM_NON_BLOCKING_);
  b.t = new_stream(CU_STREAM_NON_BLOCKING_);
  b.e = new_event();
  b.f = new_event();
  b.p = device_alloc(CELLS * 4);
  b.q = device_alloc(CELLS * 4);
  OK(d->cuMemHostAlloc(&pinned, CELLS * 4, 0));
  b.pinned = pinned;
  b.host = calloc(CELLS, 4);
  return b;
}

static void bench_close (bench *b) {
  OK(d->cuMemFree(b->p));
  OK(d->cuMemFree(b->q));
  OK(d->cuMemFreeHost(b->pinned));
  free(b->host);
  OK(d->cuEventDestroy(b->e));
  OK(d->cuEventDestroy(b->f));
  OK(d->cuStreamDestroy(b->s));
  OK(d->cuStreamDestroy(b->t));
  OK(d->cuModuleUnload(b->m));
}

static void fill_cells (bench *b, cu_deviceptr p, int first) {
  for (int i = 0; i < CELLS; i++) b->host[i] = first + i;
  OK(d->cuMemcpyHtoDAsync(p, b->host, CELLS * 4, b->s));
  OK(d->cuStreamSynchronize(b->s));
}

/* Is cell i first + i * step? */
static bool cells_are (bench *b, cu_deviceptr p, int first, int step) {
  bool same = true;
  OK(d->cuMemcpyDtoHAsync(b->host, p, CELLS * 4, b->s));
  OK(d->cuStreamSynchronize(b->s));
  for (int i = 0; i < CELLS; i++) same = same && b->host[i] == first + i * step;
  return same;
}

static void launch_scale (bench *b, cu_stream s, cu_deviceptr p, int by) {
  int n = CELLS;
  OK(launch1(b->scale, 1, CELLS, s, (void *[]){ &p, &n, &by }));
}

/* Nothing runs while it is captured, and everything runs at each launch, in order and with the
 * arguments of the capture. */
static void test_graph_replay (bench *b) {
  fill_cells(b, b->p, 1);
  fill_cells(b, b->q, 0);
  capture(b->s);
  CHECK(capture_status(b->s) == CU_CAPTURE_ACTIVE);
  launch_scale(b, b->s, b->p, 3);
  launch_scale(b, b->s, b->p, 2);
  OK(d->cuMemcpyDtoDAsync(b->q, b->p, CELLS * 4, b->s));
  cu_graph g = end_capture(b->s);
  CHECK(capture_status(b->s) == CU_CAPTURE_NONE);
  CHECK(node_count(g) == 3 && edge_count(g) == 2);
  CHECK(cells_are(b, b->p, 1, 1) && cells_are(b, b->q, 0, 1));
  cu_graph_exec e = instantiate(g);
  OK(d->cuGraphDestroy(g));
  OK(d->cuGraphUpload(e, b->s));
  run_graph(e, b->s);
  CHECK(cells_are(b, b->q, 6, 6));
  run_graph(e, b->t);
  run_graph(e, NULL);
  CHECK(cells_are(b, b->q, 216, 216));
  OK(d->cuGraphExecDestroy(e));
}

/* Copies and fills of every kind. Host memory is used when the graph runs. */
static void test_graph_copies (bench *b) {
  cu_copy2d c = { .src_type = CU_MEMTYPE_DEVICE,
                  .src_device = b->p,
                  .src_pitch = 32,
                  .dst_type = CU_MEMTYPE_HOST,
                  .dst_host = b->pinned,
                  .dst_pitch = 16,
                  .width = 8,
                  .height = 4 };
  capture(b->s);
  OK(d->cuMemcpyHtoDAsync(b->p, b->pinned, CELLS * 4, b->s));
  OK(d->cuMemsetD32Async(b->p, 7, 4, b->s));
  OK(d->cuMemsetD8Async(b->p + 16, 1, 4, b->s));
  OK(d->cuMemsetD2D16Async(b->p + 64, 32, 2, 2, 2, b->s));
  OK(d->cuMemcpyAsync(b->q, b->p, CELLS * 4, b->s));
  OK(d->cuMemcpyDtoHAsync(b->pinned, b->q, CELLS * 4, b->s));
  OK(d->cuMemcpy2DAsync(&c, b->s));
  cu_graph g = end_capture(b->s);
  CHECK(node_count(g) == 7 && edge_count(g) == 6);
  cu_graph_exec e = instantiate(g);
  for (int i = 0; i < CELLS; i++) b->pinned[i] = 1000 + i;
  run_graph(e, b->s);
  OK(d->cuMemcpyDtoHAsync(b->host, b->q, CELLS * 4, b->s));
  OK(d->cuStreamSynchronize(b->s));
  CHECK(b->host[0] == 7 && b->host[3] == 7 && b->host[4] == 0x01010101 && b->host[5] == 1005);
  CHECK(b->host[16] == 0x00020002 && b->host[17] == 1017 && b->host[24] == 0x00020002);
  CHECK(b->host[63] == 1063);
  CHECK(b->pinned[0] == 7 && b->pinned[1] == 7 && b->pinned[2] == 7 && b->pinned[5] == 1009);
  CHECK(b->pinned[4] == 1008 && b->pinned[12] == 1024 - 1024 + 0x00020002);
  OK(d->cuGraphExecDestroy(e));
  OK(d->cuGraphDestroy(g));
}

/* A second stream joins by an event, and its work comes between. */
static void test_graph_fork (bench *b) {
  cu_graph_node nodes[8], from[8], to[8];
  size_t n = 8, edges = 8, deps = 8;
  int type = -1, cells = CELLS;
  capture(b->s);
  OK(d->cuMemsetD32Async(b->p, 5, CELLS, b->s));
  OK(d->cuEventRecord(b->e, b->s));
  OK(d->cuStreamWaitEvent(b->t, b->e, 0));
  CHECK(capture_status(b->t) == CU_CAPTURE_ACTIVE);
  OK(d->cuMemcpyDtoDAsync(b->q, b->p, CELLS * 4, b->t));
  launch_scale(b, b->t, b->q, 10);
  OK(d->cuEventRecord(b->f, b->t));
  launch_scale(b, b->s, b->p, 2);
  OK(d->cuStreamWaitEvent(b->s, b->f, 0));
  OK(launch1(b->add, 1, CELLS, b->s, (void *[]){ &b->p, &b->q, &b->p, &cells }));
  cu_graph g = end_capture(b->s);
  CHECK(capture_status(b->t) == CU_CAPTURE_NONE);
  OK(d->cuGraphGetNodes(g, nodes, &n));
  OK(d->cuGraphGetEdges(g, from, to, NULL, &edges));
  CHECK(n == 5 && edges == 5);
  OK(d->cuGraphNodeGetType(nodes[0], &type));
  ON_CPU(CHECK(type == CU_NODE_MEMSET));
  OK(d->cuGraphNodeGetDependencies(nodes[4], to, NULL, &deps));
  ON_CPU(CHECK(deps == 2 && from[0] == nodes[0]));
  cu_graph_exec e = instantiate(g);
  run_graph(e, b->s);
  CHECK(cells_are(b, b->p, 60, 0));
  OK(d->cuStreamQuery(b->t));
  OK(d->cuGraphExecDestroy(e));
  OK(d->cuGraphDestroy(g));
}

/* What a stream waits for after a launch, and what a launch waits for. */
static void test_graph_order (bench *b) {
  gate g = { 0 };
  diary log = { 0 };
  entry one = { &log, 1 }, two = { &log, 2 }, three = { &log, 3 };
  capture(b->s);
  OK(d->cuLaunchHostFunc(b->s, write_entry, &two));
  launch_scale(b, b->s, b->p, 1);
  cu_graph graph = end_capture(b->s);
  cu_graph_exec e = instantiate(graph);
  OK(d->cuLaunchHostFunc(b->s, gate_wait, &g));
  OK(d->cuLaunchHostFunc(b->s, write_entry, &one));
  OK(d->cuGraphLaunch(e, b->s));
  OK(d->cuGraphLaunch(e, b->t)); /* after the launch in the other stream */
  OK(d->cuLaunchHostFunc(b->t, write_entry, &three));
  OK(d->cuEventRecord(b->e, b->s));
  RESULT(NOT_READY, d->cuEventQuery(b->e));
  OK(d->cuGraphExecDestroy(e)); /* launches in progress go on */
  OK(d->cuGraphDestroy(graph));
  pause_ms(10);
  CHECK(log.n == 0);
  g.open = true;
  OK(d->cuStreamSynchronize(b->t));
  CHECK(log.n == 4 && log.seen[0] == 1 && log.seen[1] == 2 && log.seen[2] == 2 && log.seen[3] == 3);
  OK(d->cuEventSynchronize(b->e));
}

/* An event that was recorded in the capture. */
static void test_captured_event (bench *b) {
  float ms;
  cu_graph g = NULL;
  capture(b->s);
  OK(d->cuEventRecord(b->e, b->s));
  RESULT(CAPTURED_EVENT, d->cuEventQuery(b->e));
  RESULT(STREAM_CAPTURE_INVALIDATED, d->cuStreamEndCapture(b->s, &g));
  CHECK(g == NULL);
  capture(b->s);
  OK(d->cuEventRecord(b->e, b->s));
  RESULT(CAPTURED_EVENT, d->cuEventSynchronize(b->e));
  RESULT(STREAM_CAPTURE_INVALIDATED, d->cuStreamEndCapture(b->s, &g));
  ON_CPU(RESULT(CAPTURED_EVENT, d->cuEventElapsedTime(&ms, b->e, b->f)));
  OK(d->cuEventRecord(b->e, b->s)); /* outside again */
  OK(d->cuEventSynchronize(b->e));
}

/* An event from outside: refused, or a node that waits at each launch. */
static void test_external_wait (bench *b) {
  gate gt = { 0 };
  cu_graph g = NULL;
  OK(d->cuEventRecord(b->e, b->t));
  capture(b->s);
  RESULT(STREAM_CAPTURE_ISOLATION, d->cuStreamWaitEvent(b->s, b->e, 0));
  CHECK(capture_status(b->s) == CU_CAPTURE_INVALIDATED);
  RESULT(STREAM_CAPTURE_INVALIDATED, d->cuStreamEndCapture(b->s, &g));
  capture(b->s);
  OK(d->cuStreamWaitEvent(b->s, b->e, CU_EVENT_WAIT_EXTERNAL_));
  OK(d->cuMemsetD32Async(b->p, 9, CELLS, b->s));
  g = end_capture(b->s);
  CHECK(node_count(g) == 2);
  cu_graph_exec e = instantiate(g);
  run_graph(e, b->s);
  OK(d->cuMemsetD32Async(b->p, 0, CELLS, b->t));
  OK(d->cuLaunchHostFunc(b->t, gate_wait, &gt));
  OK(d->cuEventRecord(b->e, b->t));
  OK(d->cuGraphLaunch(e, b->s));
  pause_ms(5);
  RESULT(NOT_READY, d->cuStreamQuery(b->s));
  gt.open = true;
  OK(d->cuStreamSynchronize(b->s));
  CHECK(cells_are(b, b->p, 9, 0));
  OK(d->cuGraphExecDestroy(e));
  OK(d->cuGraphDestroy(g));
}

/* A record that is a node records the event at each launch. */
static void test_external_record (bench *b) {
  gate gt = { .open = true };
  float ms = -1;
  RESULT(ILLEGAL_STATE, d->cuEventRecordWithFlags(b->e, b->s, CU_EVENT_RECORD_EXTERNAL_));
  OK(d->cuEventRecord(b->f, b->s));
  OK(d->cuEventRecordWithFlags(b->e, b->s, 0));
  OK(d->cuEventSynchronize(b->e));
  capture(b->s);
  OK(d->cuEventRecordWithFlags(b->e, b->s, CU_EVENT_RECORD_EXTERNAL_));
  OK(d->cuLaunchHostFunc(b->s, gate_wait, &gt));
  OK(d->cuEventRecordWithFlags(b->f, b->s, CU_EVENT_RECORD_EXTERNAL_));
  cu_graph g = end_capture(b->s);
  CHECK(node_count(g) == 3);
  cu_graph_exec e = instantiate(g);
  OK(d->cuEventQuery(b->f));
  run_graph(e, b->s);
  OK(d->cuEventElapsedTime(&ms, b->e, b->f));
  CHECK(ms >= 0 && ms < 5000);
  gt.open = false;
  OK(d->cuGraphLaunch(e, b->s));
  RESULT(NOT_READY, d->cuEventQuery(b->f));
  gt.open = true;
  OK(d->cuEventSynchronize(b->f));
  OK(d->cuGraphExecDestroy(e));
  OK(d->cuGraphDestroy(g));
}

/* Each of these breaks the capture, which then ends with an error; the stream is as before. */
static void check_refused (bench *b, int number) {
  cu_graph g = NULL;
  cu_graph_exec e = NULL;
  if (number == 4) {
    OK(d->cuGraphCreate(&g, 0));
    e = instantiate(g);
    OK(d->cuGraphDestroy(g));
  }
  capture(b->s);
  launch_scale(b, b->s, b->p, 1);
  if (number == 0) RESULT(STREAM_CAPTURE_UNSUPPORTED, d->cuStreamSynchronize(b->s));
  if (number == 1) RESULT(STREAM_CAPTURE_UNSUPPORTED, d->cuStreamQuery(b->s));
  if (number == 2) RESULT(STREAM_CAPTURE_UNSUPPORTED, d->cuCtxSynchronize());
  if (number == 3)
    RESULT(STREAM_CAPTURE_UNSUPPORTED, d->cuMemcpyPeerAsync(b->p, context, b->q, context, 4, b->s));
  if (number == 4) ON_CPU(RESULT(STREAM_CAPTURE_UNSUPPORTED, d->cuGraphLaunch(e, b->s)));
  if (number != 4 || on_cpu) {
    CHECK(capture_status(b->s) == CU_CAPTURE_INVALIDATED);
    RESULT(STREAM_CAPTURE_INVALIDATED, d->cuMemsetD32Async(b->p, 9, CELLS, b->s));
    RESULT(STREAM_CAPTURE_INVALIDATED, d->cuStreamEndCapture(b->s, &g));
  } else {
    OK(d->cuStreamEndCapture(b->s, &g));
    OK(d->cuGraphDestroy(g));
  }
  if (e != NULL) OK(d->cuGraphExecDestroy(e));
  CHECK(capture_status(b->s) == CU_CAPTURE_NONE);
  OK(d->cuMemsetD32Async(b->p, (unsigned)number, CELLS, b->s));
  OK(d->cuStreamSynchronize(b->s));
  CHECK(cells_are(b, b->p, number, 0));
}

static void test_capture_errors (bench *b) {
  cu_graph g = NULL;
  cu_stream blocking = new_stream(CU_STREAM_DEFAULT_);
  for (int i = 0; i < 5; i++) check_refused(b, i);
  RESULT(STREAM_CAPTURE_UNSUPPORTED, d->cuStreamBeginCapture(NULL, CU_CAPTURE_RELAXED));
  RESULT(INVALID_VALUE, d->cuStreamBeginCapture(b->s, 3));
  RESULT(ILLEGAL_STATE, d->cuStreamEndCapture(b->s, &g));
  capture(b->s);
  RESULT(ILLEGAL_STATE, d->cuStreamBeginCapture(b->s, CU_CAPTURE_RELAXED));
  OK(d->cuGraphDestroy(end_capture(b->s)));
  /* not joined */
  capture(b->s);
  OK(d->cuEventRecord(b->e, b->s));
  OK(d->cuStreamWaitEvent(b->t, b->e, 0));
  launch_scale(b, b->t, b->p, 1);
  RESULT(STREAM_CAPTURE_UNMATCHED, d->cuStreamEndCapture(b->t, &g));
  ON_CPU(RESULT(STREAM_CAPTURE_INVALIDATED, d->cuStreamEndCapture(b->s, &g)));
  if (capture_status(b->s) != CU_CAPTURE_NONE) d->cuStreamEndCapture(b->s, &g);
  capture(b->s);
  OK(d->cuEventRecord(b->e, b->s));
  OK(d->cuStreamWaitEvent(b->t, b->e, 0));
  launch_scale(b, b->t, b->p, 1);
  RESULT(STREAM_CAPTURE_UNJOINED, d->cuStreamEndCapture(b->s, &g));
  CHECK(g == NULL && capture_status(b->t) == CU_CAPTURE_NONE);
  /* two captures */
  capture(b->s);
  capture(b->t);
  OK(d->cuEventRecord(b->e, b->s));
  RESULT(STREAM_CAPTURE_MERGE, d->cuStreamWaitEvent(b->t, b->e, 0));
  RESULT(STREAM_CAPTURE_INVALIDATED, d->cuStreamEndCapture(b->t, &g));
  RESULT(STREAM_CAPTURE_INVALIDATED, d->cuStreamEndCapture(b->s, &g));
  /* the null stream waits for blocking streams */
  capture(blocking);
  RESULT(STREAM_CAPTURE_IMPLICIT, d->cuMemsetD32Async(b->p, 0, 4, NULL));
  RESULT(STREAM_CAPTURE_INVALIDATED, d->cuStreamEndCapture(blocking, &g));
  OK(d->cuStreamDestroy(blocking));
}

/* Modes: calls that may wait for the device. */
static void *alloc_elsewhere (void *ud) {
  cu_deviceptr p = 0;
  OK(d->cuCtxSetCurrent(context));
  *(cu_result *)ud = d->cuMemAlloc(&p, 64);
  if (p != 0) OK(d->cuMemFree(p));
  return NULL;
}

static cu_result alloc_in_thread (void) {
  pthread_t t;
  cu_result r = 0;
  CHECK(pthread_create(&t, NULL, alloc_elsewhere, &r) == 0);
  pthread_join(t, NULL);
  return r;
}

static void test_capture_modes (bench *b) {
  cu_graph g = NULL;
  cu_deviceptr p = 0;
  int mode = CU_CAPTURE_RELAXED;
  capture(b->s);
  OK(d->cuMemAlloc(&p, 64));
  OK(d->cuMemFree(p));
  OK(d->cuGraphDestroy(end_capture(b->s)));
  OK(d->cuStreamBeginCapture(b->s, CU_CAPTURE_THREAD_LOCAL));
  CHECK(alloc_in_thread() == 0);
  RESULT(STREAM_CAPTURE_UNSUPPORTED, d->cuMemAlloc(&p, 64));
  RESULT(STREAM_CAPTURE_INVALIDATED, d->cuStreamEndCapture(b->s, &g));
  OK(d->cuStreamBeginCapture(b->s, CU_CAPTURE_GLOBAL));
  OK(d->cuThreadExchangeStreamCaptureMode(&mode));
  CHECK(mode == CU_CAPTURE_GLOBAL);
  OK(d->cuMemAlloc(&p, 64));
  OK(d->cuThreadExchangeStreamCaptureMode(&mode));
  CHECK(mode == CU_CAPTURE_RELAXED);
  CHECK(alloc_in_thread() == CU_ERR_STREAM_CAPTURE_UNSUPPORTED);
  RESULT(STREAM_CAPTURE_INVALIDATED, d->cuStreamEndCapture(b->s, &g));
  OK(d->cuMemFree(p));
  mode = 7;
  ON_CPU(RESULT(INVALID_VALUE, d->cuThreadExchangeStreamCaptureMode(&mode)));
}

/* What a captured stream depends on, and capture into a graph. */
static void test_capture_info (bench *b) {
  int status = -1;
  uint64_t id = 0, again = 0;
  cu_graph g = NULL, h = NULL;
  const cu_graph_node *deps = NULL;
  cu_graph_node first;
  size_t n = 9;
  OK(d->cuStreamGetCaptureInfo(b->s, &status, NULL, NULL, NULL, NULL));
  CHECK(status == CU_CAPTURE_NONE);
  OK(d->cuGraphCreate(&h, 0));
  OK(d->cuStreamBeginCaptureToGraph(b->s, h, NULL, NULL, 0, CU_CAPTURE_RELAXED));
  OK(d->cuStreamGetCaptureInfo(b->s, &status, &id, &g, &deps, &n));
  CHECK(status == CU_CAPTURE_ACTIVE && g == h && n == 0);
  OK(d->cuMemsetD32Async(b->p, 3, CELLS, b->s));
  OK(d->cuStreamGetCaptureInfo(b->s, &status, &again, &g, &deps, &n));
  CHECK(again == id && n == 1);
  first = deps[0];
  launch_scale(b, b->s, b->p, 5);
  OK(d->cuStreamUpdateCaptureDependencies(b->s, &first, 1, CU_CAPTURE_ADD_DEPENDENCIES));
  OK(d->cuStreamGetCaptureInfo(b->s, &status, &again, &g, &deps, &n));
  CHECK(n == 2);
  OK(d->cuStreamUpdateCaptureDependencies(b->s, &first, 1, CU_CAPTURE_SET_DEPENDENCIES));
  OK(d->cuMemcpyDtoDAsync(b->q, b->p, 4, b->s));
  OK(d->cuStreamGetCaptureInfo(b->s, &status, &again, &g, &deps, &n));
  CHECK(n == 1 && deps[0] != first);
  /* The kernel is left behind: it does not come before the end of the stream. */
  cu_result r = d->cuStreamEndCapture(b->s, &g);
  CHECK(r == 0 || r == CU_ERR_STREAM_CAPTURE_UNJOINED);
  if (r == 0) CHECK(g == h && node_count(h) == 3);
  OK(d->cuGraphDestroy(h));
}

/* Many streams that hold different ends, and one graph with all of their work. */
static void test_graph_wide (bench *b) {
  enum { N = 20 };
  cu_stream s[N];
  capture(b->s);
  OK(d->cuMemsetD32Async(b->p, 1, CELLS, b->s));
  OK(d->cuEventRecord(b->e, b->s));
  for (int i = 0; i < N; i++) {
    s[i] = new_stream(CU_STREAM_NON_BLOCKING_);
    OK(d->cuStreamWaitEvent(s[i], b->e, 0));
    OK(d->cuMemsetD32Async(b->p + 4 * (size_t)i, (unsigned)i, 1, s[i]));
    OK(d->cuEventRecord(b->f, s[i]));
    OK(d->cuStreamWaitEvent(b->s, b->f, 0));
  }
  OK(d->cuMemcpyDtoDAsync(b->q, b->p, CELLS * 4, b->s));
  cu_graph g = end_capture(b->s);
  CHECK(node_count(g) == N + 2 && (edge_count(g) == 2 * N || edge_count(g) == 2 * N + 1));
  cu_graph_exec e = instantiate(g);
  run_graph(e, s[3]);
  OK(d->cuMemcpyDtoHAsync(b->host, b->q, CELLS * 4, b->s));
  OK(d->cuStreamSynchronize(b->s));
  CHECK(b->host[0] == 0 && b->host[N - 1] == N - 1 && b->host[N] == 1);
  for (int i = 0; i < N; i++) OK(d->cuStreamDestroy(s[i]));
  OK(d->cuGraphExecDestroy(e));
  OK(d->cuGraphDestroy(g));
}

/* Handles of objects that are gone, memory and modules that are gone, streams that end. */
static void test_graph_lifetime (bench *b) {
  cu_graph g;
  cu_graph_exec e;
  size_t n = 0;
  cu_deviceptr gone = device_alloc(256);
  cu_stream s = new_stream(CU_STREAM_NON_BLOCKING_);
  capture(s);
  launch_scale(b, s, b->p, 1);
  OK(d->cuEventRecord(b->e, s));
  OK(d->cuStreamWaitEvent(b->t, b->e, 0));
  RESULT(INVALID_VALUE, d->cuGraphDestroy(NULL));
  OK(d->cuStreamDestroy(s)); /* the origin: its capture ends */
  CHECK(capture_status(b->t) == CU_CAPTURE_NONE);
  capture(b->s);
  OK(d->cuMemsetD32Async(gone, 1, 4, b->s));
  g = end_capture(b->s);
  e = instantiate(g);
  OK(d->cuMemFree(gone));
  RESULT(INVALID_VALUE, d->cuGraphLaunch(e, b->s));
  CHECK(strstr(words("cuGraphLaunch", CU_ERR_INVALID_VALUE), "freed") != NULL, "%s",
        words("cuGraphLaunch", CU_ERR_INVALID_VALUE));
  OK(d->cuGraphExecDestroy(e));
  RESULT(INVALID_VALUE, d->cuGraphExecDestroy(e));
  RESULT(INVALID_VALUE, d->cuGraphLaunch(e, b->s));
  OK(d->cuGraphDestroy(g));
  RESULT(INVALID_VALUE, d->cuGraphDestroy(g));
  RESULT(INVALID_VALUE, d->cuGraphGetNodes(g, NULL, &n));
  RESULT(INVALID_VALUE, d->cuGraphInstantiateWithFlags(&e, g, 0));
}

static void test_graph_parts (void) {
  bench b = bench_open();
  test_graph_replay(&b);
  test_graph_copies(&b);
  test_graph_fork(&b);
  test_graph_order(&b);
  test_captured_event(&b);
  test_external_wait(&b);
  test_external_record(&b);
  test_capture_errors(&b);
  test_capture_modes(&b);
  test_capture_info(&b);
  test_graph_wide(&b);
  if (on_cpu) test_graph_lifetime(&b);
  bench_close(&b);
}

#endif
