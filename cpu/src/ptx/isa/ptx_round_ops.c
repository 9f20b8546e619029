/* ptx_round_ops.c: conversions with a directed rounding (.rz .rm .rp). Compiled with
 * -frounding-math. */
#include <fenv.h>

#include "ptx_handlers.h"
#include "ptx_float.h"
#include "ptx_lanes.h"
#include "ptx_round.h"

static int host_mode (ptx_round r) {
  switch (r) {
    case PTX_ROUND_RZ: return FE_TOWARDZERO;
    case PTX_ROUND_RM: return FE_DOWNWARD;
    case PTX_ROUND_RP: return FE_UPWARD;
    default: return FE_TONEAREST;
  }
}

#define MODE_OF(I) ((ptx_round)((I)->imm & 255))

/* A 64-bit integer rounded to odd: the bits below the precision of double are folded into the last
 * one. Another rounding, to a narrower format, then gives the same result as a single one. */
static double odd_from_u64 (uint64_t v) {
  int drop = v >> 53 ? 11 - __builtin_clzll(v) : 0;
  uint64_t kept = v >> drop;
  if (drop && (v & (((uint64_t)1 << drop) - 1))) kept |= 1;
  return ldexp((double)kept, drop);
}
static double odd_from_s64 (int64_t v) {
  return v < 0 ? -odd_from_u64(0u - (uint64_t)v) : odd_from_u64((uint64_t)v);
}

static uint64_t source_bits (const ptx_uop *I, const uint8_t *rf, ptx_type t, uint32_t lane) {
  uint32_t bytes = ptx_type_bytes(t);
  if (bytes == 8) return PTX_SLOT(u64, rf, I->a)[lane];
  uint32_t v = PTX_SLOT(u32, rf, I->a)[lane];
  return bytes == 4 ? v : bytes == 2 ? (uint16_t)v : (uint8_t)v;
}

/* The source as a double: exact, or rounded to odd. */
static double source_value (ptx_type t, uint64_t bits) {
  switch (t) {
    case PTX_F32: return (double)lcu_bits_f32((uint32_t)bits);
    case PTX_F64: return ptx_bits_f64(bits);
    case PTX_F16: return (double)PTX_H2F((uint16_t)bits);
    case PTX_BF16: return PTX_B2F((uint16_t)bits);
    case PTX_S8: return (int8_t)bits;
    case PTX_S16: return (int16_t)bits;
    case PTX_S32: return (int32_t)bits;
    case PTX_S64: return odd_from_s64((int64_t)bits);
    default: return odd_from_u64(bits);
  }
}

/* The next half up or down. Both formats are ordered by sign and magnitude. */
static uint16_t half_step (uint16_t h, bool up) {
  bool negative = h & 0x8000u;
  if ((h & 0x7fffu) == 0) return up ? 0x0001u : 0x8001u;
  return negative == up ? (uint16_t)(h - 1u) : (uint16_t)(h + 1u);
}

/* `h` is x rounded to nearest, with the value `back`: corrects it for the rounding r. */
static uint16_t half_direct (uint16_t h, double back, double x, ptx_round r) {
  if (x != x || back == x) return h;
  bool too_high = back > x, positive = x > 0;
  switch (r) {
    case PTX_ROUND_RZ: return too_high == positive ? half_step(h, !positive) : h;
    case PTX_ROUND_RM: return too_high ? half_step(h, false) : h;
    case PTX_ROUND_RP: return too_high ? h : half_step(h, true);
    default: return h;
  }
}

static uint32_t to_half (double x, ptx_type t, ptx_round r) {
  uint16_t h = t == PTX_F16 ? lcu_double_to_half(x) : lcu_double_to_bf16(x);
  double back = t == PTX_F16 ? (double)PTX_H2F(h) : PTX_B2F(h);
  return half_direct(h, back, x, r);
}

/* The processor itself rounds to f32 and f64, in the mode that is set. */
static float to_f32 (ptx_type s, uint64_t bits) {
  return s == PTX_S64   ? (float)(int64_t)bits
         : s == PTX_U64 ? (float)odd_from_u64(bits)
                        : (float)source_value(s, bits);
}
static double to_f64 (ptx_type s, uint64_t bits) {
  if (s == PTX_S64) return (double)(int64_t)bits;
  if (s != PTX_U64) return source_value(s, bits);
  return (double)(uint32_t)(bits >> 32) * 4294967296.0 + (double)(uint32_t)bits;
}

static void cvt_to_half (const ptx_uop *I, uint8_t *rf, uint32_t mask, ptx_type d, ptx_type s) {
  PTX_EACH_ACTIVE(l, mask)
  PTX_SLOT(u32, rf, I->d)[l] = to_half(source_value(s, source_bits(I, rf, s, l)), d, MODE_OF(I));
}

/* The mode is set once for all lanes: that takes longer than a conversion. */
static void cvt_by_mode (const ptx_uop *I, uint8_t *rf, uint32_t mask, ptx_type d, ptx_type s) {
  fesetround(host_mode(MODE_OF(I)));
  PTX_EACH_ACTIVE(l, mask) {
    uint64_t bits = source_bits(I, rf, s, l);
    if (d == PTX_F64) PTX_SLOT(u64, rf, I->d)[l] = ptx_f64_bits(to_f64(s, bits));
    else PTX_SLOT(u32, rf, I->d)[l] = lcu_f32_bits(to_f32(s, bits));
  }
  fesetround(FE_TONEAREST);
}

const ptx_uop *ptx_handle_round_cvt (const ptx_uop *I, uint8_t *rf, ptx_warp *w) {
  ptx_type d = (ptx_type)((I->imm >> 16) & 255), s = (ptx_type)((I->imm >> 24) & 255);
  if (d == PTX_F64 || d == PTX_F32) cvt_by_mode(I, rf, w->mask, d, s);
  else cvt_to_half(I, rf, w->mask, d, s);
  return I + 1;
}
