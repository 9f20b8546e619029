/* lcul_file.c: files and the environment for the Lua layer: core.file_*, core.getenv. */
#include <stdlib.h>
#include <string.h>

#include "lcu_file.h"
#include "lcul_box.h"
#include "lcul_failure.h"
#include "lcul_set.h"

static int answer (lua_State *L, lcu_status s) {
  if (s == LCU_OK) {
    lua_pushboolean(L, 1);
    return 1;
  }
  luaL_pushfail(L);
  lcul_push_failure_text(L);
  return 2;
}

/* The path at 1. File names cannot contain zero bytes. */
static lcu_status path_arg (lua_State *L, const char **path) {
  *path = luaL_checkstring(L, 1);
  return strlen(*path) == lua_rawlen(L, 1)
           ? LCU_OK
           : lcu_fail(LCU_E_NOT_FOUND, "a path with a zero byte after '%s'", *path);
}

/* core.file_read(path [, "any"|"own"|"own or root"]) -> bytes, or nil and the reason. */
static int core_file_read (lua_State *L) {
  /* in the order of lcu_file_trust */
  static const char *const whose[] = { "any", "own", "own or root", NULL };
  const char *path;
  lcu_file_trust trust = (lcu_file_trust)luaL_checkoption(L, 2, "any", whose);
  lcu_buf *b = lcul_newbuffer(L);
  lcu_status s = path_arg(L, &path);
  if (s == LCU_OK) s = lcu_file_read(path, trust, b);
  if (s != LCU_OK) return answer(L, s);
  lua_pushlstring(L, b->data != NULL ? b->data : "", b->len);
  lcu_buf_free(b);
  return 1;
}

/* core.file_replace(path, bytes) -> true, or nil and the reason. Atomic; makes directories. */
static int core_file_replace (lua_State *L) {
  size_t len;
  const char *path, *data = luaL_checklstring(L, 2, &len);
  lcu_status s = path_arg(L, &path);
  return answer(L, s == LCU_OK ? lcu_file_replace(path, data, len) : s);
}

static int core_file_remove (lua_State *L) {
  const char *path;
  lcu_status s = path_arg(L, &path);
  return answer(L, s == LCU_OK ? lcu_file_remove(path) : s);
}

/* core.file_replaceable(path) -> boolean */
static int core_file_replaceable (lua_State *L) {
  const char *path;
  lua_pushboolean(L, path_arg(L, &path) == LCU_OK && lcu_file_replaceable(path));
  return 1;
}

/* core.file_stat(path) -> size, modified (seconds), is_directory; or nil and the reason. */
static int core_file_stat (lua_State *L) {
  lcu_file_info info;
  const char *path;
  lcu_status s = path_arg(L, &path);
  if (s == LCU_OK) s = lcu_file_stat(path, &info);
  if (s != LCU_OK) return answer(L, s);
  lua_pushinteger(L, (lua_Integer)info.size);
  lua_pushnumber(L, info.modified);
  lua_pushboolean(L, info.directory);
  return 3;
}

static bool collect_name (void *ud, const char *name) {
  lcu_buf_add(ud, name, strlen(name) + 1);
  return true;
}

/* core.file_list(dir) -> list of names, or nil and the reason. */
static int core_file_list (lua_State *L) {
  const char *dir;
  lcu_buf *names = lcul_newbuffer(L);
  lcu_status s = path_arg(L, &dir);
  if (s == LCU_OK) s = lcu_file_list(dir, collect_name, names);
  if (s != LCU_OK) return answer(L, s);
  lcul_push_names(L, names);
  lcu_buf_free(names);
  return 1;
}

/* core.getenv(name) -> value, or nil; an empty value counts as unset. */
static int core_getenv (lua_State *L) {
  const char *v = getenv(luaL_checkstring(L, 1));
  if (v != NULL && *v) lua_pushstring(L, v);
  else lua_pushnil(L);
  return 1;
}

void lcul_open_file (lua_State *L) {
  static const luaL_Reg functions[] = {
    { "file_read", core_file_read },     { "file_replace", core_file_replace },
    { "file_remove", core_file_remove }, { "file_replaceable", core_file_replaceable },
    { "file_stat", core_file_stat },     { "file_list", core_file_list },
    { "getenv", core_getenv },           { NULL, NULL }
  };
  lcul_setfuncs(L, functions);
}
