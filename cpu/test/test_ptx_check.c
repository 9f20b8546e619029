/* test_ptx_check.c: hangs and their messages; errors that only `all` checks find. */
#include "ptx_exec_check.h"
#include "ptx_fault.h"

/* ---- hangs */

static void expect_hang (ptx_module *m, const char *kernel, uint32_t block, ptx_fault_kind kind,
                         const char *text, int line) {
  ptx_fault f;
  int *p = ints(256);
  ptx_launch l = fix_launch(&x, m, kernel, 1, block);
  lcu_status s = fix_run(&l, &f, 1, ARG(p));
  CHECK(s == LCU_E_FAULT && f.kind == kind, "%s: %s", kernel, f.message);
  CHECK(strstr(f.message, text) != NULL && (line == 0 || f.line == line),
        "%s at line %d:\n  %s\nshould have\n  %s", kernel, f.line, f.message, text);
}

static void test_hangs (void) {
  ptx_module *m = fix_module(&x, "hang");
  if (m == NULL) return;
  expect_hang(m, "half_barrier", 64, PTX_FAULT_DEADLOCK,
              "block (0,0,0): threads 0-31 wait at barrier 1 for 128 threads (hang.cu:6); threads "
              "32-63 ended",
              6);
  expect_hang(m, "two_barriers", 64, PTX_FAULT_DEADLOCK,
              "threads 0-31 wait at barrier 1 for 64 threads (hang.cu:14); threads 32-63 wait at "
              "barrier 2 for 64 threads (hang.cu:16)",
              14);
  expect_hang(
    m, "missing_lane", 32, PTX_FAULT_DEADLOCK,
    "wait in shfl.sync.bfly.b32 for the other threads of member mask 0xffffffff (hang.cu:23)", 0);
  expect_hang(m, "nobody_stores", 96, PTX_FAULT_LIVELOCK, "threads 0-95 loop (hang.cu:29)", 29);
  expect_hang(m, "not_volatile", 64, PTX_FAULT_LIVELOCK,
              "threads 0-31 loop (hang.cu:42); threads 32-63 wait at barrier 0 (hang.cu:41)", 42);
  expect_hang(m, "lock_twice", 64, PTX_FAULT_LIVELOCK,
              "thread 0 loops (hang.cu:36); threads 1-63 ended", 36);
  ptx_module_free(m);
  fix_clear(&x);
}

/* ---- all checks on */

static lcu_status run_checked (ptx_module *m, const char *kernel, int *out, ptx_fault *f) {
  ptx_launch l = fix_launch(&x, m, kernel, 1, 64);
  l.check = PTX_CHECK_ALL;
  return fix_run(&l, f, 1, ARG(out));
}

static void expect_found (ptx_module *m, const char *kernel, ptx_fault_kind kind, const char *text,
                          int line) {
  ptx_fault f;
  int *out = ints(128);
  ptx_launch l = fix_launch(&x, m, kernel, 2, 64);
  must(fix_run(&l, &f, 1, ARG(out)), kernel);
  lcu_status s = run_checked(m, kernel, out, &f);
  CHECK(s == LCU_E_FAULT && f.kind == kind && strstr(f.message, text) != NULL &&
          (line == 0 || f.line == line),
        "%s: line %d: %s", kernel, f.line, f.message);
}

/* Correct kernels give the same results as without the checks. */
static void test_clean (ptx_module *m) {
  ptx_fault f;
  int *out = ints(128), want[65];
  for (int t = 0; t < 64; t++) want[t] = t < 32 ? (t ^ 1) + (t ^ 1) + 32 + 64 : 63 - t;
  want[4] += 94;
  want[64] = 99;
  must(run_checked(m, "clean", out, &f), "clean");
  same(out, want, 65, "clean");
}

static void expect_clean (ptx_module *m, const char *kernel) {
  ptx_fault f;
  must(run_checked(m, kernel, ints(128), &f), kernel);
}

/* Half of the threads wait in the first round of a loop, the others in the second: these have
 * passed the barrier and return to it. */
static void test_way_back (void) {
  static const char text[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k (.param .u64 p0)\n{\n"
    ".reg .b32 %r<4>; .reg .pred %p<2>; .shared .b32 sm[64];\n"
    "mov.u32 %r0, %tid.x; and.b32 %r1, %r0, 1; mov.u32 %r2, 0;\n"
    "LOOP: setp.ne.u32 %p0, %r1, %r2; @%p0 bra SKIP; bar.sync 0;\n"
    "SKIP: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 2; @%p1 bra LOOP;\nret;\n}\n";
  ptx_module *m = NULL;
  ptx_fault f;
  must(ptx_module_load(text, sizeof text - 1, &x.host, &m), "text");
  if (m == NULL) return;
  ptx_launch l = fix_launch(&x, m, "k", 2, 64);
  l.check = PTX_CHECK_ALL;
  must(fix_run(&l, &f, 1, UINT64_C(0)), "each thread waits once, in one of two rounds");
  ptx_module_free(m);
}

static void test_checks (void) {
  ptx_module *m = fix_module(&x, "check");
  if (m == NULL) return;
  expect_found(m, "forgot_barrier", PTX_FAULT_UNINITIALIZED,
               "which no thread of the block has written", 7);
  /* either warp can be the second */
  expect_found(m, "overwrites", PTX_FAULT_RACE, "which no barrier orders after the", 0);
  expect_found(m, "never_written", PTX_FAULT_UNINITIALIZED, "offset 0x0", 24);
  expect_found(m, "two_places", PTX_FAULT_BARRIER, "at different places", 0);
  expect_found(m, "other_byte", PTX_FAULT_RACE, "byte at offset 0x2 (byte 2 of `s`), ", 0);
  expect_found(
    m, "count_before_init", PTX_FAULT_RACE,
    "atomic of the shared byte at offset 0x0 (byte 0 of `count`), which no barrier orders after "
    "the write at",
    0);
  expect_found(m, "read_while_counting", PTX_FAULT_RACE,
               "byte at offset 0x0 (byte 0 of `count`), which", 0);
  expect_found(m, "reset_while_counting", PTX_FAULT_RACE,
               "byte at offset 0x0 (byte 0 of `count`), which", 0);
  expect_found(m, "two_warps_two_places", PTX_FAULT_BARRIER,
               "threads of one block reach barrier 0 at different places", 0);
  test_clean(m);
  expect_clean(m, "own_bytes");
  expect_clean(m, "last_one");
  expect_clean(m, "acquire_release");
  expect_clean(m, "early_return");
  expect_clean(m, "early_return_with_error");
  expect_clean(m, "some_lanes");
  expect_clean(m, "one_warp");
  expect_clean(m, "some_lanes_in_a_loop");
  expect_clean(m, "some_lanes_call");
  expect_clean(m, "diverged_before");
  expect_clean(m, "not_aligned");
  expect_clean(m, "roles");
  test_way_back();
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

/* ---- names of variables in reports */

static void expect_name (const char *mangled, const char *want) {
  const ptx_variable v = { .name = mangled };
  char got[64];
  ptx_variable_name(&v, got, sizeof got);
  CHECK(strcmp(got, want) == 0, "%s: %s, not %s", mangled, got, want);
}

/* Shared variables of functions as NVRTC 13.0 mangles them: after these, whatever their names. */
static void test_local_names (void) {
  static const char *const functions[] = {
    "2k0v",
    "8k8_writeP5uint4i",
    "2k26float4PS_7double22P4",
    "2k3PA4_fPA16_fP2P4S4_",
    "2tkILi3EfEvPT0_N3ns24Box9IS0_XT_EEE",
    "2tkILi12EN3ns22V3EEvPT0_NS0_4Box9IS2_XT_EEE",
    "2enIL6Color21EL3Hue1ELb1ELj7EEvPi2P4",
    "2pkIJi2P4P5uint3EEvDpT_",
    "3negILin21EEvPKN3ns22V3ES3_",
    "N3ns26inner32nkEPNS_2V3Ei",
  };
  static const char *const names[] = { "a",   "E",    "b2",   "_u3",  "x1a",
                                       "E1a", "iE1a", "t12x", "S1_x", "much_longer_than_9" };
  static const char *const ends[] = { "", "_0", "_12" };
  char mangled[256];
  for (size_t f = 0; f < lcu_arraylen(functions); f++)
    for (size_t k = 0; k < lcu_arraylen(names); k++)
      for (size_t e = 0; e < lcu_arraylen(ends); e++) {
        snprintf(mangled, sizeof mangled, "_ZZ%sE%zu%s%s", functions[f], strlen(names[k]), names[k],
                 ends[e]);
        expect_name(mangled, names[k]);
      }
}

static void test_names (void) {
  test_local_names();
  expect_name("plain", "plain");
  expect_name("table16", "table16");
  expect_name("_ZL4coef", "coef");
  expect_name("_ZN3ns26in_ns4E", "in_ns4");
  expect_name("_ZN3ns27field_1E", "field_1");
  expect_name("_ZN50_INTERNAL_00000000_19_ac2ddb50a547917f_cu_3df94e623ns25stat5E", "stat5");
  expect_name("_Z99999999999999999999a", "_Z99999999999999999999a");
}

static void run_all (void) {
  test_names();
  test_hangs();
  test_checks();
}

int main (void) { return run_with_teams(run_all); }
