/* cpu_gemm.c: products of matrices, in the place of cuBLAS. */
#include "cpu_config.h"
#include "cpu_routine.h"
#include "gemm.h"

typedef struct product {
  cux_gemm job; /* without its plan */
  lcu_gemm plan;
} product;


/* ---- memory ---- */

/* The bytes that an operand spans before and after its first element, and its element count. */
typedef struct reach {
  uint64_t before, after, count;
} reach;

static void stretch (reach *r, int64_t extent, int64_t step, int64_t size) {
  int64_t far = (extent - 1) * step * size;
  if (step != 0) r->count *= (uint64_t)extent;
  if (far < 0) r->before += (uint64_t)-far;
  else r->after += (uint64_t)far;
}

static cpu_operand operand_of (uint64_t address, const reach *r, const lcu_dtype *t, bool write) {
  uint64_t bytes = r->before + r->after + t->size;
  return (cpu_operand){ address - r->before,
                        bytes,
                        t->size,
                        t->align,
                        write,
                        write                         ? CPU_USES_NONE
                        : bytes == r->count * t->size ? CPU_USES_ALL
                                                      : CPU_USES_ENDS };
}

static int list_product_operands (const void *job, int from, cpu_operand out[CPU_MOST_OPERANDS]) {
  if (from > 0) return 0;
  const product *p = job;
  const lcu_gemm *g = &p->plan;
  const lcu_dtype *t = &lcu_dtypes[p->job.dtype];
  int64_t size = t->size;
  reach a = { 0, 0, 1 }, b = a, c = a;
  stretch(&a, g->m, g->a_row, size), stretch(&a, g->k, g->a_col, size);
  stretch(&b, g->k, g->b_row, size), stretch(&b, g->n, g->b_col, size);
  stretch(&c, g->m, g->c_row, size), stretch(&c, g->n, g->c_col, size);
  for (int i = 0; i < g->axes; i++) {
    stretch(&a, g->batch[i].extent, g->batch[i].a, size);
    stretch(&b, g->batch[i].extent, g->batch[i].b, size);
    stretch(&c, g->batch[i].extent, g->batch[i].c, size);
  }
  out[0] = operand_of(p->job.a, &a, t, false);
  out[1] = operand_of(p->job.b, &b, t, false);
  out[2] = operand_of(p->job.c, &c, t, true);
  return 3;
}


/* ---- running ---- */

static bool is_small_product (const void *job) {
  const lcu_gemm *g = &((const product *)job)->plan;
  double work = (double)g->m * (double)g->n * (double)g->k * (double)lcu_gemm_count(g);
  return work <= 64 * 64 * 64;
}

static lcu_status compute_product (const void *job, lcu_team *team, cpu_watch *watch) {
  const product *p = job;
  const gemm_job g = { .plan = &p->plan,
                       .dtype = (lcu_dtype_id)p->job.dtype,
                       .a = (const void *)(uintptr_t)p->job.a,
                       .b = (const void *)(uintptr_t)p->job.b,
                       .c = (void *)(uintptr_t)p->job.c,
                       .blas = p->job.blas,
                       .isa = ptx_isa_name(),
                       .threads = cpu_configuration.threads,
                       .team = team,
                       .stop = cpu_watch_stops,
                       .ud = watch };
  return gemm_run(&g);
}

cu_result cpu_cuxGemm (const cux_gemm *g, cu_stream handle) {
  static const cpu_routine routine = { CUX_GEMM_NAME,
                                       sizeof(product),
                                       list_product_operands,
                                       compute_product,
                                       is_small_product,
                                       NULL,
                                       false,
                                       NULL };
  const product p = { *g, *g->plan };
  return cpu_routine_queue(&routine, &p, handle);
}
