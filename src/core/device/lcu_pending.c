/* lcu_pending.c: failures that no call has raised yet; lcu_pending.h has their contract. */
#include "lcu_pending.h"

#include "lcu_caller.h"
#include "lcu_device.h"

enum { PENDING_MAX = 64 };

struct lcu_pending {
  lcu_pending *next;
  uint64_t owner;
  lcu_failure failure; /* its `pending` is the key */
};

static atomic_uint_fast64_t next_key = 1;

/* ---- the list; the device's lock is held ---- */

/* Only one late failure of each owner is kept: later ones usually result from it. */
static bool has_room (const lcu_device *d, bool late) {
  int n = 0;
  for (const lcu_pending *p = d->faults.pending; p != NULL; p = p->next, n++)
    if (late && p->failure.late && p->owner == lcu_caller.owner) return false;
  return n < PENDING_MAX;
}

static void append (lcu_device *d, lcu_pending *p) {
  lcu_pending **at = &d->faults.pending;
  while (*at != NULL) at = &(*at)->next;
  *at = p;
  atomic_store(&d->has_pending, true);
}

static lcu_pending *first_accepted (const lcu_device *d) {
  lcu_pending *p = d->faults.pending;
  while (p != NULL && !cux_owner_accepts(lcu_caller.owner, p->owner)) p = p->next;
  return p;
}

static lcu_pending *take (lcu_device *d, uint64_t key) {
  for (lcu_pending **at = &d->faults.pending; *at != NULL; at = &(*at)->next) {
    lcu_pending *p = *at;
    if (p->failure.pending != key) continue;
    *at = p->next;
    atomic_store(&d->has_pending, d->faults.pending != NULL);
    return p;
  }
  return NULL;
}


/* ---- keeping ---- */

/* Each device has one note in reserve, for a failure without memory. */
static lcu_pending *new_note (lcu_device *d) {
  lcu_pending *p = lcu_calloc(1, sizeof *p);
  if (p != NULL) return p;
  pthread_mutex_lock(&d->lock);
  p = d->faults.reserve;
  d->faults.reserve = NULL;
  pthread_mutex_unlock(&d->lock);
  return p;
}

static void drop_note (lcu_device *d, lcu_pending *p) {
  pthread_mutex_lock(&d->lock);
  if (d->faults.reserve == NULL) {
    d->faults.reserve = p;
    p = NULL;
  }
  pthread_mutex_unlock(&d->lock);
  lcu_free(p);
}

static void fill (lcu_pending *p, lcu_status s, bool late) {
  *p = (lcu_pending){ .failure = *lcu_failure_get() };
  p->failure.code = s;
  p->failure.pending = atomic_fetch_add(&next_key, 1);
  p->failure.late = late;
  p->owner = p->failure.has_fault ? p->failure.fault.owner : lcu_caller.owner;
}

static void keep (lcu_device *d, lcu_status s, bool late) {
  lcu_pending *p = new_note(d);
  if (p == NULL) return; /* the note in reserve still waits to be raised */
  fill(p, s, late);
  uint64_t key = p->failure.pending;
  pthread_mutex_lock(&d->lock);
  bool room = has_room(d, late);
  if (room) append(d, p);
  pthread_mutex_unlock(&d->lock);
  if (room) lcu_failure_get()->pending = key;
  else drop_note(d, p);
}

void lcu_device_defer (lcu_device *d, lcu_status s) {
  if (s == LCU_OK || atomic_load(&d->dead)) return;
  if (lcu_failure_get()->code == s && lcu_failure_get()->pending != 0) return;
  keep(d, s, true);
}

void lcu_pending_fault (lcu_device *d, lcu_status s) { keep(d, s, false); }


/* ---- reporting ---- */

static bool copy_first (lcu_device *d, lcu_failure *out) {
  pthread_mutex_lock(&d->lock);
  const lcu_pending *p = first_accepted(d);
  if (p != NULL) *out = p->failure;
  pthread_mutex_unlock(&d->lock);
  return p != NULL;
}

lcu_status lcu_pending_report (lcu_device *d) {
  lcu_failure f;
  if (!copy_first(d, &f)) return LCU_OK;
  lcu_fail_again(&f);
  return lcu_fail_device(f.code, f.device[0] != '\0' ? f.device : d->label);
}

bool lcu_pending_waits (lcu_device *d) {
  if (!atomic_load(&d->has_pending)) return false;
  pthread_mutex_lock(&d->lock);
  bool found = first_accepted(d) != NULL;
  pthread_mutex_unlock(&d->lock);
  return found;
}

static bool drop_raised (lcu_device *d, void *ud) {
  const uint64_t *key = ud;
  pthread_mutex_lock(&d->lock);
  lcu_pending *p = take(d, *key);
  pthread_mutex_unlock(&d->lock);
  if (p != NULL) drop_note(d, p);
  return true;
}

void lcu_pending_raised (uint64_t key) {
  if (key != 0) lcu_process_each(drop_raised, &key);
}

void lcu_pending_move (lcu_device *from, lcu_device *to) {
  pthread_mutex_lock(&from->lock);
  lcu_pending *list = from->faults.pending;
  from->faults.pending = NULL;
  atomic_store(&from->has_pending, false);
  pthread_mutex_unlock(&from->lock);
  pthread_mutex_lock(&to->lock);
  for (lcu_pending *p = list, *next; p != NULL; p = next) {
    next = p->next;
    p->next = NULL;
    append(to, p);
  }
  pthread_mutex_unlock(&to->lock);
}


/* ---- beginning and end of a device ---- */

lcu_status lcu_pending_open (lcu_device *d) {
  d->faults.reserve = lcu_calloc(1, sizeof *d->faults.reserve);
  return d->faults.reserve != NULL ? LCU_OK : lcu_no_memory("a device");
}

void lcu_pending_free (lcu_device *d) {
  lcu_free(d->faults.reserve);
  while (d->faults.pending != NULL) {
    lcu_pending *p = d->faults.pending;
    d->faults.pending = p->next;
    lcu_free(p);
  }
}
