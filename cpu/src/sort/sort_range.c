/* sort_range.c: see sort_range.h. */
#include "sort_range.h"

#include <string.h>

#include "sort_radix.h"

/* What is sorted: codes, or records by `words`. */
typedef struct range {
  const sort_crew *crew;
  uint64_t *in, *spare;
  int64_t n;
  const sort_words *words; /* NULL: the elements are codes */
  int shift;               /* elements that are equal from this bit up are a run */
  int word;                /* that differs, and its window */
  sort_window window;
  sort_bits bits[SORT_MOST_PARTS];
} range;

static uint64_t *sort_whole (const sort_crew *c, uint64_t *in, uint64_t *spare, int64_t n,
                             const sort_words *words, uint64_t differ);


/* ---- few elements ---- */

enum { FEW_ITEMS = 24 };

static void insert_codes (uint64_t *codes, int64_t n) {
  for (int64_t i = 1; i < n; i++) {
    uint64_t v = codes[i];
    int64_t j = i;
    for (; j > 0 && codes[j - 1] > v; j--) codes[j] = codes[j - 1];
    codes[j] = v;
  }
}

static uint64_t word_of (const sort_words *words, int w, uint64_t record) {
  return w < words->count ? words->word[w][(uint32_t)record] : 0;
}

static void insert_records (uint64_t *records, int64_t n, const sort_words *words) {
  uint64_t high[FEW_ITEMS], low[FEW_ITEMS];
  for (int64_t i = 0; i < n; i++) {
    uint64_t v = records[i], h = word_of(words, 0, v), l = word_of(words, 1, v);
    int64_t j = i;
    for (; j > 0 && (high[j - 1] > h || (high[j - 1] == h && low[j - 1] > l)); j--) {
      records[j] = records[j - 1];
      high[j] = high[j - 1];
      low[j] = low[j - 1];
    }
    records[j] = v;
    high[j] = h;
    low[j] = l;
  }
}

static void insert (uint64_t *in, int64_t n, const sort_words *words) {
  if (words == NULL) insert_codes(in, n);
  else insert_records(in, n, words);
}


/* ---- which bits differ ---- */

static void survey_part (void *ud, int part) {
  range *r = ud;
  sort_bits bits = SORT_NO_BITS;
  int64_t end = sort_part(r->crew, r->n, part + 1);
  for (int64_t i = sort_part(r->crew, r->n, part); i < end; i++) {
    uint64_t code = r->words == NULL ? r->in[i] : word_of(r->words, r->word, r->in[i]);
    bits.any |= code;
    bits.all &= code;
  }
  r->bits[part] = bits;
}

static bool survey (range *r, uint64_t *differ) {
  sort_bits bits = SORT_NO_BITS;
  if (!sort_step(r->crew, survey_part, r)) return false;
  for (int part = 0; part < r->crew->parts; part++) {
    bits.any |= r->bits[part].any;
    bits.all &= r->bits[part].all;
  }
  *differ = bits.any & ~bits.all;
  return true;
}

/* Finds the first word that differs. */
static bool survey_words (range *r, uint64_t *differ) {
  int count = r->words == NULL ? 1 : r->words->count;
  *differ = 0;
  for (r->word = 0; r->word < count; r->word++)
    if (!survey(r, differ) || *differ != 0) return *differ != 0;
  return false;
}


/* ---- runs ---- */

static void sort_one_run (const sort_crew *c, const range *r, int64_t first, int64_t n) {
  if (n < 2) return;
  const uint64_t *at = sort_whole(c, r->in + first, r->spare + first, n, r->words, 0);
  if (at != r->in + first) memcpy(r->in + first, at, (size_t)n * sizeof *at);
}

static bool same_run (const range *r, int64_t i) {
  return r->in[i] >> r->shift == r->in[i - 1] >> r->shift;
}

/* A part has the runs that begin in it. */
static void sort_runs (void *ud, int part) {
  const range *r = ud;
  const sort_crew alone = sort_alone(r->crew, part);
  int64_t i = sort_part(r->crew, r->n, part), end = sort_part(r->crew, r->n, part + 1);
  while (i > 0 && i < r->n && same_run(r, i)) i++;
  for (int64_t asked = i; i < end;) {
    int64_t first = i++;
    while (i < r->n && same_run(r, i)) i++;
    sort_one_run(&alone, r, first, i - first);
    if (i - asked < SORT_BLOCK) continue;
    if (sort_stops(r->crew->job)) break;
    asked = i;
  }
}


/* ---- a range ---- */

/* The window of the codes above the places. */
static void window_part (void *ud, int part) {
  const range *r = ud;
  const uint64_t *codes = r->words->word[r->word];
  int64_t end = sort_part(r->crew, r->n, part + 1);
  for (int64_t i = sort_part(r->crew, r->n, part); i < end; i++) {
    uint32_t place = (uint32_t)r->in[i];
    r->in[i] = codes[place] >> r->window.low << 32 | place;
  }
}

static bool is_last (const range *r, uint64_t differ) {
  return (differ & (((uint64_t)1 << r->window.low) - 1)) == 0 &&
         (r->words == NULL || r->word + 1 == r->words->count);
}

/* `differ`: 0 if it is not known. */
static uint64_t *sort_whole (const sort_crew *c, uint64_t *in, uint64_t *spare, int64_t n,
                             const sort_words *words, uint64_t differ) {
  if (n <= FEW_ITEMS) {
    insert(in, n, words);
    return in;
  }
  range r = { .crew = c, .in = in, .spare = spare, .n = n, .words = words };
  if (differ == 0 && !survey_words(&r, &differ)) return in;
  r.window = sort_window_of(n, differ);
  sort_window w = r.window;
  r.shift = w.low;
  if (words != NULL) {
    if (!sort_step(c, window_part, &r)) return in;
    w.low = r.shift = 32;
  }
  r.in = sort_radix(c, sizeof *in, in, spare, n, w);
  r.spare = r.in == in ? spare : in;
  if (!is_last(&r, differ)) (void)sort_step(c, sort_runs, &r);
  return r.in;
}

uint64_t *sort_codes_range (const sort_crew *c, uint64_t *codes, uint64_t *spare, int64_t n,
                            uint64_t differ) {
  if (differ == 0) return codes;
  return sort_whole(c, codes, spare, n, NULL, differ);
}

uint64_t *sort_records_range (const sort_crew *c, uint64_t *records, uint64_t *spare, int64_t n,
                              const sort_words *words) {
  return sort_whole(c, records, spare, n, words, 0);
}
