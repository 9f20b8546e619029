/* test_base.c: tests the allocator, the buffer, the arena, the failure record, conversions between
 * dtypes, and worker teams. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "lcu_dtype.h"
#include "lcu_half.h"
#include "lcu_mem.h"
#include "lcu_text.h"
#include "lcu_thread.h"

static void test_status (void) {
  CHECK(lcu_fail(LCU_E_IO, "cannot open %s\n", "x") == LCU_E_IO);
  CHECK(strcmp(lcu_failure_get()->message, "cannot open x") == 0);
  CHECK(lcu_fail_call(700, "cuCtxSynchronize", "again: %s", lcu_failure_get()->message) == 700);
  CHECK(strcmp(lcu_failure_get()->message, "again: cannot open x") == 0);
  CHECK(strcmp(lcu_failure_get()->call, "cuCtxSynchronize") == 0);
  CHECK(lcu_fail_device(700, "gpu0") == 700 && strcmp(lcu_failure_get()->device, "gpu0") == 0);
  CHECK(strcmp(lcu_status_own_name(LCU_E_FORK), "LUACUDA_ERROR_FORK") == 0);
  CHECK(lcu_status_own_name(LCU_E_IO) != NULL && lcu_status_own_name(LCU_E_END_) == NULL &&
        lcu_status_own_name(2) == NULL);
}

static void test_mem (void) {
  long before = lcu_mem_live();
  lcu_free(NULL);
  void *p = lcu_alloc(0), *q = lcu_calloc(3, 5), *r = lcu_alloc_aligned(100, 256);
  CHECK(p != NULL && q != NULL && r != NULL && (uintptr_t)r % 256 == 0 &&
        lcu_mem_live() == before + 3);
  p = lcu_realloc(p, 1000);
  char *s = lcu_strndup("abcdef", 3);
  CHECK(lcu_mem_live() == before + 4 && strcmp(s, "abc") == 0);
  lcu_mem_fail_at(2);
  void *one = lcu_alloc(1), *two = lcu_alloc(1), *three = lcu_alloc(1);
  CHECK(one != NULL && two == NULL && three != NULL);
  lcu_mem_fail_at(0);
  CHECK(lcu_calloc(SIZE_MAX / 2, 4) == NULL);
  lcu_free(p);
  lcu_free(q);
  lcu_free(r);
  lcu_free(s);
  lcu_free(one);
  lcu_free(three);
  CHECK(lcu_mem_live() == before);
}

static void test_buf (void) {
  lcu_buf b = { 0 };
  for (int i = 0; i < 1000; i++) lcu_buf_addf(&b, "%d,", i);
  lcu_buf_adds(&b, "end");
  CHECK(!b.failed && b.len == 3893 && strlen(b.data) == b.len &&
        strcmp(b.data + b.len - 8, ",999,end") == 0);
  lcu_mem_fail_at(1);
  CHECK(lcu_buf_space(&b, 1 << 20) == NULL && b.failed);
  lcu_mem_fail_at(0);
  lcu_buf_adds(&b, "more");
  CHECK(b.len == 3893);
  lcu_buf_free(&b);
  CHECK(b.data == NULL && !b.failed);
}

static void test_text (void) {
  char buf[8] = "before", one[1];
  lcu_text t = lcu_text_in(buf, sizeof buf), none = lcu_text_in(one, sizeof one);
  CHECK(buf[0] == '\0');
  lcu_text_add(&t, "%d", 123);
  lcu_text_add(&t, "%s", "4567");
  CHECK(strcmp(buf, "1234567") == 0 && t.left == 1);
  lcu_text_add(&t, "8");
  lcu_text_add(&none, "x");
  CHECK(strcmp(buf, "1234567") == 0 && one[0] == '\0');
  t = lcu_text_in(buf, sizeof buf);
  lcu_text_add(&t, "%s", "a longer text");
  CHECK(strcmp(buf, "a longe") == 0 && t.left == 1);
}

static void test_arena (void) {
  long before = lcu_mem_live();
  lcu_arena a = { 0 };
  bool zeroed = true, aligned = true;
  for (size_t i = 1; i < 3000; i++) {
    unsigned char *p = lcu_arena_alloc(&a, i % 97 == 0 ? i * 100 : i % 50);
    aligned = aligned && p != NULL && (uintptr_t)p % _Alignof(max_align_t) == 0;
    for (size_t k = 0; k < i % 50; k++) {
      zeroed = zeroed && p[k] == 0;
      p[k] = 0xff;
    }
  }
  CHECK(zeroed);
  CHECK(aligned);
  CHECK(strcmp(lcu_arena_strndup(&a, "hello", 4), "hell") == 0);
  lcu_arena_free(&a);
  CHECK(lcu_mem_live() == before && a.head == NULL);
}

static const lcu_dtype *dtype (const char *name) { return lcu_dtype_find(name, strlen(name)); }

static void test_dtype_table (void) {
  for (int i = 0; i < LCU_DTYPE_COUNT; i++) {
    const lcu_dtype *t = &lcu_dtypes[i];
    CHECK((int)t->id == i && dtype(t->name) == t && dtype(t->short_name) == t && t->size >= 1 &&
          t->size <= 16);
  }
  CHECK(dtype("float") == NULL && lcu_dtype_find("f32x", 3) == dtype("float32"));
}

static double convert_one (const char *from, lcu_scalar v, const char *to) {
  char src[16], dst[16];
  lcu_scalar out;
  const lcu_dtype *s = dtype(from), *d = dtype(to);
  lcu_dtype_store(s, src, &v);
  lcu_dtype_convert(d, dst, d->size, s, src, s->size, 1);
  lcu_dtype_load(d, dst, &out);
  if (d->kind == LCU_KIND_FLOAT || d->kind == LCU_KIND_COMPLEX) return out.d;
  return d->kind == LCU_KIND_UINT ? (double)(uint64_t)out.i : (double)out.i;
}
static double from_float (double v, const char *to) {
  return convert_one("float64", (lcu_scalar){ .d = v }, to);
}
static double from_int (int64_t v, const char *to) {
  return convert_one("int64", (lcu_scalar){ .i = v }, to);
}

static void test_convert_rules (void) {
  CHECK(from_float(-3.99, "int8") == -3 && from_float(1e9, "int8") == 127 &&
        from_float(-1e9, "int16") == -32768);
  CHECK(from_float(NAN, "int32") == 0 && from_float(INFINITY, "int32") == 2147483647.0);
  CHECK(from_float(-1, "uint8") == 0 && from_float(300, "uint8") == 255 &&
        from_float(1e30, "uint64") == 18446744073709551615.0);
  CHECK(from_float(1e30, "int64") == 9223372036854775807.0 &&
        from_float(-1e30, "int64") == -9223372036854775808.0);
  CHECK(from_int(-1, "uint32") == 4294967295.0 && from_int(300, "uint8") == 44 &&
        from_int(200, "int8") == -56);
  CHECK(convert_one("uint64", (lcu_scalar){ .i = -1 }, "float64") == 18446744073709551616.0);
  CHECK(from_int(16777217, "float32") == 16777216.0 &&
        from_int((1 << 24) + 3, "float32") == 16777220.0);
  CHECK(from_float(65519.999, "float16") == 65504 && isinf(from_float(65520, "float16")));
  CHECK(from_float(464, "float8_e4m3fn") == 448 && isnan(from_float(464.1, "float8_e4m3fn")) &&
        isnan(from_float(INFINITY, "float8_e4m3fn")));
  CHECK(from_float(61439.9, "float8_e5m2") == 57344 && isinf(from_float(61440, "float8_e5m2")));
  CHECK(from_float(1.5 * ldexp(1, -10), "float8_e4m3fn") == ldexp(1, -9) &&
        from_float(ldexp(1, -10), "float8_e4m3fn") == 0 &&
        from_float(1.5 * ldexp(1, -16), "float8_e5m2") == ldexp(1, -15));
  /* A conversion must not round twice, by way of float. */
  CHECK(from_float(1.0625 + ldexp(1, -40), "float8_e4m3fn") == 1.125);
  CHECK(from_float(1.0 + 1.0 / 2048 + 1e-12, "float16") == 1.0 + 1.0 / 1024);
  CHECK(from_int(((int64_t)1 << 60) + ((int64_t)1 << 52) + 1, "bfloat16") ==
        ldexp(1, 60) + ldexp(1, 53));
  CHECK(from_float(0.25, "bool") == 1 && from_float(NAN, "bool") == 1 &&
        from_float(-0.0, "bool") == 0);
  CHECK(convert_one("complex64", (lcu_scalar){ .d = 0, .im = 2 }, "bool") == 1);
  CHECK(convert_one("complex128", (lcu_scalar){ .d = 7.5, .im = 2 }, "int32") == 7);
}

/* Small whole numbers keep their values between all pairs of types, contiguous and strided, over
 * several blocks of the conversion. */
static void test_convert_pairs (void) {
  enum { N = 700, STRIDE = 24 };
  static char src[N * STRIDE], dst[N * STRIDE], wide[N * STRIDE];
  int wrong = 0;
  for (int s = 0; s < LCU_DTYPE_COUNT; s++)
    for (int d = 0; d < LCU_DTYPE_COUNT; d++) {
      const lcu_dtype *st = &lcu_dtypes[s], *dt = &lcu_dtypes[d];
      for (int k = 0; k < N; k++) {
        lcu_scalar v = { .i = k % 100, .d = k % 100, .im = k % 7 };
        lcu_dtype_store(st, src + (size_t)k * st->size, &v);
      }
      lcu_dtype_convert(dt, dst, dt->size, st, src, st->size, N);
      lcu_dtype_convert(dt, wide + STRIDE * (N - 1), -STRIDE, st, src, st->size, N);
      for (int k = 0; k < N; k++) {
        lcu_scalar a, b;
        lcu_dtype_load(dt, dst + (size_t)k * dt->size, &a);
        lcu_dtype_load(dt, wide + STRIDE * (N - 1 - k), &b);
        double want = k % 100, got = a.d + (double)a.i;
        if (st->size == 1 && st->mantissa > 0) want = lcu_dtype_rounded(st, want);
        if (dt->size == 1 && dt->mantissa > 0) want = lcu_dtype_rounded(dt, want);
        if (st->kind == LCU_KIND_BOOL) want = want != 0;
        if (dt->kind == LCU_KIND_BOOL)
          want = want != 0 || (st->kind == LCU_KIND_COMPLEX && k % 7 != 0);
        double im = dt->kind == LCU_KIND_COMPLEX && st->kind == LCU_KIND_COMPLEX ? k % 7 : 0;
        if (got != want || a.im != im || a.i != b.i || a.d != b.d || a.im != b.im) wrong++;
      }
    }
  CHECK(wrong == 0);
}

static int team_hits[8];
static pthread_barrier_t meet;
static void count_job (void *ud, int worker) { team_hits[worker] += *(int *)ud; }
static void meet_job (void *ud, int worker) {
  (void)ud;
  (void)worker;
  pthread_barrier_wait(&meet);
}

static int run_in_child (lcu_team *t, bool use) {
  pid_t pid = fork();
  if (pid == 0) {
    int one = 1;
    memset(team_hits, 0, sizeof team_hits);
    if (use) lcu_team_run(t, 4, count_job, NULL, &one);
    lcu_team_destroy(t);
    _exit(use && team_hits[3] != 1 ? 9 : 0);
  }
  int status = -1;
  waitpid(pid, &status, 0);
  return status;
}

static void test_team (void) {
  lcu_team *t;
  long before = lcu_mem_live();
  CHECK(lcu_team_create(4, &t) == LCU_OK && lcu_team_size(t) == 4);
  pthread_barrier_init(&meet, NULL, 4);
  lcu_team_run(t, 9, meet_job, NULL, NULL); /* hangs unless all four run at the same time */
  int one = 1;
  for (int i = 0; i < 200; i++) lcu_team_run(t, 4, count_job, NULL, &one);
  CHECK(team_hits[0] == 200 && team_hits[1] == 200 && team_hits[3] == 200 && team_hits[4] == 0);
  for (int i = 0; i < 200; i++) lcu_team_run(t, 2, count_job, NULL, &one);
  CHECK(team_hits[0] == 400 && team_hits[1] == 400 && team_hits[2] == 200 && team_hits[3] == 200);
  for (int i = 0; i < 200; i++) lcu_team_run(t, 3, count_job, NULL, &one);
  CHECK(team_hits[1] == 600 && team_hits[2] == 400 && team_hits[3] == 200);
  CHECK(run_in_child(t, false) == 0);
#ifndef __SANITIZE_THREAD__ /* TSan cannot start threads in the child of a fork */
  CHECK(run_in_child(t, true) == 0);
#endif
  lcu_team_destroy(t);
  lcu_team_destroy(NULL);
  CHECK(lcu_mem_live() == before);
  CHECK(lcu_cpu_count() >= 1);
  double start = lcu_now_ms();
  CHECK(start > 0 && lcu_now_ms() >= start);
}

int main (void) {
  test_status();
  test_mem();
  test_buf();
  test_text();
  test_arena();
  test_dtype_table();
  test_convert_rules();
  test_convert_pairs();
  test_team();
  return check_result();
}
