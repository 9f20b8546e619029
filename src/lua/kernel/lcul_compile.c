/* lcul_compile.c: the compiler: core.compile and core.nvrtc. */
#include <string.h>

#include "lcu_compile.h"
#include "lcu_process_open.h"
#include "lcul_box.h"
#include "lcul_check.h"
#include "lcul_error.h"
#include "lcul_failure.h"
#include "lcul_progress.h"
#include "lcul_set.h"

/* The list t[field], NULL where there is none. It leaves values on the stack, which free it. */
static const char **string_list (lua_State *L, int t, const char *field, size_t *count) {
  *count = 0;
  return lua_getfield(L, t, field) == LUA_TNIL ? NULL
                                               : lcul_string_list(L, -1, count, lcul_whole_string);
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

static int result_release (lua_State *L) {
  lcu_compile_result_free(lua_touserdata(L, 1));
  return 0;
}

static void set_bytes (lua_State *L, const char *field, const lcu_buf *b, bool wanted) {
  if (!wanted) return;
  lua_pushlstring(L, b->data != NULL ? b->data : "", b->len);
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

/* core.compile{ source, name, title, options, header_names, header_texts, expressions, ptx, cubin,
 * ltoir } -> { ok, log, ... } A source with errors is a normal result (ok = false); other failures
 * raise. `title`: what lcul_progress.h shows. */
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
  lcu_compile_result *r = lcul_newbox(L, sizeof *r, "luacuda.Result", result_release);
  lcul_progress progress;
  lcul_progress_start(&progress, string_field(L, 1, "title"));
  job.idle = lcul_progress_tick;
  job.ud = &progress;
  lcu_status s = lcu_compile(&job, r);
  lcul_progress_stop(&progress);
  if (s != LCU_E_COMPILE) lcul_status(L, s);
  push_result(L, &job, r, s == LCU_OK);
  lcu_compile_result_free(r);
  return 1;
}

/* core.nvrtc() -> { major, minor, archs, path, include_dir, cccl_dir }, or nil and the reason. */
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

void lcul_open_compile (lua_State *L) {
  static const luaL_Reg functions[] = { { "compile", core_compile },
                                        { "nvrtc", core_nvrtc },
                                        { NULL, NULL } };
  lcul_setfuncs(L, functions);
}
