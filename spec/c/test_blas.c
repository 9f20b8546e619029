/* test_blas.c: tests matrix products by cuBLAS, with fake_cublas.c in its place and memory of the
 * CPU device: results for every layout of the operands, the lifetime of the handle, failures. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "cu_failure.h"
#include "lcu_blas.h"
#include "lcu_graph.h"
#include "lcu_process_open.h"
#include "lcu_wait.h"

static const char library[] = FAKE_LIBRARIES "/fake_cublas.so";
static lcu_device *cpu;
static int *counts;
static cu_stream *stream_set; /* by the latest call of cublasSetStream */
static void **workspace_set;  /* by the latest call of cublasSetWorkspace */
static size_t *size_set;

static uint32_t random_state = 12345;
static int64_t any (int64_t n) {
  random_state = random_state * 1664525u + 1013904223u;
  return (int64_t)(random_state >> 8) % n;
}


/* ---- operands ---- */

enum { DIMS = 4, ELEMENTS = 4096 };

typedef struct operand {
  lcu_block *block;
  int64_t shape[DIMS], strides[DIMS];
} operand;

typedef enum layout { ROWS, COLUMNS, SPACED, REPEATED, LAYOUTS } layout;

static char *memory (const operand *x) { return (char *)(uintptr_t)x->block->address; }

static int64_t offset (const operand *x, int ndim, const int64_t *at) {
  int64_t n = 0;
  for (int i = 0; i < ndim; i++) n += at[i] * x->strides[i];
  return n;
}

/* Chooses strides: for the matrix those of the layout; for the batch axes before it random ones, in
 * either order, and of stride 0 for some axes unless it is the result. */
static void lay_out (operand *x, const lcu_dtype *t, int ndim, const int64_t *batch, int64_t rows,
                     int64_t cols, layout how, bool result) {
  int64_t size = t->size, pad = any(3), *row = &x->strides[ndim - 2], *col = &x->strides[ndim - 1];
  x->shape[ndim - 2] = rows;
  x->shape[ndim - 1] = cols;
  switch (how) {
    case ROWS:
      *col = size;
      *row = (cols + pad) * size;
      break;
    case COLUMNS:
      *row = size;
      *col = (rows + pad) * size;
      break;
    case SPACED:
      *col = 2 * size;
      *row = 2 * cols * size;
      break;
    default:
      *row = 0;
      *col = size;
      break;
  }
  int64_t at = rows * *row > cols * *col ? rows * *row : cols * *col;
  bool reversed = any(2) != 0;
  for (int k = 0; k < ndim - 2; k++) {
    int i = reversed ? k : ndim - 3 - k;
    bool repeated = !result && any(3) == 0;
    x->shape[i] = batch[i];
    x->strides[i] = repeated ? 0 : at;
    if (!repeated) at *= batch[i];
  }
  if (at > ELEMENTS * size) abort();
}

static void fill (operand *x, const lcu_dtype *t, int64_t range) {
  for (int i = 0; i < ELEMENTS; i++) {
    lcu_scalar v = { .d = (double)(any(2 * range + 1) - range),
                     .im = (double)(any(2 * range + 1) - range) };
    lcu_dtype_store(t, memory(x) + (size_t)i * t->size, &v);
  }
}

static lcu_scalar load (const operand *x, const lcu_dtype *t, int64_t at) {
  lcu_scalar v;
  lcu_dtype_load(t, memory(x) + at, &v);
  if (t->kind != LCU_KIND_COMPLEX) v.im = 0;
  return v;
}

/* Is element `at` of c the sum over k of a times b? The values are small integers, so the result is
 * exact in every type. */
static bool element_right (const lcu_dtype *t, int ndim, const operand *a, const operand *b,
                           const operand *c, const int64_t *at) {
  int64_t i[DIMS], j[DIMS];
  lcu_scalar sum = { 0 }, got = load(c, t, offset(c, ndim, at));
  memcpy(i, at, sizeof i);
  memcpy(j, at, sizeof j);
  for (int64_t k = 0; k < a->shape[ndim - 1]; k++) {
    i[ndim - 1] = j[ndim - 2] = k;
    lcu_scalar x = load(a, t, offset(a, ndim, i)), y = load(b, t, offset(b, ndim, j));
    sum.d += x.d * y.d - x.im * y.im;
    sum.im += x.d * y.im + x.im * y.d;
  }
  return got.d == sum.d && got.im == sum.im;
}

static bool all_right (const lcu_dtype *t, int ndim, const operand *a, const operand *b,
                       const operand *c) {
  int64_t at[DIMS] = { 0 };
  for (;;) {
    if (!element_right(t, ndim, a, b, c, at)) return false;
    int i = ndim - 1;
    while (i >= 0 && ++at[i] == c->shape[i]) at[i--] = 0;
    if (i < 0) return true;
  }
}


/* ---- products ---- */

static lcu_status product_on (lcu_stream *s, const lcu_dtype *t, int ndim, const operand *a,
                              const operand *b, const operand *c, lcu_gemm_fit *fit) {
  lcu_gemm g;
  lcu_gemm_array x = { a->shape, a->strides }, y = { b->shape, b->strides },
                 z = { c->shape, c->strides };
  CHECK(lcu_gemm_plan(&g, ndim, t->size, x, y, z), "whole strides");
  lcu_blas_job job = { &g,
                       t->id,
                       false,
                       a->block->address,
                       b->block->address,
                       c->block->address,
                       { { a->block, false }, { b->block, false }, { c->block, true } } };
  return lcu_blas_gemm(s, &job, fit);
}

static lcu_status product (const lcu_dtype *t, int ndim, const operand *a, const operand *b,
                           const operand *c, lcu_gemm_fit *fit) {
  return product_on(cpu->null_stream, t, ndim, a, b, c, fit);
}

static bool single (int64_t rows, int64_t cols) { return rows == 1 || cols == 1; }

static void test_layouts (const lcu_dtype *t, operand *a, operand *b, operand *c, int rounds) {
  int fits = 0;
  for (int round = 0; round < rounds; round++) {
    int ndim = 2 + (int)any(3);
    int64_t batch[2] = { 1 + any(4), 1 + any(4) }, m = 1 + any(6), n = 1 + any(6), k = 1 + any(6);
    layout how[3] = { (layout)any(LAYOUTS), (layout)any(LAYOUTS),
                      (layout)any(2 + (round % 8 == 0)) };
    lcu_gemm_fit fit;
    if (ndim == 3) batch[1] = 1;
    lay_out(a, t, ndim, batch, m, k, how[0], false);
    lay_out(b, t, ndim, batch, k, n, how[1], false);
    lay_out(c, t, ndim, batch, m, n, how[2], true);
    fill(c, t, 9);
    CHECK(product(t, ndim, a, b, c, &fit) == LCU_OK, "%s", lcu_failure_get()->message);
    bool plain = how[0] <= COLUMNS && how[1] <= COLUMNS && how[2] <= COLUMNS;
    if (fit != LCU_GEMM_FITS)
      CHECK(!plain || single(m, k) || single(k, n) || single(m, n), "round %d: %d", round,
            (int)fit);
    else
      CHECK(all_right(t, ndim, a, b, c), "%s round %d: %d axes, %d x %d x %d, layouts %d %d %d",
            t->name, round, ndim, (int)m, (int)n, (int)k, how[0], how[1], how[2]);
    fits += fit == LCU_GEMM_FITS;
  }
  CHECK(fits > rounds / 5, "%d of %d", fits, rounds);
}

static void test_types (operand *a, operand *b, operand *c) {
  static const lcu_dtype_id ids[] = { LCU_FLOAT16, LCU_BFLOAT16,  LCU_FLOAT32,
                                      LCU_FLOAT64, LCU_COMPLEX64, LCU_COMPLEX128 };
  for (size_t i = 0; i < lcu_arraylen(ids); i++) {
    const lcu_dtype *t = &lcu_dtypes[ids[i]];
    fill(a, t, 4);
    fill(b, t, 4);
    CHECK(lcu_blas_has(t->id), "%s", t->name);
    test_layouts(t, a, b, c, 400);
  }
  CHECK(!lcu_blas_has(LCU_INT32) && !lcu_blas_has(LCU_BOOL), "integers");
}

/* Evenly spaced batch axes become one call: the rows of all a as one matrix if b is the same for
 * all, else one batched call. */
static void test_calls (operand *a, operand *b, operand *c) {
  const lcu_dtype *t = &lcu_dtypes[LCU_FLOAT32];
  lcu_gemm_fit fit;
  *a = (operand){ a->block, { 2, 3, 4, 5 }, { 240, 80, 20, 4 } };
  *b = (operand){ b->block, { 2, 3, 5, 6 }, { 0, 0, 24, 4 } };
  *c = (operand){ c->block, { 2, 3, 4, 6 }, { 288, 96, 24, 4 } };
  memset(counts, 0, 4 * sizeof counts[0]);
  CHECK(product(t, 4, a, b, c, &fit) == LCU_OK && fit == LCU_GEMM_FITS && all_right(t, 4, a, b, c),
        "folded rows");
  CHECK(counts[2] == 1 && counts[3] == 0, "%d %d", counts[2], counts[3]);
  *b = (operand){ b->block, { 2, 3, 5, 6 }, { 360, 120, 24, 4 } };
  CHECK(product(t, 4, a, b, c, &fit) == LCU_OK && fit == LCU_GEMM_FITS && all_right(t, 4, a, b, c),
        "even batch");
  CHECK(counts[2] == 1 && counts[3] == 1, "%d %d", counts[2], counts[3]);
  b->strides[0] = 0;
  CHECK(product(t, 4, a, b, c, &fit) == LCU_OK && fit == LCU_GEMM_FITS && all_right(t, 4, a, b, c),
        "uneven batch");
  CHECK(counts[2] == 1 && counts[3] == 3, "%d %d", counts[2], counts[3]);
}

/* The product is work of its stream: it is counted there, and later uses of its arrays on another
 * stream wait for it. */
static void test_streams (operand *a, operand *b, operand *c) {
  lcu_gemm_fit fit;
  lcu_stream *s = NULL;
  *a = (operand){ a->block, { 2, 2 }, { 8, 4 } };
  *b = (operand){ b->block, { 2, 2 }, { 8, 4 } };
  *c = (operand){ c->block, { 2, 2 }, { 8, 4 } };
  CHECK(lcu_stream_create(cpu, 0, false, &s) == LCU_OK, "%s", lcu_failure_get()->message);
  if (s == NULL) return;
  uint64_t before = s->submitted;
  CHECK(product_on(s, &lcu_dtypes[LCU_FLOAT32], 2, a, b, c, &fit) == LCU_OK, "%s",
        lcu_failure_get()->message);
  CHECK(*stream_set == s->handle && s->submitted > before, "the stream");
  const lcu_mark *read = &a->block->marks[a->block->num_marks - 1];
  CHECK(c->block->num_marks == 1 && c->block->marks[0].stream == s && c->block->marks[0].wrote != 0,
        "the result is written");
  CHECK(read->stream == s && read->used != 0 && read->wrote == 0, "the operands are read");
  CHECK(product(&lcu_dtypes[LCU_FLOAT32], 2, a, b, c, &fit) == LCU_OK && *stream_set == NULL,
        "the null stream again");
  CHECK(lcu_stream_synchronize(s) == LCU_OK, "%s", lcu_failure_get()->message);
  lcu_unref(s);
}

/* In a capture each stream has a workspace, which the graph keeps and counts as written; elsewhere
 * the handle's own is used. The products themselves are not recorded here: the fake runs them. */
static void test_workspace (operand *a, operand *b, operand *c) {
  const lcu_dtype *t = &lcu_dtypes[LCU_FLOAT32];
  lcu_capture *capture;
  lcu_graph *g = NULL;
  lcu_gemm_fit fit;
  lcu_stream *side = NULL, *s, *branch = NULL;
  *a = (operand){ a->block, { 2, 2 }, { 8, 4 } };
  *b = (operand){ b->block, { 2, 2 }, { 8, 4 } };
  *c = (operand){ c->block, { 2, 2 }, { 8, 4 } };
  CHECK(lcu_stream_create(cpu, 0, false, &side) == LCU_OK, "%s", lcu_failure_get()->message);
  CHECK(lcu_capture_begin(cpu, &capture) == LCU_OK, "%s", lcu_failure_get()->message);
  s = lcu_capture_origin(capture);
  CHECK(product_on(s, t, 2, a, b, c, &fit) == LCU_OK, "%s", lcu_failure_get()->message);
  void *first = *workspace_set;
  CHECK(first != NULL && *size_set == (cpu->limits.cc >= 90 ? 32u << 20 : 4u << 20), "%zu",
        *size_set);
  CHECK(product_on(s, t, 2, a, b, c, &fit) == LCU_OK && *workspace_set == first, "the same again");
  CHECK(product(t, 2, a, b, c, &fit) == LCU_OK && *workspace_set == NULL, "work that runs");
  CHECK(lcu_capture_branch(capture, side, &branch) == LCU_OK, "%s", lcu_failure_get()->message);
  CHECK(product_on(branch, t, 2, a, b, c, &fit) == LCU_OK && *workspace_set != NULL &&
          *workspace_set != first,
        "another stream");
  CHECK(lcu_graph_create(capture, &g) == LCU_OK, "%s", lcu_failure_get()->message);
  size_t kept = 0;
  for (size_t i = 0; i < g->num_uses; i++)
    kept += g->uses[i].write && g->uses[i].block->size == *size_set;
  CHECK(kept == 2, "%zu", kept);
  lcu_unref(g);
  lcu_unref(side);
}

static void test_odd_strides (void) {
  lcu_gemm g;
  int64_t shape[2] = { 2, 2 }, even[2] = { 8, 4 }, odd[2] = { 9, 4 };
  lcu_gemm_array x = { shape, even }, y = { shape, odd };
  CHECK(lcu_gemm_plan(&g, 2, 4, x, x, x) && !lcu_gemm_plan(&g, 2, 4, x, y, x),
        "strides between elements");
}

static void test_failures (operand *a, operand *b, operand *c) {
  lcu_gemm_fit fit;
  *a = *b = *c = (operand){ a->block, { 2, 2 }, { 8, 4 } };
  setenv("FAKE_CUBLAS_FAIL", "cublasGemmEx 13 1", 1);
  CHECK(product(&lcu_dtypes[LCU_FLOAT32], 2, a, b, c, &fit) == LCU_CUBLAS + 13, "a failing call");
  const char *name = lcu_failure_name(lcu_failure_get());
  CHECK(strcmp(name, "CUBLAS_STATUS_EXECUTION_FAILED") == 0, "%s", name);
  CHECK(strcmp(lcu_failure_get()->device, "cpu") == 0, "%s", lcu_failure_get()->device);
  CHECK(strcmp(lcu_failure_get()->call, "cublasGemmEx") == 0, "%s", lcu_failure_get()->call);
  CHECK(product(&lcu_dtypes[LCU_FLOAT32], 2, a, b, c, &fit) == LCU_OK, "the next one");
  unsetenv("FAKE_CUBLAS_FAIL");
}

/* If creating the handle fails for lack of memory, the pool releases memory and the creation is
 * tried once more. After any failure a later call tries again. */
static void test_handle (operand *a, operand *b, operand *c) {
  lcu_gemm_fit fit;
  *a = *b = *c = (operand){ a->block, { 2, 2 }, { 8, 4 } };
  setenv("FAKE_CUBLAS_FAIL", "cublasCreate_v2 1 1", 1);
  CHECK(product(&lcu_dtypes[LCU_FLOAT32], 2, a, b, c, &fit) == LCU_CUBLAS + 1, "no handle");
  const char *name = lcu_failure_name(lcu_failure_get());
  CHECK(strcmp(name, "CUBLAS_STATUS_NOT_INITIALIZED") == 0, "%s", name);
  unsetenv("FAKE_CUBLAS_FAIL");
  CHECK(counts[0] == 0, "%d", counts[0]);
  setenv("FAKE_CUBLAS_FAIL", "cublasCreate_v2 3 1", 1);
  CHECK(product(&lcu_dtypes[LCU_FLOAT32], 2, a, b, c, &fit) == LCU_OK, "%s",
        lcu_failure_get()->message);
  unsetenv("FAKE_CUBLAS_FAIL");
  CHECK(counts[0] == 1 && counts[1] == 0, "%d %d", counts[0], counts[1]);
}

static bool make_blocks (operand x[3]) {
  for (int i = 0; i < 3; i++)
    if (lcu_block_alloc(cpu, ELEMENTS * 16, NULL, &x[i].block) != LCU_OK) return false;
  return true;
}

/* A reset destroys the handle, the next product creates another one, and closing the device
 * destroys that. */
static void test_end (operand x[3], lcu_block *const blocks[3]) {
  lcu_gemm_fit fit;
  for (int i = 0; i < 3; i++) lcu_unref(blocks[i]);
  counts[0] = counts[1] = 0;
  CHECK(lcu_device_reset(cpu) == LCU_OK && counts[1] == 1, "%s, %d", lcu_failure_get()->message,
        counts[1]);
  CHECK(make_blocks(x), "%s", lcu_failure_get()->message);
  for (int i = 0; i < 3; i++) x[i] = (operand){ x[i].block, { 2, 2 }, { 8, 4 } };
  CHECK(product(&lcu_dtypes[LCU_FLOAT32], 2, &x[0], &x[1], &x[2], &fit) == LCU_OK && counts[0] == 1,
        "%s", lcu_failure_get()->message);
  for (int i = 0; i < 3; i++) lcu_unref(x[i].block);
  lcu_process_leave();
  CHECK(counts[1] == 2, "the handle ends with the device: %d", counts[1]);
}

static bool open_all (void) {
  size_t n;
  setenv("LUACUDA_LIBCUBLAS", library, 1);
  void *fake = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  CHECK(fake != NULL, "%s", library);
  if (fake == NULL) return false;
  counts = dlsym(fake, "fake_cublas_counts");
  stream_set = dlsym(fake, "fake_cublas_stream");
  workspace_set = dlsym(fake, "fake_cublas_workspace");
  size_set = dlsym(fake, "fake_cublas_size");
  CHECK(lcu_process_enter() == LCU_OK && lcu_process_devices(&n) == LCU_OK, "%s",
        lcu_failure_get()->message);
  cpu = lcu_process_cpu();
  return lcu_device_open(cpu) == LCU_OK;
}

int main (void) {
  operand x[3] = { 0 };
  const lcu_cublas *lib;
  bool ok = open_all() && make_blocks(x);
  CHECK(ok, "%s", lcu_failure_get()->message);
  if (!ok) return 1;
  CHECK(lcu_process_cublas(&lib) == LCU_OK && lib->version[0] == 90 && lib->version[2] == 92, "%s",
        lcu_failure_get()->message);
  lcu_block *blocks[3] = { x[0].block, x[1].block, x[2].block };
  test_handle(&x[0], &x[1], &x[2]);
  for (int i = 0; i < 3; i++) x[i].block = blocks[i];
  test_types(&x[0], &x[1], &x[2]);
  fill(&x[0], &lcu_dtypes[LCU_FLOAT32], 4);
  fill(&x[1], &lcu_dtypes[LCU_FLOAT32], 4);
  test_calls(&x[0], &x[1], &x[2]);
  test_streams(&x[0], &x[1], &x[2]);
  test_workspace(&x[0], &x[1], &x[2]);
  test_odd_strides();
  test_failures(&x[0], &x[1], &x[2]);
  test_end(x, blocks);
  return check_result();
}
