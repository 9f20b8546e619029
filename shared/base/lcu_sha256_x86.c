/* lcu_sha256_x86.c: SHA-256 by the instructions that x86 processors have for it. */
#include "lcu_sha256.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#include <immintrin.h>
#include <stdatomic.h>

#define FOR_SHA __attribute__((target("sha,sse4.1")))

static bool find (void) {
  enum { LEAF = 7, SHA_BIT = 1 << 29, SSE41_BIT = 1 << 19 };
  unsigned a, b, c, d, e, sha;
  return __get_cpuid_count(LEAF, 0, &a, &sha, &c, &d) && (sha & SHA_BIT) != 0 &&
         __get_cpuid(1, &a, &b, &e, &d) && (e & SSE41_BIT) != 0;
}

static bool has_instructions (void) {
  enum { UNKNOWN, NO, YES };
  static atomic_int known;
  int now = atomic_load_explicit(&known, memory_order_relaxed);
  if (now == UNKNOWN) {
    now = find() ? YES : NO;
    atomic_store_explicit(&known, now, memory_order_relaxed);
  }
  return now == YES;
}

/* Words 4 * k to 4 * k + 3 of the message, in `w[k % 4]`, from the 16 before. */
FOR_SHA static __m128i next_words (const __m128i w[4], int k) {
  __m128i last = w[(k + 3) & 3], seven_back = _mm_alignr_epi8(last, w[(k + 2) & 3], 4);
  __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(w[k & 3], w[(k + 1) & 3]), seven_back);
  return _mm_sha256msg2_epu32(sum, last);
}

FOR_SHA static void compress_block (uint32_t s[8], const uint8_t *block) {
  const __m128i bytes = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  __m128i abef = _mm_set_epi32((int)s[0], (int)s[1], (int)s[4], (int)s[5]), first = abef;
  __m128i cdgh = _mm_set_epi32((int)s[2], (int)s[3], (int)s[6], (int)s[7]), second = cdgh;
  __m128i w[4];
  for (int k = 0; k < 16; k++) {
    const __m128i *constants = (const __m128i *)(const void *)lcu_sha256_constants;
    const __m128i *from = (const __m128i *)(const void *)block;
    w[k & 3] = k < 4 ? _mm_shuffle_epi8(_mm_loadu_si128(from + k), bytes) : next_words(w, k);
    __m128i sum = _mm_add_epi32(w[k & 3], _mm_loadu_si128(constants + k));
    cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
    abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
  }
  abef = _mm_add_epi32(abef, first);
  cdgh = _mm_add_epi32(cdgh, second);
  s[0] = (uint32_t)_mm_extract_epi32(abef, 3);
  s[1] = (uint32_t)_mm_extract_epi32(abef, 2);
  s[2] = (uint32_t)_mm_extract_epi32(cdgh, 3);
  s[3] = (uint32_t)_mm_extract_epi32(cdgh, 2);
  s[4] = (uint32_t)_mm_extract_epi32(abef, 1);
  s[5] = (uint32_t)_mm_extract_epi32(abef, 0);
  s[6] = (uint32_t)_mm_extract_epi32(cdgh, 1);
  s[7] = (uint32_t)_mm_extract_epi32(cdgh, 0);
}

bool lcu_sha256_host (uint32_t state[8], const uint8_t *block) {
  if (!has_instructions()) return false;
  compress_block(state, block);
  return true;
}
#else
bool lcu_sha256_host (uint32_t state[8], const uint8_t *block) {
  (void)state, (void)block;
  return false;
}
#endif
