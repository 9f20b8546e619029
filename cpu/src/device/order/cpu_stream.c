/* cpu_stream.c: entry points for streams. */
#include "cpu_capture.h"
#include "cpu_driver.h"
#include "cpu_enter.h"
#include "cpu_fault.h"
#include "cpu_print.h"
#include "cpu_worker.h"

cu_result cpu_stream_enter (cu_stream handle, cpu_stream **s) {
  cu_result r = cpu_enter();
  if (r != 0) return r;
  *s = cpu_stream_of(handle);
  if (*s == NULL) return CU_ERR_INVALID_HANDLE;
  return lcu_unlikely(cpu_stream_is_null(*s)) ? cpu_capture_implicit((*s)->context) : 0;
}

cu_result cpu_cuStreamCreateWithPriority (cu_stream *s, unsigned flags, int priority) {
  cu_result r = cpu_enter();
  if (r != 0) return r;
  if (s == NULL || flags > CU_STREAM_NON_BLOCKING_) return CU_ERR_INVALID_VALUE;
  if (priority > 0) priority = 0;
  if (priority < -5) priority = -5;
  *s = cpu_stream_new(flags != CU_STREAM_NON_BLOCKING_, priority);
  return *s != NULL ? 0 : CU_ERR_OUT_OF_MEMORY;
}

cu_result cpu_cuStreamGetFlags (cu_stream handle, unsigned *flags) {
  cpu_stream *s;
  cu_result r = cpu_stream_enter(handle, &s);
  if (r != 0) return r;
  if (flags == NULL) return CU_ERR_INVALID_VALUE;
  *flags = s->blocking ? CU_STREAM_DEFAULT_ : CU_STREAM_NON_BLOCKING_;
  return 0;
}

cu_result cpu_cuStreamGetId (cu_stream handle, unsigned long long *id) {
  cpu_stream *s;
  cu_result r = cpu_stream_enter(handle, &s);
  if (r != 0) return r;
  if (id == NULL) return CU_ERR_INVALID_VALUE;
  *id = s->id;
  return 0;
}

cu_result cpu_cuStreamGetCtx (cu_stream handle, cu_context *ctx) {
  cpu_stream *s;
  cu_result r = cpu_stream_enter(handle, &s);
  if (r != 0) return r;
  if (ctx == NULL) return CU_ERR_INVALID_VALUE;
  *ctx = s->context;
  return 0;
}

/* Completes the work in flight first. A fault in it is left to the next synchronizing call of its
 * owner. */
cu_result cpu_cuStreamDestroy (cu_stream handle) {
  cpu_stream *s;
  cu_result r = cpu_stream_enter(handle, &s);
  if (r != 0) return r;
  if (cpu_stream_is_null(s)) return CU_ERR_INVALID_HANDLE;
  cpu_capture_abandon(s);
  cpu_wait(s, s->last);
  cpu_fault_orphan(s);
  cpu_stream_retire(s);
  return 0;
}

static void run_nothing (cpu_stream *s, cpu_op *op) { (void)s, (void)op; }

/* An operation in the null stream runs after all earlier ones in blocking streams, so this queues
 * an empty one and waits for it. */
static cu_result wait_null (cpu_stream *s) {
  if (cpu_stream_idle(s)) return 0;
  cpu_op *op = cpu_op_new(CPU_OP_PLAIN, run_nothing);
  if (op == NULL) return CU_ERR_OUT_OF_MEMORY;
  cpu_wait(s, cpu_submit(s, op, CPU_SYNC));
  return 0;
}

cu_result cpu_cuStreamSynchronize (cu_stream handle) {
  cpu_stream *s;
  cu_result r = cpu_stream_enter(handle, &s);
  if (r == 0) r = cpu_capture_forbid(s);
  if (r != 0) return r;
  if (cpu_stream_is_null(s)) r = wait_null(s);
  else cpu_wait(s, s->last);
  cpu_print_flush();
  return r != 0 ? r : cpu_fault_take(s, UINT64_MAX);
}

cu_result cpu_cuStreamQuery (cu_stream handle) {
  cpu_stream *s;
  cu_result r = cpu_stream_enter(handle, &s);
  if (r == 0) r = cpu_capture_forbid(s);
  if (r != 0) return r;
  if (!cpu_stream_idle(s)) return CU_ERR_NOT_READY;
  return cpu_fault_take(s, UINT64_MAX);
}

/* Is no work queued, and no fault kept for a call to report? Else NOT_READY. Needs no context and
 * takes no lock, because the core asks before each access of the host to device memory. */
cu_result cpu_cuxIdle (void) {
  return cpu_queue_idle() && cpu_faults_none() ? 0 : CU_ERR_NOT_READY;
}

/* The core passes handles from other libraries to this call, so any address may arrive here. */
cu_result cpu_cuStreamGetPriority (cu_stream handle, int *priority) {
  cpu_stream *s;
  cu_result r = cpu_enter();
  if (r == 0 && !cpu_stream_known(handle)) r = CU_ERR_INVALID_HANDLE;
  if (r == 0) r = cpu_stream_enter(handle, &s);
  if (r != 0) return r;
  if (priority == NULL) return CU_ERR_INVALID_VALUE;
  *priority = s->priority;
  return 0;
}

static void run_host (cpu_stream *s, cpu_op *op) {
  (void)s;
  cpu_call_host(op->host.fn, op->host.ud);
}

cpu_op *cpu_host_op (cu_host_fn fn, void *ud) {
  cpu_op *op = cpu_op_new(CPU_OP_HOST, run_host);
  if (op == NULL) return NULL;
  op->host.fn = fn;
  op->host.ud = ud;
  return op;
}

cu_result cpu_cuLaunchHostFunc (cu_stream handle, cu_host_fn fn, void *ud) {
  cpu_stream *s;
  cu_result r = cpu_stream_enter(handle, &s);
  if (r != 0) return r;
  if (fn == NULL) return CU_ERR_INVALID_VALUE;
  cpu_op *op = cpu_host_op(fn, ud);
  if (op == NULL) return CU_ERR_OUT_OF_MEMORY;
  if (cpu_capturing(s)) return cpu_capture_op(s, CU_NODE_HOST, op, NULL);
  cpu_submit(s, op, CPU_ASYNC);
  return 0;
}
