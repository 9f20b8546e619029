/* test_packed.c: CRC-32, streams without zlib, and the pixels of PNG pictures: what is packed comes
 * back, and damaged data are never read or written outside their memory (which a build with
 * AddressSanitizer checks). */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "lcu_crc32.h"
#include "lcu_deflate.h"
#include "lcu_png.h"

static uint32_t seed = 1;

/* A number from 0 to n - 1. */
static unsigned pick (unsigned n) {
  seed = seed * 1664525u + 1013904223u;
  return (unsigned)((uint64_t)seed * n >> 32);
}

static void *new_bytes (size_t n) { return malloc(n > 0 ? n : 1); }

static void check_whole (const uint8_t *text, size_t n, const lcu_buf *packed) {
  uint8_t *out = new_bytes(n + 1);
  CHECK(lcu_inflate_zlib(packed->data, packed->len, out, n) == LCU_OK && memcmp(out, text, n) == 0);
  CHECK(lcu_inflate(packed->data + 2, packed->len - 2, out, n) == LCU_OK);
  CHECK(lcu_inflate_zlib(packed->data, packed->len, out, n + 1) == LCU_E_SYNTAX);
  if (n > 0) CHECK(lcu_inflate_zlib(packed->data, packed->len, out, n - 1) == LCU_E_SYNTAX);
  for (size_t cut = 0; cut < packed->len; cut += 1 + pick(20))
    CHECK(lcu_inflate_zlib(packed->data, cut, out, n) == LCU_E_SYNTAX);
  free(out);
}

/* Some bits wrong. */
static void check_damaged (size_t n, const lcu_buf *packed) {
  uint8_t *out = new_bytes(n), *copy = new_bytes(packed->len);
  memcpy(copy, packed->data, packed->len);
  for (int i = 0; i < 4; i++)
    copy[pick(pick(2) ? 8 : (unsigned)packed->len)] ^= (uint8_t)(1 << pick(8));
  lcu_inflate_zlib(copy, packed->len, out, n);
  lcu_inflate(copy + 2, packed->len - 2, out, n);
  free(out);
  free(copy);
}

static void round_trip (size_t n) {
  uint8_t *text = new_bytes(n);
  lcu_buf packed = { 0 };
  for (size_t i = 0; i < n; i++) text[i] = (uint8_t)pick(256);
  CHECK(lcu_deflate_zlib(text, n, &packed) == LCU_OK);
  check_whole(text, n, &packed);
  for (int i = 0; i < 8; i++) check_damaged(n, &packed);
  lcu_buf_free(&packed);
  free(text);
}

static void test_streams (void) {
  static const size_t lengths[] = { 0, 1, 0xfffe, 0xffff, 0x10000, 0x1ffff };
  for (size_t i = 0; i < lcu_arraylen(lengths); i++) round_trip(lengths[i]);
  for (int i = 0; i < 100; i++) round_trip(pick(700));
}

static void test_streams_by_hand (void) {
  uint8_t none;
  CHECK(lcu_inflate("\1\0\0\377\377", 5, &none, 0) == LCU_OK);
  CHECK(lcu_inflate("\0\0\0\377\377\1\0\0\377\377", 10, &none, 0) == LCU_OK);
  CHECK(lcu_inflate("\1\0\0\377\376", 5, &none, 0) == LCU_E_SYNTAX);
  CHECK(lcu_inflate("\3\0", 2, &none, 0) == LCU_E_NOT_FOUND); /* compressed */
  CHECK(lcu_inflate("", 0, &none, 0) == LCU_E_SYNTAX);
  CHECK(lcu_inflate_check(1, 2063) == LCU_OK && lcu_inflate_check(1, 2064) == LCU_E_SYNTAX);
  CHECK(lcu_inflate_check(SIZE_MAX, UINT64_MAX) == LCU_E_SYNTAX);
  CHECK(lcu_adler32("abc", 3) == 0x024d0127);
}

static void test_no_memory (void) {
  lcu_buf packed = { 0 };
  lcu_mem_fail_at(1);
  CHECK(lcu_deflate_zlib("abc", 3, &packed) == LCU_E_NOMEM);
  lcu_mem_fail_at(0);
  lcu_buf_free(&packed);
}

static lcu_png random_picture (void) {
  static const unsigned depths[] = { 1, 2, 4, 8, 16 };
  lcu_png p = { .width = 1 + pick(30),
                .height = 1 + pick(30),
                .depth = depths[pick(5)],
                .channels = 1,
                .interlaced = pick(2) };
  if (p.depth >= 8) p.channels = 1 + pick(4);
  return p;
}

static void test_pictures (void) {
  for (int i = 0; i < 1000; i++) {
    lcu_png p = random_picture();
    size_t n = lcu_png_packed_size(&p), size = lcu_png_sample_size(&p);
    uint8_t *packed = new_bytes(n), *samples = new_bytes(size), *again = new_bytes(size);
    for (size_t k = 0; k < n; k++) packed[k] = (uint8_t)(pick(20) == 0 ? pick(256) : pick(5));
    lcu_png_unpack(&p, packed, samples);
    p.interlaced = false;
    p.depth = 8;
    n = lcu_png_packed_size(&p);
    size = lcu_png_sample_size(&p);
    packed = realloc(packed, n);
    lcu_png_pack(&p, samples, packed);
    CHECK(lcu_png_unpack(&p, packed, again) == 0 && memcmp(samples, again, size) == 0);
    packed[0] = 5;
    CHECK(lcu_png_unpack(&p, packed, again) == 1);
    free(packed);
    free(samples);
    free(again);
  }
}

/* The sizes of such pictures do not fit 64 bits. */
static void test_sizes (void) {
  lcu_png p = { .width = 0x7fffffff, .height = 0x7fffffff, .depth = 16, .channels = 4 };
  CHECK(lcu_png_packed_size(&p) == UINT64_MAX);
  p.width = 2147467264;
  p.height = 1073750016;
  CHECK(lcu_png_packed_size(&p) == UINT64_MAX);
  p.interlaced = true;
  CHECK(lcu_png_packed_size(&p) == UINT64_MAX);
}

/* CRC-32 bit by bit, as it is defined. */
static uint32_t crc32_by_bits (const uint8_t *p, size_t len) {
  uint32_t crc = 0xffffffff;
  for (size_t i = 0; i < len; i++)
    for (int bit = 0; bit < 8; bit++)
      crc = crc >> 1 ^ ((crc ^ (uint32_t)p[i] >> bit) & 1 ? 0xedb88320 : 0);
  return ~crc;
}

static void test_crc32 (void) {
  uint8_t bytes[300];
  for (int i = 0; i < 300; i++) bytes[i] = (uint8_t)(i * i * 31 + i / 7);
  CHECK(lcu_crc32(0, "123456789", 9) == 0xcbf43926); /* the published check value */
  CHECK(lcu_crc32(0, bytes, 0) == 0 && lcu_crc32(7, bytes, 0) == 7);
  bool same = true, joined = true;
  for (size_t from = 0; from < 9; from++)
    for (size_t n = 0; n + from <= 300; n++)
      same = same && lcu_crc32(0, bytes + from, n) == crc32_by_bits(bytes + from, n);
  for (size_t cut = 0; cut <= 300; cut++)
    joined = joined && lcu_crc32(lcu_crc32(0, bytes, cut), bytes + cut, 300 - cut) ==
                         crc32_by_bits(bytes, 300);
  CHECK(same);
  CHECK(joined);
}

int main (void) {
  setenv("LUACUDA_LIBZ", "off", 1);
  test_streams();
  test_streams_by_hand();
  test_no_memory();
  test_pictures();
  test_sizes();
  test_crc32();
  return check_result();
}
