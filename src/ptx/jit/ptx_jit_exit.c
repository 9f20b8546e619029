/* ptx_jit_exit.c: the end of the process.
 *
 * exit() calls handlers, the latest first, while other threads go on. A handler cannot protect the
 * opening of LLVM, which registers 3,000 destructors above it within milliseconds. But before all
 * handlers, exit() calls the destructors of its own thread's variables, and these wait. They also
 * run when a thread ends and the process does not. Only the main thread's mean the end of both. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* syscall */
#endif
#include "ptx_jit_exit.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lcu_base.h"
#include "ptx.h"
#include "ptx_jit_queue.h"

/* ---- handlers */

void ptx_jit_exit_guard (void) {
  enum { MOST_TIMES = 16 };
  static int times; /* of the one thread */
  if (times++ < MOST_TIMES) (void)atexit(ptx_jit_queue_quit);
}

/* ---- opening */

static atomic_bool opening;
static pthread_mutex_t opening_lock = PTHREAD_MUTEX_INITIALIZER;

/* While destructors are registered, the C library holds a lock. In a child that is forked then,
 * nobody would release it, and exit() would wait forever. */
static void before_fork (void) { pthread_mutex_lock(&opening_lock); }
static void after_fork (void) { pthread_mutex_unlock(&opening_lock); }

void ptx_jit_exit_during (void (*open)(void)) {
  (void)pthread_atfork(before_fork, after_fork, after_fork);
  pthread_mutex_lock(&opening_lock);
  atomic_store(&opening, true);
  ptx_jit_exit_guard();
  open();
  ptx_jit_exit_guard();
  atomic_store(&opening, false);
  pthread_mutex_unlock(&opening_lock);
}

/* ---- threads. Without glibc there are only the handlers. */

#if defined(__linux__) && defined(__GLIBC__)
#include <sys/syscall.h>
#include <unistd.h>

/* How C++ registers a destructor of a thread's variable. */
extern int __cxa_thread_atexit_impl (void (*destructor)(void *), void *object, void *library);
extern char __dso_handle __attribute__((visibility("hidden")));

static void wait_until_open (void) {
  enum { MOST_MS = 10000 };
  const struct timespec pause = { .tv_nsec = 1000000 };
  double latest = lcu_now_ms() + MOST_MS;
  while (atomic_load(&opening) && lcu_now_ms() < latest) nanosleep(&pause, NULL);
}

/* "1234 (its name) Z ...": a process whose main thread has ended is a zombie with threads. */
static bool is_main_gone (void) {
  char line[256];
  FILE *f = fopen("/proc/self/stat", "re");
  if (f == NULL) return false;
  const char *name_end = fgets(line, sizeof line, f) != NULL ? strrchr(line, ')') : NULL;
  fclose(f);
  return name_end != NULL && strncmp(name_end, ") Z", 3) == 0;
}

/* After pthread_exit() in the main thread, which calls no destructors there, the process ends with
 * its last thread. That must not be one that rests. */
static void thread_ends (void *unused) {
  (void)unused;
  if (syscall(SYS_gettid) == getpid()) {
    ptx_jit_queue_quit();
  } else {
    wait_until_open();
    if (is_main_gone()) ptx_jit_queue_go_on();
  }
}

void ptx_jit_watch_thread (void) {
  static _Thread_local bool watched;
  if (watched) return;
  watched = __cxa_thread_atexit_impl(thread_ends, NULL, &__dso_handle) == 0;
}
#else
void ptx_jit_watch_thread (void) {}
#endif
