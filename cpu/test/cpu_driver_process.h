/* cpu_driver_process.h: tests of shutdown and restart, memory limits, printf, threads, fork and the
 * shim. */
#ifndef CPU_DRIVER_PROCESS_H
#define CPU_DRIVER_PROCESS_H

#include "cpu_driver_check.h"
#include "cpu_driver_fault.h"

/* Nothing is freed here: the shutdown completes the work and frees everything. */
static void test_restart (void) {
  for (int i = 0; i < 3; i++) {
    start(NULL, NULL);
    cu_module m = stored_module();
    cu_stream s = new_stream(CU_STREAM_NON_BLOCKING_);
    cu_event e = new_event();
    cu_deviceptr p = device_alloc(1 << 14);
    unsigned rounds = 5000;
    cu_pool_props props = { .alloc_type = 1, .location = { 1, 0 } };
    cu_mempool pool = NULL;
    OK(d->cuMemPoolCreate(&pool, &props));
    OK(d->cuMemAllocFromPoolAsync(&p, 1 << 14, pool, s));
    OK(launch1(function(m, "spend"), 8, 64, s, (void *[]){ &p, &rounds }));
    OK(launch1(function(m, "trap_now"), 1, 1, s, NULL));
    OK(d->cuEventRecord(e, s));
    stop();
    RESULT(NOT_INITIALIZED, d->cuCtxSynchronize());
  }
}

static void test_release (void) {
  cu_context c = NULL;
  cu_deviceptr p;
  start(NULL, NULL);
  p = device_alloc(64);
  OK(d->cuDevicePrimaryCtxReset(0));
  RESULT(INVALID_VALUE, d->cuMemFree(p));
  p = device_alloc(64);
  OK(d->cuDevicePrimaryCtxRelease(0));
  RESULT(CONTEXT_IS_DESTROYED, d->cuMemAlloc(&p, 4));
  RESULT(INVALID_CONTEXT, d->cuDevicePrimaryCtxRelease(0));
  OK(d->cuDevicePrimaryCtxRetain(&c, 0));
  OK(d->cuMemAlloc(&p, 4));
  stop();
  start(NULL, NULL);
  OK(d->cuCtxGetCurrent(&c));
  CHECK(c == context);
  stop();
}

static void test_memory_limit (void) {
  cu_deviceptr p[8] = { 0 }, q;
  size_t total = 0, available = 0;
  start("LUACUDA_CPU_MEMORY", "8M");
  OK(d->cuMemGetInfo(&available, &total));
  CHECK(total == 8 << 20);
  for (int i = 0; i < 7; i++) p[i] = device_alloc(1 << 20);
  RESULT(OUT_OF_MEMORY, d->cuMemAlloc(&q, 2 << 20));
  CHECK(strstr(words("cuMemAlloc", CU_ERR_OUT_OF_MEMORY), "2097152 bytes requested") != NULL);
  for (int i = 0; i < 4; i++) OK(d->cuMemFreeAsync(p[i], NULL));
  OK(d->cuMemAlloc(&q, 2 << 20)); /* empties the quarantine */
  stop();
}

static void test_print (void) {
  char text[64] = { 0 };
  int ends[2], saved = dup(1), n = 42;
  start(NULL, NULL);
  cu_module m = stored_module();
  cu_function say = function(m, "say");
  fflush(stdout);
  CHECK(pipe(ends) == 0 && dup2(ends[1], 1) == 1);
  OK(launch1(say, 1, 1, NULL, (void *[]){ &n }));
  OK(d->cuCtxSynchronize());
  fflush(stdout);
  dup2(saved, 1);
  close(ends[1]);
  close(saved);
  CHECK(read(ends[0], text, sizeof text - 1) > 0 && strcmp(text, "n is 42\n") == 0);
  close(ends[0]);
  stop();
}

static void test_check_off (void) {
  int n = 100;
  start("LUACUDA_CPU_CHECK", "off");
  cu_module m = stored_module();
  cu_deviceptr p = device_alloc(400);
  /* The kernel writes into the red zone. */
  OK(launch1(function(m, "past_end"), 1, 1, NULL, (void *[]){ &p, &n }));
  OK(d->cuCtxSynchronize());
  stop();
}

static void test_livelock_setting (void) {
  start("LUACUDA_CPU_LIVELOCK_MS", "200");
  cu_module m = stored_module();
  test_livelock(m);
  stop();
}


/* ---- out of host memory ---- */

/* Captures two streams and a conditional node. A capture that fails is left open. */
static cu_result capture_scenario (cu_function add, cu_stream s, cu_stream t, cu_stream u,
                                   cu_event e, cu_deviceptr p) {
  int n = 100, status;
  const cu_graph_node *deps;
  cu_graph_node node;
  cu_graph root;
  size_t num;
  cu_node_params params = { .type = CU_NODE_CONDITIONAL,
                            .conditional = { .type = CU_COND_IF, .size = 2 } };
  cu_result r = d->cuStreamBeginCapture(s, CU_CAPTURE_RELAXED);
  if (r == 0) r = launch1(add, 4, 32, s, (void *[]){ &p, &p, &p, &n });
  if (r == 0) r = d->cuEventRecord(e, s);
  if (r == 0) r = d->cuStreamWaitEvent(t, e, 0);
  if (r == 0) r = d->cuMemsetD32Async(p, 0, 1, t);
  if (r == 0) r = d->cuEventRecord(e, t);
  if (r == 0) r = d->cuMemcpyDtoDAsync(p + 4, p, 4, s);
  if (r == 0) r = d->cuStreamWaitEvent(s, e, 0);
  if (r == 0) r = d->cuStreamGetCaptureInfo(s, &status, NULL, &root, &deps, &num);
  if (r == 0)
    r = d->cuGraphConditionalHandleCreate(&params.conditional.handle, root, context, 1,
                                          CU_COND_ASSIGN_DEFAULT);
  if (r == 0) r = d->cuGraphAddNode(&node, root, deps, NULL, num, &params);
  if (r == 0) r = d->cuStreamUpdateCaptureDependencies(s, &node, 1, CU_CAPTURE_SET_DEPENDENCIES);
  if (r == 0)
    r = d->cuStreamBeginCaptureToGraph(u, params.conditional.bodies[0], NULL, NULL, 0,
                                       CU_CAPTURE_RELAXED);
  return r;
}

static cu_result graph_scenario (cu_function add, cu_stream s, cu_event e, cu_deviceptr p) {
  cu_stream t, u;
  cu_graph g, inner;
  cu_graph_exec x;
  cu_update_info info;
  cu_result r = d->cuStreamCreateWithPriority(&t, CU_STREAM_NON_BLOCKING_, 0);
  if (r == 0) r = d->cuStreamCreateWithPriority(&u, CU_STREAM_NON_BLOCKING_, 0);
  if (r == 0) r = capture_scenario(add, s, t, u, e, p);
  if (r == 0) r = d->cuMemsetD32Async(p, 0, 1, u);
  if (r == 0) r = d->cuStreamEndCapture(u, &inner);
  if (r == 0) r = d->cuStreamEndCapture(s, &g);
  if (r == 0) r = d->cuGraphInstantiateWithFlags(&x, g, 0);
  if (r == 0) r = d->cuGraphLaunch(x, s);
  if (r == 0) r = d->cuGraphExecUpdate(x, g, &info);
  if (r == 0) r = d->cuGraphLaunch(x, t);
  if (r == 0) r = d->cuStreamSynchronize(t);
  if (r == 0) r = d->cuGraphExecDestroy(x);
  if (r == 0) r = d->cuGraphClone(&g, inner);
  if (r == 0) r = d->cuGraphDestroy(g);
  return r;
}

/* Uses each part of the driver once; stops at the first call that fails. */
static cu_result scenario (const char *text) {
  cu_module m;
  cu_function add, trap;
  cu_stream s;
  cu_event e;
  cu_deviceptr p, tally;
  cu_mempool pool;
  cu_pool_props props = { .alloc_type = 1, .location = { 1, 0 } };
  int n = 100, v[100] = { 0 };
  cu_result r = d->cuInit(0);
  if (r == 0) r = d->cuDevicePrimaryCtxRetain(&context, 0);
  if (r == 0) r = d->cuCtxSetCurrent(context);
  if (r == 0) r = d->cuModuleLoadDataEx(&m, text, 0, NULL, NULL);
  if (r == 0) r = d->cuModuleGetFunction(&add, m, "add");
  if (r == 0) r = d->cuModuleGetFunction(&trap, m, "trap_now");
  if (r == 0) r = d->cuModuleGetGlobal(&tally, NULL, m, "tally");
  if (r == 0) r = d->cuStreamCreateWithPriority(&s, 0, 0);
  if (r == 0) r = d->cuEventCreate(&e, 0);
  if (r == 0) r = d->cuMemPoolCreate(&pool, &props);
  if (r == 0) r = d->cuMemAllocFromPoolAsync(&p, sizeof v, pool, s);
  if (r == 0) r = d->cuMemcpyHtoDAsync(p, v, sizeof v, s);
  if (r == 0) r = launch1(add, 4, 32, s, (void *[]){ &p, &p, &p, &n });
  if (r == 0) r = d->cuEventRecord(e, s);
  if (r == 0) r = d->cuEventSynchronize(e);
  if (r == 0) r = graph_scenario(add, s, e, p);
  if (r == 0) r = launch1(trap, 1, 1, s, NULL);
  /* The fault must not be lost. */
  if (r == 0) r = d->cuStreamSynchronize(s) == 0 ? CU_ERR_UNKNOWN : 0;
  if (r == 0) r = d->cuMemcpyDtoHAsync(v, p, sizeof v, s);
  if (r == 0) r = d->cuMemFreeAsync(p, s);
  if (r == 0) r = d->cuModuleUnload(m);
  return r;
}

static void test_no_memory (void) {
  char *text = stored_ptx();
  int clean = 0, odd = 0, leaks = 0, refused_calls = 0;
  for (long n = 1; clean < 10 && n < 3000; n++) {
    lcu_mem_fail_at(n);
    cu_result r = scenario(text);
    lcu_mem_fail_at(0);
    d->cuxShutdown();
    clean = r == 0 ? clean + 1 : 0;
    refused_calls += r == CU_ERR_OUT_OF_MEMORY;
    odd += r != 0 && r != CU_ERR_OUT_OF_MEMORY;
    leaks += lcu_mem_live() != live_at_start;
  }
  free(text);
  CHECK(clean == 10 && refused_calls > 10 && odd == 0 && leaks == 0);
  if (odd + leaks > 0) printf("%d odd results, %d leaks\n", odd, leaks);
}


/* ---- threads ---- */

typedef struct job {
  int number;
  cu_module module;
} job;

/* Copies the first number to itself, with a graph. */
static void launch_captured (cu_stream s, cu_deviceptr p) {
  cu_graph g = NULL;
  cu_graph_exec e = NULL;
  OK(d->cuStreamBeginCapture(s, CU_CAPTURE_THREAD_LOCAL));
  OK(d->cuMemcpyDtoDAsync(p, p, 4, s));
  OK(d->cuStreamEndCapture(s, &g));
  OK(d->cuGraphInstantiateWithFlags(&e, g, 0));
  OK(d->cuGraphDestroy(g));
  OK(d->cuGraphLaunch(e, s));
  OK(d->cuGraphExecDestroy(e));
}

static void *thread_job (void *ud) {
  enum { N = 500 };
  const job *j = ud;
  int v[N], n = N, by = j->number + 2, bad = 0;
  OK(d->cuCtxSetCurrent(context));
  cu_stream s = new_stream(CU_STREAM_NON_BLOCKING_);
  cu_event e = new_event();
  cu_function scale = function(j->module, "scale");
  for (int round = 0; round < 40; round++) {
    cu_deviceptr p = device_alloc(sizeof v);
    for (int i = 0; i < N; i++) v[i] = i;
    OK(d->cuMemcpyHtoDAsync(p, v, sizeof v, s));
    OK(launch1(scale, 4, 128, s, (void *[]){ &p, &n, &by }));
    OK(d->cuEventRecord(e, s));
    if (round % 3 == 0) OK(d->cuEventSynchronize(e));
    if (round % 4 == 0) launch_captured(s, p);
    if (round % 5 == 0) OK(launch1(function(j->module, "trap_now"), 1, 1, s, NULL));
    cu_result r = d->cuMemcpyDtoHAsync(v, p, sizeof v, s);
    /* Each thread gets the faults of its own stream. */
    CHECK(r == (round % 5 == 0 ? CU_ERR_LAUNCH_FAILED : 0));
    for (int i = 0; i < N; i++) bad += v[i] != i * by;
    OK(round % 2 == 0 ? d->cuMemFree(p) : d->cuMemFreeAsync(p, s));
  }
  CHECK(bad == 0);
  OK(d->cuEventDestroy(e));
  OK(d->cuStreamDestroy(s));
  return NULL;
}

static void test_threads (void) {
  enum { THREADS = 4 };
  pthread_t t[THREADS];
  job jobs[THREADS];
  start(NULL, NULL);
  cu_module m = stored_module();
  for (int i = 0; i < THREADS; i++) {
    jobs[i] = (job){ i, m };
    pthread_create(&t[i], NULL, thread_job, &jobs[i]);
  }
  for (int i = 0; i < THREADS; i++) pthread_join(t[i], NULL);
  stop();
}


/* ---- fork ---- */

static int in_child (void) {
  int n;
  cu_deviceptr p;
  if (d->cuInit(0) != CU_ERR_NOT_INITIALIZED) return 1;
  if (d->cuDeviceGetCount(&n) != CU_ERR_NOT_INITIALIZED) return 2;
  if (d->cuMemAlloc(&p, 4) != CU_ERR_NOT_INITIALIZED) return 3;
  if (d->cuStreamSynchronize(NULL) != CU_ERR_NOT_INITIALIZED) return 4;
  if (d->cuxShutdown() != CU_ERR_NOT_INITIALIZED) return 5;
  return 0;
}

static void test_fork (void) {
  gate g = { 0 };
  int status = -1;
  start(NULL, NULL);
  /* A worker is busy during the fork. */
  OK(d->cuLaunchHostFunc(NULL, gate_wait, &g));
  await(&g.entered);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) _exit(in_child());
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  g.open = true;
  OK(d->cuCtxSynchronize());
  stop();
}

/* The sizes that the CUDA C++ Programming Guide gives for each compute capability, and what the
 * device has of it. */
static void test_architectures (void) {
  enum { KIB = 1024 };
  static const struct {
    const char *name;
    int major, minor, threads, blocks, of_block, of_sm, reserved;
  } rows[] = {
    { "75", 7, 5, 1024, 16, 64, 64, 0 },    { "80", 8, 0, 2048, 32, 163, 164, 1 },
    { "90", 9, 0, 2048, 32, 227, 228, 1 },  { "100", 10, 0, 2048, 32, 227, 228, 1 },
    { "120", 12, 0, 1536, 24, 99, 100, 1 },
  };
  for (size_t i = 0; i < lcu_arraylen(rows); i++) {
    start("LUACUDA_CPU_ARCH", rows[i].name);
    CHECK(attribute(CU_ATTR_compute_capability_major) == rows[i].major &&
          attribute(CU_ATTR_compute_capability_minor) == rows[i].minor);
    CHECK(attribute(CU_ATTR_max_threads_per_multiprocessor) == rows[i].threads);
    CHECK(attribute(CU_ATTR_max_blocks_per_multiprocessor) == rows[i].blocks);
    CHECK(attribute(CU_ATTR_max_shared_memory_per_block) == 48 * KIB);
    CHECK(attribute(CU_ATTR_max_shared_memory_per_block_optin) == rows[i].of_block * KIB);
    CHECK(attribute(CU_ATTR_max_shared_memory_per_multiprocessor) == rows[i].of_sm * KIB);
    CHECK(attribute(CU_ATTR_reserved_shared_memory_per_block) == rows[i].reserved * KIB);
    CHECK(attribute(CU_ATTR_cooperative_launch) == 1 &&
          attribute(CU_ATTR_memory_pools_supported) == 1 &&
          attribute(CU_ATTR_ipc_event_supported) == 1 &&
          attribute(CU_ATTR_host_register_supported) == 1 &&
          attribute(CU_ATTR_compute_preemption_supported) == 1);
    stop();
  }
}

static void test_process_parts (void) {
  test_architectures();
  test_restart();
  test_release();
  test_memory_limit();
  test_print();
  test_check_off();
  test_livelock_setting();
  test_no_memory();
  test_threads();
  test_fork();
}

#endif
