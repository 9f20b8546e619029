/* lcu_blas.c: cuBLAS on a device: its handle, and products as queued work. */
#include "lcu_blas.h"

#include <stdint.h>

#include "cu_dtype.h"
#include "lcu_capture.h"
#include "lcu_device_failure.h"
#include "lcu_pool.h"
#include "lcu_process_open.h"
#include "lcu_scope.h"
#include "lcu_timeline.h"
#include "lcu_wait.h"
#include "lcu_work.h"

/* A handle has a current stream, so one thread uses it at a time. */
typedef struct device_blas {
  lcu_part part;
  const lcu_cublas *lib;
  cu_blas handle;
  pthread_mutex_t lock;
} device_blas;

#define BLAS_CALL(lib, fn, args) lcu_cublas_status(#fn, (lib)->fn args)

/* ---- the handle ---- */

static lcu_status create_handle (lcu_device *d, device_blas *g) {
  enum { ALLOC_FAILED = 3 };
  int r = g->lib->cublasCreate_v2(&g->handle);
  if (r == ALLOC_FAILED && lcu_pool_trim(d, 0) == LCU_OK) r = g->lib->cublasCreate_v2(&g->handle);
  return lcu_cublas_status("cublasCreate", r);
}

static device_blas *blas_of (const lcu_device *d) {
  return (device_blas *)(void *)atomic_load_explicit(&d->parts[LCU_PART_BLAS],
                                                     memory_order_acquire);
}

/* On a dead device the handle stays until the process ends. */
static void blas_destroy (lcu_device *d, lcu_part *part) {
  device_blas *g = (device_blas *)(void *)part;
  lcu_scope scope;
  if (lcu_device_enter_quiet(d, &scope)) {
    g->lib->cublasDestroy_v2(g->handle);
    lcu_device_leave(&scope);
  }
  pthread_mutex_destroy(&g->lock);
  lcu_free(g);
}

/* The device is entered; its open lock is held. */
static lcu_status make_blas (lcu_device *d, const lcu_cublas *lib) {
  if (blas_of(d) != NULL) return LCU_OK;
  device_blas *g = lcu_calloc(1, sizeof *g);
  if (g == NULL) return lcu_no_memory("a cuBLAS handle");
  g->lib = lib;
  lcu_status st = create_handle(d, g);
  if (st != LCU_OK) {
    lcu_free(g);
    return st;
  }
  pthread_mutex_init(&g->lock, NULL);
  g->part.destroy = blas_destroy;
  atomic_store(&d->parts[LCU_PART_BLAS], &g->part);
  return LCU_OK;
}

static lcu_status get_blas (lcu_device *d, device_blas **out) {
  const lcu_cublas *lib;
  *out = blas_of(d);
  if (lcu_likely(*out != NULL)) return LCU_OK;
  LCU_TRY(lcu_process_cublas(&lib));
  pthread_mutex_lock(&d->open_lock);
  lcu_status st = make_blas(d, lib);
  *out = blas_of(d);
  pthread_mutex_unlock(&d->open_lock);
  return st;
}

bool lcu_blas_is_ready (const lcu_device *d) { return blas_of(d) != NULL; }

lcu_status lcu_blas_ready (lcu_device *d) {
  lcu_scope scope;
  device_blas *g;
  LCU_TRY(lcu_device_enter(d, &scope));
  lcu_status st = lcu_device_status(d, get_blas(d, &g));
  lcu_device_leave(&scope);
  return st;
}


/* ---- products ---- */

/* The factors 1 and 0 in the types that cuBLAS computes in, each followed by an imaginary part. */
static const float one32[2] = { 1, 0 }, zero32[2] = { 0, 0 };
static const double one64[2] = { 1, 0 }, zero64[2] = { 0, 0 };

typedef struct blas_type {
  cu_blas_type type;
  cu_blas_compute compute;
  const void *one, *zero;
} blas_type;

static blas_type type_of (lcu_dtype_id dtype, bool tf32) {
  const lcu_dtype *t = &lcu_dtypes[dtype];
  cu_blas_type type = lcu_codes[dtype].blas;
  uint32_t part = t->kind == LCU_KIND_COMPLEX ? t->size / 2 : t->size;
  if (part == 8) return (blas_type){ type, CU_BLAS_COMPUTE_64F, one64, zero64 };
  bool rounds = tf32 && part == 4;
  return (blas_type){ type, rounds ? CU_BLAS_COMPUTE_32F_FAST_TF32 : CU_BLAS_COMPUTE_32F, one32,
                      zero32 };
}

bool lcu_blas_has (lcu_dtype_id dtype) { return lcu_codes[dtype].blas >= 0; }

static cu_blas_op op (bool transpose) { return transpose ? CU_BLAS_T : CU_BLAS_N; }

static const void *element (cu_deviceptr base, int64_t index, int64_t size) {
  return (const void *)(uintptr_t)(base + (cu_deviceptr)(index * size));
}

/* Makes one call: product number `call`, or a run of products. The handle's lock is held and its
 * stream is set. */
static lcu_status call_gemm (const device_blas *g, const lcu_blas_job *job, const lcu_blas_args *x,
                             int strided, int64_t call) {
  const blas_type t = type_of(job->dtype, job->tf32);
  int64_t size = lcu_dtypes[job->dtype].size, at_a, at_b, at_c;
  lcu_gemm_offsets(job->gemm, strided, call, &at_a, &at_b, &at_c);
  const void *a = element(job->a, at_a, size), *b = element(job->b, at_b, size);
  void *c = (void *)(uintptr_t)(job->c + (cu_deviceptr)(at_c * size));
  const void *first = x->swapped ? b : a, *second = x->swapped ? a : b;
  if (x->count == 1)
    return BLAS_CALL(g->lib, cublasGemmEx,
                     (g->handle, op(x->transpose_first), op(x->transpose_second), x->m, x->n, x->k,
                      t.one, first, t.type, x->ld_first, second, t.type, x->ld_second, t.zero, c,
                      t.type, x->ld_out, t.compute, CU_BLAS_ALGORITHM_DEFAULT));
  int64_t step_first = x->swapped ? x->step_b : x->step_a,
          step_second = x->swapped ? x->step_a : x->step_b;
  return BLAS_CALL(g->lib, cublasGemmStridedBatchedEx,
                   (g->handle, op(x->transpose_first), op(x->transpose_second), x->m, x->n, x->k,
                    t.one, first, t.type, x->ld_first, step_first, second, t.type, x->ld_second,
                    step_second, t.zero, c, t.type, x->ld_out, x->step_c, x->count, t.compute,
                    CU_BLAS_ALGORITHM_DEFAULT));
}

/* cuBLAS takes memory of its own on a stream that runs, and allocates in the stream's order on one
 * that is captured: such a graph could not be cloned, and no conditional node may allocate. So a
 * capture gives it memory, of the size that cuBLAS documents. */
static lcu_status get_workspace (lcu_stream *s, lcu_block **out) {
  enum { FOR_HOPPER = 32 << 20, FOR_OTHERS = 4 << 20, HOPPER = 90 };
  *out = NULL;
  if (lcu_likely(s->capture == NULL)) return LCU_OK;
  return lcu_capture_workspace(s, s->device->limits.cc >= HOPPER ? FOR_HOPPER : FOR_OTHERS, out);
}

/* Setting the stream takes the workspace of an earlier call away. */
static lcu_status set_stream (const device_blas *g, const lcu_stream *s,
                              const lcu_block *workspace) {
  LCU_TRY(BLAS_CALL(g->lib, cublasSetStream_v2, (g->handle, s->handle)));
  if (lcu_likely(workspace == NULL)) return LCU_OK;
  return BLAS_CALL(g->lib, cublasSetWorkspace_v2,
                   (g->handle, (void *)(uintptr_t)workspace->address, workspace->size));
}

static lcu_status call_all (device_blas *g, lcu_stream *s, const lcu_blas_job *job,
                            const lcu_blas_args *x, int strided, const lcu_block *workspace) {
  int64_t calls = lcu_gemm_count(job->gemm) / x->count;
  pthread_mutex_lock(&g->lock);
  lcu_status st = set_stream(g, s, workspace);
  for (int64_t i = 0; i < calls && st == LCU_OK; i++) st = call_gemm(g, job, x, strided, i);
  pthread_mutex_unlock(&g->lock);
  return st;
}

/* Ends the work also after a failure: calls before the failing one were queued. */
static lcu_status gemm_entered (lcu_stream *s, const lcu_blas_job *job, const lcu_blas_args *x,
                                int strided) {
  lcu_device *d = s->device;
  lcu_block *workspace;
  device_blas *g;
  LCU_TRY(lcu_device_status(d, get_blas(d, &g)));
  LCU_TRY(get_workspace(s, &workspace));
  const lcu_use uses[] = { job->uses[0], job->uses[1], job->uses[2], { workspace, true } };
  LCU_TRY(lcu_work_begin(s, uses, lcu_arraylen(uses)));
  if (lcu_timeline_on()) lcu_timeline_open_routine(s, "cublasGemmEx");
  lcu_status st = call_all(g, s, job, x, strided, workspace);
  if (lcu_timeline_on()) lcu_timeline_close(s, st);
  lcu_work_end_kernel(s, uses, lcu_arraylen(uses), true, "cublasGemmEx", LCU_NO_KERNEL);
  return lcu_device_status(d, st);
}

lcu_status lcu_blas_gemm (lcu_stream *s, const lcu_blas_job *job, lcu_gemm_fit *fit) {
  lcu_scope scope;
  lcu_blas_args x;
  int strided = -1;
  *fit = lcu_gemm_blas(job->gemm, &x, &strided);
  if (*fit != LCU_GEMM_FITS) return LCU_OK;
  LCU_TRY(lcu_device_enter(s->device, &scope));
  lcu_status st = gemm_entered(s, job, &x, strided);
  lcu_device_leave(&scope);
  if (lcu_unlikely(lcu_process_launches_wait()) && st == LCU_OK && s->capture == NULL)
    return lcu_stream_synchronize(s);
  return st;
}
