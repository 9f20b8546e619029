/* lcu_event_poll.c: file descriptors of events.
 *
 * A stream of the event's own waits for every record and then calls a function of the host, which
 * makes the descriptor readable. That stream keeps the program's streams from waiting for the
 * host, and one event from waiting for another. */
#include "lcu_event.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/eventfd.h>
#endif

#include "lcu_device_failure.h"
#include "lcu_scope.h"

/* Owned by the event and by every record that was not reached yet. */
struct lcu_event_poll {
  atomic_int refs;
  pthread_mutex_t lock;
  int ends[2];      /* to read and to write; -1 when closed */
  uint64_t records; /* how many records were waited for: only the last one counts */
  bool armed;       /* does the stream wait for the last record? */
  cu_stream stream;
};

typedef struct ticket {
  lcu_event_poll *poll;
  uint64_t record;
} ticket;

static void poll_unref (lcu_event_poll *p) {
  if (atomic_fetch_sub(&p->refs, 1) != 1) return;
  pthread_mutex_destroy(&p->lock);
  lcu_free(p);
}


/* ---- the descriptor ---- */

#ifdef __linux__
static bool open_ends (int ends[2]) {
  ends[0] = ends[1] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  return ends[0] >= 0;
}
#else
static bool open_ends (int ends[2]) {
  if (pipe(ends) != 0) return false;
  for (int i = 0; i < 2; i++) {
    (void)fcntl(ends[i], F_SETFD, FD_CLOEXEC);
    (void)fcntl(ends[i], F_SETFL, O_NONBLOCK);
  }
  return true;
}
#endif

static void close_ends (int ends[2]) {
  if (ends[0] >= 0) close(ends[0]);
  if (ends[1] >= 0 && ends[1] != ends[0]) close(ends[1]);
  ends[0] = ends[1] = -1;
}

static void make_unreadable (const lcu_event_poll *p) {
  uint64_t count;
  while (read(p->ends[0], &count, sizeof count) > 0) continue;
}

static void make_readable (const lcu_event_poll *p) {
  const uint64_t one = 1;
  while (write(p->ends[1], &one, sizeof one) < 0 && errno == EINTR) continue;
}

/* On a thread of the driver. A later record, or the end of the event, has made it void. */
static void reached (void *ud) {
  ticket *t = ud;
  lcu_event_poll *p = t->poll;
  pthread_mutex_lock(&p->lock);
  if (p->ends[1] >= 0 && t->record == p->records) make_readable(p);
  pthread_mutex_unlock(&p->lock);
  lcu_free(t);
  poll_unref(p);
}

static uint64_t next_record (lcu_event_poll *p) {
  pthread_mutex_lock(&p->lock);
  uint64_t record = ++p->records;
  p->armed = false;
  make_unreadable(p);
  pthread_mutex_unlock(&p->lock);
  return record;
}


/* ---- the stream ---- */

static lcu_status wait_record (lcu_event *e, ticket *t) {
  const lcu_driver *drv = e->device->drv;
  cu_stream s = t->poll->stream;
  LCU_TRY(LCU_CALL(drv, cuStreamWaitEvent, (s, e->handle, 0)));
  return LCU_CALL(drv, cuLaunchHostFunc, (s, reached, t));
}

static lcu_status arm (lcu_event *e, uint64_t record) {
  lcu_event_poll *p = e->poll;
  ticket *t = lcu_alloc(sizeof *t);
  if (t == NULL) return lcu_no_memory("the descriptor of an event");
  *t = (ticket){ .poll = p, .record = record };
  atomic_fetch_add(&p->refs, 1);
  lcu_status st = wait_record(e, t);
  p->armed = st == LCU_OK;
  if (st == LCU_OK) return LCU_OK;
  lcu_free(t);
  poll_unref(p);
  return st;
}

lcu_status lcu_event_poll_arm (lcu_event *e) {
  bool captured;
  uint64_t record = next_record(e->poll);
  LCU_TRY(lcu_stream_is_captured(e->stream, &captured));
  /* the wait would pull the stream into the capture */
  return captured ? LCU_OK : arm(e, record);
}

static lcu_status poll_new (lcu_event *e) {
  lcu_event_poll *p = lcu_calloc(1, sizeof *p);
  if (p == NULL) return lcu_no_memory("the descriptor of an event");
  if (!open_ends(p->ends)) {
    lcu_free(p);
    return lcu_fail(LCU_E_IO, "fd: cannot open a descriptor: %s", strerror(errno));
  }
  lcu_status st =
    LCU_CALL(e->device->drv, cuStreamCreateWithPriority, (&p->stream, CU_STREAM_NON_BLOCKING_, 0));
  if (st != LCU_OK) {
    close_ends(p->ends);
    lcu_free(p);
    return st;
  }
  atomic_init(&p->refs, 1);
  pthread_mutex_init(&p->lock, NULL);
  e->poll = p;
  return LCU_OK;
}

static lcu_status fd_entered (lcu_event *e) {
  bool captured;
  if (e->poll != NULL && e->poll->armed) return LCU_OK;
  LCU_TRY(lcu_stream_is_captured(e->stream, &captured));
  if (captured)
    return lcu_fail(LCU_E_STATE, "fd: the event was recorded in a capture, which runs nothing: "
                                 "record it on another stream, or after the capture");
  if (e->poll == NULL) LCU_TRY(poll_new(e));
  return arm(e, next_record(e->poll));
}

lcu_status lcu_event_fd (lcu_event *e, int *fd) {
  lcu_scope scope;
  LCU_TRY(lcu_process_check());
  if (!e->recorded)
    return lcu_fail(LCU_E_STATE, "fd: the event was never recorded: call record first");
  LCU_TRY(lcu_device_enter(e->device, &scope));
  lcu_status st = fd_entered(e);
  lcu_device_leave(&scope);
  if (st == LCU_OK) *fd = e->poll->ends[0];
  return lcu_device_status(e->device, st);
}

/* A forked child has no thread of the driver, one of which may have held the lock. */
void lcu_event_poll_close (lcu_event *e) {
  lcu_event_poll *p = e->poll;
  bool shared = !lcu_process_forked();
  if (p == NULL) return;
  if (shared) pthread_mutex_lock(&p->lock);
  close_ends(p->ends);
  if (shared) pthread_mutex_unlock(&p->lock);
  e->poll = NULL;
  poll_unref(p);
}

void lcu_event_poll_destroy_stream (lcu_event *e) {
  if (e->poll == NULL) return;
  lcu_device_defer(e->device, LCU_CALL(e->device->drv, cuStreamDestroy, (e->poll->stream)));
}
