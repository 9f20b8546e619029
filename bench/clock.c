/* clock.c: the module bench_clock, a function that returns seconds on the monotonic clock. */
#include <time.h>
#include <lua.h>

int luaopen_bench_clock (lua_State *L);

static int seconds (lua_State *L) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  lua_pushnumber(L, (lua_Number)t.tv_sec + (lua_Number)t.tv_nsec * 1e-9);
  return 1;
}

int luaopen_bench_clock (lua_State *L) {
  lua_pushcfunction(L, seconds);
  return 1;
}
