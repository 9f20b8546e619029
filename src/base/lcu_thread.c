/* lcu_thread.c: worker teams, core counting, clock. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* sched_getaffinity */
#endif
#include "lcu_thread.h"

#include <sched.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "lcu_mem.h"

typedef struct worker {
  struct lcu_team *team;
  pthread_t thread;
  int index;
} worker;

struct lcu_team {
  int size;    /* including the caller */
  int started; /* threads that run: workers 1..started */
  pid_t owner; /* process the threads live in */
  pthread_mutex_t lock;
  pthread_cond_t wake, done;
  unsigned long round; /* counts runs: a worker waits for it to change */
  int busy;            /* threads still working on this round */
  bool quit;
  lcu_team_job job;
  void *ud;
  worker workers[]; /* size entries, [0] unused */
};

static void *worker_main (void *arg) {
  worker *w = arg;
  lcu_team *t = w->team;
  pthread_mutex_lock(&t->lock);
  /* threads start before the first round, see start_threads */
  unsigned long seen = 0;
  for (;;) {
    while (t->round == seen && !t->quit) pthread_cond_wait(&t->wake, &t->lock);
    if (t->quit) break;
    seen = t->round;
    pthread_mutex_unlock(&t->lock);
    t->job(t->ud, w->index);
    pthread_mutex_lock(&t->lock);
    if (--t->busy == 0) pthread_cond_signal(&t->done);
  }
  pthread_mutex_unlock(&t->lock);
  return NULL;
}

static void init_sync (lcu_team *t) {
  pthread_mutex_init(&t->lock, NULL);
  pthread_cond_init(&t->wake, NULL);
  pthread_cond_init(&t->done, NULL);
  t->started = 0;
  t->round = 0;
  t->busy = 0;
  t->owner = getpid();
}

/* Signals are handled by the program's own threads. lcu_team_run does the work of threads that
 * could not be created. */
static void start_threads (lcu_team *t) {
  sigset_t all, old;
  if (t->owner != getpid()) init_sync(t); /* forked: the threads stayed with the parent */
  if (t->started == t->size - 1) return;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  pthread_mutex_lock(&t->lock);
  if (t->started == 0) t->round = 0;
  while (t->round == 0 && t->started < t->size - 1) {
    worker *w = &t->workers[t->started + 1];
    w->team = t;
    w->index = t->started + 1;
    if (pthread_create(&w->thread, NULL, worker_main, w) != 0) break;
    t->started++;
  }
  pthread_mutex_unlock(&t->lock);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
}

lcu_status lcu_team_create (int n, lcu_team **out) {
  *out = NULL;
  if (n < 1) n = 1;
  lcu_team *t = lcu_calloc(1, sizeof *t + (size_t)n * sizeof(worker));
  if (t == NULL) return lcu_no_memory("a team of %d threads", n);
  t->size = n;
  init_sync(t);
  *out = t;
  return LCU_OK;
}

int lcu_team_size (const lcu_team *t) { return t->size; }

static void wait_for_team (lcu_team *t, void (*idle)(void *ud), void *ud) {
  pthread_mutex_lock(&t->lock);
  while (t->busy > 0) {
    lcu_cond_wait_tick(&t->done, &t->lock);
    if (t->busy > 0 && idle != NULL) idle(ud);
  }
  pthread_mutex_unlock(&t->lock);
}

void lcu_team_run (lcu_team *t, lcu_team_job job, void (*idle)(void *ud), void *ud) {
  if (t->size > 1) start_threads(t);
  pthread_mutex_lock(&t->lock);
  t->job = job;
  t->ud = ud;
  t->busy = t->started;
  t->round++;
  if (t->busy > 0) pthread_cond_broadcast(&t->wake);
  pthread_mutex_unlock(&t->lock);
  job(ud, 0);
  for (int i = t->started + 1; i < t->size; i++) job(ud, i);
  wait_for_team(t, idle, ud);
}

static void stop_threads (lcu_team *t) {
  pthread_mutex_lock(&t->lock);
  t->quit = true;
  pthread_cond_broadcast(&t->wake);
  pthread_mutex_unlock(&t->lock);
  for (int i = 1; i <= t->started; i++) pthread_join(t->workers[i].thread, NULL);
}

/* In a forked child the threads do not exist and the locks are unusable: only the memory is
 * freed. */
void lcu_team_destroy (lcu_team *t) {
  if (t == NULL) return;
  if (t->owner == getpid()) {
    stop_threads(t);
    pthread_cond_destroy(&t->done);
    pthread_cond_destroy(&t->wake);
    pthread_mutex_destroy(&t->lock);
  }
  lcu_free(t);
}

#ifdef __linux__
static int affinity_count (void) {
  for (int cpus = 1024; cpus <= 1 << 18; cpus *= 4) {
    cpu_set_t *set = CPU_ALLOC((size_t)cpus);
    if (set == NULL) return 0;
    size_t bytes = CPU_ALLOC_SIZE((size_t)cpus);
    int n = sched_getaffinity(0, bytes, set) == 0 ? CPU_COUNT_S(bytes, set) : 0;
    CPU_FREE(set);
    if (n > 0) return n;
  }
  return 0;
}
#else
static int affinity_count (void) { return 0; }
#endif

int lcu_cpu_count (void) {
  int n = affinity_count();
  if (n > 0) return n;
#ifdef _SC_NPROCESSORS_ONLN
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  if (online > 0) return (int)online;
#endif
  return 1;
}

double lcu_now_ms (void) {
  struct timespec ts;
  clock_gettime(CLOCK_MONOTONIC, &ts);
  return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec * 1e-6;
}

/* Setting the clock meanwhile makes one tick shorter or longer. */
static struct timespec next_tick (void) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  t.tv_nsec += LCU_TICK_MS * 1000000L;
  if (t.tv_nsec < 1000000000L) return t;
  t.tv_sec++;
  t.tv_nsec -= 1000000000L;
  return t;
}

void lcu_cond_wait_tick (pthread_cond_t *cond, pthread_mutex_t *lock) {
  struct timespec until = next_tick();
  pthread_cond_timedwait(cond, lock, &until);
}

bool lcu_lock_tick (pthread_mutex_t *lock) {
#ifdef __APPLE__
  return pthread_mutex_lock(lock) == 0;
#else
  struct timespec until = next_tick();
  return pthread_mutex_timedlock(lock, &until) == 0;
#endif
}
