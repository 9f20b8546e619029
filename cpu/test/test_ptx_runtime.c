/* test_ptx_runtime.c: functions that a kernel may call without defining them (printf, assert,
 * malloc), and faults. */
#include "ptx_exec_check.h"

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
      snprintf(line, sizeof line, "block %d thread %d: %5.2f|%-6s|%c|%lld|0xff|%%\n", b, t, 1.5 * t,
               t & 1 ? "odd" : "even", 'a' + t, -1234567890123ll - 255);
      missing += strstr(x.printed, line) == NULL;
    }
  CHECK(missing == 0, "%d lines missing", missing);
  x.printed_len = 0;
  int *returned = ints(3);
  l = fix_launch(&x, m, "formats", 1, 32);
  must(fix_run(&l, &f, 1, ARG(returned)), "formats");
  char want[400];
  snprintf(want, sizeof want,
           "[%6d][%-8.3s][%+.3e][%05d][%d][%d][%llu][%p]\nplain\nLocal %%y 0.25\n", 42, "abcdef",
           12345.678, -42, (signed char)300, (unsigned short)70000, 1ull << 40, (void *)0);
  CHECK(strcmp(x.printed, want) == 0, "printed\n%swanted\n%s", x.printed, want);
  CHECK(returned[0] == 10 && returned[1] == 0 && returned[2] == 2, "%d %d %d", returned[0],
        returned[1], returned[2]);
}

/* A text printed with a precision may end at the end of its variable, without a NUL. */
static void test_open_text (ptx_module *m) {
  ptx_fault f;
  x.printed_len = 0;
  ptx_launch l = fix_launch(&x, m, "open_text", 1, 1);
  must(fix_run(&l, &f, 0), "open_text");
  CHECK(strcmp(x.printed, "[end]\n") == 0, "printed %s", x.printed);
}

/* A format that is not a text is a fault of the kernel. */
static void test_null_format (ptx_module *m) {
  ptx_fault f;
  ptx_launch l = fix_launch(&x, m, "print_by", 1, 32);
  CHECK(fix_run(&l, &f, 1, ARG(NULL)) == LCU_E_FAULT && f.kind == PTX_FAULT_PRINTF, "%s: %s",
        ptx_fault_kind_name(f.kind), f.message);
}

static void test_asserts (ptx_module *m) {
  ptx_fault f;
  int *in = ints(64);
  in[37] = 99;
  ptx_launch l = fix_launch(&x, m, "asserts", 1, 64);
  lcu_status s = fix_run(&l, &f, 1, ARG(in));
  CHECK(s == LCU_E_FAULT && f.kind == PTX_FAULT_ASSERT && f.thread[0] == 37 && f.line == 23 &&
          strstr(f.file, "runtime.cu") != NULL,
        "%s %s:%d thread %u", ptx_fault_kind_name(f.kind), f.file, f.line, f.thread[0]);
  const char *want =
    "block: [0,0,0], thread: [37,0,0] Assertion `in[threadIdx.x] < 50 && \"too large\"` failed.";
  CHECK(strstr(f.message, want) != NULL && strstr(f.message, "runtime.cu:23: ") != NULL, "%s",
        f.message);
  CHECK(strcmp(lcu_failure_get()->message, f.message) == 0, "%s", lcu_failure_get()->message);
}

static void test_faults (ptx_module *m) {
  ptx_fault f;
  int *in = ints(64), *p = ints(100);
  in[41] = 40;
  ptx_launch l = fix_launch(&x, m, "traps", 1, 64);
  lcu_status s = fix_run(&l, &f, 1, ARG(in));
  CHECK(s == LCU_E_FAULT && f.kind == PTX_FAULT_TRAP && f.thread[0] == 41 && f.line == 27, "%s",
        f.message);
  l = fix_launch(&x, m, "outside", 200, 64);
  s = fix_run(&l, &f, 2, ARG(p), (uint64_t)12800);
  CHECK(s == LCU_E_FAULT && f.kind == PTX_FAULT_OUT_OF_BOUNDS && f.block[0] == 1 &&
          f.thread[0] == 36,
        "%s", f.message);
  CHECK(f.line == 45 && f.write && f.bytes == 4 && f.nearest.size == 400, "%s", f.message);
  CHECK(strstr(f.message, "runtime.cu:45") != NULL && strstr(f.message, "400 bytes") != NULL, "%s",
        f.message);
}

static void test_heap (ptx_module *m) {
  ptx_fault f;
  int **slots = fix_add(&x, 64 * sizeof *slots, false), *out = ints(64), want[64], live = 0;
  for (int t = 0; t < 64; t++) {
    int u = (t + 1) % 64;
    want[t] = u * (u * (u + 1) / 2);
  }
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
  test_open_text(m);
  test_null_format(m);
  test_asserts(m);
  test_faults(m);
  test_heap(m);
  ptx_module_free(m);
  fix_clear(&x);
}

int main (void) { return run_with_teams(test_runtime); }
