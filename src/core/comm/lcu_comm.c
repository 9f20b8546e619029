/* lcu_comm.c: see lcu_comm.h. */
#include "lcu_comm.h"

#include "lcu_comm_own.h"
#include "lcu_stream.h"
#include "lcu_process_open.h"
#include "lcu_wait.h"
#include "mpi_comm.h"

static void comm_destroy (lcu_object *o) {
  lcu_comm *c = (lcu_comm *)(void *)o;
  lcu_comm_unwatch(c);
  if (!lcu_process_forked()) {
    mpi_comm_close(c->mpi);
    lcu_comm_end_nccl(c);
  }
  lcu_unref(c->stream);
  lcu_unref(c->device);
  lcu_free(c);
}

lcu_comm *lcu_comm_new (lcu_device *d) {
  lcu_comm *c = lcu_calloc(1, sizeof *c);
  if (c == NULL) return NULL;
  c->device = lcu_ref(d);
  lcu_object_init(&c->base, LCU_OBJ_COMM, comm_destroy);
  return c;
}

/* Of a communicator over MPI, which it takes over. */
static lcu_status wrap (lcu_device *d, mpi_comm *mpi, lcu_comm **out) {
  lcu_comm *c = lcu_comm_new(d);
  if (c == NULL) {
    mpi_comm_close(mpi);
    return lcu_no_memory("a communicator");
  }
  c->mpi = mpi;
  c->rank = mpi_comm_rank(mpi);
  c->size = mpi_comm_size(mpi);
  c->timeout_ms = mpi_comm_timeout(mpi);
  *out = c;
  return LCU_OK;
}

lcu_status lcu_comm_join (lcu_device *d, bool alone, double timeout_ms, lcu_comm **out) {
  const lcu_mpi *lib;
  mpi_comm *mpi;
  *out = NULL;
  if (alone) LCU_TRY(mpi_comm_alone(timeout_ms, &mpi));
  else {
    LCU_TRY(lcu_process_mpi(&lib));
    LCU_TRY(mpi_comm_join(lib, timeout_ms, &mpi));
  }
  return wrap(d, mpi, out);
}

lcu_status lcu_comm_check (const lcu_comm *c) {
  if (lcu_unlikely(atomic_load_explicit(&c->closed, memory_order_relaxed)))
    return lcu_fail(LCU_E_COMM, "the communicator was closed");
  if (lcu_likely(!atomic_load_explicit(&c->failed, memory_order_relaxed))) return LCU_OK;
  return lcu_fail(LCU_E_COMM, "an earlier operation of the communicator failed; close it");
}

lcu_status lcu_comm_interrupted (const char *what) {
  return lcu_fail(LCU_E_INTERRUPTED, "%s: the wait for other ranks was interrupted", what);
}

enum { MOST_QUEUED = 512 };

/* The device's lock is held. */
static bool has_open_work (const lcu_comm *c) {
  return c->stream != NULL && !lcu_stream_reached(c->stream, c->seq);
}

bool lcu_comm_is_busy (lcu_comm *c) {
  pthread_mutex_lock(&c->device->lock);
  bool busy = has_open_work(c);
  pthread_mutex_unlock(&c->device->lock);
  return busy;
}

lcu_status lcu_comm_wait (lcu_comm *c) {
  pthread_mutex_lock(&c->device->lock);
  lcu_stream *s = c->stream;
  bool open = s != NULL && !lcu_stream_reached(s, c->seq);
  if (open) lcu_object_ref(&s->base);
  pthread_mutex_unlock(&c->device->lock);
  if (!open) return LCU_OK;
  lcu_status st = lcu_stream_synchronize(s);
  lcu_unref(s);
  return st;
}

lcu_status lcu_comm_split (lcu_comm *c, int color, int key, lcu_comm **out) {
  mpi_comm *mpi;
  *out = NULL;
  LCU_TRY(lcu_comm_wait(c));
  if (c->nccl != NULL) return lcu_comm_split_nccl(c, color, key, out);
  LCU_TRY(mpi_comm_split(c->mpi, color, key, &mpi));
  return mpi != NULL ? wrap(c->device, mpi, out) : LCU_OK;
}

/* The device's lock is held. An event that cannot be recorded leaves the limit as it is: from the
 * beginning of a wait. */
static void mark_begin (lcu_comm *c, lcu_stream *s) {
  const lcu_driver *drv = c->device->drv;
  if (c->begin == NULL && drv->cuEventCreate(&c->begin, CU_EVENT_DISABLE_TIMING_) != 0)
    c->begin = NULL;
  c->is_behind = c->begin != NULL && drv->cuEventRecord(c->begin, s->handle) == 0;
}

/* Only while no operation is open: if an open one hangs, a mark behind it is never reached. The
 * device's lock is held. */
static void begin (lcu_comm *c, lcu_stream *s) {
  c->idle_seq = atomic_load(&s->submitted);
  if (c->timeout_ms > 0 && !lcu_stream_reached(s, c->idle_seq)) mark_begin(c, s);
}

/* NCCL orders the operations of one communicator, and not those of two. */
static lcu_status follow_latest (lcu_comm *c, lcu_stream *s, bool direct) {
  lcu_stream *before = NULL;
  pthread_mutex_lock(&c->device->lock);
  if (c->is_direct != direct && has_open_work(c) && c->stream != s) before = lcu_ref(c->stream);
  uint64_t seq = c->seq;
  pthread_mutex_unlock(&c->device->lock);
  lcu_status st = before != NULL ? lcu_order_after_count(s, before, seq) : LCU_OK;
  lcu_unref(before);
  return st;
}

/* The stream of the latest operations, if very much is in its queue; a reference. */
static lcu_stream *full_stream (lcu_comm *c) {
  pthread_mutex_lock(&c->device->lock);
  bool full = has_open_work(c) && atomic_load(&c->stream->submitted) - c->idle_seq > MOST_QUEUED;
  lcu_stream *s = full ? lcu_ref(c->stream) : NULL;
  pthread_mutex_unlock(&c->device->lock);
  return s;
}

/* The driver blocks when a thousand launches are in a stream's queue, and does so for ever if an
 * operation hangs. So the wait is here, within the time limit. */
lcu_status lcu_comm_make_room (lcu_comm *c) {
  lcu_stream *s = c->timeout_ms > 0 ? full_stream(c) : NULL;
  lcu_status st = s != NULL ? lcu_stream_sync_entered(s) : LCU_OK;
  lcu_unref(s);
  return st;
}

/* Operations follow those before in the same stream, which are not too many. The device's lock is
 * held. */
static bool goes_on (const lcu_comm *c, const lcu_stream *s, bool direct) {
  return c->stream == s && c->is_direct == direct &&
         atomic_load(&s->submitted) - c->idle_seq <= MOST_QUEUED;
}

/* The device's lock is held. */
static void note (lcu_comm *c, lcu_stream *s, bool direct) {
  c->is_direct = direct;
  if (!has_open_work(c)) begin(c, s);
  else if (c->stream != s) c->idle_seq = atomic_load(&s->submitted);
}

lcu_status lcu_comm_queueing (lcu_comm *c, lcu_stream *s, bool direct) {
  if (c->nccl == NULL) return LCU_OK;
  pthread_mutex_lock(&c->device->lock);
  bool simple = !has_open_work(c) || goes_on(c, s, direct);
  if (simple) note(c, s, direct);
  pthread_mutex_unlock(&c->device->lock);
  if (lcu_likely(simple)) return LCU_OK;
  if (c->group == LCU_COMM_NO_GROUP) LCU_TRY(lcu_comm_make_room(c));
  LCU_TRY(follow_latest(c, s, direct));
  pthread_mutex_lock(&c->device->lock);
  note(c, s, direct);
  pthread_mutex_unlock(&c->device->lock);
  return LCU_OK;
}

void lcu_comm_queued (lcu_comm *c, lcu_stream *s, uint64_t seq) {
  pthread_mutex_lock(&c->device->lock);
  lcu_stream *before = c->stream;
  c->stream = lcu_ref(s);
  c->seq = seq;
  pthread_mutex_unlock(&c->device->lock);
  lcu_unref(before);
}
