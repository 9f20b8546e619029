/* ptx_check_word.c: the part of an access to global memory that is in one word. */
#include "ptx_check_pages.h"

uint32_t ptx_word_bits (uint8_t bytes) {
  uint32_t bits = 0;
  for (uint32_t b = 0; b < 4; b++)
    if ((bytes >> b & 1) != 0) bits |= UINT32_C(0xff) << 8 * b;
  return bits;
}

static bool uses_byte (const ptx_lane_access *a, uint32_t k) {
  return ptx_check_uses(a->I, k) && (a->left_out >> k % 16 & 1) == 0;
}

uint8_t ptx_word_bytes (const ptx_lane_access *a, uint64_t word) {
  uint8_t bytes = 0;
  for (uint32_t b = 0; b < 4; b++) {
    uint64_t k = word + b - a->address;
    if (k < a->bytes && uses_byte(a, (uint32_t)k)) bytes |= (uint8_t)(1u << b);
  }
  return bytes;
}

/* Byte k of what the lane stores; NULL: not known. */
static const uint8_t *stored_at (const ptx_lane_access *a, uint32_t k) {
  if (a->async) return a->stored == NULL ? NULL : a->stored + k;
  const uint8_t *element = ptx_check_stored(a, a->lane, k / a->I->size);
  return element == NULL ? NULL : element + k % a->I->size;
}

bool ptx_word_value (const ptx_lane_access *a, uint64_t word, uint32_t *value) {
  *value = 0;
  if (a->kind != PTX_ACCESS_STORE) return false;
  for (uint32_t b = 0; b < 4; b++) {
    uint64_t k = word + b - a->address;
    if (k >= a->bytes) continue;
    const uint8_t *byte = stored_at(a, (uint32_t)k);
    if (byte == NULL) return false;
    *value |= (uint32_t)*byte << 8 * b;
  }
  return true;
}
