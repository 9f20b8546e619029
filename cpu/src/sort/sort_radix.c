/* sort_radix.c: see sort_radix.h. A pass counts the digits of each part and then moves the elements
 * of each part to their places, part after part, so that equal digits keep their order. */
#include "sort_radix.h"

#include <string.h>

/* ---- digits ---- */

enum { DIGIT = 8, WIDE_DIGIT = 11 };
/* Wide digits take fewer passes. They pay where their counters are few beside the elements, and
 * while the places that they write to are in the cache. */
static const int64_t WIDE_FROM = 1 << 13, WIDE_BYTES = 4 << 20;
enum { SPARE = 10 }; /* bits beyond those that number the elements */

static int digit_bits (int64_t n, int size) {
  return n >= WIDE_FROM && n * size <= WIDE_BYTES ? WIDE_DIGIT : DIGIT;
}

static int bits_of (uint64_t v) {
  int n = 0;
  for (; v != 0; v >>= 1) n++;
  return n;
}

static int passes_of (int bits, int most) { return (bits + most - 1) / most; }

sort_window sort_window_all (uint64_t differ) {
  int low = 0;
  if (differ == 0) return (sort_window){ 0, 0 };
  while ((differ >> low & 1) == 0) low++;
  return (sort_window){ low, bits_of(differ) - low };
}

sort_window sort_window_of (int64_t n, uint64_t differ) {
  sort_window w = sort_window_all(differ);
  int digit = digit_bits(n, 8), all = passes_of(w.bits, digit);
  int enough = passes_of(bits_of((uint64_t)n) + SPARE, digit);
  int bits = enough * digit < 32 ? enough * digit : 32;
  if (w.bits <= 32 && all <= enough + 1) return w;
  return w.bits <= bits ? w : (sort_window){ w.low + w.bits - bits, bits };
}


/* ---- one pass ---- */

typedef struct pass {
  const sort_crew *crew;
  int size;
  const void *from;
  void *to;
  int64_t n;
  int shift;
  uint32_t mask;
} pass;

#define PASS(T) \
  static void count_##T(const T *from, int64_t n, int shift, uint32_t mask, uint64_t *counts) { \
    for (int64_t i = 0; i < n; i++) counts[(uint32_t)(from[i] >> shift) & mask]++; \
  } \
  static void move_##T(const T *from, T *to, int64_t n, int shift, uint32_t mask, \
                       uint64_t *places) { \
    for (int64_t i = 0; i < n; i++) { \
      const T v = from[i]; \
      to[places[(uint32_t)(v >> shift) & mask]++] = v; \
    } \
  }

PASS(uint16_t)
PASS(uint32_t)
PASS(uint64_t)

static const uint8_t *element (const pass *p, int64_t i) {
  return (const uint8_t *)p->from + i * p->size;
}

static void count_digits_of_block (const pass *p, int part, int64_t at, int64_t n) {
  const void *from = element(p, at);
  uint64_t *counts = p->crew->counts[part];
  if (p->size == 2) count_uint16_t(from, n, p->shift, p->mask, counts);
  else if (p->size == 4) count_uint32_t(from, n, p->shift, p->mask, counts);
  else count_uint64_t(from, n, p->shift, p->mask, counts);
}

static void move_block (const pass *p, int part, int64_t at, int64_t n) {
  const void *from = element(p, at);
  uint64_t *places = p->crew->counts[part];
  if (p->size == 2) move_uint16_t(from, p->to, n, p->shift, p->mask, places);
  else if (p->size == 4) move_uint32_t(from, p->to, n, p->shift, p->mask, places);
  else move_uint64_t(from, p->to, n, p->shift, p->mask, places);
}

static void each_block (const pass *p, int part,
                        void (*run)(const pass *p, int part, int64_t at, int64_t n)) {
  int64_t at = sort_part(p->crew, p->n, part), end = sort_part(p->crew, p->n, part + 1);
  for (; at < end && !sort_stops(p->crew->job); at += SORT_BLOCK)
    run(p, part, at, end - at < SORT_BLOCK ? end - at : SORT_BLOCK);
}

static void count_digits_of_part (void *ud, int part) {
  const pass *p = ud;
  memset(p->crew->counts[part], 0, (p->mask + 1) * sizeof p->crew->counts[part][0]);
  each_block(p, part, count_digits_of_block);
}

static void move_part_by_digit (void *ud, int part) { each_block(ud, part, move_block); }

/* Counts to places. */
static void place_digits (const pass *p) {
  uint64_t sum = 0;
  for (uint32_t d = 0; d <= p->mask; d++)
    for (int part = 0; part < p->crew->parts; part++) {
      uint64_t own = p->crew->counts[part][d];
      p->crew->counts[part][d] = sum;
      sum += own;
    }
}

void *sort_radix (const sort_crew *c, int size, void *a, void *b, int64_t n, sort_window w) {
  int passes = passes_of(w.bits, digit_bits(n, size));
  if (passes == 0) return a;
  int bits = (w.bits + passes - 1) / passes;
  pass p = { .crew = c, .size = size, .from = a, .to = b, .n = n };
  for (int shift = w.low; shift < w.low + w.bits; shift += bits) {
    int here = w.low + w.bits - shift < bits ? w.low + w.bits - shift : bits;
    p.shift = shift;
    p.mask = (uint32_t)((1u << here) - 1);
    if (!sort_step(c, count_digits_of_part, &p)) break;
    place_digits(&p);
    if (!sort_step(c, move_part_by_digit, &p)) break;
    void *next = p.to;
    p.to = (void *)p.from;
    p.from = next;
  }
  return (void *)p.from;
}
