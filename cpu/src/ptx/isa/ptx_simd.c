/* ptx_simd.c: operations on two halves or four bytes of a word (9.7.18). They are rare, so they
 * run lane by lane. */
#include "ptx_simd.h"

#include "ptx_handlers.h"
#include "ptx_lanes.h"
#include "ptx_video.h"

typedef ptx_simd simd;

static int32_t element (uint64_t ab, uint32_t index, const simd *x, bool is_signed) {
  uint32_t part = (uint32_t)(ab >> (index * x->bits)) & ((1u << x->bits) - 1u);
  return is_signed && (part >> (x->bits - 1)) ? (int32_t)part - (1 << x->bits) : (int32_t)part;
}

static int32_t combine_simd (const simd *x, int32_t a, int32_t b) {
  switch (x->op) {
    case PTX_SIMD_ADD: return a + b;
    case PTX_SIMD_SUB: return a - b;
    /* rounds half away from zero */
    case PTX_SIMD_AVRG: return (a + b + (a + b >= 0)) >> 1;
    case PTX_SIMD_ABSDIFF: return a > b ? a - b : b - a;
    case PTX_SIMD_MIN: return a < b ? a : b;
    case PTX_SIMD_SET: return (int32_t)ptx_video_compare(x->compare, a, b);
    default: return a > b ? a : b;
  }
}

static int32_t saturate (const simd *x, int32_t v) {
  int32_t low = x->d_signed ? -(1 << (x->bits - 1)) : 0,
          high = (1 << (x->d_signed ? x->bits - 1 : x->bits)) - 1;
  return !x->sat ? v : v < low ? low : v > high ? high : v;
}

/* The elements of one lane that the mask selects: in the place of those of c, or added up onto c
 * before they are cut to their width. */
static uint32_t simd_lane (const simd *x, uint64_t ab, uint32_t c) {
  uint32_t keep = (1u << x->bits) - 1u, d = c;
  for (uint32_t k = 0; k < 32 / x->bits; k++) {
    int32_t a = element(ab, x->a_select >> (3 * k) & 7, x, x->a_signed),
            b = element(ab, x->b_select >> (3 * k) & 7, x, x->b_signed);
    uint32_t v = (uint32_t)saturate(x, combine_simd(x, a, b));
    if ((x->mask >> k & 1) == 0) continue;
    d = x->accumulate ? d + v : (d & ~(keep << (k * x->bits))) | (v & keep) << (k * x->bits);
  }
  return d;
}

const ptx_uop *ptx_handle_simd (const ptx_uop *I, uint8_t *rf, ptx_warp *w) {
  simd x = ptx_simd_unpack(I->imm);
  S_u32 *d = PTX_SLOT(u32, rf, I->d);
  const S_u32 *a = PTX_SLOT(u32, rf, I->a), *b = PTX_SLOT(u32, rf, I->b),
              *c = PTX_SLOT(u32, rf, I->c);
  PTX_EACH_ACTIVE(l, w->mask) d[l] = simd_lane(&x, a[l] | (uint64_t)b[l] << 32, c[l]);
  return I + 1;
}
