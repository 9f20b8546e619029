/* lcul_args_device.c: the device that the arguments of a launch require. */
#include "lcul_args.h"
#include "lcul_argument.h"
#include "lcul_array.h"
#include "lcul_class.h"
#include "lcul_device.h"
#include "lcul_error.h"
#include "lcul_position.h"
#include "lcul_texture.h"
#include "lcul_uses.h"

/* The block of the array that an argument is or wraps (cuda.raw), or of a texture or surface;
 * borrowed from the stack. */
static lcu_block *device_block_of (lua_State *L, int idx) {
  bool surface;
  lcul_array *a = lcul_array_test(L, idx);
  if (a == NULL && lua_type(L, idx) != LUA_TUSERDATA) return NULL;
  const lcul_texture *t = a != NULL ? NULL : lcul_texture_test(L, idx, &surface);
  if (t != NULL) return t->block;
  const lcul_argument *w = a != NULL ? NULL : lcul_test(L, idx, LCUL_ARGUMENT);
  if (w != NULL && w->kind == LCUL_RAW) {
    lua_getiuservalue(L, idx, 1);
    a = lcul_array_test(L, -1);
    lua_pop(L, 1);
  }
  return a != NULL ? a->block : NULL;
}

static bool reaches_all (lua_State *L, lcu_device *d, int first, int nargs) {
  for (int i = 0; i < nargs; i++) {
    lcu_block *b = device_block_of(L, first + i);
    cu_deviceptr p;
    if (b != NULL && !lcul_uses_reach(L, b, d, &p)) return false;
  }
  return true;
}

/* Raises for arguments on two devices, or because one of these is a context that was closed. */
static void refuse (lua_State *L, const char *kernel, int one, lcu_device *x, int other,
                    lcu_device *y) {
  lcul_status(L, lcu_device_open(x));
  lcul_status(L, lcu_device_open(y));
  lcul_misuse(L,
              "%s: argument %d is on %s, argument %d on %s; a launch needs all on one device "
              "(:to())",
              kernel, one, x->label, other, y->label);
}

/* The device that the arguments' memory requires. *host: the device of memory that does not
 * decide. */
static lcu_device *wanted_device (lua_State *L, const char *kernel, int first, int nargs,
                                  lcu_device **host) {
  lcu_device *found = NULL;
  int by = 0;
  for (int i = 0; i < nargs; i++) {
    lcu_block *b = device_block_of(L, first + i);
    if (b == NULL) continue;
    lcu_device *d = b->device;
    if (!lcul_args_decide(b)) {
      if (*host == NULL) *host = d;
      continue;
    }
    if (found != NULL && d != found) refuse(L, kernel, by + 1, found, i + 1, d);
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
