/* test_ptx_barriers.c: barriers of a block: for all threads, for some, named, with reductions,
 * after threads have exited. */
#include "ptx_exec_check.h"

static void test_reverse (ptx_module *m) {
  ptx_fault f;
  int *data = inputs(8 * 96, 1000), want[8 * 96];
  for (int b = 0; b < 8; b++)
    for (int t = 0; t < 96; t++) want[b * 96 + t] = data[b * 96 + 95 - t];
  ptx_launch l = fix_launch(&x, m, "reverse", 8, 96);
  l.dynamic_shared = 96 * 4;
  must(fix_run(&l, &f, 2, ARG(data), (uint64_t)96), "reverse");
  same(data, want, 8 * 96, "reverse");
  l.dynamic_shared = 95 * 4;
  lcu_status s = fix_run(&l, &f, 2, ARG(data), (uint64_t)96);
  CHECK(s == LCU_E_FAULT && f.kind == PTX_FAULT_OUT_OF_BOUNDS && strcmp(f.space, "shared") == 0,
        "one element too little shared memory: %s", f.message);
}

static void test_block_sum (ptx_module *m) {
  ptx_fault f;
  int *in = inputs(300 * 256, 1000), *out = ints(300), want[300] = { 0 };
  for (int i = 0; i < 300 * 256; i++) want[i / 256] += in[i];
  ptx_launch l = fix_launch(&x, m, "block_sum", 300, 256);
  must(fix_run(&l, &f, 2, ARG(in), ARG(out)), "block_sum");
  same(out, want, 300, "block_sum");
}

static void test_pieces (ptx_module *m) {
  ptx_fault f;
  int *out = ints(128), want[128];
  for (int t = 0; t < 128; t++) want[t] = t & 1 ? (t - 1) * 5 + 1 : (t + 1) * 3 + 2;
  ptx_launch l = fix_launch(&x, m, "pieces", 1, 128);
  must(fix_run(&l, &f, 1, ARG(out)), "pieces");
  same(out, want, 128, "pieces");
}

static void test_reds (ptx_module *m) {
  ptx_fault f;
  int *in = inputs(100, 100), *out = ints(300), want[300], count = 0, any = 0;
  for (int t = 0; t < 100; t++) {
    count += in[t] > 10;
    any |= in[t] == 77;
  }
  for (int t = 0; t < 100; t++) {
    want[3 * t] = count;
    want[3 * t + 1] = 1;
    want[3 * t + 2] = any;
  }
  ptx_launch l = fix_launch(&x, m, "reds", 1, 100);
  must(fix_run(&l, &f, 2, ARG(in), ARG(out)), "reds");
  same(out, want, 300, "reds");
}

static void test_named (ptx_module *m) {
  ptx_fault f;
  int *out = ints(320), s[128], next[128], want[320];
  for (int t = 0; t < 128; t++) s[t] = t;
  for (int half = 0; half < 2; half++)
    for (int k = 0; k < 5 + half * 7; k++) {
      for (int t = 0; t < 64; t++) next[half * 64 + t] = s[half * 64 + (t + 1) % 64] + 1;
      memcpy(s + half * 64, next + half * 64, 64 * sizeof *s);
    }
  for (int t = 0; t < 128; t++) want[t] = s[127 - t];
  ptx_launch l = fix_launch(&x, m, "named", 1, 128);
  must(fix_run(&l, &f, 1, ARG(out)), "named");
  same(out, want, 128, "named");
  for (int i = 0; i < 320; i++) want[i] = i / 32 * 100 + 31 - i % 32;
  l = fix_launch(&x, m, "produce", 1, 64);
  must(fix_run(&l, &f, 1, ARG(out)), "produce");
  same(out, want, 320, "produce");
}

static void test_exits (ptx_module *m) {
  ptx_fault f;
  int *out = ints(96), want[96] = { 0 };
  for (int t = 0; t < 64; t++)
    if (t % 3 != 0) want[t] = (t + 32) % 64;
  ptx_launch l = fix_launch(&x, m, "early_exit", 1, 96);
  must(fix_run(&l, &f, 1, ARG(out)), "early_exit");
  same(out, want, 96, "early_exit");
  out = ints(96);
  for (int t = 0; t < 96; t++) want[t] = t % 32 > 9 ? 0 : t + 1;
  l = fix_launch(&x, m, "exit_counted", 1, 96);
  must(fix_run(&l, &f, 1, ARG(out)), "exit_counted");
  same(out, want, 96, "exit_counted");
}

static void test_barriers (void) {
  ptx_module *m = fix_module(&x, "barriers");
  if (m == NULL) return;
  test_reverse(m);
  test_block_sum(m);
  test_pieces(m);
  test_reds(m);
  test_named(m);
  test_exits(m);
  ptx_module_free(m);
  fix_clear(&x);
}

int main (void) { return run_with_teams(test_barriers); }
