/* cpu_launch.c: entry points that launch kernels: they check the launch, copy the parameters and
 * queue the grid (cpu_grid.c runs it). */
#include "cpu_caller.h"
#include "cpu_launch.h"

#include <inttypes.h>
#include <string.h>

#include "cpu_capture.h"
#include "cpu_config.h"
#include "cpu_driver.h"
#include "cpu_module.h"
#include "cpu_grid.h"
#include "cpu_worker.h"
#include "cpu_words.h"

/* Keys in the `extra` list of cuLaunchKernel. */
#define PARAM_END ((void *)0)
#define PARAM_BUFFER_POINTER ((void *)(uintptr_t)1)
#define PARAM_BUFFER_SIZE ((void *)(uintptr_t)2)


/* ---- parameters ---- */

/* The list has pairs of key and value up to PARAM_END. */
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
    return cpu_fail(call, CU_ERR_INVALID_VALUE,
                    "kernel `%.200s` takes %u bytes of parameters, but the buffer has %zu",
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
      return cpu_fail(call, CU_ERR_INVALID_VALUE, "parameter %u of kernel `%.200s` is missing",
                      i + 1, info->name);
    memcpy(out + info->params[i].offset, params[i], info->params[i].size);
  }
  return 0;
}

/* Gives the parameters their place: in the operation, or in memory of its own. */
static bool place_params (cpu_op *op, const ptx_kernel_info *info) {
  op->grid.params = op->grid.inline_params;
  if (info->param_bytes <= CPU_INLINE_PARAMS) return true;
  op->grid.params = op->memory = lcu_alloc_aligned(info->param_bytes, 16);
  return op->memory != NULL;
}

static cu_result take_params (const char *call, cpu_op *op, void **params, void **extra) {
  const ptx_kernel_info *info = ptx_kernel_get_info(op->grid.function->kernel);
  if (!place_params(op, info)) return CU_ERR_OUT_OF_MEMORY;
  return copy_params(call, info, params, extra, op->grid.params);
}


/* ---- limits ---- */

static cu_result check_shape (const char *call, const char *what, const uint32_t d[3],
                              const uint32_t most[3]) {
  for (int i = 0; i < 3; i++)
    if (d[i] == 0 || d[i] > most[i])
      return cpu_fail(call, CU_ERR_INVALID_VALUE, "%s %c is %u; it must be 1 to %u", what, "xyz"[i],
                      d[i], most[i]);
  return 0;
}

static cu_result check_block (const char *call, const ptx_kernel_info *info,
                              const uint32_t block[3]) {
  uint64_t n = cpu_grid_volume(block);
  if (n > CPU_MAX_THREADS)
    return cpu_fail(call, CU_ERR_INVALID_VALUE, "a block of %" PRIu64 " threads; the maximum is %d",
                    n, CPU_MAX_THREADS);
  if (n > info->max_threads)
    return cpu_fail(call, CU_ERR_INVALID_VALUE,
                    "a block of %" PRIu64 " threads; kernel `%.200s` was compiled for up to %u", n,
                    info->name, info->max_threads);
  const uint32_t *want = info->req_block;
  if (want[0] != 0 && memcmp(want, block, sizeof info->req_block) != 0)
    return cpu_fail(call, CU_ERR_INVALID_VALUE,
                    "a block of %u x %u x %u threads; kernel `%.200s` was compiled for "
                    "%u x %u x %u",
                    block[0], block[1], block[2], info->name, want[0], want[1], want[2]);
  return 0;
}

static cu_result check_shared (const char *call, const cpu_function *f, uint32_t dynamic) {
  const ptx_kernel_info *info = ptx_kernel_get_info(f->kernel);
  if (info->shared_bytes > (uint32_t)cpu_configuration.arch->shared_optin)
    return cpu_fail(call, CU_ERR_LAUNCH_OUT_OF_RESOURCES,
                    "kernel `%.200s` uses %u bytes of shared memory; the device has %d", info->name,
                    info->shared_bytes, cpu_configuration.arch->shared_optin);
  if (dynamic > (uint32_t)f->set->max_dynamic)
    return cpu_fail(call, CU_ERR_INVALID_VALUE,
                    "%u bytes of dynamic shared memory; kernel `%.200s` may use up to %d", dynamic,
                    info->name, f->set->max_dynamic);
  return 0;
}

static cu_result check_cooperative (const char *call, const cpu_grid *g) {
  if (cpu_grid_volume(g->grid) <= cpu_grid_resident(g)) return 0;
  return cpu_fail(call, CU_ERR_COOPERATIVE_LAUNCH_TOO_LARGE,
                  "a cooperative grid of %" PRIu64 " blocks; at most %" PRIu64
                  " fit on the device at the same time",
                  cpu_grid_volume(g->grid), cpu_grid_resident(g));
}

static cu_result check_launch (const char *call, cpu_grid *g) {
  static const uint32_t most_grid[3] = { CPU_MAX_GRID_X, CPU_MAX_GRID_YZ, CPU_MAX_GRID_YZ };
  static const uint32_t most_block[3] = { CPU_MAX_THREADS, CPU_MAX_THREADS, CPU_MAX_BLOCK_Z };
  cu_result r = check_shape(call, "grid", g->grid, most_grid);
  if (r == 0) r = check_shape(call, "block", g->block, most_block);
  if (r == 0) r = check_block(call, ptx_kernel_get_info(g->function->kernel), g->block);
  if (r == 0) r = check_shared(call, g->function, g->shared);
  if (r == 0) r = cpu_cluster_check(call, g);
  if (r == 0 && g->cooperative) r = check_cooperative(call, g);
  return r == 0 ? cpu_function_prepare(call, g->function) : r;
}


/* ---- queueing ---- */

static void copy_shape (cpu_op *op, const cpu_grid *from) {
  cpu_grid *to = &op->grid;
  to->function = from->function;
  memcpy(to->grid, from->grid, sizeof to->grid);
  memcpy(to->block, from->block, sizeof to->block);
  to->shared = from->shared;
  to->cooperative = from->cooperative;
  to->programmatic = false; /* graphs are not examined */
  memcpy(to->cluster, from->cluster, sizeof to->cluster);
  to->stop = &op->stop;
}

/* Of a launch: cpu_op_copy_fn. */
static cpu_op *copy_launch (cpu_op *to, const cpu_op *from) {
  copy_shape(to, &from->grid);
  memcpy(to->grid.caller, from->grid.caller, sizeof to->grid.caller);
  if (from->grid.function == NULL) return to; /* its module was unloaded */
  const ptx_kernel_info *info = ptx_kernel_get_info(from->grid.function->kernel);
  if (!place_params(to, info)) {
    cpu_op_discard(to);
    return NULL;
  }
  memcpy(to->grid.params, from->grid.params, info->param_bytes);
  return to;
}

cu_result cpu_launch_describe (const char *call, cpu_grid *g, void **params, void **extra,
                               cpu_op *op) {
  g->function = cpu_function_of(g->function);
  if (g->function == NULL) return CU_ERR_INVALID_HANDLE;
  cu_result r = check_launch(call, g);
  if (r != 0) return r;
  op->copy_of = copy_launch;
  copy_shape(op, g);
  memcpy(op->grid.caller, cpu_caller()->place, sizeof op->grid.caller);
  return take_params(call, op, params, extra);
}

static cu_result launch (const char *call, cpu_grid *g, cu_stream handle, void **params,
                         void **extra) {
  cpu_stream *s;
  cu_result r = cpu_stream_enter(handle, &s);
  if (r != 0) return r;
  cpu_op *op = cpu_op_new(CPU_OP_KERNEL, cpu_grid_run);
  if (op == NULL) return CU_ERR_OUT_OF_MEMORY;
  r = cpu_launch_describe(call, g, params, extra, op);
  if (r == 0 && cpu_module_context(op->grid.function->module) != s->context)
    r = CU_ERR_INVALID_HANDLE;
  op->grid.programmatic = g->programmatic;
  if (r != 0) cpu_op_discard(op);
  else if (cpu_capturing(s)) r = cpu_capture_op(s, CU_NODE_KERNEL, op, NULL);
  else cpu_submit(s, op, CPU_ASYNC);
  return r;
}

cu_result cpu_cuLaunchKernel (cu_function f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                              unsigned by, unsigned bz, unsigned shared, cu_stream s, void **params,
                              void **extra) {
  cpu_grid g = { .function = f };
  g.grid[0] = gx, g.grid[1] = gy, g.grid[2] = gz;
  g.block[0] = bx, g.block[1] = by, g.block[2] = bz;
  g.shared = shared;
  return launch("cuLaunchKernel", &g, s, params, extra);
}

cu_result cpu_cuLaunchCooperativeKernel (cu_function f, unsigned gx, unsigned gy, unsigned gz,
                                         unsigned bx, unsigned by, unsigned bz, unsigned shared,
                                         cu_stream s, void **params) {
  cpu_grid g = { .function = f };
  g.grid[0] = gx, g.grid[1] = gy, g.grid[2] = gz;
  g.block[0] = bx, g.block[1] = by, g.block[2] = bz;
  g.shared = shared;
  g.cooperative = true;
  return launch("cuLaunchCooperativeKernel", &g, s, params, NULL);
}

cu_result cpu_cuLaunchKernelEx (const cu_launch_config *c, cu_function f, void **params,
                                void **extra) {
  cpu_grid g;
  cu_result r = cpu_launch_read(c, f, &g);
  return r != 0 ? r : launch("cuLaunchKernelEx", &g, c->stream, params, extra);
}
