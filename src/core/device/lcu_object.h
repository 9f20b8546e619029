/* lcu_object.h: reference counts of C objects. Lua code never sees the objects: a userdata holds
 * one reference and drops it when it is closed or collected. Counting is atomic, because states in
 * several threads share devices, streams and blocks. */
#ifndef LCU_OBJECT_H
#define LCU_OBJECT_H

#include <stdatomic.h>

#include "lcu_status.h"

typedef enum lcu_object_kind {
  LCU_OBJ_DEVICE,
  LCU_OBJ_STREAM,
  LCU_OBJ_EVENT,
  LCU_OBJ_BLOCK,
  LCU_OBJ_MODULE,
  LCU_OBJ_FUNCTION,
  LCU_OBJ_PARTITION,
  LCU_OBJ_GRAPH,
  LCU_OBJ_COMM,
  LCU_OBJ_COUNT
} lcu_object_kind;

typedef struct lcu_object {
  atomic_int refs;
  lcu_object_kind kind;
  void (*destroy)(struct lcu_object *o); /* frees the memory too; must not fail */
} lcu_object;

/* refs = 1 */
void lcu_object_init (lcu_object *o, lcu_object_kind kind, void (*destroy)(lcu_object *o));
static inline void lcu_object_ref_many (lcu_object *o, int n) {
  atomic_fetch_add_explicit(&o->refs, n, memory_order_relaxed);
}
static inline void lcu_object_ref (lcu_object *o) { lcu_object_ref_many(o, 1); }
void lcu_object_unref_many (lcu_object *o, int n);
/* Does the caller hold the only reference? Another thread may be about to drop or take one. */
static inline bool lcu_object_is_last (const lcu_object *o) {
  return atomic_load_explicit(&o->refs, memory_order_relaxed) == 1;
}
/* o may be NULL */
void lcu_object_unref (lcu_object *o);
/* For objects that others find in a list, under a lock: takes a reference unless the last one was
 * dropped. The destructor, under the same lock, asks whether that has happened to an object whose
 * last reference it was called for: it then must leave it alone. */
bool lcu_object_try_ref (lcu_object *o);
bool lcu_object_revived (lcu_object *o);
long lcu_object_live (lcu_object_kind kind);
/* "stream" */
const char *lcu_object_kind_name (lcu_object_kind kind);

/* Every object type starts with `lcu_object base`. */
#define lcu_ref(p) (lcu_object_ref(&(p)->base), (p))
#define lcu_unref(p) \
  do { \
    if ((p) != NULL) lcu_object_unref(&(p)->base); \
  } while (0)

#endif
