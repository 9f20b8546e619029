/* test_ptx_jit.c: random kernels, interpreted and compiled, must store the same bits: nests of
 * conditions and loops, integers, floats, loads and stores at all kinds of addresses, blocks of
 * several shapes, whole and partial warps.
 *
 * test_ptx_jit [NUMBER [SEED]]: so many programs, from this seed on. Without libLLVM there is
 * nothing to test. */
#include "ptx_fixture.h"
#include "ptx_jit.h"
#include "ptx_jit_llvm.h"
#include "ptx_module.h"

enum { BLOCKS = 2, INTS = 256, MOST_THREADS = 96, WORDS = 16, DEPTH = 3 };
enum { SHARED_WORDS = 1536 };

static fixture x;

typedef struct generator {
  uint32_t state;
  int labels, loops;
  uint32_t block[3], threads;
  lcu_buf text;
} generator;

static uint32_t pick (generator *g, uint32_t n) {
  g->state = g->state * 1664525u + 1013904223u;
  return (g->state >> 10) % n;
}

static void line (generator *g, const char *fmt, ...) {
  char buffer[256];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(buffer, sizeof buffer, fmt, ap);
  va_end(ap);
  lcu_buf_addf(&g->text, "  %s\n", buffer);
}

/* ---- statements ---- */

static void integer (generator *g) {
  static const char *const two[] = { "add.s32",    "sub.s32", "mul.lo.s32", "mul.hi.u32", "and.b32",
                                     "or.b32",     "xor.b32", "shl.b32",    "shr.u32",    "shr.s32",
                                     "min.s32",    "max.u32", "div.u32",    "div.s32",    "rem.u32",
                                     "mul.hi.s32", "rem.s32", "min.u32" };
  static const char *const three[] = { "mad.lo.s32", "shf.l.wrap.b32", "shf.r.wrap.b32", "bfe.s32",
                                       "prmt.b32",   "mad.hi.u32",     "sad.s32" };
  static const char *const one[] = { "neg.s32",  "not.b32", "abs.s32",
                                     "popc.b32", "clz.b32", "brev.b32" };
  uint32_t d = pick(g, 8), a = pick(g, 10), b = pick(g, 10), c = pick(g, 10);
  switch (pick(g, 6)) {
    case 0: line(g, "%s %%r%u, %%r%u, %%r%u, %%r%u;", three[pick(g, 7)], d, a, b, c); break;
    case 1: line(g, "%s %%r%u, %%r%u;", one[pick(g, 6)], d, a); break;
    case 2: line(g, "lop3.b32 %%r%u, %%r%u, %%r%u, %%r%u, %u;", d, a, b, c, pick(g, 256)); break;
    case 3: line(g, "%s %%r%u, %%r%u, %d;", two[pick(g, 18)], d, a, (int)pick(g, 40) - 3); break;
    default: line(g, "%s %%r%u, %%r%u, %%r%u;", two[pick(g, 18)], d, a, b); break;
  }
}

static void floating (generator *g) {
  static const char *const two[] = { "add.f32",     "sub.f32",     "mul.f32",     "min.f32",
                                     "max.f32",     "add.ftz.f32", "mul.ftz.f32", "div.rn.f32",
                                     "add.sat.f32", "mul.rz.f32" };
  static const char *const one[] = { "neg.f32",        "abs.f32",        "sqrt.rn.f32",
                                     "rcp.rn.f32",     "ex2.approx.f32", "cvt.rmi.f32.f32",
                                     "cvt.rni.f32.f32" };
  uint32_t d = pick(g, 4), a = pick(g, 4), b = pick(g, 4), c = pick(g, 4);
  switch (pick(g, 6)) {
    case 0: line(g, "fma.rn.f32 %%f%u, %%f%u, %%f%u, %%f%u;", d, a, b, c); break;
    case 1: line(g, "%s %%f%u, %%f%u;", one[pick(g, 7)], d, a); break;
    case 2: line(g, "cvt.rn.f32.s32 %%f%u, %%r%u;", d, pick(g, 10)); break;
    case 3: line(g, "cvt.rzi.s32.f32 %%r%u, %%f%u;", pick(g, 8), a); break;
    case 4: line(g, "cvt.rni.u32.f32 %%r%u, %%f%u;", pick(g, 8), a); break;
    default: line(g, "%s %%f%u, %%f%u, %%f%u;", two[pick(g, 10)], d, a, b); break;
  }
}

static void wide (generator *g) {
  uint32_t d = pick(g, 3), a = pick(g, 3), r = pick(g, 10);
  switch (pick(g, 5)) {
    case 0: line(g, "mul.wide.s32 %%rd%u, %%r%u, %%r%u;", d, r, pick(g, 10)); break;
    case 1: line(g, "add.s64 %%rd%u, %%rd%u, %%rd%u;", d, a, pick(g, 3)); break;
    case 2: line(g, "shr.s64 %%rd%u, %%rd%u, %%r%u;", d, a, r); break;
    case 3: line(g, "cvt.u32.u64 %%r%u, %%rd%u;", pick(g, 8), a); break;
    default: line(g, "cvt.s64.s32 %%rd%u, %%r%u;", d, r); break;
  }
}

/* A word of shared memory by a number that is known for each lane, or not at all: all addresses of
 * 64 words more are the block's. */
static void shared_index (generator *g) {
  uint32_t r = pick(g, 3) == 0 ? pick(g, 10) : 10 + pick(g, 2) * 5;
  switch (pick(g, 5)) {
    case 0: line(g, "xor.b32 %%r12, %%r%u, %u;", r, pick(g, 64)); break;
    case 1: line(g, "mul.lo.s32 %%r12, %%r%u, %u;", r, pick(g, 5)); break;
    case 2: line(g, "sub.s32 %%r12, %u, %%r%u;", 31 + pick(g, 40), r); break;
    case 3:
      line(g, "and.b32 %%r12, %%r%u, %u;", r, (1u << pick(g, 6)) - 1);
      line(g, "sub.s32 %%r12, %%r%u, %%r12;", r);
      line(g, "add.s32 %%r12, %%r12, %%r%u;", r);
      break;
    default: line(g, "add.s32 %%r12, %%r%u, %%r16;", r); break;
  }
  if (pick(g, 2)) line(g, "and.b32 %%r12, %%r12, 255;");
  else {
    line(g, "and.b32 %%r12, %%r12, 31;");
    line(g, "add.s32 %%r12, %%r12, %u;", pick(g, 200));
  }
  line(g, "shl.b32 %%r12, %%r12, 2;");
  line(g, "add.s32 %%r12, %%r12, %%r14;");
}

static void shared_access (generator *g) {
  uint32_t r = pick(g, 10), d = pick(g, 8);
  shared_index(g);
  uint32_t imm = 4 * pick(g, 64);
  switch (pick(g, 6)) {
    case 0:
      line(g, "and.b32 %%r12, %%r12, -16;");
      line(g, "ld.shared.v4.u32 {%%r%u, %%r%u, %%r%u, %%r%u}, [%%r12];", d, (d + 1) % 8,
           (d + 3) % 8, (d + 5) % 8);
      break;
    case 1:
      line(g, "and.b32 %%r12, %%r12, -8;");
      line(g, "st.shared.v2.u32 [%%r12+%u], {%%r%u, %%r%u};", imm & ~7u, d, r);
      break;
    case 2: line(g, "st.shared.u%u [%%r12+%u], %%r%u;", 8u << pick(g, 3), imm, r); break;
    case 3:
      line(g, "and.b32 %%r12, %%r12, -8;");
      line(g, pick(g, 2) ? "ld.shared.u64 %%rd%u, [%%r12];" : "st.shared.u64 [%%r12], %%rd%u;",
           pick(g, 3));
      break;
    default: line(g, "ld.shared.u%u %%r%u, [%%r12+%u];", 8u << pick(g, 3), d, imm); break;
  }
}

/* The thread's own words, 64 bytes in a row. */
static void own_words (generator *g) {
  uint32_t d = pick(g, 8), r = pick(g, 10);
  switch (pick(g, 5)) {
    case 0: line(g, "st.global.v2.u32 [%%rd9], {%%r%u, %%r%u};", r, d); break;
    case 1: line(g, "st.global.u64 [%%rd9], %%rd%u;", pick(g, 3)); break;
    case 2: line(g, "ld.global.v2.u32 {%%r%u, %%r%u}, [%%rd9];", d, (d + 1) % 8); break;
    case 3: line(g, "ld.global.u64 %%rd%u, [%%rd9];", pick(g, 3)); break;
    default: line(g, "st.global.u%u [%%rd9+%u], %%r%u;", 8u << pick(g, 2), 4 * pick(g, 2), r);
  }
}

/* ints[index & 255], whatever the lanes hold; the thread's own words; shared[index]. */
static void memory (generator *g) {
  uint32_t r = pick(g, 10), d = pick(g, 8);
  switch (pick(g, 12)) {
    case 5: own_words(g); break;
    case 0:
    case 1:
      line(g, "and.b32 %%r12, %%r%u, 255;", r);
      line(g, "mul.wide.u32 %%rd8, %%r12, 4;");
      line(g, "add.s64 %%rd8, %%rd6, %%rd8;");
      line(g, "ld.global.u32 %%r%u, [%%rd8];", d);
      break;
    case 2: line(g, "ld.global.u%u %%r%u, [%%rd7+%u];", 8u << pick(g, 3), d, 4 * pick(g, 2)); break;
    case 3: line(g, "st.global.u32 [%%rd9+%u], %%r%u;", 4 * pick(g, 2), r); break;
    case 4:
      line(g, "st.shared.u32 [%%r13], %%r%u;", r);
      line(g, "ld.shared.u32 %%r%u, [%%r13];", d);
      break;
    default: shared_access(g); break;
  }
}

static void predicate (generator *g, uint32_t p) {
  static const char *const how[] = { "lt.s32", "eq.s32", "gt.u32", "ne.s32", "le.s32" };
  uint32_t a = pick(g, 10);
  if (pick(g, 5) == 0) line(g, "setp.lt.f32 %%p%u, %%f%u, %%f%u;", p, pick(g, 4), pick(g, 4));
  else if (pick(g, 3) == 0) line(g, "setp.lt.s32 %%p%u, %%r%u, 30;", p, 8 + pick(g, 2));
  else line(g, "setp.%s %%p%u, %%r%u, %%r%u;", how[pick(g, 5)], p, a, pick(g, 10));
}

static void guarded (generator *g) {
  predicate(g, 1);
  line(g, "selp.b32 %%r%u, %%r%u, %%r%u, %%p1;", pick(g, 8), pick(g, 10), pick(g, 10));
  line(g, "@%s%%p1 add.s32 %%r%u, %%r%u, 7;", pick(g, 2) ? "!" : "", pick(g, 8), pick(g, 10));
  line(g, "@%%p1 ld.global.u32 %%r%u, [%%rd7];", pick(g, 8));
}

static void statements (generator *g, int depth, int leave);

static void condition (generator *g, int depth, int leave) {
  int label = g->labels++;
  predicate(g, 0);
  line(g, "@%%p0 bra ELSE%d;", label);
  statements(g, depth - 1, leave);
  line(g, "bra.uni END%d;", label);
  lcu_buf_addf(&g->text, "ELSE%d:\n", label);
  statements(g, depth - 1, leave);
  lcu_buf_addf(&g->text, "END%d:\n", label);
}

/* At most 7 rounds: as many in all lanes, or as the thread's number says. */
static void loop (generator *g, int depth) {
  int label = g->labels++, counter = 20 + g->loops++;
  line(g, "and.b32 %%r%d, %%r%u, 7;", counter, pick(g, 2) ? 8u : 9u);
  lcu_buf_addf(&g->text, "LOOP%d:\n", label);
  line(g, "setp.le.s32 %%p2, %%r%d, 0;", counter);
  line(g, "@%%p2 bra OUT%d;", label);
  line(g, "sub.s32 %%r%d, %%r%d, 1;", counter, counter);
  line(g, "add.s32 %%r%u, %%r%u, %%r%d;", pick(g, 8), pick(g, 8), counter);
  statements(g, depth - 1, label);
  line(g, "bra.uni LOOP%d;", label);
  lcu_buf_addf(&g->text, "OUT%d:\n", label);
}

/* A block of a few operations that a branch skips. */
static void skipped (generator *g) {
  int label = g->labels++;
  predicate(g, 0);
  line(g, "@%s%%p0 bra END%d;", pick(g, 2) ? "!" : "", label);
  for (uint32_t n = 1 + pick(g, 3); n > 0; n--) {
    if (pick(g, 3) == 0) integer(g);
    else memory(g);
  }
  lcu_buf_addf(&g->text, "END%d:\n", label);
}

static void statements (generator *g, int depth, int leave) {
  for (uint32_t n = 2 + pick(g, 4); n > 0; n--) {
    uint32_t kind = pick(g, 18);
    if (kind < 4) integer(g);
    else if (kind < 6) floating(g);
    else if (kind < 7) wide(g);
    else if (kind < 10) memory(g);
    else if (kind < 12) skipped(g);
    else if (kind == 12) guarded(g);
    else if (kind == 13 && leave >= 0) {
      predicate(g, 3);
      line(g, "@%%p3 bra OUT%d;", leave);
    } else if (depth > 0 && kind < 16) condition(g, depth, leave);
    else if (depth > 0) loop(g, depth);
  }
}

static void program (generator *g) {
  lcu_buf_adds(&g->text, ".version 7.8\n.target sm_80\n.address_size 64\n"
                         ".visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)\n{\n"
                         "  .reg .pred %p<4>;\n  .reg .b32 %r<90>;\n  .reg .f32 %f<8>;\n"
                         "  .reg .b64 %rd<12>;\n  .shared .align 16 .b8 mine[6144];\n");
  line(g, "mov.u32 %%r15, %%tid.x;");
  line(g, "mov.u32 %%r16, %%tid.y;");
  line(g, "mov.u32 %%r17, %%ntid.x;");
  line(g, "mad.lo.s32 %%r10, %%r16, %%r17, %%r15;");
  line(g, "mov.u32 %%r11, %%ctaid.x;");
  line(g, "mad.lo.s32 %%r9, %%r11, %u, %%r10;", g->threads);
  line(g, "ld.param.u32 %%r8, [n];");
  line(g, "ld.param.u64 %%rd6, [in];");
  line(g, "ld.param.u64 %%rd10, [out];");
  line(g, "mul.wide.s32 %%rd11, %%r9, 4;");
  line(g, "add.s64 %%rd7, %%rd6, %%rd11;");
  line(g, "mul.wide.s32 %%rd11, %%r9, %d;", WORDS * 4);
  line(g, "add.s64 %%rd9, %%rd10, %%rd11;");
  line(g, "mov.u32 %%r14, mine;");
  line(g, "mad.lo.s32 %%r13, %%r10, 4, %%r14;");
  for (uint32_t k = 0; k < 8; k++)
    line(g, pick(g, 2) ? "add.s32 %%r%u, %%r9, %u;" : "add.s32 %%r%u, %%r8, %u;", k, pick(g, 99));
  for (uint32_t k = 0; k < 4; k++) line(g, "cvt.rn.f32.s32 %%f%u, %%r%u;", k, k);
  for (uint32_t k = 0; k < 3; k++) line(g, "cvt.s64.s32 %%rd%u, %%r%u;", k, k);
  for (uint32_t k = 0; k < SHARED_WORDS / g->threads + 1; k++) { /* nothing is as it was */
    line(g, "mad.lo.s32 %%r12, %%r10, 4, %u;", k * g->threads * 4);
    line(g, "min.u32 %%r12, %%r12, %u;", SHARED_WORDS * 4 - 4);
    line(g, "add.s32 %%r18, %%r12, %%r14;");
    line(g, "st.shared.u32 [%%r18], %%r12;");
  }
  line(g, "bar.sync 0;");
  line(g, "shr.u32 %%r12, %%r10, 5;"); /* warps run in any order: each has its own words */
  line(g, "mad.lo.s32 %%r14, %%r12, %d, %%r14;", SHARED_WORDS * 4 / 3);
  line(g, "mad.lo.s32 %%r13, %%r10, 4, %%r14;");
  statements(g, DEPTH, -1);
  line(g, "bar.sync 0;");
  statements(g, DEPTH - 1, -1);
  for (uint32_t k = 0; k < 8; k++) line(g, "st.global.u32 [%%rd9+%u], %%r%u;", 8 + k * 4, k);
  for (uint32_t k = 0; k < 4; k++) { /* which NaN it is depends on the order of operands */
    line(g, "setp.nan.f32 %%p0, %%f%u, %%f%u;", k, k);
    line(g, "mov.b32 %%r12, %%f%u;", k);
    line(g, "selp.b32 %%r12, 1, %%r12, %%p0;");
    line(g, "st.global.u32 [%%rd9+%u], %%r12;", 40 + k * 4);
  }
  line(g, "ret;");
  lcu_buf_adds(&g->text, "}\n");
}

/* ---- both ways ---- */

static int *ints (int n) { return fix_add(&x, (uint64_t)n * 4, false); }

static int *inputs (generator *g) {
  int *p = ints(INTS);
  for (int i = 0; i < INTS; i++) p[i] = (int)(pick(g, 1 << 20) << (i % 12)) - 500;
  return p;
}

static bool run (const generator *g, bool compile, int *in, int *out) {
  ptx_module *m = NULL;
  ptx_fault fault = { 0 };
  lcu_status s = ptx_module_load(g->text.data, g->text.len, &x.host, &m);
  CHECK(s == LCU_OK, "%s\n%s", lcu_failure_get()->message, g->text.data);
  if (s != LCU_OK) return false;
  ptx_launch l = fix_launch(&x, m, "k", BLOCKS, g->threads);
  memcpy(l.block, g->block, sizeof l.block);
  l.livelock_ms = 5000;
  l.compile = compile;
  s = fix_run(&l, &fault, 3, (uint64_t)(uintptr_t)in, (uint64_t)(uintptr_t)out, (uint64_t)5);
  CHECK(s == LCU_OK, "%s %s", lcu_failure_get()->message, fault.message);
  bool compiled = ptx_jit_of(l.kernel->function->code, ptx_block_class_of(l.block)) != NULL;
  CHECK(compiled == compile, "it was %scompiled", compiled ? "" : "not ");
  ptx_module_free(m);
  return s == LCU_OK;
}

static void compare (uint32_t seed) {
  enum { OUT = MOST_THREADS * BLOCKS * WORDS };
  static const uint32_t shapes[][2] = { { 80, 1 }, { 16, 5 }, { 32, 3 }, { 24, 3 },
                                        { 64, 1 }, { 16, 4 }, { 12, 1 } };
  static int want[OUT];
  generator g = { .state = seed, .block = { 0, 0, 1 } };
  memcpy(g.block, shapes[seed % lcu_arraylen(shapes)], sizeof shapes[0]);
  g.threads = g.block[0] * g.block[1];
  program(&g);
  int *in = inputs(&g), *out = ints(OUT);
  bool ok = run(&g, false, in, out);
  memcpy(want, out, sizeof want);
  memset(out, 0, sizeof want);
  ok = ok && run(&g, true, in, out);
  int at = 0;
  while (ok && at < OUT && out[at] == want[at]) at++;
  CHECK(!ok || at == OUT, "seed %u: word %d of thread %d is %#x, interpreted %#x", seed, at % WORDS,
        at / WORDS, at < OUT ? (unsigned)out[at] : 0, at < OUT ? (unsigned)want[at] : 0);
  lcu_buf_free(&g.text);
}

int main (int argc, char **argv) {
  uint32_t number = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 8;
  uint32_t seed = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 1;
  if (ptx_jit_llvm_open() != LCU_OK) {
    printf("skipped: %s\n", lcu_failure_get()->message);
    return check_result();
  }
  for (uint32_t k = 0; k < number; k++) {
    fix_open(&x, 1);
    compare(seed + k);
    fix_close(&x);
  }
  return check_result();
}
