/* lcul_jit.c: options and reports of the driver's PTX compiler and linker. */
#include "lcul_jit.h"

#include <lauxlib.h>

#include "lcul_set.h"

/* What the report itself needs. */
enum { OWN_OPTIONS = 5 };

lcu_jit_report *lcul_jit_newreport (lua_State *L) {
  lcu_jit_report *report = lua_newuserdatauv(L, sizeof *report, 0);
  *report = (lcu_jit_report){ 0 };
  return report;
}

static lua_Integer item (lua_State *L, int idx, size_t i) {
  lua_rawgeti(L, idx, (lua_Integer)i);
  lua_Integer value = luaL_checkinteger(L, -1);
  lua_pop(L, 1);
  return value;
}

size_t lcul_jit_options (lua_State *L, int idx, lcu_jit_option options[LCU_JIT_MAX]) {
  if (lua_isnoneornil(L, idx)) return 0;
  luaL_checktype(L, idx, LUA_TTABLE);
  size_t n = (size_t)lua_rawlen(L, idx) / 2;
  luaL_argcheck(L, n <= LCU_JIT_MAX - OWN_OPTIONS, idx, "too many options");
  for (size_t i = 0; i < n; i++)
    options[i] =
      (lcu_jit_option){ (cu_jit_option)item(L, idx, 2 * i + 1), (unsigned)item(L, idx, 2 * i + 2) };
  return n;
}

void lcul_jit_push (lua_State *L, const lcu_jit_report *report) {
  lua_createtable(L, 0, 4);
  lcul_set_string(L, "info_log", report->info);
  lcul_set_string(L, "error_log", report->error);
  if (report->wall_ms > 0) {
    lua_pushnumber(L, report->wall_ms);
    lua_setfield(L, -2, "wall_ms");
  }
  if (report->threads_per_block != 0)
    lcul_set_integer(L, "threads_per_block", report->threads_per_block);
}
