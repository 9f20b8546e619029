/* lcul_pool.c: the memory of a device, and its pool. */
#include "lcu_pool.h"
#include "lcul_check.h"
#include "lcul_device.h"
#include "lcul_error.h"
#include "lcul_position.h"
#include "lcul_set.h"

/* Bytes or a count. */
size_t lcul_check_bytes (lua_State *L, int arg) {
  lua_Integer n = 0;
  bool ok = lcul_to_integer(L, arg, &n);
  if (!ok) lcul_wrong_type(L, arg, "an integer");
  if (n < 0) lcul_misuse(L, "%s: expected 0 or more, got %lld", lcul_callee(L), (long long)n);
  return (size_t)n;
}

int lcul_push_memory (lua_State *L, lcu_device *d) {
  size_t free_bytes = 0, total = 0;
  lcul_status(L, lcu_device_memory(d, &free_bytes, &total));
  lua_pushinteger(L, (lua_Integer)free_bytes);
  lua_pushinteger(L, (lua_Integer)total);
  return 2;
}

/* mem_info([device]) -> free, total bytes */
static int core_mem_info (lua_State *L) {
  lcul_check_most(L, 1);
  return lcul_push_memory(L, lcul_device_optarg(L, 1));
}

/* pool_stats(device [, quiet]) -> { used, reserved, used_high, reserved_high, limit, allocations,
 * frees }; quiet: returns nil instead of raising an error */
static int core_pool_stats (lua_State *L) {
  lcu_pool_stats s;
  lcu_status st = lcu_pool_stat(lcul_device_handle(L, 1), &s);
  if (st != LCU_OK && lua_toboolean(L, 2)) return 0;
  lcul_status(L, st);
  lua_createtable(L, 0, 7);
  lcul_set_integer(L, "used", (lua_Integer)s.used);
  lcul_set_integer(L, "reserved", (lua_Integer)s.reserved);
  lcul_set_integer(L, "used_high", (lua_Integer)s.used_high);
  lcul_set_integer(L, "reserved_high", (lua_Integer)s.reserved_high);
  lcul_set_integer(L, "limit", (lua_Integer)s.limit);
  lcul_set_integer(L, "allocations", (lua_Integer)s.allocations);
  lcul_set_integer(L, "frees", (lua_Integer)s.frees);
  return 1;
}

/* pool_trim(device [, keep]) */
static int core_pool_trim (lua_State *L) {
  lcu_device *d = lcul_device_check(L, 1);
  size_t keep = lua_isnoneornil(L, 2) ? 0 : lcul_check_bytes(L, 2);
  lcul_status(L, lcu_pool_trim(d, keep));
  return 0;
}

/* pool_limit(device, bytes); 0: no limit */
static int core_pool_limit (lua_State *L) {
  lcu_device *d = lcul_device_check(L, 1);
  lcu_pool_limit(d, lcul_check_bytes(L, 2));
  return 0;
}

void lcul_open_pool (lua_State *L) {
  static const luaL_Reg functions[] = { { "mem_info", core_mem_info },
                                        { "pool_stats", core_pool_stats },
                                        { "pool_trim", core_pool_trim },
                                        { "pool_limit", core_pool_limit },
                                        { NULL, NULL } };
  lcul_setfuncs(L, functions);
}
