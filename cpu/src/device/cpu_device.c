/* cpu_device.c: start and shutdown of the device.
 *
 * The state of the device belongs to the process: every Lua state and every thread shares it.
 * cuInit brings the device up, cuxShutdown takes it down, and cuInit may bring it up again; handles
 * from before a shutdown are invalid. No other call may be in progress during cuxShutdown.
 *
 * Threads and locks do not survive a fork. If the device was up, calls in the child fail with
 * NOT_INITIALIZED before they take a lock, and nothing is freed: the child's copy of the memory
 * ends with the child.
 *
 * Locks: the locks of this file (start and shutdown), of contexts (cpu_context_lock: create,
 * retain, release, reset, destroy), of the team (cpu_grid.c, while a grid runs) and of graphs and
 * captures (cpu_graph.h, but not while a thread waits for operations) and of libraries are held
 * while others are taken. Each of the other locks belongs to one file - cpu_queue.c, cpu_map.c,
 * cpu_module.c, cpu_event.c, cpu_fault.c, cpu_print.c, and cpu_grid.c for its counters - and a
 * thread never holds two of them. */
#include "cpu_config.h"
#include "cpu_context.h"
#include "cpu_driver.h"
#include "cpu_enter.h"
#include "cpu_graph_exec.h"
#include "cpu_grid.h"
#include "cpu_library.h"
#include "cpu_queue.h"
#include "cpu_worker.h"
#include "cpu_words.h"

#include <pthread.h>

static pthread_mutex_t init_lock = PTHREAD_MUTEX_INITIALIZER;

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
  return cpu_fail(call, CU_ERR_NOT_INITIALIZED,
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

cu_result cpu_cuxShutdown (void) {
  if (cpu_device_state() == CPU_FORKED) return forked("cuxShutdown");
  if (cpu_in_host_function()) return CU_ERR_NOT_PERMITTED;
  pthread_mutex_lock(&init_lock);
  if (cpu_device_state() == CPU_UP) {
    cpu_workers_stop();
    cpu_graphs_free();
    cpu_user_objects_end();
    cpu_queue_free();
    cpu_device_set_state(CPU_DOWN);
    cpu_context_forget();
    cpu_context_free_objects();
    cpu_libraries_free();
    cpu_team_stop();
    ptx_jit_rest();
  }
  pthread_mutex_unlock(&init_lock);
  return 0;
}
