/* test_ptx_locks.c: threads that wait for each other through memory: locks, flags, chains of
 * blocks, the whole grid. */
#include "ptx_exec_check.h"

static void test_spins (ptx_module *m) {
  static const char *const kernels[] = { "spin", "spin_call", "spin_inside" };
  for (int k = 0; k < 3; k++) {
    ptx_launch l = fix_launch(&x, m, kernels[k], 8, 96);
    ptx_fault f;
    int *lock = ints(1), *counter = ints(1);
    must(fix_run(&l, &f, 2, ARG(lock), ARG(counter)), kernels[k]);
    CHECK(*counter == 8 * 96, "%s: %d", kernels[k], *counter);
  }
}

static void test_waits (ptx_module *m) {
  ptx_fault f;
  int *flag = ints(64), *out = ints(64 * 32), want[64 * 32];
  ptx_launch l = fix_launch(&x, m, "lane_waits", 4, 128);
  must(fix_run(&l, &f, 2, ARG(flag), ARG(out)), "lane_waits");
  for (int i = 0; i < 16; i++) want[i] = 2 * (21 + i);
  same(out, want, 16, "lane_waits");
  flag = ints(64);
  l = fix_launch(&x, m, "warp_waits", 64, 64);
  must(fix_run(&l, &f, 2, ARG(flag), ARG(out)), "warp_waits");
  for (int i = 0; i < 64 * 32; i++) want[i] = 100 + i % 32;
  same(out, want, 64 * 32, "warp_waits");
}

static void test_chains (ptx_module *m) {
  ptx_fault f;
  int *sum = ints(1000), want[1000];
  ptx_launch l = fix_launch(&x, m, "chain", 1000, 32);
  must(fix_run(&l, &f, 2, ARG(sum), (uint64_t)1000), "chain");
  for (int b = 0; b < 1000; b++) want[b] = (b + 1) * (b + 2) / 2;
  same(sum, want, 1000, "chain");
  sum = ints(60);
  l = fix_launch(&x, m, "chain_back", 60, 32);
  must(fix_run(&l, &f, 2, ARG(sum), (uint64_t)60), "chain_back");
  for (int b = 0; b < 60; b++) want[b] = 60 - b;
  same(sum, want, 60, "chain_back");
}

static void test_grid_sync (ptx_module *m) {
  enum { BLOCKS = 12, THREADS = 64, N = BLOCKS * THREADS, ROUNDS = 5 };
  ptx_fault f;
  int *data = inputs(N, 100), *out = ints(N), now[N], next[N];
  memcpy(now, data, sizeof now);
  for (int r = 0; r < ROUNDS; r++) {
    for (int i = 0; i < N; i++) next[i] = now[(i + 1) % N] + 1;
    memcpy(now, next, sizeof now);
  }
  ptx_launch l = fix_launch(&x, m, "grid_sync", BLOCKS, THREADS);
  l.cooperative = true;
  must(fix_run(&l, &f, 3, ARG(data), ARG(out), (uint64_t)ROUNDS), "grid_sync");
  same(out, now, N, "grid_sync");
  l.max_resident_blocks = BLOCKS - 1;
  CHECK(fix_run(&l, &f, 3, ARG(data), ARG(out), (uint64_t)1) == LCU_E_ARGUMENT,
        "too many blocks for a cooperative launch");
  l.cooperative = false;
  l.max_resident_blocks = BLOCKS;
  lcu_status s = fix_run(&l, &f, 3, ARG(data), ARG(out), (uint64_t)1);
  CHECK(s == LCU_E_FAULT && f.kind == PTX_FAULT_TRAP, "grid sync without a cooperative launch: %s",
        f.message);
}

static void test_histogram (ptx_module *m) {
  enum { N = 50000 };
  ptx_fault f;
  int *in = inputs(N, 1 << 20), *bins = ints(64), want[64] = { 0 };
  for (int i = 0; i < N; i++) want[in[i] & 63]++;
  ptx_launch l = fix_launch(&x, m, "histogram", 9, 160);
  must(fix_run(&l, &f, 3, ARG(in), ARG(bins), (uint64_t)N), "histogram");
  same(bins, want, 64, "histogram");
}

static void test_long_loop (ptx_module *m) {
  ptx_fault f;
  int *in = inputs(32, 100), *out = ints(64), want[64];
  for (int i = 0; i < 64; i++) {
    uint32_t v = (uint32_t)i;
    if (i & 1)
      for (int k = 0; k < 200000; k++) v = v * 1664525u + (uint32_t)in[k & 31];
    want[i] = (int)v;
  }
  ptx_launch l = fix_launch(&x, m, "long_loop", 1, 64);
  must(fix_run(&l, &f, 3, ARG(in), ARG(out), (uint64_t)200000), "long_loop");
  same(out, want, 64, "long_loop");
}

static void test_locks (void) {
  ptx_module *m = fix_module(&x, "locks");
  if (m == NULL) return;
  test_spins(m);
  test_waits(m);
  test_chains(m);
  test_grid_sync(m);
  test_histogram(m);
  test_long_loop(m);
  ptx_module_free(m);
  fix_clear(&x);
}

int main (void) { return run_with_teams(test_locks); }
