/* mpi_comm.c: see mpi_comm.h. */
#include "mpi_comm.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "lcu_thread.h"
#include "mpi_comm_own.h"

/* ---- the process's MPI ---- */

static struct {
  pthread_mutex_t calls; /* held while MPI is called */
  pthread_mutex_t lock;  /* of the list */
  const lcu_mpi *finalize;
  atomic_bool broken;
  mpi_comm *first;
  uint64_t last_id;
} world = { .calls = PTHREAD_MUTEX_INITIALIZER, .lock = PTHREAD_MUTEX_INITIALIZER };

void mpi_lock (void) { pthread_mutex_lock(&world.calls); }
void mpi_unlock (void) { pthread_mutex_unlock(&world.calls); }

void mpi_set_broken (void) { atomic_store(&world.broken, true); }

bool mpi_is_broken (void) { return atomic_load(&world.broken); }

lcu_status mpi_check_usable (void) {
  if (!mpi_is_broken()) return LCU_OK;
  return lcu_fail(LCU_E_COMM, "an earlier operation of a communicator failed in this process, "
                              "which cannot use MPI any more; end it");
}

/* It waits for the other processes. Those that failed would wait for ever: without it the launcher
 * ends the whole job. */
static void finalize (void) {
  if (world.finalize == NULL || mpi_is_broken()) return;
  mpi_free_types(world.finalize);
  (void)world.finalize->MPI_Finalize();
}

static lcu_status init_mpi (const lcu_mpi *m) {
  int before = 0, level = 0;
  LCU_TRY(lcu_mpi_status(m, "MPI_Initialized", m->MPI_Initialized(&before)));
  if (before) LCU_TRY(lcu_mpi_status(m, "MPI_Query_thread", m->MPI_Query_thread(&level)));
  else
    LCU_TRY(lcu_mpi_status(m, "MPI_Init_thread",
                           m->MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED_, &level)));
  if (!before && world.finalize == NULL) {
    world.finalize = m;
    atexit(finalize);
  }
  if (level < MPI_THREAD_SERIALIZED_)
    return lcu_fail(LCU_E_UNSUPPORTED,
                    "MPI was initialized for one thread only; initialize it with "
                    "MPI_THREAD_SERIALIZED, or leave that to LuaCUDA");
  return LCU_OK;
}


/* ---- waiting ---- */

/* First without giving up the processor for long: peers on the same machine answer in
 * microseconds. */
static void pause_for (int round) {
  const struct timespec longer = { 0, 50000 }, shorter = { 0, 0 };
  nanosleep(round < 200 ? &shorter : &longer, NULL);
}

/* Asks about request i. */
static lcu_status test (const mpi_wait *w, mpi_handle *request, int i, int *done) {
  const lcu_mpi *m = w->lib;
  mpi_status status = { { 0 } };
  mpi_lock();
  lcu_status st = lcu_mpi_status(m, "MPI_Test", m->MPI_Test(request, done, &status));
  if (st == LCU_OK && *done && w->job != NULL) st = mpi_check_received(m, &w->job->ops[i], &status);
  mpi_unlock();
  return st;
}

static lcu_status fail_late (const mpi_wait *w) {
  return lcu_fail(LCU_E_COMM,
                  "%s: not done after %.0f ms: a rank has not called it, has ended, or called "
                  "something else (option timeout_ms)",
                  w->what, w->timeout_ms);
}

/* Adds the operation to the failure of a call. */
static lcu_status fail_in (const mpi_wait *w) {
  char text[LCU_MESSAGE_SIZE];
  snprintf(text, sizeof text, "%s", lcu_failure_get()->message);
  return lcu_fail(LCU_E_COMM, "%s: %.900s", w->what, text);
}

static bool asked_to_stop (const mpi_wait *w, bool *stopped) {
  if (w->stop == NULL || stopped == NULL || !w->stop(w->ud)) return false;
  return *stopped = true;
}

static lcu_status wait_one (const mpi_wait *w, mpi_handle *request, int i, double deadline,
                            bool *stopped) {
  int done = 0;
  for (int round = 0;; round++) {
    lcu_status st = test(w, request, i, &done);
    if (st != LCU_OK) return fail_in(w);
    if (done) return LCU_OK;
    if (w->timeout_ms > 0 && lcu_now_ms() > deadline) return fail_late(w);
    if (asked_to_stop(w, stopped)) return LCU_OK;
    pause_for(round);
  }
}

lcu_status mpi_wait_all (const mpi_wait *w, mpi_handle requests[], int n, bool *stopped) {
  double deadline = lcu_now_ms() + w->timeout_ms;
  lcu_status st = LCU_OK;
  bool end = false;
  for (int i = 0; i < n && st == LCU_OK && !end; i++)
    st = wait_one(w, &requests[i], i, deadline, &end);
  if (st != LCU_OK || end) mpi_set_broken();
  if (stopped != NULL) *stopped = end;
  return st;
}

/* Waits until all ranks are here, so that calls that wait without a limit do not wait long. */
static lcu_status gather_ranks (const lcu_mpi *m, mpi_handle handle, const char *what,
                                double timeout_ms) {
  const mpi_wait w = { .lib = m, .what = what, .timeout_ms = timeout_ms };
  mpi_handle request = NULL;
  mpi_lock();
  lcu_status st = lcu_mpi_status(m, "MPI_Ibarrier", m->MPI_Ibarrier(handle, &request));
  mpi_unlock();
  return st == LCU_OK ? mpi_wait_all(&w, &request, 1, NULL) : st;
}


/* ---- communicators ---- */

static void enlist (mpi_comm *c) {
  pthread_mutex_lock(&world.lock);
  c->id = ++world.last_id;
  c->next = world.first;
  world.first = c;
  pthread_mutex_unlock(&world.lock);
}

static lcu_status comm_new (const lcu_mpi *m, mpi_handle handle, double timeout_ms,
                            mpi_comm **out) {
  mpi_comm *c = lcu_calloc(1, sizeof *c);
  if (c == NULL) return lcu_no_memory("a communicator");
  c->lib = m;
  c->handle = handle;
  c->size = 1;
  c->timeout_ms = timeout_ms;
  enlist(c);
  *out = c;
  return LCU_OK;
}

lcu_status mpi_comm_alone (double timeout_ms, mpi_comm **out) {
  return comm_new(NULL, NULL, timeout_ms, out);
}

static lcu_status fill_comm (mpi_comm *c) {
  const lcu_mpi *m = c->lib;
  LCU_TRY(lcu_mpi_status(m, "MPI_Comm_rank", m->MPI_Comm_rank(c->handle, &c->rank)));
  LCU_TRY(lcu_mpi_status(m, "MPI_Comm_size", m->MPI_Comm_size(c->handle, &c->size)));
  return lcu_mpi_status(m, "MPI_Comm_set_errhandler",
                        m->MPI_Comm_set_errhandler(c->handle, m->errors_return));
}

/* The lock is held. */
static lcu_status split_handle (const lcu_mpi *m, mpi_handle from, int color, int key,
                                double timeout_ms, mpi_comm **out) {
  mpi_handle handle = NULL;
  int wanted = color < 0 ? MPI_UNDEFINED_ : color;
  LCU_TRY(lcu_mpi_status(m, "MPI_Comm_split", m->MPI_Comm_split(from, wanted, key, &handle)));
  if (color < 0) return LCU_OK;
  LCU_TRY(comm_new(m, handle, timeout_ms, out));
  return fill_comm(*out);
}

static lcu_status split (const lcu_mpi *m, mpi_handle from, int color, int key, double timeout_ms,
                         mpi_comm **out) {
  mpi_lock();
  lcu_status st = split_handle(m, from, color, key, timeout_ms, out);
  mpi_unlock();
  if (st == LCU_OK) return LCU_OK;
  mpi_comm_close(*out);
  *out = NULL;
  return st;
}

static lcu_status init_locked (const lcu_mpi *m, int *rank) {
  mpi_lock();
  lcu_status st = init_mpi(m);
  if (st == LCU_OK)
    st = lcu_mpi_status(m, "MPI_Comm_set_errhandler",
                        m->MPI_Comm_set_errhandler(m->world, m->errors_return));
  if (st == LCU_OK) st = lcu_mpi_status(m, "MPI_Comm_rank", m->MPI_Comm_rank(m->world, rank));
  mpi_unlock();
  return st;
}

lcu_status mpi_comm_join (const lcu_mpi *m, double timeout_ms, mpi_comm **out) {
  int rank = 0;
  *out = NULL;
  LCU_TRY(mpi_check_usable());
  LCU_TRY(init_locked(m, &rank));
  LCU_TRY(gather_ranks(m, m->world, "init", timeout_ms));
  return split(m, m->world, 0, rank, timeout_ms, out);
}

lcu_status mpi_comm_split (mpi_comm *c, int color, int key, mpi_comm **out) {
  *out = NULL;
  if (c->lib == NULL) return color < 0 ? LCU_OK : mpi_comm_alone(c->timeout_ms, out);
  LCU_TRY(mpi_check_usable());
  LCU_TRY(gather_ranks(c->lib, c->handle, "split", c->timeout_ms));
  return split(c->lib, c->handle, color, key, c->timeout_ms, out);
}

static void unlink_comm (mpi_comm *c) {
  for (mpi_comm **at = &world.first; *at != NULL; at = &(*at)->next)
    if (*at == c) {
      *at = c->next;
      return;
    }
}

/* MPI_Comm_free waits for nobody, whatever other ranks do; after MPI_Finalize, and when
 * MPI is broken, there is nothing to free. */
static void free_handle (const mpi_comm *c) {
  int ended = 0;
  mpi_handle handle = c->handle;
  if (c->lib == NULL || handle == NULL || mpi_is_broken()) return;
  mpi_lock();
  if (c->lib->MPI_Finalized(&ended) == MPI_SUCCESS_ && !ended) (void)c->lib->MPI_Comm_free(&handle);
  mpi_unlock();
}

/* The lock is held; true: the caller frees it. */
static bool is_over (mpi_comm *c) {
  bool over = c->closed && c->users == 0;
  if (over) unlink_comm(c);
  return over;
}

static void release (mpi_comm *c, bool close) {
  pthread_mutex_lock(&world.lock);
  if (close) c->closed = true;
  else c->users--;
  bool over = is_over(c);
  pthread_mutex_unlock(&world.lock);
  if (!over) return;
  free_handle(c);
  lcu_free(c);
}

void mpi_comm_close (mpi_comm *c) {
  if (c != NULL) release(c, true);
}

void mpi_comm_hold (mpi_comm *c) {
  pthread_mutex_lock(&world.lock);
  c->users++;
  pthread_mutex_unlock(&world.lock);
}

void mpi_comm_let_go (mpi_comm *c) { release(c, false); }

mpi_comm *mpi_comm_of (const cux_collective_job *job) {
  pthread_mutex_lock(&world.lock);
  mpi_comm *c = world.first;
  while (c != NULL && c->id != job->comm) c = c->next;
  if (c != NULL && !job->held) {
    if (c->closed) c = NULL;
    else c->users++;
  }
  pthread_mutex_unlock(&world.lock);
  return c;
}

int mpi_comm_rank (const mpi_comm *c) { return c->rank; }
int mpi_comm_size (const mpi_comm *c) { return c->size; }
uint64_t mpi_comm_id (const mpi_comm *c) { return c->id; }
double mpi_comm_timeout (const mpi_comm *c) { return c->timeout_ms; }
