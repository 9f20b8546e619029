/* ptx_jit_long.h: long blocks for ptx_jit_program.h, in which more values are needed at a time than
 * a processor has vector registers. Every register is written once, so that of some much is known:
 * they are the same in all lanes, differ by constants, or hold one value per row. */
#ifndef PTX_JIT_LONG_H
#define PTX_JIT_LONG_H

#include "ptx_jit_statements.h"

/* Operations use the latest registers: values must be needed more than once for it to pay. Of the
 * longer blocks, the parts are computed in a loop. */
enum { LONG_SOURCES = 10, LONG_NEAR = 11, LONG_LEAST = 60, LONG_MOST = 300 };

/* A word of the warp. Of several warps, it is not known that all lanes load the same one, and such
 * a load ends what is computed in parts. */
static void long_load (generator *g, uint32_t k) {
  if (g->threads <= 32) line(g, "ld.shared.u32 %%x%u, [%%r14+%u];", k, pick(g, 99) * 4);
  else line(g, "add.s32 %%x%u, %%r8, %u;", k, pick(g, 99) * 4);
}

/* Register k: what later ones are made of. */
static void long_source (generator *g, uint32_t k) {
  static const char *const indices[] = { "r8", "r9", "r10", "r15", "r16" };
  if (k % 5 == 0) long_load(g, k);
  else if (k % 5 < 3)
    line(g, "mad.lo.s32 %%x%u, %%r%u, %u, %%r9;", k, pick(g, 8), pick(g, 1 << 20) * 2 + 1);
  else line(g, "add.s32 %%x%u, %%%s, %u;", k, ONE_OF(g, indices), pick(g, 99));
}

static void long_words (generator *g, uint32_t k, uint32_t a, uint32_t b, uint32_t c) {
  static const char *const two[] = { "add.s32", "sub.s32", "mul.lo.s32", "mul.hi.u32", "and.b32",
                                     "or.b32",  "xor.b32", "min.s32",    "max.u32",    "rem.u32" };
  switch (pick(g, 6)) {
    case 0: line(g, "mad.lo.s32 %%x%u, %%x%u, %%x%u, %%x%u;", k, a, b, c); break;
    case 1: line(g, "lop3.b32 %%x%u, %%x%u, %%x%u, %%x%u, %u;", k, a, b, c, pick(g, 256)); break;
    case 2: line(g, "shf.l.wrap.b32 %%x%u, %%x%u, %%x%u, %u;", k, a, b, pick(g, 32)); break;
    default: line(g, "%s %%x%u, %%x%u, %%x%u;", ONE_OF(g, two), k, a, b); break;
  }
}

static uint32_t long_operand (generator *g, uint32_t k) {
  uint32_t back = pick(g, LONG_NEAR);
  return back < k ? k - 1 - back : 0;
}

static void long_operation (generator *g, uint32_t k) {
  uint32_t a = long_operand(g, k), b = long_operand(g, k), c = long_operand(g, k);
  switch (pick(g, 10)) {
    case 0:
      line(g, "setp.%s.s32 %%q%u, %%x%u, %%x%u;", pick(g, 2) ? "lt" : "ne", k, a, b);
      line(g, "selp.b32 %%x%u, %%x%u, %u, %%q%u;", k, c, pick(g, 99), k);
      break;
    case 1:
      line(g, "mul.wide.u32 %%y%u, %%x%u, %%x%u;", k, a, b);
      line(g, "shr.u64 %%v%u, %%y%u, %u;", k, k, pick(g, 60));
      line(g, "and.b64 %%u%u, %%y%u, %u;", k, k, 1u << pick(g, 30));
      line(g, "setp.ne.s64 %%q%u, %%u%u, 0;", k, k);
      line(g, "selp.b64 %%y%u, %%v%u, %%y%u, %%q%u;", k + LONG_MOST, k, k, k);
      line(g, "cvt.u32.u64 %%x%u, %%y%u;", k, k + LONG_MOST);
      break;
    case 2:
      line(g, "cvt.rn.f32.s32 %%z%u, %%x%u;", k, a);
      line(g, "fma.rn.f32 %%z%u, %%z%u, 0f3FA00000, %%z%u;", k + LONG_MOST, k, k);
      line(g, "cvt.rzi.s32.f32 %%x%u, %%z%u;", k, k + LONG_MOST);
      break;
    case 3: long_load(g, k); break;
    default: long_words(g, k, a, b, c); break;
  }
}

static void long_block (generator *g) {
  uint32_t num = LONG_LEAST + pick(g, LONG_MOST - LONG_LEAST), d = pick(g, 8);
  line(g, "{ .reg .b32 %%x<%d>; .reg .pred %%q<%d>; .reg .f32 %%z<%d>;", LONG_MOST, LONG_MOST,
       2 * LONG_MOST);
  line(g, ".reg .b64 %%y<%d>; .reg .b64 %%u<%d>; .reg .b64 %%v<%d>;", 2 * LONG_MOST, LONG_MOST,
       LONG_MOST);
  for (uint32_t k = 0; k < LONG_SOURCES; k++) long_source(g, k);
  for (uint32_t k = LONG_SOURCES; k < num; k++) long_operation(g, k);
  for (uint32_t k = num - LONG_NEAR; k < num; k++)
    line(g, "mad.lo.s32 %%r%u, %%r%u, 69069, %%x%u;", d, d, k);
  line(g, "}");
}

#endif
