/* test_ptx_launch.c: launches: refused shapes, counters, blocks that wait for each other, running
 * out of memory, several threads in parallel. */
#include "ptx_exec_check.h"

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

/* All blocks of a grid that fits wait for each other: no worker may have claimed one that it has no
 * room to start. Each of three has room for 80. */
static void test_blocks_that_meet (void) {
  static const char text[] =
    ".version 7.8\n.target sm_80\n.address_size 64\n"
    ".visible .entry meet(.param .u64 out)\n{\n  .reg .pred %p<2>;\n  .reg .b32 %r<3>;\n"
    "  .reg .b64 %rd<2>;\n  ld.param.u64 %rd1, [out];\n  atom.global.add.u32 %r1, [%rd1], 1;\n"
    "AGAIN:\n  ld.volatile.global.u32 %r2, [%rd1];\n  setp.lt.u32 %p1, %r2, 240;\n"
    "  @%p1 bra AGAIN;\n  ret;\n}\n";
  ptx_module *m = NULL;
  ptx_fault f;
  lcu_team *team = NULL;
  must(ptx_module_load(text, sizeof text - 1, &x.host, &m), "meet");
  must(lcu_team_create(3, &team), "a team");
  int *out = ints(1);
  ptx_launch l = fix_launch(&x, m, "meet", 240, 1);
  l.max_resident_blocks = 240;
  l.team = team;
  must(fix_run(&l, &f, 1, ARG(out)), "blocks that meet");
  CHECK(*out == 240, "%d", *out);
  lcu_team_destroy(team);
  ptx_module_free(m);
  fix_clear(&x);
}

/* The memory of a run is released whatever happens. */
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
    other.block[0] = 32 + (uint32_t)n % 2 * 32; /* another shape: no kept memory fits */
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
  ptx_launch l = { .kernel = ptx_module_kernel(m, "fibs"),
                   .grid = { 3, 1, 1 },
                   .block = { 64, 1, 1 },
                   .params = params,
                   .max_resident_blocks = 4,
                   .stack_bytes = 4096 };
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
  for (int k = 0; k < THREADS; k++)
    CHECK(pthread_create(&threads[k], NULL, run_many, m) == 0, "thread %d", k);
  for (int k = 0; k < THREADS; k++) {
    void *wrong;
    pthread_join(threads[k], &wrong);
    CHECK(wrong == NULL, "thread %d: %ld wrong results", k, (long)wrong);
  }
  ptx_module_free(m);
  fix_clear(&x);
}

static void run_all (void) {
  test_launches();
  test_blocks_that_meet();
  test_no_memory();
  test_threads();
}

int main (void) { return run_with_teams(run_all); }
