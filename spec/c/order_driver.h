/* order_driver.h: a model of a driver that moves no data. It records which work comes before which
 * (a vector clock for each stream) and which work uses which memory, and finds every use of memory
 * that is not ordered after the uses it conflicts with.
 *
 * Work ends only when the test says so (model_progress). And only what the driver has reported to
 * its caller counts as ordered: the caller must not rely on work that merely happens to be over. */
#ifndef ORDER_DRIVER_H
#define ORDER_DRIVER_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cu_driver.h"

enum {
  DEVICES = 2,
  STREAMS = 160,
  EVENTS = 512,
  CELLS = 512,
  USES = 2048,
  READS = 4096,
  PINNED = 64,
  DEPTH = 16
};

typedef struct vclock {
  unsigned at[STREAMS];
} vclock;

struct cu_context_ {
  int device;
};
struct cu_stream_ {
  void *readable;
  int number;
  cu_context context;
  bool ended;
};
struct cu_event_ {
  bool live, recorded;
  cu_context context;
  vclock when;
};
struct cu_mempool_ {
  int device;
};

/* A use of memory by the work number `count` of a stream. */
typedef struct cell_use {
  int stream;
  unsigned count;
  bool write;
} cell_use;
typedef struct cell {
  cu_deviceptr first;
  size_t size;
  bool freed, from_pool;
  unsigned n;
  cell_use uses[USES];
} cell;

/* Pinned memory, and a part of it that a queued copy still has to read. */
typedef struct host_memory {
  char *first;
  size_t size;
} host_memory;
typedef struct host_read {
  const char *first;
  size_t size;
  int stream;
  unsigned count;
} host_read;

static struct {
  struct cu_context_ contexts[DEVICES];
  struct cu_mempool_ pools[DEVICES];
  cu_context stack[DEPTH];
  int depth;
  struct cu_stream_ streams[STREAMS];
  int num_streams;
  /* the work that comes before the next work of each stream, including the stream's own */
  vclock after[STREAMS];
  vclock over, reported; /* the work that is over; the part of it that was reported */
  struct cu_event_ events[EVENTS];
  int num_events;
  cell cells[CELLS];
  int num_cells;
  cu_deviceptr next_address;
  host_memory pinned[PINNED];
  int num_pinned;
  host_read reads[READS];
  unsigned num_reads;
  unsigned records, waits, host_waits;
  const char *bad; /* the first error found */
} model;

static void mistake (const char *what) {
  if (model.bad == NULL) model.bad = what;
}

static void model_reset (void) {
  memset(&model, 0, offsetof(__typeof__(model), cells));
  model.num_cells = 0;
  model.num_pinned = 0;
  model.num_reads = model.records = model.waits = model.host_waits = 0;
  model.bad = NULL;
  model.next_address = 0x100000;
  for (int i = 0; i < DEVICES; i++) {
    model.contexts[i].device = model.pools[i].device = i;
    model.streams[i] = (struct cu_stream_){ .number = i, .context = &model.contexts[i] };
  }
  model.num_streams = DEVICES; /* the null streams */
}


/* ---- clocks ---- */

static void join (vclock *to, const vclock *from) {
  for (int i = 0; i < model.num_streams; i++)
    if (to->at[i] < from->at[i]) to->at[i] = from->at[i];
}

static bool covers (const vclock *c, const vclock *part) {
  for (int i = 0; i < model.num_streams; i++)
    if (c->at[i] < part->at[i]) return false;
  return true;
}

static void report_over (const vclock *c) {
  join(&model.over, c);
  join(&model.reported, c);
}

static bool is_reported (int stream, unsigned count) { return model.reported.at[stream] >= count; }

static bool comes_before (int stream, unsigned count, int later) {
  return is_reported(stream, count) || model.after[later].at[stream] >= count;
}

static cu_context current_context (void) {
  return model.depth > 0 ? model.stack[model.depth - 1] : NULL;
}

/* The number of a stream that a call uses. */
static int number_of (cu_stream s) {
  if (s != NULL) {
    if (s->ended) mistake("a stream is used after it was destroyed");
    return s->number;
  }
  if (current_context() == NULL) mistake("no context is current");
  return current_context() != NULL ? current_context()->device : 0;
}

/* For the test: all work of the stream that can be over is over. */
static void model_progress (int stream) { join(&model.over, &model.after[stream]); }

static cu_stream model_new_stream (void) {
  int n = model.num_streams++;
  if (n >= STREAMS) abort();
  model.streams[n] = (struct cu_stream_){ .number = n, .context = current_context() };
  return &model.streams[n];
}


/* ---- memory ---- */

static cell *new_cell (size_t size, bool from_pool) {
  if (model.num_cells >= CELLS) abort();
  cell *c = &model.cells[model.num_cells++];
  c->first = model.next_address;
  c->size = size;
  c->freed = false;
  c->from_pool = from_pool;
  c->n = 0;
  model.next_address += (size + 0xffff) & ~(size_t)0xffff;
  return c;
}

static cell *find_cell (cu_deviceptr p) {
  for (int i = 0; i < model.num_cells; i++)
    if (p >= model.cells[i].first && p < model.cells[i].first + model.cells[i].size)
      return &model.cells[i];
  return NULL;
}

static void forget_reported (cell *c) {
  unsigned kept = 0;
  for (unsigned i = 0; i < c->n; i++)
    if (!is_reported(c->uses[i].stream, c->uses[i].count)) c->uses[kept++] = c->uses[i];
  c->n = kept;
}

static unsigned model_work (int stream) { return ++model.after[stream].at[stream]; }

static void check_order (const cell *c, int stream, bool write) {
  for (unsigned i = 0; i < c->n; i++)
    if ((write || c->uses[i].write) && !comes_before(c->uses[i].stream, c->uses[i].count, stream))
      mistake(c->uses[i].write ? "a use does not come after a write"
                               : "a write does not come after a read");
}

/* Work `count` of the stream uses the memory. */
static void model_use (cu_deviceptr p, int stream, unsigned count, bool write, bool ordered) {
  cell *c = find_cell(p);
  if (c == NULL || c->freed) {
    mistake("memory is used that does not exist");
    return;
  }
  if (ordered) check_order(c, stream, write);
  forget_reported(c);
  if (c->n == USES) abort();
  c->uses[c->n++] = (cell_use){ stream, count, write };
}

/* The memory has a new owner, possibly without a call to the driver: all uses by the new owner have
 * to come after all uses by the last one. */
static void model_change_owner (cu_deviceptr p, size_t size) {
  cell *c = find_cell(p);
  if (c == NULL || c->freed || c->first + c->size < p + size)
    mistake("memory is smaller than requested");
  for (unsigned i = 0; c != NULL && i < c->n; i++) c->uses[i].write = true;
}

static bool model_is_idle (cu_deviceptr p, bool write) {
  cell *c = find_cell(p);
  for (unsigned i = 0; c != NULL && i < c->n; i++)
    if ((write || c->uses[i].write) && !is_reported(c->uses[i].stream, c->uses[i].count))
      return false;
  return true;
}


/* ---- the table ---- */

static cu_result order_get_device (cu_device *d, int ordinal) {
  *d = ordinal;
  return 0;
}
static cu_result order_attribute (int *v, int attr, cu_device d) {
  (void)attr;
  (void)d;
  *v = 1;
  return 0;
}
static cu_result order_can_access (int *can, cu_device d, cu_device peer) {
  (void)d;
  (void)peer;
  *can = 0;
  return 0;
}
static cu_result order_retain (cu_context *c, cu_device d) {
  *c = &model.contexts[d];
  return 0;
}
static cu_result order_release (cu_device d) {
  (void)d;
  return 0;
}
static cu_result order_current (cu_context *c) {
  *c = current_context();
  return 0;
}

static cu_result order_name (char *name, int len, cu_device d) {
  snprintf(name, (size_t)len, "model %d", d);
  return 0;
}

static cu_result order_push (cu_context c) {
  if (model.depth == DEPTH) abort();
  model.stack[model.depth++] = c;
  return 0;
}

static cu_result order_pop (cu_context *c) {
  if (model.depth == 0) return CU_ERR_INVALID_CONTEXT;
  *c = model.stack[--model.depth];
  return 0;
}

static cu_result order_sync_context (void) {
  model.host_waits++;
  for (int i = 0; i < model.num_streams; i++)
    if (model.streams[i].context == current_context()) report_over(&model.after[i]);
  return 0;
}

static cu_result order_create_pool (cu_mempool *pool, const cu_pool_props *props) {
  *pool = &model.pools[props->location.id];
  return 0;
}

static cu_result order_destroy_pool (cu_mempool pool) {
  (void)pool;
  return 0;
}
static cu_result order_pool_attribute (cu_mempool pool, int attr, void *v) {
  (void)pool;
  (void)attr;
  (void)v;
  return 0;
}

static cu_result order_alloc (cu_deviceptr *p, size_t n) {
  *p = new_cell(n, false)->first;
  return 0;
}

static cu_result order_free (cu_deviceptr p) {
  cell *c = find_cell(p);
  if (c == NULL || c->freed || c->from_pool) mistake("memory is freed that does not exist");
  else if (!model_is_idle(p, true)) mistake("memory is freed while it is used");
  if (c != NULL) c->freed = true;
  return 0;
}

/* The memory belongs to the stream from now on, as after a write. */
static cu_result order_alloc_async (cu_deviceptr *p, size_t n, cu_mempool pool, cu_stream s) {
  cell *c = new_cell(n, true);
  int stream = number_of(s);
  (void)pool;
  c->uses[c->n++] = (cell_use){ stream, model_work(stream), true };
  *p = c->first;
  return 0;
}

static cu_result order_free_async (cu_deviceptr p, cu_stream s) {
  cell *c = find_cell(p);
  int stream = number_of(s);
  if (c == NULL || c->freed || !c->from_pool) mistake("memory is freed that does not exist");
  else {
    check_order(c, stream, true);
    c->freed = true;
  }
  model_work(stream);
  return 0;
}

static cu_result order_host_alloc (void **p, size_t n, unsigned flags) {
  (void)flags;
  if (model.num_pinned == PINNED) abort();
  *p = malloc(n);
  if (*p == NULL) return CU_ERR_OUT_OF_MEMORY;
  model.pinned[model.num_pinned++] = (host_memory){ *p, n };
  return 0;
}

static bool is_pinned (const char *p) {
  for (int i = 0; i < model.num_pinned; i++)
    if (p >= model.pinned[i].first && p < model.pinned[i].first + model.pinned[i].size) return true;
  return false;
}

/* May the host write there? Queued copies may still have to read it. */
static bool host_is_idle (const char *p, size_t n) {
  for (unsigned i = 0; i < model.num_reads; i++) {
    const host_read *r = &model.reads[i];
    if (r->first < p + n && p < r->first + r->size && !is_reported(r->stream, r->count))
      return false;
  }
  return true;
}

static cu_result order_host_free (void *p) {
  if (!host_is_idle(p, 1 << 20)) mistake("staging memory is freed while it is read");
  free(p);
  return 0;
}

static void note_host_read (const char *p, size_t n, int stream, unsigned count) {
  unsigned kept = 0;
  for (unsigned i = 0; i < model.num_reads; i++)
    if (!is_reported(model.reads[i].stream, model.reads[i].count))
      model.reads[kept++] = model.reads[i];
  if (kept == READS) abort();
  model.reads[kept] = (host_read){ p, n, stream, count };
  model.num_reads = kept + 1;
}

/* Memory that is not pinned is read during the call. */
static cu_result order_htod (cu_deviceptr dst, const void *src, size_t n, cu_stream s) {
  int stream = number_of(s);
  unsigned count = model_work(stream);
  if (is_pinned(src)) {
    if (!host_is_idle(src, n)) mistake("staging memory is filled while it is read");
    note_host_read(src, n, stream, count);
  }
  model_use(dst, stream, count, true, true);
  return 0;
}

static cu_result order_dtoh (void *dst, cu_deviceptr src, size_t n, cu_stream s) {
  int stream = number_of(s);
  memset(dst, 0, n);
  model_use(src, stream, model_work(stream), false, true);
  return 0;
}

static cu_result order_dtod (cu_deviceptr dst, cu_deviceptr src, size_t n, cu_stream s) {
  int stream = number_of(s);
  unsigned count = model_work(stream);
  (void)n;
  model_use(src, stream, count, false, true);
  model_use(dst, stream, count, true, true);
  return 0;
}

static cu_result order_peer (cu_deviceptr dst, cu_context to, cu_deviceptr src, cu_context from,
                             size_t n, cu_stream s) {
  if (to == from) mistake("a copy between devices on one device");
  return order_dtod(dst, src, n, s);
}

static cu_result order_set8 (cu_deviceptr p, unsigned char v, size_t n, cu_stream s) {
  int stream = number_of(s);
  (void)v;
  (void)n;
  model_use(p, stream, model_work(stream), true, true);
  return 0;
}

static cu_result order_stream_create (cu_stream *s, unsigned flags, int priority) {
  (void)flags;
  (void)priority;
  *s = model_new_stream();
  return 0;
}

static cu_result order_stream_priority (cu_stream s, int *priority) {
  (void)s;
  *priority = 0;
  return 0;
}

static cu_result order_stream_destroy (cu_stream s) {
  (void)number_of(s);
  s->ended = true;
  return 0;
}

static cu_result order_stream_sync (cu_stream s) {
  model.host_waits++;
  report_over(&model.after[number_of(s)]);
  return 0;
}

static cu_result order_stream_query (cu_stream s) {
  const vclock *c = &model.after[number_of(s)];
  if (!covers(&model.over, c)) return CU_ERR_NOT_READY;
  report_over(c);
  return 0;
}

static cu_result order_stream_wait (cu_stream s, cu_event e, unsigned flags) {
  (void)flags;
  model.waits++;
  if (!e->live) mistake("an event is used after it was destroyed");
  join(&model.after[number_of(s)], &e->when);
  return 0;
}

static cu_result order_event_create (cu_event *e, unsigned flags) {
  (void)flags;
  if (model.num_events >= EVENTS) abort();
  *e = &model.events[model.num_events++];
  memset(*e, 0, sizeof **e);
  (*e)->live = true;
  (*e)->context = current_context();
  return 0;
}

static cu_result order_event_record (cu_event e, cu_stream s) {
  int stream = number_of(s);
  model.records++;
  if (!e->live) mistake("an event is used after it was destroyed");
  if (e->context != model.streams[stream].context)
    mistake("an event is recorded on a stream of another context");
  e->recorded = true;
  e->when = model.after[stream];
  return 0;
}

static cu_result order_event_query (cu_event e) {
  if (!covers(&model.over, &e->when)) return CU_ERR_NOT_READY;
  report_over(&e->when);
  return 0;
}

static cu_result order_event_sync (cu_event e) {
  model.host_waits++;
  if (!e->live) mistake("an event is used after it was destroyed");
  report_over(&e->when);
  return 0;
}

static cu_result order_event_destroy (cu_event e) {
  if (!e->live) mistake("an event is destroyed twice");
  e->live = false;
  return 0;
}

static const lcu_driver order_driver = {
  .kind = "gpu",
  .cuDeviceGet = order_get_device,
  .cuDeviceGetName = order_name,
  .cuDeviceGetAttribute = order_attribute,
  .cuDeviceCanAccessPeer = order_can_access,
  .cuDevicePrimaryCtxRetain = order_retain,
  .cuDevicePrimaryCtxRelease = order_release,
  .cuCtxGetCurrent = order_current,
  .cuCtxPushCurrent = order_push,
  .cuCtxPopCurrent = order_pop,
  .cuCtxSynchronize = order_sync_context,
  .cuMemPoolCreate = order_create_pool,
  .cuMemPoolDestroy = order_destroy_pool,
  .cuMemPoolSetAttribute = order_pool_attribute,
  .cuMemAlloc = order_alloc,
  .cuMemFree = order_free,
  .cuMemAllocFromPoolAsync = order_alloc_async,
  .cuMemFreeAsync = order_free_async,
  .cuMemHostAlloc = order_host_alloc,
  .cuMemFreeHost = order_host_free,
  .cuMemcpyHtoDAsync = order_htod,
  .cuMemcpyDtoHAsync = order_dtoh,
  .cuMemcpyDtoDAsync = order_dtod,
  .cuMemcpyPeerAsync = order_peer,
  .cuMemsetD8Async = order_set8,
  .cuStreamCreateWithPriority = order_stream_create,
  .cuStreamGetPriority = order_stream_priority,
  .cuStreamDestroy = order_stream_destroy,
  .cuStreamSynchronize = order_stream_sync,
  .cuStreamQuery = order_stream_query,
  .cuStreamWaitEvent = order_stream_wait,
  .cuEventCreate = order_event_create,
  .cuEventRecord = order_event_record,
  .cuEventQuery = order_event_query,
  .cuEventSynchronize = order_event_sync,
  .cuEventDestroy = order_event_destroy,
};

#endif
