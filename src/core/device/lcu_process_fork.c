/* lcu_process_fork.c: detects fork(), after which CUDA is unusable in the child. */
#include <pthread.h>

#include "lcu_process.h"

atomic_bool lcu_process_is_forked;
static atomic_bool initialized;
static void (*start_afresh)(void);

/* Runs in the child. */
static void after_fork (void) {
  if (atomic_load(&initialized)) atomic_store(&lcu_process_is_forked, true);
  else start_afresh();
}

void lcu_process_watch_fork (void (*afresh)(void)) {
  bool first = start_afresh == NULL;
  start_afresh = afresh;
  if (first) pthread_atfork(NULL, NULL, after_fork);
}

void lcu_process_forbid_fork (bool on) { atomic_store(&initialized, on); }

lcu_status lcu_process_check (void) {
  if (lcu_likely(!lcu_process_forked())) return LCU_OK;
  return lcu_fail(LCU_E_FORK,
                  "CUDA was initialized before fork(): it cannot be used in the child process; "
                  "fork first, or start a new process");
}
