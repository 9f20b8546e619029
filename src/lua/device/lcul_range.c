/* lcul_range.c: class Range: named parts of a program, for profilers and for cuda.profile. */
#include "cu_nvtx.h"
#include "lcu_timeline.h"
#include "lcul_box.h"
#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_scope.h"
#include "lcul_set.h"

/* Ranges of calls nest, so profilers show them as ranges of the thread. Range objects may overlap:
 * they are ranges of the process. */
typedef struct range {
  bool open, call;
  uint64_t number; /* of lcu_nvtx_start */
  lcu_host_span span;
} range;

static void begin_range (range *r, const char *name, bool call) {
  if (lcu_timeline_on()) r->span = lcu_timeline_host_open(LCU_SPAN_RANGE, name);
  if (call) lcu_nvtx_push(name);
  else r->number = lcu_nvtx_start(name);
  r->call = call;
  r->open = true;
}

static void end_range (lua_State *L, void *ud) {
  range *r = ud;
  (void)L;
  if (!r->open) return;
  r->open = false;
  if (r->call) lcu_nvtx_pop();
  else lcu_nvtx_end(r->number);
  lcu_timeline_waited(r->span);
}

static int range_release (lua_State *L) {
  end_range(L, lua_touserdata(L, 1));
  return 0;
}

static int call_in_range (lua_State *L) {
  lcul_check_callable(L, 2, "range");
  range *r = lcul_newbox(L, sizeof *r, "luacuda.RangeCall", range_release);
  begin_range(r, lua_tostring(L, 1), true);
  lua_replace(L, 1);
  lua_toclose(L, 1);
  return lcul_scope_call(L, end_range, r);
}

/* range(name) -> Range; range(name, fn, ...) -> the results of fn, called in the range */
static int core_range (lua_State *L) {
  const char *name = lcul_check_string(L, 1);
  if (lua_gettop(L) > 1) return call_in_range(L);
  range *r = lcul_newobject(L, LCUL_RANGE, sizeof *r, 1);
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, 1);
  begin_range(r, name, false);
  return 1;
}

static int range_close (lua_State *L) {
  end_range(L, lcul_check(L, 1, LCUL_RANGE));
  return 0;
}

static int range_name (lua_State *L) {
  (void)lcul_check(L, 1, LCUL_RANGE);
  lua_getiuservalue(L, 1, 1);
  return 1;
}

static int range_closed (lua_State *L) {
  lua_pushboolean(L, !((range *)lcul_check(L, 1, LCUL_RANGE))->open);
  return 1;
}

static int range_tostring (lua_State *L) {
  const range *r = lcul_check(L, 1, LCUL_RANGE);
  lua_getiuservalue(L, 1, 1);
  lua_pushfstring(L, "luacuda.Range '%s'%s", lua_tostring(L, -1), r->open ? "" : " (closed)");
  return 1;
}

void lcul_open_range (lua_State *L) {
  static const luaL_Reg functions[] = { { "range", core_range }, { NULL, NULL } };
  static const luaL_Reg methods[] = { { "close", range_close }, { NULL, NULL } };
  static const luaL_Reg getters[] = { { "name", range_name }, { NULL, NULL } };
  static const luaL_Reg metamethods[] = {
    { "__gc", range_close },
    { "__close", range_close },
    { "__tostring", range_tostring },
    { "__closed", range_closed },
    { NULL, NULL },
  };
  static const lcul_classdef def = {
    .id = LCUL_RANGE,
    .methods = methods,
    .getters = getters,
    .metamethods = metamethods,
  };
  lcul_newclass(L, &def);
  lcul_setfuncs(L, functions);
}
