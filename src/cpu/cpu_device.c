/* cpu_device.c: the device's beginning and end. */
#include "cpu_config.h"
#include "cpu_context.h"
#include "cpu_driver.h"
#include "cpu_enter.h"
#include "cpu_grid.h"
#include "cpu_queue.h"
#include "cpu_worker.h"

#include <pthread.h>

static pthread_mutex_t init_lock = PTHREAD_MUTEX_INITIALIZER;

/* Threads and locks stay with the parent: the child may only be told so. */
static void watch_forks (void) { pthread_atfork(NULL, NULL, cpu_device_fork_child); }

static cu_result start (void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  cpu_config c = { 0 };
  cu_result r = cpu_config_read(&c);
  if (r != 0) return r;
  if (pthread_once(&once, watch_forks) != 0) return CU_ERR_OPERATING_SYSTEM;
  cpu_configuration = c;
  r = cpu_team_start(c.threads);
  if (r == 0) cpu_device_set_state(CPU_UP);
  return r;
}

static cu_result forked (const char *call) {
  return lcu_driver_detail(call, CU_ERR_NOT_INITIALIZED,
                           "the CPU device was in use before this process was forked");
}

cu_result cpu_cuInit (unsigned flags) {
  if (cpu_device_state() == CPU_FORKED) return forked("cuInit");
  if (flags != 0) return CU_ERR_INVALID_VALUE;
  pthread_mutex_lock(&init_lock);
  cu_result r = cpu_device_state() == CPU_UP ? 0 : start();
  pthread_mutex_unlock(&init_lock);
  return r;
}

/* In a forked child everything stays as it is: the memory is the child's copy and goes with it. */
cu_result cpu_cuxShutdown (void) {
  if (cpu_device_state() == CPU_FORKED) return forked("cuxShutdown");
  if (cpu_in_host_function()) return CU_ERR_NOT_PERMITTED;
  pthread_mutex_lock(&init_lock);
  if (cpu_device_state() == CPU_UP) {
    cpu_workers_stop();
    cpu_queue_free();
    cpu_device_set_state(CPU_DOWN);
    cpu_context_forget();
    cpu_context_free_objects();
    cpu_team_stop();
  }
  pthread_mutex_unlock(&init_lock);
  return 0;
}
