/* cpu_driver_graph_memory.h: tests of nodes that allocate and free: how long the memory lives, what
 * a graph with it refuses, captures, and random graphs against a model. */
#ifndef CPU_DRIVER_GRAPH_MEMORY_H
#define CPU_DRIVER_GRAPH_MEMORY_H

#include "cpu_driver_graph.h"

enum { BLOCK = CELLS * 4 };

static cu_graph new_graph (void) {
  cu_graph g = NULL;
  OK(d->cuGraphCreate(&g, 0));
  return g;
}

static cu_mem_alloc_node alloc_params (size_t bytes) {
  return (cu_mem_alloc_node){
    .props = { .alloc_type = CU_MEM_PINNED, .location = { CU_LOCATION_DEVICE, 0 } }, .bytes = bytes
  };
}

static cu_result add_memory_node (cu_graph g, cu_node_type type, void *params, size_t bytes,
                                  const cu_graph_node *deps, size_t num, cu_graph_node *n) {
  cu_node_params p = { .type = (int)type };
  memcpy(p.reserved1, params, bytes);
  cu_result r = d->cuGraphAddNode(n, g, deps, NULL, num, &p);
  memcpy(params, p.reserved1, bytes);
  return r;
}

static cu_graph_node add_alloc_after (cu_graph g, const cu_graph_node *deps, size_t num,
                                      cu_deviceptr *p) {
  cu_graph_node n = NULL;
  cu_mem_alloc_node a = alloc_params(BLOCK);
  OK(add_memory_node(g, CU_NODE_MEM_ALLOC, &a, sizeof a, deps, num, &n));
  *p = a.address;
  return n;
}

static cu_graph_node add_alloc (cu_graph g, cu_deviceptr *p) {
  return add_alloc_after(g, NULL, 0, p);
}

static cu_result add_free (cu_graph g, cu_graph_node after, cu_deviceptr p) {
  cu_graph_node n = NULL;
  return add_memory_node(g, CU_NODE_MEM_FREE, &p, sizeof p, &after, after != NULL, &n);
}

static cu_result add_fill (cu_graph g, const cu_graph_node *deps, size_t num, cu_deviceptr p,
                           unsigned value, cu_graph_node *n) {
  cu_memset_node m = { p, 0, value, 4, CELLS, 1 };
  return add_memory_node(g, CU_NODE_MEMSET, &m, sizeof m, deps, num, n);
}

static cu_result add_kernel (bench *b, cu_graph g, cu_function f, void **params,
                             const cu_graph_node *deps, size_t num, cu_graph_node *n) {
  cu_kernel_node k = { .function = f,
                       .grid_x = 1,
                       .grid_y = 1,
                       .grid_z = 1,
                       .block_x = f == b->scale ? CELLS : 1,
                       .block_y = 1,
                       .block_z = 1,
                       .params = params };
  return add_memory_node(g, CU_NODE_KERNEL, &k, sizeof k, deps, num, n);
}

static cu_result launch_and_wait (cu_graph_exec e, cu_stream s) {
  cu_result r = d->cuGraphLaunch(e, s);
  return r != 0 ? r : d->cuStreamSynchronize(s);
}


/* ---- how long the memory lives ---- */

/* Memory that a graph allocates and does not free. */
static void test_graph_allocation (bench *b) {
  cu_deviceptr p = 0;
  size_t size = 0;
  cu_graph_node fill = NULL;
  cu_graph g = new_graph();
  cu_graph_node a = add_alloc(g, &p);
  CHECK(p != 0 && p % 256 == 0);
  OK(add_fill(g, &a, 1, p, 7, &fill));
  RESULT(INVALID_VALUE, d->cuMemFree(p));
  RESULT(INVALID_VALUE, d->cuMemFreeAsync(p, b->s));
  RESULT(INVALID_VALUE, d->cuPointerGetAttribute(&size, CU_POINTER_RANGE_SIZE, p));
  RESULT(INVALID_VALUE, d->cuMemcpyDtoHAsync(b->host, p, BLOCK, b->s));
  cu_graph_exec e = instantiate(g);
  run_graph(e, b->s);
  OK(d->cuPointerGetAttribute(&size, CU_POINTER_RANGE_SIZE, p));
  CHECK(size == BLOCK && cells_are(b, p, 7, 0));
  RESULT(INVALID_VALUE, d->cuGraphLaunch(e, b->s));
  ON_CPU(CHECK(strstr(words("cuGraphLaunch", CU_ERR_INVALID_VALUE), "not been freed") != NULL));
  OK(d->cuMemFreeAsync(p, b->s));
  RESULT(INVALID_VALUE, d->cuMemFreeAsync(p, b->s));
  RESULT(INVALID_VALUE, d->cuMemcpyDtoHAsync(b->host, p, BLOCK, b->s));
  run_graph(e, b->s);
  RESULT(INVALID_VALUE, d->cuMemFree(p + 4));
  OK(d->cuMemFree(p));
  run_graph(e, b->s);
  OK(d->cuGraphExecDestroy(e)); /* the memory stays */
  e = instantiate(g);
  RESULT(INVALID_VALUE, d->cuGraphLaunch(e, b->s));
  OK(d->cuGraphDestroy(g));
  CHECK(cells_are(b, p, 7, 0));
  OK(d->cuMemFree(p));
  run_graph(e, b->s);
  OK(d->cuGraphExecDestroy(e));
  CHECK(cells_are(b, p, 7, 0));
  OK(d->cuMemFreeAsync(p, b->s));
  OK(d->cuStreamSynchronize(b->s));
  RESULT(INVALID_VALUE, d->cuMemFree(p));
}

/* Memory that is freed where it was allocated, and then nowhere else. */
static void test_free_in_graph (bench *b) {
  cu_deviceptr p = 0, plain = device_alloc(BLOCK);
  cu_graph_node fill = NULL, copy = NULL;
  cu_graph g = new_graph(), other = new_graph();
  cu_graph_node a = add_alloc(g, &p);
  cu_copy3d c = { .src_type = CU_MEMTYPE_DEVICE,
                  .src_device = p,
                  .dst_type = CU_MEMTYPE_DEVICE,
                  .dst_device = b->q,
                  .width = BLOCK,
                  .height = 1,
                  .depth = 1 };
  cu_memcpy_node m = { .copy = c };
  OK(add_fill(g, &a, 1, p, 5, &fill));
  OK(add_memory_node(g, CU_NODE_MEMCPY, &m, sizeof m, &fill, 1, &copy));
  OK(add_free(g, copy, p));
  RESULT(INVALID_VALUE, add_free(g, copy, p));
  RESULT(INVALID_VALUE, add_free(g, copy, 0));
  RESULT(INVALID_VALUE, add_free(g, copy, plain));
  RESULT(INVALID_VALUE, add_free(g, copy, p + 8));
  RESULT(INVALID_VALUE, add_free(other, NULL, p));
  cu_graph_exec e = instantiate(g);
  for (int i = 0; i < 3; i++) {
    OK(d->cuMemsetD32Async(b->q, 0, CELLS, b->s));
    OK(d->cuGraphLaunch(e, b->s));
    run_graph(e, b->s);
    CHECK(cells_are(b, b->q, 5, 0));
    RESULT(INVALID_VALUE, d->cuMemFree(p));
  }
  OK(d->cuGraphDestroy(g));
  OK(d->cuGraphDestroy(other));
  run_graph(e, b->s);
  OK(d->cuGraphExecDestroy(e));
  OK(d->cuMemFree(plain));
}

/* Memory that another graph frees. */
static void test_free_elsewhere (bench *b) {
  cu_deviceptr p = 0;
  cu_graph g = new_graph(), h = new_graph();
  cu_graph_node a = add_alloc(g, &p);
  OK(add_free(h, NULL, p));
  RESULT(INVALID_VALUE, add_free(g, a, p));
  cu_graph_exec e = instantiate(g), f = instantiate(h);
  RESULT(INVALID_VALUE, d->cuGraphLaunch(f, b->s));
  for (int i = 0; i < 2; i++) {
    OK(d->cuGraphLaunch(e, b->s));
    OK(d->cuGraphLaunch(f, b->s));
    RESULT(INVALID_VALUE, d->cuGraphLaunch(f, b->s));
  }
  OK(launch_and_wait(e, b->s));
  OK(d->cuMemFree(p));
  RESULT(INVALID_VALUE, d->cuGraphLaunch(f, b->s));
  OK(d->cuGraphLaunch(e, b->s));
  OK(d->cuGraphExecDestroy(e));
  OK(d->cuGraphDestroy(g));
  OK(launch_and_wait(f, b->s));
  OK(d->cuGraphExecDestroy(f));
  OK(d->cuGraphDestroy(h));
}

static void test_auto_free (bench *b) {
  cu_deviceptr p = 0;
  cu_graph_exec e = NULL;
  cu_graph_node fill = NULL;
  cu_graph g = new_graph();
  cu_graph_node a = add_alloc(g, &p);
  OK(add_fill(g, &a, 1, p, 3, &fill));
  RESULT(INVALID_VALUE, d->cuGraphInstantiateWithFlags(&e, g, 5));
  OK(d->cuGraphInstantiateWithFlags(&e, g, CU_INSTANTIATE_AUTO_FREE));
  for (int i = 0; i < 3; i++) {
    OK(d->cuGraphLaunch(e, b->s));
    OK(d->cuGraphLaunch(e, b->t));
    OK(d->cuStreamSynchronize(b->t));
    CHECK(cells_are(b, p, 3, 0));
    if (i == 1) OK(d->cuMemFree(p));
  }
  OK(d->cuGraphExecDestroy(e));
  OK(d->cuGraphDestroy(g));
  OK(d->cuMemFree(p));
}


/* ---- what such graphs refuse ---- */

static void test_memory_limits (bench *b) {
  cu_deviceptr p = 0;
  cu_graph_exec e = NULL, second = NULL;
  cu_graph g = new_graph(), parent = new_graph(), clone = NULL;
  cu_graph_node a = add_alloc(g, &p), fill = NULL, child = NULL;
  cu_child_node c = { g, 0 };
  OK(add_fill(g, &a, 1, p, 3, &fill));
  RESULT(NOT_SUPPORTED, d->cuGraphClone(&clone, g));
  RESULT(NOT_SUPPORTED, add_memory_node(parent, CU_NODE_GRAPH, &c, sizeof c, NULL, 0, &child));
  e = instantiate(g);
  RESULT(NOT_SUPPORTED, d->cuGraphInstantiateWithFlags(&second, g, 0));
  RESULT(INVALID_VALUE, d->cuGraphNodeSetEnabled(e, a, 0));
  OK(d->cuGraphExecDestroy(e));
  c.ownership = CU_CHILD_GRAPH_MOVE;
  OK(add_memory_node(parent, CU_NODE_GRAPH, &c, sizeof c, NULL, 0, &child));
  e = instantiate(parent);
  RESULT(NOT_SUPPORTED, d->cuGraphInstantiateWithFlags(&second, parent, 0));
  run_graph(e, b->s);
  RESULT(INVALID_VALUE, d->cuGraphLaunch(e, b->s));
  CHECK(cells_are(b, p, 3, 0));
  OK(d->cuMemFree(p));
  run_graph(e, b->s);
  if (on_cpu) {
    RESULT(NOT_SUPPORTED, cpu_cuGraphRemoveDependencies(g, &a, &fill, NULL, 1));
    RESULT(NOT_SUPPORTED, cpu_cuGraphDestroyNode(fill));
    RESULT(NOT_SUPPORTED, cpu_cuGraphDestroyNode(child));
  }
  OK(d->cuGraphExecDestroy(e));
  OK(d->cuGraphDestroy(parent));
  OK(d->cuMemFree(p));
}

static void refuse_params (cu_result want, cu_mem_alloc_node a) {
  cu_graph_node n = NULL;
  cu_graph g = new_graph();
  cu_result r = add_memory_node(g, CU_NODE_MEM_ALLOC, &a, sizeof a, NULL, 0, &n);
  CHECK(r == want, "%s, expected %s", lcu_status_name(r), lcu_status_name(want));
  CHECK(node_count(g) == 0);
  OK(d->cuGraphDestroy(g));
}

static void test_alloc_params (void) {
  cu_mem_alloc_node a = alloc_params(0);
  refuse_params(CU_ERR_INVALID_VALUE, a);
  a.bytes = 9;
  a.props.handle_types = 1;
  refuse_params(CU_ERR_NOT_SUPPORTED, a);
  a.props.handle_types = 0;
  a.props.location.id = 9;
  refuse_params(CU_ERR_INVALID_VALUE, a);
  a.props.location = (cu_mem_location){ 0, 0 };
  refuse_params(CU_ERR_INVALID_VALUE, a);
  a.props.location = (cu_mem_location){ 2, 0 };
  refuse_params(CU_ERR_NOT_SUPPORTED, a);
  a.props.location = (cu_mem_location){ CU_LOCATION_DEVICE, 0 };
  for (int type = 0; type < 4; type += 3) {
    a.props.alloc_type = type;
    refuse_params(CU_ERR_INVALID_VALUE, a);
  }
}

/* What nodes are made with can be read back. */
/* Of a list, the second entry counts as well, and it must not be longer than there are devices. */
static void test_access_params (void) {
  enum { MANY = 64 };
  cu_pool_access list[MANY];
  cu_mem_alloc_node a = alloc_params(64);
  for (int i = 0; i < MANY; i++)
    list[i] = (cu_pool_access){ { CU_LOCATION_DEVICE, 0 }, CU_ACCESS_BOTH };
  a.num_access = 1;
  a.access = NULL;
  refuse_params(CU_ERR_INVALID_VALUE, a);
  a.access = list;
  a.num_access = MANY;
  refuse_params(CU_ERR_INVALID_VALUE, a);
  a.num_access = 2;
  list[1].flags = CU_ACCESS_READ;
  refuse_params(CU_ERR_INVALID_VALUE, a);
  list[1] = (cu_pool_access){ { CU_LOCATION_DEVICE, 9 }, CU_ACCESS_BOTH };
  refuse_params(CU_ERR_INVALID_VALUE, a);
}

static void test_memory_params (void) {
  cu_pool_access access = { { CU_LOCATION_DEVICE, 0 }, CU_ACCESS_BOTH };
  cu_graph g = new_graph();
  for (int type = CU_MEM_PINNED; type <= CU_MEM_MANAGED_; type++) {
    cu_graph_node n = NULL;
    cu_deviceptr freed = 0;
    cu_mem_alloc_node a = alloc_params(1000), back;
    a.props.alloc_type = type;
    a.access = &access;
    a.num_access = type == CU_MEM_PINNED;
    OK(cpu_cuGraphAddMemAllocNode(&n, g, NULL, 0, &a));
    OK(cpu_cuGraphMemAllocNodeGetParams(n, &back));
    CHECK(back.address == a.address && back.bytes == 1000 && back.props.alloc_type == type);
    CHECK(back.props.location.type == CU_LOCATION_DEVICE && back.props.location.id == 0);
    CHECK(back.num_access == a.num_access &&
          (back.num_access == 0 || back.access[0].flags == CU_ACCESS_BOTH));
    RESULT(INVALID_VALUE, cpu_cuGraphMemFreeNodeGetParams(n, &freed));
    OK(cpu_node_add("cuGraphAddMemFreeNode", &n, g, &n, 1, CU_NODE_MEM_FREE, &a.address));
    OK(cpu_cuGraphMemFreeNodeGetParams(n, &freed));
    CHECK(freed == a.address);
    RESULT(INVALID_VALUE, cpu_cuGraphMemAllocNodeGetParams(n, &back));
  }
  OK(d->cuGraphDestroy(g));
}

static uint64_t graph_memory (int attr) {
  uint64_t value = 0;
  OK(cpu_cuDeviceGetGraphMemAttribute(0, attr, &value));
  return value;
}

static void test_memory_attributes (bench *b) {
  cu_deviceptr p = 0;
  uint64_t value = 0;
  OK(cpu_cuDeviceGraphMemTrim(0));
  CHECK(graph_memory(CU_GRAPH_MEM_USED_CURRENT) == 0);
  OK(cpu_cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_USED_HIGH, &value));
  CHECK(graph_memory(CU_GRAPH_MEM_USED_HIGH) == 0);
  cu_graph g = new_graph();
  add_alloc(g, &p);
  cu_graph_exec e = instantiate(g);
  run_graph(e, b->s);
  OK(d->cuGraphExecDestroy(e));
  OK(d->cuGraphDestroy(g));
  OK(d->cuMemFree(p));
  for (int attr = CU_GRAPH_MEM_USED_CURRENT; attr <= CU_GRAPH_MEM_RESERVED_HIGH; attr++)
    CHECK(graph_memory(attr) == BLOCK);
  OK(cpu_cuDeviceGraphMemTrim(0));
  CHECK(graph_memory(CU_GRAPH_MEM_RESERVED_CURRENT) == 0);
  CHECK(graph_memory(CU_GRAPH_MEM_RESERVED_HIGH) == BLOCK);
  RESULT(INVALID_VALUE, cpu_cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_USED_CURRENT, &value));
  value = 1;
  RESULT(INVALID_VALUE, cpu_cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_USED_HIGH, &value));
  RESULT(INVALID_DEVICE, cpu_cuDeviceGraphMemTrim(9));
  RESULT(INVALID_DEVICE, cpu_cuDeviceGetGraphMemAttribute(9, 0, &value));
  RESULT(INVALID_VALUE, cpu_cuDeviceGetGraphMemAttribute(0, 4, &value));
}


/* ---- captures, updates ---- */

static cu_mempool new_pool (void) {
  cu_mempool pool = NULL;
  cu_pool_props props = { .alloc_type = CU_MEM_PINNED, .location = { CU_LOCATION_DEVICE, 0 } };
  OK(d->cuMemPoolCreate(&pool, &props));
  return pool;
}

static void test_captured_memory (bench *b) {
  cu_deviceptr p = 0, plain = device_alloc(BLOCK);
  cu_graph_node nodes[5];
  size_t n = 5;
  int type = -1;
  cu_mempool pool = new_pool();
  capture(b->s);
  OK(d->cuMemAllocFromPoolAsync(&p, 0, pool, b->s));
  CHECK(p == 0);
  OK(d->cuMemAllocFromPoolAsync(&p, BLOCK, pool, b->s));
  OK(d->cuMemsetD32Async(p, 4, CELLS, b->s));
  launch_scale(b, b->s, p, 5);
  OK(d->cuMemcpyDtoDAsync(b->q, p, BLOCK, b->s));
  RESULT(INVALID_VALUE, d->cuMemFreeAsync(plain, b->s));
  OK(d->cuMemFreeAsync(0, b->s));
  OK(d->cuMemFreeAsync(p, b->s));
  RESULT(INVALID_VALUE, d->cuMemFreeAsync(p, b->s));
  cu_graph g = end_capture(b->s); /* it goes on after such failures */
  CHECK(node_count(g) == 5 && edge_count(g) == 4);
  OK(d->cuGraphGetNodes(g, nodes, &n));
  OK(d->cuGraphNodeGetType(nodes[0], &type));
  CHECK(type == CU_NODE_MEM_ALLOC);
  OK(d->cuGraphNodeGetType(nodes[4], &type));
  CHECK(type == CU_NODE_MEM_FREE);
  cu_graph_exec e = instantiate(g);
  run_graph(e, b->s);
  run_graph(e, b->t);
  CHECK(cells_are(b, b->q, 20, 0));
  OK(d->cuGraphExecDestroy(e));
  OK(d->cuGraphDestroy(g));
  OK(d->cuMemPoolDestroy(pool));
  OK(d->cuMemFree(plain));
}

/* The executable graph allocates the memory of the graph that it was updated with. */
static void test_memory_update (bench *b) {
  cu_deviceptr p = 0, q = 0;
  cu_update_info info;
  cu_graph_node n = NULL;
  cu_graph g = new_graph(), h = new_graph();
  cu_graph_node a = add_alloc(g, &p), c = add_alloc(h, &q);
  OK(add_fill(g, &a, 1, p, 1, &n));
  OK(add_fill(h, &c, 1, q, 2, &n));
  cu_graph_exec e = instantiate(g), other = NULL;
  run_graph(e, b->s);
  OK(d->cuGraphExecUpdate(e, h, &info));
  CHECK(info.result == CU_UPDATE_SUCCESS);
  run_graph(e, b->s);
  CHECK(cells_are(b, p, 1, 0) && cells_are(b, q, 2, 0));
  RESULT(NOT_SUPPORTED, d->cuGraphInstantiateWithFlags(&other, h, 0));
  OK(d->cuMemFree(p));
  OK(d->cuMemFree(q));
  if (on_cpu) {
    other = instantiate(g);
    RESULT(GRAPH_EXEC_UPDATE_FAILURE, d->cuGraphExecUpdate(other, h, &info));
    CHECK(info.result == CU_UPDATE_NOT_SUPPORTED);
    OK(d->cuGraphExecDestroy(other));
  }
  OK(d->cuGraphExecDestroy(e));
  OK(d->cuGraphExecDestroy(instantiate(h)));
  OK(d->cuGraphDestroy(g));
  OK(d->cuGraphDestroy(h));
}


/* ---- accesses at the wrong time ---- */

static void check_late_access (bench *b) {
  cux_fault f;
  RESULT(ILLEGAL_ADDRESS, d->cuStreamSynchronize(b->s));
  OK(d->cuxTakeFault(&f));
  CHECK(strcmp(f.kind, "use after free") == 0 && !f.range_live && f.range_size == BLOCK, "%s",
        f.message);
}

static void test_late_kernels (bench *b) {
  cu_deviceptr p = 0;
  int zero = 0;
  void *params[] = { &p, &zero };
  cu_graph_node early = NULL, late = NULL, between = NULL;
  cu_function write = function(b->m, "past_end");
  cu_graph g = new_graph();
  cu_graph_node a = add_alloc(g, &p);
  OK(launch1(write, 1, 1, b->s, params));
  check_late_access(b);
  OK(add_kernel(b, g, write, params, &a, 1, &between));
  cu_graph_exec e = instantiate(g);
  run_graph(e, b->s);
  OK(launch1(write, 1, 1, b->s, params));
  OK(d->cuMemFreeAsync(p, b->s));
  OK(launch1(write, 1, 1, b->s, params));
  check_late_access(b);
  OK(d->cuGraphExecDestroy(e));
  OK(add_free(g, between, p));
  e = instantiate(g);
  run_graph(e, b->s);
  OK(add_kernel(b, g, write, params, NULL, 0, &late)); /* after the free, in the order of nodes */
  OK(d->cuGraphExecDestroy(e));
  e = instantiate(g);
  OK(d->cuGraphLaunch(e, b->s));
  check_late_access(b);
  OK(d->cuGraphExecDestroy(e));
  OK(cpu_cuGraphAddDependencies(g, &late, &a, NULL, 1)); /* now before the allocation */
  OK(add_kernel(b, g, b->count_up, NULL, NULL, 0, &early));
  e = instantiate(g);
  OK(d->cuGraphLaunch(e, b->s));
  check_late_access(b);
  OK(d->cuGraphExecDestroy(e));
  OK(d->cuGraphDestroy(g));
}

/* A launch that would fill freed memory fails and changes nothing. */
static void test_late_fill (bench *b) {
  cu_deviceptr p = 0, q = 0;
  cu_graph_node n = NULL;
  cu_graph g = new_graph();
  cu_graph_node a = add_alloc(g, &p);
  add_alloc(g, &q);
  OK(add_free(g, a, p));
  cu_graph_exec e = instantiate(g);
  run_graph(e, b->s);
  OK(d->cuMemFree(q));
  OK(d->cuGraphExecDestroy(e));
  OK(add_fill(g, NULL, 0, p, 3, &n));
  e = instantiate(g);
  RESULT(INVALID_VALUE, d->cuGraphLaunch(e, b->s));
  CHECK(strstr(words("cuGraphLaunch", CU_ERR_INVALID_VALUE), "not now") != NULL);
  RESULT(INVALID_VALUE, d->cuMemFree(q));
  OK(d->cuGraphExecDestroy(e));
  OK(d->cuGraphDestroy(g));
}


/* ---- random graphs against a model ---- */

enum { SLOTS = 7, MOST_STEPS = 40 };
typedef enum action { ALLOC, FILL, SCALE, COPY, FREE } action;
typedef struct random_step {
  action what;
  int slot, from;
  unsigned value;
} random_step;

/* Slot 0 is memory outside of the graph, which is always there. */
typedef struct random_graph {
  random_step steps[MOST_STEPS];
  int count;
  cu_deviceptr memory[SLOTS];
  bool made[SLOTS], alive[SLOTS]; /* while it is built; afterwards: at its end */
  cu_graph_node last[SLOTS];      /* the latest node that uses the slot */
  unsigned cells[SLOTS];          /* the model: all cells of a slot are equal */
  cu_graph graph;
  cu_mempool pool;
} random_graph;

static unsigned random_below (unsigned n) {
  static uint32_t state = 12345;
  state = state * 1664525u + 1013904223u;
  return (state >> 8) % n;
}

/* The nodes that a step on these slots has to wait for, each once. */
static size_t nodes_before (const random_graph *r, random_step s, cu_graph_node *deps) {
  size_t n = 0;
  int third = (int)random_below(SLOTS), slots[3] = { s.slot, s.from, third };
  for (int i = 0; i < 3; i++) {
    bool listed = r->last[slots[i]] == NULL;
    for (size_t k = 0; k < n; k++) listed = listed || deps[k] == r->last[slots[i]];
    if (!listed) deps[n++] = r->last[slots[i]];
  }
  return n;
}

static void add_step (bench *b, random_graph *r, random_step s) {
  cu_graph_node deps[3], n = NULL;
  size_t num = nodes_before(r, s, deps);
  cu_deviceptr p = r->memory[s.slot];
  int cells = CELLS, by = (int)s.value;
  void *params[] = { &p, &cells, &by };
  cu_memcpy_node m = { .copy = { .src_type = CU_MEMTYPE_DEVICE,
                                 .src_device = r->memory[s.from],
                                 .dst_type = CU_MEMTYPE_DEVICE,
                                 .dst_device = p,
                                 .width = BLOCK,
                                 .height = 1,
                                 .depth = 1 } };
  switch (s.what) {
    case ALLOC: n = add_alloc_after(r->graph, deps, num, &r->memory[s.slot]); break;
    case FILL: OK(add_fill(r->graph, deps, num, p, s.value, &n)); break;
    case SCALE: OK(add_kernel(b, r->graph, b->scale, params, deps, num, &n)); break;
    case COPY: OK(add_memory_node(r->graph, CU_NODE_MEMCPY, &m, sizeof m, deps, num, &n)); break;
    case FREE: OK(add_memory_node(r->graph, CU_NODE_MEM_FREE, &p, sizeof p, deps, num, &n)); break;
  }
  r->last[s.slot] = r->last[s.from] = n;
}

static void capture_step (bench *b, random_graph *r, random_step s) {
  cu_deviceptr p = r->memory[s.slot];
  switch (s.what) {
    case ALLOC: OK(d->cuMemAllocFromPoolAsync(&r->memory[s.slot], BLOCK, r->pool, b->s)); break;
    case FILL: OK(d->cuMemsetD32Async(p, s.value, CELLS, b->s)); break;
    case SCALE: launch_scale(b, b->s, p, (int)s.value); break;
    case COPY: OK(d->cuMemcpyDtoDAsync(p, r->memory[s.from], BLOCK, b->s)); break;
    case FREE: OK(d->cuMemFreeAsync(p, b->s)); break;
  }
}

static int random_alive (const random_graph *r) {
  int slot;
  do slot = (int)random_below(SLOTS);
  while (!r->alive[slot]);
  return slot;
}

/* Steps that are valid one after another. What is allocated is filled at once. */
static void plan_steps (random_graph *r) {
  r->alive[0] = true;
  while (r->count < MOST_STEPS - 2 && random_below(25) != 0) {
    int fresh = (int)random_below(SLOTS), slot = random_alive(r);
    if (!r->made[fresh] && fresh != 0) {
      r->steps[r->count++] = (random_step){ ALLOC, fresh, fresh, 0 };
      r->steps[r->count++] = (random_step){ FILL, fresh, fresh, random_below(1000) };
      r->made[fresh] = r->alive[fresh] = true;
      continue;
    }
    action what = (action)(FILL + random_below(4));
    if (what == FREE && (slot == 0 || random_below(2) == 0)) what = SCALE;
    int from = what == COPY ? random_alive(r) : slot;
    if (what == COPY && from == slot) continue;
    r->steps[r->count++] = (random_step){ what, slot, from, 1 + random_below(5) };
    if (what == FREE) r->alive[slot] = false;
  }
}

static void build (bench *b, random_graph *r, bool captured) {
  r->memory[0] = b->p;
  if (captured) capture(b->s);
  else r->graph = new_graph();
  for (int i = 0; i < r->count; i++) (captured ? capture_step : add_step)(b, r, r->steps[i]);
  if (captured) r->graph = end_capture(b->s);
  CHECK(node_count(r->graph) == (size_t)r->count);
}

static void run_model (random_graph *r) {
  for (int i = 0; i < r->count; i++) {
    random_step s = r->steps[i];
    if (s.what == FILL) r->cells[s.slot] = s.value;
    if (s.what == SCALE) r->cells[s.slot] *= s.value;
    if (s.what == COPY) r->cells[s.slot] = r->cells[s.from];
  }
}

static int count_left (const random_graph *r) {
  int n = 0;
  for (int i = 1; i < SLOTS; i++) n += r->alive[i];
  return n;
}

static void check_slots (bench *b, const random_graph *r) {
  for (int i = 0; i < SLOTS; i++) {
    if (r->alive[i]) CHECK(cells_are(b, r->memory[i], (int)r->cells[i], 0), "slot %d", i);
    else if (r->made[i]) RESULT(INVALID_VALUE, d->cuMemFree(r->memory[i]));
  }
}

/* A graph that frees what the other one leaves. */
static cu_graph build_rest (const random_graph *r) {
  cu_graph g = new_graph();
  for (int i = 1; i < SLOTS; i++)
    if (r->alive[i]) OK(add_free(g, NULL, r->memory[i]));
  return g;
}

/* Frees what the launch has left: one by one, or by a graph. */
static void free_rest (bench *b, const random_graph *r, cu_graph_exec rest) {
  unsigned way = random_below(3);
  if (way == 0) OK(d->cuGraphLaunch(rest, b->s));
  for (int i = 1; i < SLOTS; i++) {
    if (!r->alive[i]) continue;
    if (way == 1) OK(d->cuMemFreeAsync(r->memory[i], b->s));
    if (way == 2) OK(d->cuMemFree(r->memory[i]));
    RESULT(INVALID_VALUE, d->cuMemFreeAsync(r->memory[i], b->s));
  }
  if (count_left(r) > 0) RESULT(INVALID_VALUE, d->cuGraphLaunch(rest, b->s));
}

static void launch_random (bench *b, random_graph *r, cu_graph_exec e, bool auto_free) {
  cu_graph rest_graph = build_rest(r);
  cu_graph_exec rest = instantiate(rest_graph);
  for (int i = 0; i < 4; i++) {
    run_model(r);
    OK(launch_and_wait(e, b->s));
    check_slots(b, r);
    bool leave = random_below(2) == 0 && i < 3;
    if (leave && !auto_free && count_left(r) > 0) RESULT(INVALID_VALUE, d->cuGraphLaunch(e, b->s));
    if (!leave || !auto_free) free_rest(b, r, rest);
  }
  OK(d->cuStreamSynchronize(b->s));
  OK(d->cuGraphExecDestroy(rest));
  OK(d->cuGraphDestroy(rest_graph));
}

static void check_random (bench *b, cu_mempool pool) {
  bool auto_free = random_below(2) == 0, captured = random_below(2) == 0;
  random_graph r = { .pool = pool, .cells = { 1 } };
  cu_graph_exec e = NULL;
  OK(d->cuMemsetD32Async(b->p, 1, CELLS, b->s));
  OK(d->cuStreamSynchronize(b->s));
  plan_steps(&r);
  build(b, &r, captured);
  OK(d->cuGraphInstantiateWithFlags(&e, r.graph, auto_free ? CU_INSTANTIATE_AUTO_FREE : 0));
  if (captured) OK(d->cuGraphDestroy(r.graph));
  launch_random(b, &r, e, auto_free);
  OK(d->cuGraphExecDestroy(e));
  if (!captured) OK(d->cuGraphDestroy(r.graph));
}

static void test_random_memory (bench *b) {
  cu_mempool pool = new_pool();
  for (int i = 0; i < 200; i++) check_random(b, pool);
  OK(d->cuMemPoolDestroy(pool));
  if (!on_cpu) return;
  OK(cpu_cuDeviceGraphMemTrim(0));
  CHECK(graph_memory(CU_GRAPH_MEM_USED_CURRENT) == 0);
}

/* What is never freed ends with the device. */
static void leave_memory (bench *b) {
  cu_deviceptr p = 0;
  cu_graph g = new_graph();
  add_alloc(g, &p);
  cu_graph_exec e = instantiate(g);
  run_graph(e, b->s);
  OK(d->cuGraphDestroy(g));
  g = new_graph();
  add_alloc(g, &p);
  run_graph(instantiate(g), b->s);
}

static void test_graph_memory_parts (void) {
  bench b = bench_open();
  test_graph_allocation(&b);
  test_free_in_graph(&b);
  test_free_elsewhere(&b);
  test_auto_free(&b);
  test_memory_limits(&b);
  test_alloc_params();
  test_captured_memory(&b);
  test_memory_update(&b);
  if (on_cpu) {
    test_access_params();
    test_memory_params();
    test_memory_attributes(&b);
    test_late_kernels(&b);
    test_late_fill(&b);
  }
  test_random_memory(&b);
  leave_memory(&b);
  OK(alloc_in_thread()); /* no call has kept a lock */
  bench_close(&b);
}

#endif
