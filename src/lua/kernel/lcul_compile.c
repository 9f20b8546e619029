/* lcul_compile.c: the compiler, hashes and files for the Lua layer (core.compile, core.nvrtc,
 * core.sha256, core.crc32, core.file_*). */
#include <stdlib.h>
#include <string.h>

#include "lcu_compile.h"
#include "lcu_crc32.h"
#include "lcu_file.h"
#include "lcu_sha256.h"
#include "lcul_aux.h"

/* The list of strings t[field] as an array of C strings in a userdata left on the stack, so that a
 * raise leaks nothing. The strings stay anchored by the table. */
static const char **string_list (lua_State *L, int t, const char *field, size_t *count) {
  *count = 0;
  if (lua_getfield(L, t, field) == LUA_TNIL) return NULL;
  luaL_checktype(L, -1, LUA_TTABLE);
  size_t n = (size_t)lua_rawlen(L, -1);
  const char **list = lua_newuserdatauv(L, (n + 1) * sizeof *list, 0);
  for (size_t i = 0; i < n; i++) {
    if (lua_rawgeti(L, -2, (lua_Integer)i + 1) != LUA_TSTRING)
      luaL_error(L, "core.compile: %s[%d] is not a string", field, (int)i + 1);
    list[i] = lcul_whole_string(L, -1);
    lua_pop(L, 1);
  }
  *count = n;
  return list;
}

static const char *string_field (lua_State *L, int t, const char *field) {
  if (lua_getfield(L, t, field) != LUA_TSTRING)
    luaL_error(L, "core.compile: %s is not a string", field);
  return lcul_whole_string(L, -1);
}

static bool bool_field (lua_State *L, int t, const char *field) {
  lua_getfield(L, t, field);
  bool b = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return b;
}

/* The result lives in a userdata, so that pushing strings may raise without leaking it. */
static int result_gc (lua_State *L) {
  lcu_compile_result_free(lua_touserdata(L, 1));
  return 0;
}

static lcu_compile_result *new_result (lua_State *L) {
  lcu_compile_result *r = lua_newuserdatauv(L, sizeof *r, 0);
  memset(r, 0, sizeof *r);
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, result_gc);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  return r;
}

static void set_bytes (lua_State *L, const char *field, const lcu_buf *b, bool wanted) {
  if (!wanted) return;
  lua_pushlstring(L, b->data ? b->data : "", b->len);
  lua_setfield(L, -2, field);
}

static void push_result (lua_State *L, const lcu_compile_job *job, const lcu_compile_result *r,
                         bool ok) {
  lua_createtable(L, 0, 5);
  lcul_set_boolean(L, "ok", ok);
  set_bytes(L, "log", &r->log, true);
  set_bytes(L, "ptx", &r->ptx, ok && job->want_ptx);
  set_bytes(L, "cubin", &r->cubin, ok && job->want_cubin);
  set_bytes(L, "ltoir", &r->ltoir, ok && job->want_ltoir);
  lua_createtable(L, 0, (int)r->num_lowered);
  for (size_t i = 0; i < r->num_lowered; i++)
    lcul_set_string(L, job->expressions[i], r->lowered[i]);
  lua_setfield(L, -2, "lowered");
}

/* core.compile{ source, name, options, header_names, header_texts, expressions, ptx, cubin, ltoir }
 * -> { ok, log, ... } A refused source is an answer (ok = false); anything else that fails
 * raises. */
static int core_compile (lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  lcu_compile_job job;
  memset(&job, 0, sizeof job);
  size_t texts;
  job.source = string_field(L, 1, "source");
  job.name = string_field(L, 1, "name");
  job.options = string_list(L, 1, "options", &job.num_options);
  job.header_names = string_list(L, 1, "header_names", &job.num_headers);
  job.header_texts = string_list(L, 1, "header_texts", &texts);
  luaL_argcheck(L, texts == job.num_headers, 1, "header_names and header_texts differ in length");
  job.expressions = string_list(L, 1, "expressions", &job.num_expressions);
  job.want_ptx = bool_field(L, 1, "ptx");
  job.want_cubin = bool_field(L, 1, "cubin");
  job.want_ltoir = bool_field(L, 1, "ltoir");
  luaL_checkstack(L, 12, "core.compile");
  lcu_compile_result *r = new_result(L);
  lcu_status s = lcu_compile(&job, r);
  if (s != LCU_E_COMPILE) lcul_status(L, s);
  push_result(L, &job, r, s == LCU_OK);
  lcu_compile_result_free(r);
  return 1;
}

/* core.nvrtc() -> { major, minor, archs, path, include_dir, cccl_dir }, or nil and why not. */
static int core_nvrtc (lua_State *L) {
  const lcu_nvrtc *n = NULL;
  if (lcu_process_nvrtc(&n) != LCU_OK) {
    lua_pushnil(L);
    lcul_push_failure_text(L);
    return 2;
  }
  lua_createtable(L, 0, 6);
  lcul_set_integer(L, "major", n->major);
  lcul_set_integer(L, "minor", n->minor);
  lcul_set_string(L, "path", n->path);
  lcul_set_string(L, "include_dir", n->include_dir);
  lcul_set_string(L, "cccl_dir", n->cccl_dir);
  lua_createtable(L, n->num_archs, 0);
  for (int i = 0; i < n->num_archs; i++) {
    lua_pushinteger(L, n->archs[i]);
    lua_rawseti(L, -2, i + 1);
  }
  lua_setfield(L, -2, "archs");
  return 1;
}

/* core.sha256(...) -> hex digest of the strings, each preceded by its length. One string alone is
 * hashed plainly. */
static int core_sha256 (lua_State *L) {
  static const char hex[] = "0123456789abcdef";
  lcu_sha256 h;
  uint8_t digest[32];
  char text[64];
  int n = lua_gettop(L);
  lcu_sha256_init(&h);
  for (int i = 1; i <= n; i++) {
    size_t len;
    const char *s = luaL_checklstring(L, i, &len);
    uint64_t prefix = len;
    if (n > 1) lcu_sha256_add(&h, &prefix, sizeof prefix);
    lcu_sha256_add(&h, s, len);
  }
  lcu_sha256_final(&h, digest);
  for (int i = 0; i < 32; i++) {
    text[2 * i] = hex[digest[i] >> 4];
    text[2 * i + 1] = hex[digest[i] & 15];
  }
  lua_pushlstring(L, text, sizeof text);
  return 1;
}

/* core.crc32(bytes [, crc of what comes before]) -> integer */
static int core_crc32 (lua_State *L) {
  size_t len;
  const char *s = luaL_checklstring(L, 1, &len);
  lua_pushinteger(L, (lua_Integer)lcu_crc32((uint32_t)luaL_optinteger(L, 2, 0), s, len));
  return 1;
}

static int answer (lua_State *L, lcu_status s) {
  if (s == LCU_OK) {
    lua_pushboolean(L, 1);
    return 1;
  }
  luaL_pushfail(L);
  lcul_push_failure_text(L);
  return 2;
}

/* The path at 1. No file has a zero byte in its name. */
static lcu_status path_arg (lua_State *L, const char **path) {
  *path = luaL_checkstring(L, 1);
  return strlen(*path) == lua_rawlen(L, 1)
           ? LCU_OK
           : lcu_fail(LCU_E_NOT_FOUND, "a path with a zero byte after '%s'", *path);
}

/* core.file_read(path [, "any"|"own"|"own or root"]) -> bytes, or nil and why not. */
static int core_file_read (lua_State *L) {
  /* as lcu_file_trust */
  static const char *const whose[] = { "any", "own", "own or root", NULL };
  const char *path;
  lcu_file_trust trust = (lcu_file_trust)luaL_checkoption(L, 2, "any", whose);
  lcu_buf *b = lcul_newbuffer(L);
  lcu_status s = path_arg(L, &path);
  if (s == LCU_OK) s = lcu_file_read(path, trust, b);
  if (s != LCU_OK) return answer(L, s);
  lua_pushlstring(L, b->data ? b->data : "", b->len);
  lcu_buf_free(b);
  return 1;
}

/* core.file_replace(path, bytes) -> true, or nil and why not. Atomic; makes directories. */
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

/* core.file_stat(path) -> size, modified (seconds), is_directory; or nil and why not. */
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

/* core.file_list(dir) -> list of names, or nil and why not. */
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

/* core.getenv(name) -> value or nil; empty counts as unset. */
static int core_getenv (lua_State *L) {
  const char *v = getenv(luaL_checkstring(L, 1));
  if (v && *v) lua_pushstring(L, v);
  else lua_pushnil(L);
  return 1;
}

/* core.near(name, candidates) -> "; did you mean 'x'?" or "". */
static int core_near (lua_State *L) {
  const char *name = luaL_checkstring(L, 1);
  luaL_checktype(L, 2, LUA_TTABLE);
  lua_settop(L, 2);
  size_t n = (size_t)lua_rawlen(L, 2);
  const char **list = lua_newuserdatauv(L, (n + 1) * sizeof *list, 0);
  for (size_t i = 0; i < n; i++) {
    lua_rawgeti(L, 2, (lua_Integer)i + 1);
    list[i] = luaL_checkstring(L, -1); /* anchored by the table */
    lua_pop(L, 1);
  }
  lcu_buf text = { 0 };
  lcul_near(&text, name, list, n);
  char out[256];
  size_t len = text.len < sizeof out ? text.len : sizeof out - 1;
  memcpy(out, text.data ? text.data : "", len);
  lcu_buf_free(&text);
  lua_pushlstring(L, out, len);
  return 1;
}

static const luaL_Reg functions[] = { { "near", core_near },
                                      { "compile", core_compile },
                                      { "nvrtc", core_nvrtc },
                                      { "sha256", core_sha256 },
                                      { "crc32", core_crc32 },
                                      { "file_read", core_file_read },
                                      { "file_replace", core_file_replace },
                                      { "file_remove", core_file_remove },
                                      { "file_replaceable", core_file_replaceable },
                                      { "file_stat", core_file_stat },
                                      { "file_list", core_file_list },
                                      { "getenv", core_getenv },
                                      { NULL, NULL } };

void lcul_open_compile (lua_State *L) { lcul_setfuncs(L, functions); }
