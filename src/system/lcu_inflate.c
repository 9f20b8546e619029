/* lcu_inflate.c: decompression by zlib. Without zlib, streams can be read that are not compressed,
 * such as our own (lcu_deflate.c). */
#include <limits.h>
#include <string.h>

#include "cu_zlib.h"
#include "lcu_deflate.h"

static lcu_status wrong (const char *what) {
  return lcu_fail(LCU_E_SYNTAX, "the compressed data %s", what);
}
static lcu_status damaged (void) { return wrong("are damaged"); }
static lcu_status cut_off (void) { return wrong("are cut off"); }
static lcu_status too_many (void) { return wrong("hold too many bytes"); }
static lcu_status too_few (void) { return wrong("hold too few bytes"); }

/* Two bits of a deflate stream give at most 258 bytes. */
lcu_status lcu_inflate_check (size_t len, uint64_t size) {
  enum { RATIO = 4 * 258 };
  return size <= PTRDIFF_MAX && size / RATIO <= len ? LCU_OK : too_few();
}


/* With zlib. Its counts have 32 bits, so it gets long data in pieces. */

typedef struct stream {
  lcu_z_stream z;
  size_t in_left, out_left; /* what z has not been given yet */
  bool part;                /* the stream may hold more than the output */
  bool full;                /* all of the output was given: z writes to `surplus` */
  uint8_t surplus;
} stream;

static unsigned piece (size_t *left) {
  unsigned n = *left < UINT_MAX ? (unsigned)*left : UINT_MAX;
  *left -= n;
  return n;
}

static bool has_all (const stream *s) { return s->out_left + s->z.out_left == 0; }

static void supply (stream *s) {
  if (s->z.in_left == 0) s->z.in_left = piece(&s->in_left);
  if (s->z.out_left > 0) return;
  s->z.out_left = piece(&s->out_left);
  if (s->z.out_left > 0) return;
  s->full = true;
  s->z.out = &s->surplus;
  s->z.out_left = 1;
}

static lcu_status run (const lcu_zlib *zlib, stream *s) {
  int r;
  do {
    supply(s);
    r = zlib->inflate(&s->z, 0);
    if (s->part && (r == LCU_Z_OK || r == LCU_Z_STREAM_END) && has_all(s)) return LCU_OK;
    if (s->full && s->z.out_left == 0) return too_many();
  } while (r == LCU_Z_OK);
  switch (r) {
    case LCU_Z_STREAM_END: return s->full || has_all(s) ? LCU_OK : too_few();
    case LCU_Z_BUF_ERROR: return cut_off();
    case LCU_Z_MEM_ERROR: return lcu_no_memory("decompression");
    default: return damaged();
  }
}

/* window: 15 for a zlib stream, -15 for a deflate stream */
static lcu_status inflate_by (const lcu_zlib *zlib, int window, const void *in, size_t len,
                              void *out, size_t size, bool part) {
  stream s = { .z = { .in = in, .out = out }, .in_left = len, .out_left = size, .part = part };
  if (zlib->inflateInit2_(&s.z, window, "1", sizeof s.z) != LCU_Z_OK)
    return lcu_no_memory("decompression");
  lcu_status st = run(zlib, &s);
  zlib->inflateEnd(&s.z);
  return st;
}


/* Without zlib. */

typedef struct reader {
  const uint8_t *at;
  size_t left; /* bytes */
  uint8_t *out;
  size_t room;
  bool part; /* the stream may hold more */
} reader;

static lcu_status no_zlib (void) {
  return lcu_fail(LCU_E_NOT_FOUND,
                  "reading compressed data needs zlib, which cannot be opened (%s): install it "
                  "(libz.so.1, in Debian the package zlib1g) or set LUACUDA_LIBZ to the file",
                  lcu_zlib_missing());
}

static lcu_status read_block (reader *r, bool *last) {
  enum { KIND = 6, HEAD = 5 };
  if (r->left == 0) return cut_off();
  *last = (r->at[0] & 1) != 0;
  if ((r->at[0] & KIND) != 0) return no_zlib();
  if (r->left < HEAD) return cut_off();
  size_t n = (size_t)(r->at[1] | r->at[2] << 8), check = (size_t)(r->at[3] | r->at[4] << 8);
  if ((n ^ check) != 0xffff) return damaged();
  if (n > r->left - HEAD) return cut_off();
  if (n > r->room && !r->part) return too_many();
  if (n > r->room) n = r->room;
  memcpy(r->out, r->at + HEAD, n);
  *r = (reader){ r->at + HEAD + n, r->left - HEAD - n, r->out + n, r->room - n, r->part };
  return LCU_OK;
}

static lcu_status read_blocks (reader *r) {
  for (bool last = false; !last && !(r->part && r->room == 0);) LCU_TRY(read_block(r, &last));
  return r->room == 0 ? LCU_OK : too_few();
}

static lcu_status read_zlib (const uint8_t *in, size_t len, uint8_t *out, size_t size) {
  enum { DEFLATE = 8, DICTIONARY = 32 };
  if (len < 2) return cut_off();
  if ((in[0] & 15) != DEFLATE || (in[1] & DICTIONARY) != 0 || (in[0] << 8 | in[1]) % 31 != 0)
    return damaged();
  reader r = { in + 2, len - 2, out, size, false };
  LCU_TRY(read_blocks(&r));
  if (r.left < 4) return cut_off();
  uint32_t sum =
    (uint32_t)r.at[0] << 24 | (uint32_t)r.at[1] << 16 | (uint32_t)r.at[2] << 8 | r.at[3];
  return sum == lcu_adler32(out, size) ? LCU_OK : damaged();
}


static lcu_status inflate (const void *in, size_t len, void *out, size_t size, bool part) {
  LCU_TRY(lcu_zlib_check());
  const lcu_zlib *zlib = lcu_zlib_open();
  if (zlib != NULL) return inflate_by(zlib, -15, in, len, out, size, part);
  reader r = { in, len, out, size, part };
  return read_blocks(&r);
}

lcu_status lcu_inflate (const void *in, size_t len, void *out, size_t size) {
  return inflate(in, len, out, size, false);
}

lcu_status lcu_inflate_part (const void *in, size_t len, void *out, size_t size) {
  return inflate(in, len, out, size, true);
}

lcu_status lcu_inflate_zlib (const void *in, size_t len, void *out, size_t size) {
  LCU_TRY(lcu_zlib_check());
  const lcu_zlib *zlib = lcu_zlib_open();
  return zlib != NULL ? inflate_by(zlib, 15, in, len, out, size, false)
                      : read_zlib(in, len, out, size);
}
