/* test_ptx_jit_exit.c: fork() while LLVM is opened. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* nanosleep */
#endif
#include "check.h"
#include "ptx_jit_exit.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static atomic_bool began, opened;

static void open_slowly (void) {
  const struct timespec while_forking = { .tv_nsec = 200000000 };
  atomic_store(&began, true);
  nanosleep(&while_forking, NULL);
  atomic_store(&opened, true);
}

static void *opener (void *unused) {
  ptx_jit_exit_during(open_slowly);
  return unused;
}

int main (void) {
  pthread_t thread;
  int status = -1;
  bool started = pthread_create(&thread, NULL, opener, NULL) == 0;
  CHECK(started);
  if (!started) return check_result();
  while (!atomic_load(&began)) continue;
  pid_t pid = fork();
  if (pid == 0) _exit(atomic_load(&opened) ? 0 : 1);
  CHECK(waitpid(pid, &status, 0) == pid && status == 0, "forked in the middle: %#x", status);
  pthread_join(thread, NULL);
  return check_result();
}
