/* lcu_stage.c: staging memory: a ring of pinned segments. A segment belongs to one stream at a
 * time; it may be filled again when the event recorded at its end is reached. */
#include "lcu_stage.h"

#include <string.h>

#include "lcu_comm_guard.h"
#include "lcu_device_failure.h"
#include "lcu_stream.h"
#include "lcu_scope.h"

enum { SEGMENTS = 8 };
#define SEGMENT_BYTES ((size_t)1 << 20)

typedef struct segment {
  char *memory;
  cu_event event;
  bool waiting; /* the event must be reached before it is filled again */
  bool lost;    /* the event could not be recorded: the whole device must be idle instead */
} segment;

typedef struct stage {
  lcu_part part;
  segment seg[SEGMENTS];
  unsigned now;      /* the segment being filled */
  size_t used;       /* bytes used of it */
  lcu_stream *owner; /* the stream it is filled for; a reference */
  pthread_mutex_t lock;
} stage;

static stage *stage_of (lcu_device *d) {
  return (stage *)(void *)atomic_load_explicit(&d->parts[LCU_PART_STAGE], memory_order_acquire);
}

static void free_stage (lcu_device *d, stage *g) {
  for (int i = 0; i < SEGMENTS; i++) {
    if (g->seg[i].event != NULL)
      lcu_device_defer(d, LCU_CALL(d->drv, cuEventDestroy, (g->seg[i].event)));
    if (g->seg[i].memory != NULL)
      lcu_device_defer(d, LCU_CALL(d->drv, cuMemFreeHost, (g->seg[i].memory)));
  }
  lcu_free(g);
}

/* Pinning takes a millisecond for a few MiB, so a segment gets its memory at its first use. */
static lcu_status fill_segment (lcu_device *d, segment *seg) {
  void *p = NULL;
  if (lcu_likely(seg->memory != NULL)) return LCU_OK;
  if (seg->event == NULL)
    LCU_TRY(LCU_CALL(d->drv, cuEventCreate, (&seg->event, CU_EVENT_DISABLE_TIMING_)));
  LCU_TRY(lcu_comm_guard_device(d));
  LCU_TRY(LCU_CALL(d->drv, cuMemHostAlloc, (&p, SEGMENT_BYTES, CU_HOSTALLOC_PORTABLE)));
  seg->memory = p;
  return LCU_OK;
}

static void stage_destroy (lcu_device *d, lcu_part *part) {
  stage *g = (stage *)(void *)part;
  lcu_scope scope;
  lcu_unref(g->owner);
  pthread_mutex_destroy(&g->lock);
  if (!lcu_device_enter_quiet(d, &scope)) {
    lcu_free(g);
    return;
  }
  free_stage(d, g);
  lcu_device_leave(&scope);
}

/* Created at the first copy. The device is entered; the open lock is held. */
static lcu_status make_stage (lcu_device *d) {
  if (stage_of(d) != NULL) return LCU_OK;
  stage *g = lcu_calloc(1, sizeof *g);
  if (g == NULL) return lcu_no_memory("staging memory");
  pthread_mutex_init(&g->lock, NULL);
  g->part.destroy = stage_destroy;
  atomic_store(&d->parts[LCU_PART_STAGE], &g->part);
  return LCU_OK;
}

static lcu_status get_stage (lcu_device *d, stage **out) {
  pthread_mutex_lock(&d->open_lock);
  lcu_status st = make_stage(d);
  *out = stage_of(d);
  pthread_mutex_unlock(&d->open_lock);
  return st;
}

/* Ends the segment in use and records its event. A failure is reported once: a stream of the host
 * program may have ended, and later copies on other streams must still work. */
static lcu_status close_segment (lcu_device *d, stage *g) {
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

/* Takes the reference to a stream whose owner is done with it; NULL: there is none. */
static lcu_stream *take_owner (lcu_device *d, stage *g, lcu_stream *s) {
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

void lcu_stage_retire (lcu_stream *s) {
  lcu_device *d = s->device;
  lcu_stream *owner = NULL;
  lcu_scope scope;
  if (s->is_null || !lcu_device_enter_quiet(d, &scope)) return;
  lcu_device_defer(d, lcu_order_retire(s));
  if (stage_of(d) != NULL) owner = take_owner(d, stage_of(d), s);
  lcu_device_leave(&scope);
  lcu_unref(owner);
}

static lcu_status wait_segment (lcu_device *d, const segment *seg) {
  if (!seg->waiting) return LCU_OK;
  if (!seg->lost) return lcu_comm_event_wait(d, seg->event);
  LCU_TRY(lcu_comm_guard_device(d));
  return LCU_CALL(d->drv, cuCtxSynchronize, ());
}

static lcu_status open_segment (lcu_device *d, stage *g, lcu_stream *s) {
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

/* Copies a piece that fits a segment into staging memory, and queues its copy to the device. */
static lcu_status stage_piece (lcu_device *d, stage *g, cu_deviceptr dst, const char *src, size_t n,
                               lcu_stream *s) {
  if (g->owner != s || g->used + n > SEGMENT_BYTES) LCU_TRY(close_segment(d, g));
  if (g->used == 0) LCU_TRY(open_segment(d, g, s));
  char *at = g->seg[g->now].memory + g->used;
  memcpy(at, src, n);
  LCU_TRY(lcu_device_status(d, LCU_CALL(d->drv, cuMemcpyHtoDAsync, (dst, at, n, s->handle))));
  g->used += (n + 63) & ~(size_t)63;
  return LCU_OK;
}

/* The driver itself stages small pageable memory, but may wait for the stream. The first few small
 * copies of a program use that, because creating staging memory for them would take longer. */
enum { EARLY_COPIES = 16, EARLY_BYTES = 65536 };
static bool early (lcu_device *d, size_t n) {
  return n <= EARLY_BYTES && stage_of(d) == NULL &&
         atomic_fetch_add_explicit(&d->early_copies, 1, memory_order_relaxed) < EARLY_COPIES;
}

lcu_status lcu_stage_copy (lcu_device *d, cu_deviceptr dst, const char *src, size_t n,
                           lcu_stream *s) {
  stage *g;
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
