/* test_ptx_exec.c: the PTX executor against plain C: divergence, waiting, barriers, exchange within warps, calls,
 * functions of the runtime, faults and hangs. Kernels: spec/ptx/<module>.cu. */
#include "ptx_fixture.h"

static fixture x;

/* ---- helpers */

static void must (lcu_status s, const char *what) {
  CHECK(s == LCU_OK, "%s: %s", what, lcu_failure_get()->message);
}

static bool same (const int *got, const int *want, int n, const char *what) {
  for (int i = 0; i < n; i++)
    if (got[i] != want[i]) {
      CHECK(false, "%s[%d] is %d, should be %d", what, i, got[i], want[i]);
      return false;
    }
  CHECK(true, "%s", what);
  return true;
}

static int *ints (int n) { return fix_add(&x, (uint64_t)n * 4, false); }

/* Numbers that look random and are the same everywhere. */
static int *inputs (int n, uint32_t range) {
  int *p = ints(n);
  uint32_t s = 12345;
  for (int i = 0; i < n; i++) { s = s * 1664525u + 1013904223u; p[i] = (int)((s >> 8) % range); }
  return p;
}

/* ---- divergence */

static int ref_nested (int a) {
  int v = 0;
  if (a & 1) {
    if (a & 2) v += 3; else v -= 5;
    if (a & 4) {
      for (int k = 0; k < (a & 15); k++) {
        if (k == 7) continue;
        if (k * a > 90) break;
        v += k ^ a;
      }
    } else if (a & 8) v *= 7;
    else v = ~v;
  } else {
    int k = a & 31;
    while (k > 0) {
      if (k % 3 == 0) { k -= 2; v += 11; continue; }
      if (k % 7 == 0) break;
      for (int j = 0; j < k; j++) v += j & a;
      k--;
    }
  }
  return v + a;
}

static int ref_switched (int a) {
  int v = 1;
  switch (a % 11) {
    case 0: v = a * 3; break;
    case 1: v = (a - 7) ^ 0x55; break;
    case 2: v ^= 0x55; break;
    case 3: for (int k = 0; k < a % 5; k++) v = v * 31 + k; break;
    case 5: case 6: v = a / 3; break;
    case 9: v = -a; if (a & 16) break; v += 100; break;
    default: v = a & 0xff; break;
  }
  return v;
}

static int ref_irreducible (int a) {
  int q = a & 255, v = 0, steps = 0;
  bool middle = q & 1;
  for (;;) {
    if (!middle) {
      v += q;
      q = (q * 5 + 1) & 255;
      if (q % 7 == 0) break;
    }
    v ^= q << 2;
    q = (q * 3 + 2) & 255;
    if (++steps > 40) break;
    middle = q & 8;
    if (!middle && q % 13 == 0) break;
  }
  return v * 64 + steps;
}

static int ref_collatz (int a) {
  uint64_t q = (uint32_t)a;
  int steps = 0;
  while (q > 1) { q = q & 1 ? 3 * q + 1 : q / 2; steps++; }
  return steps;
}

static void run_map (ptx_module *m, const char *kernel, int (*ref) (int), int n, uint32_t grid, uint32_t block) {
  ptx_launch l = fix_launch(&x, m, kernel, grid, block);
  ptx_fault f;
  int *in = inputs(n, 1000), *out = ints(n), *want = ints(n);
  for (int i = 0; i < n; i++) want[i] = ref(in[i]);
  must(fix_run(&l, &f, 3, ARG(in), ARG(out), (uint64_t)n), kernel);
  same(out, want, n, kernel);
}

static void test_regather (ptx_module *m) {
  enum { N = 256 };
  ptx_launch l = fix_launch(&x, m, "regather", 2, N / 2);
  ptx_fault f;
  int *in = inputs(N, 1000), *out = ints(2 * N), *want = ints(2 * N);
  for (int i = 0; i < N; i++) {
    int v = 0;
    for (int k = 0; k < in[i] % 40; k++) v += k * in[i];
    want[2 * i] = v;
    want[2 * i + 1] = -1;           /* all lanes are together again behind the loop */
  }
  must(fix_run(&l, &f, 3, ARG(in), ARG(out), (uint64_t)N), "regather");
  same(out, want, 2 * N, "regather");
}

static void test_where (ptx_module *m) {
  ptx_launch l = fix_launch(&x, m, "where", 2, 5);
  ptx_fault f;
  int *out = ints(4 * 12 * 30), bad = 0;
  l.grid[1] = 3; l.grid[2] = 2; l.block[1] = 3; l.block[2] = 2;
  must(fix_run(&l, &f, 1, ARG(out)), "where");
  for (int b = 0; b < 12; b++)
    for (int t = 0; t < 30; t++) {
      const int *o = out + 4 * (b * 30 + t);
      bad += o[0] != (t % 5 | (t / 5 % 3) << 10 | (t / 15) << 20) || o[1] != (b % 2 | (b / 2 % 3) << 10 | (b / 6) << 20);
      bad += o[2] != t || o[3] != (2 | 3 << 10 | 2 << 20);
    }
  CHECK(bad == 0, "%d wrong places", bad);
}

static void test_divergence (void) {
  ptx_module *m = fix_module(&x, "diverge");
  if (m == NULL) return;
  run_map(m, "nested", ref_nested, 5000, 40, 128);
  run_map(m, "switched", ref_switched, 5000, 157, 32);
  run_map(m, "irreducible", ref_irreducible, 3000, 12, 256);
  run_map(m, "collatz", ref_collatz, 20000, 10, 96);
  run_map(m, "nested", ref_nested, 7, 1, 32);
  run_map(m, "nested", ref_nested, 1000, 1, 1000);
  test_regather(m);
  test_where(m);
  ptx_module_free(m);
  fix_clear(&x);
}

/* ---- waiting by memory */

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
  CHECK(fix_run(&l, &f, 3, ARG(data), ARG(out), (uint64_t)1) == LCU_E_ARGUMENT, "too many blocks for a cooperative launch");
  l.cooperative = false;
  l.max_resident_blocks = BLOCKS;
  lcu_status s = fix_run(&l, &f, 3, ARG(data), ARG(out), (uint64_t)1);
  CHECK(s == LCU_E_FAULT && strcmp(f.kind, "trap") == 0, "grid sync without a cooperative launch: %s", f.message);
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
    if (i & 1) for (int k = 0; k < 200000; k++) v = v * 1664525u + (uint32_t)in[k & 31];
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

/* ---- barriers */

static void test_reverse (ptx_module *m) {
  ptx_fault f;
  int *data = inputs(8 * 96, 1000), want[8 * 96];
  for (int b = 0; b < 8; b++) for (int t = 0; t < 96; t++) want[b * 96 + t] = data[b * 96 + 95 - t];
  ptx_launch l = fix_launch(&x, m, "reverse", 8, 96);
  l.dynamic_shared = 96 * 4;
  must(fix_run(&l, &f, 2, ARG(data), (uint64_t)96), "reverse");
  same(data, want, 8 * 96, "reverse");
  l.dynamic_shared = 95 * 4;
  lcu_status s = fix_run(&l, &f, 2, ARG(data), (uint64_t)96);
  CHECK(s == LCU_E_FAULT && strcmp(f.kind, "out of bounds") == 0 && strcmp(f.space, "shared") == 0,
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
  for (int t = 0; t < 100; t++) { count += in[t] > 10; any |= in[t] == 77; }
  for (int t = 0; t < 100; t++) { want[3 * t] = count; want[3 * t + 1] = 1; want[3 * t + 2] = any; }
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
  for (int t = 0; t < 64; t++) if (t % 3 != 0) want[t] = (t + 32) % 64;
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

/* ---- exchange within a warp */

static void test_shuffles (ptx_module *m) {
  ptx_fault f;
  int *in = inputs(32, 1000), *out = ints(256), want[256];
  for (int t = 0; t < 32; t++) {
    int *o = want + 8 * t;
    o[0] = in[(t * 7 + 3) & 31];
    o[1] = t < 3 ? in[t] : in[t - 3];
    o[2] = t > 26 ? in[t] : in[t + 5];
    o[3] = in[t ^ 9];
    o[4] = in[(t & 24) | (t & 7)];
    o[5] = (t & 7) < 2 ? in[t] : in[t - 2];
    o[6] = (t & 15) > 13 ? in[t] : in[t + 2];
    o[7] = (t ^ 20) <= (t | 15) ? in[t ^ 20] : in[t];
  }
  ptx_launch l = fix_launch(&x, m, "shuffles", 1, 32);
  must(fix_run(&l, &f, 2, ARG(in), ARG(out)), "shuffles");
  same(out, want, 256, "shuffles");
  for (int t = 0; t < 32; t++) { want[2 * t] = t + 6 > 31 ? in[t] : in[t + 6]; want[2 * t + 1] = t + 6 <= 31; }
  l = fix_launch(&x, m, "shuffle_pred", 1, 32);
  must(fix_run(&l, &f, 2, ARG(in), ARG(out)), "shuffle_pred");
  same(out, want, 64, "shuffle_pred");
}

static void test_partial (ptx_module *m) {
  ptx_fault f;
  int *in = inputs(32, 1000), *out = ints(32), want[32];
  for (int t = 0; t < 32; t++) want[t] = t & 1 ? in[t ^ 1] * 10 : in[t ^ 1] + 7;
  ptx_launch l = fix_launch(&x, m, "diverged", 1, 32);
  must(fix_run(&l, &f, 2, ARG(in), ARG(out)), "diverged");
  same(out, want, 32, "diverged");
  int v[32], next[32];
  memcpy(v, in, sizeof v);
  for (int k = 8; k > 0; k /= 2) {
    for (int t = 0; t < 16; t++) next[t] = v[t] + (t + k <= 15 ? v[t + k] : v[t]);
    memcpy(v, next, 16 * sizeof *v);
  }
  int sum = 0;
  for (int t = 16; t < 32; t++) sum += in[t];
  for (int t = 16; t < 32; t++) v[t] = sum;
  l = fix_launch(&x, m, "halves", 1, 32);
  must(fix_run(&l, &f, 2, ARG(in), ARG(out)), "halves");
  same(out, v, 32, "halves");
}

static void test_groups (ptx_module *m) {
  ptx_fault f;
  int *in = inputs(32, 40), *out = ints(64), want[64];
  for (int t = 0; t < 32; t++) {
    want[2 * t] = want[2 * t + 1] = 0;
    for (int u = 0; u < 32; u++)
      if ((in[u] & 3) == (in[t] & 3)) { want[2 * t] += in[u]; want[2 * t + 1] += in[u] > 20; }
  }
  ptx_launch l = fix_launch(&x, m, "groups", 1, 32);
  must(fix_run(&l, &f, 2, ARG(in), ARG(out)), "groups");
  same(out, want, 64, "groups");
}

static void test_votes (ptx_module *m) {
  ptx_fault f;
  int *in = inputs(32, 41), *out = ints(192), want[192];
  for (int t = 0; t < 32; t++) {
    int *o = want + 6 * t;
    o[0] = 1; o[1] = 0; o[3] = 1; o[5] = -1 ^ 1;
    uint32_t thirds = 0, equal = 0;
    for (int u = 0; u < 32; u++) {
      o[0] &= in[u] > 3;
      o[1] |= in[u] == 40;
      if (in[u] % 3 == 0) thirds |= 1u << u;
      if (in[u] % 5 == in[t] % 5) equal |= 1u << u;
    }
    o[2] = (int)thirds; o[4] = (int)equal;
  }
  ptx_launch l = fix_launch(&x, m, "votes", 1, 32);
  must(fix_run(&l, &f, 2, ARG(in), ARG(out)), "votes");
  same(out, want, 192, "votes");
}

static void test_reductions (ptx_module *m) {
  ptx_fault f;
  int *in = inputs(32, 1000), *out = ints(256), want[256];
  for (int t = 0; t < 32; t++) in[t] -= 500;
  int r[8] = { 0, in[0], in[0], in[0], in[0], -1, 0, 0 };
  for (int t = 0; t < 32; t++) {
    int v = in[t];
    r[0] += v;
    if (v < r[1]) r[1] = v;
    if (v > r[2]) r[2] = v;
    if ((uint32_t)v < (uint32_t)r[3]) r[3] = v;
    if ((uint32_t)v > (uint32_t)r[4]) r[4] = v;
    r[5] &= v; r[6] |= v; r[7] ^= v;
  }
  for (int i = 0; i < 256; i++) want[i] = r[i % 8];
  ptx_launch l = fix_launch(&x, m, "reductions", 1, 32);
  must(fix_run(&l, &f, 2, ARG(in), ARG(out)), "reductions");
  same(out, want, 256, "reductions");
}

static void test_ended_lanes (ptx_module *m) {
  ptx_fault f;
  int *in = inputs(32, 1000), *out = ints(32), want[32] = { 0 }, v[20], next[20];
  memcpy(v, in, sizeof v);
  for (int k = 16; k > 0; k /= 2) {
    for (int t = 0; t < 20; t++) next[t] = (t ^ k) < 20 && v[t ^ k] > v[t] ? v[t ^ k] : v[t];
    memcpy(v, next, sizeof v);
  }
  memcpy(want, v, sizeof v);
  ptx_launch l = fix_launch(&x, m, "with_ended", 1, 32);
  must(fix_run(&l, &f, 2, ARG(in), ARG(out)), "with_ended");
  same(out, want, 32, "with_ended");
  int positive = 0;
  for (int t = 0; t < 16; t++) positive += in[t] > 0;
  for (int t = 0; t < 32; t++) {
    uint32_t q = (uint32_t)in[t];
    for (uint32_t k = 0; k < 50; k++) q = q * 3 + k;
    want[t] = t < 16 ? positive : (int)q;
  }
  l = fix_launch(&x, m, "end_while_waited", 1, 32);
  must(fix_run(&l, &f, 2, ARG(in), ARG(out)), "end_while_waited");
  same(out, want, 32, "end_while_waited");
}

static void test_block_reduce (ptx_module *m) {
  ptx_fault f;
  int *in = inputs(30000, 1000), *out = ints(1), want = 0;
  for (int i = 0; i < 30000; i++) want += in[i];
  ptx_launch l = fix_launch(&x, m, "block_reduce", 20, 256);
  must(fix_run(&l, &f, 3, ARG(in), ARG(out), (uint64_t)30000), "block_reduce");
  same(out, &want, 1, "block_reduce");
}

static void test_warp (void) {
  ptx_module *m = fix_module(&x, "warp");
  if (m == NULL) return;
  test_shuffles(m);
  test_partial(m);
  test_groups(m);
  test_votes(m);
  test_reductions(m);
  test_ended_lanes(m);
  test_block_reduce(m);
  ptx_module_free(m);
  fix_clear(&x);
}

/* ---- calls */

static int ref_fib (int n) { return n < 2 ? n : ref_fib(n - 1) + ref_fib(n - 2); }

typedef struct pair { int a; double b; short c[3]; } pair;

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
    bad += w.a != out[t].a || w.b > out[t].b || w.b < out[t].b || memcmp(w.c, out[t].c, sizeof w.c) != 0;
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
  CHECK(s == LCU_E_FAULT && strcmp(f.kind, "stack overflow") == 0 && strcmp(f.file, "calls.cu") == 0 && f.line == 54,
        "%s %s:%d %s", f.kind, f.file, f.line, f.message);
  l = fix_launch(&x, m, "endless", 2, 32);
  s = fix_run(&l, &f, 1, ARG(out));
  CHECK(s == LCU_E_FAULT && strcmp(f.kind, "stack overflow") == 0, "%s", f.message);
  must(fix_run(&(ptx_launch){ .kernel = ptx_module_kernel(m, "depth"), .grid = { 1, 1, 1 }, .block = { 32, 1, 1 },
                              .team = x.team, .max_resident_blocks = 4, .stack_bytes = 4096 }, &f, 3, ARG(p), ARG(out), (uint64_t)20),
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
  CHECK(status == LCU_E_FAULT && strstr(f.message, "null function pointer") != NULL, "%s", f.message);
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

/* ---- runtime functions and faults */

static int count_lines (const char *text) {
  int n = 0;
  for (; *text != '\0'; text++) n += *text == '\n';
  return n;
}

static void test_printf (ptx_module *m) {
  ptx_fault f;
  ptx_launch l = fix_launch(&x, m, "hello", 3, 40);
  char line[200];
  int missing = 0;
  must(fix_run(&l, &f, 1, (uint64_t)255), "hello");
  CHECK(count_lines(x.printed) == 120, "%d lines", count_lines(x.printed));
  for (int b = 0; b < 3; b++)
    for (int t = 0; t < 40; t++) {
      snprintf(line, sizeof line, "block %d thread %d: %5.2f|%-6s|%c|%lld|0xff|%%\n", b, t, 1.5 * t, t & 1 ? "odd" : "even",
               'a' + t, -1234567890123ll - 255);
      missing += strstr(x.printed, line) == NULL;
    }
  CHECK(missing == 0, "%d lines missing", missing);
  x.printed_len = 0;
  int *returned = ints(3);
  l = fix_launch(&x, m, "formats", 1, 32);
  must(fix_run(&l, &f, 1, ARG(returned)), "formats");
  char want[400];
  snprintf(want, sizeof want, "[%6d][%-8.3s][%+.3e][%05d][%d][%d][%llu][%p]\nplain\nLocal %%y 0.25\n", 42, "abcdef", 12345.678, -42,
           (signed char)300, (unsigned short)70000, 1ull << 40, (void *)0);
  CHECK(strcmp(x.printed, want) == 0, "printed\n%swanted\n%s", x.printed, want);
  CHECK(returned[0] == 10 && returned[1] == 0 && returned[2] == 2, "%d %d %d", returned[0], returned[1], returned[2]);
}

static void test_asserts (ptx_module *m) {
  ptx_fault f;
  int *in = ints(64);
  in[37] = 99;
  ptx_launch l = fix_launch(&x, m, "asserts", 1, 64);
  lcu_status s = fix_run(&l, &f, 1, ARG(in));
  CHECK(s == LCU_E_FAULT && strcmp(f.kind, "assert") == 0 && f.thread[0] == 37 && f.line == 23 && strstr(f.file, "runtime.cu") != NULL,
        "%s %s:%d thread %u", f.kind, f.file, f.line, f.thread[0]);
  const char *want = "block: [0,0,0], thread: [37,0,0] Assertion `in[threadIdx.x] < 50 && \"too large\"` failed.";
  CHECK(strstr(f.message, want) != NULL && strstr(f.message, "runtime.cu:23: ") != NULL, "%s", f.message);
  CHECK(strcmp(lcu_failure_get()->message, f.message) == 0, "%s", lcu_failure_get()->message);
}

static void test_faults (ptx_module *m) {
  ptx_fault f;
  int *in = ints(64), *p = ints(100);
  in[41] = 40;
  ptx_launch l = fix_launch(&x, m, "traps", 1, 64);
  lcu_status s = fix_run(&l, &f, 1, ARG(in));
  CHECK(s == LCU_E_FAULT && strcmp(f.kind, "trap") == 0 && f.thread[0] == 41 && f.line == 27, "%s", f.message);
  l = fix_launch(&x, m, "outside", 200, 64);
  s = fix_run(&l, &f, 2, ARG(p), (uint64_t)12800);
  CHECK(s == LCU_E_FAULT && strcmp(f.kind, "out of bounds") == 0 && f.block[0] == 1 && f.thread[0] == 36, "%s", f.message);
  CHECK(f.line == 45 && f.write && f.bytes == 4 && f.nearest.size == 400, "%s", f.message);
  CHECK(strstr(f.message, "runtime.cu:45") != NULL && strstr(f.message, "400 bytes") != NULL, "%s", f.message);
}

static void test_heap (ptx_module *m) {
  ptx_fault f;
  int **slots = fix_add(&x, 64 * sizeof *slots, false), *out = ints(64), want[64], live = 0;
  for (int t = 0; t < 64; t++) { int u = (t + 1) % 64; want[t] = u * (u * (u + 1) / 2); }
  ptx_launch l = fix_launch(&x, m, "heap", 1, 64);
  must(fix_run(&l, &f, 2, ARG(slots), ARG(out)), "heap");
  same(out, want, 64, "heap");
  for (int i = 0; i < x.num; i++) live += x.blocks[i].heap && x.blocks[i].live;
  CHECK(live == 0, "%d blocks of the heap are left", live);
  l = fix_launch(&x, m, "double_free", 1, 32);
  lcu_status s = fix_run(&l, &f, 1, ARG(out));
  CHECK(s == LCU_E_FAULT && f.thread[0] == 5, "%s", f.message);
}

static void test_runtime (void) {
  ptx_module *m = fix_module(&x, "runtime");
  if (m == NULL) return;
  test_printf(m);
  test_asserts(m);
  test_faults(m);
  test_heap(m);
  ptx_module_free(m);
  fix_clear(&x);
}

/* ---- hangs */

static void expect_hang (ptx_module *m, const char *kernel, uint32_t block, const char *kind, const char *text, int line) {
  ptx_fault f;
  int *p = ints(256);
  ptx_launch l = fix_launch(&x, m, kernel, 1, block);
  lcu_status s = fix_run(&l, &f, 1, ARG(p));
  CHECK(s == LCU_E_FAULT && strcmp(f.kind, kind) == 0, "%s: %s", kernel, f.message);
  CHECK(strstr(f.message, text) != NULL && (line == 0 || f.line == line),
        "%s at line %d:\n  %s\nshould have\n  %s", kernel, f.line, f.message, text);
}

static void test_hangs (void) {
  ptx_module *m = fix_module(&x, "hang");
  if (m == NULL) return;
  expect_hang(m, "half_barrier", 64, "deadlock",
              "block (0,0,0): threads 0-31 wait at barrier 1 for 128 threads (hang.cu:6); threads 32-63 ended", 6);
  expect_hang(m, "two_barriers", 64, "deadlock",
              "threads 0-31 wait at barrier 1 for 64 threads (hang.cu:14); threads 32-63 wait at barrier 2 for 64 threads (hang.cu:16)", 14);
  expect_hang(m, "missing_lane", 32, "deadlock", "wait in shfl.sync.bfly.b32 for the other threads of member mask 0xffffffff (hang.cu:23)", 0);
  expect_hang(m, "nobody_stores", 96, "livelock", "threads 0-95 loop (hang.cu:29)", 29);
  expect_hang(m, "lock_twice", 64, "livelock", "thread 0 loops (hang.cu:36); threads 1-63 ended", 36);
  ptx_module_free(m);
  fix_clear(&x);
}

/* ---- all checks on */

static lcu_status run_checked (ptx_module *m, const char *kernel, int *out, ptx_fault *f) {
  ptx_launch l = fix_launch(&x, m, kernel, 2, 64);
  l.check = PTX_CHECK_ALL;
  return fix_run(&l, f, 1, ARG(out));
}

static void expect_found (ptx_module *m, const char *kernel, const char *kind, const char *text, int line) {
  ptx_fault f;
  int *out = ints(128);
  ptx_launch l = fix_launch(&x, m, kernel, 2, 64);
  must(fix_run(&l, &f, 1, ARG(out)), kernel);
  lcu_status s = run_checked(m, kernel, out, &f);
  CHECK(s == LCU_E_FAULT && strcmp(f.kind, kind) == 0 && strstr(f.message, text) != NULL && (line == 0 || f.line == line), "%s: line %d: %s",
        kernel, f.line, f.message);
}

/* Kernels without a mistake give the same results as without the checks. */
static void test_clean (ptx_module *m) {
  ptx_fault f;
  int *out = ints(128), want[65];
  for (int t = 0; t < 64; t++) want[t] = t < 32 ? (t ^ 1) + (t ^ 1) + 32 + 64 : 63 - t;
  want[4] += 94;
  want[64] = 99;
  must(run_checked(m, "clean", out, &f), "clean");
  same(out, want, 65, "clean");
}

static void test_checks (void) {
  ptx_module *m = fix_module(&x, "check");
  if (m == NULL) return;
  expect_found(m, "forgot_barrier", "uninitialised", "which no thread of the block has written", 7);
  expect_found(m, "overwrites", "race", "have no barrier between them", 0);      /* whichever warp comes second */
  expect_found(m, "never_written", "uninitialised", "offset 0x0", 24);
  expect_found(m, "two_places", "barrier", "at different places", 0);
  test_clean(m);
  ptx_module_free(m);
  m = fix_module(&x, "barriers");
  if (m == NULL) return;
  ptx_fault f;
  int *in = inputs(4 * 256, 1000), *out = ints(4), want[4] = { 0 };
  for (int i = 0; i < 4 * 256; i++) want[i / 256] += in[i];
  ptx_launch l = fix_launch(&x, m, "block_sum", 4, 256);
  l.check = PTX_CHECK_ALL;
  must(fix_run(&l, &f, 2, ARG(in), ARG(out)), "block_sum with all checks");
  same(out, want, 4, "block_sum with all checks");
  ptx_module_free(m);
  fix_clear(&x);
}

/* ---- asynchronous copies and barrier objects */

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
    for (int k = 0; k < TILES; k++) want[t] = (int)((uint32_t)want[t] * 5u + (uint32_t)in[k * 32 + t * 7 % 32]);
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

static void expect_async_fault (ptx_module *m, const char *kernel, void *p, const char *kind, const char *words, uint32_t thread) {
  ptx_launch l = fix_launch(&x, m, kernel, 1, 32);
  ptx_fault f;
  lcu_status s = fix_run(&l, &f, 1, ARG(p));
  CHECK(s == LCU_E_FAULT && strcmp(f.kind, kind) == 0 && strstr(f.message, words) != NULL, "%s: %s", kernel, f.message);
  CHECK(f.thread[0] == thread && strstr(f.file, "async.cu") != NULL && f.line > 0, "%s: thread %u, %s:%d", kernel, f.thread[0], f.file, f.line);
}

static void test_async (void) {
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
  expect_async_fault(m, "not_initialised", ints(1), "barrier", "not initialised", 0);
  expect_async_fault(m, "copy_from", ints(4 * 20), "out of bounds", "16 bytes", 20);
  expect_async_fault(m, "copy_from", ints(4 * 40) + 1, "misaligned", "multiple of 16", 0);
  expect_async_fault(m, "never_complete", ints(1), "livelock", "", 0);
  ptx_module_free(m);
  fix_clear(&x);
}

/* ---- launches */

static void test_launches (void) {
  ptx_module *m = fix_module(&x, "barriers");
  if (m == NULL) return;
  ptx_fault f;
  int *out = ints(4096);
  static const uint32_t bad[][2] = { { 0, 32 }, { 1, 0 }, { 1, 1025 } };
  for (int k = 0; k < 3; k++) {
    ptx_launch l = fix_launch(&x, m, "early_exit", bad[k][0], bad[k][1]);
    CHECK(fix_run(&l, &f, 1, ARG(out)) == LCU_E_ARGUMENT, "grid %u block %u", bad[k][0], bad[k][1]);
  }
  ptx_counters c;
  ptx_launch l = fix_launch(&x, m, "early_exit", 5, 64);
  uint64_t p = ARG(out);
  l.params = &p;
  must(ptx_run(&l, &f, &c), "counted");
  CHECK(c.warp_instructions > 0 && c.thread_instructions > c.warp_instructions, "%llu %llu",
        (unsigned long long)c.warp_instructions, (unsigned long long)c.thread_instructions);
  ptx_module_free(m);
  fix_clear(&x);
}

/* Memory of a run is released whatever happens in it. */
static void test_no_memory (void) {
  ptx_module *m = fix_module(&x, "calls");
  if (m == NULL) return;
  ptx_fault f;
  int *in = inputs(64, 12), *out = ints(64);
  ptx_launch l = fix_launch(&x, m, "fibs", 4, 64);
  lcu_status s = fix_run(&l, &f, 2, ARG(in), ARG(out));
  must(s, "fibs");
  ptx_launch other = fix_launch(&x, m, "indirect", 4, 64);
  must(fix_run(&other, &f, 2, ARG(in), ARG(out)), "indirect");
  int refused = 0;
  for (long n = 1; n < 400; n++) {
    lcu_mem_fail_at(n);
    other.block[0] = 32 + (uint32_t)n % 2 * 32;      /* another shape: nothing kept fits */
    s = fix_run(&other, &f, 2, ARG(in), ARG(out));
    lcu_mem_fail_at(0);
    if (s == LCU_OK) break;
    refused++;
  }
  CHECK(s == LCU_OK && refused > 0, "%d refusals, then %d", refused, s);
  ptx_module_free(m);
  fix_clear(&x);
}

/* Several threads run kernels of one module at the same time. */
static void *run_many (void *ud) {
  ptx_module *m = ud;
  int in[64], *out = ints(64);
  long wrong = 0;
  for (int t = 0; t < 64; t++) in[t] = t % 12;
  uint64_t in_at = ARG(memcpy(ints(64), in, sizeof in)), params[2] = { in_at, ARG(out) };
  ptx_launch l = { .kernel = ptx_module_kernel(m, "fibs"), .grid = { 3, 1, 1 }, .block = { 64, 1, 1 }, .params = params,
                   .max_resident_blocks = 4, .stack_bytes = 4096 };
  for (int k = 0; k < 40; k++) {
    ptx_fault f;
    memset(out, 0, 64 * sizeof *out);
    l.block[0] = k % 3 == 0 ? 32 : 64;
    wrong += ptx_run(&l, &f, NULL) != LCU_OK;
    for (uint32_t t = 0; t < l.block[0]; t++) wrong += out[t] != ref_fib(in[t]);
  }
  return (void *)wrong;
}

static void test_threads (void) {
  enum { THREADS = 4 };
  pthread_t threads[THREADS];
  ptx_module *m = fix_module(&x, "calls");
  if (m == NULL) return;
  for (int k = 0; k < THREADS; k++) CHECK(pthread_create(&threads[k], NULL, run_many, m) == 0, "thread %d", k);
  for (int k = 0; k < THREADS; k++) {
    void *wrong;
    pthread_join(threads[k], &wrong);
    CHECK(wrong == NULL, "thread %d: %ld wrong results", k, (long)wrong);
  }
  ptx_module_free(m);
  fix_clear(&x);
}

static void run_all (int workers) {
  fix_open(&x, workers);
  test_divergence();
  test_locks();
  test_barriers();
  test_warp();
  test_calls();
  test_runtime();
  test_hangs();
  test_checks();
  test_async();
  test_launches();
  test_no_memory();
  test_threads();
  fix_close(&x);
}

int main (void) {
  long before = lcu_mem_live();
  run_all(1);
  run_all(2);
  run_all(5);
  CHECK(lcu_mem_live() == before, "%ld pieces of memory left", lcu_mem_live() - before);
  printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}
