/* lcu_png.c: filters (chapter 9 of the standard), interlacing (8.2) and samples (7.2). */
#include "lcu_png.h"

#include <stdlib.h>
#include <string.h>

enum { FILTERS = 5 };

/* The pixels of one pass: from (x, y) on, every dx-th of every dy-th row. */
typedef struct pass {
  uint32_t x, y, dx, dy;
} pass;

static const pass whole = { 0, 0, 1, 1 };
static const pass adam7[] = { { 0, 0, 8, 8 }, { 4, 0, 8, 8 }, { 0, 4, 4, 8 }, { 2, 0, 4, 4 },
                              { 0, 2, 2, 4 }, { 1, 0, 2, 2 }, { 0, 1, 1, 2 } };

static unsigned pass_count (const lcu_png *p) { return p->interlaced ? lcu_arraylen(adam7) : 1; }
static const pass *pass_at (const lcu_png *p, unsigned i) {
  return p->interlaced ? &adam7[i] : &whole;
}

static uint32_t places (uint32_t extent, uint32_t from, uint32_t step) {
  return extent > from ? (extent - from + step - 1) / step : 0;
}

static uint64_t row_bytes (const lcu_png *p, uint32_t width) {
  return ((uint64_t)width * p->channels * p->depth + 7) / 8;
}

/* Bytes from a sample to the same sample of the pixel to its left, for filters. */
static unsigned pixel_bytes (const lcu_png *p) {
  return p->depth < 8 ? 1 : p->channels * p->depth / 8;
}

uint64_t lcu_png_packed_size (const lcu_png *p) {
  uint64_t size = 0, pixels = (uint64_t)p->width * p->height;
  if (pixels > LCU_PNG_PIXELS) return UINT64_MAX;
  for (unsigned i = 0; i < pass_count(p); i++) {
    const pass *t = pass_at(p, i);
    uint32_t width = places(p->width, t->x, t->dx), height = places(p->height, t->y, t->dy);
    if (width > 0) size += height * (1 + row_bytes(p, width));
  }
  return size;
}

uint64_t lcu_png_sample_size (const lcu_png *p) {
  return (uint64_t)p->width * p->height * p->channels * (p->depth == 16 ? 2 : 1);
}


/* Filters. `up` is the row above, or NULL; a pixel has `step` bytes. */

static inline uint8_t paeth (int a, int b, int c) {
  int pa = abs(b - c), pb = abs(a - c), pc = abs(a + b - 2 * c);
  if (pa <= pb && pa <= pc) return (uint8_t)a;
  return (uint8_t)(pb <= pc ? b : c);
}

/* What a filter expects at byte i. */
static inline uint8_t expected (unsigned filter, const uint8_t *row, const uint8_t *up, size_t i,
                                unsigned step) {
  int a = i >= step ? row[i - step] : 0, b = up != NULL ? up[i] : 0,
      c = up != NULL && i >= step ? up[i - step] : 0;
  switch (filter) {
    case 1: return (uint8_t)a;
    case 2: return (uint8_t)b;
    case 3: return (uint8_t)((a + b) / 2);
    case 4: return paeth(a, b, c);
    default: return 0;
  }
}

/* Writes n bytes of a row plus or minus what the filter expects; `out` may be `row` where it is
 * added. */
static inline void combine (unsigned filter, int sign, uint8_t *out, const uint8_t *row,
                            const uint8_t *up, size_t n, unsigned step) {
  for (size_t i = 0; i < n; i++)
    out[i] = (uint8_t)(row[i] + sign * expected(filter, row, up, i, step));
}

/* Each filter and sign has a loop of its own, which compilers turn into vector code. */
static inline __attribute__((always_inline)) void filter_bytes (unsigned filter, int sign,
                                                                uint8_t *out, const uint8_t *row,
                                                                const uint8_t *up, size_t n,
                                                                unsigned step) {
  switch (filter) {
    case 1: combine(1, sign, out, row, up, n, step); break;
    case 2: combine(2, sign, out, row, up, n, step); break;
    case 3: combine(3, sign, out, row, up, n, step); break;
    case 4: combine(4, sign, out, row, up, n, step); break;
    default: memmove(out, row, n);
  }
}

static void remove_filter (unsigned filter, uint8_t *row, const uint8_t *up, size_t n,
                           unsigned step) {
  filter_bytes(filter, 1, row, row, up, n, step);
}

static void apply_filter (unsigned filter, uint8_t *out, const uint8_t *row, const uint8_t *up,
                          size_t n, unsigned step) {
  filter_bytes(filter, -1, out, row, up, n, step);
}


/* Samples. */

static void put_wide (uint8_t *out, const uint8_t *in) {
  uint16_t v = (uint16_t)(in[0] << 8 | in[1]);
  memcpy(out, &v, sizeof v);
}

/* Sample i of a row of `depth` < 8 bits each, the highest bits first. */
static uint8_t narrow (const uint8_t *row, size_t i, unsigned depth) {
  unsigned shift = 8 - depth - (unsigned)(i * depth % 8);
  return (uint8_t)(row[i * depth / 8] >> shift & ((1u << depth) - 1));
}

/* Writes the pixels of a row, `step` bytes apart. */
static void spread (const lcu_png *p, const uint8_t *row, uint32_t width, uint8_t *out,
                    size_t step) {
  unsigned n = p->channels;
  for (size_t x = 0; x < width; x++, out += step) {
    if (p->depth < 8) *out = narrow(row, x, p->depth);
    else if (p->depth == 8) memcpy(out, row + x * n, n);
    else
      for (unsigned k = 0; k < n; k++) put_wide(out + 2 * k, row + 2 * (x * n + k));
  }
}

/* Unpacks one pass at *packed and moves *packed to its end. Returns 0, or the number of the first
 * row whose filter does not exist. */
static uint64_t unpack_pass (const lcu_png *p, const pass *t, uint8_t **packed, uint8_t *samples) {
  uint32_t width = places(p->width, t->x, t->dx), height = places(p->height, t->y, t->dy);
  size_t bytes = (size_t)row_bytes(p, width),
         pixel = p->channels * (size_t)(p->depth == 16 ? 2 : 1), line = p->width * pixel;
  const uint8_t *up = NULL;
  for (uint32_t y = 0; width > 0 && y < height; y++) {
    uint8_t *row = *packed + 1;
    if (row[-1] >= FILTERS) return (uint64_t)t->y + (uint64_t)y * t->dy + 1;
    remove_filter(row[-1], row, up, bytes, pixel_bytes(p));
    spread(p, row, width, samples + (t->y + (size_t)y * t->dy) * line + t->x * pixel,
           t->dx * pixel);
    up = row;
    *packed = row + bytes;
  }
  return 0;
}

uint64_t lcu_png_unpack (const lcu_png *p, uint8_t *packed, uint8_t *samples) {
  uint64_t wrong = 0;
  for (unsigned i = 0; wrong == 0 && i < pass_count(p); i++)
    wrong = unpack_pass(p, pass_at(p, i), &packed, samples);
  return wrong;
}


/* Packing. */

/* How far filtered bytes are from 0, as signed numbers. */
static uint64_t distance (const uint8_t *bytes, size_t n) {
  uint64_t sum = 0;
  for (size_t i = 0; i < n; i++) sum += bytes[i] < 128 ? bytes[i] : 256u - bytes[i];
  return sum;
}

/* Writes a row, with its filter type first, to out. */
static void filter_row (uint8_t *out, const uint8_t *row, const uint8_t *up, size_t n,
                        unsigned step) {
  unsigned best = 0;
  uint64_t least = UINT64_MAX;
  for (unsigned f = 0; f < FILTERS; f++) {
    apply_filter(f, out + 1, row, up, n, step);
    uint64_t now = distance(out + 1, n);
    if (now < least) {
      least = now;
      best = f;
    }
  }
  out[0] = (uint8_t)best;
  apply_filter(best, out + 1, row, up, n, step);
}

void lcu_png_pack (const lcu_png *p, const uint8_t *samples, uint8_t *packed) {
  size_t bytes = (size_t)row_bytes(p, p->width);
  for (uint32_t y = 0; y < p->height; y++, samples += bytes, packed += 1 + bytes)
    filter_row(packed, samples, y > 0 ? samples - bytes : NULL, bytes, pixel_bytes(p));
}
