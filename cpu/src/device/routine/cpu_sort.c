/* cpu_sort.c: sorts, in the place of kernels. */
#include "cpu_config.h"
#include "cpu_routine.h"
#include "sort.h"

enum { SMALL = 1 << 11 }; /* elements */

static sort_job job_of (const cux_sort *x) {
  return (sort_job){ .places = x->places,
                     .descending = x->descending,
                     .dtype = (lcu_dtype_id)x->dtype,
                     .rows = x->rows,
                     .m = x->m,
                     .in = (const void *)(uintptr_t)x->in,
                     .out = (void *)(uintptr_t)x->out,
                     .scratch = (void *)(uintptr_t)x->scratch,
                     .threads = cpu_configuration.threads,
                     .isa = ptx_isa_name() };
}

static int list_sort_operands (const void *job, int from, cpu_operand out[CPU_MOST_OPERANDS]) {
  if (from > 0) return 0;
  const cux_sort *x = job;
  const lcu_dtype *t = &lcu_dtypes[x->dtype];
  uint64_t n = (uint64_t)x->rows * (uint64_t)x->m;
  uint32_t size = x->places ? 8 : t->size, align = x->places ? 8 : t->align;
  out[0] = (cpu_operand){ x->in, n * t->size, t->size, t->align, false, CPU_USES_ALL };
  out[1] = (cpu_operand){ x->out, n * size, size, align, true, CPU_USES_NONE };
  out[2] = (cpu_operand){ x->scratch, x->scratch_bytes, 8, 8, true, CPU_USES_NONE };
  return 3;
}

static bool is_small_sort (const void *job) {
  const cux_sort *x = job;
  return x->rows * x->m <= SMALL;
}

static lcu_status compute_sort (const void *job, lcu_team *team, cpu_watch *watch) {
  sort_job sort = job_of(job);
  sort.team = team;
  sort.stop = cpu_watch_stops;
  sort.ud = watch;
  return sort_run(&sort);
}

cu_result cpu_cuxSortScratch (const cux_sort *x, uint64_t *bytes) {
  const sort_job job = job_of(x);
  *bytes = sort_fits(&job) ? sort_scratch(&job) : UINT64_MAX;
  return 0;
}

cu_result cpu_cuxSort (const cux_sort *x, cu_stream handle) {
  static const cpu_routine routine = { CUX_SORT_NAME, sizeof *x,     list_sort_operands,
                                       compute_sort,  is_small_sort, NULL,
                                       false,         NULL };
  return cpu_routine_queue(&routine, x, handle);
}
