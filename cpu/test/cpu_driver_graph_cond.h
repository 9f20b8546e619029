/* cpu_driver_graph_cond.h: tests of conditional nodes. On libcuda the kernels would have to be
 * linked with NVIDIA's device runtime, so these run on the CPU device only. */
#ifndef CPU_DRIVER_GRAPH_COND_H
#define CPU_DRIVER_GRAPH_COND_H

#include "cpu_driver_graph_change.h"
#include "cpu_driver_graph_memory.h"

/* count_down(int *p, handle): v = --*p; the condition becomes v. */
static const char count_down_ptx[] =
  ".version 7.0\n.target sm_75\n.address_size 64\n"
  ".extern .func cudaGraphSetConditional(.param .b64 a, .param .b32 b);\n"
  ".visible .entry count_down(.param .u64 p, .param .u64 h)\n{\n"
  ".reg .b64 %d<3>;\n.reg .b32 %r<2>;\n"
  "ld.param.u64 %d0, [p];\nld.param.u64 %d1, [h];\n"
  "ld.global.u32 %r0, [%d0];\nadd.s32 %r0, %r0, -1;\nst.global.u32 [%d0], %r0;\n"
  "{\n.param .b64 x;\nst.param.b64 [x+0], %d1;\n.param .b32 y;\nst.param.b32 [y+0], %r0;\n"
  "call.uni cudaGraphSetConditional, (x, y);\n}\nret;\n}\n";

typedef struct loop {
  cu_graph graph;
  cu_graph_condition handle;
  cu_graph_node node;
  cu_graph *bodies;
} loop;

/* Adds a conditional node to the capture of the stream. */
static loop add_conditional (cu_stream s, int type, unsigned size, unsigned value) {
  loop l = { 0 };
  int status;
  const cu_graph_node *deps;
  size_t n;
  cu_node_params p = { .type = CU_NODE_CONDITIONAL };
  OK(d->cuStreamGetCaptureInfo(s, &status, NULL, &l.graph, &deps, &n));
  OK(d->cuGraphConditionalHandleCreate(&l.handle, l.graph, context, value, CU_COND_ASSIGN_DEFAULT));
  p.conditional =
    (cu_conditional_node){ .handle = l.handle, .type = type, .size = size, .ctx = context };
  OK(d->cuGraphAddNode(&l.node, l.graph, deps, NULL, n, &p));
  OK(d->cuStreamUpdateCaptureDependencies(s, &l.node, 1, CU_CAPTURE_SET_DEPENDENCIES));
  l.bodies = p.conditional.bodies;
  return l;
}

static void begin_body (cu_stream s, cu_graph body) {
  OK(d->cuStreamBeginCaptureToGraph(s, body, NULL, NULL, 0, CU_CAPTURE_RELAXED));
}

static void end_body (cu_stream s, cu_graph body) { CHECK(end_capture(s) == body); }

/* Doubles q until p has counted down; p is set in the graph, so that each launch does the same. */
static void test_while (bench *b, cu_function count_down) {
  cu_graph copy = NULL;
  cu_graph_exec other = NULL;
  cu_update_info info;
  capture(b->s);
  OK(d->cuMemsetD32Async(b->p, 5, 1, b->s));
  OK(d->cuMemsetD32Async(b->q, 1, CELLS, b->s));
  loop l = add_conditional(b->s, CU_COND_WHILE, 1, 1);
  begin_body(b->t, l.bodies[0]);
  launch_scale(b, b->t, b->q, 2);
  OK(launch1(count_down, 1, 1, b->t, (void *[]){ &b->p, &l.handle }));
  end_body(b->t, l.bodies[0]);
  cu_graph g = end_capture(b->s);
  CHECK(node_count(g) == 3 && node_count(l.bodies[0]) == 2);
  cu_graph_exec e = instantiate(g);
  run_graph(e, b->s);
  CHECK(cells_are(b, b->q, 32, 0));
  run_graph(e, b->s);
  CHECK(cells_are(b, b->q, 32, 0));
  RESULT(NOT_SUPPORTED, d->cuGraphClone(&copy, g));
  RESULT(INVALID_VALUE, d->cuGraphInstantiateWithFlags(&other, g, 0));
  RESULT(INVALID_VALUE, d->cuGraphDestroy(l.bodies[0]));
  OK(d->cuGraphExecUpdate(e, g, &info));
  OK(d->cuGraphExecDestroy(e));
  e = instantiate(g);
  OK(d->cuGraphDestroy(g)); /* the condition stays with the executable graph */
  run_graph(e, b->t);
  CHECK(cells_are(b, b->q, 32, 0));
  OK(d->cuGraphExecDestroy(e));
}

/* A node in a body can be changed and switched off. */
static void test_change_body (bench *b, cu_function count_down) {
  cu_graph_node nodes[2];
  cu_kernel_node k;
  size_t n = 2;
  int by = 3;
  capture(b->s);
  OK(d->cuMemsetD32Async(b->p, 3, 1, b->s));
  OK(d->cuMemsetD32Async(b->q, 1, CELLS, b->s));
  loop l = add_conditional(b->s, CU_COND_WHILE, 1, 1);
  begin_body(b->t, l.bodies[0]);
  launch_scale(b, b->t, b->q, 2);
  OK(launch1(count_down, 1, 1, b->t, (void *[]){ &b->p, &l.handle }));
  end_body(b->t, l.bodies[0]);
  cu_graph g = end_capture(b->s);
  cu_graph_exec e = instantiate(g);
  OK(d->cuGraphGetNodes(l.bodies[0], nodes, &n));
  OK(d->cuGraphKernelNodeGetParams(nodes[0], &k));
  void *params[] = { k.params[0], k.params[1], &by };
  k.params = params;
  OK(d->cuGraphLaunch(e, b->s));
  OK(d->cuGraphExecKernelNodeSetParams(e, nodes[0], &k));
  OK(d->cuStreamSynchronize(b->s));
  CHECK(cells_are(b, b->q, 8, 0));
  run_graph(e, b->s);
  CHECK(cells_are(b, b->q, 27, 0));
  OK(d->cuGraphNodeSetEnabled(e, nodes[0], 0));
  run_graph(e, b->s);
  CHECK(cells_are(b, b->q, 1, 0));
  OK(d->cuGraphExecDestroy(e));
  OK(d->cuGraphDestroy(g));
}

/* IF with and without an alternative, and SWITCH, for each value of the condition. */
static void check_branches (bench *b, cu_function count_down, int type, unsigned size) {
  capture(b->s);
  OK(d->cuMemcpyDtoDAsync(b->p, b->p + 4, 4, b->s));
  OK(d->cuMemsetD32Async(b->q, 99, CELLS, b->s));
  cu_graph root = NULL;
  int status;
  const cu_graph_node *deps;
  size_t n;
  loop l;
  cu_node_params p = { .type = CU_NODE_CONDITIONAL };
  OK(d->cuStreamGetCaptureInfo(b->s, &status, NULL, &root, NULL, NULL));
  OK(d->cuGraphConditionalHandleCreate(&l.handle, root, context, 0, 0));
  OK(launch1(count_down, 1, 1, b->s, (void *[]){ &b->p, &l.handle }));
  OK(d->cuStreamGetCaptureInfo(b->s, &status, NULL, NULL, &deps, &n));
  p.conditional =
    (cu_conditional_node){ .handle = l.handle, .type = type, .size = size, .ctx = context };
  OK(d->cuGraphAddNode(&l.node, root, deps, NULL, n, &p));
  OK(d->cuStreamUpdateCaptureDependencies(b->s, &l.node, 1, CU_CAPTURE_SET_DEPENDENCIES));
  for (unsigned i = 0; i < size; i++) {
    begin_body(b->t, p.conditional.bodies[i]);
    OK(d->cuMemsetD32Async(b->q, 10 + i, CELLS, b->t));
    end_body(b->t, p.conditional.bodies[i]);
  }
  cu_graph_exec e = instantiate(end_capture(b->s));
  for (int v = 0; v < 4; v++) {
    int start = v + 1, want = type == CU_COND_SWITCH ? v : v == 0;
    OK(d->cuMemsetD32Async(b->p + 4, (unsigned)start, 1, b->s));
    run_graph(e, b->s);
    CHECK(cells_are(b, b->q, want < (int)size ? 10 + want : 99, 0), "type %d, %u bodies, value %d",
          type, size, v);
  }
  OK(d->cuGraphExecDestroy(e));
  OK(d->cuGraphDestroy(root));
}

static cu_graph add_condition_node (cu_graph g, const cu_graph_node *after, int type,
                                    cu_graph_condition h, cu_graph_node *n) {
  cu_node_params p = { .type = CU_NODE_CONDITIONAL,
                       .conditional = { .handle = h, .type = type, .size = 1, .ctx = context } };
  OK(d->cuGraphAddNode(n, g, after, NULL, after != NULL, &p));
  return p.conditional.bodies[0];
}

/* A node in a body may use a condition of the graph around it. */
static void test_outer_condition (bench *b, cu_function count_down) {
  cu_graph g = new_graph(), other = new_graph();
  cu_graph_condition loop_on, scale_on;
  cu_graph_node n = NULL;
  int cells = CELLS, two = 2;
  OK(d->cuGraphConditionalHandleCreate(&loop_on, g, context, 1, CU_COND_ASSIGN_DEFAULT));
  OK(d->cuGraphConditionalHandleCreate(&scale_on, g, context, 1, CU_COND_ASSIGN_DEFAULT));
  cu_graph body = add_condition_node(g, NULL, CU_COND_WHILE, loop_on, &n);
  cu_graph inner = add_condition_node(body, NULL, CU_COND_IF, scale_on, &n);
  OK(add_kernel(b, body, count_down, (void *[]){ &b->p, &loop_on }, &n, 1, &n));
  OK(add_kernel(b, inner, b->scale, (void *[]){ &b->q, &cells, &two }, NULL, 0, &n));
  cu_node_params p = { .type = CU_NODE_CONDITIONAL,
                       .conditional = { scale_on, CU_COND_IF, 1, NULL, context } };
  RESULT(INVALID_VALUE, d->cuGraphAddNode(&n, body, NULL, NULL, 0, &p));
  RESULT(INVALID_VALUE, d->cuGraphAddNode(&n, other, NULL, NULL, 0, &p));
  cu_graph_exec e = instantiate(g);
  OK(d->cuMemsetD32Async(b->p, 3, 1, b->s));
  OK(d->cuMemsetD32Async(b->q, 1, CELLS, b->s));
  run_graph(e, b->s);
  CHECK(cells_are(b, b->q, 8, 0));
  OK(d->cuGraphExecDestroy(e));
  OK(d->cuGraphDestroy(g));
  OK(d->cuGraphDestroy(other));
}

static void test_condition_errors (bench *b, cu_function count_down) {
  cu_graph g = NULL;
  cu_graph_exec e = NULL;
  cu_graph_node n = NULL;
  cu_graph_condition h = 0;
  cu_node_params p = { .type = CU_NODE_CONDITIONAL };
  uint64_t none = 12345;
  cux_fault f;
  OK(d->cuGraphCreate(&g, 0));
  RESULT(INVALID_VALUE, d->cuGraphConditionalHandleCreate(&h, g, context, 0, 2));
  OK(d->cuGraphConditionalHandleCreate(&h, g, context, 0, 0));
  RESULT(INVALID_VALUE, d->cuGraphInstantiateWithFlags(&e, g, 0)); /* the condition is not used */
  p.conditional = (cu_conditional_node){ .handle = h, .type = CU_COND_WHILE, .size = 2 };
  RESULT(INVALID_VALUE, d->cuGraphAddNode(&n, g, NULL, NULL, 0, &p));
  p.conditional.size = 1;
  OK(d->cuGraphAddNode(&n, g, NULL, NULL, 0, &p));
  RESULT(INVALID_VALUE, d->cuGraphAddNode(&n, g, NULL, NULL, 0, &p)); /* one node each */
  begin_body(b->s, p.conditional.bodies[0]);
  RESULT(INVALID_VALUE, d->cuGraphDestroy(g));
  OK(d->cuEventRecordWithFlags(b->e, b->s, CU_EVENT_RECORD_EXTERNAL_));
  end_body(b->s, p.conditional.bodies[0]);
  RESULT(INVALID_VALUE, d->cuGraphInstantiateWithFlags(&e, g, 0)); /* no events in bodies */
  p.type = CU_NODE_EMPTY;
  OK(d->cuGraphAddNode(&n, g, NULL, NULL, 0, &p));
  OK(d->cuGraphDestroy(g));
  OK(launch1(count_down, 1, 1, b->s, (void *[]){ &b->p, &none }));
  RESULT(ILLEGAL_ADDRESS, d->cuStreamSynchronize(b->s));
  OK(d->cuxTakeFault(&f));
  CHECK(strstr(f.message, "cudaGraphSetConditional of 0x3039") != NULL, "%s", f.message);
  /* the capture that the node is in breaks while its body is captured */
  capture(b->s);
  loop l = add_conditional(b->s, CU_COND_IF, 1, 1);
  begin_body(b->t, l.bodies[0]);
  RESULT(STREAM_CAPTURE_UNSUPPORTED, d->cuStreamSynchronize(b->s));
  RESULT(STREAM_CAPTURE_INVALIDATED, d->cuStreamEndCapture(b->s, &g));
  RESULT(ILLEGAL_STATE, d->cuStreamEndCapture(b->t, &g));
}

static void test_graph_cond_parts (void) {
  bench b = bench_open();
  cu_module m = NULL;
  OK(d->cuModuleLoadDataEx(&m, count_down_ptx, 0, NULL, NULL));
  cu_function count_down = function(m, "count_down");
  test_while(&b, count_down);
  test_change_body(&b, count_down);
  check_branches(&b, count_down, CU_COND_IF, 1);
  check_branches(&b, count_down, CU_COND_IF, 2);
  check_branches(&b, count_down, CU_COND_SWITCH, 3);
  test_outer_condition(&b, count_down);
  test_condition_errors(&b, count_down);
  OK(d->cuModuleUnload(m));
  bench_close(&b);
}

#endif
