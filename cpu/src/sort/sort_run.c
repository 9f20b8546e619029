/* sort_run.c: the rows of a sort, and the threads that share them. */
#include "sort.h"

#include <stdatomic.h>

#include "lcu_mem.h"
#include "sort_crew.h"
#include "sort_ways.h"

typedef struct run {
  sort_crew crew;
  uint8_t *scratch;
  uint64_t row_scratch; /* bytes */
  atomic_int_fast64_t next;
  atomic_bool failed;
} run;

/* Waking another thread costs as much as sorting this many elements. */
static const int64_t FEW_KEYS = 1 << 14;
/* A row of so many elements for each thread is worth dividing. */
static const int64_t WORTH_DIVIDING = 1 << 15;

static int64_t least (int64_t a, int64_t b) { return a < b ? a : b; }

static int threads_of (const sort_job *job) {
  int most = (int)least(job->threads, SORT_MOST_PARTS);
  return (int)least(job->rows * job->m / FEW_KEYS + 1, most > 0 ? most : 1);
}

/* Do all threads sort each row together? */
static bool divides_rows (const sort_job *job) {
  return job->rows < 2 * job->threads && job->m / threads_of(job) >= WORTH_DIVIDING;
}

static int64_t rows_at_a_time (const sort_job *job) {
  return divides_rows(job) ? 1 : least(job->rows, threads_of(job));
}

uint64_t sort_scratch (const sort_job *job) {
  if (sort_rows_suit(job)) return 0;
  return sort_long_scratch(job) * (uint64_t)rows_at_a_time(job);
}

bool sort_fits (const sort_job *job) {
  bool keeps_places = job->places || lcu_dtypes[job->dtype].kind == LCU_KIND_COMPLEX;
  return !keeps_places || job->m <= UINT32_MAX;
}

static void sort_row (const sort_crew *c, int64_t row, uint8_t *scratch) {
  const sort_job *job = c->job;
  uint64_t from = (uint64_t)row * (uint64_t)job->m, size = lcu_dtypes[job->dtype].size;
  sort_long(c, (const uint8_t *)job->in + from * size,
            (uint8_t *)job->out + from * (job->places ? 8 : size), scratch);
}


/* ---- threads ---- */

/* Short rows are taken in many pieces, so that a slow thread has fewer. */
static int64_t rows_of_piece (const run *r) {
  return r->crew.job->rows / (8 * r->crew.parts) / 64 * 64 + 64;
}

static void short_part (void *ud, int part) {
  run *r = ud;
  const sort_job *job = r->crew.job;
  int64_t each = rows_of_piece(r), first;
  (void)part;
  while ((first = atomic_fetch_add(&r->next, each)) < job->rows)
    if (sort_rows(job, first, least(first + each, job->rows)) != LCU_OK)
      atomic_store(&r->failed, true);
}

static void long_part (void *ud, int part) {
  run *r = ud;
  const sort_crew alone = sort_alone(&r->crew, part);
  int64_t row;
  while ((row = atomic_fetch_add(&r->next, 1)) < r->crew.job->rows && !sort_stops(r->crew.job))
    sort_row(&alone, row, r->scratch + (uint64_t)part * r->row_scratch);
}

static lcu_status run_long (run *r, bool together) {
  const sort_job *job = r->crew.job;
  r->crew.counts = lcu_alloc((size_t)r->crew.parts * sizeof(sort_counts));
  if (r->crew.counts == NULL) return lcu_no_memory("a sort");
  if (!together) (void)sort_step(&r->crew, long_part, r);
  for (int64_t row = 0; together && row < job->rows; row++) sort_row(&r->crew, row, r->scratch);
  lcu_free(r->crew.counts);
  return LCU_OK;
}

lcu_status sort_run (const sort_job *job) {
  int threads = threads_of(job);
  if (job->team == NULL) threads = 1;
  else threads = (int)least(threads, lcu_team_size(job->team));
  run r = { .crew = { job, threads, NULL },
            .scratch = job->scratch,
            .row_scratch = sort_long_scratch(job) };
  if (!sort_rows_suit(job)) {
    bool together = divides_rows(job);
    if (!together) r.crew.parts = (int)least(threads, rows_at_a_time(job));
    return run_long(&r, together);
  }
  (void)sort_step(&r.crew, short_part, &r);
  return atomic_load(&r.failed) ? lcu_no_memory("a sort") : LCU_OK;
}
