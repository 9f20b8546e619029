/* ptx_atomic_wide.h: compare-and-swap of 16 bytes at an address that is a multiple of 16. The
 * compilers call libatomic for it, which this library does not need otherwise. */
#ifndef PTX_ATOMIC_WIDE_H
#define PTX_ATOMIC_WIDE_H

#include "lcu_base.h"

typedef struct ptx_wide {
  uint64_t low, high;
} ptx_wide;

/* Stores `now` if *old is there; otherwise *old becomes what is there. Sequentially consistent. */
static inline bool ptx_wide_swap (uint8_t *at, ptx_wide *old, ptx_wide now) {
  ptx_wide *p = (ptx_wide *)(void *)at;
#if defined(__x86_64__)
  bool done;
  __asm__ volatile("lock cmpxchg16b %1"
                   : "=@ccz"(done), "+m"(*p), "+a"(old->low), "+d"(old->high)
                   : "b"(now.low), "c"(now.high)
                   : "memory");
  return done;
#elif defined(__aarch64__)
  ptx_wide seen, put;
  uint32_t failed;
  /* If the comparison fails, the old value is stored back: only a successful store shows that both
   * halves belong together. */
  __asm__ volatile("0: ldaxp %[low], %[high], %[at]\n\t"
                   "cmp %[low], %[old_low]\n\t"
                   "ccmp %[high], %[old_high], #0, eq\n\t"
                   "csel %[put_low], %[now_low], %[low], eq\n\t"
                   "csel %[put_high], %[now_high], %[high], eq\n\t"
                   "stlxp %w[failed], %[put_low], %[put_high], %[at]\n\t"
                   "cbnz %w[failed], 0b"
                   : [low] "=&r"(seen.low), [high] "=&r"(seen.high), [put_low] "=&r"(put.low),
                     [put_high] "=&r"(put.high), [failed] "=&r"(failed), [at] "+Q"(*p)
                   : [old_low] "r"(old->low), [old_high] "r"(old->high), [now_low] "r"(now.low),
                     [now_high] "r"(now.high)
                   : "cc", "memory");
  bool done = seen.low == old->low && seen.high == old->high;
  *old = seen;
  return done;
#else
#error "no compare-and-swap of 16 bytes for this processor"
#endif
}

#endif
