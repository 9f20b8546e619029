/* lcu_thread.h: a team of worker threads that run one job together, and core counting.
 * Locks are plain pthread ones; this header only adds what pthread lacks. */
#ifndef LCU_THREAD_H
#define LCU_THREAD_H

#include <pthread.h>

#include "lcu_status.h"

typedef struct lcu_team lcu_team;
/* worker is 0..n-1 */
typedef void (*lcu_team_job)(void *ud, int worker);

/* `n` workers, including the caller of lcu_team_run; threads start when they are first needed. */
lcu_status lcu_team_create (int n, lcu_team **out);
int lcu_team_size (const lcu_team *t);
/* Runs job(ud, i) once for each of the first n workers, or all if there are fewer, and waits. When
 * the caller is done with its own job, it does those of threads that have not woken up yet, so it
 * does not wait for threads that would find nothing to do. One run at a time per team. While the
 * caller has nothing to do but wait, it calls idle(ud), which may be NULL, every LCU_TICK_MS. */
void lcu_team_run (lcu_team *t, int n, lcu_team_job job, void (*idle)(void *ud), void *ud);
void lcu_team_destroy (lcu_team *t);

int lcu_cpu_count (void); /* cores this process may use (respects the affinity mask) */
double lcu_now_ms (void); /* monotonic clock */

/* The interval at which a waiting thread checks whether to go on waiting. */
enum { LCU_TICK_MS = 20 };
/* pthread_cond_wait for at most one interval. */
void lcu_cond_wait_tick (pthread_cond_t *cond, pthread_mutex_t *lock);
/* Takes the lock, or gives up after one interval. */
bool lcu_lock_tick (pthread_mutex_t *lock);

#endif
