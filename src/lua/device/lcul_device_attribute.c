/* lcul_device_attribute.c: attributes of devices: every name of cu_attrs.def, in any case, with or
 * without the driver's prefix. */
#include <string.h>

#include "lcu_device_failure.h"
#include "lcul_check.h"
#include "lcul_device.h"
#include "lcul_error.h"
#include "lcul_near.h"
#include "lcul_position.h"

/* Did the driver answer? False: it does not support the request. Raises for other failures. */
bool lcul_device_answered (lua_State *L, lcu_device *d, const char *call, cu_result r) {
  if (r == CU_ERR_INVALID_VALUE || r == CU_ERR_NOT_SUPPORTED) return false;
  lcul_status(L, lcu_device_status(d, lcu_driver_status(d->drv, call, r)));
  return true;
}

enum { ATTR_NAME_MAX = 96 };

static int find_attribute (const char *name) {
  static const char prefix[] = "cu_device_attribute_";
  char lower[ATTR_NAME_MAX];
  size_t n = strlen(name);
  if (n >= sizeof lower) return 0;
  for (size_t i = 0; i <= n; i++) lower[i] = lcul_lower(name[i]);
  const char *plain =
    strncmp(lower, prefix, sizeof prefix - 1) == 0 ? lower + sizeof prefix - 1 : lower;
  return lcu_attr_find(plain, strlen(plain));
}

/* Pushes nil for an attribute that this driver does not support. */
static void push_attribute (lua_State *L, lcu_device *d, int attr) {
  int v = 0;
  lcul_status(L, lcu_process_check());
  if (lcul_device_answered(L, d, "cuDeviceGetAttribute",
                           d->drv->cuDeviceGetAttribute(&v, attr, d->handle)))
    lua_pushinteger(L, v);
  else lua_pushnil(L);
}

size_t lcul_attribute_names (const char *list[], size_t max) {
  size_t n = 0;
  int number;
  while (n < max && (list[n] = lcu_attr_at(n, &number)) != NULL) n++;
  return n;
}

static int unknown_attribute (lua_State *L, const char *what, const char *name) {
  const char *list[256];
  char text[256];
  size_t n = lcul_attribute_names(list, lcu_arraylen(list));
  return lcul_misuse(L, "%s '%s'%s", what, name, lcul_near(name, list, n, NULL, text, sizeof text));
}

int lcul_device_fallback (lua_State *L) {
  const char *name = lua_tostring(L, 2);
  int attr = strlen(name) == lua_rawlen(L, 2) ? find_attribute(name) : 0;
  if (attr == 0) return 0;
  push_attribute(L, lcul_device_handle(L, 1), attr);
  return 1;
}

/* device:attribute(name) -> integer, or nil when the driver does not support it */
static int device_attribute (lua_State *L) {
  lcul_check_most(L, 2);
  lcu_device *d = lcul_device_handle(L, 1);
  const char *name = lcul_check_string(L, 2);
  int attr = find_attribute(name);
  if (attr == 0) return unknown_attribute(L, "attribute: there is no device attribute", name);
  push_attribute(L, d, attr);
  return 1;
}

/* device:attributes() -> { name = integer } of all attributes the driver supports */
static int device_attributes (lua_State *L) {
  lcul_check_most(L, 1);
  lcu_device *d = lcul_device_handle(L, 1);
  const char *name;
  int number;
  lua_createtable(L, 0, 160);
  for (size_t i = 0; (name = lcu_attr_at(i, &number)) != NULL; i++) {
    push_attribute(L, d, number);
    lua_setfield(L, -2, name);
  }
  return 1;
}

/* device:supports(name) -> boolean: is the attribute set? "_supported" may be left out */
static int device_supports (lua_State *L) {
  lcul_check_most(L, 2);
  lcu_device *d = lcul_device_handle(L, 1);
  const char *name = lcul_check_string(L, 2);
  int attr = find_attribute(name);
  if (attr == 0) attr = find_attribute(lua_pushfstring(L, "%s_supported", name));
  if (attr == 0) return unknown_attribute(L, "supports: there is no device attribute", name);
  push_attribute(L, d, attr);
  lua_pushboolean(L, !lua_isnil(L, -1) && lua_tointeger(L, -1) != 0);
  return 1;
}

const luaL_Reg lcul_attribute_methods[] = { { "attribute", device_attribute },
                                            { "attributes", device_attributes },
                                            { "supports", device_supports },
                                            { NULL, NULL } };
