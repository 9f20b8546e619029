/* lcu_block.c: memory with an owner: making it, ending it behind the work that uses it, finding it
 * again. */
#include "lcu_block.h"

#include <stdio.h>
#include <string.h>

#include "lcu_internal.h"
#include "lcu_room.h"

/* pinned, managed, plain: pools count device memory themselves */
static atomic_size_t host_bytes;

size_t lcu_block_live_bytes (void) {
  size_t n = atomic_load_explicit(&host_bytes, memory_order_relaxed);
  for (size_t i = 0; lcu_process_device(i) != NULL; i++) n += lcu_pool_used(lcu_process_device(i));
  return n;
}

const char *lcu_memory_name (lcu_memory m) {
  static const char *const names[] = {
    [LCU_MEM_DEVICE] = "device", [LCU_MEM_PINNED] = "pinned",         [LCU_MEM_MANAGED] = "managed",
    [LCU_MEM_HOST] = "host",     [LCU_MEM_REGISTERED] = "registered", [LCU_MEM_FOREIGN] = "foreign",
    [LCU_MEM_MODULE] = "module",
  };
  return names[m];
}

static bool is_owned (const lcu_block *b) {
  return b->memory != LCU_MEM_FOREIGN && b->memory != LCU_MEM_MODULE &&
         b->memory != LCU_MEM_REGISTERED;
}


/* ---- the device's lists ---- */

static void push_list (lcu_block **head, lcu_block *b) {
  b->prev = NULL;
  b->next = *head;
  if (*head != NULL) (*head)->prev = b;
  *head = b;
}

static void take_list (lcu_block **head, lcu_block *b) {
  if (b->prev != NULL) b->prev->next = b->next;
  else *head = b->next;
  if (b->next != NULL) b->next->prev = b->prev;
  b->next = b->prev = NULL;
}

/* Memory with an order belongs to us from `home`'s now on: another stream has to come after that,
 * as after a write. */
static void enlist (lcu_block *b) {
  pthread_mutex_lock(&b->device->lock);
  if (b->ordered) b->marks[0].used = b->marks[0].wrote = lcu_stream_count_locked(b->home);
  push_list(&b->device->blocks, b);
  if (b->pooled) lcu_pool_count_locked(b->device, true);
  b->listed = true;
  pthread_mutex_unlock(&b->device->lock);
}

static void delist (lcu_block *b) {
  if (!b->listed) return;
  pthread_mutex_lock(&b->device->lock);
  take_list(&b->device->blocks, b);
  if (b->pooled) lcu_pool_count_locked(b->device, false);
  b->listed = false;
  pthread_mutex_unlock(&b->device->lock);
}

/* How far an address is from a block: 0 inside it. */
static uint64_t gap (const lcu_block *b, cu_deviceptr address) {
  if (b->address == 0 || b->size == 0) return UINT64_MAX;
  if (address < b->address) return b->address - address;
  return address - b->address < b->size ? 0 : address - b->address - b->size + 1;
}

void lcu_block_label_text (const lcu_block_label *l, char *out, size_t size) {
  int at = snprintf(out, size, "%s%s", l->type, l->ndim > 0 ? " {" : "");
  for (int i = 0; i < l->ndim && i < LCU_LABEL_DIMS && at > 0 && (size_t)at < size; i++)
    at += snprintf(out + at, size - (size_t)at, "%s%lld", i > 0 ? ", " : "", (long long)l->dims[i]);
  if (l->ndim > 0 && at > 0 && (size_t)at < size)
    snprintf(out + at, size - (size_t)at, "%s}", l->ndim > LCU_LABEL_DIMS ? ", ..." : "");
}

bool lcu_block_find (lcu_device *d, cu_deviceptr address, char *label, size_t label_size,
                     cu_deviceptr *base, size_t *size) {
  bool found = false;
  pthread_mutex_lock(&d->lock);
  for (const lcu_block *b = d->blocks; b != NULL && !found; b = b->next) {
    if (gap(b, address) != 0) continue;
    if (atomic_load_explicit(&b->labelled, memory_order_acquire))
      lcu_block_label_text(&b->label, label, label_size);
    else label[0] = '\0';
    *base = b->address;
    *size = b->size;
    found = true;
  }
  pthread_mutex_unlock(&d->lock);
  return found;
}


/* ---- who uses a block ---- */

/* Work that has to be over first: a stream up to a count. */
typedef struct point {
  lcu_stream *stream;
  uint64_t seq;
} point;

static bool is_reached (const point *p) { return lcu_stream_reached(p->stream, p->seq); }

/* What reading or writing has to wait for and is not known to be over, with references. */
static int open_points (lcu_block *b, bool write, point out[LCU_MARKS]) {
  int n = 0;
  pthread_mutex_lock(&b->device->lock);
  for (int i = 0; i < b->num_marks; i++) {
    point p = { b->marks[i].stream, lcu_mark_before(&b->marks[i], write) };
    if (is_reached(&p)) continue;
    lcu_object_ref(&p.stream->base);
    out[n++] = p;
  }
  pthread_mutex_unlock(&b->device->lock);
  return n;
}

static void drop_points (const point *points, int n) {
  for (int i = 0; i < n; i++) lcu_unref(points[i].stream);
}

/* Where the device cannot share managed memory with the host while it works, any work at all has to
 * end. */
static lcu_status wait_managed (const lcu_block *b) {
  if (b->memory != LCU_MEM_MANAGED || b->pinned_for == NULL || b->pinned_for->managed_concurrent)
    return LCU_OK;
  return lcu_device_synchronize(b->pinned_for);
}

lcu_status lcu_block_wait (lcu_block *b, bool write) {
  point points[LCU_MARKS];
  lcu_status st = lcu_process_check();
  if (st != LCU_OK) return st;
  int n = open_points(b, write, points);
  for (int i = 0; i < n && st == LCU_OK; i++)
    if (!is_reached(&points[i])) st = lcu_stream_synchronize(points[i].stream);
  drop_points(points, n);
  return st == LCU_OK ? wait_managed(b) : st;
}

/* The driver is asked without lcu_device_enter's reports: a question must not take a failure from
 * the call that ought to tell of it. What it finds itself is kept for that call. */
static bool is_over (const point *p) {
  lcu_scope scope;
  lcu_stream *s = p->stream;
  lcu_device *d = s->device;
  if (is_reached(p)) return true;
  if (!lcu_device_enter_quiet(d, &scope)) return atomic_load(&d->dead);
  uint64_t seq = atomic_load(&s->submitted);
  cu_result r = lcu_stream_ask(s);
  if (r == 0) lcu_stream_completed(s, seq);
  else if (r != CU_ERR_NOT_READY)
    lcu_device_defer(d, lcu_device_status(d, lcu_driver_status(d->drv, "cuStreamQuery", r)));
  lcu_device_leave(&scope);
  return r == 0;
}

bool lcu_block_idle (lcu_block *b, bool write) {
  point points[LCU_MARKS];
  bool idle = true;
  int n = open_points(b, write, points);
  for (int i = 0; i < n && idle; i++) idle = is_over(&points[i]);
  drop_points(points, n);
  return idle;
}


/* ---- ending ---- */

/* Lets go of home and of the streams of all marks; mostly home has the only one. */
static void drop_streams (lcu_block *b) {
  if (b->num_marks == 1 && b->marks[0].stream == b->home) lcu_object_unref_many(&b->home->base, 2);
  else {
    for (int i = 0; i < b->num_marks; i++) lcu_unref(b->marks[i].stream);
    lcu_unref(b->home);
  }
}

static void free_struct (lcu_block *b) {
  if (is_owned(b) && b->memory != LCU_MEM_DEVICE)
    atomic_fetch_sub_explicit(&host_bytes, b->size, memory_order_relaxed);
  drop_streams(b);
  lcu_unref(b->pinned_for);
  lcu_unref(b->device);
  lcu_free(b);
}

static void unregister_cpu (lcu_block *b) {
  lcu_scope scope;
  if (!b->registered || !lcu_device_enter_quiet(b->device, &scope)) return;
  lcu_device_defer(b->device, LCU_CALL(b->device->drv, cuMemHostUnregister, (b->host)));
  lcu_device_leave(&scope);
}

/* Gives pinned, managed or registered memory back to the driver that knows it. */
static void release_pinned (lcu_block *b) {
  lcu_scope scope;
  lcu_device *d = b->pinned_for;
  if (b->host == NULL || d == NULL || !lcu_device_enter_quiet(d, &scope)) return;
  lcu_status st = LCU_OK;
  if (b->memory == LCU_MEM_PINNED) st = LCU_CALL(d->drv, cuMemFreeHost, (b->host));
  else if (b->memory == LCU_MEM_MANAGED)
    st = LCU_CALL(d->drv, cuMemFree, ((cu_deviceptr)(uintptr_t)b->host));
  else if (b->memory == LCU_MEM_REGISTERED) st = LCU_CALL(d->drv, cuMemHostUnregister, (b->host));
  lcu_device_defer(d, st);
  lcu_device_leave(&scope);
}

static void free_plain (lcu_block *b) {
  if (b->host != NULL) lcu_room_give(b->size);
  lcu_free(b->host);
}

/* Nothing uses the memory any more, or (device memory) whoever does comes before the free in the
 * stream's order. */
static void release_memory (lcu_block *b) {
  lcu_scope scope;
  unregister_cpu(b);
  if (b->pooled) {
    if (!b->home->gone && lcu_device_enter_quiet(b->device, &scope)) {
      lcu_pool_free(b->device, b->address, b->size, b->home, b->ordered);
      lcu_device_leave(&scope);
    }
  } else release_pinned(b);
  if (b->memory == LCU_MEM_HOST) free_plain(b);
  if (b->release != NULL) b->release(b->release_ud);
  free_struct(b);
}

/* Makes the stream in whose order the memory goes back come after all users: its home, or the null
 * stream where the host program may have ended that. False: it could not be done. */
static bool order_free (lcu_block *b) {
  point points[LCU_MARKS];
  lcu_status st = LCU_OK;
  lcu_stream *last = b->home->left ? b->device->null_stream : b->home;
  if (last == NULL) return lcu_block_idle(b, true);
  int n = open_points(b, true, points);
  for (int i = 0; i < n && st == LCU_OK; i++) st = lcu_order_after(last, points[i].stream);
  drop_points(points, n);
  lcu_device_defer(b->device, st);
  return st == LCU_OK;
}

/* May the memory be given back now? */
static bool may_release (lcu_block *b) {
  if (b->num_marks == 0) return true;
  if (b->ordered && atomic_load_explicit(&b->sole, memory_order_relaxed) == b->home &&
      !b->home->left)
    return true;
  if (atomic_load(&b->device->dead)) return true;
  if (b->ordered) return order_free(b);
  return lcu_block_idle(b, true);
}

static void to_limbo (lcu_block *b) {
  pthread_mutex_lock(&b->device->lock);
  b->next = b->device->limbo;
  b->device->limbo = b;
  pthread_mutex_unlock(&b->device->lock);
}

static void block_destroy (lcu_object *o) {
  lcu_block *b = (lcu_block *)(void *)o;
  if (lcu_process_forked()) {
    if (b->release != NULL) b->release(b->release_ud);
    free_struct(b);
    return;
  }
  delist(b);
  if (may_release(b)) release_memory(b);
  else to_limbo(b);
}

static void settle_stream (lcu_stream *s) {
  lcu_scope scope;
  if (!lcu_device_enter_quiet(s->device, &scope)) return;
  (void)lcu_stream_sync_entered(s);
  lcu_device_leave(&scope);
}

/* What cannot be waited for any more, the device being lost, ends as well. */
void lcu_block_settle (lcu_block *b) {
  point points[LCU_MARKS];
  int n = open_points(b, true, points);
  for (int i = 0; i < n; i++)
    if (!is_reached(&points[i])) settle_stream(points[i].stream);
  drop_points(points, n);
}

/* Takes the blocks that can end out of the limbo, without holding the lock while the driver is
 * asked or waited for. */
static lcu_block *take_ended (lcu_device *d, bool all) {
  lcu_block *list, *found = NULL, *next;
  pthread_mutex_lock(&d->lock);
  list = d->limbo;
  d->limbo = NULL;
  pthread_mutex_unlock(&d->lock);
  for (lcu_block *b = list; b != NULL; b = next) {
    next = b->next;
    b->next = NULL;
    if (all) lcu_block_settle(b);
    if (all || lcu_block_idle(b, true)) {
      b->next = found;
      found = b;
    } else to_limbo(b);
  }
  return found;
}

static void end_limbo (lcu_device *d, bool all) {
  lcu_block *b = take_ended(d, all), *next;
  for (; b != NULL; b = next) {
    next = b->next;
    b->next = NULL;
    release_memory(b);
  }
}

/* Pinned memory is the CPU device's, whichever device uses it last. */
void lcu_block_poll_limbo (lcu_device *d) {
  lcu_device *cpu = lcu_process_cpu();
  if (d->limbo != NULL) end_limbo(d, false);
  if (cpu != NULL && cpu != d && cpu->limbo != NULL) end_limbo(cpu, false);
}

/* The device is idle, or lost: what other devices still do with the memory is waited for. */
void lcu_block_drain_limbo (lcu_device *d) { end_limbo(d, true); }


/* ---- making ---- */

/* One by one, and not the room of marks: this is cheaper than to clear the whole. */
static void clear_block (lcu_block *b) {
  b->pooled = b->ordered = b->listed = b->registered = false;
  b->address = 0;
  b->host = NULL;
  b->pinned_for = NULL;
  b->home = NULL;
  b->num_marks = 0;
  atomic_init(&b->sole, NULL);
  b->release = NULL;
  b->release_ud = NULL;
  b->label = (lcu_block_label){ .ndim = 0 };
  atomic_init(&b->labelled, false);
  b->next = b->prev = NULL;
}

/* Not calloc, which in glibc passes the thread's cache of freed memory by. */
static lcu_block *block_new (lcu_device *d, lcu_memory memory, size_t size) {
  lcu_block *b = lcu_alloc(sizeof *b);
  if (b == NULL) {
    lcu_no_memory("the record of a block");
    return NULL;
  }
  clear_block(b);
  b->memory = memory;
  b->device = lcu_ref(d);
  b->size = size;
  lcu_object_init(&b->base, LCU_OBJ_BLOCK, block_destroy);
  if (is_owned(b) && memory != LCU_MEM_DEVICE)
    atomic_fetch_add_explicit(&host_bytes, size, memory_order_relaxed);
  return b;
}

/* *full: this allocation found no memory. (What entering reports happened earlier, and is not an
 * answer to it.) */
static lcu_status try_alloc (lcu_block *b, bool *full) {
  lcu_scope scope;
  *full = false;
  LCU_TRY(lcu_device_enter(b->device, &scope));
  lcu_status st = lcu_pool_alloc(b->device, b->size, b->home, &b->address, &b->ordered);
  *full = st == CU_ERR_OUT_OF_MEMORY;
  if (lcu_unlikely(st != LCU_OK && !*full)) st = lcu_device_status(b->device, st);
  lcu_device_leave(&scope);
  return st;
}

static const char *human (char buf[32], size_t bytes) {
  static const char *const units[] = { "bytes", "KB", "MB", "GB", "TB" };
  double v = (double)bytes;
  size_t u = 0;
  for (; v >= 1024 && u + 1 < lcu_arraylen(units); u++) v /= 1024;
  snprintf(buf, 32, u == 0 ? "%.0f %s" : "%.1f %s", v, units[u]);
  return buf;
}

static lcu_status fail_full (lcu_device *d, size_t size) {
  char want[32], free_[32], total[32], used[32], reserved[32], limit[48] = "", n[32];
  size_t f = 0, t = 0;
  lcu_pool_stats stats = { 0 };
  if (lcu_device_memory(d, &f, &t) != LCU_OK) f = t = 0;
  if (lcu_pool_stat(d, &stats) != LCU_OK) stats = (lcu_pool_stats){ 0 };
  if (stats.limit != 0) snprintf(limit, sizeof limit, ", its limit is %s", human(n, stats.limit));
  lcu_fail_call(CU_ERR_OUT_OF_MEMORY, "cuMemAlloc",
                "cuMemAlloc failed on %s: CUDA_ERROR_OUT_OF_MEMORY (not enough memory): "
                "%s wanted, %s of %s free; the pool uses %s and holds %s%s",
                d->label, human(want, size), human(free_, f), human(total, t),
                human(used, stats.used), human(reserved, stats.reserved), limit);
  return lcu_fail_device(CU_ERR_OUT_OF_MEMORY, d->label);
}

/* Out of memory: garbage goes, running work ends, the pool gives back what it hoards; then once
 * more. */
static lcu_status alloc_again (lcu_block *b) {
  lcu_reclaim_run();
  /* what was kept for reuse is on its way back before the wait */
  LCU_TRY(lcu_pool_trim(b->device, 0));
  LCU_TRY(lcu_device_synchronize(b->device));
  LCU_TRY(lcu_pool_trim(b->device, 0));
  bool full;
  lcu_status st = try_alloc(b, &full);
  return full ? fail_full(b->device, b->size) : st;
}

static lcu_status alloc_memory (lcu_block *b) {
  if (b->size == 0) return LCU_OK;
  bool full;
  lcu_status st = try_alloc(b, &full);
  if (lcu_unlikely(full)) st = alloc_again(b);
  if (st != LCU_OK) return st;
  b->pooled = true;
  return LCU_OK;
}

/* The block is its home's alone at first; count 0 is long past. */
static void set_home (lcu_block *b, lcu_stream *home) {
  lcu_object_ref_many(&home->base, 2);
  b->home = home;
  b->marks[b->num_marks++] = (lcu_mark){ .stream = home };
  atomic_store_explicit(&b->sole, home, memory_order_relaxed);
}

lcu_status lcu_block_alloc (lcu_device *d, size_t size, lcu_stream *home, lcu_block **out) {
  *out = NULL;
  if (home == NULL) {
    LCU_TRY(lcu_device_open(d));
    home = d->null_stream;
  }
  lcu_block *b = block_new(d, LCU_MEM_DEVICE, size);
  if (b == NULL) return LCU_E_NOMEM;
  set_home(b, home);
  lcu_status st = alloc_memory(b);
  if (lcu_unlikely(st != LCU_OK)) {
    lcu_unref(b);
    return st;
  }
  if (d->host_memory) b->host = (void *)(uintptr_t)b->address;
  enlist(b);
  *out = b;
  return LCU_OK;
}


/* ---- host memory ---- */

static lcu_status cpu_device (lcu_device **out) {
  size_t n = 0;
  LCU_TRY(lcu_process_devices(&n));
  *out = lcu_process_device(n - 1);
  return lcu_device_open(*out);
}

/* Kernels of the CPU device may touch what it knows: memory it did not make is told to it. */
static lcu_status register_cpu (lcu_block *b) {
  lcu_scope scope;
  lcu_device *d = b->device;
  if (b->size == 0 || (b->pinned_for != NULL && b->pinned_for->drv == d->drv)) return LCU_OK;
  LCU_TRY(lcu_device_enter(d, &scope));
  cu_result r = d->drv->cuMemHostRegister(b->host, b->size, 0);
  b->registered = r == 0;
  lcu_status st = r == CU_ERR_HOST_MEMORY_ALREADY_REGISTERED
                    ? LCU_OK
                    : lcu_driver_status(d->drv, "cuMemHostRegister", r);
  lcu_device_leave(&scope);
  return lcu_device_status(d, st);
}

static lcu_status pin (lcu_block *b, unsigned flags) {
  lcu_device *d = b->pinned_for;
  cu_deviceptr p = 0;
  if (b->memory == LCU_MEM_PINNED)
    return LCU_CALL(d->drv, cuMemHostAlloc,
                    (&b->host, b->size, flags | CU_HOSTALLOC_PORTABLE | CU_HOSTALLOC_DEVICEMAP));
  LCU_TRY(
    LCU_CALL(d->drv, cuMemAllocManaged, (&p, b->size, flags != 0 ? flags : CU_MEM_ATTACH_GLOBAL_)));
  b->host = (void *)(uintptr_t)p;
  return LCU_OK;
}

/* Garbage may hold what is wanted. */
static bool take_room (size_t size) {
  if (lcu_room_take(size)) return true;
  lcu_reclaim_run();
  return lcu_room_take(size);
}

static lcu_status get_plain (lcu_block *b, size_t align) {
  bool room = take_room(b->size);
  if (room) b->host = lcu_alloc_aligned(b->size, align < 64 ? 64 : align);
  if (b->host != NULL) return LCU_OK;
  if (room) lcu_room_give(b->size);
  return lcu_no_memory("an array of %zu bytes: the system has %llu left", b->size,
                       (unsigned long long)lcu_room_left());
}

static lcu_status get_host_memory (lcu_block *b, size_t align, unsigned flags) {
  lcu_scope scope;
  if (b->size == 0) return LCU_OK;
  if (b->pinned_for == NULL) return get_plain(b, align);
  LCU_TRY(lcu_device_enter(b->pinned_for, &scope));
  lcu_status st = lcu_device_status(b->pinned_for, pin(b, flags));
  lcu_device_leave(&scope);
  return st;
}

lcu_status lcu_block_alloc_host (lcu_memory kind, lcu_device *pin_for, size_t size, size_t align,
                                 unsigned flags, lcu_block **out) {
  lcu_device *cpu;
  *out = NULL;
  LCU_TRY(cpu_device(&cpu));
  lcu_block_poll_limbo(cpu);
  if (kind != LCU_MEM_HOST && pin_for == NULL) pin_for = cpu;
  lcu_block *b = block_new(cpu, kind, size);
  if (b == NULL) return LCU_E_NOMEM;
  if (kind != LCU_MEM_HOST) b->pinned_for = lcu_ref(pin_for);
  lcu_status st = get_host_memory(b, align, flags);
  if (st == LCU_OK) st = register_cpu(b);
  if (st != LCU_OK) {
    lcu_unref(b);
    return st;
  }
  b->address = (cu_deviceptr)(uintptr_t)b->host;
  enlist(b);
  *out = b;
  return LCU_OK;
}

static lcu_status pin_existing (lcu_block *b, void *p, unsigned flags) {
  lcu_scope scope;
  lcu_device *d = b->pinned_for;
  LCU_TRY(lcu_device_enter(d, &scope));
  lcu_status st = lcu_device_status(d, LCU_CALL(d->drv, cuMemHostRegister, (p, b->size, flags)));
  lcu_device_leave(&scope);
  if (st == LCU_OK) b->host = p;
  return st;
}

lcu_status lcu_block_register (void *p, size_t size, lcu_device *pin_for, unsigned flags,
                               lcu_block **out) {
  lcu_device *cpu;
  *out = NULL;
  LCU_TRY(cpu_device(&cpu));
  lcu_block *b = block_new(cpu, LCU_MEM_REGISTERED, size);
  if (b == NULL) return LCU_E_NOMEM;
  b->pinned_for = lcu_ref(pin_for != NULL ? pin_for : cpu);
  lcu_status st = pin_existing(b, p, flags);
  if (st == LCU_OK) st = register_cpu(b);
  if (st != LCU_OK) {
    lcu_unref(b);
    return st;
  }
  b->address = (cu_deviceptr)(uintptr_t)p;
  enlist(b);
  *out = b;
  return LCU_OK;
}

/* The release function belongs to the block only once everything went well. */
lcu_status lcu_block_wrap (lcu_device *d, lcu_memory kind, cu_deviceptr p, void *host, size_t size,
                           void (*release)(void *ud), void *ud, lcu_block **out) {
  *out = NULL;
  LCU_TRY(lcu_device_open(d));
  lcu_block *b = block_new(d, kind, size);
  if (b == NULL) return LCU_E_NOMEM;
  b->address = p;
  b->host = host;
  if (d->host_memory && kind == LCU_MEM_FOREIGN && host != NULL) {
    lcu_status st = register_cpu(b);
    if (st != LCU_OK) {
      lcu_unref(b);
      return st;
    }
  }
  b->release = release;
  b->release_ud = ud;
  enlist(b);
  *out = b;
  return LCU_OK;
}


/* ---- addresses on other devices ---- */

static lcu_status unreachable (const lcu_block *b, const lcu_device *d) {
  if (b->device->host_memory)
    return lcu_fail(
      LCU_E_ARGUMENT,
      "%s memory that %s cannot reach; copy it with :to(device), or make it with cuda.pinned",
      lcu_memory_name(b->memory), d->label);
  return lcu_fail(LCU_E_ARGUMENT, "memory of %s, which %s cannot reach; copy it with :to(device)",
                  b->device->label, d->label);
}

/* With one address space for all, which every 64-bit system has, host memory known to the driver
 * has one address. */
static lcu_status host_address (lcu_block *b, lcu_device *d, cu_deviceptr *out) {
  lcu_scope scope;
  if (b->memory == LCU_MEM_MANAGED || (b->memory == LCU_MEM_PINNED && d->unified)) return LCU_OK;
  LCU_TRY(lcu_device_enter(d, &scope));
  lcu_status st =
    lcu_device_status(d, LCU_CALL(d->drv, cuMemHostGetDevicePointer, (out, b->host, 0)));
  lcu_device_leave(&scope);
  return st;
}

lcu_status lcu_block_address (lcu_block *b, lcu_device *d, cu_deviceptr *out) {
  *out = b->address;
  if (lcu_likely(b->device == d) || b->size == 0) return LCU_OK;
  if (b->host != NULL && b->pinned_for != NULL && b->pinned_for->drv == d->drv)
    return host_address(b, d, out);
  if (b->host != NULL && (d->host_memory || d->host_pointers)) return LCU_OK;
  if (b->device->drv == d->drv && lcu_device_reaches(d, b->device)) return LCU_OK;
  return unreachable(b, d);
}
