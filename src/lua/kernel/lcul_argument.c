/* lcul_argument.c: class Argument: values wrapped for one launch: cuda.raw(array),
 * cuda.input(value), cuda.output(value), cuda.inout(value). */
#include "lcul_argument.h"

#include <stdio.h>

#include "lcul_array.h"
#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_describe.h"
#include "lcul_foreign.h"
#include "lcul_position.h"
#include "lcul_set.h"

const char *lcul_wrap_name (lcul_wrap w) {
  static const char *const names[] = {
    [LCUL_RAW] = "raw", [LCUL_INPUT] = "input", [LCUL_OUTPUT] = "output", [LCUL_INOUT] = "inout"
  };
  return names[w];
}

static int wrap_at (lua_State *L, lcul_wrap kind, int idx) {
  lcul_argument *w = lcul_newobject(L, LCUL_ARGUMENT, sizeof *w, 1);
  w->kind = kind;
  lua_pushvalue(L, idx);
  lua_setiuservalue(L, -2, 1);
  return 1;
}

static int wrap (lua_State *L, lcul_wrap kind) { return wrap_at(L, kind, 1); }

void lcul_argument_raw (lua_State *L, int idx) { (void)wrap_at(L, LCUL_RAW, idx); }

static int wrong_value (lua_State *L, lcul_wrap kind, const char *expected) {
  char got[128];
  return lcul_misuse(L, "%s: expected %s, got %s", lcul_wrap_name(kind), expected,
                     lcul_describe(L, 1, got, sizeof got));
}

static int core_raw (lua_State *L) {
  lcul_check_most(L, 1);
  (void)lcul_foreign_replace(L, 1);
  if (lcul_array_test(L, 1) == NULL) return wrong_value(L, LCUL_RAW, "an Array");
  return wrap(L, LCUL_RAW);
}

static int core_input (lua_State *L) {
  lcul_check_most(L, 1);
  (void)lcul_foreign_replace(L, 1);
  bool ok = lua_istable(L, 1) || lua_type(L, 1) == LUA_TSTRING || lcul_array_test(L, 1) != NULL;
  return ok ? wrap(L, LCUL_INPUT) : wrong_value(L, LCUL_INPUT, "a table, bytes or an Array");
}

static int wrap_writable (lua_State *L, lcul_wrap kind) {
  lcul_check_most(L, 1);
  (void)lcul_foreign_replace(L, 1);
  bool ok = lua_istable(L, 1) || lcul_array_test(L, 1) != NULL;
  return ok ? wrap(L, kind) : wrong_value(L, kind, "a table or an Array");
}

static int core_output (lua_State *L) { return wrap_writable(L, LCUL_OUTPUT); }
static int core_inout (lua_State *L) { return wrap_writable(L, LCUL_INOUT); }

static int argument_tostring (lua_State *L) {
  const lcul_argument *w = lcul_check(L, 1, LCUL_ARGUMENT);
  char text[128];
  lua_getiuservalue(L, 1, 1);
  lua_pushfstring(L, "cuda.%s(%s)", lcul_wrap_name(w->kind),
                  lcul_describe(L, -1, text, sizeof text));
  return 1;
}

/* "cuda.input"; cuda.raw(array) is described as its array. */
static void describe_type (lua_State *L, int idx, char *buf, size_t size) {
  const lcul_argument *w = lcul_toobject(L, idx);
  lua_getiuservalue(L, idx, 1);
  if (w->kind == LCUL_RAW) lcul_describe_type(L, -1, buf, size);
  else snprintf(buf, size, "cuda.%s", lcul_wrap_name(w->kind));
  lua_pop(L, 1);
}

void lcul_open_argument (lua_State *L) {
  static const luaL_Reg functions[] = { { "raw", core_raw },
                                        { "input", core_input },
                                        { "output", core_output },
                                        { "inout", core_inout },
                                        { NULL, NULL } };
  static const luaL_Reg metamethods[] = { { "__tostring", argument_tostring }, { NULL, NULL } };
  static const lcul_classdef def = { .id = LCUL_ARGUMENT,
                                     .metamethods = metamethods,
                                     .describe_type = describe_type };
  lcul_newclass(L, &def);
  lcul_setfuncs(L, functions);
}
