/* sort_crew.c: steps of a sort on several threads. */
#include "sort_crew.h"

typedef struct run {
  const sort_crew *crew;
  void (*step)(void *ud, int part);
  void *ud;
} run;

static void work (void *ud, int worker) {
  const run *r = ud;
  r->step(r->ud, worker);
}

/* Only the calling thread may know that the work is to stop. */
static void idle (void *ud) { (void)sort_stops(((run *)ud)->crew->job); }

bool sort_step (const sort_crew *c, void (*step)(void *ud, int part), void *ud) {
  if (sort_stops(c->job)) return false;
  run r = { c, step, ud };
  if (c->parts > 1) lcu_team_run(c->job->team, c->parts, work, idle, &r);
  else step(ud, 0);
  return !sort_stops(c->job);
}
