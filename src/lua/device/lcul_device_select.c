/* lcul_device_select.c: selection of a device: by name, and the current one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cu_failure.h"
#include "lcu_dtype.h"
#include "lcu_process_open.h"
#include "lcu_wait.h"
#include "lcul_check.h"
#include "lcul_context.h"
#include "lcul_class.h"
#include "lcul_describe.h"
#include "lcul_device.h"
#include "lcul_error.h"
#include "lcul_near.h"
#include "lcul_option.h"
#include "lcul_lines.h"
#include "lcul_position.h"
#include "lcul_scope.h"
#include "lcul_set.h"
#include "lcul_state.h"

size_t lcul_device_count (lua_State *L) {
  size_t n = 0;
  if (lcul_getstate(L)->closing) lcul_raise(L, "logic", "the Lua state is being closed");
  lcul_status(L, lcu_process_devices(&n));
  return n;
}


/* ---- by name ---- */

/* The name below comes from an argument or from an environment variable; for the latter, `by`
 * begins the message. */
static int no_gpu (lua_State *L, const char *by, const char *wanted) {
  return lcul_raise(L, "runtime", "%s%s was requested, but there is no GPU: %s", by, wanted,
                    lcu_process_gpu_reason(NULL));
}

static lcu_device *the_cpu (lua_State *L, const char *by) {
  lcu_device *cpu = lcu_process_cpu();
  if (cpu == NULL) lcul_raise(L, "runtime", "%s%s", by, lcu_process_cpu_reason());
  return cpu;
}

static lcu_device *by_ordinal (lua_State *L, const char *by, lua_Integer n) {
  size_t gpus = lcu_process_gpu_count();
  if (n >= 0 && (lua_Unsigned)n < gpus) return lcu_process_device((size_t)n);
  if (gpus == 0) {
    char what[32];
    snprintf(what, sizeof what, "GPU %lld", (long long)n);
    no_gpu(L, by, what);
  }
  lcul_raise(L, "runtime", "%sthere is no GPU %lld; ordinals are 0 to %d", by, (long long)n,
             (int)gpus - 1);
  return NULL;
}

static bool same_id (const char *a, const char *b) {
  while (*a != '\0' && lcul_lower(*a) == lcul_lower(*b)) {
    a++;
    b++;
  }
  return *a == *b;
}

/* "0000:3b:00.0", or without the domain. */
static lcu_device *by_bus_id (const char *id) {
  for (size_t i = 0; i < lcu_process_gpu_count(); i++) {
    lcu_device *d = lcu_process_device(i);
    char have[32] = "";
    if (d->drv->cuDeviceGetPCIBusId(have, (int)sizeof have, d->handle) != 0) continue;
    const char *colon = strchr(have, ':');
    if (same_id(id, have) || (colon != NULL && same_id(id, colon + 1))) return d;
  }
  return NULL;
}

/* Up to four digits and nothing else, or -1. */
static int small_number (const char *digits) {
  size_t n = strspn(digits, "0123456789");
  return n >= 1 && n <= 4 && digits[n] == '\0' ? atoi(digits) : -1;
}

/* "cpu", "gpu", "gpu0", "0" or a PCI bus id. */
static lcu_device *by_name (lua_State *L, const char *by, const char *name) {
  if (strcmp(name, "cpu") == 0) return the_cpu(L, by);
  if (strcmp(name, "gpu") == 0) return by_ordinal(L, by, 0);
  int n = small_number(strncmp(name, "gpu", 3) == 0 ? name + 3 : name);
  if (n >= 0) return by_ordinal(L, by, n);
  lcu_device *d = strchr(name, ':') != NULL ? by_bus_id(name) : NULL;
  if (d == NULL && lcu_dtype_find(name, strlen(name)) != NULL)
    lcul_raise(L, "runtime", "%sthere is no device '%s': it is a dtype, to which a:astype converts",
               by, name);
  if (d == NULL)
    lcul_raise(
      L, "runtime",
      "%sthere is no device '%s'; names are \"cpu\", \"gpu0\", a GPU's ordinal or its PCI bus id",
      by, name);
  return d;
}

lcu_device *lcul_device_select (lua_State *L, int idx) {
  char got[96];
  if (lcul_test(L, idx, LCUL_DEVICE) != NULL) return lcul_device_handle(L, idx);
  lcul_device_count(L);
  if (lua_type(L, idx) == LUA_TSTRING) return by_name(L, "", lcul_whole_string(L, idx));
  lua_Integer n = 0;
  bool ok = lcul_to_integer(L, idx, &n);
  if (ok) return by_ordinal(L, "", n);
  lcul_describe(L, idx, got, sizeof got);
  lcul_misuse(L,
              "%s: expected a device (Device, ordinal, \"cpu\", \"gpu0\" or a PCI bus id), got %s",
              lcul_callee(L), got);
  return NULL;
}

lcu_device *lcul_device_arg (lua_State *L, int idx) {
  lcu_device *d = lcul_device_select(L, idx);
  lcul_status(L, lcu_device_open(d));
  return d;
}


/* ---- the current device ---- */

/* Warns once when a driver is installed but the CPU device is used. */
static void warn_fallback (lua_State *L, const char *reason) {
  lcul_state *st = lcul_getstate(L);
  if (st->warned) return;
  st->warned = true;
  lua_warning(L, "luacuda: using the CPU device: ", 1);
  lua_warning(L, reason, 0);
}

static lcu_device *default_device (lua_State *L) {
  const char *env = getenv("LUACUDA_DEVICE");
  char text[LCU_MESSAGE_SIZE];
  bool driver_found;
  lcul_device_count(L);
  if (env != NULL && env[0] != '\0') return by_name(L, "LUACUDA_DEVICE: ", env);
  const char *reason = lcu_process_gpu_reason(&driver_found);
  if (lcu_process_gpu_count() > 0) {
    if (lcu_device_open(lcu_process_device(0)) == LCU_OK) return lcu_process_device(0);
    reason = lcu_failure_text(lcu_failure_get(), text);
    driver_found = true;
  }
  if (lcu_process_cpu() == NULL)
    lcul_raise(L, "runtime", "%s; there is no GPU either: %s", lcu_process_cpu_reason(), reason);
  if (driver_found) warn_fallback(L, reason);
  return lcu_process_cpu();
}

lcu_device *lcul_device_chosen (lua_State *L) {
  lcul_state *st = lcul_getstate(L);
  lcul_work_for(st);
  if (st->device == NULL) {
    lcul_status(L, lcu_process_check());
    st->device = default_device(L);
  }
  return st->device;
}

lcu_device *lcul_device_current (lua_State *L) {
  lcu_device *d = lcul_device_chosen(L);
  lcul_status(L, lcu_device_open(d));
  return d;
}

lcu_device *lcul_device_optarg (lua_State *L, int idx) {
  return lua_isnoneornil(L, idx) ? lcul_device_current(L) : lcul_device_arg(L, idx);
}

lcu_device *lcul_opt_device (lua_State *L, int idx) {
  if (!lcul_opt_push(L, idx, "device")) return lcul_device_current(L);
  lcu_device *d = lcul_device_arg(L, -1);
  lua_pop(L, 1);
  return d;
}


/* ---- functions ---- */

/* One device per line. */
static int devices_tostring (lua_State *L) {
  luaL_Buffer b;
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  luaL_buffinit(L, &b);
  for (lua_Integer i = 1, n = (lua_Integer)lua_rawlen(L, 1); i <= n; i++) {
    if (i > 1) luaL_addchar(&b, '\n');
    lua_rawgeti(L, 1, i);
    luaL_tolstring(L, -1, NULL);
    lua_remove(L, -2);
    luaL_addvalue(&b);
  }
  luaL_pushresult(&b);
  return 1;
}

/* devices() -> list: GPUs by ordinal, then the CPU device */
static int core_devices (lua_State *L) {
  lcul_check_most(L, 0);
  size_t n = lcul_device_count(L);
  lua_createtable(L, (int)n, 0);
  lcul_set_tostring(L, devices_tostring);
  for (size_t i = 0; i < n; i++) {
    lcul_device_push(L, lcu_process_device(i));
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  return 1;
}

/* device([selector]) -> the named device, or the current one */
static int core_device (lua_State *L) {
  lcul_check_most(L, 1);
  lcul_device_push(L, lua_isnoneornil(L, 1) ? lcul_device_current(L) : lcul_device_select(L, 1));
  return 1;
}

/* use(selector) -> the previous current device */
static int core_use (lua_State *L) {
  lcul_check_most(L, 1);
  lcu_device *d = lcul_device_arg(L, 1), *before = lcul_device_chosen(L);
  lcul_device_push(L, before);
  lcul_make_current(L, d);
  return 1;
}

/* synchronize([device]): waits for all work of the device */
static int core_synchronize (lua_State *L) {
  lcul_check_most(L, 1);
  lcul_sync_allowed(L, "synchronize");
  lcul_status(L, lcu_device_synchronize(lcul_device_optarg(L, 1)));
  (void)lcul_callbacks_run(L);
  return 0;
}

void lcul_open_device_select (lua_State *L) {
  static const luaL_Reg functions[] = { { "devices", core_devices },
                                        { "device", core_device },
                                        { "use", core_use },
                                        { "synchronize", core_synchronize },
                                        { NULL, NULL } };
  lcul_setfuncs(L, functions);
}
