/* lcul_context.c: device:context, and the stack of current devices.
 *
 * The stack belongs to the Lua state. Its top is the current device (lcul_state.device); the
 * handles of the devices below are in a table of the registry. push adds a device, pop removes it,
 * cuda.use replaces the top, and closing a context removes it everywhere. */
#include "lcul_context.h"

#include "lcu_context.h"
#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_device.h"
#include "lcul_error.h"
#include "lcul_option.h"
#include "lcul_position.h"
#include "lcul_scope.h"
#include "lcul_set.h"
#include "lcul_stream.h"

#define CURRENT "luacuda.current" /* registry: keeps the handle of a current context */
#define BELOW "luacuda.pushed"    /* registry: handles of the devices below the current one */
#define USERS "luacuda.users" /* registry: by context, a weak table: object -> its user record */

/* ---- the stack ---- */

void lcul_make_current (lua_State *L, lcu_device *d) {
  lcul_state *st = lcul_getstate(L);
  bool keeps = d->parent != NULL || (st->device != NULL && st->device->parent != NULL);
  if (lcu_unlikely(keeps)) {
    if (d->parent != NULL) lcul_device_push(L, d);
    else lua_pushnil(L);
    lua_setfield(L, LUA_REGISTRYINDEX, CURRENT);
  }
  st->device = d;
}

/* device:push() -> device */
static int device_push (lua_State *L) {
  lcul_check_most(L, 1);
  lcu_device *d = lcul_device_check(L, 1), *before = lcul_device_chosen(L);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, BELOW);
  lcul_device_push(L, before);
  lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
  lcul_make_current(L, d);
  lua_settop(L, 1);
  return 1;
}

/* device:pop() -> the device that is current from now on */
static int device_pop (lua_State *L) {
  lcul_check_most(L, 1);
  lcu_device *d = lcul_device_handle(L, 1), *current = lcul_device_chosen(L);
  if (d != current)
    lcul_raise(L, "logic", "pop: %s is not the current device, which is %s", d->label,
               current->label);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, BELOW);
  lua_Integer n = (lua_Integer)lua_rawlen(L, -1);
  if (n == 0) lcul_raise(L, "logic", "pop: no device was pushed before %s", d->label);
  lua_rawgeti(L, -1, n);
  lcul_make_current(L, lcul_device_handle(L, -1));
  lua_pushnil(L);
  lua_rawseti(L, -3, n);
  return 1;
}

/* Removes a context from the list at the top. */
static void remove_from (lua_State *L, const lcu_device *c) {
  lua_Integer n = (lua_Integer)lua_rawlen(L, -1), kept = 0;
  for (lua_Integer i = 1; i <= n; i++) {
    lua_rawgeti(L, -1, i);
    const lcul_device_box *box = lcul_toobject(L, -1);
    if (box->device == c) lua_pop(L, 1);
    else lua_rawseti(L, -2, ++kept);
  }
  for (lua_Integer i = kept + 1; i <= n; i++) {
    lua_pushnil(L);
    lua_rawseti(L, -2, i);
  }
}

/* Where it was current, the device below it is, or else its own device. */
static void leave_stack (lua_State *L, lcu_device *c) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, BELOW);
  remove_from(L, c);
  if (lcul_getstate(L)->device == c) {
    lua_Integer n = (lua_Integer)lua_rawlen(L, -1);
    lcu_device *below = c->parent;
    if (lua_rawgeti(L, -1, n) != LUA_TNIL)
      below = ((lcul_device_box *)lcul_toobject(L, -1))->device;
    lcul_make_current(L, below);
    lua_pop(L, 1);
    if (n > 0) {
      lua_pushnil(L);
      lua_rawseti(L, -2, n);
    }
  }
  lua_pop(L, 1);
}


/* ---- what keeps records of a context ---- */

void lcul_context_note (lua_State *L, int idx, lcu_device *d, const lcul_context_user *user) {
  if (lcu_likely(d->parent == NULL)) return;
  luaL_checkstack(L, 5, NULL);
  idx = lua_absindex(L, idx);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, USERS);
  if (lua_rawgetp(L, -1, d) != LUA_TTABLE) {
    lua_pop(L, 1);
    lua_newtable(L);
    lcul_set_weak(L, "k");
    lua_pushvalue(L, -1);
    lua_rawsetp(L, -3, d);
  }
  lua_pushvalue(L, idx);
  lua_pushlightuserdata(L, (void *)(uintptr_t)user);
  lua_rawset(L, -3);
  lua_pop(L, 2);
}

static void end_users (lua_State *L, lcu_device *c) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, USERS);
  if (lua_rawgetp(L, -1, c) == LUA_TTABLE) {
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
      const lcul_context_user *user = lua_touserdata(L, -1);
      user->end(lcul_toobject(L, -2), c);
    }
  }
  lua_pop(L, 1);
  lua_pushnil(L);
  lua_rawsetp(L, -2, c);
  lua_pop(L, 1);
}


/* ---- contexts ---- */

static unsigned flags_given (lua_State *L) {
  static const char *const names[] = { "schedule", "lmem_resize", "map_host", NULL };
  lcul_options(L, 2, "context", names);
  bool map = lcul_opt_bool(L, 2, "map_host", false);
  return lcul_changed_flags(L, "context", 0) | (map ? (unsigned)CU_CTX_MAP_HOST_ : 0);
}

/* device:context{ schedule =, lmem_resize =, map_host = } -> Device */
static int device_context (lua_State *L) {
  lcul_check_most(L, 2);
  lcu_device *d = lcul_device_check(L, 1);
  lua_settop(L, 2);
  unsigned flags = flags_given(L);
  lcul_not_recorded(L, "device:context");
  lcul_device_box *box = lcul_newobject(L, LCUL_DEVICE, sizeof *box, 0);
  lcul_status(L, lcu_context_create(d, flags, &box->device));
  atomic_fetch_add(&box->device->boxes, 1);
  lcul_device_keep(L, box->device);
  return 1;
}

static void forget_stream (lua_State *L, const lcu_device *c) {
  lcul_state *st = lcul_getstate(L);
  lcu_stream *s = st->streams[c->index];
  st->streams[c->index] = NULL;
  lcul_stream_leave(L, s);
}

static void drop_box (lcul_device_box *box) {
  lcu_device *c = box->device;
  box->device = NULL;
  atomic_fetch_sub(&c->boxes, 1);
  lcu_unref(c);
}

/* context:close() */
static int device_close (lua_State *L) {
  lcul_device_box *box = lcul_check(L, 1, LCUL_DEVICE);
  lcu_device *c = box->device;
  if (c == NULL) return 0;
  if (c->parent == NULL)
    lcul_misuse(L, "close: %s is a device, not a context: %s:reset() releases what it holds",
                c->label, c->label);
  luaL_checkstack(L, 8, NULL);
  if (!atomic_load(&c->closed)) {
    lcul_sync_allowed(L, "context:close");
    lcul_status(L, lcu_context_close(c));
  }
  leave_stack(L, c);
  forget_stream(L, c);
  end_users(L, c);
  lcu_context_vacate(c);
  if (box->device != NULL) drop_box(box);
  return 0;
}

void lcul_context_collected (lua_State *L, lcu_device *c) {
  luaL_checkstack(L, 8, NULL);
  end_users(L, c);
}

static int get_parent (lua_State *L) {
  const lcu_device *d = lcul_device_handle(L, 1);
  if (d->parent != NULL) lcul_device_push(L, d->parent);
  else lua_pushnil(L);
  return 1;
}

void lcul_open_context (lua_State *L) {
  static const luaL_Reg methods[] = { { "context", device_context }, { "push", device_push },
                                      { "pop", device_pop },         { "close", device_close },
                                      { "free", device_close },      { NULL, NULL } };
  static const luaL_Reg getters[] = { { "parent", get_parent }, { NULL, NULL } };
  static const luaL_Reg metamethods[] = { { "__close", device_close }, { NULL, NULL } };
  lcul_extend(L, LCUL_DEVICE, LCUL_METHODS, methods);
  lcul_extend(L, LCUL_DEVICE, LCUL_GETTERS, getters);
  lcul_extend(L, LCUL_DEVICE, LCUL_METATABLE, metamethods);
}
