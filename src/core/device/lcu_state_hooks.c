/* lcu_state_hooks.c: the hooks of Lua states, by thread. */
#include "lcu_state_hooks.h"

#include <pthread.h>

#include "lcu_mem.h"
#include "lcu_process.h"

typedef struct entry {
  struct entry *next;
  lcu_state_hooks hooks;
  void *ud;
  pthread_t thread;
} entry;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static entry *entries;

lcu_status lcu_state_hooks_add (const lcu_state_hooks *hooks, void *ud) {
  entry *e = lcu_alloc(sizeof *e);
  if (e == NULL) return lcu_no_memory("the hooks of a Lua state");
  *e = (entry){ .hooks = *hooks, .ud = ud, .thread = pthread_self() };
  pthread_mutex_lock(&lock);
  e->next = entries;
  entries = e;
  pthread_mutex_unlock(&lock);
  return LCU_OK;
}

/* In a forked child the lock may be held forever; the list is not used there. */
void lcu_state_hooks_remove (const void *ud) {
  if (lcu_process_forked()) return;
  pthread_mutex_lock(&lock);
  for (entry **at = &entries; *at != NULL; at = &(*at)->next) {
    entry *e = *at;
    if (e->ud != ud) continue;
    *at = e->next;
    lcu_free(e);
    break;
  }
  pthread_mutex_unlock(&lock);
}

/* Copies the i-th entry of this thread. */
static bool entry_at (size_t i, entry *out) {
  bool found = false;
  pthread_mutex_lock(&lock);
  for (const entry *e = entries; e != NULL && !found; e = e->next) {
    if (!pthread_equal(e->thread, pthread_self()) || i-- != 0) continue;
    *out = *e;
    found = true;
  }
  pthread_mutex_unlock(&lock);
  return found;
}

/* Runs without the lock: hooks free memory, and may remove themselves. */
void lcu_state_hooks_reclaim (void) {
  entry e;
  for (size_t i = 0; entry_at(i, &e); i++) e.hooks.reclaim(e.ud);
}

bool lcu_state_hooks_stop (bool begin) {
  bool stops = false;
  pthread_mutex_lock(&lock);
  for (const entry *e = entries; e != NULL; e = e->next)
    if (pthread_equal(e->thread, pthread_self()) && e->hooks.stop(e->ud, begin)) stops = true;
  pthread_mutex_unlock(&lock);
  return stops;
}
