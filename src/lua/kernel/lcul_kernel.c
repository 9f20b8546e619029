/* lcul_kernel.c: class Kernel: a function of a module, bound to each device when it is first used
 * there. */
#include "lcul_kernel.h"

#include <string.h>

lcul_kernel *lcul_kernel_check (lua_State *L, int idx) {
  lcul_kernel *k = lcul_check(L, idx, LCUL_KERNEL);
  if (!k->open) lcul_misuse(L, "attempt to use a closed Kernel");
  return k;
}

static void binding_free (lcul_binding *b) {
  if (!b) return;
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
}

/* Whoever uses the bindings now has the kernel on its stack: they go with it. */
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
                                   const char *const *names, size_t n, lcul_loaded *home) {
  lcul_binding *b = lcu_calloc(1, sizeof *b);
  lcul_plan *plan = b ? lcul_plan_new(f, names, n) : NULL;
  if (!plan) {
    lcu_free(b);
    lcu_unref(f);
    lcul_status(L, lcu_fail(LCU_E_NOMEM, "out of memory"));
  }
  *b = (lcul_binding){ f, plan, home };
  binding_free(k->bindings[device]);
  k->bindings[device] = b;
  k->last = b;
  return b;
}

/* Names of parameters as an array of strings in a userdata; the strings stay in their table. */
static const char **name_list (lua_State *L, int idx, size_t *n) {
  *n = lua_istable(L, idx) ? (size_t)lua_rawlen(L, idx) : 0;
  const char **list = lua_newuserdatauv(L, (*n + 1) * sizeof *list, 0);
  for (size_t i = 0; i < *n; i++) {
    list[i] = lua_rawgeti(L, idx, (lua_Integer)i + 1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
    lua_pop(L, 1);
  }
  return list;
}

/* core.kernel_bind(kernel, module, device, lowered, name, signature or nil, param_names or nil) */
static int core_kernel_bind (lua_State *L) {
  lcul_kernel *k = lcul_kernel_check(L, 1);
  lcul_module *m = lcul_module_check(L, 2);
  int device = lcul_device_index(lcul_device_check(L, 3));
  const char *lowered = luaL_checkstring(L, 4), *name = luaL_checkstring(L, 5),
             *signature = luaL_optstring(L, 6, NULL);
  size_t n;
  const char **names = name_list(L, 7, &n);
  lcul_loaded *home = &m->loaded[device];
  lcu_function *f;
  if (!home->module) return luaL_error(L, "the module is not loaded on this device");
  lcul_status(L, lcu_function_get(home->module, lowered, name, signature, &f));
  make_binding(L, k, device, f, names, n, home);
  return 0;
}

/* core.kernel_unbind(kernel, device) -> false where a launch of it is being made: then it stays */
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
  if (!k->bindings[device]) {
    luaL_checkstack(L, 6, NULL);
    lcul_push_hook(L, "kernel", "resolve");
    lua_pushvalue(L, idx);
    lcul_device_push(L, d);
    lua_call(L, 2, 0);
    if (!k->open || !k->bindings[device]) lcul_misuse(L, "attempt to use a closed Kernel");
  }
  return k->last = k->bindings[device];
}

/* The binding on the current device, for fields. */
static lcul_binding *current_binding (lua_State *L) {
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

/* core.kernel_attribute(kernel, name) -> its value on the current device */
static int core_kernel_attribute (lua_State *L) {
  size_t len;
  const char *name = luaL_checklstring(L, 2, &len);
  int attr = lcu_func_attr_find(name, len), value = 0;
  luaL_argcheck(L, attr >= 0, 2, "no such attribute");
  lcul_status(L, lcu_function_attribute(current_binding(L)->function, attr, &value));
  lua_pushinteger(L, value);
  return 1;
}

/* core.kernel_attribute_names() -> list */
static int core_kernel_attribute_names (lua_State *L) {
  lua_createtable(L, CU_FUNC_COUNT, 0);
  for (int i = 0; i < CU_FUNC_COUNT; i++) {
    lua_pushstring(L, lcu_func_attr_name(i));
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

static int kernel_attributes (lua_State *L) {
  lcul_check_most(L, 1);
  lcul_binding *b = current_binding(L);
  lua_newtable(L);
  for (int i = 0; i < CU_FUNC_COUNT; i++) {
    int value = 0;
    lcu_status s = lcu_function_attribute(b->function, i, &value);
    if (s == CU_ERR_INVALID_VALUE || s == CU_ERR_NOT_SUPPORTED) value = -1;
    else lcul_status(L, s);
    lcul_set_integer(L, lcu_func_attr_name(i), value);
  }
  return 1;
}

static void set_attribute (lua_State *L, lcu_function *f, int attr, int value) {
  lcu_status s = lcu_function_set_attribute(f, attr, value);
  if (s == LCU_E_ARGUMENT) lcul_misuse(L, "%s", lcu_failure_get()->message);
  lcul_status(L, s);
}

/* Assignment holds for every device: those already bound, and (through the kernel's table) those to
 * come. */
static int set_everywhere (lua_State *L, int attr) {
  lcul_kernel *k = lcul_kernel_check(L, 1);
  const char *name = lcu_func_attr_name(attr);
  int ok = 0;
  lua_Integer v = lua_type(L, 2) == LUA_TNUMBER ? lua_tointegerx(L, 2, &ok) : 0;
  if (!ok || v < -1 || v > INT32_MAX) {
    char got[96];
    return lcul_misuse(L, "kernel.%s: expected an integer from -1 to %d, got %s", name, INT32_MAX,
                       lcul_describe(L, 2, got, sizeof got));
  }
  lcul_kernel_bind(L, 1, k, lcul_device_current(L));
  for (size_t i = 0; i < LCU_MAX_DEVICES; i++)
    if (k->bindings[i]) set_attribute(L, k->bindings[i]->function, attr, (int)v);
  lua_getiuservalue(L, 1, 1);
  luaL_getsubtable(L, -1, "settings");
  lcul_set_integer(L, name, v);
  return 0;
}

/* core.kernel_set(kernel, device, name, value): a setting for a device bound later. */
static int core_kernel_set (lua_State *L) {
  lcul_kernel *k = lcul_kernel_check(L, 1);
  int device = lcul_device_index(lcul_device_check(L, 2));
  size_t len;
  const char *name = luaL_checklstring(L, 3, &len);
  int attr = lcu_func_attr_find(name, len);
  if (attr >= 0 && k->bindings[device])
    set_attribute(L, k->bindings[device]->function, attr, (int)luaL_checkinteger(L, 4));
  return 0;
}

static int set_dynamic_shared (lua_State *L) {
  return set_everywhere(L, CU_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES);
}
static int set_carveout (lua_State *L) {
  return set_everywhere(L, CU_FUNC_PREFERRED_SHARED_MEMORY_CARVEOUT);
}
static int set_cluster_size (lua_State *L) {
  return set_everywhere(L, CU_FUNC_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
}
static int set_cluster_policy (lua_State *L) {
  return set_everywhere(L, CU_FUNC_CLUSTER_SCHEDULING_POLICY_PREFERENCE);
}

static int read_only (lua_State *L) {
  return lcul_misuse(L, "field '%s' of a Kernel can only be read", lua_tostring(L, 3));
}


/* ---- signature as data ---- */

static const char *kind_name (const lcu_param *p) {
  if (p->kind == LCU_PARAM_POINTER) return "pointer";
  if (p->kind == LCU_PARAM_SCALAR) return "number";
  if (p->kind == LCU_PARAM_OPAQUE) return p->indirections > 0 ? "pointer" : "unknown";
  if (p->is_enum) return "enum";
  return p->vector > 1 ? "vector" : p->dtype ? "number" : "struct";
}

static void push_param (lua_State *L, const lcul_conv *v) {
  const lcu_param *p = v->param;
  lua_createtable(L, 0, 10);
  if (*v->name) lcul_set_string(L, "name", v->name);
  lcul_set_string(L, "type", p->type_name);
  lcul_set_string(L, "kind", kind_name(p));
  lcul_set_string(L, "dtype", p->dtype ? p->dtype->name : NULL);
  lcul_set_string(L, "class", p->class_name);
  lcul_set_boolean(L, "known", p->known);
  lcul_set_boolean(L, "const", p->kind == LCU_PARAM_POINTER && p->is_const);
  lcul_set_integer(L, "lanes", p->vector);
  lcul_set_integer(L, "size", p->size);
  lcul_set_integer(L, "offset", p->offset);
}

static int kernel_signature (lua_State *L) {
  const lcul_plan *plan = current_binding(L)->plan;
  lua_createtable(L, (int)plan->num, 0);
  for (size_t i = 0; i < plan->num; i++) {
    push_param(L, &plan->conv[i]);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  return 1;
}


/* ---- occupancy ---- */

/* kernel:occupancy(block [, shared]) -> blocks per multiprocessor, share of the threads it can hold
 * (0 to 1) */
static int kernel_occupancy (lua_State *L) {
  lcul_check_most(L, 3);
  lcul_binding *b = current_binding(L);
  lcul_request r;
  lcu_device *d = b->function->device;
  int blocks = 0, most = 0, dynamic = (int)luaL_optinteger(L, 3, 0);
  luaL_checkany(L, 2);
  if (dynamic < 0) return luaL_argerror(L, 3, "expected the bytes of dynamic shared memory");
  lua_createtable(L, 0, 2);
  lua_pushvalue(L, 2);
  lua_setfield(L, -2, "block");
  lcul_set_integer(L, "grid", 1);
  lcul_request_read(L, lua_gettop(L), b->function->name, false, &r);
  uint64_t volume = (uint64_t)r.block[0] * r.block[1];
  volume = volume > INT32_MAX ? volume : volume * r.block[2];
  if (volume > INT32_MAX)
    return lcul_misuse(L, "%s: occupancy: a block cannot have that many threads",
                       b->function->name);
  int threads = (int)volume;
  lcul_status(L, lcu_function_occupancy(b->function, threads, (size_t)dynamic, &blocks));
  lcul_status(L, lcu_device_attribute(d, CU_ATTR_max_threads_per_multiprocessor, &most));
  lua_pushinteger(L, blocks);
  lua_pushnumber(L, most > 0 ? (lua_Number)blocks * threads / most : 0);
  return 2;
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

static const luaL_Reg functions[] = { { "kernel_new", core_kernel_new },
                                      { "kernel_state", core_kernel_state },
                                      { "kernel_bind", core_kernel_bind },
                                      { "kernel_unbind", core_kernel_unbind },
                                      { "kernel_set", core_kernel_set },
                                      { "kernel_attribute", core_kernel_attribute },
                                      { "kernel_attribute_names", core_kernel_attribute_names },
                                      { NULL, NULL } };

static const luaL_Reg methods[] = { { "attributes", kernel_attributes },
                                    { "occupancy", kernel_occupancy },
                                    { "free", kernel_free },
                                    { "close", kernel_free },
                                    { NULL, NULL } };

static const luaL_Reg getters[] = { { "name", kernel_name },
                                    { "signature", kernel_signature },
                                    { NULL, NULL } };

static const luaL_Reg setters[] = { { "max_dynamic_shared_size_bytes", set_dynamic_shared },
                                    { "preferred_shared_memory_carveout", set_carveout },
                                    { "non_portable_cluster_size_allowed", set_cluster_size },
                                    { "cluster_scheduling_policy_preference", set_cluster_policy },
                                    { "name", read_only },
                                    { "num_regs", read_only },
                                    { "max_threads_per_block", read_only },
                                    { "shared_size_bytes", read_only },
                                    { "const_size_bytes", read_only },
                                    { "local_size_bytes", read_only },
                                    { "ptx_version", read_only },
                                    { "binary_version", read_only },
                                    { NULL, NULL } };

static const luaL_Reg metamethods[] = {
  { "__gc", kernel_gc },          { "__close", kernel_free },
  { "__closed", kernel_closed },  { "__tostring", kernel_tostring },
  { "__call", lcul_kernel_call }, { NULL, NULL }
};

void lcul_open_kernel (lua_State *L) {
  static const lcul_classdef def = { .id = LCUL_KERNEL,
                                     .name = "Kernel",
                                     .methods = methods,
                                     .getters = getters,
                                     .setters = setters,
                                     .metamethods = metamethods };
  lcul_newclass(L, &def);
  lcul_setfuncs(L, functions);
  lcul_open_argument(L);
  lcul_open_kernel_launch(L);
}
