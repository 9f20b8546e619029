/* lcu_process_count.c: what is counted for the whole process: states, and what watches it. */
#include "lcu_process.h"

atomic_int lcu_process_watches;
static atomic_long states;

long lcu_process_add_states (int n) { return atomic_fetch_add(&states, n) + n; }

bool lcu_process_watch (int bit, bool on) {
  int before =
    on ? atomic_fetch_or(&lcu_process_watches, bit) : atomic_fetch_and(&lcu_process_watches, ~bit);
  return (before & bit) != 0;
}

void lcu_process_watch_times (bool on) {
  enum { ONE = 256 };
  atomic_fetch_add(&lcu_process_watches, on ? ONE : -ONE);
}
