/* lcul_module.c: class Module: code loaded on devices. loading.lua decides what to load and finds
 * the names of kernels. */
#include "lcul_module.h"

#include <string.h>

#include "lcu_demangle.h"
#include "lcu_image.h"
#include "lcul_box.h"
#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_context.h"
#include "lcul_device.h"
#include "lcul_error.h"
#include "lcul_jit.h"
#include "lcul_position.h"
#include "lcul_set.h"

lcul_module *lcul_module_check (lua_State *L, int idx) {
  lcul_module *m = lcul_check(L, idx, LCUL_MODULE);
  if (!m->open) lcul_misuse(L, "attempt to use a closed Module");
  return m;
}

/* The record itself stays: kernels point to it. */
static void loaded_end (lcul_loaded *at) {
  for (size_t i = 0; i < at->num_globals; i++) {
    lcu_unref(at->globals[i].block);
    lcu_free(at->symbols[i]);
  }
  lcu_free(at->globals);
  lcu_free(at->symbols);
  lcu_unref(at->module);
  memset(at, 0, sizeof *at);
}

static int module_free (lua_State *L) {
  lcul_module *m = lcul_check(L, 1, LCUL_MODULE);
  m->open = false;
  for (size_t i = 0; i < LCU_MAX_DEVICES; i++) loaded_end(&m->loaded[i]);
  return 0;
}

static int module_closed (lua_State *L) {
  lua_pushboolean(L, !((lcul_module *)lcul_check(L, 1, LCUL_MODULE))->open);
  return 1;
}

/* core.module_new(table) -> Module */
static int core_module_new (lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lcul_module *m = lcul_newobject(L, LCUL_MODULE, sizeof *m, 1);
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, 1);
  m->open = true;
  return 1;
}

static int core_module_state (lua_State *L) {
  lcul_module_check(L, 1);
  lua_getiuservalue(L, 1, 1);
  return 1;
}

static lcul_loaded *place (lua_State *L, lcu_device **device) {
  lcul_module *m = lcul_module_check(L, 1);
  lcu_device *d = lcul_device_check(L, 2);
  if (device != NULL) *device = d;
  return &m->loaded[lcul_device_index(d)];
}

static void module_leave_context (void *object, lcu_device *d) {
  loaded_end(&((lcul_module *)object)->loaded[d->index]);
}

/* core.module_load(module, device, code, options) -> the driver's report; see lcul_jit.h. Does
 * nothing when the module is loaded there. The error object of a failure also has the log. */
static int core_module_load (lua_State *L) {
  static const lcul_context_user user = { module_leave_context };
  lcu_device *d;
  lcul_loaded *at = place(L, &d);
  lcu_jit_option options[LCU_JIT_MAX];
  lcu_jit_report *report = lcul_jit_newreport(L);
  lcu_module_code code = { .options = options, .report = report };
  code.image = luaL_checklstring(L, 3, &code.size);
  code.num_options = lcul_jit_options(L, 4, options);
  if (at->module == NULL) {
    lcul_context_note(L, 1, d, &user);
    lcul_status(L, lcu_device_open(d));
    lcul_status_log(L, lcu_module_load(d, &code, &at->module), report->error);
  }
  lcul_jit_push(L, report);
  return 1;
}

/* core.module_unload(module, device) */
static int core_module_unload (lua_State *L) {
  loaded_end(place(L, NULL));
  return 0;
}

lcul_loaded *lcul_loaded_check (lua_State *L) {
  lcul_loaded *at = place(L, NULL);
  if (at->module == NULL) luaL_error(L, "the module is not loaded on this device");
  return at;
}

/* core.module_names(module, device) -> list of the kernels' names in the binary; nil when the
 * driver cannot report them. */
static int core_module_names (lua_State *L) {
  lcul_loaded *at = lcul_loaded_check(L);
  lcu_buf *names = lcul_newbuffer(L);
  lcu_status s = lcu_module_kernels(at->module, names);
  if (s == LCU_E_UNSUPPORTED) {
    lua_pushnil(L);
    return 1;
  }
  lcul_status(L, s);
  lcul_push_names(L, names);
  lcu_buf_free(names);
  return 1;
}

static lcu_status collect_entries (const char *ptx, lcu_buf *names) {
  lcu_entries e;
  LCU_TRY(lcu_entries_read(ptx, &e));
  for (size_t i = 0; i < e.num; i++) lcu_buf_add(names, e.list[i].name, strlen(e.list[i].name) + 1);
  lcu_entries_free(&e);
  return names->failed ? lcu_no_memory("the names of kernels") : LCU_OK;
}

/* core.image_fault(code) -> why PTX or machine code cannot be complete, or nil */
static int core_image_fault (lua_State *L) {
  size_t size;
  const char *image = luaL_checklstring(L, 1, &size);
  lua_pushstring(L, lcu_image_fault(image, size));
  return 1;
}

/* core.entry_names(ptx) -> list of the kernels' names in the text of a PTX module */
static int core_entry_names (lua_State *L) {
  const char *ptx = luaL_checkstring(L, 1);
  lcu_buf *names = lcul_newbuffer(L);
  lcul_status(L, collect_entries(ptx, names));
  lcul_push_names(L, names);
  lcu_buf_free(names);
  return 1;
}

/* core.kernel_name("_ZN2ns4fx3fIfEEvPT_") -> "ns::fx3f<float>"; other names are returned
 * unchanged. */
static int core_kernel_name (lua_State *L) {
  const char *lowered = luaL_checkstring(L, 1);
  lcu_arena a = { 0 };
  lcu_encoding e;
  lcu_buf *text = lcul_newbuffer(L);
  if (strncmp(lowered, "_Z", 2) == 0 && lcu_demangle(&a, lowered, &e) == LCU_OK)
    lcu_buf_adds(text, e.name->text);
  lcu_arena_free(&a);
  if (text->len > 0 && !text->failed) lua_pushlstring(L, text->data, text->len);
  else lua_pushvalue(L, 1);
  lcu_buf_free(text);
  return 1;
}


/* ---- registration ---- */

static int module_tostring (lua_State *L) {
  const lcul_module *m = lcul_check(L, 1, LCUL_MODULE);
  int n = 0;
  for (size_t i = 0; i < LCU_MAX_DEVICES; i++) n += m->loaded[i].module != NULL;
  if (!m->open) lua_pushliteral(L, "luacuda.Module (closed)");
  else lua_pushfstring(L, "luacuda.Module loaded on %d device%s", n, n == 1 ? "" : "s");
  return 1;
}

static const luaL_Reg module_functions[] = { { "module_new", core_module_new },
                                             { "module_state", core_module_state },
                                             { "module_load", core_module_load },
                                             { "module_unload", core_module_unload },
                                             { "module_names", core_module_names },
                                             { "kernel_name", core_kernel_name },
                                             { "entry_names", core_entry_names },
                                             { "image_fault", core_image_fault },
                                             { NULL, NULL } };

static const luaL_Reg module_methods[] = { { "free", module_free },
                                           { "close", module_free },
                                           { NULL, NULL } };

static const luaL_Reg module_metamethods[] = { { "__gc", module_free },
                                               { "__close", module_free },
                                               { "__closed", module_closed },
                                               { "__tostring", module_tostring },
                                               { NULL, NULL } };

void lcul_open_module (lua_State *L) {
  static const lcul_classdef def = { .id = LCUL_MODULE,
                                     .methods = module_methods,
                                     .metamethods = module_metamethods };
  lcul_newclass(L, &def);
  lcul_setfuncs(L, module_functions);
}
