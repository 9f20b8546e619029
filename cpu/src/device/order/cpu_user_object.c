/* cpu_user_object.c: entry points for objects of the program that graphs hold. */
#include "cpu_user_object.h"

#include "cpu_enter.h"
#include "cpu_graph.h"

enum { USER_OBJECT_MAGIC = 0x55534552 };

struct cu_user_object_ {
  uint32_t magic;
  uint64_t refs;
  cu_host_fn destroy;
  void *ud;
  cu_user_object next; /* of those without references */
};

struct cpu_holding {
  cu_user_object object;
  unsigned count;
  cpu_holding *next;
};

static cu_user_object unheld; /* guarded by the lock of graphs */

static bool is_object (cu_user_object o) { return o != NULL && o->magic == USER_OBJECT_MAGIC; }

static void drop (cu_user_object o, unsigned count) {
  o->refs -= count;
  if (o->refs > 0) return;
  o->magic = 0;
  o->next = unheld;
  unheld = o;
}

static cu_user_object take_unheld (void) {
  pthread_mutex_lock(&cpu_graph_lock);
  cu_user_object o = unheld;
  unheld = NULL;
  pthread_mutex_unlock(&cpu_graph_lock);
  return o;
}

void cpu_user_objects_end (void) {
  for (cu_user_object o = take_unheld(), next; o != NULL; o = next) {
    next = o->next;
    cpu_call_host(o->destroy, o->ud);
    lcu_free(o);
  }
}


/* ---- what graphs hold ---- */

static cpu_holding *find_holding (cpu_holding *list, cu_user_object o) {
  while (list != NULL && list->object != o) list = list->next;
  return list;
}

static bool hold (cpu_holding **list, cu_user_object o, unsigned count) {
  cpu_holding *h = find_holding(*list, o);
  if (h == NULL) {
    h = lcu_calloc(1, sizeof *h);
    if (h == NULL) return false;
    *h = (cpu_holding){ .object = o, .next = *list };
    *list = h;
  }
  h->count += count;
  return true;
}

bool cpu_holdings_copy (const cpu_holding *from, cpu_holding **to) {
  for (; from != NULL; from = from->next) {
    if (!hold(to, from->object, 1)) return false;
    from->object->refs++;
  }
  return true;
}

void cpu_holdings_drop (cpu_holding **list) {
  for (cpu_holding *h = *list, *next; h != NULL; h = next) {
    next = h->next;
    drop(h->object, h->count);
    lcu_free(h);
  }
  *list = NULL;
}

static void let_go (cpu_holding **list, cpu_holding *h, unsigned count) {
  h->count -= count;
  drop(h->object, count);
  if (h->count > 0) return;
  while (*list != h) list = &(*list)->next;
  *list = h->next;
  lcu_free(h);
}


/* ---- entry points ---- */

static cu_result leave (cu_result r) {
  pthread_mutex_unlock(&cpu_graph_lock);
  cpu_user_objects_end();
  return r;
}

/* cpu_enter_driver, then the lock, which is held afterwards if the result is 0. */
static cu_result enter (cu_user_object o, unsigned count) {
  cu_result r = cpu_enter_driver();
  if (r != 0) return r;
  pthread_mutex_lock(&cpu_graph_lock);
  return is_object(o) && count > 0 && count <= INT32_MAX ? 0 : leave(CU_ERR_INVALID_VALUE);
}

cu_result cpu_cuUserObjectCreate (cu_user_object *out, void *ud, cu_host_fn destroy, unsigned count,
                                  unsigned flags) {
  cu_result r = cpu_enter_driver();
  if (r != 0) return r;
  if (out == NULL || destroy == NULL || count == 0 || count > INT32_MAX ||
      flags != CU_USER_OBJECT_NO_SYNC)
    return CU_ERR_INVALID_VALUE;
  cu_user_object o = lcu_calloc(1, sizeof *o);
  if (o == NULL) return CU_ERR_OUT_OF_MEMORY;
  *o = (struct cu_user_object_){ USER_OBJECT_MAGIC, count, destroy, ud, NULL };
  *out = o;
  return 0;
}

cu_result cpu_cuUserObjectRetain (cu_user_object o, unsigned count) {
  cu_result r = enter(o, count);
  if (r != 0) return r;
  o->refs += count;
  return leave(0);
}

cu_result cpu_cuUserObjectRelease (cu_user_object o, unsigned count) {
  cu_result r = enter(o, count);
  if (r != 0) return r;
  if (count > o->refs) return leave(CU_ERR_INVALID_VALUE);
  drop(o, count);
  return leave(0);
}

/* Moved references were the caller's. */
cu_result cpu_cuGraphRetainUserObject (cu_graph g, cu_user_object o, unsigned count,
                                       unsigned flags) {
  cu_result r = enter(o, count);
  if (r != 0) return r;
  if (!cpu_object_is(CPU_GRAPH, g) || flags > CU_GRAPH_USER_OBJECT_MOVE_)
    return leave(CU_ERR_INVALID_VALUE);
  if (!hold(&g->holdings, o, count)) return leave(CU_ERR_OUT_OF_MEMORY);
  if (flags != CU_GRAPH_USER_OBJECT_MOVE_) o->refs += count;
  return leave(0);
}

cu_result cpu_cuGraphReleaseUserObject (cu_graph g, cu_user_object o, unsigned count) {
  cu_result r = enter(o, count);
  if (r != 0) return r;
  cpu_holding *h = cpu_object_is(CPU_GRAPH, g) ? find_holding(g->holdings, o) : NULL;
  if (h == NULL || h->count < count) return leave(CU_ERR_INVALID_VALUE);
  let_go(&g->holdings, h, count);
  return leave(0);
}
