/* test_ptx_warp.c: exchange within a warp: shuffles, votes, reductions, groups, lanes that have
 * exited. */
#include "ptx_exec_check.h"

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
  for (int t = 0; t < 32; t++) {
    want[2 * t] = t + 6 > 31 ? in[t] : in[t + 6];
    want[2 * t + 1] = t + 6 <= 31;
  }
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
      if ((in[u] & 3) == (in[t] & 3)) {
        want[2 * t] += in[u];
        want[2 * t + 1] += in[u] > 20;
      }
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
    o[0] = 1;
    o[1] = 0;
    o[3] = 1;
    o[5] = -1 ^ 1;
    uint32_t thirds = 0, equal = 0;
    for (int u = 0; u < 32; u++) {
      o[0] &= in[u] > 3;
      o[1] |= in[u] == 40;
      if (in[u] % 3 == 0) thirds |= 1u << u;
      if (in[u] % 5 == in[t] % 5) equal |= 1u << u;
    }
    o[2] = (int)thirds;
    o[4] = (int)equal;
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
    r[5] &= v;
    r[6] |= v;
    r[7] ^= v;
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

int main (void) { return run_with_teams(test_warp); }
