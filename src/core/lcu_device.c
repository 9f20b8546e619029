/* lcu_device.c: devices, their primary contexts, and what becomes of a failed driver call. */
#include "lcu_device.h"

#include <stdio.h>
#include <string.h>

#include "lcu_block.h"
#include "lcu_internal.h"


/* ---- making and opening ---- */

static int attribute_or (const lcu_driver *drv, cu_device handle, int attr, int otherwise) {
  int v = otherwise;
  return drv->cuDeviceGetAttribute(&v, attr, handle) == 0 ? v : otherwise;
}

static void read_limits (lcu_device *d) {
  static const int block[3] = { CU_ATTR_max_block_dim_x, CU_ATTR_max_block_dim_y,
                                CU_ATTR_max_block_dim_z };
  static const int grid[3] = { CU_ATTR_max_grid_dim_x, CU_ATTR_max_grid_dim_y,
                               CU_ATTR_max_grid_dim_z };
  for (int i = 0; i < 3; i++) {
    d->max_block[i] = attribute_or(d->drv, d->handle, block[i], i < 2 ? 1024 : 64);
    d->max_grid[i] = attribute_or(d->drv, d->handle, grid[i], i == 0 ? INT32_MAX : 65535);
  }
  d->max_threads = attribute_or(d->drv, d->handle, CU_ATTR_max_threads_per_block, 1024);
  d->shared_default = attribute_or(d->drv, d->handle, CU_ATTR_max_shared_memory_per_block, 49152);
  d->shared_optin =
    attribute_or(d->drv, d->handle, CU_ATTR_max_shared_memory_per_block_optin, d->shared_default);
  d->warp = attribute_or(d->drv, d->handle, CU_ATTR_warp_size, 32);
  d->sm_count = attribute_or(d->drv, d->handle, CU_ATTR_multiprocessor_count, 1);
}

static void read_abilities (lcu_device *d) {
  d->cc = 10 * attribute_or(d->drv, d->handle, CU_ATTR_compute_capability_major, 0) +
          attribute_or(d->drv, d->handle, CU_ATTR_compute_capability_minor, 0);
  d->cooperative = attribute_or(d->drv, d->handle, CU_ATTR_cooperative_launch, 0) != 0;
  d->cluster = attribute_or(d->drv, d->handle, CU_ATTR_cluster_launch, 0) != 0 &&
               d->drv->cuLaunchKernelEx != NULL;
  d->unified = attribute_or(d->drv, d->handle, CU_ATTR_unified_addressing, 0);
  d->managed_concurrent = attribute_or(d->drv, d->handle, CU_ATTR_concurrent_managed_access, 0);
  d->host_pointers = attribute_or(d->drv, d->handle, CU_ATTR_pageable_memory_access, 0);
}

static lcu_status describe (lcu_device *d) {
  LCU_TRY(LCU_CALL(d->drv, cuDeviceGet, (&d->handle, d->ordinal)));
  LCU_TRY(LCU_CALL(d->drv, cuDeviceGetName, (d->name, (int)sizeof d->name, d->handle)));
  read_limits(d);
  read_abilities(d);
  return LCU_OK;
}

static void device_destroy (lcu_object *o);

lcu_status lcu_device_create (const lcu_driver *drv, int ordinal, lcu_device **out) {
  lcu_device *d = lcu_calloc(1, sizeof *d);
  *out = NULL;
  if (d == NULL) return lcu_no_memory("a device");
  d->drv = drv;
  d->ordinal = ordinal;
  d->is_cpu = d->host_memory = drv->cuxShutdown != NULL;
  if (d->is_cpu) snprintf(d->label, sizeof d->label, "cpu");
  else snprintf(d->label, sizeof d->label, "gpu%d", ordinal);
  lcu_status st = describe(d);
  if (st == LCU_OK) st = lcu_pending_open(d);
  if (st != LCU_OK) {
    lcu_free(d);
    return st;
  }
  pthread_mutex_init(&d->lock, NULL);
  pthread_mutex_init(&d->open_lock, NULL);
  lcu_object_init(&d->base, LCU_OBJ_DEVICE, device_destroy);
  lcu_process_device_born(drv);
  *out = d;
  return LCU_OK;
}

/* What a failed open leaves behind goes, too. */
static void release_context (lcu_device *d) {
  if (d->context == NULL) return;
  d->context = NULL;
  lcu_device_defer(d, LCU_CALL(d->drv, cuDevicePrimaryCtxRelease, (d->handle)));
}

static lcu_status open_inside (lcu_device *d) {
  LCU_TRY(LCU_CALL(d->drv, cuCtxPushCurrent, (d->context)));
  cu_context popped;
  lcu_status st = lcu_pool_create(d, &d->pool);
  if (st == LCU_OK) st = lcu_stream_create_null(d, &d->null_stream);
  if (st != LCU_OK && d->pool != NULL) {
    lcu_pool_destroy(d, d->pool);
    d->pool = NULL;
  }
  cu_result r = d->drv->cuCtxPopCurrent(&popped);
  if (r != 0) lcu_device_leave_failed(d, r);
  return st;
}

static lcu_status open_locked (lcu_device *d) {
  if (atomic_load(&d->opened)) return LCU_OK;
  LCU_TRY(LCU_CALL(d->drv, cuDevicePrimaryCtxRetain, (&d->context, d->handle)));
  lcu_process_initialised();
  lcu_status st = open_inside(d);
  if (st != LCU_OK) release_context(d);
  else atomic_store(&d->opened, true);
  return st;
}

static lcu_status fail_dead (const lcu_device *d) {
  lcu_fail(LCU_E_DEAD, "%s", d->dead_message);
  return lcu_fail_device(LCU_E_DEAD, d->label);
}

lcu_status lcu_device_open (lcu_device *d) {
  if (lcu_likely(atomic_load_explicit(&d->opened, memory_order_acquire))) return LCU_OK;
  LCU_TRY(lcu_process_check());
  if (atomic_load(&d->dead)) return fail_dead(d);
  pthread_mutex_lock(&d->open_lock);
  lcu_status st = open_locked(d);
  pthread_mutex_unlock(&d->open_lock);
  return lcu_device_status(d, st);
}


/* ---- ending ---- */

/* The null stream refers to its device; here the circle is cut. Blocks that only running work still
 * uses end first. */
void lcu_device_close (lcu_device *d) {
  lcu_stream *null_stream = d->null_stream;
  if (atomic_load(&d->opened) && !lcu_process_forked()) {
    lcu_device_settle(d);
    lcu_block_drain_limbo(d);
    lcu_stage_destroy(d);
    lcu_blas_destroy(d);
  }
  d->null_stream = NULL;
  lcu_unref(null_stream);
  lcu_unref(d);
}

static void device_destroy (lcu_object *o) {
  lcu_device *d = (lcu_device *)(void *)o;
  const lcu_driver *drv = d->drv;
  bool forked = lcu_process_forked();
  if (!forked && atomic_load(&d->opened)) {
    lcu_scope scope;
    if (lcu_device_enter_quiet(d, &scope)) {
      lcu_pool_destroy(d, d->pool);
      lcu_device_leave(&scope);
    } else lcu_pool_forget(d->pool);
    release_context(d);
  } else lcu_pool_forget(d->pool);
  if (!forked) {
    pthread_mutex_destroy(&d->lock);
    pthread_mutex_destroy(&d->open_lock);
  }
  lcu_pending_free(d);
  lcu_free(d);
  if (!forked) lcu_process_device_gone(drv);
}


/* ---- the current context ---- */

/* Threads mostly keep the context they have, or have none: where ours was not current it is pushed
 * without asking for a while. To push it needlessly costs a call more, and nothing else. */
static bool is_current (lcu_device *d) {
  enum { ASK_AGAIN = 64 };
  cu_context current = NULL;
  unsigned unasked = atomic_load_explicit(&d->unasked, memory_order_relaxed);
  if (unasked == 0 && d->drv->cuCtxGetCurrent(&current) == 0 && current == d->context) return true;
  atomic_store_explicit(&d->unasked, unasked > 0 ? unasked - 1 : ASK_AGAIN, memory_order_relaxed);
  return false;
}

static inline bool is_set (const atomic_bool *flag) {
  return atomic_load_explicit(flag, memory_order_acquire);
}

static LCU_COLD lcu_status make_usable (lcu_device *d) {
  LCU_TRY(lcu_process_check());
  LCU_TRY(lcu_device_open(d));
  return is_set(&d->dead) ? fail_dead(d) : LCU_OK;
}

static lcu_status push_context (lcu_device *d, lcu_scope *scope) {
  if (is_current(d)) return LCU_OK;
  LCU_TRY(lcu_device_status(d, LCU_CALL(d->drv, cuCtxPushCurrent, (d->context))));
  scope->pushed = true;
  return LCU_OK;
}

lcu_status lcu_device_enter_asking (lcu_device *d, lcu_scope *scope) {
  if (lcu_unlikely(!lcu_device_is_ready(d))) LCU_TRY(make_usable(d));
  if (lcu_unlikely(is_set(&d->has_pending))) LCU_TRY(lcu_pending_report(d));
  return push_context(d, scope);
}

lcu_status lcu_device_enter_probe (lcu_device *d, lcu_scope *scope) {
  scope->device = d;
  scope->pushed = false;
  if (lcu_unlikely(!lcu_device_is_ready(d))) LCU_TRY(make_usable(d));
  return push_context(d, scope);
}

LCU_COLD lcu_status lcu_device_enter_failed (lcu_device *d, cu_result r) {
  return lcu_device_status(d, lcu_driver_status(d->drv, "cuCtxPushCurrent", r));
}

LCU_COLD void lcu_device_leave_failed (lcu_device *d, cu_result r) {
  lcu_device_defer(d, lcu_device_status(d, lcu_driver_status(d->drv, "cuCtxPopCurrent", r)));
}

bool lcu_device_enter_quiet (lcu_device *d, lcu_scope *scope) {
  scope->device = d;
  scope->pushed = false;
  if (lcu_process_forked() || atomic_load(&d->dead) || !atomic_load(&d->opened)) return false;
  if (is_current(d)) return true;
  cu_result r = d->drv->cuCtxPushCurrent(d->context);
  if (r != 0) lcu_device_defer(d, lcu_device_enter_failed(d, r));
  scope->pushed = r == 0;
  return r == 0;
}


/* ---- failures ---- */

LCU_COLD lcu_recent *lcu_device_note_kernel (lcu_device *d, const char *kernel, uint64_t id,
                                             lcu_stream *s) {
  lcu_recent *r = &d->recent[d->recent_next++ % LCU_RECENT];
  size_t n = strnlen(kernel, sizeof r->name - 1);
  memcpy(r->name, kernel, n);
  r->name[n] = '\0';
  r->kernel = id;
  r->stream = s;
  return r;
}

static bool still_open (const lcu_device *d, unsigned i) {
  const lcu_stream *s = d->recent[i].stream;
  if (d->recent[i].name[0] == '\0') return false;
  return s == NULL || atomic_load(&s->completed) < d->recent[i].seq;
}

/* "; kernels not known to be complete, latest first: b, a", or nothing. */
static void list_recent (lcu_device *d, char *out, size_t size) {
  size_t used = 0;
  out[0] = '\0';
  pthread_mutex_lock(&d->lock);
  for (unsigned k = 1; k <= LCU_RECENT && k <= d->recent_next && used < size - 80; k++) {
    unsigned i = (d->recent_next - k) % LCU_RECENT;
    if (!still_open(d, i)) continue;
    const char *lead = used == 0 ? "; kernels not known to be complete, latest first: " : ", ";
    used += (size_t)snprintf(out + used, size - used, "%s%s", lead, d->recent[i].name);
  }
  pthread_mutex_unlock(&d->lock);
}

/* Turns "cuMemAlloc: not enough memory (CUDA_ERROR_OUT_OF_MEMORY)" into words that begin with what
 * failed where. */
static void reword (const lcu_device *d, lcu_status s) {
  lcu_failure *f = lcu_failure_get();
  char plain[256], text[LCU_MESSAGE_SIZE];
  const char *call = f->call, *name = lcu_status_name(s), *words = f->message;
  if (f->code != s || call == NULL || strncmp(words, call, strlen(call)) != 0 ||
      words[strlen(call)] != ':')
    return;
  words += strlen(call) + 2;
  snprintf(plain, sizeof plain, "%s (%s)", lcu_status_text(s), name);
  snprintf(text, sizeof text, "%s", words);
  if (strcmp(text, plain) == 0)
    lcu_fail_call(s, call, "%s failed on %s: %s (%s)", call, d->label, name, lcu_status_text(s));
  else lcu_fail_call(s, call, "%s failed on %s: %s: %s", call, d->label, name, text);
}

static void append (lcu_failure *f, const char *text) {
  size_t len = strlen(f->message);
  snprintf(f->message + len, sizeof f->message - len, "%s", text);
}

/* At the end of the first line; the others are about other launches. */
static void append_to_line (lcu_failure *f, const char *text) {
  char rest[LCU_MESSAGE_SIZE];
  size_t len = strcspn(f->message, "\n");
  snprintf(rest, sizeof rest, "%s", f->message + len);
  snprintf(f->message + len, sizeof f->message - len, "%s%s", text, rest);
}

/* How far from the block an access was: "4 bytes past the end of array float32 {1000}". */
static void describe_place (const cux_fault *fault, const char *label, cu_deviceptr base,
                            size_t size, char *out, size_t max) {
  uint64_t end = base + size;
  if (fault->address == end) snprintf(out, max, "; directly past the end of array %s", label);
  else if (fault->address > end)
    snprintf(out, max, "; %llu bytes past the end of array %s",
             (unsigned long long)(fault->address - end), label);
  else if (fault->address < base)
    snprintf(out, max, "; %llu bytes before array %s", (unsigned long long)(base - fault->address),
             label);
  else
    snprintf(out, max, "; at byte %llu of array %s", (unsigned long long)(fault->address - base),
             label);
}

static void name_array (lcu_device *d, const cux_fault *fault) {
  char label[96], text[192];
  cu_deviceptr base;
  size_t size;
  if (fault->address == 0) return;
  bool found = lcu_block_find(d, fault->address, label, sizeof label, &base, &size) ||
               (fault->range_size != 0 &&
                lcu_block_find(d, fault->range_base, label, sizeof label, &base, &size));
  if (!found || label[0] == '\0') return;
  describe_place(fault, label, base, size, text, sizeof text);
  append_to_line(lcu_failure_get(), text);
}

/* The CPU device knows what happened; its words replace the code's. Returns the status that says it
 * best. */
static lcu_status take_fault (lcu_device *d, lcu_status s) {
  cux_fault fault;
  bool known = d->drv->cuxTakeFault(&fault) == 0;
  if (known) {
    if (strcmp(fault.kind, "interrupted") == 0) s = LCU_E_INTERRUPTED;
    lcu_fail_call(s, lcu_failure_get()->call, "%s", fault.message);
    name_array(d, &fault);
  }
  if (known || lcu_status_is_fatal(s)) lcu_pending_fault(d, s, known ? &fault : NULL);
  return s;
}

static void mark_dead (lcu_device *d, lcu_status s, const char *message) {
  pthread_mutex_lock(&d->lock);
  if (!atomic_load(&d->dead)) {
    snprintf(d->dead_message, sizeof d->dead_message,
             "%s cannot be used any more in this process: %.1700s. "
             "The driver knows no way back from this; start a new process (the CPU device goes on)",
             d->label, message);
    d->dead_code = s;
    atomic_store(&d->dead, true);
  }
  pthread_mutex_unlock(&d->lock);
}

/* What ended CUDA for this process, and whether any call has raised it. */
static struct {
  pthread_mutex_t lock;
  bool unheard;
  char message[LCU_MESSAGE_SIZE];
} lost = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void note_lost (const char *message) {
  pthread_mutex_lock(&lost.lock);
  lost.unheard = true;
  snprintf(lost.message, sizeof lost.message, "%s", message);
  pthread_mutex_unlock(&lost.lock);
}

bool lcu_device_lost_unheard (char *out, size_t size) {
  pthread_mutex_lock(&lost.lock);
  bool unheard = lost.unheard;
  lost.unheard = false;
  if (unheard && out != NULL) snprintf(out, size, "%s", lost.message);
  pthread_mutex_unlock(&lost.lock);
  return unheard;
}

/* A fatal fault ends CUDA for the whole process, whichever GPU it happened on. */
static void all_dead (lcu_device *d, lcu_status s) {
  char kernels[LCU_RECENT * 68], message[LCU_MESSAGE_SIZE];
  list_recent(d, kernels, sizeof kernels);
  append(lcu_failure_get(), kernels);
  snprintf(message, sizeof message, "%s", lcu_failure_get()->message);
  if (!atomic_load(&d->dead)) note_lost(message);
  mark_dead(d, s, message);
  for (size_t i = 0; lcu_process_device(i) != NULL; i++)
    if (lcu_process_device(i)->drv == d->drv) mark_dead(lcu_process_device(i), s, message);
}

static LCU_COLD lcu_status failed (lcu_device *d, lcu_status s) {
  /* has been here */
  if (lcu_failure_get()->code == s && lcu_failure_get()->pending != 0) return s;
  lcu_device_no_fault();
  reword(d, s);
  if (d->drv->cuxTakeFault != NULL) s = take_fault(d, s);
  else if (lcu_status_is_fatal(s)) all_dead(d, s);
  return lcu_fail_device(s, d->label);
}

lcu_status lcu_device_status (lcu_device *d, lcu_status s) {
  return lcu_likely(s == LCU_OK) ? LCU_OK : failed(d, s);
}

void lcu_device_raised (lcu_status s, uint64_t key) {
  if (key != 0) lcu_pending_raised(key);
  else if (s == LCU_E_DEAD || lcu_status_is_fatal(s)) (void)lcu_device_lost_unheard(NULL, 0);
}

/* Faults that the driver keeps come with what calls have found and nobody raised. */
lcu_status lcu_device_unheard (lcu_device *d) {
  cu_result r;
  if (lcu_process_forked() || !atomic_load(&d->opened) || atomic_load(&d->dead)) return LCU_OK;
  while (d->drv->cuxNextFault != NULL && (r = d->drv->cuxNextFault()) != 0)
    (void)lcu_device_status(d, lcu_driver_status(d->drv, "cuxNextFault", r));
  return lcu_pending_report(d);
}


/* ---- questions and waits ---- */

lcu_status lcu_device_attribute (lcu_device *d, int attr, int *value) {
  LCU_TRY(lcu_process_check());
  return lcu_device_status(d, LCU_CALL(d->drv, cuDeviceGetAttribute, (value, attr, d->handle)));
}

static void forget_recent (lcu_device *d) {
  pthread_mutex_lock(&d->lock);
  for (unsigned i = 0; i < LCU_RECENT; i++)
    if (d->recent[i].stream == NULL) d->recent[i].name[0] = '\0';
  pthread_mutex_unlock(&d->lock);
}

static lcu_status sync_entered (lcu_device *d) {
  uint64_t null_seq = d->null_stream != NULL ? atomic_load(&d->null_stream->submitted) : 0;
  LCU_TRY(lcu_device_status(d, LCU_CALL(d->drv, cuCtxSynchronize, ())));
  if (d->null_stream != NULL) lcu_stream_completed(d->null_stream, null_seq);
  forget_recent(d);
  return LCU_OK;
}

lcu_status lcu_device_synchronize (lcu_device *d) {
  lcu_scope scope;
  if (!atomic_load(&d->opened)) return lcu_process_check(); /* nothing was ever queued */
  LCU_TRY(lcu_device_enter(d, &scope));
  lcu_status st = sync_entered(d);
  lcu_device_leave(&scope);
  if (st == LCU_OK) lcu_device_poll(d);
  return st;
}

void lcu_device_settle (lcu_device *d) {
  lcu_scope scope;
  if (!lcu_device_enter_quiet(d, &scope)) return;
  (void)sync_entered(d);
  lcu_device_leave(&scope);
  lcu_device_poll(d);
}

lcu_status lcu_device_answer (lcu_device *d, const char *call, cu_result r, bool *done) {
  *done = r == 0;
  if (r == 0 || r == CU_ERR_NOT_READY) return LCU_OK;
  lcu_status st = lcu_device_status(d, lcu_driver_status(d->drv, call, r));
  *done = lcu_status_is_fatal(st);
  return *done ? LCU_OK : st;
}

/* After a wait: gives back what only running work still held. */
void lcu_device_poll (lcu_device *d) {
  if (d->null_stream != NULL) lcu_stream_poll(d->null_stream);
  else if (!lcu_process_forked()) lcu_block_poll_limbo(d);
}

lcu_status lcu_device_memory (lcu_device *d, size_t *free_bytes, size_t *total) {
  lcu_scope scope;
  LCU_TRY(lcu_device_enter_probe(d, &scope));
  lcu_status st = lcu_device_status(d, LCU_CALL(d->drv, cuMemGetInfo, (free_bytes, total)));
  lcu_device_leave(&scope);
  return st;
}

lcu_status lcu_device_limit (lcu_device *d, int limit, size_t *value, bool set) {
  lcu_scope scope;
  LCU_TRY(set ? lcu_device_enter(d, &scope) : lcu_device_enter_probe(d, &scope));
  lcu_status st = set ? LCU_CALL(d->drv, cuCtxSetLimit, (limit, *value)) : LCU_OK;
  /* the driver rounds */
  if (st == LCU_OK) st = LCU_CALL(d->drv, cuCtxGetLimit, (value, limit));
  lcu_device_leave(&scope);
  return lcu_device_status(d, st);
}


/* ---- peers ---- */

lcu_status lcu_device_can_access (lcu_device *d, lcu_device *peer, bool *can) {
  int v = 0;
  *can = d == peer;
  if (d == peer || d->drv != peer->drv) return lcu_process_check();
  LCU_TRY(
    lcu_device_status(d, LCU_CALL(d->drv, cuDeviceCanAccessPeer, (&v, d->handle, peer->handle))));
  *can = v != 0;
  return LCU_OK;
}

static lcu_status switch_peer (lcu_device *d, lcu_device *peer, bool enable) {
  cu_result r = enable ? d->drv->cuCtxEnablePeerAccess(peer->context, 0)
                       : d->drv->cuCtxDisablePeerAccess(peer->context);
  cu_result harmless = enable ? CU_ERR_PEER_ACCESS_ALREADY_ENABLED : CU_ERR_PEER_ACCESS_NOT_ENABLED;
  if (r == harmless) return LCU_OK;
  return lcu_driver_status(d->drv, enable ? "cuCtxEnablePeerAccess" : "cuCtxDisablePeerAccess", r);
}

static uint_fast64_t peer_bit (const lcu_device *d) { return (uint_fast64_t)1 << d->index; }

/* Contexts and pools know of peers separately. */
static lcu_status set_peer (lcu_device *d, lcu_device *peer, bool enable) {
  lcu_scope scope;
  LCU_TRY(lcu_device_open(peer));
  LCU_TRY(lcu_device_enter(d, &scope));
  lcu_status st = lcu_device_status(d, switch_peer(d, peer, enable));
  lcu_device_leave(&scope);
  if (st == LCU_OK) st = lcu_pool_share(peer, d, enable);
  if (st != LCU_OK) return st;
  if (enable) atomic_fetch_or(&peer->peers, peer_bit(d));
  else atomic_fetch_and(&peer->peers, ~peer_bit(d));
  return LCU_OK;
}

lcu_status lcu_device_enable_peer (lcu_device *d, lcu_device *peer, bool enable) {
  if (d == peer) return lcu_process_check();
  LCU_TRY(set_peer(d, peer, enable));
  atomic_fetch_or(&peer->peers_set, peer_bit(d));
  return LCU_OK;
}

/* A failure is no failure of the work at hand, which goes another way: it is not tried again. */
static LCU_COLD bool try_peer (lcu_device *d, lcu_device *peer) {
  bool can = false;
  atomic_fetch_or(&peer->peers_set, peer_bit(d));
  lcu_status st = lcu_device_can_access(d, peer, &can);
  if (st == LCU_OK && can) st = set_peer(d, peer, true);
  if (st != LCU_OK) lcu_failure_get()->code = LCU_OK;
  return st == LCU_OK && can;
}

bool lcu_device_reaches (lcu_device *d, lcu_device *peer) {
  if (d == peer || (atomic_load(&peer->peers) & peer_bit(d)) != 0) return true;
  if (d->drv != peer->drv || (atomic_load(&peer->peers_set) & peer_bit(d)) != 0) return false;
  return try_peer(d, peer);
}

/* With its context everything is gone that was set in it or for it. */
static void forget_peers (lcu_device *d) {
  atomic_store(&d->peers, 0);
  atomic_store(&d->peers_set, 0);
  for (size_t i = 0; lcu_process_device(i) != NULL; i++) {
    atomic_fetch_and(&lcu_process_device(i)->peers, ~peer_bit(d));
    atomic_fetch_and(&lcu_process_device(i)->peers_set, ~peer_bit(d));
  }
}


/* ---- reset ---- */

/* References that are not the process's, the null stream's or a Lua handle's of the device
 * itself. */
static long outside_references (lcu_device *d) {
  return (long)atomic_load(&d->base.refs) - 1 - (d->null_stream != NULL) - atomic_load(&d->boxes);
}

/* Other states may be asking how much the pool holds. */
static lcu_pool *take_pool (lcu_device *d) {
  pthread_mutex_lock(&d->lock);
  lcu_pool *p = d->pool;
  d->pool = NULL;
  pthread_mutex_unlock(&d->lock);
  return p;
}

/* Handles of Lua and marks of other devices' blocks may still name the stream: see `gone`, and
 * lcul_stream_check. */
static void retire_null (lcu_device *d) {
  lcu_stream *s = d->null_stream;
  pthread_mutex_lock(&d->lock);
  memset(d->recent, 0, sizeof d->recent);
  pthread_mutex_unlock(&d->lock);
  d->null_stream = NULL;
  s->gone = true;
  s->order_event = NULL;
  lcu_unref(d);
  lcu_unref(s);
}

static lcu_status reset_locked (lcu_device *d) {
  lcu_scope scope;
  lcu_pool *pool = take_pool(d);
  if (lcu_device_enter_quiet(d, &scope)) {
    lcu_pool_destroy(d, pool);
    lcu_device_leave(&scope);
  } else lcu_pool_forget(pool);
  retire_null(d);
  atomic_store(&d->opened, false);
  forget_peers(d);
  release_context(d);
  return LCU_CALL(d->drv, cuDevicePrimaryCtxReset, (d->handle));
}

/* Handles into the context would become invalid, so it is refused while anybody holds one. */
lcu_status lcu_device_reset (lcu_device *d) {
  lcu_status st = lcu_device_synchronize(d);
  if (st != LCU_OK || !atomic_load(&d->opened)) return st;
  lcu_block_drain_limbo(d);
  lcu_stage_destroy(d);
  lcu_blas_destroy(d);
  long n = outside_references(d);
  if (n > 0) {
    lcu_fail(LCU_E_STATE,
             "%s cannot be reset: %ld of its objects (arrays, streams, events, modules) are in use",
             d->label, n);
    return lcu_fail_device(LCU_E_STATE, d->label);
  }
  pthread_mutex_lock(&d->open_lock);
  st = reset_locked(d);
  pthread_mutex_unlock(&d->open_lock);
  LCU_TRY(lcu_device_status(d, st));
  /* of what ended: no call of the device may follow */
  return lcu_pending_report(d);
}
