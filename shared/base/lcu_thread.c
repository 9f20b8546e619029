/* lcu_thread.c: core counting, clock, waiting in ticks. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* sched_getaffinity */
#endif
#include "lcu_thread.h"

#include <sched.h>
#include <time.h>
#include <unistd.h>

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
