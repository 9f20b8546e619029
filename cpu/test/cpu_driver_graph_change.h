/* cpu_driver_graph_change.h: tests of changes to graphs and executable graphs: parameters, updates,
 * clones, enabling. */
#ifndef CPU_DRIVER_GRAPH_CHANGE_H
#define CPU_DRIVER_GRAPH_CHANGE_H

#include "cpu_driver_graph.h"

/* A fill with 1, scaling by `by`, a copy from p to q, and a fill of q[0] with 9. */
static cu_graph four_nodes (bench *b, int by, cu_graph_node nodes[4]) {
  size_t n = 4;
  capture(b->s);
  OK(d->cuMemsetD32Async(b->p, 1, CELLS, b->s));
  launch_scale(b, b->s, b->p, by);
  OK(d->cuMemcpyDtoDAsync(b->q, b->p, CELLS * 4, b->s));
  OK(d->cuMemsetD32Async(b->q, 9, 1, b->s));
  cu_graph g = end_capture(b->s);
  OK(d->cuGraphGetNodes(g, nodes, &n));
  CHECK(n == 4);
  return g;
}

static bool q_is (bench *b, int first, int rest) {
  OK(d->cuMemcpyDtoHAsync(b->host, b->q, CELLS * 4, b->s));
  OK(d->cuStreamSynchronize(b->s));
  return b->host[0] == first && b->host[1] == rest && b->host[CELLS - 1] == rest;
}

/* What a node does can be read, and set in the graph and in the executable graph. */
static void test_kernel_params (bench *b) {
  cu_graph_node nodes[4];
  cu_kernel_node k = { 0 };
  int by = 5, cells = 0;
  cu_graph g = four_nodes(b, 3, nodes);
  OK(d->cuGraphKernelNodeGetParams(nodes[1], &k));
  CHECK(k.function == b->scale && k.grid_x == 1 && k.block_x == CELLS && k.shared_bytes == 0);
  memcpy(&cells, k.params[1], sizeof cells);
  CHECK(*(cu_deviceptr *)k.params[0] == b->p && cells == CELLS && *(int *)k.params[2] == 3);
  cu_graph_exec e = instantiate(g);
  void *params[] = { k.params[0], k.params[1], &by };
  k.params = params;
  OK(d->cuGraphExecKernelNodeSetParams(e, nodes[1], &k));
  run_graph(e, b->s);
  CHECK(q_is(b, 9, 5));
  by = 7;
  cu_kernel_node wide = k;
  wide.block_x = CELLS / 2;
  OK(d->cuGraphKernelNodeSetParams(nodes[1], &wide));
  OK(d->cuGraphKernelNodeGetParams(nodes[1], &k));
  CHECK(k.block_x == CELLS / 2 && *(int *)k.params[2] == 7);
  run_graph(e, b->s);
  CHECK(q_is(b, 9, 5)); /* made before */
  OK(d->cuGraphExecDestroy(e));
  e = instantiate(g);
  run_graph(e, b->s);
  CHECK(!q_is(b, 9, 7) && b->host[1] == 7 && b->host[CELLS - 1] == 1);
  wide.block_x = 0;
  RESULT(INVALID_VALUE, d->cuGraphExecKernelNodeSetParams(e, nodes[1], &wide));
  RESULT(INVALID_VALUE, d->cuGraphKernelNodeGetParams(nodes[0], &k));
  OK(d->cuGraphExecDestroy(e));
  OK(d->cuGraphDestroy(g));
}

static void test_copy_params (bench *b) {
  cu_graph_node nodes[4];
  cu_copy3d c;
  cu_memset_node m;
  cu_graph g = four_nodes(b, 3, nodes);
  cu_graph_exec e = instantiate(g);
  OK(d->cuGraphMemcpyNodeGetParams(nodes[2], &c));
  CHECK(c.width == CELLS * 4 && c.height == 1 && c.depth == 1 && c.src_device == b->p);
  CHECK(c.src_type == CU_MEMTYPE_DEVICE && c.dst_type == CU_MEMTYPE_DEVICE);
  OK(d->cuGraphMemsetNodeGetParams(nodes[3], &m));
  CHECK(m.dst == b->q && m.value == 9 && m.element_size == 4 && m.width == 1 && m.height == 1);
  m.value = 11;
  OK(d->cuGraphExecMemsetNodeSetParams(e, nodes[3], &m, context));
  c.width = CELLS * 2;
  OK(d->cuGraphExecMemcpyNodeSetParams(e, nodes[2], &c, context));
  OK(d->cuMemsetD32Async(b->q, 0, CELLS, b->s));
  run_graph(e, b->s);
  OK(d->cuMemcpyDtoHAsync(b->host, b->q, CELLS * 4, b->s));
  OK(d->cuStreamSynchronize(b->s));
  CHECK(b->host[0] == 11 && b->host[CELLS / 2 - 1] == 3 && b->host[CELLS / 2] == 0);
  m.width = 0;
  ON_CPU(RESULT(INVALID_VALUE, d->cuGraphExecMemsetNodeSetParams(e, nodes[3], &m, context)));
  ON_CPU(RESULT(INVALID_VALUE, d->cuGraphExecMemsetNodeSetParams(e, nodes[1], &m, context)));
  OK(d->cuGraphExecDestroy(e));
  OK(d->cuGraphDestroy(g));
}

static void test_enabled (bench *b) {
  unsigned on = 9;
  cu_graph_node nodes[4];
  cu_graph g = four_nodes(b, 3, nodes);
  cu_graph_exec e = instantiate(g), other = instantiate(g);
  OK(d->cuGraphNodeGetEnabled(e, nodes[1], &on));
  CHECK(on == 1);
  OK(d->cuGraphNodeSetEnabled(e, nodes[1], 0));
  OK(d->cuGraphNodeSetEnabled(e, nodes[3], 0));
  OK(d->cuGraphNodeGetEnabled(e, nodes[1], &on));
  CHECK(on == 0);
  run_graph(e, b->s);
  CHECK(q_is(b, 1, 1));
  run_graph(other, b->s);
  CHECK(q_is(b, 9, 3));
  OK(d->cuGraphNodeSetEnabled(e, nodes[1], 1));
  run_graph(e, b->s);
  CHECK(q_is(b, 3, 3));
  OK(d->cuGraphExecDestroy(e));
  OK(d->cuGraphExecDestroy(other));
  OK(d->cuGraphDestroy(g));
}

/* A graph of the same shape replaces what an executable graph does; another shape does not. */
static void test_update (bench *b) {
  cu_graph_node nodes[4], others[4];
  cu_update_info info = { .result = 99 };
  cu_graph g = four_nodes(b, 3, nodes), h = four_nodes(b, 4, others), shape = NULL;
  cu_graph_exec e = instantiate(g);
  OK(d->cuGraphExecUpdate(e, h, &info));
  CHECK(info.result == CU_UPDATE_SUCCESS);
  run_graph(e, b->s);
  CHECK(q_is(b, 9, 4));
  OK(d->cuGraphNodeSetEnabled(e, nodes[3], 0)); /* the nodes of the first graph still name it */
  run_graph(e, b->s);
  CHECK(q_is(b, 4, 4));
  if (on_cpu) {
    OK(d->cuGraphExecUpdate(e, h, &info)); /* what is switched off stays so */
    run_graph(e, b->s);
    CHECK(q_is(b, 4, 4));
  }
  capture(b->s);
  OK(d->cuMemsetD32Async(b->p, 1, CELLS, b->s));
  OK(d->cuMemsetD32Async(b->p, 1, CELLS, b->s));
  OK(d->cuMemcpyDtoDAsync(b->q, b->p, CELLS * 4, b->s));
  OK(d->cuMemsetD32Async(b->q, 9, 1, b->s));
  shape = end_capture(b->s);
  RESULT(GRAPH_EXEC_UPDATE_FAILURE, d->cuGraphExecUpdate(e, shape, &info));
  CHECK(info.result == CU_UPDATE_NODE_TYPE_CHANGED && info.error_node != NULL);
  OK(d->cuGraphDestroy(shape));
  capture(b->s);
  OK(d->cuMemsetD32Async(b->p, 1, CELLS, b->s));
  shape = end_capture(b->s);
  RESULT(GRAPH_EXEC_UPDATE_FAILURE, d->cuGraphExecUpdate(e, shape, &info));
  CHECK(info.result == CU_UPDATE_TOPOLOGY_CHANGED);
  OK(d->cuGraphDestroy(shape));
  run_graph(e, b->s);
  CHECK(q_is(b, 4, 4)); /* as before */
  OK(d->cuGraphExecDestroy(e));
  OK(d->cuGraphDestroy(g));
  OK(d->cuGraphDestroy(h));
}

/* A launch that is queued keeps the nodes as they were. */
static void test_change_after_launch (bench *b) {
  gate gt = { 0 };
  cu_graph_node nodes[4];
  cu_memset_node m;
  cu_graph g = four_nodes(b, 3, nodes);
  cu_graph_exec e = instantiate(g);
  OK(d->cuGraphMemsetNodeGetParams(nodes[3], &m));
  OK(d->cuLaunchHostFunc(b->s, gate_wait, &gt));
  OK(d->cuGraphLaunch(e, b->s));
  m.value = 100;
  OK(d->cuGraphExecMemsetNodeSetParams(e, nodes[3], &m, context));
  gt.open = true;
  OK(d->cuStreamSynchronize(b->s));
  CHECK(q_is(b, 9, 3));
  run_graph(e, b->s);
  CHECK(q_is(b, 100, 3));
  OK(d->cuGraphExecDestroy(e));
  OK(d->cuGraphDestroy(g));
}

static void test_clone (bench *b) {
  cu_graph_node nodes[4], n = NULL;
  cu_graph g = four_nodes(b, 3, nodes), c = NULL;
  cu_kernel_node k;
  int by = 8;
  OK(d->cuGraphClone(&c, g));
  OK(d->cuGraphNodeFindInClone(&n, nodes[1], c));
  CHECK(n != NULL && n != nodes[1]);
  OK(d->cuGraphKernelNodeGetParams(n, &k));
  void *params[] = { k.params[0], k.params[1], &by };
  k.params = params;
  OK(d->cuGraphKernelNodeSetParams(n, &k));
  RESULT(INVALID_VALUE, d->cuGraphNodeFindInClone(&n, n, g));
  cu_graph_exec e = instantiate(g), f = instantiate(c);
  OK(d->cuGraphDestroy(g)); /* the clone does not need it */
  CHECK(node_count(c) == 4 && edge_count(c) == 3);
  run_graph(f, b->s);
  CHECK(q_is(b, 9, 8));
  run_graph(e, b->s);
  CHECK(q_is(b, 9, 3));
  OK(d->cuGraphExecDestroy(e));
  OK(d->cuGraphExecDestroy(f));
  OK(d->cuGraphDestroy(c));
}

static void test_dot (bench *b) {
  char text[4096] = "", path[] = "/tmp/luacuda-dot-XXXXXX";
  cu_graph_node nodes[4];
  cu_graph g = four_nodes(b, 3, nodes);
  int fd = mkstemp(path);
  CHECK(fd >= 0);
  OK(d->cuGraphDebugDotPrint(g, path, CU_DOT_VERBOSE));
  CHECK(read(fd, text, sizeof text - 1) > 0);
  CHECK(strstr(text, "digraph") != NULL && strstr(text, "->") != NULL);
  CHECK(strstr(text, "scale") != NULL);
  close(fd);
  unlink(path);
  ON_CPU(RESULT(OPERATING_SYSTEM, d->cuGraphDebugDotPrint(g, "/nowhere/file", 0)));
  OK(d->cuGraphDestroy(g));
}

/* A copy through a CUDA array, which has no address. */
static void test_array_copies (bench *b) {
  cu_array_desc shape = { 8, 8, 0, CU_FORMAT_F32, 1, 0 };
  cu_array a = NULL;
  cu_graph_node nodes[2];
  size_t n = 2;
  cu_copy3d got;
  OK(d->cuArray3DCreate(&a, &shape));
  cu_copy2d in = { .src_type = CU_MEMTYPE_DEVICE,
                   .src_device = b->p,
                   .src_pitch = 32,
                   .dst_type = CU_MEMTYPE_ARRAY,
                   .dst_array = a,
                   .width = 32,
                   .height = 8 };
  cu_copy2d out = { .src_type = CU_MEMTYPE_ARRAY,
                    .src_array = a,
                    .dst_type = CU_MEMTYPE_DEVICE,
                    .dst_device = b->q,
                    .dst_pitch = 32,
                    .width = 32,
                    .height = 8 };
  capture(b->s);
  OK(d->cuMemcpy2DAsync(&in, b->s));
  OK(d->cuMemcpy2DAsync(&out, b->s));
  cu_graph g = end_capture(b->s);
  OK(d->cuGraphGetNodes(g, nodes, &n));
  OK(d->cuGraphMemcpyNodeGetParams(nodes[0], &got));
  CHECK(got.dst_type == CU_MEMTYPE_ARRAY && got.dst_array == a && got.width == 32);
  cu_graph_exec e = instantiate(g);
  fill_cells(b, b->p, 40);
  run_graph(e, b->s);
  CHECK(cells_are(b, b->q, 40, 1));
  OK(d->cuArrayDestroy(a));
  ON_CPU(RESULT(INVALID_VALUE, d->cuGraphLaunch(e, b->s)));
  OK(d->cuGraphExecDestroy(e));
  OK(d->cuGraphDestroy(g));
}

/* A kernel whose module is gone. */
static void test_unloaded_kernel (bench *b) {
  cu_module m = stored_module();
  cu_function f = function(m, "sum_large");
  struct {
    int cell[200];
  } large = { { 0 } };
  cu_graph_node n;
  cu_kernel_node k;
  size_t one = 1;
  cu_graph copy = NULL;
  for (int i = 0; i < 200; i++) large.cell[i] = i;
  capture(b->s);
  OK(launch1(f, 1, 1, b->s, (void *[]){ &b->q, &large }));
  cu_graph g = end_capture(b->s);
  memset(&large, 0, sizeof large);
  cu_graph_exec e = instantiate(g);
  OK(d->cuGraphClone(&copy, g));
  run_graph(e, b->s);
  OK(d->cuMemcpyDtoHAsync(b->host, b->q, 4, b->s));
  CHECK(b->host[0] == 19900);
  OK(d->cuModuleUnload(m));
  RESULT(INVALID_HANDLE, d->cuGraphLaunch(e, b->s));
  OK(d->cuGraphGetNodes(copy, &n, &one));
  RESULT(INVALID_HANDLE, d->cuGraphKernelNodeGetParams(n, &k));
  OK(d->cuGraphExecDestroy(e));
  e = instantiate(g);
  RESULT(INVALID_HANDLE, d->cuGraphLaunch(e, b->s));
  OK(d->cuGraphExecDestroy(e));
  OK(d->cuGraphDestroy(g));
  OK(d->cuGraphDestroy(copy));
}

static void test_graph_change_parts (void) {
  bench b = bench_open();
  test_kernel_params(&b);
  test_copy_params(&b);
  test_enabled(&b);
  test_update(&b);
  test_change_after_launch(&b);
  test_clone(&b);
  test_dot(&b);
  test_array_copies(&b);
  if (on_cpu) test_unloaded_kernel(&b);
  bench_close(&b);
}

#endif
