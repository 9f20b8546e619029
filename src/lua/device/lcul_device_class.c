/* lcul_device_class.c: class Device. */
#include <stdio.h>
#include <string.h>

#include "lcu_device_failure.h"
#include "lcu_peers.h"
#include "lcu_wait.h"
#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_collect.h"
#include "lcul_context.h"
#include "lcul_device.h"
#include "lcul_error.h"
#include "lcul_library.h"
#include "lcul_near.h"
#include "lcul_option.h"
#include "lcul_scope.h"
#include "lcul_set.h"
#include "lcul_state.h"
#include "lcul_stream.h"

static int device_gc (lua_State *L) {
  lcul_device_box *box = lcul_check(L, 1, LCUL_DEVICE);
  lcu_device *d = box->device;
  box->device = NULL;
  if (d == NULL) return 0;
  if (d->parent != NULL) lcul_context_collected(L, d);
  atomic_fetch_sub(&d->boxes, 1);
  lcu_unref(d);
  return 0;
}


/* ---- fields ---- */

static int get_name (lua_State *L) {
  lua_pushstring(L, lcul_device_handle(L, 1)->name);
  return 1;
}

static int get_label (lua_State *L) {
  lua_pushstring(L, lcul_device_handle(L, 1)->label);
  return 1;
}

static int get_kind (lua_State *L) {
  lua_pushstring(L, lcul_device_handle(L, 1)->is_cpu ? "cpu" : "gpu");
  return 1;
}

static int get_ordinal (lua_State *L) {
  lua_pushinteger(L, lcul_device_handle(L, 1)->ordinal);
  return 1;
}

static int get_cc (lua_State *L) {
  lua_pushinteger(L, lcul_device_handle(L, 1)->limits.cc);
  return 1;
}

static int get_arch (lua_State *L) {
  lua_pushfstring(L, "sm_%d", lcul_device_handle(L, 1)->limits.cc);
  return 1;
}

static int get_compute_capability (lua_State *L) {
  lcu_device *d = lcul_device_handle(L, 1);
  lua_createtable(L, 2, 0);
  lua_pushinteger(L, d->limits.cc / 10);
  lua_rawseti(L, -2, 1);
  lua_pushinteger(L, d->limits.cc % 10);
  lua_rawseti(L, -2, 2);
  return 1;
}

static int get_total_memory (lua_State *L) {
  lcu_device *d = lcul_device_handle(L, 1);
  size_t bytes = 0;
  lcul_status(L, lcu_process_check());
  lcul_status(L, lcu_device_status(d, LCU_CALL(d->drv, cuDeviceTotalMem, (&bytes, d->handle))));
  lua_pushinteger(L, (lua_Integer)bytes);
  return 1;
}

static int get_pci_bus_id (lua_State *L) {
  lcu_device *d = lcul_device_handle(L, 1);
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

static int get_uuid (lua_State *L) {
  lcu_device *d = lcul_device_handle(L, 1);
  cu_uuid id;
  lcul_status(L, lcu_process_check());
  bool known =
    d->drv->cuDeviceGetUuid != NULL &&
    lcul_device_answered(L, d, "cuDeviceGetUuid", d->drv->cuDeviceGetUuid(&id, d->handle));
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

static int get_api_version (lua_State *L) {
  unsigned version = 0;
  lcul_status(L, lcu_device_api_version(lcul_device_handle(L, 1), &version));
  lua_pushinteger(L, (lua_Integer)version);
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


/* ---- methods ---- */

static int device_memory_info (lua_State *L) {
  lcul_check_most(L, 1);
  return lcul_push_memory(L, lcul_device_check(L, 1));
}

static int device_synchronize (lua_State *L) {
  lcul_check_most(L, 1);
  lcu_device *d = lcul_device_handle(L, 1);
  lcul_sync_allowed(L, "device:synchronize");
  lcul_status(L, lcu_device_synchronize(d));
  lua_settop(L, 1);
  return 1;
}

/* device:use() -> the previous current device */
static int device_use (lua_State *L) {
  lcul_check_most(L, 1);
  lcu_device *d = lcul_device_check(L, 1), *before = lcul_device_chosen(L);
  lcul_device_push(L, before);
  lcul_make_current(L, d);
  return 1;
}

/* Unloads the library's own kernels, if any are loaded; the next call loads them again. */
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
  lcul_check_most(L, 2);
  static const char *const names[] = { "force", NULL };
  lcul_state *st = lcul_getstate(L);
  lcu_device *d = lcul_device_handle(L, 1);
  lcul_options(L, 2, "reset", names);
  bool force = lcul_opt_bool(L, 2, "force", false);
  if (d->parent != NULL)
    lcul_raise(L, "logic", "%s is a context: close it, or reset %s", d->label, d->parent->label);
  lcul_sync_allowed(L, "device:reset");
  if (lcul_in_finalizer(L)) /* runs inside any function that allocates */
    lcul_raise(L, "logic", "%s cannot be reset by a finalizer", d->label);
  if (lcu_process_states() > 1 && !force)
    lcul_raise(L, "logic",
               "%s cannot be reset: other Lua states use this library (force = true overrides)",
               d->label);
  lcu_stream *current = st->streams[d->index];
  st->streams[d->index] = NULL;
  lcul_stream_leave(L, current);
  lua_gc(L, LUA_GCCOLLECT);
  /* the second collects what finalizers of the first released */
  lua_gc(L, LUA_GCCOLLECT);
  unload_library(L, d);
  lcul_stream_settle(L, st);
  lcul_status(L, lcu_device_reset(d));
  return 0;
}

static int device_can_access_peer (lua_State *L) {
  lcul_check_most(L, 2);
  lcu_device *d = lcul_device_handle(L, 1), *peer = lcul_device_select(L, 2);
  bool can;
  lcul_status(L, lcu_device_can_access(d, peer, &can));
  lua_pushboolean(L, can);
  return 1;
}

static int switch_peer (lua_State *L, bool enable) {
  lcul_check_most(L, 2);
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
  lcul_device_box *box = lcul_check(L, 1, LCUL_DEVICE);
  if (box->device == NULL) lua_pushliteral(L, "luacuda.Device (closed)");
  else if (atomic_load(&box->device->closed))
    lua_pushfstring(L, "luacuda.Device %s (closed)", box->device->label);
  else
    lua_pushfstring(L, "luacuda.Device %s: %s%s (sm_%d)", box->device->label,
                    box->device->parent != NULL ? "a context of " : "", box->device->name,
                    box->device->limits.cc);
  return 1;
}


/* ---- registration ---- */

static const luaL_Reg device_methods[] = { { "memory_info", device_memory_info },
                                           { "synchronize", device_synchronize },
                                           { "use", device_use },
                                           { "reset", device_reset },
                                           { "can_access_peer", device_can_access_peer },
                                           { "enable_peer", device_enable_peer },
                                           { "disable_peer", device_disable_peer },
                                           { NULL, NULL } };

static const luaL_Reg device_getters[] = { { "name", get_name },
                                           { "label", get_label },
                                           { "kind", get_kind },
                                           { "ordinal", get_ordinal },
                                           { "arch", get_arch },
                                           { "cc", get_cc },
                                           { "compute_capability", get_compute_capability },
                                           { "total_memory", get_total_memory },
                                           { "pci_bus_id", get_pci_bus_id },
                                           { "uuid", get_uuid },
                                           { "api_version", get_api_version },
                                           { "stream", get_stream },
                                           { "null_stream", get_null_stream },
                                           { NULL, NULL } };

static const luaL_Reg device_metamethods[] = { { "__gc", device_gc },
                                               { "__tostring", device_tostring },
                                               { NULL, NULL } };

void lcul_open_device (lua_State *L) {
  static const lcul_classdef def = {
    .id = LCUL_DEVICE,
    .boxed = true,
    .methods = device_methods,
    .getters = device_getters,
    .metamethods = device_metamethods,
    .fallback = lcul_device_fallback,
    .names = lcul_attribute_names,
  };
  lcul_newclass(L, &def);
  lcul_extend(L, LCUL_DEVICE, LCUL_METHODS, lcul_attribute_methods);
  lcul_extend(L, LCUL_DEVICE, LCUL_METHODS, lcul_setting_methods);
}
