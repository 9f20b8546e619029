/* cpu_profile.c: counting what kernels cost, for one owner (a Lua state) at a time each. Profiled
 * grids run one after the other. */
#include "cpu_caller.h"
#include "cpu_grid.h"

#include <pthread.h>

#include "cpu_enter.h"
#include "cpu_trace.h"

typedef struct profiled {
  struct profiled *next;
  uint64_t owner;
  ptx_profile *profile;
} profiled;

static struct {
  pthread_mutex_t lock; /* held while a profiled grid runs */
  atomic_int num;
  profiled *first;
} profiles = { .lock = PTHREAD_MUTEX_INITIALIZER };

static profiled **find (uint64_t owner) {
  profiled **at = &profiles.first;
  while (*at != NULL && (*at)->owner != owner) at = &(*at)->next;
  return at;
}

ptx_profile *cpu_profile_enter (uint64_t owner) {
  if (lcu_likely(atomic_load_explicit(&profiles.num, memory_order_acquire) == 0)) return NULL;
  pthread_mutex_lock(&profiles.lock);
  profiled *found = *find(owner);
  if (found != NULL) return found->profile;
  pthread_mutex_unlock(&profiles.lock);
  return NULL;
}

void cpu_profile_leave (ptx_profile *p) {
  if (p != NULL) pthread_mutex_unlock(&profiles.lock);
}

static void end (uint64_t owner) {
  profiled **at = find(owner), *p = *at;
  if (p == NULL) return;
  *at = p->next;
  atomic_fetch_sub(&profiles.num, 1);
  ptx_profile_free(p->profile);
  lcu_free(p);
}

static cu_result begin (uint64_t owner, lcu_costs *costs) {
  profiled *p = lcu_calloc(1, sizeof *p);
  if (p != NULL) p->profile = ptx_profile_new(costs);
  if (p == NULL || p->profile == NULL) {
    lcu_free(p);
    return CU_ERR_OUT_OF_MEMORY;
  }
  p->owner = owner;
  p->next = profiles.first;
  profiles.first = p;
  atomic_fetch_add(&profiles.num, 1);
  return 0;
}

/* From now on grids that the caller's Lua state queues add to *costs; NULL: no longer. */
cu_result cpu_cuxProfile (cux_costs *costs) {
  cu_result r = cpu_enter();
  if (r != 0) return r;
  cpu_trace_end(); /* its grid may have the lock */
  pthread_mutex_lock(&profiles.lock);
  end(cpu_caller()->owner);
  if (costs != NULL) r = begin(cpu_caller()->owner, costs);
  pthread_mutex_unlock(&profiles.lock);
  if (r == 0 && costs != NULL && costs->trace != NULL) cpu_trace_begin(costs->trace);
  return r;
}

/* No profiler watches the device from outside. */
cu_result cpu_cuProfilerStart (void) { return cpu_enter(); }
cu_result cpu_cuProfilerStop (void) { return cpu_enter(); }
