/* lcul_pointer.c: class Pointer: an address for a pointer parameter. */
#include "lcul_pointer.h"

#include <inttypes.h>
#include <stdio.h>

#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_scalar.h"
#include "lcul_set.h"

static lcul_pointer *pointer_check (lua_State *L, int idx) {
  return lcul_check(L, idx, LCUL_POINTER);
}

void lcul_pointer_push (lua_State *L, uint64_t address) {
  lcul_pointer *p = lcul_newobject(L, LCUL_POINTER, sizeof *p, 0);
  p->address = address;
}

/* cuda.ptr(n): any integer, taken as bits. */
static int core_ptr (lua_State *L) {
  lcul_check_most(L, 1);
  lcu_scalar v;
  lcul_fit fit = lcul_scalar_get(L, 1, &lcu_dtypes[LCU_UINT64], &v);
  if (fit != LCUL_FITS) {
    char text[160];
    return lcul_fail_arg(L, "ptr", 1, "address", "%s",
                         lcul_scalar_why(L, 1, &lcu_dtypes[LCU_UINT64], fit, text, sizeof text));
  }
  lcul_pointer_push(L, (uint64_t)v.i);
  return 1;
}

static int pointer_address (lua_State *L) {
  lua_pushinteger(L, (lua_Integer)pointer_check(L, 1)->address);
  return 1;
}

static int pointer_tostring (lua_State *L) {
  char text[40];
  uint64_t address = pointer_check(L, 1)->address;
  if (address) snprintf(text, sizeof text, "luacuda.Pointer 0x%" PRIx64, address);
  else snprintf(text, sizeof text, "luacuda.null");
  lua_pushstring(L, text);
  return 1;
}

static int pointer_eq (lua_State *L) {
  const lcul_pointer *a = lcul_test(L, 1, LCUL_POINTER), *b = lcul_test(L, 2, LCUL_POINTER);
  lua_pushboolean(L, a != NULL && b != NULL && a->address == b->address);
  return 1;
}

static const lcul_classdef pointer_class = {
  .id = LCUL_POINTER,
  .getters = (const luaL_Reg[]){ { "address", pointer_address }, { NULL, NULL } },
  .metamethods = (const luaL_Reg[]){ { "__eq", pointer_eq },
                                     { "__tostring", pointer_tostring },
                                     { NULL, NULL } },
};

void lcul_open_pointer (lua_State *L) {
  static const luaL_Reg functions[] = { { "ptr", core_ptr }, { NULL, NULL } };
  lcul_newclass(L, &pointer_class);
  lcul_setfuncs(L, functions);
  lcul_pointer_push(L, 0);
  lua_setfield(L, -2, "null");
}
