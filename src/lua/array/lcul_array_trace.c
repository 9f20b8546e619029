/* lcul_array_trace.c: cuda.debug{ allocations = true }: where arrays were made. A weak table in the
 * registry has the position of each array made since; views have that of their array. On from the
 * start with all checks of the CPU device, whose reports name the position. A table by address has
 * those of arrays that are gone, for accesses to freed memory. */
#include "lcul_array.h"
#include "lcul_position.h"
#include "lcul_set.h"

#define TRACE "luacuda.allocations"
#define MADE "luacuda.made"

enum { MOST_MADE = 10000 };

/* Pushes the table; made at the first use. */
static void push_trace (lua_State *L) {
  luaL_checkstack(L, 6, NULL);
  if (!luaL_getsubtable(L, LUA_REGISTRYINDEX, TRACE)) lcul_set_weak(L, "k");
}

/* Keeps the position at the top for the array below it, and pops it. */
static void note (lua_State *L) {
  push_trace(L);
  lua_pushvalue(L, -3);
  lua_pushvalue(L, -3);
  lua_rawset(L, -3);
  lua_pop(L, 2);
}

void lcul_array_trace (lua_State *L) {
  lcul_where(L);
  note(L);
}

void lcul_array_trace_alias (lua_State *L, int idx) {
  idx = lua_absindex(L, idx);
  push_trace(L);
  lua_pushvalue(L, idx);
  lua_rawget(L, -2);
  lua_replace(L, -2);
  if (lua_isnil(L, -1)) lua_pop(L, 1);
  else note(L);
}

/* Pushes the table of positions by address; begun anew when it is full. */
static void push_made (lua_State *L) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, MADE);
  lua_getfield(L, -1, "n");
  lua_Integer n = lua_tointeger(L, -1);
  lua_pop(L, 1);
  if (n >= MOST_MADE) {
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_setfield(L, LUA_REGISTRYINDEX, MADE);
    n = 0;
  }
  lcul_set_integer(L, "n", n + 1);
}

void lcul_array_trace_end (lua_State *L, int idx, uint64_t address) {
  idx = lua_absindex(L, idx);
  push_trace(L);
  lua_pushvalue(L, idx);
  if (lua_rawget(L, -2) == LUA_TSTRING) {
    push_made(L);
    lua_pushvalue(L, -2);
    lua_rawseti(L, -2, (lua_Integer)address);
    lua_pop(L, 1);
  }
  lua_pop(L, 2);
}

/* _trace_arrays([on]) -> the previous setting; a change forgets what was noted before */
static int core_trace_arrays (lua_State *L) {
  lcul_state *st = lcul_getstate(L);
  bool before = st->traces_arrays, on = lua_isnoneornil(L, 1) ? before : lua_toboolean(L, 1);
  if (on != before) {
    lua_pushnil(L);
    lua_setfield(L, LUA_REGISTRYINDEX, TRACE);
    lua_pushnil(L);
    lua_setfield(L, LUA_REGISTRYINDEX, MADE);
  }
  st->traces_arrays = on;
  lua_pushboolean(L, before);
  return 1;
}

/* _traced_arrays() -> array -> "file:line: " where it was made, or nil while nothing is traced */
static int core_traced_arrays (lua_State *L) {
  if (!lcul_getstate(L)->traces_arrays) return 0;
  push_trace(L);
  return 1;
}

/* _made_at(address) -> "file:line: " where the latest array that ended there was made, or nil */
static int core_made_at (lua_State *L) {
  lua_Integer address = luaL_checkinteger(L, 1);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, MADE);
  lua_rawgeti(L, -1, address);
  return 1;
}

/* _block(array) -> what identifies its memory, the memory's bytes and address; nil for a closed
 * array */
static int core_block (lua_State *L) {
  const lcul_array *a = lcul_array_test(L, 1);
  if (a == NULL || a->block == NULL) return 0;
  lua_pushlightuserdata(L, a->block);
  lua_pushinteger(L, (lua_Integer)a->block->size);
  lua_pushinteger(L, (lua_Integer)a->block->address);
  return 3;
}

void lcul_open_array_trace (lua_State *L) {
  static const luaL_Reg functions[] = { { "_trace_arrays", core_trace_arrays },
                                        { "_traced_arrays", core_traced_arrays },
                                        { "_made_at", core_made_at },
                                        { "_block", core_block },
                                        { NULL, NULL } };
  lcul_setfuncs(L, functions);
}
