/* lcu_thread.h: a team of worker threads that run one job together, and core counting.
 * Locks are plain pthread ones; this header only adds what pthread lacks. */
#ifndef LCU_THREAD_H
#define LCU_THREAD_H

#include <pthread.h>

#include "lcu_status.h"

typedef struct lcu_team lcu_team;
typedef void (*lcu_team_job) (void *ud, int worker);   /* worker is 0..n-1; 0 is the calling thread */

/* `n` workers, the caller of lcu_team_run counted as one; threads start at the first run. */
lcu_status lcu_team_create (int n, lcu_team **out);
int lcu_team_size (const lcu_team *t);
/* Runs job(ud, i) once on every worker and waits for all. One run at a time per team. */
void lcu_team_run (lcu_team *t, lcu_team_job job, void *ud);
void lcu_team_destroy (lcu_team *t);

int lcu_cpu_count (void);            /* cores this process may use (affinity honoured) */
double lcu_now_ms (void);            /* monotonic clock */

#endif
