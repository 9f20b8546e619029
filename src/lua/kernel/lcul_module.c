/* lcul_module.c: class Module: code loaded on devices. What to load, and where its kernels' names
 * come from, is module.lua's business. */
#include <string.h>

#include "lcu_demangle.h"
#include "lcul_kernel.h"

lcul_module *lcul_module_check (lua_State *L, int idx) {
  lcul_module *m = lcul_check(L, idx, LCUL_MODULE);
  if (!m->open) lcul_misuse(L, "attempt to use a closed Module");
  return m;
}

/* The place itself stays: kernels point at it. */
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
  if (device) *device = d;
  return &m->loaded[lcul_device_index(d)];
}

/* core.module_load(module, device, code) -> the driver's log, "" for none. Nothing happens when it
 * is loaded there. The error object of a failure has the log, too. */
static int core_module_load (lua_State *L) {
  lcu_device *d;
  lcul_loaded *at = place(L, &d);
  size_t size;
  char log[LCU_JIT_LOG] = "";
  const char *code = luaL_checklstring(L, 3, &size);
  if (!at->module) {
    lcul_status(L, lcu_device_open(d));
    lcul_status_log(L, lcu_module_load(d, code, size, log, &at->module), log);
  }
  lua_pushstring(L, log);
  return 1;
}

/* core.module_unload(module, device) */
static int core_module_unload (lua_State *L) {
  loaded_end(place(L, NULL));
  return 0;
}

static lcul_loaded *loaded_place (lua_State *L, lcu_device **device) {
  lcul_loaded *at = place(L, device);
  if (!at->module) luaL_error(L, "the module is not loaded on this device");
  return at;
}

/* core.module_names(module, device) -> list of the kernels' names in the binary; nil when the
 * driver cannot tell. */
static int core_module_names (lua_State *L) {
  lcul_loaded *at = loaded_place(L, NULL);
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
  return names->failed ? lcu_fail(LCU_E_NOMEM, "out of memory") : LCU_OK;
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

/* core.kernel_name("_ZN2ns4fx3fIfEEvPT_") -> "ns::fx3f<float>"; other names come back as they
 * are. */
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


/* ---- variables as arrays ---- */

static void release_module (void *ud) {
  lcu_module *m = ud;
  lcu_unref(m);
}

static lcu_status wrap_variable (lcul_loaded *at, const char *symbol, lcu_block **out) {
  cu_deviceptr address;
  size_t bytes;
  lcu_device *d = at->module->device;
  LCU_TRY(lcu_module_global(at->module, symbol, &address, &bytes));
  lcu_module *keep = lcu_ref(at->module);
  lcu_status s =
    lcu_block_wrap(d, LCU_MEM_MODULE, address, d->host_memory ? (void *)(uintptr_t)address : NULL,
                   bytes, release_module, keep, out);
  if (s != LCU_OK) lcu_unref(keep);
  else {
    strncpy((*out)->label.type, symbol, sizeof(*out)->label.type - 1);
    atomic_store_explicit(&(*out)->labelled, true, memory_order_release);
  }
  return s;
}

/* Makes room for one more in both lists. */
static bool grow_globals (lcul_loaded *at) {
  size_t n = at->num_globals + 1;
  lcu_use *g = lcu_realloc(at->globals, n * sizeof *g);
  if (g) at->globals = g;
  char **s = lcu_realloc(at->symbols, n * sizeof *s);
  if (s) at->symbols = s;
  return g && s;
}

static lcu_status add_global (lcul_loaded *at, const char *symbol, bool constant, lcu_block **out) {
  char *name = lcu_strdup(symbol);
  lcu_status s = name && grow_globals(at) ? wrap_variable(at, symbol, out)
                                          : lcu_fail(LCU_E_NOMEM, "out of memory");
  if (s != LCU_OK) {
    lcu_free(name);
    return s;
  }
  at->symbols[at->num_globals] = name;
  at->globals[at->num_globals++] = (lcu_use){ *out, !constant };
  return LCU_OK;
}

/* The one block over a variable, borrowed from the module. From now on launches say that they use
 * it; what was launched before has to be over. */
static lcu_block *variable_block (lua_State *L, lcul_loaded *at, const char *symbol,
                                  bool constant) {
  for (size_t i = 0; i < at->num_globals; i++)
    if (strcmp(at->symbols[i], symbol) == 0) return at->globals[i].block;
  lcu_block *b;
  if (at->launched) {
    lcul_sync_allowed(L, "module:global");
    lcul_status(L, lcu_device_synchronize(at->module->device));
  }
  lcul_status(L, add_global(at, symbol, constant, &b));
  return b;
}

/* Element type and extents from the compiler's type. Vectors and complex pairs make one axis
 * more. */
static const lcu_dtype *variable_type (lua_State *L, const char *type, size_t bytes,
                                       int64_t shape[LCUL_MAX_DIMS], int *ndim) {
  lcu_param p;
  int64_t dims[8];
  lcul_status(L, lcu_type_parse(type, &p, dims, ndim));
  const lcu_dtype *t = p.kind == LCU_PARAM_POINTER ? &lcu_dtypes[LCU_UINT64] : p.dtype;
  int lanes = p.kind == LCU_PARAM_POINTER ? 1 : p.vector;
  lcu_param_free(&p);
  if (!t) return NULL;
  int64_t known = 1, rest = (int64_t)bytes / ((int64_t)t->size * lanes);
  for (int i = 0; i < *ndim; i++) {
    shape[i] = dims[i] < 0 ? rest : dims[i];
    known *= shape[i];
  }
  if (lanes > 1) shape[(*ndim)++] = lanes;
  return known * lanes * (int64_t)t->size == (int64_t)bytes ? t : NULL;
}

/* Extents of a variable taken as elements of `t`: as declared where that fits its bytes, else one
 * axis. */
static void variable_shape (lua_State *L, const char *type, const lcu_dtype *t, size_t bytes,
                            int64_t shape[LCUL_MAX_DIMS], int *ndim) {
  int64_t known = 1, rest = (int64_t)(bytes / t->size);
  *ndim = 0;
  if (type) {
    lcu_param p;
    lcul_status(L, lcu_type_parse(type, &p, shape, ndim));
    lcu_param_free(&p);
    for (int i = 0; i < *ndim; i++) {
      if (shape[i] < 0) shape[i] = rest;
      known *= shape[i];
    }
    if (known == rest) return;
  }
  shape[0] = rest;
  *ndim = 1;
}

/* core.module_global(module, device, symbol, type or nil, constant, dtype or nil) -> Array, or nil,
 * bytes when its type has no dtype and none was given. */
static int core_module_global (lua_State *L) {
  lcul_loaded *at = loaded_place(L, NULL);
  const char *symbol = luaL_checkstring(L, 3), *type = luaL_optstring(L, 4, NULL);
  lua_settop(L, 6);
  lcu_block *b = variable_block(L, at, symbol, lua_toboolean(L, 5));
  int64_t shape[LCUL_MAX_DIMS];
  int ndim = 0;
  const lcu_dtype *t = lua_isnil(L, 6) ? NULL : lcul_dtype_check(L, 6);
  if (!t && type) t = variable_type(L, type, b->size, shape, &ndim);
  else if (t) {
    if (b->size % t->size != 0)
      return lcul_misuse(L, "global '%s': its %d bytes are no whole number of %s", symbol,
                         (int)b->size, t->name);
    variable_shape(L, type, t, b->size, shape, &ndim);
  }
  if (!t) {
    lua_pushnil(L);
    lua_pushinteger(L, (lua_Integer)b->size);
    return 2;
  }
  lcul_array_push(L, lcu_ref(b), t, t->id == LCU_STRUCT ? 6 : 0, 0, ndim, shape);
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

static const luaL_Reg functions[] = { { "module_new", core_module_new },
                                      { "module_state", core_module_state },
                                      { "module_load", core_module_load },
                                      { "module_unload", core_module_unload },
                                      { "module_names", core_module_names },
                                      { "kernel_name", core_kernel_name },
                                      { "entry_names", core_entry_names },
                                      { "module_global", core_module_global },
                                      { NULL, NULL } };

static const luaL_Reg methods[] = { { "free", module_free },
                                    { "close", module_free },
                                    { NULL, NULL } };

static const luaL_Reg metamethods[] = { { "__gc", module_free },
                                        { "__close", module_free },
                                        { "__closed", module_closed },
                                        { "__tostring", module_tostring },
                                        { NULL, NULL } };

void lcul_open_module (lua_State *L) {
  static const lcul_classdef def = {
    .id = LCUL_MODULE, .name = "Module", .methods = methods, .metamethods = metamethods
  };
  lcul_newclass(L, &def);
  lcul_setfuncs(L, functions);
}
