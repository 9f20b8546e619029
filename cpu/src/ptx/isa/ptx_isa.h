/* ptx_isa.h: for ptx_isa_*.c, which are compiled once per instruction set of the host. PTX_ISA is
 * its name: v2, v3, v4 or base. It is part of every exported symbol; ptx_isa_table.c collects the
 * handlers. */
#ifndef PTX_ISA_H
#define PTX_ISA_H

#include "ptx_float.h"
#include "ptx_int.h"
#include "ptx_lanes.h"
#include "ptx_tiny.h"
#include "ptx_window.h"

#ifndef PTX_ISA
#error "PTX_ISA must name the instruction set"
#endif

#define PTX_CAT_(a, b) a##_##b
#define PTX_CAT(a, b) PTX_CAT_(a, b)
#define PTX_FULL(name) PTX_CAT(PTX_CAT(ptx_full, PTX_ISA), name)
#define PTX_MASKED(name) PTX_CAT(PTX_CAT(ptx_masked, PTX_ISA), name)

#define PTX_HANDLER_ARGS const ptx_uop *I, uint8_t *rf, ptx_warp *w
#define PTX_HANDLER_DECLARE(name) \
  const ptx_uop *PTX_FULL(name)(PTX_HANDLER_ARGS); \
  const ptx_uop *PTX_MASKED(name)(PTX_HANDLER_ARGS);

/* A lane loop, over all lanes and blended. SETUP declares the sources, LOADS reads one lane of
 * each. */
#define PTX_FULL_LOOP(name, TD, SETUP, LOADS, EXPR) \
  PTX_HANDLER_DECLARE(name) \
  const ptx_uop *PTX_FULL(name)(PTX_HANDLER_ARGS) { \
    S_##TD *pd = PTX_SLOT(TD, rf, I->d); \
    SETUP(void) w; \
    PTX_IVDEP PTX_EACH_LANE(l) { LOADS pd[l] = ST_##TD(EXPR); } \
    return I + 1; \
  }
#define PTX_BOTH_LOOPS(name, TD, SETUP, LOADS, EXPR) \
  PTX_FULL_LOOP(name, TD, SETUP, LOADS, EXPR) \
  const ptx_uop *PTX_MASKED(name)(PTX_HANDLER_ARGS) { \
    S_##TD *pd = PTX_SLOT(TD, rf, I->d); \
    SETUP \
    const S_s32 *on = (const S_s32 *)__builtin_assume_aligned(w->lanes, 64); \
    PTX_IVDEP PTX_EACH_LANE(l) { \
      LOADS S_##TD v_ = ST_##TD(EXPR); \
      pd[l] = on[l] ? v_ : pd[l]; \
    } \
    return I + 1; \
  }
/* A lane loop over all lanes. The masked variant runs it, too, and then restores the lanes that are
 * off: half the code, but slower. */
#define PTX_ONE_LOOP(name, TD, SETUP, LOADS, EXPR) \
  PTX_FULL_LOOP(name, TD, SETUP, LOADS, EXPR) \
  const ptx_uop *PTX_MASKED(name)(PTX_HANDLER_ARGS) { \
    if (sizeof(S_##TD) == 8) return ptx_blend_64(I, rf, w, PTX_FULL(name)); \
    return ptx_blend_32(I, rf, w, PTX_FULL(name)); \
  }
#define PTX_BLEND(BITS) \
  static __attribute__((unused, noinline)) \
  const ptx_uop *ptx_blend_##BITS(PTX_HANDLER_ARGS, ptx_handler full) { \
    S_u##BITS old[PTX_LANES], *pd = PTX_SLOT(u##BITS, rf, I->d); \
    const S_s32 *on = (const S_s32 *)__builtin_assume_aligned(w->lanes, 64); \
    memcpy(old, pd, sizeof(old)); \
    const ptx_uop *next = full(I, rf, w); \
    PTX_IVDEP PTX_EACH_LANE(l) { pd[l] = on[l] ? pd[l] : old[l]; } \
    return next; \
  }
PTX_BLEND(32)
PTX_BLEND(64)

/* A file of rows may choose PTX_ONE_LOOP. */
#ifndef PTX_LOOPS
#define PTX_LOOPS PTX_BOTH_LOOPS
#endif

#define PTX_SOURCE(T, x, at) const S_##T *p##x = PTX_SLOT(T, rf, at);
#define PTX_LANE(T, x) \
  V_##T x = LD_##T(p##x[l]); \
  (void)x;

#define PTX_UN(name, TD, TA, EXPR) \
  PTX_LOOPS(name, TD, PTX_SOURCE(TA, a, I->a), PTX_LANE(TA, a), EXPR)
#define PTX_BI(name, TD, TA, TB, EXPR) \
  PTX_LOOPS(name, TD, PTX_SOURCE(TA, a, I->a) PTX_SOURCE(TB, b, I->b), \
            PTX_LANE(TA, a) PTX_LANE(TB, b), EXPR)
#define PTX_TE(name, TD, TA, TB, TC, EXPR) \
  PTX_LOOPS(name, TD, PTX_SOURCE(TA, a, I->a) PTX_SOURCE(TB, b, I->b) PTX_SOURCE(TC, c, I->c), \
            PTX_LANE(TA, a) PTX_LANE(TB, b) PTX_LANE(TC, c), EXPR)
#define PTX_QU(name, TD, TA, TB, TC, TE, EXPR) \
  PTX_LOOPS(name, TD, \
            PTX_SOURCE(TA, a, I->a) PTX_SOURCE(TB, b, I->b) PTX_SOURCE(TC, c, I->c) \
              PTX_SOURCE(TE, e, I->imm), \
            PTX_LANE(TA, a) PTX_LANE(TB, b) PTX_LANE(TC, c) PTX_LANE(TE, e), EXPR)
/* Sums and differences with the carry CC.CF, which is the hidden register at imm: 0 or 1. A
 * difference is a sum with the complement, a + ~b + 1 or a + ~b + carry, so it sets the carry when
 * it does NOT borrow. The PTX ISA calls it a borrow, but hardware (an H200) carries as here. Only
 * code that mixes subc and addc can distinguish them, such as the toolkit's 128-bit division.
 * CIN: whether the old carry is added. */
#define PTX_CARRY_LOOPS(name, T, RESULT, CARRY) \
  PTX_HANDLER_DECLARE(name) \
  const ptx_uop *PTX_FULL(name)(PTX_HANDLER_ARGS) { \
    S_##T *pd = PTX_SLOT(T, rf, I->d); \
    S_u32 *pcarry = PTX_SLOT(u32, rf, I->imm); \
    (void)w; \
    PTX_SOURCE(T, a, I->a) \
    PTX_SOURCE(T, b, I->b) PTX_SOURCE(T, c, I->c) PTX_IVDEP PTX_EACH_LANE(l) { \
      V_##T a = pa[l], b = pb[l], c = pc[l]; \
      uint32_t carry = pcarry[l]; \
      (void)carry; \
      (void)c; \
      V_##T r = RESULT; \
      pcarry[l] = CARRY; \
      pd[l] = r; \
    } \
    return I + 1; \
  } \
  const ptx_uop *PTX_MASKED(name)(PTX_HANDLER_ARGS) { \
    S_##T *pd = PTX_SLOT(T, rf, I->d); \
    S_u32 *pcarry = PTX_SLOT(u32, rf, I->imm); \
    PTX_SOURCE(T, a, I->a) \
    PTX_SOURCE(T, b, I->b) \
    PTX_SOURCE(T, c, I->c) \
    const S_s32 *on = (const S_s32 *)__builtin_assume_aligned(w->lanes, 64); \
    PTX_IVDEP PTX_EACH_LANE(l) { \
      V_##T a = pa[l], b = pb[l], c = pc[l]; \
      uint32_t carry = pcarry[l]; \
      (void)c; \
      V_##T r = RESULT; \
      uint32_t out = CARRY; \
      pcarry[l] = on[l] ? out : carry; \
      pd[l] = on[l] ? r : pd[l]; \
    } \
    return I + 1; \
  }
#define PTX_ADDC(name, T, P, Q, CIN) \
  PTX_CARRY_LOOPS(name, T, (P) + (Q) + ((CIN) ? carry : 0), r < (P) || ((CIN) && carry && r == (P)))
#define PTX_SUBB(name, T, CIN) \
  PTX_CARRY_LOOPS(name, T, a - b - ((CIN) ? 1 - carry : 0), a > b || (a == b && (!(CIN) || carry)))
/* No source operand. */
#define PTX_NU(name, TD, EXPR) PTX_LOOPS(name, TD, , , EXPR)

#endif
