/* lcu_crc32.c: CRC-32 with reflected bits, lowest first; eight bytes at a time with a table for
 * each ("slicing by 8": Kounavis, Berry: A systematic approach to building high performance
 * software-based CRC generators. ISCC 2005). */
#include "lcu_crc32.h"

#include <pthread.h>

enum { SLICES = 8 };
static const uint32_t polynomial = 0xedb88320;

static uint32_t table[SLICES][256]; /* table[k][b]: byte b followed by k zeros */
static pthread_once_t made = PTHREAD_ONCE_INIT;

static void make_table (void) {
  for (uint32_t b = 0; b < 256; b++) {
    uint32_t crc = b;
    for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? polynomial : 0);
    table[0][b] = crc;
  }
  for (int k = 1; k < SLICES; k++)
    for (int b = 0; b < 256; b++)
      table[k][b] = table[k - 1][b] >> 8 ^ table[0][table[k - 1][b] & 255];
}

static uint32_t load_le (const uint8_t *p) {
  return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint32_t eight_bytes (uint32_t crc, const uint8_t *p) {
  uint32_t a = crc ^ load_le(p), b = load_le(p + 4);
  return table[7][a & 255] ^ table[6][a >> 8 & 255] ^ table[5][a >> 16 & 255] ^ table[4][a >> 24] ^
         table[3][b & 255] ^ table[2][b >> 8 & 255] ^ table[1][b >> 16 & 255] ^ table[0][b >> 24];
}

uint32_t lcu_crc32 (uint32_t crc, const void *data, size_t len) {
  const uint8_t *p = data;
  pthread_once(&made, make_table);
  crc = ~crc;
  for (; len >= SLICES; p += SLICES, len -= SLICES) crc = eight_bytes(crc, p);
  for (; len > 0; p++, len--) crc = crc >> 8 ^ table[0][(crc ^ *p) & 255];
  return ~crc;
}
