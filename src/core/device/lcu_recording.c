/* lcu_recording.c: the two counts, of recordings and of calls that wait for a whole device. One of
 * them is zero. */
#include "lcu_device.h"

void lcu_recording_begin (lcu_device *d) {
  pthread_mutex_lock(&d->lock);
  while (d->recordings.whole_waits > 0) pthread_cond_wait(&d->recordings.may_begin, &d->lock);
  d->recordings.active++;
  pthread_mutex_unlock(&d->lock);
}

bool lcu_recording_end (lcu_device *d) {
  pthread_mutex_lock(&d->lock);
  bool last = --d->recordings.active == 0;
  pthread_mutex_unlock(&d->lock);
  return last;
}

bool lcu_recording_forbid (lcu_device *d) {
  pthread_mutex_lock(&d->lock);
  bool may = d->recordings.active == 0;
  if (may) d->recordings.whole_waits++;
  pthread_mutex_unlock(&d->lock);
  return may;
}

void lcu_recording_allow (lcu_device *d) {
  pthread_mutex_lock(&d->lock);
  if (--d->recordings.whole_waits == 0) pthread_cond_broadcast(&d->recordings.may_begin);
  pthread_mutex_unlock(&d->lock);
}
