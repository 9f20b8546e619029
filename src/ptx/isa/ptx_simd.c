/* ptx_simd.c: operations on two halves or four bytes of a word (9.7.18). They are rare, so they
 * run lane by lane. */
#include "ptx_simd.h"

#include "ptx_handlers.h"
#include "ptx_lanes.h"

typedef ptx_simd simd;

static int32_t element (uint32_t v, uint32_t at, const simd *x, bool is_signed) {
  uint32_t part = (v >> at) & ((1u << x->bits) - 1u);
  return is_signed && (part >> (x->bits - 1)) ? (int32_t)part - (1 << x->bits) : (int32_t)part;
}

static int32_t combine (const simd *x, int32_t a, int32_t b) {
  switch (x->op) {
    case PTX_SIMD_ADD: return a + b;
    case PTX_SIMD_SUB: return a - b;
    /* rounds half away from zero */
    case PTX_SIMD_AVRG: return (a + b + (a + b >= 0)) >> 1;
    case PTX_SIMD_ABSDIFF: return a > b ? a - b : b - a;
    case PTX_SIMD_MIN: return a < b ? a : b;
    default: return a > b ? a : b;
  }
}

static int32_t saturate (const simd *x, int32_t v) {
  int32_t low = x->d_signed ? -(1 << (x->bits - 1)) : 0,
          high = (1 << (x->d_signed ? x->bits - 1 : x->bits)) - 1;
  return !x->sat ? v : v < low ? low : v > high ? high : v;
}

/* All elements of one lane: side by side, or added up onto c. */
static uint32_t simd_lane (const simd *x, uint32_t a, uint32_t b, uint32_t c) {
  uint32_t packed = 0, keep = (1u << x->bits) - 1u;
  for (uint32_t at = 0; at < 32; at += x->bits) {
    int32_t v =
      saturate(x, combine(x, element(a, at, x, x->a_signed), element(b, at, x, x->b_signed)));
    packed |= ((uint32_t)v & keep) << at;
    c += (uint32_t)element((uint32_t)v, 0, x, x->d_signed);
  }
  return x->accumulate ? c : packed;
}

const ptx_uop *ptx_handle_simd (const ptx_uop *I, uint8_t *rf, ptx_warp *w) {
  simd x = ptx_simd_unpack(I->imm);
  S_u32 *d = PTX_SLOT(u32, rf, I->d);
  const S_u32 *a = PTX_SLOT(u32, rf, I->a), *b = PTX_SLOT(u32, rf, I->b),
              *c = PTX_SLOT(u32, rf, I->c);
  PTX_EACH_ACTIVE(l, w->mask) d[l] = simd_lane(&x, a[l], b[l], c[l]);
  return I + 1;
}
