/* test_signal.c: tests lcu_signal_shield with code that replaces signal handlers as NVRTC does. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include "check.h"
#include "lcu_signal.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_int cancel, theirs, ours;
static pthread_t handled_on;
static bool with_info;

static void foreign (int sig) {
  (void)sig;
  atomic_fetch_add(&theirs, 1);
}

static void own (int sig, siginfo_t *info, void *context) {
  (void)context;
  with_info = info != NULL && info->si_signo == sig;
  handled_on = pthread_self();
  atomic_fetch_add(&ours, 1);
}

static void install (int sig) {
  struct sigaction a;
  memset(&a, 0, sizeof a);
  a.sa_sigaction = own;
  a.sa_flags = SA_SIGINFO;
  sigaddset(&a.sa_mask, SIGUSR1);
  sigaction(sig, &a, NULL);
}

/* Is our handler installed, with the flags and the mask that signal() would lose? */
static bool is_ours (int sig) {
  struct sigaction a;
  return sigaction(sig, NULL, &a) == 0 && a.sa_sigaction == own && (a.sa_flags & SA_SIGINFO) != 0 &&
         sigismember(&a.sa_mask, SIGUSR1) == 1;
}

static void fresh (void) {
  atomic_store(&theirs, 0);
  atomic_store(&ours, 0);
  install(SIGINT);
  install(SIGTERM);
}

static void take_over (void) {
  if (signal(SIGINT, SIG_IGN) != SIG_IGN) signal(SIGINT, foreign);
  signal(SIGTERM, foreign);
  signal(SIGXFSZ, SIG_IGN);
}

static void leaves_handlers (void *ud) {
  (void)ud;
  take_over();
}

static void test_restores (void) {
  struct sigaction xfsz;
  sigset_t mask;
  fresh();
  lcu_signal_shield(leaves_handlers, NULL, NULL, &cancel);
  CHECK(is_ours(SIGINT) && is_ours(SIGTERM) && atomic_load(&cancel) == 0 &&
        atomic_load(&ours) == 0);
  CHECK(sigaction(SIGXFSZ, NULL, &xfsz) == 0 && xfsz.sa_handler == SIG_DFL);
  CHECK(pthread_sigmask(SIG_BLOCK, NULL, &mask) == 0 && !sigismember(&mask, SIGINT) &&
        !sigismember(&mask, SIGTERM));
}

/* Sends the signal *ud to the process and continues until canceled, at most for two seconds. */
static void sends (void *ud) {
  take_over();
  kill(getpid(), *(const int *)ud);
  for (int i = 0; i < 2000 && atomic_load(&cancel) == 0; i++) usleep(1000);
}

static void test_arrives (int sig) {
  fresh();
  lcu_signal_shield(sends, NULL, &sig, &cancel);
  CHECK(atomic_load(&cancel) == sig && atomic_load(&ours) == 1 && atomic_load(&theirs) == 0);
  CHECK(with_info && pthread_equal(handled_on, pthread_self()));
  CHECK(is_ours(SIGINT) && is_ours(SIGTERM));
}

static void sends_once (void *ud) {
  take_over();
  kill(getpid(), *(const int *)ud);
  usleep(20000);
}

static void test_blocked (void) {
  int sig = SIGTERM;
  sigset_t one, pending;
  fresh();
  sigemptyset(&one);
  sigaddset(&one, sig);
  pthread_sigmask(SIG_BLOCK, &one, NULL);
  lcu_signal_shield(sends_once, NULL, &sig, &cancel);
  CHECK(atomic_load(&cancel) == 0 && atomic_load(&ours) == 0);
  CHECK(sigpending(&pending) == 0 && sigismember(&pending, sig));
  pthread_sigmask(SIG_UNBLOCK, &one, NULL);
  CHECK(atomic_load(&ours) == 1);
}

static void test_ignored (void) {
  int sig = SIGINT;
  fresh();
  signal(SIGINT, SIG_IGN);
  lcu_signal_shield(sends_once, NULL, &sig, &cancel);
  CHECK(atomic_load(&cancel) == 0 && atomic_load(&ours) == 0 && atomic_load(&theirs) == 0);
}

/* A handler that resets its signal to the default, as that of the lua program does: the next signal
 * ends the process. */
static void one_shot (int sig) { signal(sig, SIG_DFL); }

static void sends_twice (void *ud) {
  take_over();
  kill(getpid(), *(const int *)ud);
  for (int i = 0; i < 2000 && atomic_load(&cancel) == 0; i++) usleep(1000);
  kill(getpid(), *(const int *)ud);
  usleep(2000000);
}

static void test_second_ends (void) {
  int status = 0, sig = SIGINT;
  pid_t child = fork();
  if (child == 0) {
    signal(SIGINT, one_shot);
    lcu_signal_shield(sends_twice, NULL, &sig, &cancel);
    _exit(0);
  }
  CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
}

static void *shield_often (void *arg) {
  atomic_int mine;
  sigset_t all;
  (void)arg;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, NULL);
  for (int i = 0; i < 200; i++) lcu_signal_shield(leaves_handlers, NULL, NULL, &mine);
  return NULL;
}

static void test_threads (void) {
  pthread_t t[3];
  fresh();
  for (int i = 0; i < 3; i++) pthread_create(&t[i], NULL, shield_often, NULL);
  for (int i = 0; i < 200; i++) lcu_signal_shield(leaves_handlers, NULL, NULL, &cancel);
  for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
  CHECK(is_ours(SIGINT) && is_ours(SIGTERM) && atomic_load(&ours) == 0 &&
        atomic_load(&theirs) == 0);
}

int main (void) {
  test_restores();
  test_arrives(SIGINT);
  test_arrives(SIGTERM);
  test_blocked();
  test_ignored();
  test_second_ends();
  test_threads();
  return check_result();
}
