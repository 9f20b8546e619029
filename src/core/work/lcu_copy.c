/* lcu_copy.c: copies between blocks and host memory. Host memory without a block is read before a
 * function returns: through staging memory where the device has separate memory, directly where the
 * block is host memory. */
#include "lcu_copy.h"

#include <string.h>

#include "lcu_capture.h"
#include "lcu_comm_guard.h"
#include "lcu_device_failure.h"
#include "lcu_stream.h"
#include "lcu_peers.h"
#include "lcu_stage.h"
#include "lcu_timeline.h"
#include "lcu_wait.h"

/* ---- host memory without a block ---- */

lcu_status lcu_copy_begin (lcu_stream *s, lcu_scope *scope, const lcu_use *uses, size_t n) {
  LCU_TRY(lcu_device_enter(s->device, scope));
  lcu_status st = lcu_work_begin(s, uses, n);
  if (st != LCU_OK) lcu_device_leave(scope);
  else if (lcu_timeline_on()) lcu_timeline_open(s, LCU_SPAN_COPY);
  return st;
}

lcu_status lcu_copy_end (lcu_stream *s, lcu_scope *scope, const lcu_use *uses, size_t n,
                         lcu_status st) {
  if (lcu_timeline_on()) lcu_timeline_close(s, st);
  lcu_work_end(s, uses, n);
  lcu_device_leave(scope);
  return st;
}

lcu_stream *lcu_copy_stream (const lcu_block *b, lcu_stream *s) {
  return s != NULL && s->device == b->device ? s : b->device->null_stream;
}

/* Where the memory of a block is, for timelines. */
static const char *place_of (const lcu_block *b) {
  return b->memory == LCU_MEM_DEVICE || b->memory == LCU_MEM_MODULE ? b->device->label
                                                                    : lcu_memory_name(b->memory);
}

static void host_copy (void *dst, const void *src, size_t n, const char *from, const char *to) {
  lcu_host_span h = { 0 };
  if (lcu_timeline_on()) h = lcu_timeline_host_copy(from, to, n);
  memmove(dst, src, n);
  lcu_timeline_waited(h);
}

static lcu_status stage_bytes (lcu_block *dst, size_t offset, const void *src, size_t n,
                               lcu_stream *s) {
  cu_deviceptr to = dst->address + offset;
  return s->capture != NULL ? lcu_capture_store(s, to, src, n)
                            : lcu_stage_copy(dst->device, to, src, n, s);
}

lcu_status lcu_copy_in (lcu_block *dst, size_t offset, const void *src, size_t n, lcu_stream *s) {
  const lcu_use use = { dst, true };
  lcu_scope scope;
  bool recorded = s != NULL && s->capture != NULL && s->device == dst->device;
  if (n == 0) return lcu_process_check();
  if (dst->host != NULL && !recorded) {
    LCU_TRY(lcu_block_wait_part(dst, lcu_copy_stream(dst, s), offset, n));
    host_copy((char *)dst->host + offset, src, n, "host", place_of(dst));
    return LCU_OK;
  }
  s = lcu_copy_stream(dst, s);
  LCU_TRY(lcu_copy_begin(s, &scope, &use, 1));
  if (lcu_timeline_on()) lcu_timeline_copy("host", place_of(dst), n);
  return lcu_copy_end(s, &scope, &use, 1, stage_bytes(dst, offset, src, n, s));
}

lcu_status lcu_copy_out (void *dst, lcu_block *src, size_t offset, size_t n, lcu_stream *s) {
  const lcu_use use = { src, false };
  lcu_scope scope;
  if (n == 0) return lcu_process_check();
  if (src->host != NULL) {
    LCU_TRY(lcu_block_wait(src, lcu_copy_stream(src, s), false));
    host_copy(dst, (const char *)src->host + offset, n, place_of(src), "host");
    return LCU_OK;
  }
  s = lcu_copy_stream(src, s);
  LCU_TRY(lcu_copy_begin(s, &scope, &use, 1));
  if (lcu_timeline_on()) lcu_timeline_copy(place_of(src), "host", n);
  /* the driver copies to pageable memory before it returns */
  lcu_host_span wait = lcu_timeline_wait("wait for copy");
  lcu_status st = lcu_stream_guard(s);
  if (st == LCU_OK)
    st = LCU_CALL(src->device->drv, cuMemcpyDtoHAsync, (dst, src->address + offset, n, s->handle));
  lcu_timeline_waited(wait);
  LCU_TRY(lcu_copy_end(s, &scope, &use, 1, lcu_device_status(src->device, st)));
  return lcu_stream_synchronize(s);
}

/* ---- block to block ---- */

typedef struct copy_job {
  lcu_block *dst, *src;
  size_t dst_offset, src_offset, n;
} copy_job;

static cu_deviceptr dst_address (const copy_job *c) { return c->dst->address + c->dst_offset; }
static cu_deviceptr src_address (const copy_job *c) { return c->src->address + c->src_offset; }

static lcu_status queue_same_driver (const copy_job *c, lcu_stream *s) {
  lcu_device *to = c->dst->device, *from = c->src->device;
  if (lcu_device_same_memory(to, from))
    return LCU_CALL(s->device->drv, cuMemcpyDtoDAsync,
                    (dst_address(c), src_address(c), c->n, s->handle));
  return LCU_CALL(s->device->drv, cuMemcpyPeerAsync,
                  (dst_address(c), to->context, src_address(c), from->context, c->n, s->handle));
}

/* Between a device with separate memory and host memory registered with its driver. */
static lcu_status queue_host (const copy_job *c, lcu_stream *s) {
  if (c->dst->host != NULL)
    return LCU_CALL(s->device->drv, cuMemcpyDtoHAsync,
                    ((char *)c->dst->host + c->dst_offset, src_address(c), c->n, s->handle));
  return LCU_CALL(s->device->drv, cuMemcpyHtoDAsync,
                  (dst_address(c), (const char *)c->src->host + c->src_offset, c->n, s->handle));
}

typedef lcu_status (*queue_fn)(const copy_job *c, lcu_stream *s);

static lcu_status queue_copy (const copy_job *c, lcu_stream *s, queue_fn queue) {
  const lcu_use uses[2] = { { c->dst, true }, { c->src, false } };
  lcu_scope scope;
  LCU_TRY(lcu_copy_begin(s, &scope, uses, 2));
  if (lcu_timeline_on()) lcu_timeline_copy(place_of(c->src), place_of(c->dst), c->n);
  return lcu_copy_end(s, &scope, uses, 2, lcu_device_status(s->device, queue(c, s)));
}

/* The host memory is not registered with the other driver: the host reads or writes it. */
static lcu_status copy_through_host (const copy_job *c, lcu_stream *s) {
  if (s->capture != NULL)
    return lcu_fail(
      LCU_E_ARGUMENT, "%s memory cannot be copied by a graph of %s; make it with cuda.pinned",
      lcu_memory_name((c->src->host != NULL ? c->src : c->dst)->memory), s->device->label);
  if (c->src->host != NULL) {
    LCU_TRY(lcu_block_wait(c->src, lcu_copy_stream(c->src, s), false));
    return lcu_copy_in(c->dst, c->dst_offset, (const char *)c->src->host + c->src_offset, c->n, s);
  }
  LCU_TRY(lcu_block_wait_part(c->dst, lcu_copy_stream(c->dst, s), c->dst_offset, c->n));
  return lcu_copy_out((char *)c->dst->host + c->dst_offset, c->src, c->src_offset, c->n, s);
}

static bool is_registered (const lcu_block *host, const lcu_device *d) {
  return host->pinned_for != NULL && host->pinned_for->drv == d->drv;
}

/* A copy is queued on a stream of the device that makes it; it is ordered after a given stream of
 * another device. */
static lcu_status pick_stream (lcu_device *d, lcu_stream **s) {
  lcu_stream *given = *s;
  if (given != NULL && given->device == d) return LCU_OK;
  *s = d->null_stream;
  return given != NULL && given->device->drv != d->drv ? LCU_OK
         : given != NULL                               ? lcu_order_after(*s, given)
                                                       : LCU_OK;
}

/* Copies between GPUs are ten times as fast where each may use the other's memory. Otherwise the
 * driver uses another path. */
static void enable_peers (lcu_device *a, lcu_device *b) {
  if (lcu_likely(a == b)) return;
  (void)lcu_device_reaches(a, b);
  (void)lcu_device_reaches(b, a);
}

lcu_status lcu_copy (lcu_block *dst, size_t dst_offset, lcu_block *src, size_t src_offset, size_t n,
                     lcu_stream *s) {
  const copy_job job = { dst, src, dst_offset, src_offset, n };
  if (n == 0) return lcu_process_check();
  if (dst->device->drv == src->device->drv) {
    enable_peers(dst->device, src->device);
    if (s == NULL || s->device->drv != dst->device->drv) s = dst->device->null_stream;
    return queue_copy(&job, s, queue_same_driver);
  }
  lcu_block *host = dst->host != NULL ? dst : src, *other = host == dst ? src : dst;
  LCU_TRY(pick_stream(other->device, &s));
  if (is_registered(host, other->device)) return queue_copy(&job, s, queue_host);
  return copy_through_host(&job, s);
}
