/* lcu_comm.c: see lcu_comm.h. */
#include "lcu_comm.h"

#include "lcu_comm_own.h"
#include "lcu_comm_watch.h"
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

bool lcu_comm_is_busy (lcu_comm *c) {
  pthread_mutex_lock(&c->device->lock);
  bool busy = c->stream != NULL && !lcu_stream_reached(c->stream, c->seq);
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

void lcu_comm_queued (lcu_comm *c, lcu_stream *s, uint64_t seq) {
  pthread_mutex_lock(&c->device->lock);
  lcu_stream *before = c->stream;
  c->stream = lcu_ref(s);
  c->seq = seq;
  pthread_mutex_unlock(&c->device->lock);
  lcu_unref(before);
}
