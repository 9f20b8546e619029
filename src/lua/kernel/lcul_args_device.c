/* lcul_args_device.c: the device that the arguments of a launch require. */
#include "lcul_args.h"
#include "lcul_argument.h"
#include "lcul_array.h"
#include "lcul_class.h"
#include "lcul_device.h"
#include "lcul_position.h"
#include "lcul_uses.h"

/* The array that an argument is or wraps (cuda.raw); borrowed from the stack. */
static lcul_array *array_of (lua_State *L, int idx) {
  lcul_array *a = lcul_array_test(L, idx);
  if (a == NULL && lua_type(L, idx) != LUA_TUSERDATA) return NULL;
  const lcul_argument *w = a != NULL ? NULL : lcul_test(L, idx, LCUL_ARGUMENT);
  if (w != NULL && w->kind == LCUL_RAW) {
    lua_getiuservalue(L, idx, 1);
    a = lcul_array_test(L, -1);
    lua_pop(L, 1);
  }
  return a != NULL && a->block != NULL ? a : NULL;
}

static bool reaches_all (lua_State *L, lcu_device *d, int first, int nargs) {
  for (int i = 0; i < nargs; i++) {
    lcul_array *a = array_of(L, first + i);
    cu_deviceptr p;
    if (a != NULL && !lcul_uses_reach(L, a->block, d, &p)) return false;
  }
  return true;
}

/* The device that the arguments' memory requires. *host: the device of memory that does not
 * decide. */
static lcu_device *wanted_device (lua_State *L, const char *kernel, int first, int nargs,
                                  lcu_device **host) {
  lcu_device *found = NULL;
  int by = 0;
  for (int i = 0; i < nargs; i++) {
    lcul_array *a = array_of(L, first + i);
    if (a == NULL) continue;
    lcu_device *d = a->block->device;
    if (!lcul_args_decide(a->block)) {
      if (*host == NULL) *host = d;
      continue;
    }
    if (found != NULL && d != found)
      lcul_misuse(
        L, "%s: argument %d is on %s, argument %d on %s; a launch needs all on one device (:to())",
        kernel, by + 1, found->label, i + 1, d->label);
    if (found == NULL) {
      found = d;
      by = i;
    }
  }
  return found;
}

lcu_device *lcul_args_device (lua_State *L, const char *kernel, int first, int nargs) {
  lcu_device *host = NULL, *found = wanted_device(L, kernel, first, nargs, &host);
  if (found != NULL || host == NULL) return found;
  lcu_device *current = lcul_device_current(L);
  return reaches_all(L, current, first, nargs) ? current : host;
}

lcu_device *lcul_operands_device (lua_State *L, const char *what, int first, int nargs) {
  lcu_device *host = NULL, *found = wanted_device(L, what, first, nargs, &host);
  return found != NULL ? found : host;
}
