/* ptx_isa_round.c: arithmetic with a directed rounding (.rz .rm .rp), by the processor's rounding
 * mode. Setting the mode is a barrier for memory: operands are loaded after one and results stored
 * before the next, so no operation moves across. (With -frounding-math gcc would not vectorize.) */
#include "ptx_handlers.h"
#include "ptx_isa.h"
#include "ptx_mode.h"
#include "ptx_round.h"

#define MODE_OF(I) ((ptx_round)((I)->imm & 255))
#define HAS_FTZ(I) (((I)->imm >> 8) & 1)
#define HAS_SAT(I) (((I)->imm >> 9) & 1)
/* Neither: imm is the mode alone. */
#define IS_BARE(I) (((I)->imm >> 8) == 0)

/* ---- operands and results */

static inline float in_f32 (bool ftz, float x) { return ftz ? ptx_ftz(x) : x; }
static inline float out_f32 (bool ftz, bool sat, float x) {
  if (ftz) x = ptx_ftz(x);
  return sat ? ptx_sat(x) : x;
}
static inline double in_f64 (bool ftz, double x) {
  (void)ftz;
  return x;
}
static inline double out_f64 (bool ftz, bool sat, double x) {
  (void)ftz;
  return sat ? ptx_sat64(x) : x;
}

/* ---- lane loops */

#define LOOP(T, IN, OUT, EXPR, KEEP) \
  PTX_IVDEP PTX_EACH_LANE(l) { \
    V_##T a = IN(pa[l]), b = IN(pb[l]), c = IN(pc[l]); \
    (void)b; \
    (void)c; \
    V_##T v = OUT(EXPR); \
    pd[l] = KEEP; \
  }
#define BARE(x) (x)

#define ROUNDED(name, T, EXPR) \
  PTX_HANDLER_DECLARE(round_##name) \
  static PTX_INLINE const ptx_uop *name##_loop(PTX_HANDLER_ARGS, bool full) { \
    S_##T *pd = PTX_SLOT(T, rf, I->d); \
    const S_##T *pa = PTX_SLOT(T, rf, I->a), *pb = PTX_SLOT(T, rf, I->b), \
                *pc = PTX_SLOT(T, rf, I->c); \
    const S_s32 *on = (const S_s32 *)__builtin_assume_aligned(w->lanes, 64); \
    uint32_t nearest = ptx_mode_direct(MODE_OF(I)); \
    if (IS_BARE(I)) { \
      if (full) LOOP(T, BARE, BARE, EXPR, v) \
      else LOOP(T, BARE, BARE, EXPR, on[l] ? v : pd[l]) \
    } else { \
      bool ftz = HAS_FTZ(I), sat = HAS_SAT(I); \
      LOOP(T, IN_##T, OUT_##T, EXPR, full || on[l] ? v : pd[l]) \
    } \
    ptx_mode_restore(nearest); \
    return I + 1; \
  } \
  const ptx_uop *PTX_FULL(round_##name)(PTX_HANDLER_ARGS) { return name##_loop(I, rf, w, true); } \
  const ptx_uop *PTX_MASKED(round_##name)(PTX_HANDLER_ARGS) { return name##_loop(I, rf, w, false); }

#define IN_f32(x) in_f32(ftz, x)
#define OUT_f32(x) out_f32(ftz, sat, x)
#define IN_f64(x) in_f64(ftz, x)
#define OUT_f64(x) out_f64(ftz, sat, x)

ROUNDED(add_f32, f32, a + b)
ROUNDED(sub_f32, f32, a - b)
ROUNDED(mul_f32, f32, a *b)
ROUNDED(fma_f32, f32, __builtin_fmaf(a, b, c))
ROUNDED(div_f32, f32, a / b)
ROUNDED(rcp_f32, f32, 1.0f / a)
ROUNDED(sqrt_f32, f32, __builtin_sqrtf(a))
ROUNDED(add_f64, f64, a + b)
ROUNDED(sub_f64, f64, a - b)
ROUNDED(mul_f64, f64, a *b)
ROUNDED(fma_f64, f64, __builtin_fma(a, b, c))
ROUNDED(div_f64, f64, a / b)
ROUNDED(rcp_f64, f64, 1.0 / a)
ROUNDED(sqrt_f64, f64, __builtin_sqrt(a))
