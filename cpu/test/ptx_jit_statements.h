/* ptx_jit_statements.h: random instructions for ptx_jit_program.h: arithmetic and memory.
 *
 * Registers: %r0 to %r7 and %rd0 to %rd2, %f, %d and %h are what statements compute with; %r8 is
 * the same in all threads, %r9 is the thread's number in the grid, %r10 in the block. */
#ifndef PTX_JIT_STATEMENTS_H
#define PTX_JIT_STATEMENTS_H

#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "lcu_base.h"
#include "lcu_mem.h"

enum { BLOCKS = 16, MOST_THREADS = 160, WARPS = MOST_THREADS / PTX_LANES };
enum { SHARED_WORDS = 512 * WARPS, INTS = MOST_THREADS * BLOCKS + 64 };
enum { OWN_BYTES = 64 }; /* of local memory */
enum { WORDS = 29 };     /* of results per thread: 4 of its own, then one by one of all threads */

typedef struct generator {
  uint32_t state;
  int labels, loops, lines, left; /* left: statements that may still be made */
  uint32_t block[3], threads;
  uint32_t fresh, name[4];   /* of `renamed` */
  const char *guard;         /* of single instructions */
  bool faults;               /* one access may fault */
  bool together;             /* all threads of the block get here */
  bool apart;                /* warps never wait for each other */
  uint32_t hole, hole_words; /* words that nothing has written before the kernel reads them */
  lcu_buf text;
} generator;

static uint32_t pick (generator *g, uint32_t n) {
  g->state = g->state * 1664525u + 1013904223u;
  return (g->state >> 10) % n;
}

/* Registers that hold an address, or lead to one, are written once, as compilers do it: what is
 * known about the lanes of a register must hold wherever it is written. So each time that one of
 * these is written, it is another one from then on. */
static const char *const renamed[] = { "%r12", "%r18", "%rd8", "%rd11" };

static int renamed_at (const char *p) {
  for (size_t k = 0; k < lcu_arraylen(renamed); k++) {
    size_t n = strlen(renamed[k]);
    if (strncmp(p, renamed[k], n) == 0 && !isdigit((unsigned char)p[n])) return (int)k;
  }
  return -1;
}

static void add_renamed (generator *g, const char *text) {
  bool stores = strncmp(text, "st.", 3) == 0 || strncmp(text, "red.", 4) == 0;
  const char *result = stores ? "" : strchr(text, '%');
  int written = result != NULL ? renamed_at(result) : -1;
  uint32_t now = written < 0 ? 0 : ++g->fresh;
  for (const char *p = text; *p != '\0'; p++) {
    int k = renamed_at(p);
    if (k < 0) {
      lcu_buf_add(&g->text, p, 1);
      continue;
    }
    lcu_buf_addf(&g->text, "%s%u", k < 2 ? "%i" : "%w", p == result ? now : g->name[k]);
    p += strlen(renamed[k]) - 1;
  }
  if (written >= 0) g->name[written] = now;
}

static void line (generator *g, const char *fmt, ...) {
  char buffer[256];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(buffer, sizeof buffer, fmt, ap);
  va_end(ap);
  lcu_buf_addf(&g->text, "  .loc 1 %d 0\n  %s", ++g->lines, g->guard);
  add_renamed(g, buffer);
  lcu_buf_adds(&g->text, "\n");
}

#define ONE_OF(g, list) (list)[pick(g, (uint32_t)lcu_arraylen(list))]

/* ---- arithmetic ---- */

static void integer (generator *g) {
  static const char *const two[] = { "add.s32",    "sub.s32", "mul.lo.s32", "mul.hi.u32", "and.b32",
                                     "or.b32",     "xor.b32", "shl.b32",    "shr.u32",    "shr.s32",
                                     "min.s32",    "max.u32", "div.u32",    "div.s32",    "rem.u32",
                                     "mul.hi.s32", "rem.s32", "min.u32" };
  static const char *const three[] = { "mad.lo.s32",   "shf.l.wrap.b32", "shf.r.wrap.b32",
                                       "bfe.s32",      "bfe.u32",        "prmt.b32",
                                       "mad.hi.u32",   "sad.s32",        "sad.u32",
                                       "dp4a.u32.u32", "dp4a.u32.s32",   "dp4a.s32.u32",
                                       "dp4a.s32.s32", "slct.u32.s32" };
  static const char *const one[] = { "neg.s32",    "not.b32",    "abs.s32",    "popc.b32",
                                     "clz.b32",    "brev.b32",   "bfind.u32",  "bfind.shiftamt.u32",
                                     "cvt.u8.u32", "cvt.s8.s32", "cvt.s16.s32" };
  uint32_t d = pick(g, 8), a = pick(g, 10), b = pick(g, 10), c = pick(g, 10);
  switch (pick(g, 8)) {
    case 0: line(g, "%s %%r%u, %%r%u, %%r%u, %%r%u;", ONE_OF(g, three), d, a, b, c); break;
    case 1: line(g, "%s %%r%u, %%r%u;", ONE_OF(g, one), d, a); break;
    case 5:
      if (pick(g, 2))
        line(g, "bfi.b32 %%r%u, %%r%u, %%r%u, %%r%u, %%r%u;", d, a, b, c, pick(g, 10));
      else line(g, "prmt.b32 %%r%u, %%r%u, %%r%u, %u;", d, a, b, pick(g, 65536));
      break;
    case 2: line(g, "lop3.b32 %%r%u, %%r%u, %%r%u, %%r%u, %u;", d, a, b, c, pick(g, 256)); break;
    case 3: line(g, "%s %%r%u, %%r%u, %d;", ONE_OF(g, two), d, a, (int)pick(g, 40) - 3); break;
    case 4:
      line(g, "add.cc.u32 %%r%u, %%r%u, %%r%u;", d, a, b);
      line(g, "addc.u32 %%r%u, %%r%u, %%r%u;", pick(g, 8), c, b);
      break;
    default: line(g, "%s %%r%u, %%r%u, %%r%u;", ONE_OF(g, two), d, a, b); break;
  }
}

static void floating (generator *g) {
  static const char *const two[] = { "add.f32",     "sub.f32",     "mul.f32",     "min.f32",
                                     "max.f32",     "add.ftz.f32", "mul.ftz.f32", "div.rn.f32",
                                     "add.sat.f32", "mul.rz.f32",  "min.NaN.f32", "max.ftz.f32",
                                     "copysign.f32" };
  static const char *const one[] = { "neg.f32",         "abs.f32",        "sqrt.rn.f32",
                                     "rcp.rn.f32",      "ex2.approx.f32", "cvt.rmi.f32.f32",
                                     "cvt.rni.f32.f32", "neg.ftz.f32",    "cvt.sat.f32.f32" };
  static const char *const narrow[] = { "u8", "s8", "u16", "s16", "u32" };
  uint32_t d = pick(g, 4), a = pick(g, 4), b = pick(g, 4), c = pick(g, 4);
  switch (pick(g, 8)) {
    case 5:
      line(g, "cvt.%s.%s.f32 %%r%u, %%f%u;", pick(g, 2) ? "rni" : "rzi", ONE_OF(g, narrow),
           pick(g, 8), a);
      break;
    case 6: line(g, "cvt.rn.f32.%s %%f%u, %%r%u;", ONE_OF(g, narrow), d, pick(g, 10)); break;
    case 0: line(g, "fma.rn.f32 %%f%u, %%f%u, %%f%u, %%f%u;", d, a, b, c); break;
    case 1: line(g, "%s %%f%u, %%f%u;", ONE_OF(g, one), d, a); break;
    case 2: line(g, "cvt.rn.f32.s32 %%f%u, %%r%u;", d, pick(g, 10)); break;
    case 3: line(g, "cvt.rzi.s32.f32 %%r%u, %%f%u;", pick(g, 8), a); break;
    case 4: line(g, "cvt.rni.u32.f32 %%r%u, %%f%u;", pick(g, 8), a); break;
    default: line(g, "%s %%f%u, %%f%u, %%f%u;", ONE_OF(g, two), d, a, b); break;
  }
}

static void doubles (generator *g) {
  static const char *const two[] = { "add.f64", "sub.f64", "mul.f64",     "div.rn.f64",
                                     "min.f64", "max.f64", "copysign.f64" };
  uint32_t d = pick(g, 3), a = pick(g, 3), b = pick(g, 3);
  switch (pick(g, 9)) {
    case 5:
      line(g, "cvt.rn.f64.%s %%d%u, %%rd%u;", pick(g, 2) ? "u64" : "s64", d, pick(g, 3));
      break;
    case 6:
      if (pick(g, 2)) line(g, "abs.f64 %%d%u, %%d%u;", d, a);
      else line(g, "cvt.rni.u32.f64 %%r%u, %%d%u;", pick(g, 8), a);
      break;
    case 0: line(g, "fma.rn.f64 %%d%u, %%d%u, %%d%u, %%d%u;", d, a, b, pick(g, 3)); break;
    case 1: line(g, "cvt.rn.f64.s32 %%d%u, %%r%u;", d, pick(g, 10)); break;
    case 2: line(g, "cvt.rn.f32.f64 %%f%u, %%d%u;", pick(g, 4), a); break;
    case 3: line(g, "cvt.f64.f32 %%d%u, %%f%u;", d, pick(g, 4)); break;
    case 4: line(g, "cvt.rzi.s32.f64 %%r%u, %%d%u;", pick(g, 8), a); break;
    default: line(g, "%s %%d%u, %%d%u, %%d%u;", ONE_OF(g, two), d, a, b); break;
  }
}

/* Pairs in words; single ones, whose registers are %h. */
static void halves (generator *g) {
  static const char *const two[] = { "add.f16", "mul.f16",     "sub.f16",     "min.f16",
                                     "max.f16", "add.rn.bf16", "mul.rn.bf16", "sub.rn.bf16" };
  static const char *const pairs[] = { "add.f16x2", "mul.f16x2",     "sub.f16x2",    "min.f16x2",
                                       "max.f16x2", "add.rn.bf16x2", "mul.rn.bf16x2" };
  static const char *const one[] = { "neg.f16", "abs.f16", "neg.bf16", "abs.bf16" };
  uint32_t d = pick(g, 4), a = pick(g, 4), b = pick(g, 4), r = pick(g, 8), s = pick(g, 10);
  switch (pick(g, 12)) {
    case 0: line(g, "fma.rn.f16 %%h%u, %%h%u, %%h%u, %%h%u;", d, a, b, pick(g, 4)); break;
    case 1: line(g, "cvt.rn.f16.s32 %%h%u, %%r%u;", d, s); break;
    case 2: line(g, "cvt.f32.%s %%f%u, %%h%u;", pick(g, 2) ? "f16" : "bf16", pick(g, 4), a); break;
    case 3:
      line(g, "cvt.rn.%s.f32 %%h%u, %%f%u;", pick(g, 2) ? "f16" : "bf16", d, pick(g, 4));
      break;
    case 4:
      line(g, "fma.rn.f16x2 %%r%u, %%r%u, %%r%u, %%r%u;", r, s, pick(g, 10), pick(g, 10));
      break;
    case 5:
    case 6: line(g, "%s %%r%u, %%r%u, %%r%u;", ONE_OF(g, pairs), r, s, pick(g, 10)); break;
    case 7: line(g, "%s %%h%u, %%h%u;", ONE_OF(g, one), d, a); break;
    case 8:
      line(g, "cvt.rn.%s.f32 %%r%u, %%f%u, %%f%u;", pick(g, 2) ? "f16x2" : "bf16x2", r, pick(g, 4),
           pick(g, 4));
      break;
    case 9:
      line(g, "setp.%s.f16 %%p1, %%h%u, %%h%u;", pick(g, 2) ? "lt" : "neu", a, b);
      line(g, "selp.b32 %%r%u, %%r%u, %%r%u, %%p1;", r, s, pick(g, 10));
      break;
    case 10:
      if (pick(g, 2)) line(g, "mov.b32 %%r%u, {%%h%u, %%h%u};", r, a, b);
      else line(g, "mov.b32 {%%h%u, %%h%u}, %%r%u;", d, (d + 1) % 4, s);
      break;
    default: line(g, "%s %%h%u, %%h%u, %%h%u;", ONE_OF(g, two), d, a, b); break;
  }
}

static void wide (generator *g) {
  static const char *const two[] = { "add.s64", "sub.s64", "mul.lo.s64", "and.b64", "xor.b64",
                                     "min.s64", "max.u64", "mul.hi.u64", "div.u64", "or.b64" };
  uint32_t d = pick(g, 3), a = pick(g, 3), r = pick(g, 10);
  switch (pick(g, 10)) {
    case 0: line(g, "mul.wide.s32 %%rd%u, %%r%u, %%r%u;", d, r, pick(g, 10)); break;
    case 1: line(g, "mul.wide.u32 %%rd%u, %%r%u, %u;", d, r, pick(g, 99)); break;
    case 2:
      line(g, "%s %%rd%u, %%rd%u, %%r%u;", pick(g, 2) ? "shr.s64" : "shl.b64", d, a, r);
      break;
    case 3: line(g, "cvt.u32.u64 %%r%u, %%rd%u;", pick(g, 8), a); break;
    case 4: line(g, "cvt.s64.s32 %%rd%u, %%r%u;", d, r); break;
    case 5: line(g, "mov.b64 {%%r%u, %%r%u}, %%rd%u;", pick(g, 4), 4 + pick(g, 4), a); break;
    case 6: line(g, "mad.wide.u32 %%rd%u, %%r%u, %%r%u, %%rd%u;", d, r, pick(g, 10), a); break;
    case 7: /* a bit */
      line(g, "and.b64 %%rd8, %%rd%u, %llu;", a, 1ull << pick(g, 64));
      line(g, "setp.%s.s64 %%p1, %%rd8, 0;", pick(g, 2) ? "eq" : "ne");
      line(g, "selp.b64 %%rd%u, %%rd%u, %%rd%u, %%p1;", d, a, pick(g, 3));
      break;
    default: line(g, "%s %%rd%u, %%rd%u, %%rd%u;", ONE_OF(g, two), d, a, pick(g, 3)); break;
  }
}

/* One instruction, or two, that touches no memory. */
static void arithmetic (generator *g) {
  switch (pick(g, 9)) {
    case 0:
    case 1: floating(g); break;
    case 2: doubles(g); break;
    case 3: halves(g); break;
    case 4:
    case 5: wide(g); break;
    default: integer(g); break;
  }
}

static void predicate (generator *g, uint32_t p) {
  static const char *const how[] = { "lt.s32", "eq.s32", "gt.u32", "ne.s32", "le.s32" };
  static const char *const logic[] = { "and.pred", "or.pred", "xor.pred" };
  uint32_t a = pick(g, 10), b = pick(g, 10);
  switch (pick(g, 9)) {
    case 0: line(g, "setp.lt.f32 %%p%u, %%f%u, %%f%u;", p, pick(g, 4), pick(g, 4)); break;
    case 1: line(g, "setp.geu.f64 %%p%u, %%d%u, %%d%u;", p, pick(g, 3), pick(g, 3)); break;
    case 2: line(g, "setp.lt.u64 %%p%u, %%rd%u, %%rd%u;", p, pick(g, 3), pick(g, 3)); break;
    case 3:
      line(g, "setp.ge.s32 %%p4, %%r%u, %d;", a, (int)pick(g, 64));
      line(g, "setp.%s %%p5, %%r%u, %%r%u;", ONE_OF(g, how), pick(g, 10), b);
      line(g, "%s %%p%u, %%p4, %%p5;", ONE_OF(g, logic), p);
      break;
    case 4:
    case 5: line(g, "setp.lt.s32 %%p%u, %%r%u, 30;", p, 8 + pick(g, 2)); break;
    default: line(g, "setp.%s %%p%u, %%r%u, %%r%u;", ONE_OF(g, how), p, a, b); break;
  }
}

/* ---- memory ---- */

static void number_of_word (generator *g, uint32_t r) {
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
}

/* A word of shared memory by a number that is known for each lane, or not at all: all addresses of
 * 64 words more are the warp's. */
static void shared_index (generator *g) {
  switch (pick(g, 4)) {
    case 0:
    case 1: /* of the lane */
      line(g, "mov.u32 %%r18, %%laneid;");
      number_of_word(g, 18);
      break;
    case 2:
      number_of_word(g, pick(g, 2) ? pick(g, 10) : 10 + pick(g, 2) * 5);
      line(g, "and.b32 %%r12, %%r12, 255;");
      break;
    default:
      number_of_word(g, 10 + pick(g, 2) * 5);
      line(g, "and.b32 %%r12, %%r12, %u;", pick(g, 2) ? 31 : 63);
      line(g, "add.s32 %%r12, %%r12, %u;", pick(g, 190));
      break;
  }
  line(g, "shl.b32 %%r12, %%r12, 2;");
  line(g, "add.s32 %%r12, %%r12, %%r14;");
}

static void shared_vector (generator *g) {
  static const char *const types[] = { "u32", "u16", "s8", "u8" };
  uint32_t d = pick(g, 8), k = pick(g, 4), v = 2u << pick(g, 2);
  const char *type = types[k];
  char list[64];
  line(g, "and.b32 %%r12, %%r12, -16;");
  if (v == 2) snprintf(list, sizeof list, "{%%r%u, %%r%u}", d, (d + 1) % 8);
  else
    snprintf(list, sizeof list, "{%%r%u, %%r%u, %%r%u, %%r%u}", d, (d + 1) % 8, (d + 3) % 8,
             (d + 5) % 8);
  if (pick(g, 2)) line(g, "ld.shared.v%u.%s %s, [%%r12];", v, type, list);
  else line(g, "st.shared.v%u.%s [%%r12+%u], %s;", v, k == 2 ? "u8" : type, 16 * pick(g, 9), list);
}

/* At the address in %r12, which is a multiple of 4. */
static void shared_atomic (generator *g) {
  static const char *const atoms[] = { "add.u32", "min.s32", "max.s32", "min.u32", "exch.b32",
                                       "xor.b32", "and.b32", "or.b32",  "max.u32", "inc.u32" },
                           *const wide[] = { "add.u64", "max.s64", "min.u64", "exch.b64",
                                             "and.b64" };
  uint32_t r = pick(g, 10), d = pick(g, 8);
  if (pick(g, 4)) line(g, "atom.shared.%s %%r%u, [%%r12+8], %%r%u;", ONE_OF(g, atoms), d, r);
  else {
    line(g, "and.b32 %%r12, %%r12, -8;");
    line(g, "atom.shared.%s %%rd%u, [%%r12], %%rd%u;", ONE_OF(g, wide), d % 3, r % 3);
  }
  if (pick(g, 2)) line(g, "red.shared.%s [%%r12], %%r%u;", pick(g, 2) ? "add.u32" : "min.s32", r);
}

static void shared_access (generator *g) {
  static const char *const words[] = { "u8", "s8", "u16", "s16", "u32", "u32" };
  uint32_t r = pick(g, 10), d = pick(g, 8), imm = 4 * pick(g, 64);
  shared_index(g);
  switch (pick(g, 9)) {
    case 0: shared_vector(g); break;
    case 1: line(g, "st.shared.u%u [%%r12+%u], %%r%u;", 8u << pick(g, 3), imm, r); break;
    case 2:
    case 3:
      line(g, "and.b32 %%r12, %%r12, -8;");
      line(g, pick(g, 2) ? "ld.shared.u64 %%rd%u, [%%r12];" : "st.shared.u64 [%%r12], %%rd%u;",
           pick(g, 3));
      break;
    case 4:
    case 5: shared_atomic(g); break;
    case 6:
      line(g, "cvt.u64.u32 %%rd8, %%r12;");
      line(g, "cvta.shared.u64 %%rd8, %%rd8;");
      line(g, pick(g, 2) ? "ld.u32 %%r%u, [%%rd8];" : "st.u32 [%%rd8], %%r%u;", d);
      break;
    default: line(g, "ld.shared.%s %%r%u, [%%r12+%u];", ONE_OF(g, words), d, imm); break;
  }
}

/* The thread's own words. */
static void own_words (generator *g) {
  static const char *const atoms[] = { "add.u32", "max.u32", "exch.b32", "or.b32", "dec.u32" };
  uint32_t d = pick(g, 8), r = pick(g, 10), at = 4 * pick(g, 4);
  switch (pick(g, 9)) {
    case 0: line(g, "st.global.v2.u32 [%%rd9], {%%r%u, %%r%u};", r, d); break;
    case 1: line(g, "st.global.u64 [%%rd9], %%rd%u;", pick(g, 3)); break;
    case 2: line(g, "ld.global.v2.u32 {%%r%u, %%r%u}, [%%rd9+8];", d, (d + 1) % 8); break;
    case 3: line(g, "ld.global.u64 %%rd%u, [%%rd9];", pick(g, 3)); break;
    case 4: line(g, "atom.global.%s %%r%u, [%%rd9+%u], %%r%u;", ONE_OF(g, atoms), d, at, r); break;
    case 5: line(g, "atom.global.cas.b32 %%r%u, [%%rd9+%u], %%r%u, %%r8;", d, at, r); break;
    case 6:
      line(g, "ld.global.v4.u32 {%%r%u, %%r%u, %%r%u, %%r%u}, [%%rd9];", d, (d + 1) % 8,
           (d + 3) % 8, (d + 5) % 8);
      break;
    case 7:
      line(g, "st.v4.f32 [%%rd9], {%%f%u, %%f%u, %%f%u, %%f%u};", 0, 1, 2, 3);
      for (uint32_t k = 0; k < 4; k++) line(g, "st.global.u32 [%%rd9+%u], %%r%u;", 4 * k, k);
      break;
    default: line(g, "st.global.u%u [%%rd9+%u], %%r%u;", 8u << pick(g, 2), at, r); break;
  }
}

/* Registers for an access of 1 to 16 bytes. */
static const char *access_of (generator *g, uint32_t size) {
  static const char *const narrow[] = { "u8 %r1", "s8 %r2", "u8 %r3" },
                           *const half[] = { "u16 %r4", "s16 %r5", "u16 %r0" },
                           *const word[] = { "u32 %r6", "u32 %r7", "f32 %f1" },
                           *const two[] = { "u64 %rd1", "v2.u32 {%r1, %r6}", "f64 %d1" },
                           *const four[] = { "v4.u32 {%r2, %r0, %r5, %r7}", "v2.u64 {%rd0, %rd2}",
                                             "v4.f32 {%f3, %f0, %f1, %f2}" };
  const char *const *all[] = { narrow, half, word, two, four };
  uint32_t k = 0;
  while (size >> (k + 1) != 0) k++;
  return all[k][pick(g, 3)];
}

/* Each thread's local memory: at one offset, or at any that the lanes hold. */
static void own_memory (generator *g) {
  uint32_t size = 1u << pick(g, 5), at = size * pick(g, OWN_BYTES / size), how = pick(g, 4);
  const char *access = access_of(g, size), *registers = strchr(access, ' ') + 1;
  int type = (int)(registers - access) - 1;
  char place[24] = "[%rd8]";
  if (how == 0) {
    snprintf(place, sizeof place, "[own+%u]", at);
  } else if (how == 1) {
    line(g, "mov.u64 %%rd8, own;");
    snprintf(place, sizeof place, "[%%rd8+%u]", at);
  } else {
    line(g, "and.b32 %%r12, %%r%u, %u;", pick(g, 10), OWN_BYTES / size - 1);
    line(g, "mul.wide.u32 %%rd8, %%r12, %u;", size);
    line(g, "mov.u64 %%rd11, own;");
    line(g, "add.s64 %%rd8, %%rd8, %%rd11;");
  }
  if (pick(g, 2)) line(g, "st.local.%.*s %s, %s;", type, access, place, registers);
  else line(g, "ld.local.%.*s %s, %s;", type, access, registers, place);
}

static void constant (generator *g) {
  line(g, "and.b32 %%r12, %%r%u, 7;", pick(g, 10));
  line(g, "mul.wide.u32 %%rd8, %%r12, 4;");
  line(g, "mov.u64 %%rd11, table;");
  line(g, "add.s64 %%rd8, %%rd8, %%rd11;");
  line(g, "ld.const.u32 %%r%u, [%%rd8];", pick(g, 8));
}

/* ints[index & 255], whatever the lanes hold. */
static void any_int (generator *g) {
  static const char *const types[] = { "u32", "u32", "s16", "u8", "s8" };
  line(g, "and.b32 %%r12, %%r%u, 255;", pick(g, 10));
  line(g, "mul.wide.u32 %%rd8, %%r12, 4;");
  line(g, "add.s64 %%rd8, %%rd6, %%rd8;");
  line(g, "ld.global.%s %%r%u, [%%rd8];", ONE_OF(g, types), pick(g, 8));
}

/* Bytes, or pairs of bytes, side by side. */
static void narrow_run (generator *g) {
  static const char *const types[] = { "u8", "s8", "u16", "s16" };
  uint32_t k = pick(g, 4), size = 1 + k / 2, d = pick(g, 8), at = 2 * pick(g, 30);
  if (pick(g, 3) == 0) {
    line(g, "mul.wide.u32 %%rd8, %%r9, %u;", size);
    line(g, "add.s64 %%rd8, %%rd8, %%rd6;");
    line(g, "ld.global.%s %%r%u, [%%rd8+%u];", types[k], d, at);
    return;
  }
  line(g, "mov.u32 %%r18, %%laneid;");
  line(g, "mad.lo.s32 %%r12, %%r18, %u, %%r14;", size);
  if (pick(g, 2)) line(g, "ld.shared.%s %%r%u, [%%r12+%u];", types[k], d, at);
  else line(g, "st.shared.%s [%%r12+%u], %%r%u;", types[k], at, pick(g, 10));
}

/* One instruction, or a few, at an address that is known to be good. */
static void simple_access (generator *g) {
  uint32_t d = pick(g, 8), r = pick(g, 10);
  switch (pick(g, 7)) {
    case 0: line(g, "ld.global.u%u %%r%u, [%%rd7+%u];", 8u << pick(g, 3), d, 4 * pick(g, 2)); break;
    case 1: line(g, "st.global.u32 [%%rd9+%u], %%r%u;", 4 * pick(g, 4), r); break;
    case 2: line(g, "st.shared.u32 [%%r13], %%r%u;", r); break;
    case 3: line(g, "ld.shared.u32 %%r%u, [%%r13];", d); break;
    case 4:
    case 5: narrow_run(g); break;
    default: line(g, "ld.u32 %%r%u, [%%rd7];", d); break;
  }
}

static void memory (generator *g) {
  switch (pick(g, 14)) {
    case 0: own_words(g); break;
    case 1: any_int(g); break;
    case 2: constant(g); break;
    case 12:
    case 13: own_memory(g); break;
    case 3:
    case 4: simple_access(g); break;
    case 5:
    case 6:
    case 7:
      shared_index(g);
      shared_atomic(g);
      break;
    default: shared_access(g); break;
  }
}

/* An access that some lanes may make outside, at an odd address or at none. */
static void fault (generator *g) {
  uint32_t r = pick(g, 10), d = pick(g, 8), k = pick(g, 11);
  static const char *const access[] = { "ld.global.u32 %%r%u, [%%rd8];",
                                        "st.global.u32 [%%rd8], %%r%u;", "ld.u32 %%r%u, [%%rd8];",
                                        "atom.global.add.u32 %%r%u, [%%rd8], 1;",
                                        "ld.global.v2.u32 {%%r%u, %%r1}, [%%rd8];" };
  if (k < 4) {
    line(g, "and.b32 %%r12, %%r%u, 255;", r);
    line(g, "add.s32 %%r12, %%r12, %u;", pick(g, 256));
    line(g, "mul.wide.u32 %%rd8, %%r12, %u;", k == 3 ? 2 : 4);
    line(g, "add.s64 %%rd8, %%rd8, %%rd%d;", pick(g, 2) ? 6 : 10);
    line(g, ONE_OF(g, access), d);
  } else if (k < 6) { /* beside the thread's own words, or none for some */
    line(g, "mul.wide.s32 %%rd8, %%r%u, %u;", 9 + pick(g, 2), 4 << pick(g, 3));
    line(g, "add.s64 %%rd8, %%rd8, %%rd6;");
    line(g, "ld.global.u32 %%r%u, [%%rd8%+d];", d, pick(g, 4) ? 1024 - 4 * (int)pick(g, 60) : -8);
  } else if (k == 6) {
    line(g, "mov.u64 %%rd8, 0;");
    line(g, ONE_OF(g, access), d);
  } else if (k == 10) { /* past the end of a thread's local memory, or misaligned */
    line(g, "mov.u64 %%rd8, own;");
    line(g, "and.b32 %%r12, %%r%u, %u;", r, pick(g, 2) ? 15 : 1 << 20);
    line(g, "mul.wide.u32 %%rd11, %%r12, %u;", pick(g, 2) ? 4 : 2);
    line(g, "add.s64 %%rd8, %%rd8, %%rd11;");
    line(g, pick(g, 2) ? "ld.local.u32 %%r%u, [%%rd8];" : "st.local.u32 [%%rd8], %%r%u;", d);
  } else {
    shared_index(g);
    line(g, pick(g, 2) ? "add.s32 %%r12, %%r12, %u;" : "sub.s32 %%r12, %%r12, %u;",
         pick(g, 2) ? 2 : 4800 + 4 * pick(g, 600));
    line(g, pick(g, 2) ? "ld.shared.u32 %%r%u, [%%r12];" : "st.shared.u32 [%%r12], %%r%u;", d);
  }
}

#endif
