/* cpu_event.c: entry points for events. An event is a place in a stream: the number of the
 * operation that recorded it. Recorded in a capture, it is a place in the graph instead. */
#include "cpu_event_own.h"

#include <pthread.h>

#include "cpu_capture.h"
#include "cpu_driver.h"
#include "cpu_enter.h"
#include "cpu_fault.h"
#include "cpu_print.h"
#include "cpu_worker.h"

/* Events stay allocated until the primary context ends, since queued records refer to them. */
static struct {
  pthread_mutex_t lock;
  cpu_event *free, *all;
} events = { .lock = PTHREAD_MUTEX_INITIALIZER };

cu_result cpu_event_check (cu_event e) {
  cu_result r = cpu_enter();
  if (r == 0 && (e == NULL || e->magic != CPU_EVENT_MAGIC)) r = CU_ERR_INVALID_HANDLE;
  return r;
}

cpu_place cpu_event_place (cu_event e) {
  pthread_mutex_lock(&events.lock);
  cpu_place p = { e->stream, e->seq, e->time_ms, e->mark.capture };
  pthread_mutex_unlock(&events.lock);
  return p;
}

/* Replaces the mark of an event. */
static void set_mark (cpu_event *e, cpu_mark mark) {
  pthread_mutex_lock(&events.lock);
  cpu_mark old = e->mark;
  e->mark = mark;
  pthread_mutex_unlock(&events.lock);
  cpu_front_clear(&old.front);
}

/* Copies the mark; the copy's memory is the caller's. */
static cu_result get_mark (cpu_event *e, cpu_mark *out) {
  *out = (cpu_mark){ 0 };
  pthread_mutex_lock(&events.lock);
  bool ok = cpu_front_add(&out->front, e->mark.front.nodes, e->mark.front.count);
  out->capture = e->mark.capture;
  pthread_mutex_unlock(&events.lock);
  return ok ? 0 : CU_ERR_OUT_OF_MEMORY;
}

cpu_event *cpu_event_new (unsigned flags, cpu_board *board) {
  pthread_mutex_lock(&events.lock);
  cpu_event *e = events.free;
  if (e != NULL) events.free = e->next_free;
  else if ((e = lcu_calloc(1, sizeof *e)) != NULL) {
    e->next_all = events.all;
    events.all = e;
  }
  if (e != NULL) {
    e->magic = CPU_EVENT_MAGIC;
    e->context = cpu_current();
    e->flags = flags;
    e->stream = NULL;
    e->seq = e->reached_seq = e->ticket = 0;
    e->board = board;
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
  if ((flags & CU_EVENT_INTERPROCESS_) != 0) return cpu_shared_event_create(e, flags);
  *e = cpu_event_new(flags, NULL);
  return *e != NULL ? 0 : CU_ERR_OUT_OF_MEMORY;
}

/* Returns what is left to release. */
static cpu_board *retire_locked (cpu_event *e) {
  cpu_board *board = e->board;
  e->magic = 0;
  e->seq = 0;
  e->board = NULL;
  e->next_free = events.free;
  events.free = e;
  return board;
}

cu_result cpu_cuEventDestroy (cu_event e) {
  cu_result r = cpu_event_check(e);
  if (r != 0) return r;
  set_mark(e, (cpu_mark){ 0 });
  pthread_mutex_lock(&events.lock);
  cpu_board *board = retire_locked(e);
  pthread_mutex_unlock(&events.lock);
  cpu_board_unref(board);
  return 0;
}

void cpu_events_end (cu_context ctx) {
  pthread_mutex_lock(&events.lock);
  for (cpu_event *e = events.all; e != NULL; e = e->next_all) {
    if (e->magic != CPU_EVENT_MAGIC || e->context != ctx) continue;
    cpu_front_clear(&e->mark.front);
    e->mark = (cpu_mark){ 0 };
    cpu_board_unref(retire_locked(e));
  }
  pthread_mutex_unlock(&events.lock);
}

/* Only the latest record counts. The stream and its number belong together, so cuEventRecord sets
 * both. */
static void run_record (cpu_stream *s, cpu_op *op) {
  cpu_event *e = op->event;
  (void)s;
  double now = lcu_now_ms();
  pthread_mutex_lock(&events.lock);
  if (e->magic == CPU_EVENT_MAGIC && op->seq >= e->reached_seq) {
    e->reached_seq = op->seq;
    e->time_ms = now;
  }
  pthread_mutex_unlock(&events.lock);
}

/* An event in a capture is no operation: it marks the end of the stream in the graph. */
static cu_result record_mark (cpu_event *e, cpu_stream *s) {
  cpu_mark mark = { 0 };
  cu_result r = cpu_capture_mark(s, &mark);
  if (r == 0) set_mark(e, mark);
  return r;
}

void cpu_event_set_place (cpu_event *e, cpu_stream *s, uint64_t seq) {
  if (e->mark.capture != 0) set_mark(e, (cpu_mark){ 0 });
  pthread_mutex_lock(&events.lock);
  if (seq >= e->seq && e->magic == CPU_EVENT_MAGIC) {
    e->stream = s;
    e->seq = seq;
  }
  pthread_mutex_unlock(&events.lock);
}

uint64_t cpu_event_ticket (cpu_event *e) {
  pthread_mutex_lock(&events.lock);
  uint64_t ticket = e->ticket;
  pthread_mutex_unlock(&events.lock);
  return ticket;
}

void cpu_event_set_ticket (cpu_event *e, cpu_stream *s, uint64_t seq, uint64_t ticket) {
  pthread_mutex_lock(&events.lock);
  if (ticket > e->ticket && e->magic == CPU_EVENT_MAGIC) {
    e->stream = s;
    e->seq = seq;
    e->ticket = ticket;
  }
  pthread_mutex_unlock(&events.lock);
}

/* In a capture the record is a node of the graph if the caller says so. */
static cu_result record_event (cpu_event *e, cpu_stream *s, unsigned flags) {
  if (e->context != s->context) return CU_ERR_INVALID_HANDLE;
  if (e->board != NULL) return cpu_shared_event_record(e, s, flags);
  if (cpu_capturing(s) && flags == 0) return record_mark(e, s);
  if (flags > CU_EVENT_RECORD_EXTERNAL_) return CU_ERR_INVALID_VALUE;
  if (flags != 0 && !cpu_capturing(s)) return CU_ERR_ILLEGAL_STATE;
  cpu_op *op = cpu_op_new(CPU_OP_PLAIN, run_record);
  if (op == NULL) return CU_ERR_OUT_OF_MEMORY;
  op->event = e;
  if (flags != 0) return cpu_capture_op(s, CU_NODE_EVENT_RECORD, op, NULL);
  /* The number is known only once the record is queued, and by then the record may have been
   * executed. */
  cpu_event_set_place(e, s, cpu_submit(s, op, CPU_QUICK));
  return 0;
}

cu_result cpu_cuEventRecordWithFlags (cu_event e, cu_stream handle, unsigned flags) {
  cpu_stream *s;
  cu_result r = cpu_event_check(e);
  if (r == 0) r = cpu_stream_enter(handle, &s);
  return r != 0 ? r : record_event(e, s, flags);
}

cu_result cpu_cuEventRecord (cu_event e, cu_stream s) {
  return cpu_cuEventRecordWithFlags(e, s, 0);
}

/* A place in a graph is not reached at any time, so the host can neither query an event there nor
 * wait for it. */
static cu_result find_place (cu_event e, cpu_place *p) {
  cu_result r = cpu_event_check(e);
  if (r != 0) return r;
  *p = cpu_event_place(e);
  return lcu_unlikely(p->capture != 0) ? cpu_capture_forbid_mark(p->capture) : 0;
}

static bool reached (const cpu_place *p) {
  return p->stream == NULL || cpu_is_done(p->stream, p->seq);
}

cu_result cpu_cuEventQuery (cu_event e) {
  cpu_place p;
  cu_result r = find_place(e, &p);
  if (r != 0) return r;
  if (e->board != NULL) return cpu_shared_event_query(e);
  if (!reached(&p)) return CU_ERR_NOT_READY;
  return p.stream != NULL ? cpu_fault_take(p.stream, p.seq) : 0;
}

cu_result cpu_cuEventSynchronize (cu_event e) {
  cpu_place p;
  cu_result r = find_place(e, &p);
  if (r != 0) return r;
  if (e->board != NULL) return cpu_shared_event_synchronize(e);
  if (p.stream == NULL) return 0;
  cpu_wait(p.stream, p.seq);
  cpu_print_flush();
  return cpu_fault_take(p.stream, p.seq);
}

cu_result cpu_cuEventElapsedTime (float *ms, cu_event start, cu_event stop) {
  cpu_place a, b;
  cu_result r = find_place(start, &a);
  if (r == 0) r = find_place(stop, &b);
  if (r != 0) return r;
  if (ms == NULL) return CU_ERR_INVALID_VALUE;
  if (((start->flags | stop->flags) & CU_EVENT_DISABLE_TIMING_) != 0) return CU_ERR_INVALID_HANDLE;
  if (a.stream == NULL || b.stream == NULL) return CU_ERR_INVALID_HANDLE;
  if (!reached(&a) || !reached(&b)) return CU_ERR_NOT_READY;
  *ms = (float)(b.time_ms - a.time_ms);
  return 0;
}

static void run_wait (cpu_stream *s, cpu_op *op) {
  cpu_fault_inherit(op->wait.stream, op->wait.seq, s);
}

cu_result cpu_queue_wait (cpu_stream *s, cpu_stream *other, uint64_t seq) {
  if (other == NULL || other == s) return 0;
  cpu_op *op = cpu_op_new(CPU_OP_WAIT, run_wait);
  if (op == NULL) return CU_ERR_OUT_OF_MEMORY;
  op->wait.stream = other;
  op->wait.seq = seq;
  cpu_submit(s, op, CPU_QUICK);
  return 0;
}

cu_result cpu_event_wait (cpu_stream *s, cpu_event *e) {
  cpu_place p = cpu_event_place(e);
  return e->magic == CPU_EVENT_MAGIC ? cpu_queue_wait(s, p.stream, p.seq) : CU_ERR_INVALID_HANDLE;
}

/* The stream becomes part of the capture that the event was recorded in. */
static cu_result join_capture (cpu_stream *s, cpu_event *e) {
  cpu_mark mark;
  cu_result r = get_mark(e, &mark);
  if (r == 0) r = cpu_capture_join(s, &mark);
  cpu_front_clear(&mark.front);
  return r;
}

/* A captured stream waits for an event from outside only if the caller says so: the wait is then
 * made whenever the graph is launched. */
static cu_result capture_wait (cpu_stream *s, cpu_event *e, unsigned flags) {
  if (flags != CU_EVENT_WAIT_EXTERNAL_) return cpu_capture_isolate(s);
  cpu_op *op = cpu_op_new(CPU_OP_WAIT, run_wait);
  if (op == NULL) return CU_ERR_OUT_OF_MEMORY;
  op->event = e;
  return cpu_capture_op(s, CU_NODE_WAIT_EVENT, op, NULL);
}

/* Waits for the latest record at the time of the call, not for later ones. */
cu_result cpu_cuStreamWaitEvent (cu_stream handle, cu_event e, unsigned flags) {
  cpu_stream *s;
  cu_result r = cpu_event_check(e);
  if (r == 0) r = cpu_stream_enter(handle, &s);
  if (r != 0) return r;
  if (flags > CU_EVENT_WAIT_EXTERNAL_) return CU_ERR_INVALID_VALUE;
  if (e->board != NULL) return cpu_shared_event_wait(s, e, flags);
  cpu_place p = cpu_event_place(e);
  if (lcu_unlikely(p.capture != 0)) return join_capture(s, e);
  if (cpu_capturing(s)) return capture_wait(s, e, flags);
  return flags == 0 ? cpu_queue_wait(s, p.stream, p.seq) : CU_ERR_INVALID_VALUE;
}

cu_result cpu_event_op (cpu_event *e, bool wait, cpu_op **op) {
  cu_result r = cpu_event_check(e);
  if (r != 0) return r;
  if (!wait && e->context != cpu_current()) return CU_ERR_INVALID_HANDLE;
  if (e->board != NULL) return CU_ERR_NOT_SUPPORTED;
  *op = wait ? cpu_op_new(CPU_OP_WAIT, run_wait) : cpu_op_new(CPU_OP_PLAIN, run_record);
  if (*op == NULL) return CU_ERR_OUT_OF_MEMORY;
  (*op)->event = e;
  return 0;
}

void cpu_events_free (void) {
  pthread_mutex_lock(&events.lock);
  while (events.all != NULL) {
    cpu_event *e = events.all;
    events.all = e->next_all;
    cpu_front_clear(&e->mark.front);
    cpu_board_unref(e->board);
    lcu_free(e);
  }
  events.free = NULL;
  pthread_mutex_unlock(&events.lock);
}
