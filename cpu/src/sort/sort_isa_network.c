/* sort_isa_network.c: Batcher's networks for any number of vectors: bitonic merges for keys, whose
 * last steps stay in registers; odd-even merges for pairs, which do not fit there. PTX_ISA names
 * the instruction set. */
#include "sort_network.h"

#ifndef PTX_ISA
#error "PTX_ISA must name the instruction set"
#endif

#if defined(__AVX512F__)
enum { BYTES = 64 };
#elif defined(__AVX2__)
enum { BYTES = 32 };
#else
enum { BYTES = 16 };
#endif

#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#define KEEP_LOOP _Pragma("clang loop unroll(disable)")
#else
#define UNROLL _Pragma("GCC unroll 64")
#define KEEP_LOOP _Pragma("GCC unroll 1") /* the whole loop becomes one vector operation */
#endif

/* Vectors that are sorted in registers. */
enum { BLOCK = SORT_NETWORK_BLOCK };

/* Every comparison moves the lesser element to the lower place: the first step of a merge compares
 * with the mirror image. So vectors beyond the last one, which would hold the greatest elements,
 * need not exist. */
#define KEYS(name, T) \
  typedef T vec_##name __attribute__((vector_size(BYTES))); \
  static inline void exchange_##name(vec_##name *a, vec_##name *b) { \
    const vec_##name x = *a, y = *b; \
    vec_##name low, high; \
    KEEP_LOOP for (int l = 0; l < BYTES / (int)sizeof(T); l++) { \
      low[l] = x[l] < y[l] ? x[l] : y[l]; \
      high[l] = x[l] < y[l] ? y[l] : x[l]; \
    } \
    *a = low; \
    *b = high; \
  } \
  static inline void flip_##name(vec_##name *r, int flip, int bit) { \
    UNROLL for (int i = 0; i < BLOCK; i++) if ((i & bit) == 0) \
      exchange_##name(&r[i], &r[i ^ flip]); \
  } \
  static inline void load_##name(vec_##name *r, const vec_##name *v) { \
    UNROLL for (int i = 0; i < BLOCK; i++) r[i] = v[i]; \
  } \
  static inline void store_##name(const vec_##name *r, vec_##name *v) { \
    UNROLL for (int i = 0; i < BLOCK; i++) v[i] = r[i]; \
  } \
  static void sort_##name(vec_##name *v) { \
    vec_##name r[BLOCK]; \
    load_##name(r, v); \
    flip_##name(r, 1, 1); \
    flip_##name(r, 3, 2), flip_##name(r, 1, 1); \
    flip_##name(r, 7, 4), flip_##name(r, 2, 2), flip_##name(r, 1, 1); \
    store_##name(r, v); \
  } \
  static void finish_##name(vec_##name *v) { \
    vec_##name r[BLOCK]; \
    load_##name(r, v); \
    flip_##name(r, 4, 4), flip_##name(r, 2, 2), flip_##name(r, 1, 1); \
    store_##name(r, v); \
  } \
  static void mirror_##name(vec_##name *v, int64_t n, int64_t k) { \
    for (int64_t from = 0; from < n; from += k) \
      for (int64_t i = from + k <= n ? 0 : from + k - n; i < k / 2; i++) \
        exchange_##name(&v[from + i], &v[from + k - 1 - i]); \
  } \
  static void step_##name(vec_##name *v, int64_t n, int64_t j) { \
    for (int64_t from = 0; from + j < n; from += 2 * j) \
      for (int64_t i = from; i < from + j && i + j < n; i++) exchange_##name(&v[i], &v[i + j]); \
  } \
  static void name(T *first, int64_t m) { \
    vec_##name *v = (vec_##name *)(void *)first; \
    const int64_t n = (m + BLOCK - 1) / BLOCK * BLOCK; \
    for (int64_t i = m; i < n; i++) v[i] = ~(vec_##name){ 0 }; \
    for (int64_t i = 0; i < n; i += BLOCK) sort_##name(v + i); \
    for (int64_t k = 2 * BLOCK; k / 2 < n; k *= 2) { \
      mirror_##name(v, n, k); \
      for (int64_t j = k / 4; j >= BLOCK; j /= 2) step_##name(v, n, j); \
      for (int64_t i = 0; i < n; i += BLOCK) finish_##name(v + i); \
    } \
  }

KEYS(keys8, uint8_t)
KEYS(keys16, uint16_t)
KEYS(keys32, uint32_t)
KEYS(keys64, uint64_t)

/* Batcher's merge exchange (Knuth, The Art of Computer Programming, volume 3, algorithm 5.2.2M):
 * EXCHANGE(i, j) for every comparison of a network of m vectors. */
#define NETWORK(m, EXCHANGE) \
  do { \
    int64_t top = 1; \
    while (top < (m)) top <<= 1; \
    top >>= 1; \
    for (int64_t p = top; p > 0; p >>= 1) { \
      int64_t r = 0, d = p; \
      for (int64_t q = top;; d = q - p, q >>= 1, r = p) { \
        for (int64_t from = r; from < (m) - d; from += 2 * p) { \
          int64_t to = from + p < (m) - d ? from + p : (m) - d; \
          for (int64_t i = from; i < to; i++) EXCHANGE(i, i + d); \
        } \
        if (q == p) break; \
      } \
    } \
  } while (0)

enum { N64 = BYTES / sizeof(uint64_t) };

static inline void exchange_pairs (uint64_t *restrict a, uint64_t *restrict b, uint64_t *restrict p,
                                   uint64_t *restrict q) {
  for (int l = 0; l < N64; l++) {
    const uint64_t x = a[l], y = b[l], s = p[l], t = q[l];
    const uint64_t swap = 0 - (uint64_t)((x > y) | ((x == y) & (s > t)));
    const uint64_t v = (x ^ y) & swap, w = (s ^ t) & swap;
    a[l] = x ^ v;
    b[l] = y ^ v;
    p[l] = s ^ w;
    q[l] = t ^ w;
  }
}

#define EXCHANGE_PAIRS(i, j) \
  exchange_pairs(v + (i) * N64, v + (j) * N64, w + (i) * N64, w + (j) * N64)

static void pairs64 (uint64_t *v, uint64_t *w, int64_t m) { NETWORK(m, EXCHANGE_PAIRS); }

#define JOIN(a, b) a##b
#define ISA(name) JOIN(sort_isa_, name)

const sort_network ISA(PTX_ISA) = {
  LCU_ISA_NAME(PTX_ISA), BYTES, keys8, keys16, keys32, keys64, pairs64
};
