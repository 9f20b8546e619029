/* lcu_sha256.c: FIPS 180-4, sections 4.1.2, 5.3.3 and 6.2. */
#include "lcu_sha256.h"

#include <string.h>

const uint32_t lcu_sha256_constants[64] = {
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2
};

static uint32_t rotate (uint32_t x, unsigned n) { return (x >> n) | (x << (32 - n)); }

static uint32_t load_be (const uint8_t *p) {
  return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static void expand (uint32_t w[64], const uint8_t *block) {
  for (int t = 0; t < 16; t++) w[t] = load_be(block + 4 * t);
  for (int t = 16; t < 64; t++) {
    uint32_t a = w[t - 15], b = w[t - 2];
    uint32_t s0 = rotate(a, 7) ^ rotate(a, 18) ^ (a >> 3),
             s1 = rotate(b, 17) ^ rotate(b, 19) ^ (b >> 10);
    w[t] = w[t - 16] + s0 + w[t - 7] + s1;
  }
}

void lcu_sha256_plain (uint32_t state[8], const uint8_t *block) {
  uint32_t w[64], v[8];
  expand(w, block);
  memcpy(v, state, sizeof v);
  for (int t = 0; t < 64; t++) {
    uint32_t s1 = rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25),
             ch = (v[4] & v[5]) ^ (~v[4] & v[6]);
    uint32_t s0 = rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22),
             maj = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
    uint32_t t1 = v[7] + s1 + ch + lcu_sha256_constants[t] + w[t], t2 = s0 + maj;
    memmove(v + 1, v, 7 * sizeof *v);
    v[4] += t1;
    v[0] = t1 + t2;
  }
  for (int i = 0; i < 8; i++) state[i] += v[i];
}

static void compress (lcu_sha256 *s, const uint8_t *block) {
  if (!lcu_sha256_host(s->state, block)) lcu_sha256_plain(s->state, block);
}

void lcu_sha256_init (lcu_sha256 *s) {
  static const uint32_t start[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                     0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
  memcpy(s->state, start, sizeof start);
  s->bytes = 0;
}

void lcu_sha256_add (lcu_sha256 *s, const void *data, size_t len) {
  const uint8_t *p = data;
  size_t have = s->bytes % 64;
  s->bytes += len;
  if (have > 0) {
    size_t take = len < 64 - have ? len : 64 - have;
    memcpy(s->block + have, p, take);
    p += take;
    len -= take;
    if (have + take < 64) return;
    compress(s, s->block);
  }
  for (; len >= 64; p += 64, len -= 64) compress(s, p);
  if (len > 0) memcpy(s->block, p, len);
}

void lcu_sha256_final (lcu_sha256 *s, uint8_t digest[32]) {
  uint64_t bits = s->bytes * 8;
  uint8_t tail[72] = { 0x80 };
  size_t have = s->bytes % 64, pad = (have < 56 ? 56 : 120) - have;
  for (size_t i = 0; i < 8; i++) tail[pad + i] = (uint8_t)(bits >> (56 - 8 * i));
  lcu_sha256_add(s, tail, pad + 8);
  for (int i = 0; i < 32; i++) digest[i] = (uint8_t)(s->state[i / 4] >> (24 - 8 * (i % 4)));
}
