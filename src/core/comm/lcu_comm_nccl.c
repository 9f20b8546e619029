/* lcu_comm_nccl.c: communicators of GPUs. They do not block: a call that has not ended is asked
 * about until the time limit, and ended then. */
#include <stdlib.h>
#include <time.h>

#include "lcu_comm_direct.h"
#include "lcu_comm_own.h"
#include "lcu_process_open.h"
#include "lcu_scope.h"
#include "lcu_state_hooks.h"
#include "lcu_thread.h"

nccl_config lcu_comm_config (bool blocks) {
  return (nccl_config){ .size = sizeof(nccl_config),
                        .magic = NCCL_CONFIG_MAGIC_,
                        .version = NCCL_CONFIG_VERSION,
                        .blocking = blocks,
                        .cga_cluster_size = NCCL_UNDEFINED_INT,
                        .min_ctas = NCCL_UNDEFINED_INT,
                        .max_ctas = NCCL_UNDEFINED_INT,
                        .split_share = NCCL_UNDEFINED_INT };
}


/* ---- calls that go on ---- */

static void *abort_direct (void *ud) {
  const lcu_comm *c = ud;
  (void)c->lib->ncclCommAbort(c->direct);
  return NULL;
}

/* Each call waits until the device is idle, and so for the operations of the other communicator.
 * The device is entered because NCCL makes current what it found, or else device 0. */
static void abort_both (lcu_comm *c) {
  pthread_t thread;
  lcu_scope scope;
  bool entered = lcu_device_enter_quiet(c->device, &scope);
  bool started = c->direct != NULL && pthread_create(&thread, NULL, abort_direct, c) == 0;
  if (c->direct != NULL && !started) (void)abort_direct(c);
  (void)c->lib->ncclCommAbort(c->nccl);
  if (started) pthread_join(thread, NULL);
  if (entered) lcu_device_leave(&scope);
}

lcu_status lcu_comm_abort (lcu_comm *c, lcu_status st) {
  lcu_failure kept = *lcu_failure_get();
  if (!atomic_exchange(&c->failed, true)) abort_both(c);
  *lcu_failure_get() = kept;
  return st;
}

lcu_status lcu_comm_late (const lcu_comm *c, const char *call) {
  return lcu_fail(LCU_E_COMM,
                  "%s: not done after %.0f ms: a rank has not called it, has ended, or called "
                  "something else (option timeout_ms)",
                  call, c->timeout_ms);
}

/* An operation is queued by a thread of NCCL, within tens of microseconds: a pause would cost more.
 * Meeting other ranks takes as long as they need. */
static lcu_status wait_in_progress (lcu_comm *c, const char *call) {
  const double spin_ms = 0.2;
  const struct timespec pause = { 0, 20000 };
  double started = lcu_now_ms(), ms = 0;
  nccl_result r = NCCL_IN_PROGRESS;
  if (lcu_state_hooks_stop(true)) return lcu_comm_interrupted(call);
  for (;; ms = lcu_now_ms() - started) {
    LCU_TRY(lcu_nccl_status("ncclCommGetAsyncError", c->lib->ncclCommGetAsyncError(c->nccl, &r)));
    if (r != NCCL_IN_PROGRESS) break;
    if (c->timeout_ms > 0 && ms > c->timeout_ms) return lcu_comm_late(c, call);
    if (ms < spin_ms) continue;
    if (lcu_state_hooks_stop(false)) return lcu_comm_interrupted(call);
    nanosleep(&pause, NULL);
  }
  return lcu_nccl_status(call, r);
}

lcu_status lcu_comm_settle (lcu_comm *c, const char *call, nccl_result r) {
  if (lcu_likely(r == 0)) return LCU_OK;
  lcu_status st = r == NCCL_IN_PROGRESS ? wait_in_progress(c, call) : lcu_nccl_status(call, r);
  return st == LCU_OK ? LCU_OK : lcu_comm_abort(c, st);
}


/* ---- making ---- */

lcu_status lcu_comm_meeting (nccl_id *out) {
  const lcu_nccl *lib;
  LCU_TRY(lcu_process_nccl(&lib));
  return lcu_nccl_status("ncclGetUniqueId", lib->ncclGetUniqueId(out));
}

static lcu_status nccl_new (lcu_device *d, int rank, int size, double timeout_ms, lcu_comm **out) {
  const lcu_nccl *lib;
  LCU_TRY(lcu_process_nccl(&lib));
  LCU_TRY(lcu_comm_connect_early());
  lcu_comm *c = lcu_comm_new(d);
  if (c == NULL) return lcu_no_memory("a communicator");
  c->lib = lib;
  c->rank = rank;
  c->size = size;
  c->timeout_ms = timeout_ms;
  *out = c;
  return LCU_OK;
}

/* Starts to join; the device is entered. */
static nccl_result start_nccl (lcu_comm *c, const nccl_id *meeting) {
  nccl_config config = lcu_comm_config(false);
  return c->lib->ncclCommInitRankConfig(&c->nccl, c->size, *meeting, c->rank, &config);
}

static lcu_status finish (lcu_comm *c, nccl_result r) {
  if (c->nccl == NULL) return lcu_nccl_status("ncclCommInitRankConfig", r != 0 ? r : 3);
  return lcu_comm_settle(c, "ncclCommInitRankConfig", r);
}

static lcu_status complete (lcu_comm *const c[], int n) {
  LCU_TRY(lcu_comm_make_direct(c, n));
  for (int i = 0; i < n; i++) lcu_comm_watch(c[i]);
  return LCU_OK;
}

lcu_status lcu_comm_meet (lcu_device *d, const nccl_id *meeting, int rank, int size,
                          double timeout_ms, lcu_comm **out) {
  lcu_scope scope;
  lcu_comm *c = NULL;
  *out = NULL;
  LCU_TRY(nccl_new(d, rank, size, timeout_ms, &c));
  lcu_status st = lcu_device_enter(d, &scope);
  if (st == LCU_OK) {
    st = finish(c, start_nccl(c, meeting));
    if (st == LCU_OK) st = complete(&c, 1);
    lcu_device_leave(&scope);
  }
  if (st == LCU_OK) *out = c;
  else lcu_unref(c);
  return st;
}

#define COMM_ID "NCCL_COMM_ID"

static lcu_status set_address (const char *address) {
  int r = address != NULL ? setenv(COMM_ID, address, 1) : unsetenv(COMM_ID);
  return r == 0 ? LCU_OK : lcu_no_memory("the environment");
}

/* NCCL reads the variable when it names the meeting, and again on rank 0 when that joins. Nothing
 * else is to read it: it would send other communicators to the same address. */
lcu_status lcu_comm_meet_at (lcu_device *d, const char *address, int rank, int size,
                             double timeout_ms, lcu_comm **out) {
  const char *given = getenv(COMM_ID);
  char *before = given != NULL ? lcu_strdup(given) : NULL;
  nccl_id meeting;
  *out = NULL;
  if (given != NULL && before == NULL) return lcu_no_memory("the environment");
  lcu_status st = set_address(address);
  if (st == LCU_OK) st = lcu_comm_meeting(&meeting);
  if (st == LCU_OK) st = lcu_comm_meet(d, &meeting, rank, size, timeout_ms, out);
  (void)set_address(before);
  lcu_free(before);
  return st;
}

/* All of them start together: each waits for the others. */
static lcu_status start_all_nccl (lcu_comm *c[], int n, const nccl_id *meeting, nccl_result r[]) {
  const lcu_nccl *lib = c[0]->lib;
  lcu_status st = lcu_nccl_status("ncclGroupStart", lib->ncclGroupStart());
  for (int i = 0; i < n && st == LCU_OK; i++) {
    lcu_scope scope;
    st = lcu_device_enter(c[i]->device, &scope);
    if (st != LCU_OK) break;
    r[i] = start_nccl(c[i], meeting);
    lcu_device_leave(&scope);
  }
  nccl_result end = lib->ncclGroupEnd();
  if (st == LCU_OK && end != NCCL_IN_PROGRESS) st = lcu_nccl_status("ncclGroupEnd", end);
  for (int i = 0; i < n; i++)
    if (r[i] == 0) r[i] = end;
  return st;
}

static lcu_status meet_all (lcu_comm *c[], int n) {
  nccl_result r[LCU_MAX_DEVICES] = { 0 };
  nccl_id meeting;
  LCU_TRY(lcu_comm_meeting(&meeting));
  LCU_TRY(start_all_nccl(c, n, &meeting, r));
  for (int i = 0; i < n; i++) LCU_TRY(finish(c[i], r[i]));
  return complete(c, n);
}

lcu_status lcu_comm_meet_all (lcu_device *const d[], int n, double timeout_ms, lcu_comm *out[]) {
  lcu_status st = LCU_OK;
  for (int i = 0; i < n; i++) out[i] = NULL;
  for (int i = 0; i < n && st == LCU_OK; i++) st = nccl_new(d[i], i, n, timeout_ms, &out[i]);
  if (st == LCU_OK) st = meet_all(out, n);
  for (int i = 0; i < n && st != LCU_OK; i++) {
    lcu_unref(out[i]);
    out[i] = NULL;
  }
  return st;
}

lcu_status lcu_comm_settle_split (lcu_comm *c, nccl_result r) {
  return lcu_comm_settle(c, "ncclCommSplit", r != 0 ? r : NCCL_IN_PROGRESS);
}

static lcu_status split_entered (lcu_comm *c, int color, int key, lcu_comm *part) {
  nccl_config config = lcu_comm_config(false);
  int wanted = color < 0 ? NCCL_NO_COLOR : color;
  if (c->lib->ncclCommSplit == NULL)
    return lcu_fail(LCU_E_UNSUPPORTED, "split: this NCCL is older than 2.18");
  nccl_result r = c->lib->ncclCommSplit(c->nccl, wanted, key, &part->nccl, &config);
  LCU_TRY(lcu_comm_settle_split(c, r));
  if (color < 0) return LCU_OK;
  LCU_TRY(lcu_comm_settle_split(part, NCCL_IN_PROGRESS));
  LCU_TRY(lcu_nccl_status("ncclCommUserRank", c->lib->ncclCommUserRank(part->nccl, &part->rank)));
  LCU_TRY(lcu_nccl_status("ncclCommCount", c->lib->ncclCommCount(part->nccl, &part->size)));
  return complete(&part, 1);
}

lcu_status lcu_comm_split_nccl (lcu_comm *c, int color, int key, lcu_comm **out) {
  lcu_scope scope;
  lcu_comm *part = NULL;
  LCU_TRY(lcu_comm_check(c));
  LCU_TRY(nccl_new(c->device, 0, 1, c->timeout_ms, &part));
  lcu_status st = lcu_device_enter(c->device, &scope);
  if (st == LCU_OK) {
    st = split_entered(c, color, key, part);
    lcu_device_leave(&scope);
  }
  if (st == LCU_OK && color >= 0) *out = part;
  else lcu_unref(part);
  return st;
}


/* ---- groups of communicators ---- */

static bool all_have_direct (lcu_comm *const c[], int n) {
  int i = 0;
  while (i < n && c[i]->direct != NULL) i++;
  return i == n;
}

static lcu_status make_room (lcu_comm *c) {
  lcu_scope scope;
  LCU_TRY(lcu_device_enter(c->device, &scope));
  lcu_status st = lcu_comm_make_room(c);
  lcu_device_leave(&scope);
  return st;
}

lcu_status lcu_comm_groups_start (lcu_comm *const c[], int n, bool direct) {
  if (n == 0 || c[0]->nccl == NULL) return LCU_OK;
  for (int i = 0; i < n; i++) LCU_TRY(make_room(c[i]));
  LCU_TRY(lcu_nccl_status("ncclGroupStart", c[0]->lib->ncclGroupStart()));
  bool is_direct = direct && all_have_direct(c, n);
  for (int i = 0; i < n; i++) c[i]->group = is_direct ? LCU_COMM_DIRECT_GROUP : LCU_COMM_GROUP;
  return LCU_OK;
}

/* For the device: see abort_both. */
static nccl_result end_group (const lcu_comm *first) {
  lcu_scope scope;
  bool entered = lcu_device_enter_quiet(first->device, &scope);
  nccl_result r = first->lib->ncclGroupEnd();
  if (entered) lcu_device_leave(&scope);
  return r;
}

lcu_status lcu_comm_groups_end (lcu_comm *const c[], int n) {
  if (n == 0 || c[0]->nccl == NULL) return LCU_OK;
  nccl_result r = end_group(c[0]);
  lcu_status st = LCU_OK;
  for (int i = 0; i < n; i++) c[i]->group = LCU_COMM_NO_GROUP;
  for (int i = 0; i < n && st == LCU_OK; i++) st = lcu_comm_settle(c[i], "ncclGroupEnd", r);
  /* an error is one of the whole group */
  for (int i = 0; i < n && st != LCU_OK; i++) (void)lcu_comm_abort(c[i], st);
  return st;
}


/* ---- the end ---- */

/* Its operations end first; a finalizer waits for them no longer than the time limit. */
static void end_entered (lcu_comm *c) {
  if (lcu_comm_end_direct(c) != LCU_OK) return;
  lcu_status st = lcu_comm_settle(c, "ncclCommFinalize", c->lib->ncclCommFinalize(c->nccl));
  if (st == LCU_OK) (void)c->lib->ncclCommDestroy(c->nccl);
}

void lcu_comm_end_nccl (lcu_comm *c) {
  lcu_scope scope;
  if (c->nccl == NULL || !lcu_device_enter_quiet(c->device, &scope)) return;
  if (!atomic_load(&c->failed)) end_entered(c);
  if (c->begin != NULL)
    lcu_device_defer(c->device, LCU_CALL(c->device->drv, cuEventDestroy, (c->begin)));
  lcu_device_leave(&scope);
}
