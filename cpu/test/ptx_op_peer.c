/* ptx_op_peer.c: the cases of ptx_op_cases.def for Lua, so that their PTX can run on any device:
 *
 *   text(arch, own)     a module with a kernel k0, k1, ... for each case; own: also for those that
 *                       hold on the CPU device alone
 *   count()             the number of cases, and of warps that a case needs
 *   is_own(i)           does case i hold on the CPU device alone, or need more than sm_90?
 *   inputs(i)           its four arrays of 64-bit inputs, back to back
 *   check(i, results)   nothing, or what is wrong with the results */
#define _POSIX_C_SOURCE 200809L
#include <lauxlib.h>
#include <lua.h>

enum { ROUNDS = 4 };
#include "ptx_op_table.h"

int luaopen_ptx_op_peer (lua_State *L);

static uint64_t storage[4][VALUES], results[2 * VALUES];
static const arrays values = { { storage[0], storage[1], storage[2], storage[3] }, results };

static int check_case (lua_State *L) {
  lua_Integer i = luaL_checkinteger(L, 1);
  luaL_argcheck(L, i >= 0 && i < NUM_CASES, 1, "no such case");
  return (int)i;
}

static int push_written (lua_State *L, char *text, size_t len) {
  lua_pushlstring(L, text, len);
  free(text);
  return 1;
}

static int l_text (lua_State *L) {
  char *text = NULL;
  size_t len = 0;
  FILE *t = open_memstream(&text, &len);
  if (t == NULL) return luaL_error(L, "out of memory");
  write_cases(t, (int)luaL_checkinteger(L, 1), lua_toboolean(L, 2));
  fclose(t);
  return push_written(L, text, len);
}

static int l_count (lua_State *L) {
  lua_pushinteger(L, NUM_CASES);
  lua_pushinteger(L, ROUNDS);
  return 2;
}

static int l_is_own (lua_State *L) {
  lua_pushboolean(L, is_own(&cases[check_case(L)]));
  return 1;
}

static int l_inputs (lua_State *L) {
  make_inputs(check_case(L), &values);
  lua_pushlstring(L, (const char *)storage, sizeof storage);
  return 1;
}

static int l_check (lua_State *L) {
  int number = check_case(L);
  size_t len;
  const char *got = luaL_checklstring(L, 2, &len);
  luaL_argcheck(L, len == sizeof results, 2, "wrong number of results");
  memcpy(results, got, len);
  make_inputs(number, &values);
  char *text = NULL;
  FILE *t = open_memstream(&text, &len);
  if (t == NULL) return luaL_error(L, "out of memory");
  int wrong = wrong_results(number, &values, t);
  fclose(t);
  if (wrong != 0) return push_written(L, text, len);
  free(text);
  return 0;
}

int luaopen_ptx_op_peer (lua_State *L) {
  static const luaL_Reg functions[] = { { "text", l_text },     { "count", l_count },
                                        { "is_own", l_is_own }, { "inputs", l_inputs },
                                        { "check", l_check },   { NULL, NULL } };
  luaL_newlib(L, functions);
  return 1;
}
