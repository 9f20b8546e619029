/* lcu_deflate.c: compression by zlib, and streams without compression. */
#include "lcu_deflate.h"

#include "cu_zlib.h"

static bool compress (const void *in, size_t len, lcu_buf *out) {
  enum { DEFAULT_LEVEL = -1 };
  const lcu_zlib *z = lcu_zlib_open();
  if (z == NULL) return false;
  size_t before = out->len;
  unsigned long size = z->compressBound((unsigned long)len);
  uint8_t *to = lcu_buf_space(out, size);
  if (to == NULL) return false;
  bool ok = z->compress2(to, &size, in, (unsigned long)len, DEFAULT_LEVEL) == LCU_Z_OK;
  out->len = before + (ok ? size : 0);
  return ok;
}

/* A block holds at most 2^16 - 1 bytes. */
static void store_blocks (const uint8_t *in, size_t len, lcu_buf *out) {
  size_t n;
  do {
    n = len < 0xffff ? len : 0xffff;
    uint8_t head[] = { n == len, (uint8_t)n, (uint8_t)(n >> 8), (uint8_t)~n, (uint8_t)(~n >> 8) };
    lcu_buf_add(out, head, sizeof head);
    lcu_buf_add(out, in, n);
    in += n;
    len -= n;
  } while (len > 0);
}

static void store (const void *in, size_t len, lcu_buf *out) {
  uint32_t sum = lcu_adler32(in, len);
  uint8_t tail[] = { (uint8_t)(sum >> 24), (uint8_t)(sum >> 16), (uint8_t)(sum >> 8),
                     (uint8_t)sum };
  lcu_buf_add(out, "\x78\1", 2);
  store_blocks(in, len, out);
  lcu_buf_add(out, tail, sizeof tail);
}

lcu_status lcu_deflate_zlib (const void *in, size_t len, lcu_buf *out) {
  LCU_TRY(lcu_zlib_check());
  if (!compress(in, len, out)) store(in, len, out);
  return out->failed ? lcu_no_memory("%zu compressed bytes", len) : LCU_OK;
}

uint32_t lcu_adler32 (const void *data, size_t len) {
  enum { PRIME = 65521, SAFE = 5552 }; /* sums of SAFE bytes fit 32 bits */
  const uint8_t *p = data;
  uint32_t a = 1, b = 0;
  while (len > 0) {
    size_t now = len < SAFE ? len : SAFE;
    len -= now;
    for (; now > 0; now--, p++) b += a += *p;
    a %= PRIME;
    b %= PRIME;
  }
  return b << 16 | a;
}
