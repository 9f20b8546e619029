/* lcu_signal.c: the calling thread blocks the signals and fetches them itself. The foreign code's
 * handlers cannot take one, and installing them, which discards pending signals, cannot lose
 * one. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* sigtimedwait */
#endif
#include "lcu_signal.h"

#ifdef __linux__

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* NVRTC's front end takes over these. The first two are fetched; for the last only the disposition
 * is kept. */
static const int taken[] = { SIGINT, SIGTERM, SIGXFSZ };
enum { FETCHED = 2, WAKE = SIGINT };
static const long POLL_NS = 2000000;
/* compilers recurse deeply, and unused stack takes no memory */
static const size_t STACK = 64u << 20;

/* The program's dispositions, while any shield is up. */
static struct {
  pthread_mutex_t lock;
  int users;
  struct sigaction own[lcu_arraylen(taken)];
} kept = { .lock = PTHREAD_MUTEX_INITIALIZER };

typedef struct shield {
  void (*fn)(void *ud), (*idle)(void *ud);
  void *ud;
  atomic_int *cancel;
  pthread_t caller;
  atomic_bool done;
  sigset_t fetched, before; /* before: the caller's mask */
  /* arrived while the program blocked it: made pending again at the end */
  bool held[FETCHED];
} shield;

/* ---- dispositions */

static void save_own (void) {
  for (size_t i = 0; i < lcu_arraylen(taken); i++) sigaction(taken[i], NULL, &kept.own[i]);
}

/* While the foreign code runs it is enough to compare handlers. At the end all dispositions are set
 * again, because the foreign code does not restore flags and masks. */
static void put_back (bool at_end) {
  struct sigaction now;
  for (size_t i = 0; i < lcu_arraylen(taken); i++)
    if (at_end ||
        (sigaction(taken[i], NULL, &now) == 0 && now.sa_handler != kept.own[i].sa_handler))
      sigaction(taken[i], &kept.own[i], NULL);
}

static void keep_dispositions (int change) {
  pthread_mutex_lock(&kept.lock);
  if (kept.users == 0) save_own();
  kept.users += change;
  put_back(kept.users == 0);
  pthread_mutex_unlock(&kept.lock);
}

/* ---- signals */

/* The program's handler runs immediately, on the thread it expects. It may change dispositions, as
 * the one of the lua interpreter does. */
static void run_handler (int sig) {
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, sig);
  pthread_mutex_lock(&kept.lock);
  put_back(true);
  pthread_mutex_unlock(&kept.lock);
  raise(sig);
  pthread_sigmask(SIG_UNBLOCK, &one, NULL);
  pthread_sigmask(SIG_BLOCK, &one, NULL);
  pthread_mutex_lock(&kept.lock);
  save_own();
  pthread_mutex_unlock(&kept.lock);
}

static bool is_ignored (int sig) {
  bool ignored = false;
  pthread_mutex_lock(&kept.lock);
  for (size_t i = 0; i < FETCHED; i++)
    ignored |= taken[i] == sig && kept.own[i].sa_handler == SIG_IGN;
  pthread_mutex_unlock(&kept.lock);
  return ignored;
}

static void deliver (shield *s, int sig) {
  if (sigismember(&s->before, sig)) {
    for (size_t i = 0; i < FETCHED; i++) s->held[i] |= taken[i] == sig;
    return;
  }
  if (is_ignored(sig)) return;
  run_handler(sig);
  atomic_store(s->cancel, sig);
}

static bool is_wake (const shield *s, int sig, const siginfo_t *info) {
  return sig == WAKE && info->si_code == SI_QUEUE && info->si_value.sival_ptr == s;
}

/* Fetches and handles one signal; true when it is the one with which the thread reports its end.
 * Every wait also checks `done`, because that signal may get lost where another thread's foreign
 * code resets it. */
static bool fetch (shield *s, long ns) {
  struct timespec t = { 0, ns };
  siginfo_t info;
  int sig = sigtimedwait(&s->fetched, &info, &t);
  if (sig > 0 && is_wake(s, sig, &info)) return true;
  if (sig > 0) deliver(s, sig);
  return false;
}

/* ---- the two threads */

static void *run (void *arg) {
  shield *s = arg;
  s->fn(s->ud);
  atomic_store(&s->done, true);
  pthread_sigqueue(s->caller, WAKE, (union sigval){ .sival_ptr = s });
  return NULL;
}

static bool start (shield *s, pthread_t *thread) {
  pthread_attr_t attr;
  sigset_t all, mask;
  if (pthread_attr_init(&attr) != 0) return false;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &mask);
  bool ok =
    pthread_attr_setstacksize(&attr, STACK) == 0 && pthread_create(thread, &attr, run, s) == 0;
  if (!ok) ok = pthread_create(thread, NULL, run, s) == 0;
  pthread_sigmask(SIG_SETMASK, &mask, NULL);
  pthread_attr_destroy(&attr);
  return ok;
}

static void attend (shield *s, pthread_t thread) {
  bool woken = false;
  while (!woken && !atomic_load(&s->done)) {
    woken = fetch(s, POLL_NS);
    keep_dispositions(0);
    if (s->idle != NULL) s->idle(s->ud);
  }
  pthread_join(thread, NULL);
  if (!woken) fetch(s, 0);
}

void lcu_signal_shield (void (*fn)(void *ud), void (*idle)(void *ud), void *ud,
                        atomic_int *cancel) {
  shield s = { .fn = fn, .idle = idle, .ud = ud, .cancel = cancel, .caller = pthread_self() };
  pthread_t thread;
  atomic_store(cancel, 0);
  sigemptyset(&s.fetched);
  for (size_t i = 0; i < FETCHED; i++) sigaddset(&s.fetched, taken[i]);
  pthread_sigmask(SIG_BLOCK, &s.fetched, &s.before);
  keep_dispositions(1);
  if (start(&s, &thread)) attend(&s, thread);
  else fn(ud); /* no thread could be created: signals stay pending until fn returns */
  keep_dispositions(-1);
  pthread_sigmask(SIG_SETMASK, &s.before, NULL);
  for (size_t i = 0; i < FETCHED; i++)
    if (s.held[i]) kill(getpid(), taken[i]);
}

#else

void lcu_signal_shield (void (*fn)(void *ud), void (*idle)(void *ud), void *ud,
                        atomic_int *cancel) {
  (void)idle;
  atomic_store(cancel, 0);
  fn(ud);
}

#endif
