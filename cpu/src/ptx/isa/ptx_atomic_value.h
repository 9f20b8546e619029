/* ptx_atomic_value.h: what an atomic leaves in memory. */
#ifndef PTX_ATOMIC_VALUE_H
#define PTX_ATOMIC_VALUE_H

#include "ptx_float.h"
#include "ptx_lanes.h"
#include "ptx_match.h"

static inline uint64_t ptx_atomic_sum (ptx_type t, uint64_t a, uint64_t b) {
  switch (t) {
    case PTX_F32: return lcu_f32_bits(lcu_bits_f32((uint32_t)a) + lcu_bits_f32((uint32_t)b));
    case PTX_F64: return ptx_f64_bits(ptx_bits_f64(a) + ptx_bits_f64(b));
    case PTX_F16: return PTX_F2H(PTX_H2F((uint16_t)a) + PTX_H2F((uint16_t)b));
    case PTX_BF16: return PTX_F2B(PTX_B2F((uint16_t)a) + PTX_B2F((uint16_t)b));
    case PTX_F16X2:
      return PTX_PAIR(PTX_F2H(PTX_H2F(PTX_HALF_LO(a)) + PTX_H2F(PTX_HALF_LO(b))),
                      PTX_F2H(PTX_H2F(PTX_HALF_HI(a)) + PTX_H2F(PTX_HALF_HI(b))));
    case PTX_BF16X2:
      return PTX_PAIR(PTX_F2B(PTX_B2F(PTX_HALF_LO(a)) + PTX_B2F(PTX_HALF_LO(b))),
                      PTX_F2B(PTX_B2F(PTX_HALF_HI(a)) + PTX_B2F(PTX_HALF_HI(b))));
    default: return a + b;
  }
}

static inline bool ptx_atomic_less (ptx_type t, uint64_t a, uint64_t b) {
  switch (t) {
    case PTX_S32: return (int32_t)a < (int32_t)b;
    case PTX_S64: return (int64_t)a < (int64_t)b;
    case PTX_U32: return (uint32_t)a < (uint32_t)b;
    default: return a < b;
  }
}

/* min and max of halves: a number rather than NaN. */
static inline uint64_t ptx_atomic_half (ptx_mode mode, ptx_type t, uint64_t old, uint64_t b) {
  double x = t == PTX_F16 ? PTX_H2F((uint16_t)old) : PTX_B2F((uint16_t)old),
         y = t == PTX_F16 ? PTX_H2F((uint16_t)b) : PTX_B2F((uint16_t)b);
  bool better = mode == PTX_MODE_min ? y < x : y > x;
  return better || x != x ? b : old;
}

static inline bool ptx_atomic_is_half (ptx_type t) { return t >= PTX_F16 && t <= PTX_BF16X2; }

/* min and max of one or two halves. */
static inline uint64_t ptx_atomic_halves (ptx_mode mode, ptx_type t, uint64_t old, uint64_t b) {
  if (t == PTX_F16 || t == PTX_BF16) return ptx_atomic_half(mode, t, old, b);
  ptx_type part = t == PTX_F16X2 ? PTX_F16 : PTX_BF16;
  return PTX_PAIR(ptx_atomic_half(mode, part, PTX_HALF_LO(old), PTX_HALF_LO(b)),
                  ptx_atomic_half(mode, part, PTX_HALF_HI(old), PTX_HALF_HI(b)));
}

static PTX_INLINE uint64_t ptx_atomic_value (ptx_mode mode, ptx_type t, uint64_t old, uint64_t b,
                                             uint64_t c) {
  switch (mode) {
    case PTX_MODE_add: return ptx_atomic_sum(t, old, b);
    case PTX_MODE_min:
      if (ptx_atomic_is_half(t)) return ptx_atomic_halves(mode, t, old, b);
      return ptx_atomic_less(t, b, old) ? b : old;
    case PTX_MODE_max:
      if (ptx_atomic_is_half(t)) return ptx_atomic_halves(mode, t, old, b);
      return ptx_atomic_less(t, old, b) ? b : old;
    case PTX_MODE_inc: return (uint32_t)old >= (uint32_t)b ? 0 : old + 1;
    case PTX_MODE_dec: return old == 0 || (uint32_t)old > (uint32_t)b ? b : old - 1;
    case PTX_MODE_exch: return b;
    case PTX_MODE_cas: return old == b ? c : old;
    case PTX_MODE_and: return old & b;
    case PTX_MODE_or: return old | b;
    case PTX_MODE_xor: return old ^ b;
    default: return old;
  }
}

#endif
