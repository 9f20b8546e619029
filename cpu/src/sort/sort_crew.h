/* sort_crew.h: the threads that share the steps of a sort. */
#ifndef SORT_CREW_H
#define SORT_CREW_H

#include "sort.h"

enum { SORT_MOST_DIGITS = 1 << 11, SORT_MOST_PARTS = 64 };
/* Elements between two questions whether to stop. */
enum { SORT_BLOCK = 1 << 20 };

typedef uint64_t sort_counts[SORT_MOST_DIGITS];

typedef struct sort_crew {
  const sort_job *job;
  int parts;           /* of a step: at most as many as the job's team has threads */
  sort_counts *counts; /* one for each part */
} sort_crew;

static inline bool sort_stops (const sort_job *job) {
  return job->stop != NULL && job->stop(job->ud);
}
/* Runs step(ud, part) for every part; false: the work is to stop. */
bool sort_step (const sort_crew *c, void (*step)(void *ud, int part), void *ud);
/* The crew that is left for what a part does alone. */
static inline sort_crew sort_alone (const sort_crew *c, int part) {
  return (sort_crew){ c->job, 1, c->counts + part };
}
/* The first of n elements that belongs to a part; of the number of parts: n. */
static inline int64_t sort_part (const sort_crew *c, int64_t n, int part) {
  return n / c->parts * part + n % c->parts * part / c->parts;
}

#endif
