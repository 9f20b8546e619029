/* ptx_jit_program.h: random kernels in PTX, for test_ptx_jit: nests of conditions and loops of
 * everything that code is made for, or that is left to handlers. Whatever a program does, it does
 * the same in every run: warps touch only their own words between two barriers. */
#ifndef PTX_JIT_PROGRAM_H
#define PTX_JIT_PROGRAM_H

#include "ptx_jit_long.h"
#include "ptx_jit_statements.h"

/* ---- threads together ---- */

/* The lanes that are here. */
static void warp_operation (generator *g) {
  static const char *const moves[] = { "up", "down", "bfly", "idx" };
  static const char *const reduce[] = { "add.s32", "min.s32", "max.u32", "and.b32", "xor.b32" };
  static const char *const votes[] = { "any", "all", "uni" };
  uint32_t d = pick(g, 8), r = pick(g, 10), how = pick(g, 4);
  line(g, "activemask.b32 %%r19;");
  switch (pick(g, 6)) {
    case 0:
    case 1:
      line(g, "shfl.sync.%s.b32 %%r%u|%%p1, %%r%u, %u, %d, %%r19;", moves[how], d, r, pick(g, 32),
           how == 0 ? 0 : 31);
      line(g, "selp.b32 %%r%u, %%r%u, 77, %%p1;", d, d);
      break;
    case 2: line(g, "redux.sync.%s %%r%u, %%r%u, %%r19;", ONE_OF(g, reduce), d, r); break;
    case 3:
      predicate(g, 1);
      line(g, "vote.sync.%s.pred %%p3, %%p1, %%r19;", ONE_OF(g, votes));
      line(g, "selp.b32 %%r%u, %%r%u, 3, %%p3;", d, r);
      break;
    case 4:
      predicate(g, 1);
      line(g, "vote.sync.ballot.b32 %%r%u, %%p1, %%r19;", d);
      break;
    default:
      line(g, "and.b32 %%r18, %%r%u, 3;", r);
      line(g, "match.any.sync.b32 %%r%u, %%r18, %%r19;", d);
      break;
  }
}

/* What other warps wrote before a barrier. */
static void barrier (generator *g) {
  uint32_t d = pick(g, 8), r = pick(g, 10);
  if (pick(g, 3) == 0) {
    predicate(g, 1);
    line(g, "bar.red.popc.u32 %%r%u, 0, %%p1;", d);
    return;
  }
  line(g, "bar.sync 0;");
  line(g, "mov.u32 %%r18, mine;");
  line(g, "and.b32 %%r12, %%r%u, 1023;", r);
  line(g, "shl.b32 %%r12, %%r12, 2;");
  line(g, "add.s32 %%r12, %%r12, %%r18;");
  line(g, "ld.shared.u32 %%r%u, [%%r12];", d);
  line(g, "bar.sync 0;");
}

static void call (generator *g) {
  line(g, "{ .param .b32 x; .param .b32 y; .param .b32 z;");
  line(g, "st.param.b32 [x], %%r%u;", pick(g, 10));
  line(g, "st.param.b32 [y], %%r%u;", pick(g, 10));
  line(g, "call (z), mix, (x, y);");
  line(g, "ld.param.b32 %%r%u, [z]; }", pick(g, 8));
}

/* ---- statements ---- */

static void guarded (generator *g) {
  predicate(g, 1);
  line(g, "selp.b32 %%r%u, %%r%u, %%r%u, %%p1;", pick(g, 8), pick(g, 10), pick(g, 10));
  g->guard = pick(g, 2) ? "@%p1 " : "@!%p1 ";
  for (uint32_t n = 1 + pick(g, 2); n > 0; n--) {
    if (pick(g, 2)) arithmetic(g);
    else simple_access(g);
  }
  g->guard = "";
}

static void statements (generator *g, int depth, int leave);

static void condition (generator *g, int depth, int leave) {
  int label = g->labels++;
  bool together = g->together;
  g->together = false;
  predicate(g, 0);
  line(g, "@%%p0 bra ELSE%d;", label);
  statements(g, depth - 1, leave);
  line(g, "bra.uni END%d;", label);
  lcu_buf_addf(&g->text, "ELSE%d:\n", label);
  statements(g, depth - 1, leave);
  lcu_buf_addf(&g->text, "END%d:\n", label);
  g->together = together;
}

/* At most 7 rounds: the same number in all lanes, or what a register says. The counter is tested
 * before the body or, as compilers prefer, after it. In that case only the branch leads to the next
 * block. */
static void loop (generator *g, int depth) {
  int label = g->labels++, counter = 20 + g->loops++;
  bool together = g->together, same = pick(g, 2), behind = pick(g, 2);
  g->together &= same;
  line(g, "and.b32 %%r%d, %%r%u, 7;", counter, same ? 8u : pick(g, 10));
  lcu_buf_addf(&g->text, "LOOP%d:\n", label);
  if (!behind) {
    line(g, "setp.le.s32 %%p2, %%r%d, 0;", counter);
    line(g, "@%%p2 bra OUT%d;", label);
  }
  line(g, "sub.s32 %%r%d, %%r%d, 1;", counter, counter);
  line(g, "add.s32 %%r%u, %%r%u, %%r%d;", pick(g, 8), pick(g, 8), counter);
  statements(g, depth - 1, g->together || behind ? -1 : label);
  if (behind) {
    line(g, "setp.gt.s32 %%p2, %%r%d, 0;", counter);
    line(g, "@%%p2 bra LOOP%d;", label);
  } else {
    line(g, "bra.uni LOOP%d;", label);
    lcu_buf_addf(&g->text, "OUT%d:\n", label);
  }
  g->together = together;
}

/* A grid-stride loop, whose index differs by constants between lanes. In each round the threads
 * leave a loop within it after different numbers of steps. */
static void strided (generator *g) {
  int label = g->labels++, rounds = 20 + g->loops++, steps = 20 + g->loops++, index = rounds + 40;
  uint32_t d = pick(g, 8), limit = (1 + pick(g, 9)) << 28;
  line(g, "mov.b32 %%r%d, %u;", rounds, 2 + pick(g, 6));
  line(g, "mov.b32 %%r%d, %%r9;", index);
  lcu_buf_addf(&g->text, "STRIDE%d:\n", label);
  line(g, "mov.b32 %%r%d, 9;", steps);
  line(g, "add.s32 %%r%u, %%r%u, %%r%d;", d, d, index);
  lcu_buf_addf(&g->text, "STEP%d:\n", label);
  line(g, "mad.lo.s32 %%r%u, %%r%u, 1664525, 1013904223;", d, d);
  line(g, "sub.s32 %%r%d, %%r%d, 1;", steps, steps);
  line(g, "setp.gt.s32 %%p2, %%r%d, 0;", steps);
  line(g, "setp.ge.and.u32 %%p2, %%r%u, %u, %%p2;", d, limit);
  line(g, "@%%p2 bra STEP%d;", label);
  line(g, "xor.b32 %%r%u, %%r%u, %%r%d;", d, d, index);
  line(g, "add.s32 %%r%d, %%r%d, 192;", index, index);
  line(g, "sub.s32 %%r%d, %%r%d, 1;", rounds, rounds);
  line(g, "setp.gt.s32 %%p2, %%r%d, 0;", rounds);
  line(g, "@%%p2 bra STRIDE%d;", label);
}

/* A block of a few operations that a branch skips. */
static void skipped (generator *g) {
  int label = g->labels++;
  predicate(g, 0);
  line(g, "@%s%%p0 bra END%d;", pick(g, 2) ? "!" : "", label);
  for (uint32_t n = 1 + pick(g, 3); n > 0; n--) {
    if (pick(g, 3) == 0) arithmetic(g);
    else memory(g);
  }
  lcu_buf_addf(&g->text, "END%d:\n", label);
}

static void leave_loop (generator *g, int leave) {
  predicate(g, 3);
  line(g, "@%%p3 bra OUT%d;", leave);
}

static void statement (generator *g, int depth, int leave) {
  uint32_t kind = pick(g, g->faults ? 31 : 27);
  if (kind < 7) arithmetic(g);
  else if (kind < 12) memory(g);
  else if (kind < 14) skipped(g);
  else if (kind < 16) guarded(g);
  else if (kind < 18) warp_operation(g);
  else if (kind == 18 && g->together && !g->apart) barrier(g);
  else if (kind == 19 && leave >= 0) leave_loop(g, leave);
  else if (kind == 20) call(g);
  else if (kind < 23 && depth > 0) condition(g, depth, leave);
  else if (kind < 25 && depth > 0) loop(g, depth);
  else if (kind == 25) strided(g);
  else if (kind == 26) long_block(g);
  else if (g->faults) fault(g);
}

static void statements (generator *g, int depth, int leave) {
  for (uint32_t n = 1 + pick(g, 4); n > 0 && g->left > 0; n--) {
    g->left--;
    statement(g, depth, leave);
  }
}

/* ---- a program ---- */

static void begin (generator *g) {
  lcu_buf_adds(&g->text,
               ".version 7.8\n.target sm_90\n.address_size 64\n.file 1 \"random.cu\"\n"
               ".const .align 4 .b32 table[8] = {7, 11, 13, 17, 19, 23, 29, 31};\n"
               ".func (.param .b32 z) mix (.param .b32 x, .param .b32 y)\n{\n"
               "  .reg .pred %p<2>;\n  .reg .b32 %r<4>;\n  ld.param.b32 %r1, [x];\n"
               "  ld.param.b32 %r2, [y];\n  setp.lt.s32 %p1, %r1, %r2;\n  @%p1 bra SKIP;\n"
               "  mad.lo.s32 %r1, %r1, 31, %r2;\nSKIP:\n  xor.b32 %r1, %r1, %r2;\n"
               "  st.param.b32 [z], %r1;\n  ret;\n}\n"
               ".visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)\n{\n"
               "  .reg .pred %p<8>;\n  .reg .b32 %r<90>;\n  .reg .f32 %f<4>;\n"
               "  .reg .b32 %i<900>;\n  .reg .b64 %w<900>;\n  .reg .f64 %d<4>;\n  .reg .b16 "
               "%h<4>;\n  .reg .b64 %rd<12>;\n"
               "  .shared .align 16 .b8 mine[10240];\n  .local .align 16 .b8 own[64];\n"
               "  mov.u32 %r15, %tid.x;\n  mov.u32 %r16, %tid.y;\n  mov.u32 %r17, %ntid.x;\n"
               "  mad.lo.s32 %r10, %r16, %r17, %r15;\n  mov.u32 %r11, %ctaid.x;\n"
               "  ld.param.u32 %r8, [n];\n  ld.param.u64 %rd6, [in];\n"
               "  ld.param.u64 %rd10, [out];\n");
  line(g, "mad.lo.s32 %%r9, %%r11, %u, %%r10;", g->threads);
  line(g, "mul.wide.s32 %%rd11, %%r9, 4;");
  line(g, "add.s64 %%rd7, %%rd6, %%rd11;");
  line(g, "mul.wide.s32 %%rd11, %%r9, 16;");
  line(g, "add.s64 %%rd9, %%rd10, %%rd11;");
}

/* The threads of the block, or of the warp. */
static void meet (generator *g) {
  if (!g->apart) {
    line(g, "bar.sync 0;");
    return;
  }
  line(g, "activemask.b32 %%r19;");
  line(g, "bar.warp.sync %%r19;");
}

/* Each thread fills the words from %r88 on, at steps of %r86, up to %r85. */
static void fill_shared (generator *g) {
  if (g->apart) {
    line(g, "and.b32 %%r84, %%r10, -32;");
    line(g, "sub.s32 %%r86, %u, %%r84;", g->threads);
    line(g, "min.s32 %%r86, %%r86, 32;");
    line(g, "mul.lo.s32 %%r88, %%r84, %d;", SHARED_WORDS / WARPS / PTX_LANES);
    line(g, "add.s32 %%r85, %%r88, %d;", SHARED_WORDS / WARPS);
    line(g, "sub.s32 %%r84, %%r10, %%r84;");
    line(g, "add.s32 %%r88, %%r88, %%r84;");
  } else {
    line(g, "mov.u32 %%r86, %u;", g->threads);
    line(g, "mov.u32 %%r88, %%r10;");
    line(g, "mov.u32 %%r85, %d;", SHARED_WORDS);
  }
  lcu_buf_adds(&g->text, "FILL:\n");
  line(g, "mad.lo.s32 %%r18, %%r88, 4, %%r87;");
  line(g, "st.shared.u32 [%%r18], %%r88;");
  line(g, "add.s32 %%r88, %%r88, %%r86;");
  line(g, "setp.lt.s32 %%p0, %%r88, %%r85;");
  line(g, "@%%p0 bra FILL;");
}

/* No word is as it was, and each warp has its own. */
static void fill_memory (generator *g) {
  line(g, "mov.u32 %%r87, mine;");
  fill_shared(g);
  line(g, "mov.u64 %%rd5, own;");
  line(g, "mov.u32 %%r89, %u;", OWN_BYTES / 4);
  lcu_buf_adds(&g->text, "OWN:\n");
  line(g, "st.local.u32 [%%rd5], %%r89;");
  line(g, "add.s64 %%rd5, %%rd5, 4;");
  line(g, "sub.s32 %%r89, %%r89, 1;");
  line(g, "setp.ne.s32 %%p0, %%r89, 0;");
  line(g, "@%%p0 bra OWN;");
  meet(g);
  if (g->threads > PTX_LANES) { /* where it is, is not known beforehand */
    line(g, "shr.u32 %%r12, %%r10, 5;");
    line(g, "mad.lo.s32 %%r14, %%r12, %d, %%r87;", SHARED_WORDS * 4 / WARPS);
  } else line(g, "mov.u32 %%r14, %%r87;");
  line(g, "and.b32 %%r12, %%r10, 31;");
  line(g, "mad.lo.s32 %%r13, %%r12, 4, %%r14;");
}

static void fill_registers (generator *g) {
  for (uint32_t k = 0; k < 8; k++)
    line(g, pick(g, 2) ? "add.s32 %%r%u, %%r9, %u;" : "add.s32 %%r%u, %%r8, %u;", k, pick(g, 99));
  for (uint32_t k = 0; k < 4; k++) line(g, "cvt.rn.f32.s32 %%f%u, %%r%u;", k, k);
  for (uint32_t k = 0; k < 4; k++) line(g, "cvt.rn.f16.s32 %%h%u, %%r%u;", k, k);
  for (uint32_t k = 0; k < 3; k++) line(g, "cvt.rn.f64.s32 %%d%u, %%r%u;", k, k);
  for (uint32_t k = 0; k < 3; k++) line(g, "cvt.s64.s32 %%rd%u, %%r%u;", k, k);
}

/* Which NaN it is depends on the order of operands. A word of each thread, then the next word. */
static void store_results (generator *g) {
  const uint32_t all = MOST_THREADS * BLOCKS * 4;
  line(g, "mul.wide.s32 %%rd11, %%r9, 4;");
  line(g, "add.s64 %%rd11, %%rd10, %%rd11;");
  for (uint32_t k = 0; k < 4; k++) {
    line(g, "setp.nan.f32 %%p0, %%f%u, %%f%u;", k, k);
    line(g, "selp.f32 %%f%u, 0f3F800000, %%f%u, %%p0;", k, k);
    line(g, "st.global.f32 [%%rd11+%u], %%f%u;", (4 + k) * all, k);
    line(g, "mov.b32 %%r18, {%%h%u, %%h%u};", k, (k + 1) % 4);
    line(g, "xor.b32 %%r%u, %%r%u, %%r18;", k, k);
  }
  for (uint32_t k = 0; k < 8; k++) line(g, "st.global.u32 [%%rd11+%u], %%r%u;", (8 + k) * all, k);
  line(g, "mul.wide.s32 %%rd11, %%r9, 8;");
  line(g, "add.s64 %%rd11, %%rd10, %%rd11;");
  for (uint32_t k = 0; k < 3; k++) {
    line(g, "st.global.u64 [%%rd11+%u], %%rd%u;", (16 + 4 * k) * all, k);
    line(g, "setp.nan.f64 %%p0, %%d%u, %%d%u;", k, k);
    line(g, "selp.f64 %%d%u, 0d3FF0000000000000, %%d%u, %%p0;", k, k);
    line(g, "st.global.f64 [%%rd11+%u], %%d%u;", (18 + 4 * k) * all, k);
  }
}

/* What became of the words of the warp in shared memory: each lane has the sum of some. */
static void store_shared (generator *g) {
  meet(g);
  line(g, "mov.u32 %%r18, 0;");
  line(g, "mov.u32 %%r88, %d;", SHARED_WORDS / WARPS / PTX_LANES);
  lcu_buf_adds(&g->text, "SUM:\n");
  line(g, "ld.shared.u32 %%r12, [%%r13];");
  line(g, "mad.lo.s32 %%r18, %%r18, 31, %%r12;");
  line(g, "add.s32 %%r13, %%r13, %d;", PTX_LANES * 4);
  line(g, "sub.s32 %%r88, %%r88, 1;");
  line(g, "setp.ne.s32 %%p0, %%r88, 0;");
  line(g, "@%%p0 bra SUM;");
  line(g, "mul.wide.s32 %%rd11, %%r9, 4;");
  line(g, "add.s64 %%rd11, %%rd10, %%rd11;");
  line(g, "st.global.u32 [%%rd11+%u], %%r18;", (WORDS - 1) * MOST_THREADS * BLOCKS * 4);
}

/* Every atomic on words that several lanes share, of numbers of both signs. */
static void atomics_of (generator *g, const char *space, const char *at) {
  static const char *const words[] = { "add.u32", "min.s32", "max.s32", "min.u32",  "max.u32",
                                       "and.b32", "or.b32",  "xor.b32", "exch.b32", "inc.u32" },
                           *const wide[] = {
                             "add.u64", "min.s64", "max.s64", "min.u64",  "max.u64",
                             "and.b64", "xor.b64", "or.b64",  "exch.b64", "add.u64"
                           };
  for (uint32_t k = 0; k < lcu_arraylen(words); k++) {
    line(g, "mad.lo.s32 %%r1, %%r1, 0x9E3779B9, %u;", 0x7654321u * k);
    line(g, "atom.%s.%s %%r2, [%s], %%r1;", space, words[k], at);
    line(g, "mad.lo.s32 %%r0, %%r0, 31, %%r2;");
  }
  line(g, "red.%s.add.u32 [%s+8], %%r0;", space, at);
  for (uint32_t k = 0; k < lcu_arraylen(wide); k++) {
    line(g, "mad.wide.s32 %%rd1, %%r1, %%r0, 0x1234567;");
    line(g, "atom.%s.%s %%rd2, [%s+16], %%rd1;", space, wide[k], at);
    line(g, "xor.b64 %%rd0, %%rd0, %%rd2;");
    line(g, "mad.lo.s32 %%r1, %%r1, 69069, 1;");
  }
}

static void atomics (generator *g) {
  g->guard = "";
  g->together = true;
  begin(g);
  fill_memory(g);
  fill_registers(g);
  line(g, "mov.u32 %%r1, %%r9;");
  line(g, "and.b32 %%r12, %%r10, 7;");
  line(g, "mad.lo.s32 %%r12, %%r12, 32, %%r14;");
  atomics_of(g, "shared", "%r12");
  atomics_of(g, "global", "%rd9");
  store_results(g);
  store_shared(g);
  line(g, "ret;");
  lcu_buf_adds(&g->text, "}\n");
}

/* Of every second block, the first warp ends, lanes of the second leave a loop one after the other,
 * and the third has not begun. The warps of the block before it ended as they should. */
static void ends_one_by_one (generator *g) {
  g->guard = "";
  begin(g);
  fill_registers(g);
  line(g, "setp.lt.u32 %%p0, %%r10, 32;");
  line(g, "@%%p0 bra END;");
  line(g, "and.b32 %%r12, %%r11, 1;");
  line(g, "mul.lo.s32 %%r12, %%r12, 7;");
  line(g, "and.b32 %%r88, %%r10, %%r12;");
  lcu_buf_adds(&g->text, "AGAIN:\n");
  line(g, "mad.lo.s32 %%r0, %%r0, 31, %%r88;");
  line(g, "sub.s32 %%r88, %%r88, 1;");
  line(g, "setp.ge.s32 %%p1, %%r88, 0;");
  line(g, "@%%p1 bra AGAIN;");
  lcu_buf_adds(&g->text, "END:\n");
  store_results(g);
  line(g, "ret;");
  lcu_buf_adds(&g->text, "}\n");
}

static void one_long_block (generator *g) {
  g->guard = "";
  begin(g);
  fill_memory(g);
  fill_registers(g);
  long_block(g);
  store_results(g);
  store_shared(g);
  line(g, "ret;");
  lcu_buf_adds(&g->text, "}\n");
}

/* g: the seed, the shape and whether to fault are given. */
static void program (generator *g) {
  g->guard = "";
  g->together = true;
  g->left = 2 + (int)pick(g, 14);
  g->apart = pick(g, 4) == 0;
  begin(g);
  fill_memory(g);
  fill_registers(g);
  while (g->left > 0) statements(g, 3, -1);
  store_results(g);
  store_shared(g);
  line(g, "ret;");
  lcu_buf_adds(&g->text, "}\n");
}

#endif
