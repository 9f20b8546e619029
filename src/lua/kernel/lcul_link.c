/* lcul_link.c: core.link: the driver's linker; class Linker, whose methods are in linker.lua. */
#include <lauxlib.h>

#include "lcu_link.h"
#include "lcu_process_open.h"
#include "lcul_box.h"
#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_device.h"
#include "lcul_error.h"
#include "lcul_jit.h"
#include "lcul_position.h"
#include "lcul_set.h"

/* The input { kind =, data =, name = } at the top; the table anchors the strings. */
static lcu_link_input read_input (lua_State *L) {
  lcu_link_input in;
  luaL_checktype(L, -1, LUA_TTABLE);
  lua_getfield(L, -1, "kind");
  in.kind = (cu_jit_input)luaL_checkinteger(L, -1);
  lua_getfield(L, -2, "data");
  luaL_checktype(L, -1, LUA_TSTRING);
  in.data = lua_tolstring(L, -1, &in.size);
  if (in.kind == CU_JIT_INPUT_PTX_) in.size++; /* its zero byte */
  lua_getfield(L, -3, "name");
  in.name = lcul_whole_string(L, -1);
  lua_pop(L, 3);
  return in;
}

static lcu_link_input *read_inputs (lua_State *L, int idx, size_t *num) {
  luaL_checktype(L, idx, LUA_TTABLE);
  *num = (size_t)lua_rawlen(L, idx);
  lcu_link_input *list = lua_newuserdatauv(L, *num * sizeof *list, 0);
  for (size_t i = 0; i < *num; i++) {
    lua_rawgeti(L, idx, (lua_Integer)i + 1);
    list[i] = read_input(L);
    lua_pop(L, 1);
  }
  return list;
}

/* core.link(device, inputs, options) -> image, report. The error object of a failure also has the
 * linker's log. */
static int core_link (lua_State *L) {
  lcu_jit_option options[LCU_JIT_MAX];
  size_t num;
  lua_settop(L, 3);
  lcu_device *d = lcul_device_check(L, 1);
  size_t num_options = lcul_jit_options(L, 3, options);
  lcu_jit_report *report = lcul_jit_newreport(L);
  lcu_link_input *inputs = read_inputs(L, 2, &num);
  lcu_buf *image = lcul_newbuffer(L);
  lcul_status(L, lcu_device_open(d));
  lcul_status_log(L, lcu_link(d, inputs, num, options, num_options, report, image), report->error);
  lua_pushlstring(L, image->data != NULL ? image->data : "", image->len);
  lcu_buf_free(image);
  lcul_jit_push(L, report);
  return 2;
}

/* nvJitLink has other numbers for the same kinds of input, and one more. */
static lcu_lto_input *lto_inputs (lua_State *L, const lcu_link_input *from, size_t num) {
  static const int kinds[] = { 1, 2, 4, 5, 6, 3 };
  lcu_lto_input *list = lua_newuserdatauv(L, num * sizeof *list, 0);
  for (size_t i = 0; i < num; i++) {
    size_t kind = (size_t)from[i].kind;
    luaL_argcheck(L, kind < lcu_arraylen(kinds), 1, "unknown kind of input");
    list[i] = (lcu_lto_input){ kinds[kind], from[i].data, from[i].size, from[i].name };
  }
  return list;
}

/* core.lto(inputs, options, ptx) -> image, report, as core.link. It uses no device. */
static int core_lto (lua_State *L) {
  size_t num;
  lua_settop(L, 3);
  lcu_lto_job job = { .want_ptx = lua_toboolean(L, 3) };
  lcu_jit_report *report = lcul_jit_newreport(L);
  const lcu_link_input *inputs = read_inputs(L, 1, &num);
  job.inputs = lto_inputs(L, inputs, num);
  job.num_inputs = num;
  job.options = lcul_string_list(L, 2, &job.num_options, lcul_whole_string);
  lcu_buf *image = lcul_newbuffer(L);
  lcul_status_log(L, lcu_lto(&job, report, image), report->error);
  lua_pushlstring(L, image->data != NULL ? image->data : "", image->len);
  lcu_buf_free(image);
  lcul_jit_push(L, report);
  return 2;
}

/* core.jitlink() -> path, major, minor of nvJitLink; raises where it cannot be opened. */
static int core_jitlink (lua_State *L) {
  const lcu_jitlink *lib = NULL;
  lcul_status(L, lcu_process_jitlink(&lib));
  lua_pushstring(L, lib->path);
  lua_pushinteger(L, (lua_Integer)lib->major);
  lua_pushinteger(L, (lua_Integer)lib->minor);
  return 3;
}

/* core.driver_version() -> 13000; 0 without libcuda. Unlike core.versions it opens no library. */
static int core_driver_version (lua_State *L) {
  lua_pushinteger(L, lcu_process_driver_version());
  return 1;
}


/* ---- class Linker: what it collects is in user value 1, a table ---- */

typedef struct linker {
  bool open;
} linker;

/* core.linker_new(table) -> Linker */
static int core_linker_new (lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  linker *l = lcul_newobject(L, LCUL_LINKER, sizeof *l, 1);
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, 1);
  l->open = true;
  return 1;
}

/* core.linker_state(linker) -> its table; raises for a closed one */
static int core_linker_state (lua_State *L) {
  const linker *l = lcul_check(L, 1, LCUL_LINKER);
  if (!l->open) return lcul_misuse(L, "attempt to use a closed Linker");
  lua_getiuservalue(L, 1, 1);
  return 1;
}

static int linker_free (lua_State *L) {
  linker *l = lcul_check(L, 1, LCUL_LINKER);
  l->open = false;
  lua_pushnil(L);
  lua_setiuservalue(L, 1, 1);
  return 0;
}

static int linker_closed (lua_State *L) {
  lua_pushboolean(L, !((linker *)lcul_check(L, 1, LCUL_LINKER))->open);
  return 1;
}

static int linker_tostring (lua_State *L) {
  const linker *l = lcul_check(L, 1, LCUL_LINKER);
  lua_pushstring(L, l->open ? "luacuda.Linker" : "luacuda.Linker (closed)");
  return 1;
}

static const luaL_Reg link_methods[] = { { "free", linker_free },
                                         { "close", linker_free },
                                         { NULL, NULL } };

static const luaL_Reg link_metamethods[] = { { "__gc", linker_free },
                                             { "__close", linker_free },
                                             { "__closed", linker_closed },
                                             { "__tostring", linker_tostring },
                                             { NULL, NULL } };

void lcul_open_link (lua_State *L) {
  static const luaL_Reg functions[] = { { "link", core_link },
                                        { "lto", core_lto },
                                        { "jitlink", core_jitlink },
                                        { "driver_version", core_driver_version },
                                        { "linker_new", core_linker_new },
                                        { "linker_state", core_linker_state },
                                        { NULL, NULL } };
  static const lcul_classdef def = { .id = LCUL_LINKER,
                                     .methods = link_methods,
                                     .metamethods = link_metamethods };
  lcul_newclass(L, &def);
  lcul_setfuncs(L, functions);
}
