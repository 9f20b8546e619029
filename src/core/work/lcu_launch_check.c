/* lcu_launch_check.c: checks the limits of a launch in advance, with messages a user can act on. */
#include "lcu_device_failure.h"
#include "lcu_launch.h"
#include "lcu_scope.h"

static const char axis_name[3] = { 'x', 'y', 'z' };

static uint64_t volume (const uint32_t v[3]) { return (uint64_t)v[0] * v[1] * v[2]; }

static lcu_status check_axes (const lcu_function *f, const char *what, const uint32_t v[3],
                              const int limit[3]) {
  for (int i = 0; i < 3; i++) {
    if (v[i] == 0)
      return lcu_fail(LCU_E_ARGUMENT, "%s: %s is 0 along %c", f->name, what, axis_name[i]);
    if (v[i] > (uint32_t)limit[i])
      return lcu_fail(LCU_E_ARGUMENT, "%s: %s of %u along %c is more than the %d that %s allows",
                      f->name, what, v[i], axis_name[i], limit[i], f->device->label);
  }
  return LCU_OK;
}

/* A kernel that uses many registers allows fewer threads than the device. */
static lcu_status check_threads (lcu_function *f, const lcu_config *c) {
  uint64_t threads = volume(c->block);
  int regs = 0;
  if (threads <= (uint64_t)f->max_threads) return LCU_OK;
  if (threads > (uint64_t)f->device->limits.max_threads)
    return lcu_fail(LCU_E_ARGUMENT,
                    "%s: block of %u x %u x %u = %llu threads is more than the %d that %s allows",
                    f->name, c->block[0], c->block[1], c->block[2], (unsigned long long)threads,
                    f->device->limits.max_threads, f->device->label);
  if (lcu_function_attribute(f, CU_FUNC_NUM_REGS, &regs) != LCU_OK) regs = 0;
  return lcu_fail(
    LCU_E_ARGUMENT,
    "%s: block of %u x %u x %u = %llu threads is more than the %d this kernel was compiled for "
    "(it uses %d registers per thread; see max_threads_per_block)",
    f->name, c->block[0], c->block[1], c->block[2], (unsigned long long)threads, f->max_threads,
    regs);
}

lcu_status lcu_launch_cooperative_limit (lcu_function *f, int threads, size_t shared,
                                         uint64_t *blocks) {
  int per_sm = 0;
  *blocks = 0;
  if (!f->device->limits.cooperative) return LCU_OK;
  LCU_TRY(lcu_function_occupancy(f, threads, shared, &per_sm));
  *blocks = (uint64_t)per_sm * (uint64_t)f->device->limits.sm_count;
  return LCU_OK;
}

/* All blocks of a cooperative launch must be resident at the same time. */
static lcu_status check_cooperative (lcu_function *f, const lcu_config *c) {
  uint64_t blocks = volume(c->grid), most;
  if (!f->device->limits.cooperative)
    return lcu_fail(LCU_E_ARGUMENT, "%s: %s does not support cooperative launches", f->name,
                    f->device->label);
  LCU_TRY(lcu_launch_cooperative_limit(f, (int)volume(c->block), c->shared, &most));
  if (blocks <= most) return LCU_OK;
  return lcu_fail(
    LCU_E_ARGUMENT,
    "%s: a cooperative launch of %llu blocks exceeds the %llu blocks that %s can run at one time "
    "(%d multiprocessors with %d blocks of %llu threads each)",
    f->name, (unsigned long long)blocks, (unsigned long long)most, f->device->label,
    f->device->limits.sm_count, (int)(most / (uint64_t)f->device->limits.sm_count),
    (unsigned long long)volume(c->block));
}

static lcu_status check_multiple (const lcu_function *f, const uint32_t grid[3],
                                  const uint32_t cluster[3]) {
  for (int i = 0; i < 3; i++)
    if (cluster[i] > 1 && grid[i] % cluster[i] != 0)
      return lcu_fail(LCU_E_ARGUMENT,
                      "%s: grid of %u along %c is not a multiple of the cluster size %u", f->name,
                      grid[i], axis_name[i], cluster[i]);
  return LCU_OK;
}

static lcu_status check_cluster (lcu_function *f, const lcu_config *c) {
  const uint64_t portable = 8;
  int large = 0;
  if (!f->device->limits.cluster || f->device->drv->cuLaunchKernelEx == NULL)
    return lcu_fail(LCU_E_ARGUMENT,
                    "%s: %s does not support clusters: they came with compute capability 9.0, "
                    "which the CPU device has with LUACUDA_CPU_ARCH=90",
                    f->name, f->device->label);
  for (int i = 0; i < 3; i++)
    if (c->extras.cluster[i] == 0)
      return lcu_fail(LCU_E_ARGUMENT, "%s: cluster is 0 along %c", f->name, axis_name[i]);
  LCU_TRY(check_multiple(f, c->grid, c->extras.cluster));
  if (volume(c->extras.cluster) <= portable) return LCU_OK;
  LCU_TRY(lcu_function_attribute(f, CU_FUNC_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, &large));
  if (large && volume(c->extras.cluster) <= 2 * portable) return LCU_OK;
  return lcu_fail(LCU_E_ARGUMENT, "%s: cluster of %llu blocks is more than the %llu allowed%s",
                  f->name, (unsigned long long)volume(c->extras.cluster),
                  (unsigned long long)(large ? 2 * portable : portable),
                  large ? "" : " (non_portable_cluster_size_allowed allows 16)");
}

/* As the priorities of streams: the nearest that the device has. */
static lcu_status clamp_priority (lcu_function *f, int *priority) {
  int least = 0, greatest = 0; /* the greatest priority is the smallest number */
  lcu_scope scope;
  LCU_TRY(lcu_device_enter_probe(f->device, &scope));
  lcu_status s = LCU_CALL(f->device->drv, cuCtxGetStreamPriorityRange, (&least, &greatest));
  lcu_device_leave(&scope);
  if (s != LCU_OK) return lcu_device_status(f->device, s);
  if (*priority < greatest) *priority = greatest;
  if (*priority > least) *priority = least;
  return LCU_OK;
}

/* Overlap and domains came with compute capability 9.0; without them a kernel computes the same. */
static void drop_later_extras (const lcu_device *d, lcu_launch_extras *e) {
  if (d->limits.cc >= 90) return;
  e->programmatic = false;
  e->sync_domain = CU_SYNC_DOMAIN_DEFAULT;
}

static lcu_status check_extras (lcu_function *f, lcu_config *c) {
  const uint32_t *v = c->extras.cluster;
  if ((v[0] | v[1] | v[2]) != 0) LCU_TRY(check_cluster(f, c));
  if (f->device->drv->cuLaunchKernelEx == NULL)
    return lcu_fail(LCU_E_ARGUMENT,
                    "%s: the driver of %s has no launch attributes: update it to CUDA 11.8 or "
                    "later",
                    f->name, f->device->label);
  drop_later_extras(f->device, &c->extras);
  return c->extras.has_priority ? clamp_priority(f, &c->extras.priority) : LCU_OK;
}

lcu_status lcu_launch_check (lcu_function *f, lcu_config *c) {
  LCU_TRY(check_axes(f, "grid", c->grid, f->device->limits.max_grid));
  LCU_TRY(check_axes(f, "block", c->block, f->device->limits.max_block));
  LCU_TRY(check_threads(f, c));
  LCU_TRY(lcu_function_allow_shared(f, c->shared));
  if (c->extras.any) LCU_TRY(check_extras(f, c));
  if (f->cluster[0] != 0) LCU_TRY(check_multiple(f, c->grid, f->cluster));
  return c->cooperative ? check_cooperative(f, c) : LCU_OK;
}
