/* cpu_gemm.c: products of matrices, in the place of cuBLAS: queued, captured, checked and stopped
 * like kernels, and computed by src/gemm. */
#include "cpu_gemm.h"

#include <stdio.h>
#include <string.h>

#include "cpu_capture.h"
#include "cpu_config.h"
#include "cpu_fault.h"
#include "cpu_grid.h"
#include "cpu_map.h"
#include "cpu_worker.h"
#include "gemm.h"

static const char NAME[] = "luacuda_matmul"; /* as in gemm_source.lua */

/* The memory of an operation. */
typedef struct product {
  cux_gemm job;
  lcu_gemm plan;
} product;


/* ---- checks, when the product is about to run ---- */

/* Steps of an operand along m, n, k and the batch; bytes that it spans before and behind its first
 * element. */
typedef struct reach {
  uint64_t before, behind;
} reach;

static void stretch (reach *r, int64_t extent, int64_t step, int64_t size) {
  int64_t far = (extent - 1) * step * size;
  if (far < 0) r->before += (uint64_t)-far;
  else r->behind += (uint64_t)far;
}

typedef struct operand {
  uint64_t address, before, bytes;
  bool write;
} operand;

static operand operand_of (uint64_t address, const reach *r, int64_t size, bool write) {
  return (operand){ address, r->before, r->before + r->behind + (uint64_t)size, write };
}

static void list_operands (const product *p, operand out[3]) {
  const lcu_gemm *g = &p->plan;
  int64_t size = lcu_dtypes[p->job.dtype].size;
  reach a = { 0, 0 }, b = a, c = a;
  stretch(&a, g->m, g->a_row, size), stretch(&a, g->k, g->a_col, size);
  stretch(&b, g->k, g->b_row, size), stretch(&b, g->n, g->b_col, size);
  stretch(&c, g->m, g->c_row, size), stretch(&c, g->n, g->c_col, size);
  for (int i = 0; i < g->axes; i++) {
    stretch(&a, g->batch[i].extent, g->batch[i].a, size);
    stretch(&b, g->batch[i].extent, g->batch[i].b, size);
    stretch(&c, g->batch[i].extent, g->batch[i].c, size);
  }
  out[0] = operand_of(p->job.a, &a, size, false);
  out[1] = operand_of(p->job.b, &b, size, false);
  out[2] = operand_of(p->job.c, &c, size, true);
}

static ptx_fault fault_new (ptx_fault_kind kind) {
  ptx_fault f = { .kind = kind };
  memcpy(f.kernel, NAME, sizeof NAME);
  return f;
}

/* False: the operand cannot be accessed, and *f says why. */
static bool check_operand (const operand *x, const lcu_dtype *t, ptx_fault *f) {
  uint64_t low = x->address - x->before, bad = low;
  ptx_range r = { 0, 0, false };
  bool found = cpu_block_find(low, &r), inside = found && low - r.base < r.size;
  if (inside && r.live && x->bytes <= r.size - (low - r.base) && low % t->align == 0) return true;
  *f = fault_new(inside && !r.live ? PTX_FAULT_USE_AFTER_FREE : PTX_FAULT_OUT_OF_BOUNDS);
  if (inside && r.live && low % t->align != 0) f->kind = PTX_FAULT_MISALIGNED;
  else if (inside && r.live) bad = r.base + r.size;
  f->address = bad;
  f->bytes = t->size;
  f->write = x->write;
  memcpy(f->space, "global", sizeof "global");
  if (found) f->nearest = r;
  ptx_fault_describe(f, "");
  return false;
}

static bool check (const product *p, ptx_fault *f) {
  operand operands[3];
  const lcu_dtype *t = &lcu_dtypes[p->job.dtype];
  if (cpu_configuration.check == PTX_CHECK_OFF) return true;
  list_operands(p, operands);
  for (int i = 0; i < 3; i++)
    if (!check_operand(&operands[i], t, f)) return false;
  return true;
}


/* ---- running ---- */

static double work_of (const lcu_gemm *g) {
  return (double)g->m * (double)g->n * (double)g->k * (double)lcu_gemm_count(g);
}

/* Less work than starting a thread for it. */
static bool is_small (const lcu_gemm *g) { return work_of(g) <= 64 * 64 * 64; }

/* What may end a product early. */
typedef struct watch {
  cpu_grid *grid;
  double deadline; /* 0: none */
  atomic_bool late;
} watch;

static bool stops (void *ud) {
  watch *w = ud;
  if (cpu_grid_stops(w->grid) || atomic_load_explicit(&w->late, memory_order_relaxed)) return true;
  if (w->deadline == 0 || lcu_now_ms() < w->deadline) return false;
  atomic_store(&w->late, true);
  return true;
}

static lcu_status compute (const product *p, watch *w) {
  gemm_job job = { .plan = &p->plan,
                   .dtype = (lcu_dtype_id)p->job.dtype,
                   .a = (const void *)(uintptr_t)p->job.a,
                   .b = (const void *)(uintptr_t)p->job.b,
                   .c = (void *)(uintptr_t)p->job.c,
                   .blas = p->job.blas,
                   .isa = ptx_isa_name(),
                   .threads = cpu_configuration.threads,
                   .stop = stops,
                   .ud = w };
  job.team = is_small(&p->plan) ? NULL : cpu_team_borrow(false);
  lcu_status st = gemm_run(&job);
  cpu_team_return(job.team);
  return st;
}

static bool was_stopped (watch *w, ptx_fault *f) {
  char words[64] = "the program was interrupted";
  bool late = atomic_load(&w->late);
  if (!late && !atomic_load(w->grid->stop)) return false;
  if (late) snprintf(words, sizeof words, "not done after %.0f ms", cpu_configuration.timeout_ms);
  *f = fault_new(late ? PTX_FAULT_TIMEOUT : PTX_FAULT_INTERRUPTED);
  ptx_fault_describe(f, words);
  return true;
}

static void run_product (cpu_stream *s, cpu_op *op) {
  const product *p = op->grid.params;
  double limit = cpu_configuration.timeout_ms;
  watch w = { .grid = &op->grid, .deadline = limit > 0 ? lcu_now_ms() + limit : 0 };
  ptx_fault fault;
  lcu_status st = LCU_E_FAULT;
  if (check(p, &fault)) st = compute(p, &w);
  if (st == LCU_OK && was_stopped(&w, &fault)) st = LCU_E_FAULT;
  op->grid.failed = st != LCU_OK;
  if (lcu_unlikely(st != LCU_OK)) cpu_fault_add(s, op, st, NAME, &fault);
}


/* ---- queueing ---- */

static cpu_op *fill (cpu_op *op, const cux_gemm *job, const char *caller) {
  product *p = op->memory = lcu_alloc(sizeof *p);
  if (p == NULL) {
    cpu_op_discard(op);
    return NULL;
  }
  p->plan = *job->plan;
  p->job = *job;
  p->job.plan = &p->plan;
  op->grid.function = NULL;
  op->grid.stop = &op->stop;
  op->grid.params = p;
  memcpy(op->grid.caller, caller, sizeof op->grid.caller);
  return op;
}

cpu_op *cpu_gemm_copy (cpu_op *to, const cpu_op *from) {
  return fill(to, &((const product *)from->grid.params)->job, from->grid.caller);
}

cu_result cpu_cuxGemm (const cux_gemm *g, cu_stream handle) {
  cpu_stream *s;
  cu_result r = cpu_stream_enter(handle, &s);
  if (r != 0) return r;
  cpu_op *op = cpu_op_new(CPU_OP_PRODUCT, run_product);
  if (op != NULL) op = fill(op, g, lcu_caller);
  if (op == NULL) return CU_ERR_OUT_OF_MEMORY;
  if (cpu_capturing(s)) return cpu_capture_op(s, CU_NODE_KERNEL, op, NULL);
  cpu_submit(s, op, is_small(g->plan) ? CPU_QUICK : CPU_ASYNC);
  return 0;
}
