/* test_ptx_diverge.c: lanes that diverge and reconverge: branches, loops, switches, irreducible
 * flow. */
#include "ptx_exec_check.h"

static int ref_nested (int a) {
  int v = 0;
  if (a & 1) {
    if (a & 2) v += 3;
    else v -= 5;
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
      if (k % 3 == 0) {
        k -= 2;
        v += 11;
        continue;
      }
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
    case 3:
      for (int k = 0; k < a % 5; k++) v = v * 31 + k;
      break;
    case 5:
    case 6: v = a / 3; break;
    case 9:
      v = -a;
      if (a & 16) break;
      v += 100;
      break;
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
  while (q > 1) {
    q = q & 1 ? 3 * q + 1 : q / 2;
    steps++;
  }
  return steps;
}

static void run_map (ptx_module *m, const char *kernel, int (*ref)(int), int n, uint32_t grid,
                     uint32_t block) {
  ptx_launch l = fix_launch(&x, m, kernel, grid, block);
  ptx_fault f;
  int *in = inputs(n, 1000), *out = ints(n), *want = ints(n);
  for (int i = 0; i < n; i++) want[i] = ref(in[i]);
  must(fix_run(&l, &f, 3, ARG(in), ARG(out), (uint64_t)n), kernel);
  same(out, want, n, kernel);
}

static int ref_regather (int a) {
  int v = 0;
  for (int k = 0; k < a % 40; k++) v += k * a;
  return v;
}

static int ref_regather_behind (int a) {
  int v = 0, k = 0;
  do v += k * a + (v >> 3);
  while (++k < a % 40);
  return v;
}

/* All lanes are together again after a loop. */
static void test_regather (ptx_module *m, const char *kernel, int (*ref)(int)) {
  enum { N = 256 };
  ptx_launch l = fix_launch(&x, m, kernel, 2, N / 2);
  ptx_fault f;
  int *in = inputs(N, 1000), *out = ints(2 * N), *want = ints(2 * N);
  for (int i = 0; i < N; i++) {
    want[2 * i] = ref(in[i]);
    want[2 * i + 1] = -1; /* the mask of active lanes */
  }
  must(fix_run(&l, &f, 3, ARG(in), ARG(out), (uint64_t)N), kernel);
  same(out, want, 2 * N, kernel);
}

static void test_where (ptx_module *m) {
  ptx_launch l = fix_launch(&x, m, "where", 2, 5);
  ptx_fault f;
  int *out = ints(4 * 12 * 30), bad = 0;
  l.grid[1] = 3;
  l.grid[2] = 2;
  l.block[1] = 3;
  l.block[2] = 2;
  must(fix_run(&l, &f, 1, ARG(out)), "where");
  for (int b = 0; b < 12; b++)
    for (int t = 0; t < 30; t++) {
      const int *o = out + 4 * (b * 30 + t);
      bad += o[0] != (t % 5 | (t / 5 % 3) << 10 | (t / 15) << 20) ||
             o[1] != (b % 2 | (b / 2 % 3) << 10 | (b / 6) << 20);
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
  test_regather(m, "regather", ref_regather);
  test_regather(m, "regather_behind", ref_regather_behind);
  test_where(m);
  ptx_module_free(m);
  fix_clear(&x);
}

int main (void) { return run_with_teams(test_divergence); }
