/* lcu_reclaim.c: hooks that give memory back when a device runs out. */
#include <pthread.h>

#include "lcu_internal.h"

typedef struct hook { struct hook *next; lcu_reclaim_fn fn; void *ud; pthread_t thread; } hook;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static hook *hooks;

lcu_status lcu_reclaim_add (lcu_reclaim_fn fn, void *ud) {
  hook *h = lcu_alloc(sizeof *h);
  if (h == NULL) return lcu_fail(LCU_E_NOMEM, "no memory for a reclaim hook");
  *h = (hook){ .fn = fn, .ud = ud, .thread = pthread_self() };
  pthread_mutex_lock(&lock);
  h->next = hooks;
  hooks = h;
  pthread_mutex_unlock(&lock);
  return LCU_OK;
}

/* In a child of fork() another thread may have held the lock for good; the list is never looked at there. */
void lcu_reclaim_remove (lcu_reclaim_fn fn, void *ud) {
  if (lcu_process_forked()) return;
  pthread_mutex_lock(&lock);
  for (hook **at = &hooks; *at != NULL; at = &(*at)->next) {
    hook *h = *at;
    if (h->fn != fn || h->ud != ud) continue;
    *at = h->next;
    lcu_free(h);
    break;
  }
  pthread_mutex_unlock(&lock);
}

/* The i-th hook of this thread. Hooks run without the lock: they free memory, and may remove themselves. */
static bool hook_at (size_t i, lcu_reclaim_fn *fn, void **ud) {
  bool found = false;
  pthread_mutex_lock(&lock);
  for (const hook *h = hooks; h != NULL && !found; h = h->next) {
    if (!pthread_equal(h->thread, pthread_self()) || i-- != 0) continue;
    *fn = h->fn;
    *ud = h->ud;
    found = true;
  }
  pthread_mutex_unlock(&lock);
  return found;
}

void lcu_reclaim_run (void) {
  lcu_reclaim_fn fn;
  void *ud;
  for (size_t i = 0; hook_at(i, &fn, &ud); i++) fn(ud);
}
