/* test_ptx_calls.c: functions: recursive, with structs, through pointers, virtual, with barriers
 * inside, without a stack. */
#include "ptx_exec_check.h"

typedef struct pair {
  int a;
  double b;
  short c[3];
} pair;

static pair ref_twist (pair p, int k) {
  pair r;
  memset(&r, 0, sizeof r);
  r.a = (int)p.b + k;
  r.b = p.a * 0.5;
  for (int i = 0; i < 3; i++) r.c[i] = (short)(p.c[2 - i] + k);
  return r;
}

static void test_recursion (ptx_module *m) {
  ptx_fault f;
  int *in = inputs(64, 17), *out = ints(64), want[64];
  for (int t = 0; t < 64; t++) want[t] = ref_fib(in[t]);
  ptx_launch l = fix_launch(&x, m, "fibs", 1, 64);
  must(fix_run(&l, &f, 2, ARG(in), ARG(out)), "fibs");
  same(out, want, 64, "fibs");
}

static void test_structs (ptx_module *m) {
  ptx_fault f;
  pair *in = fix_add(&x, 40 * sizeof *in, false), *out = fix_add(&x, 40 * sizeof *out, false);
  int bad = 0;
  for (int t = 0; t < 40; t++) in[t] = (pair){ t * 3, t * 1.25 + 100, { (short)t, (short)-t, 7 } };
  ptx_launch l = fix_launch(&x, m, "structs", 1, 40);
  must(fix_run(&l, &f, 2, ARG(in), ARG(out)), "structs");
  for (int t = 0; t < 40; t++) {
    pair w = ref_twist(ref_twist(in[t], t), 3);
    bad +=
      w.a != out[t].a || w.b > out[t].b || w.b < out[t].b || memcmp(w.c, out[t].c, sizeof w.c) != 0;
  }
  CHECK(bad == 0, "%d structs wrong", bad);
}

static void test_indirect (ptx_module *m) {
  ptx_fault f;
  int *in = inputs(96, 30), *out = ints(96), want[96];
  for (int t = 0; t < 96; t++) {
    int n = in[t], v = 0;
    for (int k = 0; k < n; k++) v += k * k;
    want[t] = n % 3 == 0 ? n + 1 : n % 3 == 1 ? n * 3 : v;
  }
  ptx_launch l = fix_launch(&x, m, "indirect", 1, 96);
  must(fix_run(&l, &f, 2, ARG(in), ARG(out)), "indirect");
  same(out, want, 96, "indirect");
  for (int t = 0; t < 96; t++) {
    int n = in[t], area = n & 1 ? n * n : n * (n + 2);
    want[t] = area * (n % 5 == 0 ? 2 : 1);
  }
  l = fix_launch(&x, m, "virtuals", 1, 96);
  must(fix_run(&l, &f, 2, ARG(in), ARG(out)), "virtuals");
  same(out, want, 96, "virtuals");
}

static double ref_mixed (int a, double y) {
  double z = y;
  for (int k = 0; k < (a & 7); k++) z = z * 1.5 + a;
  return z;
}

static void test_both_sides (ptx_module *m) {
  ptx_fault f;
  int *in = inputs(64, 100), bad = 0;
  double *out = fix_add(&x, 64 * 8, false);
  ptx_launch l = fix_launch(&x, m, "both_sides", 1, 64);
  must(fix_run(&l, &f, 2, ARG(in), ARG(out)), "both_sides");
  for (int t = 0; t < 64; t++) {
    double w = in[t] & 1 ? ref_mixed(in[t], 2.0) : ref_mixed(in[t] + 1, 3.0) - (in[t] + 1);
    bad += w < out[t] || w > out[t];
  }
  CHECK(bad == 0, "%d of both_sides wrong", bad);
}

static int ref_deep (const int *p, int n) {
  int local[8];
  for (int i = 0; i < 8; i++) local[i] = p[i] + n;
  return n == 0 ? local[3] : ref_deep(p, n - 1) + local[n & 7];
}

static void test_stack (ptx_module *m) {
  ptx_fault f;
  int *p = inputs(8, 100), *out = ints(32), want[32];
  for (int t = 0; t < 32; t++) want[t] = ref_deep(p, 20 + t % 3);
  ptx_launch l = fix_launch(&x, m, "depth", 1, 32);
  must(fix_run(&l, &f, 3, ARG(p), ARG(out), (uint64_t)20), "depth");
  same(out, want, 32, "depth");
  lcu_status s = fix_run(&l, &f, 3, ARG(p), ARG(out), (uint64_t)5000);
  CHECK(s == LCU_E_FAULT && f.kind == PTX_FAULT_STACK_OVERFLOW && strcmp(f.file, "calls.cu") == 0 &&
          f.line == 54,
        "%s %s:%d %s", ptx_fault_kind_name(f.kind), f.file, f.line, f.message);
  l = fix_launch(&x, m, "endless", 2, 32);
  s = fix_run(&l, &f, 1, ARG(out));
  CHECK(s == LCU_E_FAULT && f.kind == PTX_FAULT_STACK_OVERFLOW, "%s", f.message);
  must(fix_run(&(ptx_launch){ .kernel = ptx_module_kernel(m, "depth"),
                              .grid = { 1, 1, 1 },
                              .block = { 32, 1, 1 },
                              .team = x.team,
                              .max_resident_blocks = 4,
                              .stack_bytes = 4096 },
               &f, 3, ARG(p), ARG(out), (uint64_t)20),
       "a run after a fault");
  same(out, want, 32, "depth after a fault");
}

static void test_barrier_in_call (ptx_module *m) {
  ptx_fault f;
  int *out = ints(64), want[64], s[64];
  for (int t = 0; t < 64; t++) s[t] = t % 3 ? t : -t;
  for (int t = 0; t < 64; t++) want[t] = s[(t + 1) % 64] * (t % 3 ? 1 : 2);
  ptx_launch l = fix_launch(&x, m, "barrier_in_call", 1, 64);
  must(fix_run(&l, &f, 1, ARG(out)), "barrier_in_call");
  same(out, want, 64, "barrier_in_call");
  void *nothing = ints(128);
  l = fix_launch(&x, m, "null_call", 1, 32);
  lcu_status status = fix_run(&l, &f, 2, ARG(nothing), ARG(out));
  CHECK(status == LCU_E_FAULT && strstr(f.message, "null function pointer") != NULL, "%s",
        f.message);
}

static void test_calls (void) {
  ptx_module *m = fix_module(&x, "calls");
  if (m == NULL) return;
  test_recursion(m);
  test_structs(m);
  test_indirect(m);
  test_both_sides(m);
  test_stack(m);
  test_barrier_in_call(m);
  ptx_module_free(m);
  fix_clear(&x);
}

int main (void) { return run_with_teams(test_calls); }
