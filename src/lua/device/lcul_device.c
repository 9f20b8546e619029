/* lcul_device.c: class Device, the current device, and what is known of drivers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cu_failure.h"
#include "lcul_aux.h"

typedef struct device_box {
  lcu_device *device;
} device_box;


/* ---- handles ---- */

static int device_gc (lua_State *L) {
  device_box *box = lcul_check(L, 1, LCUL_DEVICE);
  lcu_device *d = box->device;
  box->device = NULL;
  if (d == NULL) return 0;
  atomic_fetch_sub(&d->boxes, 1);
  lcu_unref(d);
  return 0;
}

static void new_handle (lua_State *L, lcu_device *d) {
  device_box *box = lcul_newobject(L, LCUL_DEVICE, sizeof *box, 0);
  box->device = lcu_ref(d);
  atomic_fetch_add(&d->boxes, 1);
}

/* Handles are kept, so that == and table keys work. */
void lcul_device_push (lua_State *L, lcu_device *d) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, "luacuda.devices");
  if (lua_rawgetp(L, -1, d) == LUA_TNIL) {
    lua_pop(L, 1);
    new_handle(L, d);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, -3, d);
  }
  lua_remove(L, -2);
}

static lcu_device *check_handle (lua_State *L, int idx) {
  device_box *box = lcul_check(L, idx, LCUL_DEVICE);
  if (box->device == NULL) lcul_misuse(L, "attempt to use a closed Device");
  lcul_work_for(lcul_getstate(L));
  return box->device;
}

lcu_device *lcul_device_check (lua_State *L, int idx) {
  lcu_device *d = check_handle(L, idx);
  lcul_status(L, lcu_device_open(d));
  return d;
}

int lcul_device_index (lcu_device *d) { return (int)d->index; }


/* ---- which device ---- */

static size_t count_devices (lua_State *L) {
  size_t n = 0;
  if (lcul_getstate(L)->closing) lcul_raise(L, "logic", "the Lua state is being closed");
  lcul_status(L, lcu_process_devices(&n));
  return n;
}

/* The questions below are asked by an argument or by a variable of the environment; `by` begins
 * what is said of the latter. */
static int no_gpu (lua_State *L, const char *by, const char *wanted) {
  return lcul_raise(L, "runtime", "%s%s was asked for, but there is no GPU: %s", by, wanted,
                    lcu_process_gpu_reason(NULL));
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

/* tolower without the locale: a Turkish one has another small letter for I. */
static char small (char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

static bool same_id (const char *a, const char *b) {
  while (*a != '\0' && small(*a) == small(*b)) {
    a++;
    b++;
  }
  return *a == *b;
}

/* "0000:3b:00.0", also without the domain. */
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
  if (strcmp(name, "cpu") == 0) return lcu_process_cpu();
  if (strcmp(name, "gpu") == 0) return by_ordinal(L, by, 0);
  int n = small_number(strncmp(name, "gpu", 3) == 0 ? name + 3 : name);
  if (n >= 0) return by_ordinal(L, by, n);
  lcu_device *d = strchr(name, ':') != NULL ? by_bus_id(name) : NULL;
  if (d == NULL)
    lcul_raise(
      L, "runtime",
      "%sthere is no device '%s'; names are \"cpu\", \"gpu0\", a GPU's ordinal or its PCI bus id",
      by, name);
  return d;
}

static lcu_device *select_device (lua_State *L, int idx) {
  int ok = 0;
  char got[96];
  if (lcul_test(L, idx, LCUL_DEVICE) != NULL) return check_handle(L, idx);
  count_devices(L);
  if (lua_type(L, idx) == LUA_TSTRING) return by_name(L, "", lcul_whole_string(L, idx));
  lua_Integer n = lua_type(L, idx) == LUA_TNUMBER ? lua_tointegerx(L, idx, &ok) : 0;
  if (ok) return by_ordinal(L, "", n);
  lcul_describe(L, idx, got, sizeof got);
  lcul_misuse(L,
              "%s: expected a device (Device, ordinal, \"cpu\", \"gpu0\" or a PCI bus id), got %s",
              lcul_callee(L), got);
  return NULL;
}

lcu_device *lcul_device_arg (lua_State *L, int idx) {
  lcu_device *d = select_device(L, idx);
  lcul_status(L, lcu_device_open(d));
  return d;
}


/* ---- the default device ---- */

/* A machine that has a driver but uses none of it deserves a word, once. */
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
  count_devices(L);
  if (env != NULL && env[0] != '\0') return by_name(L, "LUACUDA_DEVICE: ", env);
  const char *reason = lcu_process_gpu_reason(&driver_found);
  if (lcu_process_gpu_count() > 0) {
    if (lcu_device_open(lcu_process_device(0)) == LCU_OK) return lcu_process_device(0);
    reason = lcu_failure_text(lcu_failure_get(), text);
    driver_found = true;
  }
  if (driver_found) warn_fallback(L, reason);
  return lcu_process_cpu();
}

static lcu_device *current_unopened (lua_State *L) {
  lcul_state *st = lcul_getstate(L);
  lcul_work_for(st);
  if (st->device == NULL) {
    lcul_status(L, lcu_process_check());
    st->device = default_device(L);
  }
  return st->device;
}

lcu_device *lcul_device_current (lua_State *L) {
  lcu_device *d = current_unopened(L);
  lcul_status(L, lcu_device_open(d));
  return d;
}


/* ---- fields ---- */

static int get_name (lua_State *L) {
  lua_pushstring(L, check_handle(L, 1)->name);
  return 1;
}
static int get_label (lua_State *L) {
  lua_pushstring(L, check_handle(L, 1)->label);
  return 1;
}
static int get_kind (lua_State *L) {
  lua_pushstring(L, check_handle(L, 1)->is_cpu ? "cpu" : "gpu");
  return 1;
}
static int get_ordinal (lua_State *L) {
  lua_pushinteger(L, check_handle(L, 1)->ordinal);
  return 1;
}
static int get_cc (lua_State *L) {
  lua_pushinteger(L, check_handle(L, 1)->cc);
  return 1;
}
static int get_arch (lua_State *L) {
  lua_pushfstring(L, "sm_%d", check_handle(L, 1)->cc);
  return 1;
}

static int get_compute_capability (lua_State *L) {
  lcu_device *d = check_handle(L, 1);
  lua_createtable(L, 2, 0);
  lua_pushinteger(L, d->cc / 10);
  lua_rawseti(L, -2, 1);
  lua_pushinteger(L, d->cc % 10);
  lua_rawseti(L, -2, 2);
  return 1;
}

static int get_total_memory (lua_State *L) {
  lcu_device *d = check_handle(L, 1);
  size_t bytes = 0;
  lcul_status(L, lcu_process_check());
  lcul_status(L, lcu_device_status(d, LCU_CALL(d->drv, cuDeviceTotalMem, (&bytes, d->handle))));
  lua_pushinteger(L, (lua_Integer)bytes);
  return 1;
}

static int get_pci_bus_id (lua_State *L) {
  lcu_device *d = check_handle(L, 1);
  char id[32] = "";
  lcul_status(L, lcu_process_check());
  if (d->is_cpu) {
    lua_pushnil(L);
    return 1;
  }
  lcul_status(L, lcu_device_status(
                   d, LCU_CALL(d->drv, cuDeviceGetPCIBusId, (id, (int)sizeof id, d->handle))));
  lua_pushstring(L, id);
  return 1;
}

/* Did the driver answer? False: it does not know what it was asked for. Raises for other
 * failures. */
static bool answered (lua_State *L, lcu_device *d, const char *call, cu_result r) {
  if (r == CU_ERR_INVALID_VALUE || r == CU_ERR_NOT_SUPPORTED) return false;
  lcul_status(L, lcu_device_status(d, lcu_driver_status(d->drv, call, r)));
  return true;
}

static int get_uuid (lua_State *L) {
  lcu_device *d = check_handle(L, 1);
  cu_uuid id;
  lcul_status(L, lcu_process_check());
  bool known = d->drv->cuDeviceGetUuid != NULL &&
               answered(L, d, "cuDeviceGetUuid", d->drv->cuDeviceGetUuid(&id, d->handle));
  if (!known) {
    lua_pushnil(L);
    return 1;
  }
  const unsigned char *b = id.bytes;
  lua_pushfstring(L, "GPU-");
  char text[40];
  snprintf(text, sizeof text,
           "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1], b[2],
           b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
  lua_pushstring(L, text);
  lua_concat(L, 2);
  return 1;
}

static int get_stream (lua_State *L) {
  lcul_stream_push(L, lcul_stream_current(L, lcul_device_check(L, 1)));
  return 1;
}

static int get_null_stream (lua_State *L) {
  lcul_stream_push(L, lcul_device_check(L, 1)->null_stream);
  return 1;
}


/* ---- attributes: every name of cu_attrs.def, in any case, with or without the driver's prefix
 * ---- */

enum { ATTR_NAME_MAX = 96 };

static int find_attribute (const char *name) {
  static const char prefix[] = "cu_device_attribute_";
  char lower[ATTR_NAME_MAX];
  size_t n = strlen(name);
  if (n >= sizeof lower) return 0;
  for (size_t i = 0; i <= n; i++) lower[i] = small(name[i]);
  const char *plain =
    strncmp(lower, prefix, sizeof prefix - 1) == 0 ? lower + sizeof prefix - 1 : lower;
  return lcu_attr_find(plain, strlen(plain));
}

/* nil for what this driver does not know. */
static void push_attribute (lua_State *L, lcu_device *d, int attr) {
  int v = 0;
  lcul_status(L, lcu_process_check());
  if (answered(L, d, "cuDeviceGetAttribute", d->drv->cuDeviceGetAttribute(&v, attr, d->handle)))
    lua_pushinteger(L, v);
  else lua_pushnil(L);
}

static size_t attribute_names (const char *list[], size_t max) {
  size_t n = 0;
  int number;
  while (n < max && (list[n] = lcu_attr_at(n, &number)) != NULL) n++;
  return n;
}

static int unknown_attribute (lua_State *L, const char *what, const char *name) {
  const char *list[256];
  char text[256];
  lcu_buf b = { 0 };
  lcul_near(&b, name, list, attribute_names(list, lcu_arraylen(list)));
  snprintf(text, sizeof text, "%s", b.data != NULL && !b.failed ? b.data : "");
  lcu_buf_free(&b);
  return lcul_misuse(L, "%s '%s'%s", what, name, text);
}

static int device_fallback (lua_State *L) {
  const char *name = lua_tostring(L, 2);
  int attr = strlen(name) == lua_rawlen(L, 2) ? find_attribute(name) : 0;
  if (attr == 0) return 0;
  push_attribute(L, check_handle(L, 1), attr);
  return 1;
}

/* device:attribute(name) -> integer, or nil where the driver lacks it */
static int device_attribute (lua_State *L) {
  lcu_device *d = check_handle(L, 1);
  const char *name = lcul_check_string(L, 2);
  int attr = find_attribute(name);
  if (attr == 0) return unknown_attribute(L, "attribute: there is no device attribute", name);
  push_attribute(L, d, attr);
  return 1;
}

/* device:attributes() -> { name = integer } of all the driver knows */
static int device_attributes (lua_State *L) {
  lcu_device *d = check_handle(L, 1);
  const char *name;
  int number;
  lua_createtable(L, 0, 160);
  for (size_t i = 0; (name = lcu_attr_at(i, &number)) != NULL; i++) {
    push_attribute(L, d, number);
    lua_setfield(L, -2, name);
  }
  return 1;
}

/* device:supports(name) -> boolean: an attribute that says yes or no; "_supported" may be left
 * out */
static int device_supports (lua_State *L) {
  lcu_device *d = check_handle(L, 1);
  const char *name = lcul_check_string(L, 2);
  int attr = find_attribute(name);
  if (attr == 0) attr = find_attribute(lua_pushfstring(L, "%s_supported", name));
  if (attr == 0) return unknown_attribute(L, "supports: there is no device attribute", name);
  push_attribute(L, d, attr);
  lua_pushboolean(L, !lua_isnil(L, -1) && lua_tointeger(L, -1) != 0);
  return 1;
}


/* ---- methods ---- */

static int push_memory (lua_State *L, lcu_device *d) {
  size_t free_bytes = 0, total = 0;
  lcul_status(L, lcu_device_memory(d, &free_bytes, &total));
  lua_pushinteger(L, (lua_Integer)free_bytes);
  lua_pushinteger(L, (lua_Integer)total);
  return 2;
}

static int device_memory_info (lua_State *L) { return push_memory(L, lcul_device_check(L, 1)); }

static int device_synchronize (lua_State *L) {
  lcu_device *d = check_handle(L, 1);
  lcul_sync_allowed(L, "device:synchronize");
  lcul_status(L, lcu_device_synchronize(d));
  lua_settop(L, 1);
  return 1;
}

/* device:use() -> the device that was current before */
static int device_use (lua_State *L) {
  lcu_device *d = lcul_device_check(L, 1), *before = current_unopened(L);
  lcul_getstate(L)->device = d;
  lcul_device_push(L, before);
  return 1;
}

/* Kernels of the library's own, if there are any: they come back when they are needed. */
static void unload_library (lua_State *L, lcu_device *d) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LCUL_HOOKS);
  bool loaded = lua_getfield(L, -1, "kernel") == LUA_TTABLE;
  lua_pop(L, 2);
  if (!loaded) return;
  lcul_push_hook(L, "kernel", "unload");
  lcul_device_push(L, d);
  lua_call(L, 1, 0);
}

/* device:reset{ force = } */
static int device_reset (lua_State *L) {
  static const char *const names[] = { "force", NULL };
  lcul_state *st = lcul_getstate(L);
  lcu_device *d = check_handle(L, 1);
  lcul_options(L, 2, "reset", names);
  bool force = lcul_opt_bool(L, 2, "force", false);
  lcul_sync_allowed(L, "device:reset");
  if (lcul_in_finalizer(L)) /* inside whatever allocated */
    lcul_raise(L, "logic", "%s cannot be reset by a finalizer", d->label);
  if (lcu_process_states() > 1 && !force)
    lcul_raise(L, "logic",
               "%s cannot be reset: other Lua states use this library (force = true overrides)",
               d->label);
  lcu_stream *current = st->streams[d->index];
  st->streams[d->index] = NULL;
  lcul_stream_leave(L, current);
  lua_gc(L, LUA_GCCOLLECT);
  /* finalizers of the first free what the second finds */
  lua_gc(L, LUA_GCCOLLECT);
  unload_library(L, d);
  lcul_stream_settle(L, st);
  lcul_status(L, lcu_device_reset(d));
  return 0;
}

static const struct {
  const char *name;
  int limit;
} limits[] = {
  { "stack_size", CU_LIMIT_STACK_SIZE_ },
  { "printf_fifo_size", CU_LIMIT_PRINTF_FIFO_SIZE_ },
  { "malloc_heap_size", CU_LIMIT_MALLOC_HEAP_SIZE_ },
  { "dev_runtime_sync_depth", CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH_ },
  { "dev_runtime_pending_launch_count", CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT_ },
  { "max_l2_fetch_granularity", CU_LIMIT_MAX_L2_FETCH_GRANULARITY_ },
  { "persisting_l2_cache_size", CU_LIMIT_PERSISTING_L2_CACHE_SIZE_ },
};

/* Bytes or a count. */
static size_t check_bytes (lua_State *L, int arg) {
  int ok = 0;
  lua_Integer n = lua_type(L, arg) == LUA_TNUMBER ? lua_tointegerx(L, arg, &ok) : 0;
  if (!ok) lcul_wrong_type(L, arg, "an integer");
  if (n < 0) lcul_misuse(L, "%s: expected 0 or more, got %lld", lcul_callee(L), (long long)n);
  return (size_t)n;
}

static int check_limit (lua_State *L, int arg) {
  const char *name = lcul_check_string(L, arg), *list[lcu_arraylen(limits)];
  char text[256];
  lcu_buf b = { 0 };
  for (size_t i = 0; i < lcu_arraylen(limits); i++) {
    if (strcmp(limits[i].name, name) == 0) return limits[i].limit;
    list[i] = limits[i].name;
  }
  lcul_near(&b, name, list, lcu_arraylen(limits));
  if (b.len == 0) {
    lcu_buf_adds(&b, "; limits are");
    for (size_t i = 0; i < lcu_arraylen(limits); i++)
      lcu_buf_addf(&b, "%s %s", i == 0 ? "" : ",", limits[i].name);
  }
  snprintf(text, sizeof text, "%s", b.data != NULL && !b.failed ? b.data : "");
  lcu_buf_free(&b);
  return lcul_misuse(L, "limit: there is no limit '%s'%s", name, text);
}

/* device:limit(name [, bytes or count]) -> the value now, as the driver rounded it */
static int device_limit (lua_State *L) {
  lcu_device *d = lcul_device_check(L, 1);
  int limit = check_limit(L, 2);
  bool set = !lua_isnoneornil(L, 3);
  size_t value = set ? check_bytes(L, 3) : 0;
  lcul_status(L, lcu_device_limit(d, limit, &value, set));
  lua_pushinteger(L, (lua_Integer)value);
  return 1;
}

static int device_can_access_peer (lua_State *L) {
  lcu_device *d = check_handle(L, 1), *peer = select_device(L, 2);
  bool can;
  lcul_status(L, lcu_device_can_access(d, peer, &can));
  lua_pushboolean(L, can);
  return 1;
}

static int switch_peer (lua_State *L, bool enable) {
  lcu_device *d = lcul_device_check(L, 1), *peer = lcul_device_arg(L, 2);
  if (d->drv != peer->drv)
    lcul_raise(L, "logic", "%s and %s cannot be peers", d->label, peer->label);
  lcul_status(L, lcu_device_enable_peer(d, peer, enable));
  lua_settop(L, 1);
  return 1;
}

static int device_enable_peer (lua_State *L) { return switch_peer(L, true); }
static int device_disable_peer (lua_State *L) { return switch_peer(L, false); }

static int device_tostring (lua_State *L) {
  device_box *box = lcul_check(L, 1, LCUL_DEVICE);
  if (box->device == NULL) lua_pushliteral(L, "luacuda.Device (closed)");
  else
    lua_pushfstring(L, "luacuda.Device %s: %s (sm_%d)", box->device->label, box->device->name,
                    box->device->cc);
  return 1;
}


/* ---- module functions ---- */

/* devices() -> list: GPUs by ordinal, then the CPU device */
static int core_devices (lua_State *L) {
  size_t n = count_devices(L);
  lua_createtable(L, (int)n, 0);
  for (size_t i = 0; i < n; i++) {
    lcul_device_push(L, lcu_process_device(i));
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  return 1;
}

/* device([selector]) -> the one named, or the current one */
static int core_device (lua_State *L) {
  lcul_check_most(L, 1);
  lcul_device_push(L, lua_isnoneornil(L, 1) ? lcul_device_current(L) : select_device(L, 1));
  return 1;
}

/* use(selector) -> the device that was current before */
static int core_use (lua_State *L) {
  lcul_check_most(L, 1);
  lcu_device *d = lcul_device_arg(L, 1), *before = current_unopened(L);
  lcul_getstate(L)->device = d;
  lcul_device_push(L, before);
  return 1;
}

/* available() -> true, or false and why there is no GPU */
static int core_available (lua_State *L) {
  size_t n;
  lcu_status st = lcu_process_devices(&n);
  lua_pushboolean(L, st == LCU_OK && lcu_process_gpu_count() > 0);
  if (lua_toboolean(L, -1)) return 1;
  if (st == LCU_OK) lua_pushstring(L, lcu_process_gpu_reason(NULL));
  else lcul_push_failure_text(L);
  return 2;
}

static void set_version (lua_State *L, const char *name, int major, int minor) {
  lua_createtable(L, 2, 0);
  lua_pushinteger(L, major);
  lua_rawseti(L, -2, 1);
  lua_pushinteger(L, minor);
  lua_rawseti(L, -2, 2);
  lua_setfield(L, -2, name);
}

/* versions() -> { luacuda = "0.1.0", driver = { 13, 0 }, nvrtc = { 13, 0 }, cublas = { 13, 1 } };
 * what is not there is missing */
static int core_versions (lua_State *L) {
  const lcu_nvrtc *rtc;
  const lcu_cublas *blas;
  count_devices(L);
  int driver = lcu_process_driver_version();
  lua_createtable(L, 0, 4);
  lcul_set_string(L, "luacuda", LCU_VERSION_TEXT);
  if (driver != 0) set_version(L, "driver", driver / 1000, driver % 1000 / 10);
  if (lcu_process_nvrtc(&rtc) == LCU_OK) set_version(L, "nvrtc", rtc->major, rtc->minor);
  if (lcu_process_cublas(&blas) == LCU_OK)
    set_version(L, "cublas", blas->version[0], blas->version[1]);
  return 1;
}

/* forked() -> is this a child of the process that initialised CUDA? */
static int core_forked (lua_State *L) {
  lua_pushboolean(L, lcu_process_forked());
  return 1;
}

/* report() -> what was tried to find the driver, the compiler and cuBLAS, one line per path */
static int core_report (lua_State *L) {
  const lcu_nvrtc *rtc;
  const lcu_cublas *blas;
  lcu_buf b = { 0 };
  if (!lcu_process_forked()) {
    count_devices(L);
    (void)lcu_process_nvrtc(&rtc); /* for their lines */
    (void)lcu_process_cublas(&blas);
  }
  luaL_Buffer out;
  luaL_buffinit(L, &out);
  lcu_process_report(&b);
  char *p = luaL_prepbuffsize(&out, b.len + 1);
  if (b.data != NULL) memcpy(p, b.data, b.len);
  luaL_addsize(&out, b.len);
  lcu_buf_free(&b);
  luaL_pushresult(&out);
  return 1;
}

static lcu_device *opt_device_arg (lua_State *L, int idx) {
  return lua_isnoneornil(L, idx) ? lcul_device_current(L) : lcul_device_arg(L, idx);
}

/* synchronize([device]): waits for all work of the device */
static int core_synchronize (lua_State *L) {
  lcul_sync_allowed(L, "synchronize");
  lcul_status(L, lcu_device_synchronize(opt_device_arg(L, 1)));
  return 0;
}

/* mem_info([device]) -> free, total bytes */
static int core_mem_info (lua_State *L) { return push_memory(L, opt_device_arg(L, 1)); }

/* pool_stats(device [, quiet]) -> { used, reserved, used_high, reserved_high, limit, allocations,
 * frees }; quiet: nil where that cannot be told, and nothing is raised */
static int core_pool_stats (lua_State *L) {
  lcu_pool_stats s;
  lcu_status st = lcu_pool_stat(check_handle(L, 1), &s);
  if (st != LCU_OK && lua_toboolean(L, 2)) return 0;
  lcul_status(L, st);
  lua_createtable(L, 0, 7);
  lcul_set_integer(L, "used", (lua_Integer)s.used);
  lcul_set_integer(L, "reserved", (lua_Integer)s.reserved);
  lcul_set_integer(L, "used_high", (lua_Integer)s.used_high);
  lcul_set_integer(L, "reserved_high", (lua_Integer)s.reserved_high);
  lcul_set_integer(L, "limit", (lua_Integer)s.limit);
  lcul_set_integer(L, "allocations", (lua_Integer)s.allocations);
  lcul_set_integer(L, "frees", (lua_Integer)s.frees);
  return 1;
}

/* pool_trim(device [, keep]) */
static int core_pool_trim (lua_State *L) {
  lcu_device *d = lcul_device_check(L, 1);
  size_t keep = lua_isnoneornil(L, 2) ? 0 : check_bytes(L, 2);
  lcul_status(L, lcu_pool_trim(d, keep));
  return 0;
}

/* pool_limit(device, bytes); 0: no limit */
static int core_pool_limit (lua_State *L) {
  lcu_device *d = lcul_device_check(L, 1);
  lcu_pool_limit(d, check_bytes(L, 2));
  return 0;
}

static const luaL_Reg functions[] = { { "devices", core_devices },
                                      { "device", core_device },
                                      { "use", core_use },
                                      { "available", core_available },
                                      { "versions", core_versions },
                                      { "report", core_report },
                                      { "forked", core_forked },
                                      { "synchronize", core_synchronize },
                                      { "mem_info", core_mem_info },
                                      { "pool_stats", core_pool_stats },
                                      { "pool_trim", core_pool_trim },
                                      { "pool_limit", core_pool_limit },
                                      { NULL, NULL } };

static const luaL_Reg methods[] = { { "attribute", device_attribute },
                                    { "attributes", device_attributes },
                                    { "supports", device_supports },
                                    { "memory_info", device_memory_info },
                                    { "synchronize", device_synchronize },
                                    { "use", device_use },
                                    { "reset", device_reset },
                                    { "limit", device_limit },
                                    { "can_access_peer", device_can_access_peer },
                                    { "enable_peer", device_enable_peer },
                                    { "disable_peer", device_disable_peer },
                                    { NULL, NULL } };

static const luaL_Reg getters[] = { { "name", get_name },
                                    { "label", get_label },
                                    { "kind", get_kind },
                                    { "ordinal", get_ordinal },
                                    { "arch", get_arch },
                                    { "cc", get_cc },
                                    { "compute_capability", get_compute_capability },
                                    { "total_memory", get_total_memory },
                                    { "pci_bus_id", get_pci_bus_id },
                                    { "uuid", get_uuid },
                                    { "stream", get_stream },
                                    { "null_stream", get_null_stream },
                                    { NULL, NULL } };

static const luaL_Reg metamethods[] = { { "__gc", device_gc },
                                        { "__tostring", device_tostring },
                                        { NULL, NULL } };

void lcul_open_device (lua_State *L) {
  static const lcul_classdef def = {
    .id = LCUL_DEVICE,
    .boxed = true,
    .name = "Device",
    .methods = methods,
    .getters = getters,
    .metamethods = metamethods,
    .fallback = device_fallback,
    .names = attribute_names,
  };
  lcul_newclass(L, &def);
  lcul_setfuncs(L, functions);
}
