/* ptx_video.c: scalar video operations (9.7.17). They are rare, so they run lane by lane. */
#include "ptx_video.h"

#include "ptx_handlers.h"
#include "ptx_lanes.h"
#include "ptx_match.h"

__extension__ typedef __int128 wide;

static uint32_t part_bits (uint32_t part) {
  return part == PTX_PART_WORD ? 32 : part < PTX_PART_H0 ? 8 : 16;
}

static uint32_t part_at (uint32_t part) {
  return part == PTX_PART_WORD ? 0
         : part < PTX_PART_H0  ? (part - PTX_PART_B0) * 8
                               : (part - PTX_PART_H0) * 16;
}

static int64_t extend (uint32_t v, uint32_t bits, bool is_signed) {
  int64_t value = v & (uint32_t)(UINT32_MAX >> (32 - bits));
  return is_signed && (value >> (bits - 1)) != 0 ? value - ((int64_t)1 << bits) : value;
}

static int64_t select_part (uint32_t v, uint32_t part, bool is_signed) {
  return extend(v >> part_at(part), part_bits(part), is_signed);
}

static int64_t clamp_to_bits (int64_t v, uint32_t bits, bool is_signed) {
  int64_t low = is_signed ? -((int64_t)1 << (bits - 1)) : 0;
  int64_t high = ((int64_t)1 << (is_signed ? bits - 1 : bits)) - 1;
  return v < low ? low : v > high ? high : v;
}

uint32_t ptx_video_compare (uint32_t compare, int64_t a, int64_t b) {
  switch (compare) {
    case PTX_CMP_eq: return a == b;
    case PTX_CMP_ne: return a != b;
    case PTX_CMP_lt: return a < b;
    case PTX_CMP_le: return a <= b;
    case PTX_CMP_gt: return a > b;
    default: return a >= b;
  }
}

/* Intermediate results have 34 bits. */
static int64_t shifted (const ptx_video *x, int64_t a, int64_t n) {
  if (x->wrap) n &= 31;
  if (n > 32) n = 32;
  if (x->op == PTX_VIDEO_SHR) return a >> n;
  uint64_t bits = ((uint64_t)a << n) & (((uint64_t)1 << 34) - 1);
  return bits >> 33 ? (int64_t)bits - ((int64_t)1 << 34) : (int64_t)bits;
}

static int64_t combine_video (const ptx_video *x, int64_t a, int64_t b) {
  switch (x->op) {
    case PTX_VIDEO_ADD: return a + b;
    case PTX_VIDEO_SUB: return a - b;
    case PTX_VIDEO_ABSDIFF: return a > b ? a - b : b - a;
    case PTX_VIDEO_MIN: return a < b ? a : b;
    case PTX_VIDEO_MAX: return a > b ? a : b;
    case PTX_VIDEO_SET: return ptx_video_compare(x->compare, a, b);
    default: return shifted(x, a, b);
  }
}

static uint32_t merge (const ptx_video *x, uint32_t v, uint32_t c) {
  uint32_t keep = (UINT32_MAX >> (32 - part_bits(x->d_part))) << part_at(x->d_part);
  return (v << part_at(x->d_part) & keep) | (c & ~keep);
}

/* The second operation takes both values in the type of the result. */
static uint32_t second (const ptx_video *x, int64_t v, uint32_t c) {
  int64_t a = extend((uint32_t)v, 32, x->d_signed), b = extend(c, 32, x->d_signed);
  switch (x->second) {
    case PTX_VIDEO_THEN_ADD: return (uint32_t)v + c;
    case PTX_VIDEO_THEN_MIN: return (uint32_t)(a < b ? a : b);
    case PTX_VIDEO_THEN_MAX: return (uint32_t)(a > b ? a : b);
    case PTX_VIDEO_MERGE: return merge(x, (uint32_t)v, c);
    default: return (uint32_t)v;
  }
}

/* a * b + c. The result is unsigned if nothing in it has a sign. */
static uint32_t multiply_add (const ptx_video *x, int64_t a, int64_t b, uint32_t c) {
  bool sign = x->a_signed || x->b_signed || x->negate_product || x->negate_c;
  wide product = (wide)a * b, addend = extend(x->negate_c ? ~c : c, 32, sign);
  if (x->negate_product) product = -product;
  wide v = (product + addend + (x->plus_one || x->negate_c)) >> x->scale;
  wide low = sign ? INT32_MIN : 0, high = sign ? INT32_MAX : (int64_t)UINT32_MAX;
  if (x->sat) v = v < low ? low : v > high ? high : v;
  return (uint32_t)v;
}

static uint32_t video_lane (const ptx_video *x, uint32_t wa, uint32_t wb, uint32_t c) {
  int64_t a = select_part(wa, x->a_part, x->a_signed), b = select_part(wb, x->b_part, x->b_signed);
  if (x->op == PTX_VIDEO_MAD) return multiply_add(x, a, b, c);
  int64_t v = combine_video(x, a, b);
  return second(x, x->sat ? clamp_to_bits(v, part_bits(x->d_part), x->d_signed) : v, c);
}

const ptx_uop *ptx_handle_video (const ptx_uop *I, uint8_t *rf, ptx_warp *w) {
  ptx_video x = ptx_video_unpack(I->imm);
  S_u32 *d = PTX_SLOT(u32, rf, I->d);
  const S_u32 *a = PTX_SLOT(u32, rf, I->a), *b = PTX_SLOT(u32, rf, I->b),
              *c = PTX_SLOT(u32, rf, I->c);
  PTX_EACH_ACTIVE(l, w->mask) d[l] = video_lane(&x, a[l], b[l], c[l]);
  return I + 1;
}
