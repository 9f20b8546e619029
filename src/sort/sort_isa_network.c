/* sort_isa_network.c: Batcher's network of odd-even merges (Knuth, The Art of Computer Programming,
 * volume 3, algorithm 5.2.2M), for any number of vectors. PTX_ISA names the instruction set. */
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

/* Runs EXCHANGE(i, j) for every comparison of a network of m vectors. */
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

#define KEYS(name, T) \
  static inline void exchange_##name(T *restrict a, T *restrict b) { \
    for (int l = 0; l < BYTES / (int)sizeof(T); l++) { \
      const T x = a[l], y = b[l]; \
      a[l] = x < y ? x : y; \
      b[l] = x < y ? y : x; \
    } \
  } \
  static void name(T *v, int64_t m) { \
    enum { N = BYTES / sizeof(T) }; \
    NETWORK(m, EXCHANGE_##name); \
  }

#define EXCHANGE_keys8(i, j) exchange_keys8(v + (i) * N, v + (j) * N)
#define EXCHANGE_keys16(i, j) exchange_keys16(v + (i) * N, v + (j) * N)
#define EXCHANGE_keys32(i, j) exchange_keys32(v + (i) * N, v + (j) * N)
#define EXCHANGE_keys64(i, j) exchange_keys64(v + (i) * N, v + (j) * N)

KEYS(keys8, uint8_t)
KEYS(keys16, uint16_t)
KEYS(keys32, uint32_t)
KEYS(keys64, uint64_t)

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
#define TEXT(name) #name
#define NAME(name) TEXT(name)

const sort_network ISA(PTX_ISA) = { NAME(PTX_ISA), BYTES, keys8, keys16, keys32, keys64, pairs64 };
