/* cpu_event.c: entry points for events. An event is a place in a stream: the number of the
 * operation that recorded it. */
#include "cpu_event.h"

#include <pthread.h>

#include "cpu_driver.h"
#include "cpu_enter.h"
#include "cpu_fault.h"
#include "cpu_print.h"
#include "cpu_worker.h"

enum { EVENT_MAGIC = 0x45564e54 };

struct cu_event_ {
  uint32_t magic;
  unsigned flags;
  cpu_stream *stream;   /* of the latest record; NULL: never recorded */
  uint64_t seq;         /* of the latest record */
  uint64_t reached_seq; /* of the latest record that was executed */
  double time_ms;       /* when that was */
  cpu_event *next_free, *next_all;
};

/* Events stay allocated until the context ends, since queued records refer to them. */
static struct {
  pthread_mutex_t lock;
  cpu_event *free, *all;
} events = { .lock = PTHREAD_MUTEX_INITIALIZER };

typedef struct place {
  cpu_stream *stream;
  uint64_t seq;
  double time_ms;
} place;

static cu_result check (cu_event e) {
  cu_result r = cpu_enter();
  if (r == 0 && (e == NULL || e->magic != EVENT_MAGIC)) r = CU_ERR_INVALID_HANDLE;
  return r;
}

static place place_of (cu_event e) {
  pthread_mutex_lock(&events.lock);
  place p = { e->stream, e->seq, e->time_ms };
  pthread_mutex_unlock(&events.lock);
  return p;
}

static cpu_event *event_new (unsigned flags) {
  pthread_mutex_lock(&events.lock);
  cpu_event *e = events.free;
  if (e != NULL) events.free = e->next_free;
  else if ((e = lcu_calloc(1, sizeof *e)) != NULL) {
    e->next_all = events.all;
    events.all = e;
  }
  if (e != NULL) {
    e->magic = EVENT_MAGIC;
    e->flags = flags;
    e->stream = NULL;
    e->seq = e->reached_seq = 0;
  }
  pthread_mutex_unlock(&events.lock);
  return e;
}

cu_result cpu_cuEventCreate (cu_event *e, unsigned flags) {
  cu_result r = cpu_enter();
  if (r != 0) return r;
  if (e == NULL ||
      flags > (CU_EVENT_BLOCKING_SYNC_ | CU_EVENT_DISABLE_TIMING_ | CU_EVENT_INTERPROCESS_))
    return CU_ERR_INVALID_VALUE;
  if ((flags & CU_EVENT_INTERPROCESS_) != 0) return CU_ERR_NOT_SUPPORTED;
  *e = event_new(flags);
  return *e != NULL ? 0 : CU_ERR_OUT_OF_MEMORY;
}

cu_result cpu_cuEventDestroy (cu_event e) {
  cu_result r = check(e);
  if (r != 0) return r;
  pthread_mutex_lock(&events.lock);
  e->magic = 0;
  e->seq = 0;
  e->next_free = events.free;
  events.free = e;
  pthread_mutex_unlock(&events.lock);
  return 0;
}

/* Only the latest record counts. The stream and its number belong together, so cuEventRecord sets
 * both. */
static void run_record (cpu_stream *s, cpu_op *op) {
  cpu_event *e = op->event;
  (void)s;
  double now = lcu_now_ms();
  pthread_mutex_lock(&events.lock);
  if (e->magic == EVENT_MAGIC && op->seq >= e->reached_seq) {
    e->reached_seq = op->seq;
    e->time_ms = now;
  }
  pthread_mutex_unlock(&events.lock);
}

/* The number is known only once the record is queued, and by then the record may have been
 * executed. */
cu_result cpu_cuEventRecord (cu_event e, cu_stream handle) {
  cu_result r = check(e);
  if (r != 0) return r;
  cpu_stream *s = cpu_stream_of(handle);
  if (s == NULL) return CU_ERR_INVALID_HANDLE;
  cpu_op *op = cpu_op_new(CPU_OP_PLAIN, run_record);
  if (op == NULL) return CU_ERR_OUT_OF_MEMORY;
  op->event = e;
  uint64_t seq = cpu_submit(s, op, CPU_QUICK);
  pthread_mutex_lock(&events.lock);
  if (seq >= e->seq) {
    e->stream = s;
    e->seq = seq;
  }
  pthread_mutex_unlock(&events.lock);
  return 0;
}

static bool reached (const place *p) { return p->stream == NULL || cpu_is_done(p->stream, p->seq); }

cu_result cpu_cuEventQuery (cu_event e) {
  cu_result r = check(e);
  if (r != 0) return r;
  place p = place_of(e);
  if (!reached(&p)) return CU_ERR_NOT_READY;
  return p.stream != NULL ? cpu_fault_take(p.stream, p.seq) : 0;
}

cu_result cpu_cuEventSynchronize (cu_event e) {
  cu_result r = check(e);
  if (r != 0) return r;
  place p = place_of(e);
  if (p.stream == NULL) return 0;
  cpu_wait(p.stream, p.seq);
  cpu_print_flush();
  return cpu_fault_take(p.stream, p.seq);
}

cu_result cpu_cuEventElapsedTime (float *ms, cu_event start, cu_event stop) {
  cu_result r = check(start);
  if (r == 0) r = check(stop);
  if (r != 0) return r;
  if (ms == NULL) return CU_ERR_INVALID_VALUE;
  if (((start->flags | stop->flags) & CU_EVENT_DISABLE_TIMING_) != 0) return CU_ERR_INVALID_HANDLE;
  place a = place_of(start), b = place_of(stop);
  if (a.stream == NULL || b.stream == NULL) return CU_ERR_INVALID_HANDLE;
  if (!reached(&a) || !reached(&b)) return CU_ERR_NOT_READY;
  *ms = (float)(b.time_ms - a.time_ms);
  return 0;
}

static void run_wait (cpu_stream *s, cpu_op *op) {
  cpu_fault_inherit(op->wait.stream, op->wait.seq, s);
}

/* Waits for the latest record at the time of the call, not for later ones. */
cu_result cpu_cuStreamWaitEvent (cu_stream handle, cu_event e, unsigned flags) {
  cu_result r = check(e);
  if (r != 0) return r;
  cpu_stream *s = cpu_stream_of(handle);
  if (s == NULL) return CU_ERR_INVALID_HANDLE;
  if (flags > 1) return CU_ERR_INVALID_VALUE;
  place p = place_of(e);
  if (p.stream == NULL || p.stream == s) return 0;
  cpu_op *op = cpu_op_new(CPU_OP_WAIT, run_wait);
  if (op == NULL) return CU_ERR_OUT_OF_MEMORY;
  op->wait.stream = p.stream;
  op->wait.seq = p.seq;
  cpu_submit(s, op, CPU_QUICK);
  return 0;
}

void cpu_events_free (void) {
  pthread_mutex_lock(&events.lock);
  while (events.all != NULL) {
    cpu_event *e = events.all;
    events.all = e->next_all;
    lcu_free(e);
  }
  events.free = NULL;
  pthread_mutex_unlock(&events.lock);
}
