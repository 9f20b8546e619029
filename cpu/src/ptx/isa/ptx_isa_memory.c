/* ptx_isa_memory.c: loads and stores of global, shared, local and parameter memory (9.7.9.8 -
 * 9.7.9.11).
 *
 * The usual shapes are fast: consecutive addresses are one copy, equal addresses one broadcast,
 * and others within one allocation 32 accesses. The rest (several allocations, a fault, other
 * spaces) is left to ptx_handle_ld_any and ptx_handle_st_any, which work lane by lane and make
 * every check. */
#include "ptx_handlers.h"
#include "ptx_isa.h"
#include "ptx_memory.h"
#include "ptx_offsets.h"
#include "ptx_peer.h"
#include "ptx_scope.h"
#include "ptx_weave.h"

typedef uint8_t PTX_ALIAS M_8;
typedef uint16_t PTX_ALIAS M_16;
typedef uint32_t PTX_ALIAS M_32;
typedef uint64_t PTX_ALIAS M_64;
typedef S_u32 W_8;
typedef S_u32 W_16;
typedef S_u32 W_32;
typedef S_u64 W_64;

/* ---- storage of an address range; NULL when the fast paths do not apply. place_* consider all
 * allocations; near_* only the one that the instruction met last time. ---- */

typedef uint8_t *(*place_function)(ptx_warp *w, const ptx_uop *I, uint64_t low, uint64_t bytes);

static PTX_INLINE uint8_t *near_global (ptx_warp *w, const ptx_uop *I, uint64_t low,
                                        uint64_t bytes) {
  return lcu_likely(ptx_range_holds(&w->last[I->c], low, bytes)) ? (uint8_t *)(uintptr_t)low : NULL;
}
static PTX_INLINE uint8_t *near_shared (ptx_warp *w, const ptx_uop *I, uint64_t low,
                                        uint64_t bytes) {
  (void)I;
  return ptx_shared_at(w, low, bytes);
}
/* From a 64-bit register. Two rows that are far apart give a wrong length, and then one of them is
 * below 64. */
static PTX_INLINE uint8_t *near_shared64 (ptx_warp *w, const ptx_uop *I, uint64_t low,
                                          uint64_t bytes) {
  return lcu_likely(low - 64 <= UINT32_MAX - 64 && bytes <= UINT32_MAX)
           ? near_shared(w, I, low, bytes)
           : NULL;
}
static PTX_INLINE uint8_t *near_generic (ptx_warp *w, const ptx_uop *I, uint64_t low,
                                         uint64_t bytes) {
  if (ptx_in_window(low, ptx_window_shared)) return ptx_peer_at(w, low - ptx_window_shared, bytes);
  return near_global(w, I, low, bytes);
}

static inline uint8_t *place_global (ptx_warp *w, const ptx_uop *I, uint64_t low, uint64_t bytes) {
  return ptx_memory_reachable(w, (uint32_t)I->c, low, bytes) ? (uint8_t *)(uintptr_t)low : NULL;
}
static inline uint8_t *place_shared (ptx_warp *w, const ptx_uop *I, uint64_t low, uint64_t bytes) {
  return near_shared(w, I, low, bytes);
}
static inline uint8_t *place_shared64 (ptx_warp *w, const ptx_uop *I, uint64_t low,
                                       uint64_t bytes) {
  return near_shared64(w, I, low, bytes);
}
static inline uint8_t *place_generic (ptx_warp *w, const ptx_uop *I, uint64_t low, uint64_t bytes) {
  if (ptx_in_window(low, ptx_window_shared)) return ptx_peer_at(w, low - ptx_window_shared, bytes);
  return place_global(w, I, low, bytes);
}

/* Where a row's elements are, how many a lane has, and whether addresses have 64 bits. */
typedef struct layout {
  place_function place;
  uint32_t count;
  bool wide;
} layout;

/* The storage of the lowest address, or NULL; *x: how far above it each lane's is. */
static uint8_t *base_of (ptx_offsets *x, const uint8_t *rf, const ptx_uop *I, ptx_warp *w,
                         const layout *row, uint32_t stride) {
  if (row->wide) ptx_offsets_get64(x, rf, I, w);
  else ptx_offsets_get32(x, rf, I, w);
  if (!x->near || (uint32_t)x->bits % stride != 0) return NULL;
  return row->place(w, I, x->first + (uint64_t)(int64_t)x->low,
                    (uint64_t)((int64_t)x->high - x->low) + stride);
}

/* ---- rows: 16 lanes at consecutive or equal addresses, since thread blocks are often 16 wide. A
 * warp of consecutive addresses is two adjoining rows. ---- */

/* One pass over all addresses: the first two lanes give the shape, which the others must match. */
#define FIND_SHAPE(BITS) \
  static PTX_INLINE void find_shape_##BITS(ptx_shape *r, const uint8_t *slot, uint32_t stride) { \
    enum { PER = PTX_VECTOR / (BITS / 8), HALF = 16 / PER }; \
    typedef ptx_vector_##BITS vector; \
    const vector *p = (const vector *)__builtin_assume_aligned(slot, 64); \
    const S_u##BITS *pa = (const S_u##BITS *)__builtin_assume_aligned(slot, 64); \
    uint##BITS##_t lower = pa[0], upper = pa[16], step = (pa[1] - lower == stride) ? stride : 0; \
    vector differs = { 0 }, \
           ramp = (ptx_iota_##BITS() * stride) & (0 - (uint##BITS##_t)(step != 0)); \
    vector a = ramp + lower, b = ramp + upper; \
    for (int i = 0; i < HALF; i++) { \
      differs |= (p[i] ^ a) | (p[i + HALF] ^ b); \
      a += step * PER; \
      b += step * PER; \
    } \
    r->lower = lower; \
    r->upper = upper; \
    r->bytes = ptx_any_##BITS(differs) ? 0 : (uint32_t)step * 15u + stride; \
  }
FIND_SHAPE(32)
FIND_SHAPE(64)

/* Storage of both rows; lower is NULL when the addresses are not rows, or not in one allocation. */
typedef struct places {
  uint8_t *lower, *upper;
  bool equal;
} places;

#define PLACES_OF(BITS) \
  static PTX_INLINE places places_of_##BITS(const uint8_t *rf, const ptx_uop *I, ptx_warp *w, \
                                            uint32_t stride, place_function place) { \
    ptx_shape *r = &w->shapes[I->c]; \
    if (!(I->flags & PTX_F_KNOWN)) find_shape_##BITS(r, rf + I->a, stride); \
    uint64_t a = ptx_address##BITS((uint##BITS##_t)r->lower, I->imm), \
             b = ptx_address##BITS((uint##BITS##_t)r->upper, I->imm); \
    uint64_t low = a < b ? a : b, high = a < b ? b : a; \
    if (lcu_unlikely(r->bytes == 0 || (a | b) % stride != 0)) \
      return (places){ NULL, NULL, false }; \
    uint8_t *base = place(w, I, low, high - low + r->bytes); \
    return (places){ base != NULL ? base + (a - low) : NULL, base + (b - low), \
                     r->bytes == stride }; \
  }
PLACES_OF(32)
PLACES_OF(64)

/* ---- loads ---- */

/* The register of element e of N. */
#define SLOT_OF(T, e) ((T *)__builtin_assume_aligned(rf + (N == 1 ? I->d : I->extra->slots[e]), 64))

/* Copies 16, 32, 64, ... bytes of a row by vectors, so that no element is torn. */
static inline void copy_row (void *to, const void *from, uint32_t bytes) {
  if (bytes < PTX_VECTOR) {
    memcpy(to, from, bytes);
    return;
  }
  ptx_vector_loose *d = to;
  const ptx_vector_loose *s = from;
  for (uint32_t i = 0; i < bytes / PTX_VECTOR; i++) d[i] = s[i];
}

#define FILL_ROW(BITS, WIDTH) \
  static inline void fill_row_##BITS(W_##BITS *to, W_##BITS value) { \
    ptx_vector_##WIDTH *d = (ptx_vector_##WIDTH *)__builtin_assume_aligned(to, 64), \
                       v = (ptx_vector_##WIDTH){ 0 } + value; \
    for (uint32_t i = 0; i < 16 * WIDTH / 8 / PTX_VECTOR; i++) d[i] = v; \
  }
FILL_ROW(8, 32)
FILL_ROW(16, 32)
FILL_ROW(32, 32)
FILL_ROW(64, 64)

/* Both rows into the registers (take) and back (give), by element size and number of elements:
 * plain, woven as vectors of the host, or packed into one word per lane. on: which lanes to write,
 * as words of the register's width; NULL: all. */
#define PLAIN(BITS) \
  static PTX_INLINE void take_##BITS##_1(uint8_t *rf, const ptx_uop *I, const uint8_t *lower, \
                                         const uint8_t *upper, const W_##BITS *on) { \
    if (on == NULL) { \
      copy_row(rf + I->d, lower, 16 * BITS / 8); \
      copy_row(rf + I->d + 16 * BITS / 8, upper, 16 * BITS / 8); \
      return; \
    } \
    W_##BITS *pd = (W_##BITS *)__builtin_assume_aligned(rf + I->d, 64); \
    const M_##BITS *from = (const M_##BITS *)(const void *)lower; \
    PTX_IVDEP PTX_EACH_LANE(l) pd[l] = (from[l] & on[l]) | (pd[l] & ~on[l]); \
  } \
  static PTX_INLINE void give_##BITS##_1(const uint8_t *rf, const ptx_uop *I, uint8_t *lower, \
                                         uint8_t *upper) { \
    copy_row(lower, rf + I->d, 16 * BITS / 8); \
    copy_row(upper, rf + I->d + 16 * BITS / 8, 16 * BITS / 8); \
  }
PLAIN(32)
PLAIN(64)

#define WOVEN(BITS, NUM) \
  static PTX_INLINE void take_##BITS##_##NUM(uint8_t *rf, const ptx_uop *I, const uint8_t *lower, \
                                             const uint8_t *upper, const W_##BITS *on) { \
    enum { N = NUM, HALF = 16 * BITS / 8 / PTX_VECTOR }; \
    ptx_vector_##BITS v[N]; \
    for (int k = 0; k < 2 * HALF; k++) { \
      ptx_unweave##NUM##_##BITS(v, (k < HALF ? lower : upper) + k % HALF * N * PTX_VECTOR); \
      for (int e = 0; e < N; e++) { \
        ptx_vector_##BITS *pd = &SLOT_OF(ptx_vector_##BITS, e)[k]; \
        if (on == NULL) { \
          *pd = v[e]; \
        } else { \
          ptx_vector_##BITS m = ((const ptx_vector_##BITS *)(const void *)on)[k]; \
          *pd = (v[e] & m) | (*pd & ~m); \
        } \
      } \
    } \
  } \
  static PTX_INLINE void give_##BITS##_##NUM(const uint8_t *rf, const ptx_uop *I, uint8_t *lower, \
                                             uint8_t *upper) { \
    enum { N = NUM, HALF = 16 * BITS / 8 / PTX_VECTOR }; \
    ptx_vector_##BITS v[N]; \
    for (int k = 0; k < 2 * HALF; k++) { \
      for (int e = 0; e < N; e++) v[e] = SLOT_OF(const ptx_vector_##BITS, e)[k]; \
      ptx_weave##NUM##_##BITS((k < HALF ? lower : upper) + k % HALF * N * PTX_VECTOR, v); \
    } \
  }
WOVEN(32, 2)
WOVEN(32, 4)
WOVEN(64, 2)

#define PACKED(BITS, NUM, WORD) \
  static PTX_INLINE void take_##BITS##_##NUM(uint8_t *rf, const ptx_uop *I, const uint8_t *lower, \
                                             const uint8_t *upper, const W_##BITS *on) { \
    enum { N = NUM }; \
    _Alignas(64) M_##WORD all[PTX_LANES]; \
    copy_row(all, lower, 16 * WORD / 8); \
    copy_row(all + 16, upper, 16 * WORD / 8); \
    for (uint32_t e = 0; e < N; e++) { \
      S_u32 *pd = SLOT_OF(S_u32, e); \
      PTX_IVDEP PTX_EACH_LANE(l) { \
        uint32_t v = (M_##BITS)(all[l] >> (e * BITS)); \
        pd[l] = on == NULL ? v : (v & on[l]) | (pd[l] & ~on[l]); \
      } \
    } \
  } \
  static PTX_INLINE void give_##BITS##_##NUM(const uint8_t *rf, const ptx_uop *I, uint8_t *lower, \
                                             uint8_t *upper) { \
    enum { N = NUM }; \
    _Alignas(64) M_##WORD all[PTX_LANES]; \
    for (uint32_t e = 0; e < N; e++) { \
      const S_u32 *pd = SLOT_OF(const S_u32, e); \
      PTX_IVDEP PTX_EACH_LANE(l) { \
        M_##WORD v = (M_##WORD)((M_##WORD)(M_##BITS)pd[l] << (e * BITS)); \
        all[l] = e == 0 ? v : (M_##WORD)(all[l] | v); \
      } \
    } \
    copy_row(lower, all, 16 * WORD / 8); \
    copy_row(upper, all + 16, 16 * WORD / 8); \
  }
/* clang-format off */
PACKED(8, 1, 8) PACKED(8, 2, 16) PACKED(8, 4, 32)
PACKED(16, 1, 16) PACKED(16, 2, 32) PACKED(16, 4, 64)
/* clang-format on */

/* Reads the values at the offsets into v, one by one: gathers are slower on most processors. */
#define READ_EACH(BITS) \
  static inline void read_each_##BITS(W_##BITS *v, const uint8_t *p, const ptx_offsets *x) { \
    if (x->low == x->high) { \
      W_##BITS same = *(const M_##BITS *)(const void *)p; \
      PTX_IVDEP PTX_EACH_LANE(l) v[l] = same; \
    } else { \
      PTX_EACH_LANE(l) v[l] = *(const volatile M_##BITS *)(const void *)(p + x->at[l]); \
    } \
  }
  READ_EACH(8) READ_EACH(16) READ_EACH(32) READ_EACH(64)

/* ---- any addresses, all in one allocation, which need not be the one that is near ---- */

#define LOAD_REST(BITS) \
  static const ptx_uop *load_rest_##BITS(PTX_HANDLER_ARGS, const layout *row) { \
    const uint32_t N = row->count; \
    ptx_offsets x; \
    uint8_t *base = base_of(&x, rf, I, w, row, N * BITS / 8); \
    if (base == NULL) return ptx_handle_ld_any(I, rf, w); \
    const S_s32 *on = (const S_s32 *)__builtin_assume_aligned(w->lanes, 64); \
    for (uint32_t e = 0; e < N; e++) { \
      W_##BITS *pd = SLOT_OF(W_##BITS, e); \
      const uint8_t *from = base - x.low + e * (BITS / 8); \
      if (w->mask == UINT32_MAX) { \
        read_each_##BITS(pd, from, &x); \
        continue; \
      } \
      _Alignas(64) W_##BITS v[PTX_LANES]; \
      read_each_##BITS(v, from, &x); \
      PTX_IVDEP PTX_EACH_LANE(l) pd[l] = on[l] ? v[l] : pd[l]; \
    } \
    return I + 1; \
  }
#define STORE_REST(BITS) \
  static const ptx_uop *store_rest_##BITS(PTX_HANDLER_ARGS, const layout *row) { \
    const uint32_t N = row->count; \
    ptx_offsets x; \
    uint8_t *base = base_of(&x, rf, I, w, row, N * BITS / 8); \
    if (base == NULL) return ptx_handle_st_any(I, rf, w); \
    for (uint32_t e = 0; e < N; e++) { \
      const W_##BITS *pd = SLOT_OF(const W_##BITS, e); \
      uint8_t *p = base - x.low + e * (BITS / 8); \
      PTX_EACH_ACTIVE(l, w->mask) * (M_##BITS *)(void *)(p + x.at[l]) = (M_##BITS)pd[l]; \
    } \
    w->stored = 1; \
    return I + 1; \
  }
  /* clang-format off */
LOAD_REST(8) LOAD_REST(16) LOAD_REST(32) LOAD_REST(64)
STORE_REST(8) STORE_REST(16) STORE_REST(32) STORE_REST(64)
/* clang-format on */

#define REST(name, what, SPACE, A, BITS, N_) \
  static const ptx_uop *PTX_CAT(name, rest)(PTX_HANDLER_ARGS) { \
    static const layout row = { place_##SPACE, N_, A == 64 }; \
    return what##_rest_##BITS(I, rf, w, &row); \
  }

/* ---- any addresses, all in the memory that is near: one by one, in the order of the lanes.
 * Gathers were slower (Zen 5: 12 to 15 ns for a warp, 9 to 12 one by one). ---- */

/* The storage of an active lane's element. */
#define PLACE_OF_LANE(A, l) \
  (x.at + (uint##A##_t)(PTX_SLOT(u##A, rf, I->a)[l] + (uint##A##_t)I->imm - (uint##A##_t)x.base))

#define LOAD_LANE(A, BITS, l) \
  const uint8_t *from = PLACE_OF_LANE(A, l); \
  for (uint32_t e = 0; e < N; e++) \
    SLOT_OF(W_##BITS, e)[l] = ((const volatile M_##BITS *)(const void *)from)[e];

#define STORE_LANE(A, BITS, l) \
  volatile M_##BITS *to = (volatile M_##BITS *)(void *)PLACE_OF_LANE(A, l); \
  for (uint32_t e = 0; e < N; e++) to[e] = (M_##BITS)SLOT_OF(const W_##BITS, e)[l];

/* Four words of each of four lanes from l on. */
#define LOAD_FOURS(SPACE, A, l) \
  ptx_vector_four v[4]; \
  next_##SPACE(PLACE_OF_LANE(A, l)); \
  for (uint32_t i = 0; i < 4; i++) \
    v[i] = *(const ptx_loose_four *)(const void *)PLACE_OF_LANE(A, l + i); \
  ptx_turn_fours(v); \
  for (uint32_t e = 0; e < 4; e++) *(ptx_vector_four *)(void *)(SLOT_OF(S_u32, e) + l) = v[e];

#define STORE_FOURS(SPACE, A, l) \
  ptx_vector_four v[4]; \
  for (uint32_t e = 0; e < 4; e++) \
    v[e] = *(const ptx_vector_four *)(const void *)(SLOT_OF(const S_u32, e) + l); \
  ptx_turn_fours(v); \
  for (uint32_t i = 0; i < 4; i++) *(ptx_loose_four *)(void *)PLACE_OF_LANE(A, l + i) = v[i];

#define EACH(name, SPACE, A, BITS, N_, LANE, FOURS, DONE) \
  static const ptx_uop *PTX_CAT(name, each)(PTX_HANDLER_ARGS) { \
    enum { N = N_, STRIDE = N_ * BITS / 8 }; \
    const scope x = scope_##SPACE(w, I); \
    if (!all_inside_##A(rf, I, w, &x, STRIDE)) return PTX_CAT(name, rest)(I, rf, w); \
    if (w->mask == UINT32_MAX && BITS == 32 && N == 4) { \
      for (uint32_t l = 0; l < PTX_LANES; l += 4) { FOURS(SPACE, A, l) } \
    } else if (w->mask == UINT32_MAX) { \
      PTX_EACH_LANE(l) { LANE(A, BITS, l) } \
    } else { \
      PTX_EACH_ACTIVE(l, w->mask) { LANE(A, BITS, l) } \
    } \
    DONE return I + 1; \
  }

#define LOAD(name, SPACE, A, BITS, N_) \
  PTX_HANDLER_DECLARE(name) \
  REST(name, load, SPACE, A, BITS, N_) \
  EACH(name, SPACE, A, BITS, N_, LOAD_LANE, LOAD_FOURS, ) \
  const ptx_uop *PTX_FULL(name)(PTX_HANDLER_ARGS) { \
    enum { N = N_, STRIDE = N_ * BITS / 8 }; \
    places p = places_of_##A(rf, I, w, STRIDE, near_##SPACE); \
    if (lcu_unlikely(p.lower == NULL)) return PTX_CAT(name, each)(I, rf, w); \
    if (lcu_likely(!p.equal)) { \
      take_##BITS##_##N_(rf, I, p.lower, p.upper, NULL); \
      return I + 1; \
    } \
    for (uint32_t e = 0; e < N; e++) { \
      W_##BITS *pd = SLOT_OF(W_##BITS, e); \
      fill_row_##BITS(pd, ((const M_##BITS *)(const void *)p.lower)[e]); \
      fill_row_##BITS(pd + 16, ((const M_##BITS *)(const void *)p.upper)[e]); \
    } \
    return I + 1; \
  } \
  /* What lanes that are off would load is read as well, if it is in the allocation. */ \
  const ptx_uop *PTX_MASKED(name)(PTX_HANDLER_ARGS) { \
    enum { STRIDE = N_ * BITS / 8 }; \
    uint64_t start; \
    _Alignas(64) uint8_t all[PTX_LANES * STRIDE]; \
    _Alignas(64) S_s64 wide[PTX_LANES]; \
    (void)wide; \
    if (!is_part_##A(rf, I, w, STRIDE, &start)) return PTX_CAT(name, each)(I, rf, w); \
    const uint8_t *p = near_##SPACE(w, I, start, PTX_LANES * STRIDE); \
    if (p == NULL) { \
      part on = part_of(w, STRIDE); \
      p = near_##SPACE(w, I, start + on.from, on.bytes); \
      if (p == NULL) return PTX_CAT(name, rest)(I, rf, w); \
      PTX_EACH_ACTIVE(l, w->mask) memcpy(all + l * STRIDE, p + l * STRIDE - on.from, STRIDE); \
      p = all; \
    } \
    take_##BITS##_##N_(rf, I, p, p + 16 * STRIDE, WORDS_##BITS(w, wide)); \
    return I + 1; \
  }

/* Kernels that store vectors write large results in order: the lines that a later store will write
 * start to load now. */
#define AHEAD 4096
      static PTX_INLINE void ahead_global(const uint8_t *p, uint32_t bytes) {
  for (uint32_t at = 0; at < bytes; at += 64) __builtin_prefetch(p + AHEAD + at, 1);
}
static PTX_INLINE void ahead_generic (const uint8_t *p, uint32_t bytes) {
  (void)p;
  (void)bytes;
}
#define ahead_shared ahead_generic
#define ahead_shared64 ahead_generic

/* Lanes that read parts of rows read what follows there next, in kernels that go through matrices
 * by tiles. */
#define NEXT_COLUMNS 128
static PTX_INLINE void next_global (const uint8_t *p) { __builtin_prefetch(p + NEXT_COLUMNS); }
static PTX_INLINE void next_generic (const uint8_t *p) { (void)p; }
#define next_shared next_generic
#define next_shared64 next_generic

#define STORE(name, SPACE, A, BITS, N_) \
  PTX_HANDLER_DECLARE(name) \
  REST(name, store, SPACE, A, BITS, N_) \
  EACH(name, SPACE, A, BITS, N_, STORE_LANE, STORE_FOURS, w->stored = 1;) \
  const ptx_uop *PTX_FULL(name)(PTX_HANDLER_ARGS) { \
    enum { N = N_, STRIDE = N_ * BITS / 8 }; \
    places p = places_of_##A(rf, I, w, STRIDE, near_##SPACE); \
    if (lcu_unlikely(p.lower == NULL || p.equal)) return PTX_CAT(name, each)(I, rf, w); \
    w->stored = 1; \
    if (N > 1) ahead_##SPACE(p.lower, PTX_LANES *STRIDE); \
    give_##BITS##_##N_(rf, I, p.lower, p.upper); \
    return I + 1; \
  } \
  const ptx_uop *PTX_MASKED(name)(PTX_HANDLER_ARGS) { \
    enum { STRIDE = N_ * BITS / 8 }; \
    uint64_t start; \
    if (!is_part_##A(rf, I, w, STRIDE, &start)) return PTX_CAT(name, each)(I, rf, w); \
    part on = part_of(w, STRIDE); \
    uint8_t *p = near_##SPACE(w, I, start + on.from, on.bytes); \
    if (p == NULL) return PTX_CAT(name, rest)(I, rf, w); \
    _Alignas(64) uint8_t all[PTX_LANES * STRIDE]; \
    give_##BITS##_##N_(rf, I, all, all + 16 * STRIDE); \
    PTX_EACH_ACTIVE(l, w->mask) memcpy(p + l * STRIDE - on.from, all + l * STRIDE, STRIDE); \
    w->stored = 1; \
    return I + 1; \
  }

/* clang-format off */
#define SIZES(ROW, name, SPACE, A) \
  ROW(name##_8, SPACE, A, 8, 1) ROW(name##_16, SPACE, A, 16, 1) \
  ROW(name##_32, SPACE, A, 32, 1) ROW(name##_64, SPACE, A, 64, 1) \
  ROW(name##_v2_32, SPACE, A, 32, 2) ROW(name##_v4_32, SPACE, A, 32, 4) \
  ROW(name##_v2_64, SPACE, A, 64, 2) ROW(name##_v2_8, SPACE, A, 8, 2) \
  ROW(name##_v4_8, SPACE, A, 8, 4) ROW(name##_v2_16, SPACE, A, 16, 2) \
  ROW(name##_v4_16, SPACE, A, 16, 4)
/* clang-format on */

SIZES(LOAD, ld_global, global, 64)
SIZES(LOAD, ld_generic, generic, 64)
SIZES(LOAD, ld_shared, shared64, 64)
SIZES(LOAD, ld_shared32, shared, 32)
SIZES(STORE, st_global, global, 64)
SIZES(STORE, st_generic, generic, 64)
SIZES(STORE, st_shared, shared64, 64)
SIZES(STORE, st_shared32, shared, 32)

/* ---- local memory: the same offset in all lanes is 32 consecutive words ---- */

/* The words of all lanes, when all active lanes use the same offset and it is in bounds; otherwise
 * NULL. */
static inline S_u32 *local_row (const uint8_t *rf, const ptx_uop *I, const ptx_warp *w,
                                uint32_t bytes) {
  uint64_t at = (uint64_t)I->imm + w->local_base;
  if (!(I->flags & PTX_F_DIRECT)) {
    const S_u64 *pa = PTX_SLOT(u64, rf, I->a);
    const S_s32 *on = (const S_s32 *)__builtin_assume_aligned(w->lanes, 64);
    uint64_t first = pa[__builtin_ctz(w->mask)], differs = 0;
    PTX_EACH_LANE(l) differs |= on[l] ? pa[l] ^ first : 0;
    if (differs != 0) return NULL;
    at = ptx_address64(first, I->imm);
  }
  if (at % bytes != 0 || at >= w->local_bytes || bytes > w->local_bytes - at) return NULL;
  return (S_u32 *)__builtin_assume_aligned(w->local + at * PTX_LANES, 64);
}

#define LOCAL(name, BITS, OTHERWISE, BODY) \
  PTX_HANDLER_DECLARE(name) \
  const ptx_uop *PTX_MASKED(name)(PTX_HANDLER_ARGS) { \
    S_u32 *row = local_row(rf, I, w, BITS / 8); \
    if (row == NULL) return OTHERWISE(I, rf, w); \
    W_##BITS *pd = (W_##BITS *)__builtin_assume_aligned(rf + I->d, 64); \
    const S_s32 *on = (const S_s32 *)__builtin_assume_aligned(w->lanes, 64); \
    PTX_IVDEP PTX_EACH_LANE(l) { BODY } \
    return I + 1; \
  } \
  const ptx_uop *PTX_FULL(name)(PTX_HANDLER_ARGS) { return PTX_MASKED(name)(I, rf, w); }

LOCAL(ld_local_32, 32, ptx_handle_ld_any, uint32_t v = row[l]; pd[l] = on[l] ? v : pd[l];)
LOCAL(ld_local_64, 64, ptx_handle_ld_any, uint64_t v = row[l] | (uint64_t)row[l + PTX_LANES] << 32;
      pd[l] = on[l] ? v : pd[l];)
LOCAL(st_local_32, 32, ptx_handle_st_any, uint32_t v = pd[l]; row[l] = on[l] ? v : row[l];)
LOCAL(st_local_64, 64, ptx_handle_st_any, uint64_t v = pd[l]; uint32_t lo = (uint32_t)v;
      uint32_t hi = (uint32_t)(v >> 32); row[l] = on[l] ? lo : row[l];
      row[l + PTX_LANES] = on[l] ? hi : row[l + PTX_LANES];)

/* ---- kernel parameters: the decoder has checked imm against the parameter block ---- */

#define PARAM(name, BITS) \
  PTX_HANDLER_DECLARE(name) \
  const ptx_uop *PTX_FULL(name)(PTX_HANDLER_ARGS) { \
    W_##BITS *pd = (W_##BITS *)__builtin_assume_aligned(rf + I->d, 64), v; \
    memcpy(&v, w->params + I->imm, sizeof v); \
    PTX_IVDEP PTX_EACH_LANE(l) pd[l] = v; \
    return I + 1; \
  } \
  const ptx_uop *PTX_MASKED(name)(PTX_HANDLER_ARGS) { \
    W_##BITS *pd = (W_##BITS *)__builtin_assume_aligned(rf + I->d, 64), v; \
    const S_s32 *on = (const S_s32 *)__builtin_assume_aligned(w->lanes, 64); \
    memcpy(&v, w->params + I->imm, sizeof v); \
    PTX_IVDEP PTX_EACH_LANE(l) pd[l] = on[l] ? v : pd[l]; \
    return I + 1; \
  }
PARAM(ld_param_32, 32)
PARAM(ld_param_64, 64)
