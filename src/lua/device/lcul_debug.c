/* lcul_debug.c: functions for specs and benchmarks: live objects, injected failures, counters. */
#include <string.h>

#include "cu_shim.h"
#include "lcu_context.h"
#include "lcu_device_failure.h"
#include "lcu_process_open.h"
#include "lcu_scope.h"
#include "lcu_wait.h"
#include "lcul_error.h"
#include "lcul_set.h"
#include "lcul_mail.h"
#include "lcul_state.h"
#include "lcul_stream.h"


/* Memory that only running work still uses is not a leak. */
static bool is_any (lcu_device *c) {
  (void)c;
  return true;
}

/* The device or open context at a place, or NULL. Waits drop references, so they are made without
 * the lock of lcu_process_each. */
static lcu_device *device_at (size_t place) {
  lcu_device *d = lcu_process_device(place);
  return d != NULL ? d : lcu_process_context(place, is_any);
}

static void settle (void) {
  for (size_t i = 0; i < LCU_MAX_DEVICES; i++) {
    lcu_device *d = device_at(i);
    if (d != NULL && d->heap.limbo != NULL) lcu_device_synchronize_quiet(d);
  }
}

/* The null stream lives as long as its device. */
static bool count_null_stream (lcu_device *d, void *ud) {
  *(long *)ud += d->null_stream != NULL && !atomic_load(&d->closed);
  return true;
}

static long null_streams (void) {
  long n = lcu_context_kept();
  lcu_process_each(count_null_stream, &n);
  return n;
}

/* _live() -> { kind = count } of the whole process */
static int core_live (lua_State *L) {
  lcul_mail_settle(L, lcul_getstate(L));
  lcul_stream_settle(L, lcul_getstate(L));
  if (!lcu_process_forked()) settle();
  lua_createtable(L, 0, LCU_OBJ_COUNT);
  for (int k = 0; k < LCU_OBJ_COUNT; k++) {
    long n = lcu_object_live((lcu_object_kind)k) - (k == LCU_OBJ_STREAM ? null_streams() : 0);
    lcul_set_integer(L, lcu_object_kind_name((lcu_object_kind)k), n);
  }
  return 1;
}

/* _synchronize(): waits for every device in use; raises a failure that no call has reported */
static int core_synchronize_all (lua_State *L) {
  for (size_t i = 0; !lcu_process_forked() && i < LCU_MAX_DEVICES; i++) {
    lcu_device *d = device_at(i);
    if (d != NULL) lcul_status(L, lcu_device_synchronize(d));
  }
  return 0;
}

/* _contexts() -> the number of contexts that calls have left current on this thread; pops them */
static int core_contexts (lua_State *L) {
  lua_Integer n = 0;
  cu_context c = NULL;
  for (size_t i = 0; !lcu_process_forked() && lcu_process_device(i) != NULL; i++) {
    const lcu_device *d = lcu_process_device(i);
    if (!atomic_load(&d->opened)) continue;
    while (d->drv->cuCtxGetCurrent(&c) == 0 && c != NULL && d->drv->cuCtxPopCurrent(&c) == 0) n++;
  }
  lua_pushinteger(L, n);
  return 1;
}

/* "CUDA_ERROR_..." or "..." or a number */
static cu_result check_code (lua_State *L, int arg) {
  if (lua_isnoneornil(L, arg)) return CU_ERR_OUT_OF_MEMORY;
  if (lua_isinteger(L, arg)) return (cu_result)lua_tointeger(L, arg);
  const char *name = luaL_checkstring(L, arg);
  for (int code = 1; code < 1000; code++) {
    const char *have = lcu_status_name(code);
    if (strcmp(have, name) == 0 || strcmp(have + strlen("CUDA_ERROR_"), name) == 0) return code;
  }
  return luaL_argerror(L, arg, "no such driver result");
}

/* _fail_at(n [, code]): the n-th driver call from now fails (0: none); true when the shim is
 * installed */
static int core_fail_at (lua_State *L) {
  lua_Integer n = luaL_checkinteger(L, 1);
  cu_result code = check_code(L, 2);
  bool ready = lcu_process_use_shim();
  lcu_shim_fail_at((long)n, code);
  lua_pushboolean(L, ready);
  return 1;
}

/* _calls() -> driver calls since the last _fail_at, name of the call that was made to fail (or
 * nil) */
static int core_calls (lua_State *L) {
  lua_pushinteger(L, lcu_shim_calls());
  lua_pushstring(L, lcu_shim_failed_call());
  return 2;
}

/* _mem_fail_at(n): the n-th host allocation from now fails (0: none) */
static int core_mem_fail_at (lua_State *L) {
  lcu_mem_fail_at((long)luaL_checkinteger(L, 1));
  return 0;
}

/* _cpu_counters(enable) -> { warp_instructions, thread_instructions } of the CPU device; true
 * resets them to 0 */
static int core_cpu_counters (lua_State *L) {
  cux_counters c = { 0 };
  size_t n = 0;
  lcu_scope scope;
  lcul_status(L, lcu_process_devices(&n));
  lcu_device *cpu = lcu_process_cpu();
  if (cpu == NULL) return luaL_error(L, "%s", lcu_process_cpu_reason());
  lcul_status(L, lcu_device_enter(cpu, &scope));
  lcu_status r = lcu_device_status(cpu, LCU_CALL(cpu->drv, cuxCounters, (&c, lua_toboolean(L, 1))));
  lcu_device_leave(&scope);
  lcul_status(L, r);
  lua_createtable(L, 0, 2);
  lcul_set_integer(L, "warp_instructions", (long)c.warp_instructions);
  lcul_set_integer(L, "thread_instructions", (long)c.thread_instructions);
  return 1;
}

static const luaL_Reg debug_functions[] = { { "_live", core_live },
                                            { "_fail_at", core_fail_at },
                                            { "_calls", core_calls },
                                            { "_mem_fail_at", core_mem_fail_at },
                                            { "_cpu_counters", core_cpu_counters },
                                            { "_synchronize", core_synchronize_all },
                                            { "_contexts", core_contexts },
                                            { NULL, NULL } };

void lcul_open_debug (lua_State *L) { lcul_setfuncs(L, debug_functions); }
