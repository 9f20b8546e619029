/* sort_bytes.c: see sort_bytes.h. */
#include "sort_ways.h"

#include <string.h>

#include "sort_code.h"

typedef struct byte_pass {
  const sort_crew *crew;
  uint8_t codes[256];
  const uint8_t *in;
  int64_t *places;
} byte_pass;

/* Neighbors are counted in different tables: equal ones would wait for each other. */
static void count_bytes_of_block (const uint8_t *in, int64_t n, uint64_t *counts) {
  uint32_t tables[4][256] = { { 0 } };
  int64_t i = 0;
  for (; i + 4 <= n; i += 4)
    for (int t = 0; t < 4; t++) tables[t][in[i + t]]++;
  for (; i < n; i++) tables[0][in[i]]++;
  for (int b = 0; b < 256; b++)
    counts[b] += (uint64_t)tables[0][b] + tables[1][b] + tables[2][b] + tables[3][b];
}

static int64_t block_end (int64_t first, int64_t end) {
  return end - first < SORT_BLOCK ? end : first + SORT_BLOCK;
}

/* Counts of codes, so that all that are true count as one. */
static void count_bytes_of_part (void *ud, int part) {
  const byte_pass *b = ud;
  const sort_job *job = b->crew->job;
  uint64_t counts[256] = { 0 }, *sums = b->crew->counts[part];
  int64_t first = sort_part(b->crew, job->m, part), end = sort_part(b->crew, job->m, part + 1);
  for (; first < end && !sort_stops(job); first = block_end(first, end))
    count_bytes_of_block(b->in + first, block_end(first, end) - first, counts);
  memset(sums, 0, sizeof counts);
  for (int v = 0; v < 256; v++) sums[b->codes[v]] += counts[v];
}

static void move_part_by_byte (void *ud, int part) {
  const byte_pass *b = ud;
  const sort_job *job = b->crew->job;
  uint64_t *next = b->crew->counts[part];
  int64_t first = sort_part(b->crew, job->m, part), end = sort_part(b->crew, job->m, part + 1);
  for (; first < end && !sort_stops(job); first = block_end(first, end))
    for (int64_t i = first; i < block_end(first, end); i++)
      b->places[next[b->codes[b->in[i]]]++] = i + 1;
}

/* Counts of each part to places. */
static void place_bytes (const sort_crew *c) {
  uint64_t sum = 0;
  for (int code = 0; code < 256; code++)
    for (int part = 0; part < c->parts; part++) {
      uint64_t own = c->counts[part][code];
      c->counts[part][code] = sum;
      sum += own;
    }
}

static void fill (const byte_pass *b, uint8_t *out) {
  uint8_t values[256] = { 0 };
  for (int v = 255; v >= 0; v--) values[b->codes[v]] = (uint8_t)v;
  for (int code = 0; code < 256; code++)
    for (int part = 0; part < b->crew->parts; part++) {
      size_t count = b->crew->counts[part][code];
      memset(out, values[code], count);
      out += count;
    }
}

void sort_bytes (const sort_crew *c, const void *in, void *out) {
  byte_pass b = { .crew = c, .in = in, .places = out };
  sort_byte_codes(b.codes, &lcu_dtypes[c->job->dtype], c->job->places, c->job->descending);
  if (!sort_step(c, count_bytes_of_part, &b)) return;
  if (!c->job->places) {
    fill(&b, out);
    return;
  }
  place_bytes(c);
  (void)sort_step(c, move_part_by_byte, &b);
}
