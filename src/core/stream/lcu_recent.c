/* lcu_recent.c: the latest launches on a device, which reports of later failures name. */
#include "lcu_recent.h"

#include <stdio.h>
#include <string.h>

#include "lcu_stream.h"

LCU_COLD lcu_recent *lcu_recent_add (lcu_device *d, const char *kernel, uint64_t id,
                                     lcu_stream *s) {
  lcu_recent *r = &d->faults.recent[d->faults.recent_next++ % LCU_RECENT];
  size_t n = strnlen(kernel, sizeof r->name - 1);
  memcpy(r->name, kernel, n);
  r->name[n] = '\0';
  r->kernel = id;
  r->stream = s;
  return r;
}

static bool still_open (const lcu_device *d, unsigned i) {
  const lcu_stream *s = d->faults.recent[i].stream;
  if (d->faults.recent[i].name[0] == '\0') return false;
  return s == NULL || atomic_load(&s->completed) < d->faults.recent[i].seq;
}

void lcu_recent_list (lcu_device *d, char *out, size_t size) {
  size_t used = 0;
  out[0] = '\0';
  pthread_mutex_lock(&d->lock);
  for (unsigned k = 1; k <= LCU_RECENT && k <= d->faults.recent_next && used < size - 80; k++) {
    unsigned i = (d->faults.recent_next - k) % LCU_RECENT;
    if (!still_open(d, i)) continue;
    used += (size_t)snprintf(out + used, size - used, "%s%s", used == 0 ? "" : ", ",
                             d->faults.recent[i].name);
  }
  pthread_mutex_unlock(&d->lock);
}

void lcu_recent_forget (lcu_device *d) {
  pthread_mutex_lock(&d->lock);
  for (unsigned i = 0; i < LCU_RECENT; i++)
    if (d->faults.recent[i].stream == NULL) d->faults.recent[i].name[0] = '\0';
  pthread_mutex_unlock(&d->lock);
}

void lcu_recent_detach (lcu_stream *s) {
  lcu_device *d = s->device;
  pthread_mutex_lock(&d->lock);
  for (unsigned i = 0; i < LCU_RECENT; i++) {
    if (d->faults.recent[i].stream != s) continue;
    if (atomic_load(&s->completed) >= d->faults.recent[i].seq) d->faults.recent[i].name[0] = '\0';
    d->faults.recent[i].stream = NULL;
  }
  pthread_mutex_unlock(&d->lock);
}

void lcu_recent_clear (lcu_device *d) {
  pthread_mutex_lock(&d->lock);
  memset(d->faults.recent, 0, sizeof d->faults.recent);
  pthread_mutex_unlock(&d->lock);
}
