/* lcu_comm_direct.c: see lcu_comm_direct.h. */
#include "lcu_comm_direct.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lcu_comm_own.h"
#include "lcu_scope.h"
#include "lcu_state_hooks.h"
#include "lcu_thread.h"

#define CONNECT "NCCL_RUNTIME_CONNECT"

lcu_status lcu_comm_connect_early (void) {
  if (getenv(CONNECT) != NULL) return LCU_OK;
  return setenv(CONNECT, "0", 1) == 0 ? LCU_OK : lcu_no_memory("the environment");
}

static bool connects_early (void) {
  const char *value = getenv(CONNECT);
  return value != NULL && strcmp(value, "0") == 0;
}

static lcu_status start_direct (lcu_comm *c, nccl_result *r) {
  lcu_scope scope;
  nccl_config config = lcu_comm_config(true);
  LCU_TRY(lcu_device_enter(c->device, &scope));
  *r = c->lib->ncclCommSplit(c->nccl, 0, c->rank, &c->direct, &config);
  lcu_device_leave(&scope);
  return LCU_OK;
}

/* Those of one process wait for each other. */
static lcu_status start_all_direct (lcu_comm *const c[], int n, nccl_result r[]) {
  const lcu_nccl *lib = c[0]->lib;
  lcu_status st = lcu_nccl_status("ncclGroupStart", lib->ncclGroupStart());
  for (int i = 0; i < n && st == LCU_OK; i++) st = start_direct(c[i], &r[i]);
  nccl_result end = lib->ncclGroupEnd();
  for (int i = 0; i < n; i++)
    if (r[i] == 0) r[i] = end;
  return st;
}

lcu_status lcu_comm_make_direct (lcu_comm *const c[], int n) {
  nccl_result r[LCU_MAX_DEVICES] = { 0 };
  if (c[0]->lib->ncclCommSplit == NULL || !connects_early()) return LCU_OK;
  LCU_TRY(n == 1 ? start_direct(c[0], &r[0]) : start_all_direct(c, n, r));
  for (int i = 0; i < n; i++) LCU_TRY(lcu_comm_settle_split(c[i], r[i]));
  return LCU_OK;
}

static bool is_done (lcu_comm *c) {
  return !lcu_comm_is_busy(c) || lcu_stream_query_driver(c->stream) != CU_ERR_NOT_READY;
}

lcu_status lcu_comm_end_direct (lcu_comm *c) {
  const struct timespec pause = { 0, 20000 };
  double started = lcu_now_ms();
  if (c->direct == NULL) return LCU_OK;
  for (bool stops = lcu_state_hooks_stop(true); !is_done(c); stops = lcu_state_hooks_stop(false)) {
    if (stops) return lcu_comm_abort(c, lcu_comm_interrupted("ncclCommDestroy"));
    if (c->timeout_ms > 0 && lcu_now_ms() - started > c->timeout_ms)
      return lcu_comm_abort(c, lcu_comm_late(c, "ncclCommDestroy"));
    nanosleep(&pause, NULL);
  }
  return lcu_nccl_status("ncclCommDestroy", c->lib->ncclCommDestroy(c->direct));
}
