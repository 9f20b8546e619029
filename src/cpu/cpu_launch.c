/* cpu_launch.c: launches: checks and parameters when they are queued, the machine when their turn
 * comes. */
#include "cpu_device.h"

#include <inttypes.h>
#include <pthread.h>
#include <string.h>

/* Marks of the `extra` list of cuLaunchKernel. */
#define PARAM_END ((void *)0)
#define PARAM_BUFFER_POINTER ((void *)(uintptr_t)1)
#define PARAM_BUFFER_SIZE ((void *)(uintptr_t)2)

/* One grid at a time has the team; another that is small runs on its own thread meanwhile. */
static const uint64_t SMALL_GRID = 16384; /* threads */
static lcu_team *team;
static pthread_mutex_t team_lock = PTHREAD_MUTEX_INITIALIZER;

static struct {
  pthread_mutex_t lock;
  atomic_bool on;
  cux_counters sum;
} counters = { .lock = PTHREAD_MUTEX_INITIALIZER };

cu_result cpu_team_start (int threads) {
  return cpu_status_result(lcu_team_create(threads, &team));
}

void cpu_team_stop (void) {
  lcu_team_destroy(team);
  team = NULL;
}


/* ---- parameters ---- */

/* (pointer, size) pairs up to PARAM_END. */
static cu_result read_extra (void **extra, const void **buffer, size_t *size) {
  *buffer = NULL;
  *size = 0;
  for (; *extra != PARAM_END; extra += 2) {
    if (extra[0] == PARAM_BUFFER_POINTER) *buffer = extra[1];
    else if (extra[0] == PARAM_BUFFER_SIZE && extra[1] != NULL) *size = *(const size_t *)extra[1];
    else return CU_ERR_INVALID_VALUE;
  }
  return 0;
}

static cu_result copy_buffer (const char *call, const ptx_kernel_info *info, void **extra,
                              uint8_t *out) {
  const void *buffer;
  size_t size;
  cu_result r = read_extra(extra, &buffer, &size);
  if (r != 0) return r;
  if (size < info->param_bytes || (buffer == NULL && info->param_bytes > 0))
    return lcu_driver_detail(call, CU_ERR_INVALID_VALUE,
                             "kernel `%.200s` has %u bytes of parameters, the buffer %zu",
                             info->name, info->param_bytes, size);
  if (info->param_bytes > 0) memcpy(out, buffer, info->param_bytes);
  return 0;
}

static cu_result copy_params (const char *call, const ptx_kernel_info *info, void **params,
                              void **extra, uint8_t *out) {
  if (extra != NULL && *extra == PARAM_END) extra = NULL;
  if (params != NULL && extra != NULL) return CU_ERR_INVALID_VALUE;
  if (extra != NULL) return copy_buffer(call, info, extra, out);
  for (uint32_t i = 0; i < info->num_params; i++) {
    if (params == NULL || params[i] == NULL)
      return lcu_driver_detail(call, CU_ERR_INVALID_VALUE,
                               "parameter %u of kernel `%.200s` is missing", i + 1, info->name);
    memcpy(out + info->params[i].offset, params[i], info->params[i].size);
  }
  return 0;
}

static cu_result take_params (const char *call, cpu_op *op, void **params, void **extra) {
  cpu_grid *g = &op->grid;
  const ptx_kernel_info *info = ptx_kernel_get_info(g->function->kernel);
  g->params = g->inline_params;
  if (info->param_bytes > CPU_INLINE_PARAMS) {
    op->memory = lcu_alloc_aligned(info->param_bytes, 16);
    if (op->memory == NULL) return CU_ERR_OUT_OF_MEMORY;
    g->params = op->memory;
  }
  return copy_params(call, info, params, extra, g->params);
}


/* ---- limits ---- */

static uint64_t volume (const uint32_t d[3]) { return (uint64_t)d[0] * d[1] * d[2]; }

static cu_result check_shape (const char *call, const char *what, const uint32_t d[3],
                              const uint32_t most[3]) {
  for (int i = 0; i < 3; i++)
    if (d[i] == 0 || d[i] > most[i])
      return lcu_driver_detail(call, CU_ERR_INVALID_VALUE, "%s %c is %u, it may be 1 to %u", what,
                               "xyz"[i], d[i], most[i]);
  return 0;
}

static cu_result check_block (const char *call, const ptx_kernel_info *info,
                              const uint32_t block[3]) {
  uint64_t n = volume(block);
  if (n > CPU_MAX_THREADS)
    return lcu_driver_detail(call, CU_ERR_INVALID_VALUE,
                             "a block of %" PRIu64 " threads, it may have up to %d", n,
                             CPU_MAX_THREADS);
  if (n > info->max_threads)
    return lcu_driver_detail(call, CU_ERR_INVALID_VALUE,
                             "a block of %" PRIu64
                             " threads, kernel `%.200s` was compiled for up to %u",
                             n, info->name, info->max_threads);
  if (info->req_block[0] != 0 && memcmp(info->req_block, block, sizeof info->req_block) != 0)
    return lcu_driver_detail(call, CU_ERR_INVALID_VALUE,
                             "kernel `%.200s` was compiled for blocks of %u x %u x %u", info->name,
                             info->req_block[0], info->req_block[1], info->req_block[2]);
  return 0;
}

static cu_result check_shared (const char *call, const cpu_function *f, uint32_t dynamic) {
  const ptx_kernel_info *info = ptx_kernel_get_info(f->kernel);
  if (info->shared_bytes > CPU_SHARED_OPTIN)
    return lcu_driver_detail(call, CU_ERR_LAUNCH_OUT_OF_RESOURCES,
                             "kernel `%.200s` has %u bytes of shared memory, the device %d",
                             info->name, info->shared_bytes, CPU_SHARED_OPTIN);
  if (dynamic > (uint32_t)f->max_dynamic)
    return lcu_driver_detail(call, CU_ERR_INVALID_VALUE,
                             "%u bytes of dynamic shared memory, kernel `%.200s` may have %d",
                             dynamic, info->name, f->max_dynamic);
  return 0;
}

static uint64_t resident_blocks (const cpu_grid *g) {
  int n = cpu_function_blocks(g->function, volume(g->block), g->shared);
  return (uint64_t)(n > 0 ? n : 1) * (uint64_t)cpu_configuration.threads;
}

static cu_result check_cooperative (const char *call, const cpu_grid *g) {
  if (volume(g->grid) <= resident_blocks(g)) return 0;
  return lcu_driver_detail(call, CU_ERR_COOPERATIVE_LAUNCH_TOO_LARGE,
                           "a cooperative grid of %" PRIu64 " blocks, %" PRIu64
                           " can be on the device at once",
                           volume(g->grid), resident_blocks(g));
}

static cu_result check_launch (const char *call, const cpu_grid *g) {
  static const uint32_t most_grid[3] = { CPU_MAX_GRID_X, CPU_MAX_GRID_YZ, CPU_MAX_GRID_YZ };
  static const uint32_t most_block[3] = { CPU_MAX_THREADS, CPU_MAX_THREADS, CPU_MAX_BLOCK_Z };
  cu_result r = check_shape(call, "grid", g->grid, most_grid);
  if (r == 0) r = check_shape(call, "block", g->block, most_block);
  if (r == 0) r = check_block(call, ptx_kernel_get_info(g->function->kernel), g->block);
  if (r == 0) r = check_shared(call, g->function, g->shared);
  if (r == 0 && g->cooperative) r = check_cooperative(call, g);
  return r == 0 ? cpu_function_prepare(call, g->function) : r;
}


/* ---- running ---- */

/* The team, or NULL to run on this thread alone: waiting for the team costs a small grid more than
 * it saves. */
static lcu_team *borrow_team (const cpu_grid *g) {
  if (pthread_mutex_trylock(&team_lock) == 0) return team;
  if (volume(g->grid) * volume(g->block) <= SMALL_GRID) return NULL;
  while (!lcu_lock_look(&team_lock))
    if (cpu_wait_stops()) return NULL; /* the grid is ended at once */
  return team;
}

/* Is the grid to be ended? Where the thread that asks has given up waiting for it, the others are
 * to know. */
static bool stops (void *ud) {
  cpu_grid *g = ud;
  if (atomic_load_explicit(&g->stop, memory_order_relaxed)) return true;
  if (!cpu_wait_stops()) return false;
  atomic_store(&g->stop, true);
  return true;
}

static void count (const ptx_counters *c) {
  pthread_mutex_lock(&counters.lock);
  counters.sum.warp_instructions += c->warp_instructions;
  counters.sum.thread_instructions += c->thread_instructions;
  pthread_mutex_unlock(&counters.lock);
}

static void run_grid (cpu_stream *s, cpu_op *op) {
  cpu_grid *g = &op->grid;
  uint64_t resident = resident_blocks(g);
  ptx_fault fault;
  ptx_counters counted = { 0 };
  bool counting = atomic_load_explicit(&counters.on, memory_order_relaxed);
  ptx_launch l = {
    .kernel = g->function->kernel,
    .dynamic_shared = g->shared,
    .params = g->params,
    .cooperative = g->cooperative,
    .check = cpu_configuration.check,
    .max_resident_blocks = (uint32_t)resident,
    .stack_bytes = (uint32_t)cpu_limit(CU_LIMIT_STACK_SIZE_),
    .livelock_ms = cpu_configuration.livelock_ms,
    .timeout_ms = cpu_configuration.timeout_ms,
    .stop = stops,
    .stop_ud = g,
    .sm_count = (uint32_t)cpu_configuration.threads,
  };
  memcpy(l.grid, g->grid, sizeof l.grid);
  memcpy(l.block, g->block, sizeof l.block);
  l.team = borrow_team(g);
  lcu_status st = ptx_run(&l, &fault, counting ? &counted : NULL);
  if (l.team != NULL) pthread_mutex_unlock(&team_lock);
  if (counting) count(&counted);
  if (lcu_unlikely(st != LCU_OK))
    cpu_fault_add(s, op, st, ptx_kernel_get_info(l.kernel)->name, &fault);
}


/* ---- queueing ---- */

static cu_result fill_grid (const char *call, cpu_op *op, const cpu_grid *from, void **params,
                            void **extra) {
  cpu_grid *to = &op->grid;
  to->function = from->function;
  memcpy(to->grid, from->grid, sizeof to->grid);
  memcpy(to->caller, lcu_caller, sizeof to->caller);
  memcpy(to->block, from->block, sizeof to->block);
  to->shared = from->shared;
  to->cooperative = from->cooperative;
  atomic_store_explicit(&to->stop, false, memory_order_relaxed);
  return take_params(call, op, params, extra);
}

static cu_result launch (const char *call, const cpu_grid *g, cu_stream handle, void **params,
                         void **extra) {
  cpu_stream *s = cpu_stream_of(handle);
  cu_result r = cpu_enter();
  if (r != 0) return r;
  if (cpu_function_of(g->function) == NULL || s == NULL) return CU_ERR_INVALID_HANDLE;
  r = check_launch(call, g);
  if (r != 0) return r;
  cpu_op *op = cpu_op_new(CPU_OP_KERNEL, run_grid);
  if (op == NULL) return CU_ERR_OUT_OF_MEMORY;
  r = fill_grid(call, op, g, params, extra);
  if (r != 0) cpu_op_discard(op);
  else cpu_submit(s, op, CPU_ASYNC);
  return r;
}

cu_result cpu_cuLaunchKernel (cu_function f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                              unsigned by, unsigned bz, unsigned shared, cu_stream s, void **params,
                              void **extra) {
  cpu_grid g;
  g.function = f;
  g.grid[0] = gx, g.grid[1] = gy, g.grid[2] = gz;
  g.block[0] = bx, g.block[1] = by, g.block[2] = bz;
  g.shared = shared;
  g.cooperative = false;
  return launch("cuLaunchKernel", &g, s, params, extra);
}

cu_result cpu_cuLaunchCooperativeKernel (cu_function f, unsigned gx, unsigned gy, unsigned gz,
                                         unsigned bx, unsigned by, unsigned bz, unsigned shared,
                                         cu_stream s, void **params) {
  cpu_grid g;
  g.function = f;
  g.grid[0] = gx, g.grid[1] = gy, g.grid[2] = gz;
  g.block[0] = bx, g.block[1] = by, g.block[2] = bz;
  g.shared = shared;
  g.cooperative = true;
  return launch("cuLaunchCooperativeKernel", &g, s, params, NULL);
}


/* ---- counters ---- */

/* Instructions executed since counting was switched on; `enable` 1 starts afresh, 0 stops, -1 only
 * reads. */
cu_result cpu_cuxCounters (cux_counters *out, int enable) {
  cu_result r = cpu_enter();
  if (r != 0) return r;
  pthread_mutex_lock(&counters.lock);
  if (out != NULL) *out = counters.sum;
  if (enable > 0) counters.sum = (cux_counters){ 0 };
  if (enable >= 0) atomic_store(&counters.on, enable > 0);
  pthread_mutex_unlock(&counters.lock);
  return 0;
}
