/* cpu_event_shared.c: events of several processes. A record has a ticket on the event's board, and
 * is also an operation of its stream. A wait for a record of this process is one for that
 * operation; a wait for one of another process sleeps on a worker. */
#include <stdio.h>

#include "cpu_driver.h"
#include "cpu_enter.h"
#include "cpu_event_own.h"
#include "cpu_fault.h"
#include "cpu_interrupt.h"
#include "cpu_print.h"
#include "cpu_worker.h"
#include "cpu_words.h"

static cu_result finish (cu_event *e, unsigned flags, cpu_board *b) {
  *e = cpu_event_new(flags, b);
  if (*e != NULL) return 0;
  cpu_board_unref(b);
  return CU_ERR_OUT_OF_MEMORY;
}

/* The driver API allows no times of such events. */
cu_result cpu_shared_event_create (cu_event *e, unsigned flags) {
  cpu_board *b;
  if ((flags & CU_EVENT_DISABLE_TIMING_) == 0) return CU_ERR_INVALID_VALUE;
  cu_result r = cpu_board_make(&b);
  return r == 0 ? finish(e, flags, b) : r;
}

cu_result cpu_cuIpcGetEventHandle (cu_ipc_event *h, cu_event e) {
  cu_result r = cpu_event_check(e);
  if (r != 0) return r;
  if (h == NULL || e->board == NULL) return CU_ERR_INVALID_VALUE;
  return cpu_board_name(e->board, h->bytes) ? 0 : CU_ERR_INVALID_HANDLE;
}

cu_result cpu_cuIpcOpenEventHandle (cu_event *e, cu_ipc_event h) {
  cpu_board *b;
  cu_result r = cpu_enter();
  if (r == 0 && e == NULL) r = CU_ERR_INVALID_VALUE;
  if (r == 0) r = cpu_board_open(h.bytes, &b);
  return r == 0 ? finish(e, CU_EVENT_DISABLE_TIMING_ | CU_EVENT_INTERPROCESS_, b) : r;
}


/* ---- records ---- */

static void run_shared_record (cpu_stream *s, cpu_op *op) {
  (void)s;
  cpu_board_reach(op->shared.board, op->shared.ticket);
  cpu_board_unref(op->shared.board);
}

cu_result cpu_shared_event_record (cpu_event *e, cpu_stream *s, unsigned flags) {
  uint64_t ticket;
  if (cpu_capturing(s)) return CU_ERR_STREAM_CAPTURE_UNSUPPORTED;
  if (flags != 0) return CU_ERR_INVALID_VALUE;
  cpu_op *op = cpu_op_new(CPU_OP_PLAIN, run_shared_record);
  if (op == NULL) return CU_ERR_OUT_OF_MEMORY;
  cu_result r = cpu_board_record(e->board, &ticket);
  if (r != 0) {
    cpu_op_discard(op);
    return r;
  }
  op->shared.board = cpu_board_ref(e->board);
  op->shared.ticket = ticket;
  cpu_event_set_ticket(e, s, cpu_submit(s, op, CPU_QUICK), ticket);
  return 0;
}

/* Is the latest record of all processes one of this process? Then it is the place. */
static bool is_own (cpu_event *e, uint64_t ticket, cpu_place *p) {
  *p = cpu_event_place(e);
  return p->stream != NULL && ticket == cpu_event_ticket(e);
}

cu_result cpu_shared_event_query (cpu_event *e) {
  cpu_place p;
  uint64_t ticket = cpu_board_latest(e->board);
  bool own = is_own(e, ticket, &p);
  if (!cpu_board_reached(e->board, ticket)) return CU_ERR_NOT_READY;
  return own ? cpu_fault_take(p.stream, p.seq) : 0;
}


/* ---- waits ---- */

static cu_result wait_for_own (const cpu_place *p) {
  cpu_wait(p->stream, p->seq);
  cpu_print_flush();
  return cpu_fault_take(p->stream, p->seq);
}

cu_result cpu_shared_event_synchronize (cpu_event *e) {
  cpu_place p;
  uint64_t ticket = cpu_board_latest(e->board);
  unsigned turn = 0;
  bool stopped = false;
  if (is_own(e, ticket, &p)) return wait_for_own(&p);
  bool began = cpu_wait_begin();
  while (!stopped && !cpu_board_reached(e->board, ticket)) {
    cpu_board_pause(&turn);
    stopped = cpu_wait_stops();
  }
  cpu_wait_end(began);
  if (!stopped) return 0;
  return cpu_fail("cuEventSynchronize", LCU_E_INTERRUPTED,
                  "the wait for another process was interrupted");
}

/* Ends early when a thread that waits for the stream is interrupted. */
static void run_shared_wait (cpu_stream *s, cpu_op *op) {
  cpu_board *b = op->shared.board;
  uint64_t ticket = op->shared.ticket;
  unsigned turn = 0;
  while (!atomic_load(&op->stop) && !cpu_board_reached(b, ticket)) cpu_board_pause(&turn);
  if (atomic_load(&op->stop)) {
    ptx_fault f = { .kind = PTX_FAULT_INTERRUPTED };
    snprintf(f.message, sizeof f.message, "the wait for another process was interrupted");
    op->grid.caller[0] = '\0';
    cpu_fault_add(s, op, LCU_E_FAULT, "", &f);
  }
  cpu_board_unref(b);
}

/* CPU_OP_HOST: threads that wait leave it to workers. */
static cu_result wait_for_other (cpu_stream *s, cpu_event *e, uint64_t ticket) {
  cpu_op *op = cpu_op_new(CPU_OP_HOST, run_shared_wait);
  if (op == NULL) return CU_ERR_OUT_OF_MEMORY;
  op->shared.board = cpu_board_ref(e->board);
  op->shared.ticket = ticket;
  cpu_submit(s, op, CPU_ASYNC);
  return 0;
}

cu_result cpu_shared_event_wait (cpu_stream *s, cpu_event *e, unsigned flags) {
  if (cpu_capturing(s)) return CU_ERR_STREAM_CAPTURE_UNSUPPORTED;
  if (flags != 0) return CU_ERR_INVALID_VALUE;
  cpu_place p;
  uint64_t ticket = cpu_board_latest(e->board);
  if (is_own(e, ticket, &p)) return cpu_queue_wait(s, p.stream, p.seq);
  return cpu_board_reached(e->board, ticket) ? 0 : wait_for_other(s, e, ticket);
}
