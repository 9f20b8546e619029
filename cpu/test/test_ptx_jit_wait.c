/* test_ptx_jit_wait.c: two warps that take turns: each waits for the other in a called function,
 * whose loop is interpreted, and stores in compiled code. However it stores, that is progress: no
 * livelock is reported. Without libLLVM there is nothing to test. */
#include "ptx_fixture.h"
#include "ptx_jit.h"
#include "ptx_jit_llvm.h"

static fixture x;

enum { LIVELOCK_MS = 1, TURNS = 10, ROUNDS = 12000, WORDS = 256, THREADS = 64 };

static const char head[] =
  ".version 7.8\n.target sm_80\n.address_size 64\n"
  ".func wait (.param .u64 turn, .param .u32 want)\n{\n"
  "  .reg .pred p; .reg .b32 v, w; .reg .b64 a;\n"
  "  ld.param.u64 a, [turn]; ld.param.u32 w, [want];\n"
  "AGAIN:\n  ld.volatile.global.u32 v, [a]; setp.ne.u32 p, v, w; @p bra AGAIN;\n  ret;\n}\n"
  ".visible .entry k(.param .u64 turn, .param .u64 list, .param .u32 rounds)\n{\n"
  "  .reg .pred more; .reg .b32 t, c, i, n, last, v, x;\n"
  "  .reg .b64 at, places, other, p, q, oc, ot, oq, aq;\n"
  "  ld.param.u64 at, [turn]; ld.param.u64 places, [list]; ld.param.u32 last, [rounds];\n"
  "  mov.u32 t, %tid.x; shr.u32 i, t, 5; xor.b32 c, i, 1; mul.wide.u32 oc, c, 128;\n"
  "  add.s64 other, at, oc; mul.wide.u32 ot, t, 4; add.s64 p, at, ot;\n"
  "  mul.wide.u32 oq, t, 8; add.s64 aq, places, oq; ld.global.u64 q, [aq];\n"
  "  mov.u32 x, t;\n";

/* Waits for the turn, computes (less than the scheduler takes for work), and ends the turn. A loop
 * around it would be one that waits, which is not compiled. */
static const char turn_text[] =
  "  { .param .u64 a; .param .u32 b; st.param.u64 [a], other; st.param.u32 [b], i;\n"
  "    call wait, (a, b); }\n"
  "  ld.global.u32 v, [p+256]; add.s32 n, i, 1; add.s32 i, i, 2; mov.u32 v, 0;\n"
  "NEXT%d:\n  mad.lo.s32 x, x, x, v; div.u32 x, x, last;\n  add.s32 v, v, 1;\n"
  "  setp.lt.u32 more, v, last;\n  @more bra NEXT%d;\n  %s\n";

static const char tail[] = "  st.global.u32 [p+512], x;\n  ret;\n}\n";

/* Thread t of both warps stores the number of the turn, n, in its word. Its address is p, and q, of
 * which nothing is known. A load before finds out which memory that is, which a handler does. */
static const struct {
  const char *how, *text;
} ways[] = {
  { "one run of words", "st.global.u32 [p], n;" },
  { "after a load that is checked with it", "ld.global.u32 v, [p+256]; st.global.u32 [p], n;" },
  { "at addresses that turn out to be a run", "ld.global.u32 v, [q+256]; st.global.u32 [q], n;" },
  { "by an atomic", "red.global.max.u32 [p], n;" },
  { "by an exchange", "ld.global.u32 v, [q+256]; atom.global.exch.b32 v, [q], n;" },
};

static ptx_module *load (const char *way) {
  ptx_module *m = NULL;
  lcu_buf text = { 0 };
  lcu_buf_adds(&text, head);
  for (int k = 0; k < TURNS; k++) lcu_buf_addf(&text, turn_text, k, k, way);
  lcu_buf_adds(&text, tail);
  CHECK(ptx_module_load(text.data, text.len, &x.host, &m) == LCU_OK, "%s",
        lcu_failure_get()->message);
  lcu_buf_free(&text);
  return m;
}

static void run (ptx_module *m, const char *how, uint32_t rounds) {
  uint32_t *turn = fix_add(&x, WORDS * sizeof *turn, false);
  uint64_t *places = fix_add(&x, THREADS * sizeof *places, false);
  ptx_launch l = fix_launch(&x, m, "k", 1, THREADS);
  ptx_fault fault;
  for (size_t i = 0; i < THREADS; i++) places[i] = ARG(&turn[i]);
  l.livelock_ms = LIVELOCK_MS;
  l.compile = PTX_JIT_FORCE;
  lcu_status st = fix_run(&l, &fault, 3, ARG(turn), ARG(places), (uint64_t)rounds);
  CHECK(st == LCU_OK && turn[THREADS - 1] == 2 * TURNS, "%s: %s", how, fault.message);
}

int main (void) {
  if (ptx_jit_llvm_open() != LCU_OK) {
    printf("skipped: %s\n", lcu_failure_get()->message);
    return check_result();
  }
  for (size_t k = 0; k < lcu_arraylen(ways); k++) {
    fix_open(&x, 1);
    ptx_module *m = load(ways[k].text);
    run(m, ways[k].how, 1); /* compiles */
    run(m, ways[k].how, ROUNDS);
    ptx_module_free(m);
    ptx_jit_rest();
    fix_close(&x);
  }
  return check_result();
}
