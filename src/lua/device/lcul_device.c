/* lcul_device.c: handles of devices. */
#include "lcul_device.h"

#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_error.h"
#include "lcul_position.h"
#include "lcul_set.h"
#include "lcul_state.h"

static void new_handle (lua_State *L, lcu_device *d) {
  lcul_device_box *box = lcul_newobject(L, LCUL_DEVICE, sizeof *box, 0);
  box->device = lcu_ref(d);
  atomic_fetch_add(&d->boxes, 1);
}

/* Handles are kept, so that devices can be compared with == and used as table keys. Those of
 * contexts can be collected. */
static void push_device_handles (lua_State *L, const lcu_device *d) {
  if (lcu_likely(d->parent == NULL)) {
    luaL_getsubtable(L, LUA_REGISTRYINDEX, "luacuda.devices");
    return;
  }
  if (!luaL_getsubtable(L, LUA_REGISTRYINDEX, "luacuda.contexts")) lcul_set_weak(L, "v");
}

void lcul_device_keep (lua_State *L, lcu_device *c) {
  push_device_handles(L, c);
  lua_pushvalue(L, -2);
  lua_rawsetp(L, -2, c);
  lua_pop(L, 1);
}

static bool push_kept_device (lua_State *L, const lcu_device *d) {
  const lcul_device_box *box = lua_rawgetp(L, -1, d) == LUA_TUSERDATA ? lcul_toobject(L, -1) : NULL;
  if (box != NULL && box->device == d) return true;
  lua_pop(L, 1);
  return false;
}

void lcul_device_push (lua_State *L, lcu_device *d) {
  push_device_handles(L, d);
  if (!push_kept_device(L, d)) {
    new_handle(L, d);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, -3, d);
  }
  lua_remove(L, -2);
}

lcu_device *lcul_device_handle (lua_State *L, int idx) {
  lcul_device_box *box = lcul_check(L, idx, LCUL_DEVICE);
  if (box->device == NULL) lcul_misuse(L, "attempt to use a closed Device");
  lcul_work_for(lcul_getstate(L));
  return box->device;
}

lcu_device *lcul_device_check (lua_State *L, int idx) {
  lcu_device *d = lcul_device_handle(L, idx);
  lcul_status(L, lcu_device_open(d));
  return d;
}

int lcul_device_index (lcu_device *d) { return (int)d->index; }
