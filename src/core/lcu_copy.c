/* lcu_copy.c: copies and fills between blocks and host memory. Host memory of others is read before
 * a function returns: through pinned staging memory on devices with memory of their own, in place
 * where memory is the host's. */
#include <string.h>

#include "lcu_internal.h"


/* ---- staging: a ring of pinned segments. A segment belongs to one stream at a time; it may be
 * filled again when the event recorded at its end is reached ---- */

enum { SEGMENTS = 8 };
#define SEGMENT_BYTES ((size_t)1 << 20)

typedef struct segment {
  char *memory;
  cu_event event;
  bool waiting; /* for the event before it may be filled again */
  bool lost;    /* or, as that could not be recorded, for the whole device */
} segment;

struct lcu_stage {
  segment seg[SEGMENTS];
  unsigned now;      /* the segment being filled */
  size_t used;       /* bytes of it */
  lcu_stream *owner; /* the stream it is filled for; a reference */
  pthread_mutex_t lock;
};

static void free_stage (lcu_device *d, struct lcu_stage *g) {
  for (int i = 0; i < SEGMENTS; i++) {
    if (g->seg[i].event != NULL)
      lcu_device_defer(d, LCU_CALL(d->drv, cuEventDestroy, (g->seg[i].event)));
    if (g->seg[i].memory != NULL)
      lcu_device_defer(d, LCU_CALL(d->drv, cuMemFreeHost, (g->seg[i].memory)));
  }
  lcu_free(g);
}

/* Pinning takes a millisecond for a few MiB, so a segment gets its memory when it is first used. */
static lcu_status fill_segment (lcu_device *d, segment *seg) {
  void *p = NULL;
  if (lcu_likely(seg->memory != NULL)) return LCU_OK;
  if (seg->event == NULL)
    LCU_TRY(LCU_CALL(d->drv, cuEventCreate, (&seg->event, CU_EVENT_DISABLE_TIMING_)));
  LCU_TRY(LCU_CALL(d->drv, cuMemHostAlloc, (&p, SEGMENT_BYTES, CU_HOSTALLOC_PORTABLE)));
  seg->memory = p;
  return LCU_OK;
}

/* Made at the first copy. The device is entered; the open lock is held. */
static lcu_status make_stage (lcu_device *d) {
  if (d->stage != NULL) return LCU_OK;
  struct lcu_stage *g = lcu_calloc(1, sizeof *g);
  if (g == NULL) return lcu_no_memory("staging memory");
  pthread_mutex_init(&g->lock, NULL);
  d->stage = g;
  return LCU_OK;
}

static lcu_status get_stage (lcu_device *d, struct lcu_stage **out) {
  pthread_mutex_lock(&d->open_lock);
  lcu_status st = make_stage(d);
  *out = d->stage;
  pthread_mutex_unlock(&d->open_lock);
  return st;
}

void lcu_stage_destroy (lcu_device *d) {
  struct lcu_stage *g = d->stage;
  lcu_scope scope;
  d->stage = NULL;
  if (g == NULL) return;
  lcu_unref(g->owner);
  pthread_mutex_destroy(&g->lock);
  if (!lcu_device_enter_quiet(d, &scope)) {
    lcu_free(g);
    return;
  }
  free_stage(d, g);
  lcu_device_leave(&scope);
}

/* Ends the segment in use: its event tells when it may be filled again. A failure is reported once:
 * a stream of the host program may be gone for good, and others have to get on. */
static lcu_status close_segment (lcu_device *d, struct lcu_stage *g) {
  segment *s = &g->seg[g->now];
  if (g->owner == NULL || g->used == 0) return LCU_OK;
  lcu_status st =
    lcu_device_status(d, LCU_CALL(d->drv, cuEventRecord, (s->event, g->owner->handle)));
  s->waiting = true;
  s->lost = st != LCU_OK;
  g->now = (g->now + 1) % SEGMENTS;
  g->used = 0;
  return st;
}

/* A stream that its owner is done with must not be kept alive by staging memory. */
static lcu_stream *let_go (lcu_device *d, struct lcu_stage *g, lcu_stream *s) {
  lcu_stream *owner = NULL;
  pthread_mutex_lock(&g->lock);
  if (g->owner == s) {
    lcu_device_defer(d, close_segment(d, g));
    owner = g->owner;
    g->owner = NULL;
  }
  pthread_mutex_unlock(&g->lock);
  return owner;
}

void lcu_stream_retire (lcu_stream *s) {
  lcu_device *d = s->device;
  lcu_stream *owner = NULL;
  lcu_scope scope;
  if (!lcu_device_enter_quiet(d, &scope)) return;
  lcu_device_defer(d, lcu_order_leave(s));
  if (d->stage != NULL) owner = let_go(d, d->stage, s);
  lcu_device_leave(&scope);
  lcu_unref(owner);
}

static lcu_status wait_segment (lcu_device *d, const segment *seg) {
  if (!seg->waiting) return LCU_OK;
  return seg->lost ? LCU_CALL(d->drv, cuCtxSynchronize, ())
                   : LCU_CALL(d->drv, cuEventSynchronize, (seg->event));
}

static lcu_status open_segment (lcu_device *d, struct lcu_stage *g, lcu_stream *s) {
  segment *seg = &g->seg[g->now];
  LCU_TRY(lcu_device_status(d, fill_segment(d, seg)));
  LCU_TRY(lcu_device_status(d, wait_segment(d, seg)));
  seg->waiting = seg->lost = false;
  if (g->owner != s) {
    lcu_stream *before = g->owner;
    g->owner = lcu_ref(s);
    lcu_unref(before);
  }
  return LCU_OK;
}

/* Copies a piece that fits a segment into staging memory and queues the rest of its way. */
static lcu_status stage_piece (lcu_device *d, struct lcu_stage *g, cu_deviceptr dst,
                               const char *src, size_t n, lcu_stream *s) {
  if (g->owner != s || g->used + n > SEGMENT_BYTES) LCU_TRY(close_segment(d, g));
  if (g->used == 0) LCU_TRY(open_segment(d, g, s));
  char *at = g->seg[g->now].memory + g->used;
  memcpy(at, src, n);
  LCU_TRY(lcu_device_status(d, LCU_CALL(d->drv, cuMemcpyHtoDAsync, (dst, at, n, s->handle))));
  g->used += (n + 63) & ~(size_t)63;
  return LCU_OK;
}

/* The driver takes small pageable memory at the call, through pinned memory of its own. It may wait
 * for the stream then, so this is for the few small copies of a program's start, which would not
 * repay making staging memory of ours. */
enum { EARLY_COPIES = 16, EARLY_BYTES = 65536 };
static bool early (lcu_device *d, size_t n) {
  return n <= EARLY_BYTES && atomic_load_explicit(&d->stage, memory_order_relaxed) == NULL &&
         atomic_fetch_add_explicit(&d->early_copies, 1, memory_order_relaxed) < EARLY_COPIES;
}

static lcu_status stage_in (lcu_device *d, cu_deviceptr dst, const char *src, size_t n,
                            lcu_stream *s) {
  struct lcu_stage *g;
  if (early(d, n))
    return lcu_device_status(d, LCU_CALL(d->drv, cuMemcpyHtoDAsync, (dst, src, n, s->handle)));
  lcu_status st = get_stage(d, &g);
  if (st != LCU_OK) return st;
  pthread_mutex_lock(&g->lock);
  for (size_t done = 0; done < n && st == LCU_OK;) {
    size_t piece = n - done < SEGMENT_BYTES ? n - done : SEGMENT_BYTES;
    st = stage_piece(d, g, dst + done, src + done, piece, s);
    done += piece;
  }
  pthread_mutex_unlock(&g->lock);
  return st;
}


/* ---- host memory of others ---- */

/* The device's own view of work on one block. */
static lcu_status begin_on (lcu_stream *s, lcu_scope *scope, const lcu_use *uses, size_t n) {
  LCU_TRY(lcu_device_enter(s->device, scope));
  lcu_status st = lcu_work_begin(s, uses, n);
  if (st != LCU_OK) lcu_device_leave(scope);
  return st;
}

/* What was queued before a failure is marked, too. */
static lcu_status end_on (lcu_stream *s, lcu_scope *scope, const lcu_use *uses, size_t n,
                          lcu_status st) {
  lcu_work_end(s, uses, n);
  lcu_device_leave(scope);
  return st;
}

static lcu_stream *stream_for (const lcu_block *b, lcu_stream *s) {
  return s != NULL && s->device == b->device ? s : b->device->null_stream;
}

lcu_status lcu_copy_in (lcu_block *dst, size_t offset, const void *src, size_t n, lcu_stream *s) {
  const lcu_use use = { dst, true };
  lcu_scope scope;
  if (n == 0) return lcu_process_check();
  if (dst->host != NULL) {
    LCU_TRY(lcu_block_wait(dst, true));
    memmove((char *)dst->host + offset, src, n);
    return LCU_OK;
  }
  s = stream_for(dst, s);
  LCU_TRY(begin_on(s, &scope, &use, 1));
  return end_on(s, &scope, &use, 1, stage_in(dst->device, dst->address + offset, src, n, s));
}

lcu_status lcu_copy_out (void *dst, lcu_block *src, size_t offset, size_t n, lcu_stream *s) {
  const lcu_use use = { src, false };
  lcu_scope scope;
  if (n == 0) return lcu_process_check();
  if (src->host != NULL) {
    LCU_TRY(lcu_block_wait(src, false));
    memmove(dst, (const char *)src->host + offset, n);
    return LCU_OK;
  }
  s = stream_for(src, s);
  LCU_TRY(begin_on(s, &scope, &use, 1));
  lcu_status st =
    LCU_CALL(src->device->drv, cuMemcpyDtoHAsync, (dst, src->address + offset, n, s->handle));
  LCU_TRY(end_on(s, &scope, &use, 1, lcu_device_status(src->device, st)));
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
  const lcu_device *to = c->dst->device, *from = c->src->device;
  if (to == from)
    return LCU_CALL(s->device->drv, cuMemcpyDtoDAsync,
                    (dst_address(c), src_address(c), c->n, s->handle));
  return LCU_CALL(s->device->drv, cuMemcpyPeerAsync,
                  (dst_address(c), to->context, src_address(c), from->context, c->n, s->handle));
}

/* Between a device with memory of its own and host memory its driver knows. */
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
  LCU_TRY(begin_on(s, &scope, uses, 2));
  return end_on(s, &scope, uses, 2, lcu_device_status(s->device, queue(c, s)));
}

/* Host memory that the other driver does not know: it is read or written by the host itself. */
static lcu_status copy_through_host (const copy_job *c, lcu_stream *s) {
  if (c->src->host != NULL) {
    LCU_TRY(lcu_block_wait(c->src, false));
    return lcu_copy_in(c->dst, c->dst_offset, (const char *)c->src->host + c->src_offset, c->n, s);
  }
  LCU_TRY(lcu_block_wait(c->dst, true));
  return lcu_copy_out((char *)c->dst->host + c->dst_offset, c->src, c->src_offset, c->n, s);
}

static bool knows (const lcu_block *host, const lcu_device *d) {
  return host->pinned_for != NULL && host->pinned_for->drv == d->drv;
}

/* The stream of a copy is one of the device that does it; a stream of another device orders it from
 * the host. */
static lcu_status pick_stream (lcu_device *d, lcu_stream **s) {
  lcu_stream *given = *s;
  if (given != NULL && given->device == d) return LCU_OK;
  *s = d->null_stream;
  return given != NULL && given->device->drv != d->drv ? LCU_OK
         : given != NULL                               ? lcu_order_after(*s, given)
                                                       : LCU_OK;
}

/* GPUs copy ten times as fast when each may use the other's memory. Where they may not, the driver
 * takes another way. */
static void meet (lcu_device *a, lcu_device *b) {
  if (lcu_likely(a == b)) return;
  (void)lcu_device_reaches(a, b);
  (void)lcu_device_reaches(b, a);
}

lcu_status lcu_copy (lcu_block *dst, size_t dst_offset, lcu_block *src, size_t src_offset, size_t n,
                     lcu_stream *s) {
  const copy_job job = { dst, src, dst_offset, src_offset, n };
  if (n == 0) return lcu_process_check();
  if (dst->device->drv == src->device->drv) {
    meet(dst->device, src->device);
    if (s == NULL || s->device->drv != dst->device->drv) s = dst->device->null_stream;
    return queue_copy(&job, s, queue_same_driver);
  }
  lcu_block *host = dst->host != NULL ? dst : src, *other = host == dst ? src : dst;
  LCU_TRY(pick_stream(other->device, &s));
  if (knows(host, other->device)) return queue_copy(&job, s, queue_host);
  return copy_through_host(&job, s);
}


/* ---- fills ---- */

/* The narrowest of 1, 2 and 4 bytes that repeats to the value, or its full width. */
static size_t narrow (const void *value, size_t width) {
  const char *v = value;
  while (width > 1 && memcmp(v, v + width / 2, width / 2) == 0) width /= 2;
  return width;
}

static lcu_status queue_set (lcu_stream *s, cu_deviceptr p, const void *value, size_t width,
                             size_t n) {
  const lcu_driver *drv = s->device->drv;
  uint32_t v4;
  uint16_t v2;
  if (width == 1)
    return LCU_CALL(drv, cuMemsetD8Async, (p, *(const unsigned char *)value, n, s->handle));
  if (width == 2) {
    memcpy(&v2, value, 2);
    return LCU_CALL(drv, cuMemsetD16Async, (p, v2, n, s->handle));
  }
  memcpy(&v4, value, 4);
  return LCU_CALL(drv, cuMemsetD32Async, (p, v4, n, s->handle));
}

/* Wider values have no call of their own: a first piece from the host, then copies that double
 * it. */
static lcu_status queue_doubling (lcu_stream *s, cu_deviceptr p, size_t done, size_t bytes) {
  while (done < bytes) {
    size_t piece = done < bytes - done ? done : bytes - done;
    LCU_TRY(LCU_CALL(s->device->drv, cuMemcpyDtoDAsync, (p + done, p, piece, s->handle)));
    done += piece;
  }
  return LCU_OK;
}

static lcu_status fill_wide (lcu_block *dst, size_t offset, const void *value, size_t width,
                             size_t n, lcu_stream *s) {
  char first[4096];
  const lcu_use use = { dst, true };
  lcu_scope scope;
  size_t bytes = n * width, piece = bytes < sizeof first ? bytes : sizeof first;
  for (size_t i = 0; i < piece; i += width) memcpy(first + i, value, width);
  LCU_TRY(lcu_copy_in(dst, offset, first, piece, s));
  if (piece == bytes) return LCU_OK;
  LCU_TRY(begin_on(s, &scope, &use, 1));
  lcu_status st = queue_doubling(s, dst->address + offset, piece, bytes);
  return end_on(s, &scope, &use, 1, lcu_device_status(s->device, st));
}

lcu_status lcu_fill (lcu_block *dst, size_t offset, const void *value, size_t width, size_t n,
                     lcu_stream *s) {
  const lcu_use use = { dst, true };
  lcu_scope scope;
  if (n == 0 || width == 0) return lcu_process_check();
  s = stream_for(dst, s);
  size_t unit = narrow(value, width);
  if (unit > 4) return fill_wide(dst, offset, value, width, n, s);
  LCU_TRY(begin_on(s, &scope, &use, 1));
  lcu_status st = queue_set(s, dst->address + offset, value, unit, n * (width / unit));
  return end_on(s, &scope, &use, 1, lcu_device_status(dst->device, st));
}
