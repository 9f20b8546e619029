/* lcu_sha256.h: SHA-256 (FIPS 180-4), for keys and checksums of cached code. */
#ifndef LCU_SHA256_H
#define LCU_SHA256_H

#include "lcu_base.h"

typedef struct lcu_sha256 {
  uint32_t state[8];
  uint64_t bytes;
  uint8_t block[64];
} lcu_sha256;

void lcu_sha256_init (lcu_sha256 *s);
void lcu_sha256_add (lcu_sha256 *s, const void *data, size_t len);
void lcu_sha256_final (lcu_sha256 *s, uint8_t digest[32]);

/* ---- one block of 64 bytes */

extern const uint32_t lcu_sha256_constants[64];
void lcu_sha256_plain (uint32_t state[8], const uint8_t *block);
/* The same by instructions of the processor. False: it has none. */
bool lcu_sha256_host (uint32_t state[8], const uint8_t *block);

#endif
