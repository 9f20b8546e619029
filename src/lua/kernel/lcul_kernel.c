/* lcul_kernel.c: class Kernel: a function of a module, bound to each device at its first use
 * there. */
#include "lcul_kernel.h"

#include <string.h>

#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_collect.h"
#include "lcul_context.h"
#include "lcul_device.h"
#include "lcul_error.h"
#include "lcul_library.h"
#include "lcul_module.h"
#include "lcul_plan.h"
#include "lcul_position.h"
#include "lcul_set.h"

lcul_kernel *lcul_kernel_check (lua_State *L, int idx) {
  lcul_kernel *k = lcul_check(L, idx, LCUL_KERNEL);
  if (!k->open) lcul_misuse(L, "attempt to use a closed Kernel");
  return k;
}

static void binding_free (lcul_binding *b) {
  if (b == NULL) return;
  lcu_unref(b->function);
  lcu_free(b->plan);
  lcu_free(b);
}

static void kernel_end (lcul_kernel *k) {
  k->open = false;
  k->last = NULL;
  for (size_t i = 0; i < LCU_MAX_DEVICES; i++) {
    binding_free(k->bindings[i]);
    k->bindings[i] = NULL;
  }
  while (k->old != NULL) {
    lcul_binding *b = k->old;
    k->old = b->next_old;
    binding_free(b);
  }
}

/* Functions that use the bindings have the kernel on their stack: its finalizer releases them. */
static int kernel_free (lua_State *L) {
  lcul_kernel *k = lcul_check(L, 1, LCUL_KERNEL);
  if (k->busy || lcul_in_finalizer(L)) k->open = false;
  else kernel_end(k);
  return 0;
}

static int kernel_gc (lua_State *L) {
  kernel_end(lcul_check(L, 1, LCUL_KERNEL));
  return 0;
}

static int kernel_closed (lua_State *L) {
  lua_pushboolean(L, !((lcul_kernel *)lcul_check(L, 1, LCUL_KERNEL))->open);
  return 1;
}

/* core.kernel_new(table) -> Kernel */
static int core_kernel_new (lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lcul_kernel *k = lcul_newobject(L, LCUL_KERNEL, sizeof *k, 2);
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, 1);
  lua_newtable(L);
  lua_setiuservalue(L, -2, 2);
  k->open = true;
  return 1;
}

static int core_kernel_state (lua_State *L) {
  lcul_kernel_check(L, 1);
  lua_getiuservalue(L, 1, 1);
  return 1;
}


/* ---- binding to a device ---- */

static lcul_binding *make_binding (lua_State *L, lcul_kernel *k, int device, lcu_function *f,
                                   const char *const *names, size_t n, const char *kinds,
                                   lcul_loaded *home) {
  lcul_binding *b = lcu_calloc(1, sizeof *b);
  lcul_plan *plan = b != NULL ? lcul_plan_new(f, names, n, kinds) : NULL;
  if (plan == NULL) {
    lcu_free(b);
    lcu_unref(f);
    lcul_status(L, lcu_no_memory("a kernel"));
  }
  *b = (lcul_binding){ .function = f, .plan = plan, .home = home };
  binding_free(k->bindings[device]);
  k->bindings[device] = b;
  k->last = b;
  return b;
}

/* A parameter may have no name. */
static const char *name_or_none (lua_State *L, int idx) {
  return lua_type(L, idx) == LUA_TSTRING ? lua_tostring(L, idx) : "";
}

static void kernel_leave_context (void *object, lcu_device *d) {
  lcul_kernel *k = object;
  lcul_binding *b = k->bindings[d->index];
  k->bindings[d->index] = NULL;
  k->last = NULL;
  if (b == NULL || !k->busy) binding_free(b);
  else { /* for the kernel's finalizer */ b->next_old = k->old;
    k->old = b;
  }
}

/* core.kernel_bind(kernel, module, device, lowered, name, signature or nil, param_names or nil,
 * param_kinds or nil) */
static int core_kernel_bind (lua_State *L) {
  lcul_kernel *k = lcul_kernel_check(L, 1);
  lcul_module *m = lcul_module_check(L, 2);
  static const lcul_context_user user = { kernel_leave_context };
  lcu_device *d = lcul_device_check(L, 3);
  int device = lcul_device_index(d);
  const char *lowered = luaL_checkstring(L, 4), *name = luaL_checkstring(L, 5),
             *signature = luaL_optstring(L, 6, NULL), *kinds = luaL_optstring(L, 8, "");
  size_t n = 0;
  const char **names = lua_isnoneornil(L, 7) ? NULL : lcul_string_list(L, 7, &n, name_or_none);
  lcul_loaded *home = &m->loaded[device];
  lcu_function *f;
  if (home->module == NULL) return luaL_error(L, "the module is not loaded on this device");
  lcul_context_note(L, 1, d, &user);
  lcul_status(L, lcu_function_get(home->module, lowered, name, signature, &f));
  make_binding(L, k, device, f, names, n, kinds, home);
  return 0;
}

/* core.kernel_unbind(kernel, device) -> false while a launch of it is being prepared: then it stays
 * bound */
static int core_kernel_unbind (lua_State *L) {
  lcul_kernel *k = lcul_kernel_check(L, 1);
  int device = lcul_device_index(lcul_device_check(L, 2));
  if (!k->busy) {
    k->last = NULL;
    binding_free(k->bindings[device]);
    k->bindings[device] = NULL;
  }
  lua_pushboolean(L, !k->busy);
  return 1;
}

lcul_binding *lcul_kernel_bind (lua_State *L, int idx, lcul_kernel *k, lcu_device *d) {
  if (lcu_likely(k->last && k->last->function->device == d)) return k->last;
  int device = lcul_device_index(d);
  if (k->bindings[device] == NULL) {
    luaL_checkstack(L, 6, NULL);
    lcul_push_hook(L, "kernel", "resolve");
    lua_pushvalue(L, idx);
    lcul_device_push(L, d);
    lua_call(L, 2, 0);
    if (!k->open || k->bindings[device] == NULL) lcul_misuse(L, "attempt to use a closed Kernel");
  }
  return k->last = k->bindings[device];
}

lcul_binding *lcul_kernel_current (lua_State *L) {
  lcul_kernel *k = lcul_kernel_check(L, 1);
  return lcul_kernel_bind(L, 1, k, lcul_device_current(L));
}


/* ---- fields ---- */

static int kernel_name (lua_State *L) {
  lcul_kernel_check(L, 1);
  lcul_push_hook(L, "kernel", "name");
  lua_pushvalue(L, 1);
  lua_call(L, 1, 1);
  return 1;
}

static const char *kind_name (const lcul_conv *v) {
  const lcu_param *p = v->param;
  if (v->handle == LCUL_HANDLE_TEXTURE) return "texture";
  if (v->handle == LCUL_HANDLE_SURFACE) return "surface";
  if (p->kind == LCU_PARAM_POINTER) return "pointer";
  if (p->kind == LCU_PARAM_SCALAR) return "number";
  if (p->kind == LCU_PARAM_OPAQUE) return p->indirections > 0 ? "pointer" : "unknown";
  if (p->is_enum) return "enum";
  return p->vector > 1 ? "vector" : p->dtype != NULL ? "number" : "struct";
}

static void push_param (lua_State *L, const lcul_conv *v) {
  const lcu_param *p = v->param;
  lua_createtable(L, 0, 10);
  if (*v->name) lcul_set_string(L, "name", v->name);
  lcul_set_string(L, "type", p->type_name);
  lcul_set_string(L, "kind", kind_name(v));
  lcul_set_string(L, "dtype", p->dtype != NULL ? p->dtype->name : NULL);
  lcul_set_string(L, "class", p->class_name);
  lcul_set_boolean(L, "known", p->known);
  lcul_set_boolean(L, "const", p->kind == LCU_PARAM_POINTER && p->is_const);
  lcul_set_integer(L, "lanes", p->vector);
  lcul_set_integer(L, "size", p->size);
  lcul_set_integer(L, "offset", p->offset);
}

static int kernel_signature (lua_State *L) {
  const lcul_plan *plan = lcul_kernel_current(L)->plan;
  lua_createtable(L, (int)plan->num, 0);
  for (size_t i = 0; i < plan->num; i++) {
    push_param(L, &plan->conv[i]);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  return 1;
}

static int kernel_tostring (lua_State *L) {
  lcul_kernel *k = lcul_check(L, 1, LCUL_KERNEL);
  if (!k->open) {
    lua_pushliteral(L, "luacuda.Kernel (closed)");
    return 1;
  }
  lcul_push_hook(L, "kernel", "tostring");
  lua_pushvalue(L, 1);
  lua_call(L, 1, 1);
  return 1;
}


/* ---- registration ---- */

static const luaL_Reg kernel_functions[] = { { "kernel_new", core_kernel_new },
                                             { "kernel_state", core_kernel_state },
                                             { "kernel_bind", core_kernel_bind },
                                             { "kernel_unbind", core_kernel_unbind },
                                             { NULL, NULL } };

static const luaL_Reg kernel_methods[] = { { "free", kernel_free },
                                           { "close", kernel_free },
                                           { NULL, NULL } };

static const luaL_Reg kernel_getters[] = { { "name", kernel_name },
                                           { "signature", kernel_signature },
                                           { NULL, NULL } };

static const luaL_Reg kernel_metamethods[] = { { "__gc", kernel_gc },
                                               { "__close", kernel_free },
                                               { "__closed", kernel_closed },
                                               { "__tostring", kernel_tostring },
                                               { NULL, NULL } };

void lcul_open_kernel (lua_State *L) {
  static const lcul_classdef def = { .id = LCUL_KERNEL,
                                     .methods = kernel_methods,
                                     .getters = kernel_getters,
                                     .metamethods = kernel_metamethods };
  lcul_newclass(L, &def);
  lcul_setfuncs(L, kernel_functions);
}
