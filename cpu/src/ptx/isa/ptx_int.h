/* ptx_int.h: integer operations of one lane, written so that loops over them vectorize. None of
 * them can trap. */
#ifndef PTX_INT_H
#define PTX_INT_H

#include "lcu_base.h"

/* Products: high halves. */
static inline uint32_t ptx_mulhi_u32 (uint32_t a, uint32_t b) {
  return (uint32_t)(((uint64_t)a * b) >> 32);
}
static inline int32_t ptx_mulhi_s32 (int32_t a, int32_t b) {
  return (int32_t)(((int64_t)a * b) >> 32);
}

static inline uint64_t ptx_mulhi_u64 (uint64_t a, uint64_t b) {
#ifdef __SIZEOF_INT128__
  __extension__ typedef unsigned __int128 wide;
  return (uint64_t)(((wide)a * b) >> 64);
#else
  uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
  uint64_t m = ah * bl + ((al * bl) >> 32), n = al * bh + (uint32_t)m;
  return ah * bh + (m >> 32) + (n >> 32);
#endif
}
static inline int64_t ptx_mulhi_s64 (int64_t a, int64_t b) {
  uint64_t h = ptx_mulhi_u64((uint64_t)a, (uint64_t)b);
  return (int64_t)(h - (a < 0 ? (uint64_t)b : 0) - (b < 0 ? (uint64_t)a : 0));
}

/* Division (9.7.1.8). As in hardware, division by zero gives all ones, as quotient and as
 * remainder; the most negative value divided by -1 wraps. 32 bits are divided in f64, where the
 * truncated quotient is exact. */
static inline uint32_t ptx_div_u32 (uint32_t a, uint32_t b) {
  double q = (double)a / (double)(b ? b : 1u);
  /* In two halves: before AVX-512, processors have no vector conversion to 32 unsigned bits. */
  int32_t big = q >= 2147483648.0;
  uint32_t r = (uint32_t)(int32_t)(big ? q - 2147483648.0 : q) + ((uint32_t)big << 31);
  return b ? r : UINT32_MAX;
}
static inline uint32_t ptx_rem_u32 (uint32_t a, uint32_t b) {
  return b ? a - ptx_div_u32(a, b) * b : UINT32_MAX;
}
static inline int32_t ptx_div_s32 (int32_t a, int32_t b) {
  bool wraps = a == INT32_MIN && b == -1;
  int32_t q = (int32_t)((double)(wraps ? 0 : a) / (double)(b ? b : 1));
  return b ? (wraps ? INT32_MIN : q) : -1;
}
static inline int32_t ptx_rem_s32 (int32_t a, int32_t b) {
  return b ? (int32_t)((uint32_t)a - (uint32_t)ptx_div_s32(a, b) * (uint32_t)b) : -1;
}
static inline uint64_t ptx_div_u64 (uint64_t a, uint64_t b) { return b ? a / b : UINT64_MAX; }
static inline uint64_t ptx_rem_u64 (uint64_t a, uint64_t b) { return b ? a % b : UINT64_MAX; }
static inline int64_t ptx_div_s64 (int64_t a, int64_t b) {
  if (b == -1) return (int64_t)(0u - (uint64_t)a);
  return b ? a / b : -1;
}
static inline int64_t ptx_rem_s64 (int64_t a, int64_t b) { return b == -1 ? 0 : b ? a % b : -1; }

/* Shifts (9.7.8.8, 9.7.8.9): counts are unsigned and clamped. */
#define ptx_shl(a, n, bits) ((n) < (bits) ? (a) << ((n) & ((bits) - 1u)) : 0)
#define ptx_shr_u(a, n, bits) ((n) < (bits) ? (a) >> ((n) & ((bits) - 1u)) : 0)
#define ptx_shr_s(a, n, bits) ((a) >> ((n) < (bits) ? (n) : (bits) - 1u))

static inline int32_t ptx_clamp_s32 (int64_t v) {
  return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : (int32_t)v;
}

/* Signed 24-bit values in the low bits (9.7.1.5). */
static inline int32_t ptx_s24 (int32_t a) { return (int32_t)((uint32_t)a << 8) >> 8; }
static inline uint32_t ptx_u24 (uint32_t a) { return a & 0xffffffu; }

/* Bit counts, written out so that they vectorize. */
static inline uint32_t ptx_popc_u32 (uint32_t x) {
  x -= (x >> 1) & 0x55555555u;
  x = (x & 0x33333333u) + ((x >> 2) & 0x33333333u);
  return (((x + (x >> 4)) & 0x0f0f0f0fu) * 0x01010101u) >> 24;
}
static inline uint32_t ptx_popc_u64 (uint64_t x) {
  return ptx_popc_u32((uint32_t)x) + ptx_popc_u32((uint32_t)(x >> 32));
}
#if defined(__AVX512CD__)
static inline uint32_t ptx_clz_u32 (uint32_t x) { return x ? (uint32_t)__builtin_clz(x) : 32u; }
#else
static inline uint32_t ptx_clz_u32 (uint32_t x) {
  x |= x >> 1;
  x |= x >> 2;
  x |= x >> 4;
  x |= x >> 8;
  x |= x >> 16;
  return 32u - ptx_popc_u32(x);
}
#endif
static inline uint32_t ptx_clz_u64 (uint64_t x) {
  uint32_t h = (uint32_t)(x >> 32);
  return h ? ptx_clz_u32(h) : 32u + ptx_clz_u32((uint32_t)x);
}
static inline uint32_t ptx_brev_u32 (uint32_t x) {
  x = ((x >> 1) & 0x55555555u) | ((x & 0x55555555u) << 1);
  x = ((x >> 2) & 0x33333333u) | ((x & 0x33333333u) << 2);
  x = ((x >> 4) & 0x0f0f0f0fu) | ((x & 0x0f0f0f0fu) << 4);
  x = ((x >> 8) & 0x00ff00ffu) | ((x & 0x00ff00ffu) << 8);
  return (x >> 16) | (x << 16);
}
static inline uint64_t ptx_brev_u64 (uint64_t x) {
  return ((uint64_t)ptx_brev_u32((uint32_t)x) << 32) | ptx_brev_u32((uint32_t)(x >> 32));
}

/* Position of the highest bit that differs from the sign; all ones if no bit does (9.7.1.16). */
static inline uint32_t ptx_bfind_u32 (uint32_t x) { return 31u - ptx_clz_u32(x); }
static inline uint32_t ptx_bfind_u64 (uint64_t x) { return 63u - ptx_clz_u64(x); }
static inline uint32_t ptx_bfind_shift_u32 (uint32_t x) { return x ? ptx_clz_u32(x) : UINT32_MAX; }
static inline uint32_t ptx_bfind_shift_u64 (uint64_t x) { return x ? ptx_clz_u64(x) : UINT32_MAX; }
static inline uint32_t ptx_magnitude_s32 (int32_t x) { return (uint32_t)(x < 0 ? ~x : x); }
static inline uint64_t ptx_magnitude_s64 (int64_t x) { return (uint64_t)(x < 0 ? ~x : x); }

/* The offset-th set bit of mask, counted from base; downwards when offset is negative. Offset 0 is
 * base itself, if set (9.7.1.17). */
static inline uint32_t ptx_fns (uint32_t mask, uint32_t base, int32_t offset) {
  if (base > 31) return UINT32_MAX;
  if (offset == 0) return (mask >> base) & 1u ? base : UINT32_MAX;
  int32_t step = offset > 0 ? 1 : -1, left = offset > 0            ? offset
                                             : offset == INT32_MIN ? INT32_MAX
                                                                   : -offset;
  for (int32_t pos = (int32_t)base; pos >= 0 && pos < 32; pos += step)
    if ((mask >> pos) & 1u && --left == 0) return (uint32_t)pos;
  return UINT32_MAX;
}

/* Bit fields (9.7.1.19, 9.7.1.20): position and length are the low 8 bits of b and c. */
static inline uint32_t ptx_bfe_u32 (uint32_t a, uint32_t b, uint32_t c) {
  uint32_t pos = b & 255u, len = c & 255u, v = ptx_shr_u(a, pos, 32u);
  return len >= 32u ? v : v & ((1u << (len & 31u)) - 1u);
}
static inline uint64_t ptx_bfe_u64 (uint64_t a, uint32_t b, uint32_t c) {
  uint32_t pos = b & 255u, len = c & 255u;
  uint64_t v = ptx_shr_u(a, pos, 64u);
  return len >= 64u ? v : v & (((uint64_t)1 << (len & 63u)) - 1u);
}
/* The signed forms fill above the field with its top bit, taken at most from the operand's top. */
static inline int32_t ptx_bfe_s32 (int32_t a, uint32_t b, uint32_t c) {
  uint32_t pos = b & 255u, len = c & 255u, top = pos + len - 1u < 31u ? pos + len - 1u : 31u;
  if (len == 0) return 0;
  uint32_t fill = ((uint32_t)a >> top) & 1u ? UINT32_MAX : 0u, v = ptx_shr_u((uint32_t)a, pos, 32u);
  uint32_t valid = pos > 31u ? 0u : top - pos + 1u;
  uint32_t keep = valid >= 32u ? UINT32_MAX : (1u << valid) - 1u;
  return (int32_t)((v & keep) | (fill & ~keep));
}
static inline int64_t ptx_bfe_s64 (int64_t a, uint32_t b, uint32_t c) {
  uint32_t pos = b & 255u, len = c & 255u, top = pos + len - 1u < 63u ? pos + len - 1u : 63u;
  if (len == 0) return 0;
  uint64_t fill = ((uint64_t)a >> top) & 1u ? UINT64_MAX : 0u, v = ptx_shr_u((uint64_t)a, pos, 64u);
  uint32_t valid = pos > 63u ? 0u : top - pos + 1u;
  uint64_t keep = valid >= 64u ? UINT64_MAX : ((uint64_t)1 << valid) - 1u;
  return (int64_t)((v & keep) | (fill & ~keep));
}
static inline uint32_t ptx_bfi_b32 (uint32_t a, uint32_t into, uint32_t c, uint32_t d) {
  uint32_t pos = c & 255u, len = d & 255u;
  uint32_t field = len >= 32u ? UINT32_MAX : (1u << (len & 31u)) - 1u,
           mask = ptx_shl(field, pos, 32u);
  return (into & ~mask) | (ptx_shl(a, pos, 32u) & mask);
}
static inline uint64_t ptx_bfi_b64 (uint64_t a, uint64_t into, uint32_t c, uint32_t d) {
  uint32_t pos = c & 255u, len = d & 255u;
  uint64_t field = len >= 64u ? UINT64_MAX : ((uint64_t)1 << (len & 63u)) - 1u,
           mask = ptx_shl(field, pos, 64u);
  return (into & ~mask) | (ptx_shl(a, pos, 64u) & mask);
}

/* 9.7.1.21: zero or sign extension from bit width b; wrap takes b modulo 32, clamp stops at 32. */
static inline uint32_t ptx_szext_u32 (uint32_t a, uint32_t n) {
  return n >= 32u ? a : a & ((1u << (n & 31u)) - 1u);
}
static inline int32_t ptx_szext_s32 (int32_t a, uint32_t n) {
  if (n >= 32u) return a;
  if (n == 0) return 0;
  return (int32_t)((uint32_t)a << (32u - n)) >> (32u - n);
}
/* 9.7.1.22: b ones from bit a. */
static inline uint32_t ptx_bmsk (uint32_t a, uint32_t n) {
  uint32_t ones = n >= 32u ? UINT32_MAX : (1u << (n & 31u)) - 1u;
  return ptx_shl(ones, a, 32u);
}

/* 9.7.8.7: the upper (l) or lower (r) half of b:a shifted. */
static inline uint32_t ptx_shf_l (uint32_t a, uint32_t b, uint32_t n) {
  return n >= 32u ? a : (uint32_t)(((((uint64_t)b << 32) | a) << (n & 31u)) >> 32);
}
static inline uint32_t ptx_shf_r (uint32_t a, uint32_t b, uint32_t n) {
  return n >= 32u ? b : (uint32_t)((((uint64_t)b << 32) | a) >> (n & 31u));
}

/* 9.7.9.7: four bytes selected from b:a; bit 3 of a selector replicates the byte's sign. */
static inline uint32_t ptx_prmt (uint32_t a, uint32_t b, uint32_t sel) {
  uint32_t r = 0;
  for (uint32_t i = 0; i < 4; i++) {
    uint32_t s = sel >> (4 * i), byte = ((s & 4u ? b : a) >> ((s & 3u) * 8u)) & 255u;
    if (s & 8u) byte = byte & 128u ? 255u : 0u;
    r |= byte << (8 * i);
  }
  return r;
}
static inline uint32_t ptx_prmt_mode (uint32_t a, uint32_t b, uint32_t sel,
                                      const uint16_t modes[4]) {
  return ptx_prmt(a, b, modes[sel & 3u]);
}

/* 9.7.8.6: the lookup table as a sum of minterms. */
static inline uint32_t ptx_lop3 (uint32_t a, uint32_t b, uint32_t c, uint32_t lut) {
  uint32_t r = 0;
  for (uint32_t i = 0; i < 8; i++) {
    uint32_t on = 0u - ((lut >> i) & 1u);
    r |= on & (i & 4u ? a : ~a) & (i & 2u ? b : ~b) & (i & 1u ? c : ~c);
  }
  return r;
}

/* 9.7.1.23, 9.7.1.24: dot products of bytes, of halves with two bytes. */
#define ptx_byte_u(x, i) ((int32_t)(((x) >> (8u * (i))) & 255u))
#define ptx_byte_s(x, i) ((int32_t)(int8_t)(((x) >> (8u * (i))) & 255u))
#define ptx_short_u(x, i) ((int32_t)(((x) >> (16u * (i))) & 65535u))
#define ptx_short_s(x, i) ((int32_t)(int16_t)(((x) >> (16u * (i))) & 65535u))
#define ptx_dp4a(A, B, a, b, c) \
  ((c) + (uint32_t)(ptx_byte_##A(a, 0) * ptx_byte_##B(b, 0)) + \
   (uint32_t)(ptx_byte_##A(a, 1) * ptx_byte_##B(b, 1)) + \
   (uint32_t)(ptx_byte_##A(a, 2) * ptx_byte_##B(b, 2)) + \
   (uint32_t)(ptx_byte_##A(a, 3) * ptx_byte_##B(b, 3)))
#define ptx_dp2a(A, B, a, b, c, at) \
  ((c) + (uint32_t)(ptx_short_##A(a, 0) * ptx_byte_##B(b, at)) + \
   (uint32_t)(ptx_short_##A(a, 1) * ptx_byte_##B(b, (at) + 1u)))

/* v saturated to kind & 31 bits, with a sign if kind has bit 5: the bits. */
static inline uint32_t ptx_narrow (int32_t v, uint32_t kind) {
  uint32_t bits = kind & 31u;
  int32_t high = (int32_t)((1u << (kind & 32u ? bits - 1u : bits)) - 1u);
  int32_t low = kind & 32u ? -high - 1 : 0;
  return (uint32_t)(v < low ? low : v > high ? high : v) & ((1u << bits) - 1u);
}

#endif
