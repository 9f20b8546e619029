/* sort_rows.c: rows to the lanes of a network and back. */
#include "sort_ways.h"

#include <string.h>

#include "lcu_mem.h"
#include "sort_code.h"
#include "sort_network.h"

/* What a network sorts. An element of one or two bytes and its place are one number of 32 bits, of
 * four bytes one of 64; longer ones have their places beside them. */
typedef enum form { KEYS8, KEYS16, KEYS32, KEYS64, PLACES32, PLACES64, PAIRS64 } form;

typedef struct group {
  const sort_job *job;
  const sort_network *network;
  form form;
  int size, lanes;
  sort_code code;
  uint8_t bytes[256], values[256]; /* codes of bytes and back */
  uint8_t *vectors, *places, *line;
} group;


/* ---- forms ---- */

static const sort_network *network_named (const char *name) {
#define ADDRESS(level) &sort_isa_##level,
  static const sort_network *const all[] = { LCU_ISA_LEVELS(ADDRESS) };
  size_t i = 0;
  while (strcmp(all[i]->name, name) != 0) i++;
  return all[i];
}

static form form_of (const sort_job *job) {
  uint32_t size = lcu_dtypes[job->dtype].size;
  if (job->places) return size < 4 ? PLACES32 : size == 4 ? PLACES64 : PAIRS64;
  return size == 1 ? KEYS8 : size == 2 ? KEYS16 : size == 4 ? KEYS32 : KEYS64;
}

static int element_bytes (form f) {
  static const int bytes[] = { 1, 2, 4, 8, 4, 8, 8 };
  return bytes[f];
}

enum { LONGEST = 1024, LONGEST_PAIR = 256, FEWEST_ROWS = 4 };

bool sort_rows_suit (const sort_job *job) {
  const lcu_dtype *t = &lcu_dtypes[job->dtype];
  if (t->size == 16 || (t->kind == LCU_KIND_COMPLEX && !job->places)) return false;
  if (job->m <= 16) return true;
  return job->rows >= FEWEST_ROWS && job->m <= (form_of(job) == PAIRS64 ? LONGEST_PAIR : LONGEST);
}


/* ---- one row ---- */

/* The codes of a row in the line, as the numbers of keys. */
static void load_line (group *g, const uint8_t *row) {
  const sort_job *job = g->job;
  int64_t m = job->m;
  if (g->size == 1)
    for (int64_t i = 0; i < m; i++) g->line[i] = g->bytes[row[i]];
  else if (lcu_dtypes[job->dtype].kind == LCU_KIND_COMPLEX)
    (void)sort_complex(&g->code, g->size, row, (uint64_t *)g->line, NULL,
                       job->descending ? ~(uint64_t)0 : 0, 0, m);
  else (void)sort_codes(&g->code, g->size, row, g->line, 0, m);
}

static void store_line (group *g, uint8_t *row) {
  int64_t m = g->job->m;
  if (g->size == 1)
    for (int64_t i = 0; i < m; i++) row[i] = g->values[g->line[i]];
  else sort_values(&g->code, g->size, g->line, row, 0, m);
}

/* Writes the line to a lane: C is the type of its codes, T that of the network's numbers. */
#define SPREAD(C, T, value) \
  do { \
    const C *line = (const C *)g->line; \
    T *to = (T *)g->vectors + lane; \
    for (int64_t i = 0; i < m; i++) to[i * lanes] = (value); \
  } while (0)

static void spread (group *g, int lane) {
  const int64_t m = g->job->m, lanes = g->lanes;
  uint64_t *places = (uint64_t *)g->places + lane;
  switch (g->form) {
    case KEYS8: SPREAD(uint8_t, uint8_t, line[i]); break;
    case KEYS16: SPREAD(uint16_t, uint16_t, line[i]); break;
    case KEYS32: SPREAD(uint32_t, uint32_t, line[i]); break;
    case PLACES32:
      if (g->size == 1) SPREAD(uint8_t, uint32_t, (uint32_t)line[i] << 16 | (uint32_t)i);
      else SPREAD(uint16_t, uint32_t, (uint32_t)line[i] << 16 | (uint32_t)i);
      break;
    case PLACES64: SPREAD(uint32_t, uint64_t, (uint64_t)line[i] << 32 | (uint64_t)i); break;
    case PAIRS64:
      for (int64_t i = 0; i < m; i++) places[i * lanes] = (uint64_t)i;
    /* fallthrough */
    case KEYS64: SPREAD(uint64_t, uint64_t, line[i]); break;
  }
}

/* Reads a lane: keys to the line, places to a row of the result. */
#define COLLECT(T, to, value) \
  do { \
    const T *from = (const T *)vectors + lane; \
    for (int64_t i = 0; i < m; i++) (to)[i] = (value); \
  } while (0)

static void collect (group *g, int lane, int64_t *out) {
  const int64_t m = g->job->m, lanes = g->lanes;
  const uint8_t *vectors = g->form == PAIRS64 ? g->places : g->vectors;
  switch (g->form) {
    case KEYS8: COLLECT(uint8_t, g->line, from[i * lanes]); break;
    case KEYS16: COLLECT(uint16_t, (uint16_t *)g->line, from[i * lanes]); break;
    case KEYS32: COLLECT(uint32_t, (uint32_t *)g->line, from[i * lanes]); break;
    case KEYS64: COLLECT(uint64_t, (uint64_t *)g->line, from[i * lanes]); break;
    case PLACES32: COLLECT(uint32_t, out, (uint16_t)from[i * lanes] + 1); break;
    case PLACES64: COLLECT(uint64_t, out, (uint32_t)from[i * lanes] + (int64_t)1); break;
    case PAIRS64: COLLECT(uint64_t, out, (int64_t)from[i * lanes] + 1); break;
  }
}


/* ---- groups of rows ---- */

static void sort_lanes (const group *g) {
  const sort_network *n = g->network;
  int64_t m = g->job->m;
  void *v = g->vectors;
  switch (g->form) {
    case KEYS8: n->keys8(v, m); break;
    case KEYS16: n->keys16(v, m); break;
    case KEYS32:
    case PLACES32: n->keys32(v, m); break;
    case KEYS64:
    case PLACES64: n->keys64(v, m); break;
    case PAIRS64: n->pairs64(v, (uint64_t *)g->places, m); break;
  }
}

static void sort_group (group *g, int64_t first, int count) {
  const sort_job *job = g->job;
  int64_t m = job->m;
  for (int lane = 0; lane < count; lane++) {
    load_line(g, (const uint8_t *)job->in + (first + lane) * m * g->size);
    spread(g, lane);
  }
  sort_lanes(g);
  for (int lane = 0; lane < count; lane++) {
    collect(g, lane, (int64_t *)job->out + (first + lane) * m);
    if (!job->places) store_line(g, (uint8_t *)job->out + (first + lane) * m * g->size);
  }
}

static lcu_status make_group (group *g, const sort_job *job) {
  const lcu_dtype *t = &lcu_dtypes[job->dtype];
  bool complex = t->kind == LCU_KIND_COMPLEX;
  *g = (group){ .job = job,
                .network = network_named(job->isa),
                .form = form_of(job),
                .size = (int)t->size,
                .code = sort_code_of(t, job->places, job->descending && !complex) };
  g->lanes = g->network->bytes / element_bytes(g->form);
  size_t count =
    ((size_t)job->m + SORT_NETWORK_BLOCK - 1) / SORT_NETWORK_BLOCK * SORT_NETWORK_BLOCK;
  size_t vectors = (size_t)g->network->bytes * count;
  size_t places = g->form == PAIRS64 ? vectors : 0, bytes = vectors + places + 8 * (size_t)job->m;
  g->vectors = lcu_alloc_aligned(bytes, 64);
  if (g->vectors == NULL) return lcu_no_memory("a sort");
  memset(g->vectors, 0, bytes); /* lanes without a row are sorted too */
  g->places = g->vectors + vectors;
  g->line = g->places + places;
  if (t->size > 1) return LCU_OK;
  sort_byte_codes(g->bytes, t, job->places, job->descending);
  for (int v = 255; v >= 0; v--) g->values[g->bytes[v]] = (uint8_t)v;
  return LCU_OK;
}

lcu_status sort_rows (const sort_job *job, int64_t first, int64_t last) {
  group g;
  LCU_TRY(make_group(&g, job));
  for (int64_t count; first < last && !sort_stops(job); first += count) {
    count = last - first < g.lanes ? last - first : g.lanes;
    sort_group(&g, first, (int)count);
  }
  lcu_free(g.vectors);
  return LCU_OK;
}
