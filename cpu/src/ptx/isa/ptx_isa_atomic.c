/* ptx_isa_atomic.c: atomics on words of 32 and 64 bits in shared and global memory. All addresses
 * are checked at once; the words change one after the other, in the order of the lanes. What does
 * not pass the check is left to ptx_handle_atom. atom_global_* take generic addresses and those of
 * a cluster as well. */
#include "ptx_atomic_value.h"
#include "ptx_handlers.h"
#include "ptx_isa.h"
#include "ptx_memory.h"
#include "ptx_offsets.h"
#include "ptx_peer.h"

typedef uint32_t PTX_ALIAS word_32;
typedef uint64_t PTX_ALIAS word_64;

/* ---- one word: returns the old value ---- */

#define CHANGE_ONE(BITS) \
  static PTX_INLINE uint##BITS##_t change_shared_##BITS(word_##BITS *p, ptx_mode mode, ptx_type t, \
                                                        uint##BITS##_t b, uint##BITS##_t c, \
                                                        uint##BITS##_t *now) { \
    uint##BITS##_t old = *p; \
    *now = (uint##BITS##_t)ptx_atomic_value(mode, t, old, b, c); \
    *p = *now; \
    return old; \
  } \
  static PTX_INLINE uint##BITS##_t change_global_##BITS(word_##BITS *p, ptx_mode mode, ptx_type t, \
                                                        uint##BITS##_t b, uint##BITS##_t c, \
                                                        uint##BITS##_t *now) { \
    if (mode == PTX_MODE_add && t == PTX_U##BITS) { \
      uint##BITS##_t before = __atomic_fetch_add(p, b, __ATOMIC_SEQ_CST); \
      *now = before + b; \
      return before; \
    } \
    word_##BITS old = __atomic_load_n(p, __ATOMIC_RELAXED); \
    do *now = (uint##BITS##_t)ptx_atomic_value(mode, t, old, b, c); \
    while ( \
      !__atomic_compare_exchange_n(p, &old, *now, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)); \
    return old; \
  }
CHANGE_ONE(32)
CHANGE_ONE(64)

/* ---- all lanes ---- */

#define CHANGE_ALL(SPACE, BITS) \
  static PTX_INLINE void all_##SPACE##_##BITS(const ptx_uop *I, uint8_t *rf, ptx_warp *w, \
                                              uint8_t *base, const ptx_offsets *x, ptx_mode mode, \
                                              ptx_type t) { \
    const S_u##BITS *b = PTX_SLOT(u##BITS, rf, I->b), *c = PTX_SLOT(u##BITS, rf, I->c); \
    S_u##BITS *d = I->d < 0 ? NULL : PTX_SLOT(u##BITS, rf, I->d); \
    uint##BITS##_t changed = 0; \
    PTX_EACH_ACTIVE(l, w->mask) { \
      uint##BITS##_t now, old = change_##SPACE##_##BITS((word_##BITS *)(void *)(base + x->at[l]), \
                                                        mode, t, b[l], c[l], &now); \
      changed |= old ^ now; \
      if (d != NULL) d[l] = old; \
    } \
    if (changed != 0) w->stored = 1; \
  } \
  static void change_all_##SPACE##_##BITS(const ptx_uop *I, uint8_t *rf, ptx_warp *w, \
                                          uint8_t *base, const ptx_offsets *x) { \
    ptx_mode mode = (ptx_mode)(I->used_bytes & 255u); \
    ptx_type t = (ptx_type)(I->used_bytes >> 8); \
    bool sum = mode == PTX_MODE_add; \
    if (sum && (t == PTX_U##BITS || t == PTX_S##BITS)) \
      all_##SPACE##_##BITS(I, rf, w, base, x, PTX_MODE_add, PTX_U##BITS); \
    else if (sum && t == PTX_F##BITS) \
      all_##SPACE##_##BITS(I, rf, w, base, x, PTX_MODE_add, PTX_F##BITS); \
    else all_##SPACE##_##BITS(I, rf, w, base, x, mode, t); \
  }
CHANGE_ALL(shared, 32)
CHANGE_ALL(shared, 64)
CHANGE_ALL(global, 32)
CHANGE_ALL(global, 64)

/* ---- where they are ---- */

/* The window of shared memory that an address is in, if it is in one. */
static inline bool in_shared (const ptx_uop *I, uint64_t address, uint64_t *window) {
  *window = I->space == PTX_GENERIC ? ptx_window_shared : 0;
  return I->space != PTX_GLOBAL && ptx_in_window(address, *window);
}

static inline uint8_t *place_shared (ptx_warp *w, const ptx_uop *I, uint64_t low, uint64_t bytes) {
  (void)I;
  return low <= UINT32_MAX ? ptx_shared_at(w, low, bytes) : NULL;
}
static inline uint8_t *place_global (ptx_warp *w, const ptx_uop *I, uint64_t low, uint64_t bytes) {
  uint64_t window;
  if (in_shared(I, low, &window)) return ptx_peer_at(w, low - window, bytes);
  if (I->space == PTX_CLUSTER) return NULL;
  return ptx_memory_reachable(w, PTX_SHAPES - 1, low, bytes) ? (uint8_t *)(uintptr_t)low : NULL;
}

/* One worker runs all warps of a cluster, so its shared memory needs no atomic instructions. */
#define CHANGE_shared(BITS) change_all_shared_##BITS(I, rf, w, base - x.low, &x)
#define CHANGE_global(BITS) \
  if (in_shared(I, x.first, &window)) change_all_shared_##BITS(I, rf, w, base - x.low, &x); \
  else change_all_global_##BITS(I, rf, w, base - x.low, &x)

#define ATOMIC(SPACE, BITS) \
  PTX_HANDLER_DECLARE(atom_##SPACE##_##BITS) \
  const ptx_uop *PTX_MASKED(atom_##SPACE##_##BITS)(PTX_HANDLER_ARGS) { \
    enum { BYTES = BITS / 8 }; \
    ptx_offsets x; \
    uint64_t window; \
    (void)window; \
    if (I->flags & PTX_F_ADDRESS32) ptx_offsets_get32(&x, rf, I, w); \
    else ptx_offsets_get64(&x, rf, I, w); \
    uint8_t *base = x.near && x.bits % BYTES == 0 \
                      ? place_##SPACE(w, I, x.first + (uint64_t)(int64_t)x.low, \
                                      (uint64_t)((int64_t)x.high - x.low) + BYTES) \
                      : NULL; \
    if (base == NULL) return ptx_handle_atom(I, rf, w); \
    CHANGE_##SPACE(BITS); \
    return I + 1; \
  } \
  const ptx_uop *PTX_FULL(atom_##SPACE##_##BITS)(PTX_HANDLER_ARGS) { \
    return PTX_MASKED(atom_##SPACE##_##BITS)(I, rf, w); \
  }
ATOMIC(shared, 32)
ATOMIC(shared, 64)
ATOMIC(global, 32)
ATOMIC(global, 64)
