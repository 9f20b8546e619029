/* test_ptx_async.c: asynchronous copies and barrier objects in shared memory. */
#include "ptx_exec_check.h"

enum { ASYNC_THREADS = 128 };

static void run_pipelined (ptx_module *m, ptx_check check) {
  enum { T = ASYNC_THREADS, TILES = 9 };
  ptx_launch l = fix_launch(&x, m, "pipelined", 1, T);
  ptx_fault f;
  int *in = inputs(4 * T * TILES, 100), *out = ints(T), want[T] = { 0 };
  for (int t = 0; t < T; t++)
    for (int k = 0; k < TILES; k++) {
      const int *v = in + 4 * (k * T + (t + 37) % T);
      want[t] = (int)((uint32_t)want[t] * 3u + (uint32_t)(v[0] + 2 * v[1] + 4 * v[2] + 8 * v[3]));
    }
  l.check = check;
  must(fix_run(&l, &f, 3, ARG(in), ARG(out), (uint64_t)TILES), "pipelined");
  same(out, want, T, "pipelined");
}

static void run_zero_filled (ptx_module *m) {
  enum { T = ASYNC_THREADS };
  ptx_launch l = fix_launch(&x, m, "zero_filled", 1, T);
  ptx_fault f;
  int *in = inputs(4 * T, 1 << 24), *out = ints(4 * T), want[4 * T] = { 0 };
  for (int t = 0; t < T; t++) memcpy(want + 4 * t, in + 4 * t, (size_t)(16 - t % 17));
  must(fix_run(&l, &f, 2, ARG(in), ARG(out)), "zero_filled");
  same(out, want, 4 * T, "zero_filled");
}

static void run_arrive_wait (ptx_module *m, ptx_check check) {
  enum { T = ASYNC_THREADS, ROUNDS = 7 };
  ptx_launch l = fix_launch(&x, m, "arrive_wait", 1, T);
  ptx_fault f;
  int *out = ints(T), want[T], before[T];
  for (int t = 0; t < T; t++) want[t] = t;
  for (int r = 0; r < ROUNDS; r++) {
    memcpy(before, want, sizeof want);
    for (int t = 0; t < T; t++) want[t] += before[(t + 33) % T];
  }
  l.check = check;
  must(fix_run(&l, &f, 2, ARG(out), (uint64_t)ROUNDS), "arrive_wait");
  same(out, want, T, "arrive_wait");
}

static void run_drop_out (ptx_module *m) {
  enum { T = ASYNC_THREADS, ROUNDS = 5 };
  ptx_launch l = fix_launch(&x, m, "drop_out", 1, T);
  ptx_fault f;
  int *out = ints(1), want = T / 2 * 1000 + T / 2 * ROUNDS;
  must(fix_run(&l, &f, 2, ARG(out), (uint64_t)ROUNDS), "drop_out");
  same(out, &want, 1, "drop_out");
}

static void run_produce_consume (ptx_module *m, ptx_check check) {
  enum { T = ASYNC_THREADS, TILES = 11 };
  ptx_launch l = fix_launch(&x, m, "produce_consume", 1, T);
  ptx_fault f;
  int *in = inputs(32 * TILES, 50), *out = ints(T), want[T] = { 0 };
  for (int t = 32; t < T; t++)
    for (int k = 0; k < TILES; k++)
      want[t] = (int)((uint32_t)want[t] * 5u + (uint32_t)in[k * 32 + t * 7 % 32]);
  l.check = check;
  must(fix_run(&l, &f, 3, ARG(in), ARG(out), (uint64_t)TILES), "produce_consume");
  same(out, want, T, "produce_consume");
}

static void run_group_copy (ptx_module *m, int n) {
  ptx_launch l = fix_launch(&x, m, "group_copy", 1, 96);
  ptx_fault f;
  int *in = inputs(n, 1000), *out = ints(n), *want = ints(n);
  for (int i = 0; i < n; i++) want[i] = in[n - 1 - i];
  l.dynamic_shared = (uint32_t)n * 4;
  must(fix_run(&l, &f, 3, ARG(in), ARG(out), (uint64_t)n), "group_copy");
  same(out, want, n, "group_copy");
}

static void run_transactions (ptx_module *m) {
  static const int want[10] = { 1, 0, 0, 1, 0, 1, 1, 1, 2, 1 };
  ptx_launch l = fix_launch(&x, m, "transactions", 1, 1);
  ptx_fault f;
  int *out = ints(10);
  must(fix_run(&l, &f, 1, ARG(out)), "transactions");
  same(out, want, 10, "transactions");
}

static void expect_async_fault (ptx_module *m, const char *kernel, void *p, ptx_fault_kind kind,
                                const char *words, uint32_t thread) {
  ptx_launch l = fix_launch(&x, m, kernel, 1, 32);
  ptx_fault f;
  lcu_status s = fix_run(&l, &f, 1, ARG(p));
  CHECK(s == LCU_E_FAULT && f.kind == kind && strstr(f.message, words) != NULL, "%s: %s", kernel,
        f.message);
  CHECK(f.thread[0] == thread && strstr(f.file, "async.cu") != NULL && f.line > 0,
        "%s: thread %u, %s:%d", kernel, f.thread[0], f.file, f.line);
}

/* The register of the mask is the first one, and so the first in the register file. */
static const char masked_copy[] =
  ".version 8.6\n.target sm_100a\n.address_size 64\n"
  ".visible .entry k(.param .u64 out, .param .u16 mask)\n{\n"
  "  .reg .b16 m; .reg .b32 i, at; .reg .b64 o; .reg .pred more;\n"
  "  .shared .align 16 .b8 s[64];\n"
  "  ld.param.u16 m, [mask]; ld.param.u64 o, [out]; mov.u32 i, 0; mov.u32 at, s;\n"
  "NEXT:\n  add.s32 i, i, 1; st.shared.u8 [at], i; add.s32 at, at, 1;\n"
  "  setp.lt.u32 more, i, 64; @more bra NEXT;\n"
  "  cp.async.bulk.global.shared::cta.bulk_group.cp_mask [o], [s], 64, m;\n"
  "  cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; ret;\n}\n";

static void run_masked_copy (void) {
  enum { BYTES = 64, STEP = 1457 };
  ptx_module *m = NULL;
  ptx_fault f;
  CHECK(ptx_module_load(masked_copy, sizeof masked_copy - 1, &x.host, &m) == LCU_OK, "%s",
        lcu_failure_get()->message);
  ptx_launch l = fix_launch(&x, m, "k", 1, 1);
  uint8_t *out = (uint8_t *)ints(BYTES / 4);
  for (uint32_t mask = 0; mask < 0x10000; mask += STEP) {
    memset(out, 0, BYTES);
    must(fix_run(&l, &f, 2, ARG(out), (uint64_t)mask), "masked_copy");
    for (uint32_t k = 0; k < BYTES; k++)
      CHECK(out[k] == (mask >> k % 16 & 1 ? k + 1 : 0), "mask %x, byte %u: %u", mask, k, out[k]);
  }
  ptx_module_free(m);
  fix_clear(&x);
}

static void test_async (void) {
  run_masked_copy();
  ptx_module *m = fix_module(&x, "async");
  if (m == NULL) return;
  for (int k = 0; k < 2; k++) {
    ptx_check check = k == 0 ? PTX_CHECK_DEFAULT : PTX_CHECK_ALL;
    run_pipelined(m, check);
    run_arrive_wait(m, check);
    run_produce_consume(m, check);
  }
  run_zero_filled(m);
  run_drop_out(m);
  run_group_copy(m, 1024);
  run_group_copy(m, 77);
  run_transactions(m);
  expect_async_fault(m, "not_initialized", ints(1), PTX_FAULT_BARRIER, "not initialized", 0);
  expect_async_fault(m, "copy_from", ints(4 * 20), PTX_FAULT_OUT_OF_BOUNDS, "16 bytes", 20);
  expect_async_fault(m, "copy_from", ints(4 * 40) + 1, PTX_FAULT_MISALIGNED, "multiple of 16", 0);
  expect_async_fault(m, "never_complete", ints(1), PTX_FAULT_LIVELOCK, "", 0);
  ptx_module_free(m);
  fix_clear(&x);
}

int main (void) { return run_with_teams(test_async); }
