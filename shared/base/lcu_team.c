/* lcu_team.c: worker teams. */
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "lcu_mem.h"
#include "lcu_thread.h"

#if defined(__x86_64__) || defined(__i386__)
#define lcu_pause() __builtin_ia32_pause()
#elif defined(__aarch64__)
#define lcu_pause() __asm__ volatile("yield")
#else
#define lcu_pause() ((void)0)
#endif

typedef struct worker {
  struct lcu_team *team;
  pthread_t thread;
  pthread_cond_t wake;
  int index;
  unsigned long round; /* the latest round of which somebody took this worker's job */
} worker;

struct lcu_team {
  int size;    /* including the caller */
  int started; /* threads that run: workers 1..started */
  bool full;   /* no more threads can be created */
  pid_t owner; /* process the threads live in */
  pthread_mutex_t lock;
  pthread_cond_t done;
  /* These two are changed with the lock, and read without it by threads that spin. */
  atomic_ulong round; /* counts runs */
  atomic_int busy;    /* threads working on this round */
  int width;          /* workers of this round: 0..width-1 */
  int woken;          /* of these, 1..woken were woken */
  bool quit;
  lcu_team_job job;
  void *ud;
  worker workers[]; /* size entries; of [0], the caller, only `round` is used */
};

/* ---- with the lock ---- */

/* Takes the job of worker i in this round. False: there is none, or it is taken. */
static bool take (lcu_team *t, int i) {
  if (i >= t->width || t->workers[i].round == t->round) return false;
  t->workers[i].round = t->round;
  t->busy++;
  return true;
}

/* Does the job of worker i, which was taken. First wakes up to two others, so that many are awake
 * soon. Releases the lock for all of this, since waking also takes microseconds. */
static void run_job (lcu_team *t, int i) {
  int from = t->woken + 1, to = from + 1;
  if (to > t->started) to = t->started;
  if (to > t->width - 1) to = t->width - 1;
  if (to >= from) t->woken = to;
  pthread_mutex_unlock(&t->lock);
  for (int k = from; k <= to; k++) pthread_cond_signal(&t->workers[k].wake);
  t->job(t->ud, i);
  pthread_mutex_lock(&t->lock);
  t->busy--;
}

/* ---- threads ---- */

/* How long an idle worker spins before it sleeps, and how long the caller spins before it sleeps:
 * waking a thread takes longer than many kernels. Only the first workers spin; with more, all of
 * them would contend for the lock. */
static const double SPIN_MS = 0.1, END_MS = 0.05;
enum { SPINNERS = 3 };

/* One turn of a spin loop, which yields the processor now and then. False: the time is up. */
static bool spin_on (int *turns, double until) {
  enum { TURNS = 64 };
  lcu_pause();
  if (++*turns % TURNS != 0) return true;
  sched_yield();
  return lcu_now_ms() < until;
}

static void spin_until_round (lcu_team *t, unsigned long after) {
  int turns = 0;
  double until = lcu_now_ms() + SPIN_MS;
  while (atomic_load_explicit(&t->round, memory_order_relaxed) == after && spin_on(&turns, until));
}

static void spin_until_done (lcu_team *t) {
  int turns = 0;
  double until = lcu_now_ms() + END_MS;
  while (atomic_load_explicit(&t->busy, memory_order_relaxed) > 0 && spin_on(&turns, until));
}

static void *worker_main (void *arg) {
  worker *w = arg;
  lcu_team *t = w->team;
  bool worked = false;
  pthread_mutex_lock(&t->lock);
  while (!t->quit) {
    if (take(t, w->index)) {
      run_job(t, w->index);
      if (t->busy == 0) pthread_cond_signal(&t->done);
      worked = w->index <= SPINNERS;
    } else if (worked) {
      unsigned long round = t->round;
      pthread_mutex_unlock(&t->lock);
      spin_until_round(t, round);
      pthread_mutex_lock(&t->lock);
      worked = false;
    } else {
      pthread_cond_wait(&w->wake, &t->lock);
    }
  }
  pthread_mutex_unlock(&t->lock);
  return NULL;
}

static void init_sync (lcu_team *t) {
  pthread_mutex_init(&t->lock, NULL);
  pthread_cond_init(&t->done, NULL);
  for (int i = 0; i < t->size; i++) {
    pthread_cond_init(&t->workers[i].wake, NULL);
    t->workers[i].round = 0;
  }
  t->started = 0;
  t->full = false;
  t->round = 0;
  t->width = t->woken = 0;
  t->busy = 0;
  t->owner = getpid();
}

static bool start_thread (lcu_team *t) {
  worker *w = &t->workers[t->started + 1];
  w->team = t;
  w->index = t->started + 1;
  if (pthread_create(&w->thread, NULL, worker_main, w) != 0) return false;
  t->started++;
  return true;
}

/* Threads for n workers. Signals are handled by the program's own threads. */
static void start_threads (lcu_team *t, int n) {
  sigset_t all, old;
  if (t->owner != getpid()) init_sync(t); /* forked: the threads stayed with the parent */
  if (t->started >= n - 1 || t->full) return;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  pthread_mutex_lock(&t->lock);
  while (t->started < n - 1 && !t->full) t->full = !start_thread(t);
  pthread_mutex_unlock(&t->lock);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* ---- teams ---- */

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

/* With the lock. */
static void wait_for_team (lcu_team *t, void (*idle)(void *ud), void *ud) {
  if (t->busy > 0) {
    pthread_mutex_unlock(&t->lock);
    spin_until_done(t);
    pthread_mutex_lock(&t->lock);
  }
  while (t->busy > 0) {
    lcu_cond_wait_tick(&t->done, &t->lock);
    if (t->busy == 0 || idle == NULL) continue;
    pthread_mutex_unlock(&t->lock);
    idle(ud);
    pthread_mutex_lock(&t->lock);
  }
}

void lcu_team_run (lcu_team *t, int n, lcu_team_job job, void (*idle)(void *ud), void *ud) {
  if (n > t->size) n = t->size;
  start_threads(t, n);
  pthread_mutex_lock(&t->lock);
  t->job = job;
  t->ud = ud;
  t->width = n;
  t->woken = 0;
  t->round++;
  for (int i = 0; i < n; i++) {
    if (take(t, i)) run_job(t, i);
    t->woken = t->size; /* there is too little to do to wake more */
  }
  wait_for_team(t, idle, ud);
  pthread_mutex_unlock(&t->lock);
}

static void stop_threads (lcu_team *t) {
  pthread_mutex_lock(&t->lock);
  t->quit = true;
  for (int i = 1; i <= t->started; i++) pthread_cond_signal(&t->workers[i].wake);
  pthread_mutex_unlock(&t->lock);
  for (int i = 1; i <= t->started; i++) pthread_join(t->workers[i].thread, NULL);
}

/* In a forked child the threads do not exist and the locks are unusable: only the memory is
 * freed. */
void lcu_team_destroy (lcu_team *t) {
  if (t == NULL) return;
  if (t->owner == getpid()) {
    stop_threads(t);
    for (int i = 0; i < t->size; i++) pthread_cond_destroy(&t->workers[i].wake);
    pthread_cond_destroy(&t->done);
    pthread_mutex_destroy(&t->lock);
  }
  lcu_free(t);
}
