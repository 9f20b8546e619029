/* lcu_process_fork.c: the watch for fork(): CUDA does not survive it. */
#include <pthread.h>

#include "lcu_process.h"

atomic_bool lcu_process_is_forked;
static atomic_bool initialised;
static void (*start_afresh)(void);

/* In the child. */
static void after_fork (void) {
  if (atomic_load(&initialised)) atomic_store(&lcu_process_is_forked, true);
  else start_afresh();
}

void lcu_process_watch_fork (void (*afresh)(void)) {
  if (start_afresh == NULL) pthread_atfork(NULL, NULL, after_fork);
  start_afresh = afresh;
}

void lcu_process_forbid_fork (bool on) { atomic_store(&initialised, on); }

lcu_status lcu_process_check (void) {
  if (lcu_likely(!lcu_process_forked())) return LCU_OK;
  return lcu_fail(LCU_E_FORK,
                  "CUDA was initialised before fork(): it cannot be used in the child process; "
                  "fork first, or start a new process");
}
