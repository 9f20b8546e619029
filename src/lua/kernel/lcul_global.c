/* lcul_global.c: variables of modules as arrays. */
#include <string.h>

#include "lcu_signature.h"
#include "lcu_wait.h"
#include "lcul_array.h"
#include "lcul_dtype.h"
#include "lcul_error.h"
#include "lcul_module.h"
#include "lcul_position.h"
#include "lcul_scope.h"
#include "lcul_set.h"
#include "lcul_shape.h"

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
    atomic_store_explicit(&(*out)->labeled, true, memory_order_release);
  }
  return s;
}

/* Makes room for one more in both lists. */
static bool grow_globals (lcul_loaded *at) {
  size_t n = at->num_globals + 1;
  lcu_use *g = lcu_realloc(at->globals, n * sizeof *g);
  if (g != NULL) at->globals = g;
  char **s = lcu_realloc(at->symbols, n * sizeof *s);
  if (s != NULL) at->symbols = s;
  return g != NULL && s != NULL;
}

static lcu_status add_global (lcul_loaded *at, const char *symbol, bool constant, lcu_block **out) {
  char *name = lcu_strdup(symbol);
  lcu_status s = name != NULL && grow_globals(at) ? wrap_variable(at, symbol, out)
                                                  : lcu_no_memory("a variable of a module");
  if (s != LCU_OK) {
    lcu_free(name);
    return s;
  }
  at->symbols[at->num_globals] = name;
  at->globals[at->num_globals++] = (lcu_use){ *out, !constant };
  return LCU_OK;
}

/* The only block over a variable, borrowed from the module. From now on launches record that they
 * use it; earlier launches must have ended. */
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

/* Element type and extents from the compiler's type. Vectors and complex pairs add an axis. */
static const lcu_dtype *variable_type (lua_State *L, const char *type, size_t bytes,
                                       int64_t shape[LCUL_MAX_DIMS], int *ndim) {
  lcu_param p;
  int64_t dims[8];
  lcul_status(L, lcu_type_parse(type, &p, dims, ndim));
  const lcu_dtype *t = p.kind == LCU_PARAM_POINTER ? &lcu_dtypes[LCU_UINT64] : p.dtype;
  int lanes = p.kind == LCU_PARAM_POINTER ? 1 : p.vector;
  lcu_param_free(&p);
  if (t == NULL) return NULL;
  int64_t known = 1, rest = (int64_t)bytes / ((int64_t)t->size * lanes);
  for (int i = 0; i < *ndim; i++) {
    shape[i] = dims[i] < 0 ? rest : dims[i];
    known *= shape[i];
  }
  if (lanes > 1) shape[(*ndim)++] = lanes;
  return known * lanes * (int64_t)t->size == (int64_t)bytes ? t : NULL;
}

/* Extents of a variable as elements of `t`: as declared if that matches its bytes, else one
 * axis. */
static void variable_shape (lua_State *L, const char *type, const lcu_dtype *t, size_t bytes,
                            int64_t shape[LCUL_MAX_DIMS], int *ndim) {
  int64_t known = 1, rest = (int64_t)(bytes / t->size);
  *ndim = 0;
  if (type != NULL) {
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
  lcul_loaded *at = lcul_loaded_check(L);
  const char *symbol = luaL_checkstring(L, 3), *type = luaL_optstring(L, 4, NULL);
  lua_settop(L, 6);
  lcu_block *b = variable_block(L, at, symbol, lua_toboolean(L, 5));
  int64_t shape[LCUL_MAX_DIMS];
  int ndim = 0;
  const lcu_dtype *t = lua_isnil(L, 6) ? NULL : lcul_dtype_check(L, 6);
  if (t == NULL && type != NULL) t = variable_type(L, type, b->size, shape, &ndim);
  else if (t != NULL) {
    if (b->size % t->size != 0)
      return lcul_misuse(L, "global '%s': its %d bytes are not a whole number of %s elements",
                         symbol, (int)b->size, t->name);
    variable_shape(L, type, t, b->size, shape, &ndim);
  }
  if (t == NULL) {
    lua_pushnil(L);
    lua_pushinteger(L, (lua_Integer)b->size);
    return 2;
  }
  lcul_array_push(L, lcu_ref(b), t, t->id == LCU_STRUCT ? 6 : 0, 0, ndim, shape);
  return 1;
}

void lcul_open_global (lua_State *L) {
  static const luaL_Reg functions[] = { { "module_global", core_module_global }, { NULL, NULL } };
  lcul_setfuncs(L, functions);
}
