/* sort_long.c: one row: codes, their order, values or places. */
#include "sort_ways.h"

#include <string.h>

#include "sort_code.h"
#include "sort_radix.h"
#include "sort_range.h"

typedef struct long_row {
  const sort_crew *crew;
  int64_t m;
  int size;
  bool complex;
  sort_code code;
  uint64_t reverse;
  const void *in;
  void *out;
  uint64_t *codes, *low; /* of elements of 8 and 16 bytes */
  uint64_t *a, *b;       /* codes or records, and as much room again */
  sort_bits bits[SORT_MOST_PARTS];
} long_row;

static const lcu_dtype *dtype_of (const sort_job *job) { return &lcu_dtypes[job->dtype]; }

static uint64_t even (uint64_t bytes) { return (bytes + 15) / 16 * 16; }


/* ---- sweeps over the row, part by part ---- */

/* Runs over the elements of a part in blocks. */
#define SWEEP(r, part, first, last) \
  for (int64_t first = sort_part((r)->crew, (r)->m, part), \
               end_ = sort_part((r)->crew, (r)->m, (part) + 1), last = 0; \
       last = end_ - first < SORT_BLOCK ? end_ : first + SORT_BLOCK, \
               first < end_ && !sort_stops((r)->crew->job); \
       first = last)

static void add_bits (sort_bits *sum, sort_bits more) {
  sum->any |= more.any;
  sum->all &= more.all;
}

static sort_bits load (const long_row *r, int64_t first, int64_t last) {
  if (r->complex)
    return sort_complex(&r->code, r->size, r->in, r->codes, r->low, r->reverse, first, last);
  if (r->crew->job->places && r->size < 8)
    return sort_records(&r->code, r->size, r->in, r->a, first, last);
  return sort_codes(&r->code, r->size, r->in, r->codes, first, last);
}

static void load_part (void *ud, int part) {
  long_row *r = ud;
  sort_bits bits = SORT_NO_BITS;
  SWEEP(r, part, first, last) add_bits(&bits, load(r, first, last));
  r->bits[part] = bits;
}

/* The bits in which the codes differ, of complex128 those of the first word. */
static bool load_all (long_row *r, uint64_t *differ) {
  sort_bits bits = SORT_NO_BITS;
  if (!sort_step(r->crew, load_part, r)) return false;
  for (int part = 0; part < r->crew->parts; part++) add_bits(&bits, r->bits[part]);
  *differ = bits.any & ~bits.all;
  return true;
}

static void number_part (void *ud, int part) {
  long_row *r = ud;
  SWEEP(r, part, first, last)
  for (int64_t i = first; i < last; i++) r->a[i] = (uint64_t)i;
}

static void values_part (void *ud, int part) {
  long_row *r = ud;
  SWEEP(r, part, first, last) sort_values(&r->code, r->size, r->a, r->out, first, last);
}

static void places_part (void *ud, int part) {
  long_row *r = ud;
  int64_t *out = r->out;
  SWEEP(r, part, first, last)
  for (int64_t i = first; i < last; i++) out[i] = (uint32_t)r->a[i] + (int64_t)1;
}

static void gather_part (void *ud, int part) {
  long_row *r = ud;
  size_t size = (size_t)r->size;
  SWEEP(r, part, first, last)
  for (int64_t i = first; i < last; i++)
    memcpy((uint8_t *)r->b + (size_t)i * size, (const uint8_t *)r->in + (uint32_t)r->a[i] * size,
           size);
}

static void copy_part (void *ud, int part) {
  long_row *r = ud;
  size_t size = (size_t)r->size;
  SWEEP(r, part, first, last)
  memcpy((uint8_t *)r->out + (size_t)first * size, (uint8_t *)r->b + (size_t)first * size,
         (size_t)(last - first) * size);
}


/* ---- elements ---- */

static void sort_elements (long_row *r, void *scratch) {
  uint64_t differ;
  r->codes = r->out;
  if (!load_all(r, &differ)) return;
  if (r->size == 8) r->a = sort_codes_range(r->crew, r->codes, scratch, r->m, differ);
  else r->a = sort_radix(r->crew, r->size, r->codes, scratch, r->m, sort_window_all(differ));
  (void)sort_step(r->crew, values_part, r);
}


/* ---- places ---- */

/* The records in order become r->a, the room beside them r->b. */
static bool order_words (long_row *r) {
  const sort_words words = { r->size == 16 ? 2 : 1, { r->codes, r->low } };
  uint64_t differ, *in = r->a;
  if (!load_all(r, &differ) || !sort_step(r->crew, number_part, r)) return false;
  r->a = sort_records_range(r->crew, in, r->b, r->m, &words);
  if (r->a != in) r->b = in;
  return !sort_stops(r->crew->job);
}

static bool order_records (long_row *r) {
  uint64_t differ, *in = r->a;
  if (!load_all(r, &differ)) return false;
  sort_window w = sort_window_all(differ);
  w.low += 32;
  r->a = sort_radix(r->crew, sizeof *in, in, r->b, r->m, w);
  if (r->a != in) r->b = in;
  return !sort_stops(r->crew->job);
}

static void sort_places (long_row *r, uint64_t *scratch) {
  r->a = r->out;
  r->b = scratch;
  r->codes = scratch + r->m;
  r->low = r->codes + r->m;
  bool ordered = r->size < 8 ? order_records(r) : order_words(r);
  if (ordered) (void)sort_step(r->crew, places_part, r);
}

/* Complex numbers lose bits as codes, so they are sorted by places. */
static void sort_complex_elements (long_row *r, uint64_t *scratch) {
  r->a = scratch;
  r->b = scratch + r->m;
  r->codes = r->b + r->m;
  r->low = r->codes + r->m;
  if (!order_words(r)) return;
  r->b = r->codes; /* as many bytes as the elements have */
  if (sort_step(r->crew, gather_part, r)) (void)sort_step(r->crew, copy_part, r);
}


/* ---- a row ---- */

uint64_t sort_long_scratch (const sort_job *job) {
  const lcu_dtype *t = dtype_of(job);
  uint64_t m = (uint64_t)job->m, words = t->size < 8 ? 0 : t->size / 8;
  if (t->size == 1) return 0;
  if (job->places) return even(m * 8 * (1 + words));
  return t->kind == LCU_KIND_COMPLEX ? even(m * 8 * (2 + words)) : even(m * t->size);
}

void sort_long (const sort_crew *c, const void *in, void *out, void *scratch) {
  const lcu_dtype *t = dtype_of(c->job);
  bool places = c->job->places, complex = t->kind == LCU_KIND_COMPLEX;
  if (t->size == 1) {
    sort_bytes(c, in, out);
    return;
  }
  long_row r = { .crew = c,
                 .m = c->job->m,
                 .size = (int)t->size,
                 .complex = complex,
                 .code = sort_code_of(t, places || complex, c->job->descending && !complex),
                 .reverse = c->job->descending ? ~(uint64_t)0 : 0,
                 .in = in,
                 .out = out };
  if (places) sort_places(&r, scratch);
  else if (complex) sort_complex_elements(&r, scratch);
  else sort_elements(&r, scratch);
}
