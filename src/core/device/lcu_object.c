/* lcu_object.c: atomic reference counts, and the number of live objects of each kind. */
#include "lcu_object.h"

static atomic_long live[LCU_OBJ_COUNT];

void lcu_object_init (lcu_object *o, lcu_object_kind kind, void (*destroy)(lcu_object *o)) {
  atomic_init(&o->refs, 1);
  o->kind = kind;
  o->destroy = destroy;
  atomic_fetch_add_explicit(&live[kind], 1, memory_order_relaxed);
}

/* A reference is only made from another one, so a caller who holds all of them need not count
 * down. */
static bool ours_alone (const lcu_object *o, int n) {
  return atomic_load_explicit(&o->refs, memory_order_acquire) == n;
}

/* The thread that drops the last reference must see what others wrote before they dropped
 * theirs. */
void lcu_object_unref_many (lcu_object *o, int n) {
  if (o == NULL ||
      (!ours_alone(o, n) && atomic_fetch_sub_explicit(&o->refs, n, memory_order_acq_rel) != n))
    return;
  atomic_fetch_sub_explicit(&live[o->kind], 1, memory_order_relaxed);
  o->destroy(o);
}

void lcu_object_unref (lcu_object *o) { lcu_object_unref_many(o, 1); }

bool lcu_object_try_ref (lcu_object *o) {
  int n = atomic_load(&o->refs);
  while (n > 0)
    if (atomic_compare_exchange_weak(&o->refs, &n, n + 1)) return true;
  return false;
}

/* Whoever drops the only reference does not count it down (ours_alone): it is counted down here. */
bool lcu_object_revived (lcu_object *o) {
  if (atomic_load(&o->refs) <= 1 || atomic_fetch_sub(&o->refs, 1) <= 1) return false;
  atomic_fetch_add_explicit(&live[o->kind], 1, memory_order_relaxed);
  return true;
}

long lcu_object_live (lcu_object_kind kind) {
  return atomic_load_explicit(&live[kind], memory_order_relaxed);
}

const char *lcu_object_kind_name (lcu_object_kind kind) {
  static const char *const names[LCU_OBJ_COUNT] = {
    [LCU_OBJ_DEVICE] = "device",       [LCU_OBJ_STREAM] = "stream", [LCU_OBJ_EVENT] = "event",
    [LCU_OBJ_BLOCK] = "block",         [LCU_OBJ_MODULE] = "module", [LCU_OBJ_FUNCTION] = "function",
    [LCU_OBJ_PARTITION] = "partition", [LCU_OBJ_GRAPH] = "graph",   [LCU_OBJ_COMM] = "communicator",
  };
  return kind < LCU_OBJ_COUNT ? names[kind] : NULL;
}
