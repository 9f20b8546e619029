/* sort_crew.c: steps of a sort on several threads. */
#include "sort_crew.h"

typedef struct crew_step {
  const sort_crew *crew;
  void (*step)(void *ud, int part);
  void *ud;
} crew_step;

static void work (void *ud, int worker) {
  const crew_step *r = ud;
  r->step(r->ud, worker);
}

/* Only the calling thread may know that the work is to stop. */
static void idle (void *ud) { (void)sort_stops(((crew_step *)ud)->crew->job); }

bool sort_step (const sort_crew *c, void (*step)(void *ud, int part), void *ud) {
  if (sort_stops(c->job)) return false;
  crew_step r = { c, step, ud };
  if (c->parts > 1) lcu_team_run(c->job->team, c->parts, work, idle, &r);
  else step(ud, 0);
  return !sort_stops(c->job);
}
