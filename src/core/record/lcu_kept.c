/* lcu_kept.c: what recorded work keeps alive. */
#include "lcu_kept.h"

#include <string.h>

#include "lcu_comm.h"
#include "lcu_comm_guard.h"
#include "lcu_device_failure.h"
#include "lcu_scope.h"

lcu_status lcu_kept_room (void **list, size_t *room, size_t n, size_t element, const char *what) {
  if (lcu_likely(n < *room)) return LCU_OK;
  size_t more = *room == 0 ? 16 : 2 * *room;
  void *bigger = lcu_realloc(*list, more * element);
  if (bigger == NULL) return lcu_no_memory("%s", what);
  *list = bigger;
  *room = more;
  return LCU_OK;
}

#define ROOM(list, room, n, what) \
  lcu_kept_room((void **)(void *)&(list), &(room), n, sizeof *(list), what)

lcu_status lcu_kept_use (lcu_kept *k, lcu_block *b, bool write) {
  LCU_TRY(ROOM(k->uses, k->uses_room, k->num_uses, "the memory of a graph"));
  LCU_TRY(ROOM(k->counts, k->counts_room, k->num_uses, "the memory of a graph"));
  k->counts[k->num_uses] = 0;
  k->uses[k->num_uses++] = (lcu_use){ lcu_ref(b), write };
  return LCU_OK;
}

lcu_status lcu_kept_object (lcu_kept *k, lcu_object *o) {
  if (k->num_objects > 0 && k->objects[k->num_objects - 1] == o) return LCU_OK;
  LCU_TRY(ROOM(k->objects, k->objects_room, k->num_objects, "the objects of a graph"));
  lcu_object_ref(o);
  k->objects[k->num_objects++] = o;
  return LCU_OK;
}

lcu_status lcu_kept_event (lcu_kept *k, lcu_event *e) {
  LCU_TRY(ROOM(k->events, k->events_room, k->num_events, "the events of a graph"));
  LCU_TRY(lcu_kept_object(k, &e->base));
  k->events[k->num_events++] = e;
  return LCU_OK;
}

lcu_status lcu_kept_comm (lcu_kept *k, lcu_comm *c) {
  for (size_t i = 0; i < k->num_comms; i++)
    if (k->comms[i] == c) return LCU_OK;
  LCU_TRY(ROOM(k->comms, k->comms_room, k->num_comms, "the communicators of a graph"));
  LCU_TRY(lcu_kept_object(k, &c->base));
  k->comms[k->num_comms++] = c;
  return LCU_OK;
}


/* ---- kernels ---- */

static lcu_status copy_uses (const lcu_use *uses, size_t n, lcu_use **out) {
  *out = lcu_calloc(n + 1, sizeof **out);
  if (*out == NULL) return lcu_no_memory("a kernel of a graph");
  for (size_t i = 0; i < n; i++) (*out)[i] = uses[i];
  return LCU_OK;
}

lcu_status lcu_kept_add_kernel (lcu_kept *k, const lcu_kept_kernel *kernel, const lcu_use *uses,
                                size_t n) {
  lcu_use *own = NULL;
  LCU_TRY(ROOM(k->kernels, k->kernels_room, k->num_kernels, "a kernel of a graph"));
  if (kernel->settable) LCU_TRY(copy_uses(uses, n, &own));
  lcu_kept_kernel *to = &k->kernels[k->num_kernels++];
  *to = *kernel;
  to->uses = own;
  to->num_uses = own != NULL ? n : 0;
  return LCU_OK;
}

static size_t find_use (const lcu_kept *k, const lcu_block *b) {
  size_t i = 0;
  while (i < k->num_uses && k->uses[i].block != b) i++;
  return i;
}

static lcu_status count_uses (lcu_kept *k, const lcu_use *uses, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (uses[i].block != NULL && find_use(k, uses[i].block) == k->num_uses)
      LCU_TRY(lcu_kept_use(k, uses[i].block, uses[i].write));
  for (size_t i = 0; i < n; i++) {
    if (uses[i].block == NULL) continue;
    size_t at = find_use(k, uses[i].block);
    k->counts[at]++;
    if (uses[i].write) k->uses[at].write = true;
  }
  return LCU_OK;
}

/* Forgets memory that nothing uses any more. */
static void drop_unused (lcu_kept *k) {
  size_t n = 0;
  for (size_t i = 0; i < k->num_uses; i++) {
    lcu_use use = k->uses[i];
    if (k->counts[i] == 0) {
      lcu_unref(use.block);
      continue;
    }
    k->counts[n] = k->counts[i];
    k->uses[n++] = use;
  }
  k->num_uses = n;
}

static void discount_uses (lcu_kept *k, const lcu_use *uses, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (uses[i].block != NULL) k->counts[find_use(k, uses[i].block)]--;
}

lcu_status lcu_kept_change (lcu_kept *k, const lcu_use *uses, size_t n, lcu_use **own) {
  LCU_TRY(copy_uses(uses, n, own));
  lcu_status st = count_uses(k, uses, n);
  if (st == LCU_OK) return LCU_OK;
  lcu_free(*own);
  drop_unused(k);
  return st;
}

void lcu_kept_changed (lcu_kept *k, size_t i, lcu_use *own, size_t n, bool done) {
  lcu_kept_kernel *kernel = &k->kernels[i];
  const lcu_kept_kernel before = *kernel;
  if (done) {
    kernel->uses = own;
    kernel->num_uses = n;
  }
  lcu_use *old = done ? before.uses : own;
  discount_uses(k, old, done ? before.num_uses : n);
  drop_unused(k);
  lcu_free(old);
}


/* ---- joining two records ---- */

#define ROOM_FOR(k, list, n, what) \
  more_room((void **)(void *)&(k)->list, &(k)->list##_room, (k)->num_##list + (n), \
            sizeof *(k)->list, what)

static lcu_status more_room (void **list, size_t *room, size_t n, size_t element,
                             const char *what) {
  while (*room < n) LCU_TRY(lcu_kept_room(list, room, *room, element, what));
  return LCU_OK;
}

static void append (void *to, size_t *num, const void *from, size_t n, size_t element) {
  if (n > 0) memcpy((char *)to + *num * element, from, n * element);
  *num += n;
}

/* The newest piece of `to` stays the one in use. */
static void take_bytes (lcu_kept *to, lcu_kept *from) {
  lcu_kept_bytes **end = &to->bytes;
  while (*end != NULL) end = &(*end)->next;
  *end = from->bytes;
  from->bytes = NULL;
}

lcu_status lcu_kept_take (lcu_kept *to, lcu_kept *from) {
  LCU_TRY(ROOM_FOR(to, kernels, from->num_kernels, "a kernel of a graph"));
  LCU_TRY(ROOM_FOR(to, conditions, from->num_conditions, "a condition of a graph"));
  LCU_TRY(ROOM_FOR(to, objects, from->num_objects, "the objects of a graph"));
  for (size_t i = 0; i < from->num_comms; i++) LCU_TRY(lcu_kept_comm(to, from->comms[i]));
  for (size_t i = 0; i < from->num_uses; i++)
    to->counts[find_use(to, from->uses[i].block)] += from->counts[i] - 1;
  append(to->kernels, &to->num_kernels, from->kernels, from->num_kernels, sizeof *to->kernels);
  append(to->conditions, &to->num_conditions, from->conditions, from->num_conditions,
         sizeof *to->conditions);
  append(to->objects, &to->num_objects, from->objects, from->num_objects, sizeof *to->objects);
  from->num_kernels = from->num_conditions = from->num_objects = from->num_comms = 0;
  take_bytes(to, from);
  return LCU_OK;
}


/* ---- bytes ---- */

enum { PIECE = 64 * 1024 };

static lcu_status add_piece (lcu_kept *k, size_t size) {
  void *memory = NULL;
  lcu_kept_bytes *p = lcu_calloc(1, sizeof *p);
  if (p == NULL) return lcu_no_memory("the data of a graph");
  lcu_status st = lcu_comm_guard_device(k->device);
  if (st == LCU_OK)
    st = LCU_CALL(k->device->drv, cuMemHostAlloc, (&memory, size, CU_HOSTALLOC_PORTABLE));
  st = lcu_device_status(k->device, st);
  if (st != LCU_OK) {
    lcu_free(p);
    return st;
  }
  *p = (lcu_kept_bytes){ k->bytes, memory, size, 0 };
  k->bytes = p;
  return LCU_OK;
}

lcu_status lcu_kept_copy (lcu_kept *k, const void *src, size_t n, const void **out) {
  if (k->bytes == NULL || k->bytes->size - k->bytes->used < n)
    LCU_TRY(add_piece(k, n < PIECE ? PIECE : n));
  lcu_kept_bytes *p = k->bytes;
  *out = memcpy(p->memory + p->used, src, n);
  size_t next = p->used + (n + 63) / 64 * 64;
  p->used = next < p->size ? next : p->size;
  return LCU_OK;
}

static void free_bytes (lcu_kept *k) {
  lcu_scope scope;
  bool entered = k->bytes != NULL && lcu_device_enter_quiet(k->device, &scope);
  for (lcu_kept_bytes *p = k->bytes, *next; p != NULL; p = next) {
    next = p->next;
    if (entered) lcu_device_defer(k->device, LCU_CALL(k->device->drv, cuMemFreeHost, (p->memory)));
    lcu_free(p);
  }
  if (entered) lcu_device_leave(&scope);
}

void lcu_kept_free (lcu_kept *k) {
  free_bytes(k);
  for (size_t i = 0; i < k->num_uses; i++) lcu_unref(k->uses[i].block);
  for (size_t i = 0; i < k->num_objects; i++) lcu_object_unref(k->objects[i]);
  for (size_t i = 0; i < k->num_kernels; i++) lcu_free(k->kernels[i].uses);
  for (size_t i = 0; i < k->num_conditions; i++) lcu_free(k->conditions[i].bodies);
  lcu_free(k->conditions);
  lcu_free(k->uses);
  lcu_free(k->counts);
  lcu_free(k->kernels);
  lcu_free(k->objects);
  lcu_free(k->events);
  lcu_free(k->comms);
  *k = (lcu_kept){ .device = k->device };
}
