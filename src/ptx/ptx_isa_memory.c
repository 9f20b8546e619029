/* ptx_isa_memory.c: loads and stores of global, shared, local and parameter memory (9.7.9.8 - 9.7.9.11).
 *
 * The usual shapes are quick: addresses that follow each other are one copy, equal addresses one broadcast, anything else
 * within one allocation 32 accesses. Whatever does not fit (several allocations, a fault, odd spaces)
 * goes lane by lane through ptx_exec_ld_any and ptx_exec_st_any, which know every check. */
#include "ptx_isa.h"
#include "ptx_memory.h"

typedef uint8_t PTX_ALIAS M_8; typedef uint16_t PTX_ALIAS M_16; typedef uint32_t PTX_ALIAS M_32; typedef uint64_t PTX_ALIAS M_64;
typedef S_u32 W_8; typedef S_u32 W_16; typedef S_u32 W_32; typedef S_u64 W_64;

/* Offsets of all lanes from the first active one; lanes that are off have 0. */
typedef struct offsets {
  _Alignas(64) int32_t at[PTX_LANES];
  uint64_t first;
  int32_t low, high, bits;          /* least, greatest, or of all with the address of the first */
  bool near;                        /* all fit 32 bits */
} offsets;

static inline uint64_t address32 (uint32_t base, int64_t imm) { return (uint32_t)(base + (uint32_t)imm); }
static inline uint64_t address64 (uint64_t base, int64_t imm) { return base + (uint64_t)imm; }

static inline void offsets_reduce (offsets *x) {
  int32_t low = 0, high = 0, bits = (int32_t)(uint32_t)x->first;
  PTX_EACH_LANE(l) {
    int32_t v = x->at[l];
    low = v < low ? v : low;
    high = v > high ? v : high;
    bits |= v;
  }
  x->low = low; x->high = high; x->bits = bits;
}

static inline void offsets_get32 (offsets *x, const uint8_t *rf, const ptx_insn *I, const ptx_warp *w) {
  const S_u32 *pa = PTX_SLOT(u32, rf, I->a);
  const S_s32 *on = (const S_s32 *)__builtin_assume_aligned(w->lanes, 64);
  uint32_t first = pa[__builtin_ctz(w->mask)];
  x->first = address32(first, I->imm);
  uint32_t far = 0;
  PTX_EACH_LANE(l) {
    uint32_t v = (pa[l] - first) & (uint32_t)on[l];
    x->at[l] = (int32_t)v;
    far |= v + 0x40000000u;                               /* within a gigabyte: 32-bit sums cannot wrap */
  }
  x->near = far <= INT32_MAX && x->first < 0x40000000u;
  offsets_reduce(x);
}

static inline void offsets_get64 (offsets *x, const uint8_t *rf, const ptx_insn *I, const ptx_warp *w) {
  const S_u64 *pa = PTX_SLOT(u64, rf, I->a);
  const S_s32 *on = (const S_s32 *)__builtin_assume_aligned(w->lanes, 64);
  uint64_t first = pa[__builtin_ctz(w->mask)], far = 0;
  x->first = address64(first, I->imm);
  PTX_EACH_LANE(l) {
    uint64_t v = (pa[l] - first) & (uint64_t)(int64_t)on[l];
    x->at[l] = (int32_t)(uint32_t)v;
    far |= v + 0x40000000u;
  }
  x->near = far <= INT32_MAX;
  offsets_reduce(x);
}

/* Groups of 16 lanes (rows of a block that is 16 wide) at consecutive, or at equal addresses. */
static inline bool offsets_rows (const offsets *x, int32_t stride) {
  uint32_t differs = 0;
  const int32_t *at = (const int32_t *)__builtin_assume_aligned(x->at, 64);
  PTX_EACH_LANE(l) differs |= (uint32_t)(at[l] - at[l & 16u]) ^ ((uint32_t)stride * (l & 15u));
  return differs == 0;
}

/* ---- where an address range lies: the storage of its first byte, NULL when the quick ways do not fit ---- */

static inline uint8_t *place_global (ptx_warp *w, uint64_t low, uint64_t bytes) {
  return lcu_likely(ptx_memory_reachable(w, low, bytes)) ? (uint8_t *)(uintptr_t)low : NULL;
}
static inline uint8_t *place_shared (ptx_warp *w, uint64_t low, uint64_t bytes) {
  return lcu_likely(low < w->shared_bytes && bytes <= w->shared_bytes - low) ? w->shared + low : NULL;
}
static inline uint8_t *place_shared32 (ptx_warp *w, uint64_t low, uint64_t bytes) { return place_shared(w, low, bytes); }
static inline uint8_t *place_generic (ptx_warp *w, uint64_t low, uint64_t bytes) {
  if (ptx_in_window(low, ptx_window_shared)) return place_shared(w, low - ptx_window_shared, bytes);
  return place_global(w, low, bytes);
}

/* Storage of consecutive accesses of `stride` bytes by all lanes, NULL when they are not. */
static inline uint8_t *consecutive64 (const uint8_t *rf, const ptx_insn *I, ptx_warp *w, uint32_t stride,
                                      uint8_t *(*place) (ptx_warp *, uint64_t, uint64_t)) {
  const S_u64 *pa = PTX_SLOT(u64, rf, I->a);
  uint64_t first = pa[0], differs = 0, at = address64(first, I->imm);
  PTX_EACH_LANE(l) differs |= (pa[l] - first) ^ ((uint64_t)stride * l);
  return differs == 0 && at % stride == 0 ? place(w, at, (uint64_t)stride * PTX_LANES) : NULL;
}
static inline uint8_t *consecutive32 (const uint8_t *rf, const ptx_insn *I, ptx_warp *w, uint32_t stride,
                                      uint8_t *(*place) (ptx_warp *, uint64_t, uint64_t)) {
  const S_u32 *pa = PTX_SLOT(u32, rf, I->a);
  uint32_t first = pa[0], differs = 0;
  uint64_t at = address32(first, I->imm);
  PTX_EACH_LANE(l) differs |= (pa[l] - first) ^ (stride * l);
  return differs == 0 && at % stride == 0 ? place(w, at, (uint64_t)stride * PTX_LANES) : NULL;
}

/* ---- loads ---- */

/* Registers are N slots; p[e] is element e's. */
#define SLOT_OF(T, e) ((T *)__builtin_assume_aligned(rf + (N == 1 ? I->d : I->extra->slots[e]), 64))

/* What lies at the offsets, into v; read one by one: gathers are slower on most processors. */
#define READ_EACH(BITS, v, p, x) \
  for (uint32_t l = 0; l < PTX_LANES; ++l) v[l] = *(const volatile M_##BITS *)(const void *)((p) + (x)->at[l]);

#define READ_SHAPE(BITS) \
  static inline void read_shape_##BITS (W_##BITS *v, const uint8_t *p, const offsets *x, bool full, int32_t stride) { \
    if (x->low == x->high) { \
      W_##BITS same = *(const M_##BITS *)(const void *)p; \
      PTX_IVDEP PTX_EACH_LANE(l) v[l] = same; \
    } else if (full && stride == BITS / 8 && offsets_rows(x, BITS / 8)) { \
      const M_##BITS *upper = (const M_##BITS *)(const void *)(p + x->at[16]), *lower = (const M_##BITS *)(const void *)p; \
      for (uint32_t l = 0; l < 16; ++l) { v[l] = lower[l]; v[l + 16] = upper[l]; } \
    } else if (full && offsets_rows(x, 0)) { \
      W_##BITS lower = *(const M_##BITS *)(const void *)p, upper = *(const M_##BITS *)(const void *)(p + x->at[16]); \
      for (uint32_t l = 0; l < 16; ++l) { v[l] = lower; v[l + 16] = upper; } \
    } else { \
      READ_EACH(BITS, v, p, x) \
    } \
  }
READ_SHAPE(8)
READ_SHAPE(16)
READ_SHAPE(32)
READ_SHAPE(64)

#define LOAD(name, SPACE, A, BITS, N_) \
  PTX_HANDLER_DECLARE(name) \
  static const ptx_insn *PTX_CAT(name, rest) (PTX_HANDLER_ARGS) { \
    enum { N = N_, STRIDE = N_ * BITS / 8 }; \
    offsets x; \
    offsets_get##A(&x, rf, I, w); \
    uint8_t *base = x.near && x.bits % STRIDE == 0 \
      ? place_##SPACE(w, x.first + (uint64_t)(int64_t)x.low, (uint64_t)((int64_t)x.high - x.low) + STRIDE) : NULL; \
    if (!base) return ptx_exec_ld_any(I, rf, w); \
    const S_s32 *on = (const S_s32 *)__builtin_assume_aligned(w->lanes, 64); \
    bool full = w->mask == UINT32_MAX; \
    for (uint32_t e = 0; e < N; ++e) { \
      W_##BITS *pd = SLOT_OF(W_##BITS, e); \
      _Alignas(64) W_##BITS v[PTX_LANES]; \
      read_shape_##BITS(v, base - x.low + e * (BITS / 8), &x, full, STRIDE); \
      PTX_IVDEP PTX_EACH_LANE(l) pd[l] = on[l] ? v[l] : pd[l]; \
    } \
    return I + 1; \
  } \
  const ptx_insn *PTX_FULL(name) (PTX_HANDLER_ARGS) { \
    enum { N = N_, STRIDE = N_ * BITS / 8 }; \
    const M_##BITS *p = (const M_##BITS *)(const void *)consecutive##A(rf, I, w, STRIDE, place_##SPACE); \
    if (!p) return PTX_CAT(name, rest)(I, rf, w); \
    for (uint32_t e = 0; e < N; ++e) { \
      W_##BITS *pd = SLOT_OF(W_##BITS, e); \
      PTX_IVDEP PTX_EACH_LANE(l) pd[l] = p[l * N + e]; \
    } \
    return I + 1; \
  } \
  const ptx_insn *PTX_MASKED(name) (PTX_HANDLER_ARGS) { return PTX_CAT(name, rest)(I, rf, w); }

#define STORE(name, SPACE, A, BITS, N_) \
  PTX_HANDLER_DECLARE(name) \
  static const ptx_insn *PTX_CAT(name, rest) (PTX_HANDLER_ARGS) { \
    enum { N = N_, STRIDE = N_ * BITS / 8 }; \
    offsets x; \
    offsets_get##A(&x, rf, I, w); \
    uint8_t *base = x.near && x.bits % STRIDE == 0 \
      ? place_##SPACE(w, x.first + (uint64_t)(int64_t)x.low, (uint64_t)((int64_t)x.high - x.low) + STRIDE) : NULL; \
    if (!base) return ptx_exec_st_any(I, rf, w); \
    for (uint32_t e = 0; e < N; ++e) { \
      const W_##BITS *pd = SLOT_OF(const W_##BITS, e); \
      uint8_t *p = base - x.low + e * (BITS / 8); \
      PTX_EACH_ACTIVE(l, w->mask) *(M_##BITS *)(void *)(p + x.at[l]) = (M_##BITS)pd[l]; \
    } \
    w->stored = 1; \
    return I + 1; \
  } \
  const ptx_insn *PTX_FULL(name) (PTX_HANDLER_ARGS) { \
    enum { N = N_, STRIDE = N_ * BITS / 8 }; \
    M_##BITS *p = (M_##BITS *)(void *)consecutive##A(rf, I, w, STRIDE, place_##SPACE); \
    if (!p) return PTX_CAT(name, rest)(I, rf, w); \
    for (uint32_t e = 0; e < N; ++e) { \
      const W_##BITS *pd = SLOT_OF(const W_##BITS, e); \
      PTX_IVDEP PTX_EACH_LANE(l) p[l * N + e] = (M_##BITS)pd[l]; \
    } \
    w->stored = 1; \
    return I + 1; \
  } \
  const ptx_insn *PTX_MASKED(name) (PTX_HANDLER_ARGS) { return PTX_CAT(name, rest)(I, rf, w); }

#define SIZES(ROW, name, SPACE, A) \
  ROW(name##_8, SPACE, A, 8, 1) ROW(name##_16, SPACE, A, 16, 1) ROW(name##_32, SPACE, A, 32, 1) ROW(name##_64, SPACE, A, 64, 1) \
  ROW(name##_v2_32, SPACE, A, 32, 2) ROW(name##_v4_32, SPACE, A, 32, 4) ROW(name##_v2_64, SPACE, A, 64, 2)

SIZES(LOAD, ld_global, global, 64)
SIZES(LOAD, ld_generic, generic, 64)
SIZES(LOAD, ld_shared, shared, 64)
SIZES(LOAD, ld_shared32, shared32, 32)
SIZES(STORE, st_global, global, 64)
SIZES(STORE, st_generic, generic, 64)
SIZES(STORE, st_shared, shared, 64)
SIZES(STORE, st_shared32, shared32, 32)

/* ---- local memory: one offset for all lanes is a row of words ---- */

/* The row of the word all active lanes mean, NULL when they mean several or it is out of bounds. */
static inline S_u32 *local_row (const uint8_t *rf, const ptx_insn *I, const ptx_warp *w, uint32_t bytes) {
  uint64_t at = (uint64_t)I->imm + w->local_base;
  if (!(I->flags & PTX_F_DIRECT)) {
    const S_u64 *pa = PTX_SLOT(u64, rf, I->a);
    const S_s32 *on = (const S_s32 *)__builtin_assume_aligned(w->lanes, 64);
    uint64_t first = pa[__builtin_ctz(w->mask)], differs = 0;
    PTX_EACH_LANE(l) differs |= on[l] ? pa[l] ^ first : 0;
    if (differs != 0) return NULL;
    at = address64(first, I->imm);
  }
  if (at % bytes != 0 || at >= w->local_bytes || bytes > w->local_bytes - at) return NULL;
  return (S_u32 *)__builtin_assume_aligned(w->local + at * PTX_LANES, 64);
}

#define LOCAL(name, BITS, OTHERWISE, BODY) \
  PTX_HANDLER_DECLARE(name) \
  const ptx_insn *PTX_MASKED(name) (PTX_HANDLER_ARGS) { \
    S_u32 *row = local_row(rf, I, w, BITS / 8); \
    if (!row) return OTHERWISE(I, rf, w); \
    W_##BITS *pd = (W_##BITS *)__builtin_assume_aligned(rf + I->d, 64); \
    const S_s32 *on = (const S_s32 *)__builtin_assume_aligned(w->lanes, 64); \
    PTX_IVDEP PTX_EACH_LANE(l) { BODY } \
    return I + 1; \
  } \
  const ptx_insn *PTX_FULL(name) (PTX_HANDLER_ARGS) { return PTX_MASKED(name)(I, rf, w); }

LOCAL(ld_local_32, 32, ptx_exec_ld_any, uint32_t v = row[l]; pd[l] = on[l] ? v : pd[l];)
LOCAL(ld_local_64, 64, ptx_exec_ld_any, uint64_t v = row[l] | (uint64_t)row[l + PTX_LANES] << 32; pd[l] = on[l] ? v : pd[l];)
LOCAL(st_local_32, 32, ptx_exec_st_any, uint32_t v = pd[l]; row[l] = on[l] ? v : row[l];)
LOCAL(st_local_64, 64, ptx_exec_st_any, uint64_t v = pd[l]; uint32_t lo = (uint32_t)v; uint32_t hi = (uint32_t)(v >> 32);
      row[l] = on[l] ? lo : row[l]; row[l + PTX_LANES] = on[l] ? hi : row[l + PTX_LANES];)

/* ---- kernel parameters: the decoder has checked imm against the parameter block ---- */

#define PARAM(name, BITS) \
  PTX_HANDLER_DECLARE(name) \
  const ptx_insn *PTX_FULL(name) (PTX_HANDLER_ARGS) { \
    W_##BITS *pd = (W_##BITS *)__builtin_assume_aligned(rf + I->d, 64), v; \
    memcpy(&v, w->params + I->imm, sizeof v); \
    PTX_IVDEP PTX_EACH_LANE(l) pd[l] = v; \
    return I + 1; \
  } \
  const ptx_insn *PTX_MASKED(name) (PTX_HANDLER_ARGS) { \
    W_##BITS *pd = (W_##BITS *)__builtin_assume_aligned(rf + I->d, 64), v; \
    const S_s32 *on = (const S_s32 *)__builtin_assume_aligned(w->lanes, 64); \
    memcpy(&v, w->params + I->imm, sizeof v); \
    PTX_IVDEP PTX_EACH_LANE(l) pd[l] = on[l] ? v : pd[l]; \
    return I + 1; \
  }
PARAM(ld_param_32, 32)
PARAM(ld_param_64, 64)
