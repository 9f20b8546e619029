/* ptx_isa_atomic.c: atomics on 32-bit words of shared and global memory. All addresses are checked
 * at once; the words change one after the other, in the order of the lanes. What does not pass the
 * check is left to ptx_handle_atom. */
#include "ptx_atomic_value.h"
#include "ptx_handlers.h"
#include "ptx_isa.h"
#include "ptx_memory.h"
#include "ptx_offsets.h"

typedef uint32_t PTX_ALIAS word;

/* ---- one word: returns the old value ---- */

static PTX_INLINE uint32_t change_shared (word *p, ptx_mode mode, ptx_type t, uint32_t b,
                                          uint32_t c, uint32_t *now) {
  uint32_t old = *p;
  *now = (uint32_t)ptx_atomic_value(mode, t, old, b, c);
  *p = *now;
  return old;
}

static PTX_INLINE uint32_t change_global (word *p, ptx_mode mode, ptx_type t, uint32_t b,
                                          uint32_t c, uint32_t *now) {
  if (mode == PTX_MODE_add && t == PTX_U32) {
    uint32_t before = __atomic_fetch_add(p, b, __ATOMIC_SEQ_CST);
    *now = before + b;
    return before;
  }
  word old = __atomic_load_n(p, __ATOMIC_RELAXED);
  do *now = (uint32_t)ptx_atomic_value(mode, t, old, b, c);
  while (!__atomic_compare_exchange_n(p, &old, *now, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
  return old;
}

/* ---- all lanes ---- */

#define CHANGE_ALL(SPACE) \
  static PTX_INLINE void all_##SPACE(const ptx_uop *I, uint8_t *rf, ptx_warp *w, uint8_t *base, \
                                     const ptx_offsets *x, ptx_mode mode, ptx_type t) { \
    const S_u32 *b = PTX_SLOT(u32, rf, I->b), *c = PTX_SLOT(u32, rf, I->c); \
    S_u32 *d = I->d < 0 ? NULL : PTX_SLOT(u32, rf, I->d); \
    uint32_t changed = 0; \
    PTX_EACH_ACTIVE(l, w->mask) { \
      uint32_t now, \
        old = change_##SPACE((word *)(void *)(base + x->at[l]), mode, t, b[l], c[l], &now); \
      changed |= old ^ now; \
      if (d != NULL) d[l] = old; \
    } \
    if (changed != 0) w->stored = 1; \
  } \
  static void change_all_##SPACE(const ptx_uop *I, uint8_t *rf, ptx_warp *w, uint8_t *base, \
                                 const ptx_offsets *x) { \
    ptx_mode mode = (ptx_mode)(I->used_bytes & 255u); \
    ptx_type t = (ptx_type)(I->used_bytes >> 8); \
    bool sum = mode == PTX_MODE_add; \
    if (sum && (t == PTX_U32 || t == PTX_S32)) \
      all_##SPACE(I, rf, w, base, x, PTX_MODE_add, PTX_U32); \
    else if (sum && t == PTX_F32) all_##SPACE(I, rf, w, base, x, PTX_MODE_add, PTX_F32); \
    else all_##SPACE(I, rf, w, base, x, mode, t); \
  }
CHANGE_ALL(shared)
CHANGE_ALL(global)

static inline uint8_t *place_shared (ptx_warp *w, uint64_t low, uint64_t bytes) {
  return low <= UINT32_MAX ? ptx_shared_at(w, low, bytes) : NULL;
}
static inline uint8_t *place_global (ptx_warp *w, uint64_t low, uint64_t bytes) {
  return ptx_memory_reachable(w, PTX_SHAPES - 1, low, bytes) ? (uint8_t *)(uintptr_t)low : NULL;
}

#define ATOMIC(SPACE) \
  PTX_HANDLER_DECLARE(atom_##SPACE##_32) \
  const ptx_uop *PTX_MASKED(atom_##SPACE##_32)(PTX_HANDLER_ARGS) { \
    ptx_offsets x; \
    if (I->flags & PTX_F_ADDRESS32) ptx_offsets_get32(&x, rf, I, w); \
    else ptx_offsets_get64(&x, rf, I, w); \
    uint8_t *base = x.near && x.bits % 4 == 0 \
                      ? place_##SPACE(w, x.first + (uint64_t)(int64_t)x.low, \
                                      (uint64_t)((int64_t)x.high - x.low) + 4) \
                      : NULL; \
    if (base == NULL) return ptx_handle_atom(I, rf, w); \
    change_all_##SPACE(I, rf, w, base - x.low, &x); \
    return I + 1; \
  } \
  const ptx_uop *PTX_FULL(atom_##SPACE##_32)(PTX_HANDLER_ARGS) { \
    return PTX_MASKED(atom_##SPACE##_32)(I, rf, w); \
  }
ATOMIC(shared)
ATOMIC(global)
