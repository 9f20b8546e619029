/* lcul_kernel_attribute.c: attributes and settings of kernels. */
#include <string.h>

#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_describe.h"
#include "lcul_device.h"
#include "lcul_error.h"
#include "lcul_kernel.h"
#include "lcul_position.h"
#include "lcul_set.h"

/* core.kernel_attribute(kernel, name) -> its value on the current device */
static int core_kernel_attribute (lua_State *L) {
  size_t len;
  const char *name = luaL_checklstring(L, 2, &len);
  int attr = lcu_func_attr_find(name, len), value = 0;
  luaL_argcheck(L, attr >= 0, 2, "no such attribute");
  lcul_status(L, lcu_function_attribute(lcul_kernel_current(L)->function, attr, &value));
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
  lcul_binding *b = lcul_kernel_current(L);
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

/* cache_config, which the driver does not count among the attributes, comes after them. */
enum { CACHE_CONFIG = CU_FUNC_COUNT };

static const char *const caches[] = {
  [CU_CACHE_NONE] = "none",
  [CU_CACHE_SHARED] = "shared",
  [CU_CACHE_L1] = "l1",
  [CU_CACHE_EQUAL] = "equal",
};

static const char *setting_name (int setting) {
  return setting == CACHE_CONFIG ? "cache_config" : lcu_func_attr_name(setting);
}

static void set_one (lua_State *L, lcu_function *f, int setting, int value) {
  if (setting == CACHE_CONFIG) lcul_status(L, lcu_function_set_cache(f, value));
  else set_attribute(L, f, setting, value);
}

/* Applies to every device: those already bound and, through the kernel's table, those bound
 * later. */
static int set_everywhere (lua_State *L, int setting, int value) {
  lcul_kernel *k = lcul_kernel_check(L, 1);
  lcul_kernel_bind(L, 1, k, lcul_device_current(L));
  for (size_t i = 0; i < LCU_MAX_DEVICES; i++)
    if (k->bindings[i] != NULL) set_one(L, k->bindings[i]->function, setting, value);
  lua_getiuservalue(L, 1, 1);
  luaL_getsubtable(L, -1, "settings");
  lcul_set_integer(L, setting_name(setting), value);
  return 0;
}

static int set_integer (lua_State *L, int attr) {
  lua_Integer v = 0;
  bool ok = lcul_to_integer(L, 2, &v);
  lcul_kernel_check(L, 1);
  if (!ok || v < -1 || v > INT32_MAX) {
    char got[96];
    return lcul_misuse(L, "kernel.%s: expected an integer from -1 to %d, got %s",
                       setting_name(attr), INT32_MAX, lcul_describe(L, 2, got, sizeof got));
  }
  return set_everywhere(L, attr, (int)v);
}

/* core.kernel_set(kernel, device, name, value): a setting for a device bound later. "cooperative"
 * is the library's own: the launches of the kernel are cooperative. */
static int core_kernel_set (lua_State *L) {
  lcul_kernel *k = lcul_kernel_check(L, 1);
  int device = lcul_device_index(lcul_device_check(L, 2));
  size_t len;
  const char *name = luaL_checklstring(L, 3, &len);
  int value = (int)luaL_checkinteger(L, 4);
  int setting = strcmp(name, "cache_config") == 0 ? CACHE_CONFIG : lcu_func_attr_find(name, len);
  if (k->bindings[device] == NULL) return 0;
  if (strcmp(name, "cooperative") == 0) k->bindings[device]->function->cooperative = value != 0;
  else if (setting >= 0) set_one(L, k->bindings[device]->function, setting, value);
  return 0;
}

static int set_cache (lua_State *L) {
  lcul_kernel_check(L, 1);
  const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
  for (int i = 0; i < (int)lcu_arraylen(caches); i++)
    if (strcmp(name, caches[i]) == 0) return set_everywhere(L, CACHE_CONFIG, i);
  char got[96];
  return lcul_misuse(L, "kernel.cache_config: expected 'shared', 'l1', 'equal' or 'none', got %s",
                     lcul_describe(L, 2, got, sizeof got));
}

/* The driver has no way to ask. */
static int get_cache (lua_State *L) {
  lcul_kernel_check(L, 1);
  lua_getiuservalue(L, 1, 1);
  luaL_getsubtable(L, -1, "settings");
  lua_Integer config =
    lua_getfield(L, -1, "cache_config") == LUA_TNUMBER ? lua_tointeger(L, -1) : 0;
  lua_pushstring(L, caches[config]);
  return 1;
}

#define SETTER(function, ATTR) \
  static int function(lua_State *L) { return set_integer(L, CU_FUNC_##ATTR); }
SETTER(set_dynamic_shared, MAX_DYNAMIC_SHARED_SIZE_BYTES)
SETTER(set_carveout, PREFERRED_SHARED_MEMORY_CARVEOUT)
SETTER(set_cluster_width, REQUIRED_CLUSTER_WIDTH)
SETTER(set_cluster_height, REQUIRED_CLUSTER_HEIGHT)
SETTER(set_cluster_depth, REQUIRED_CLUSTER_DEPTH)
SETTER(set_cluster_size, NON_PORTABLE_CLUSTER_SIZE_ALLOWED)
SETTER(set_cluster_policy, CLUSTER_SCHEDULING_POLICY_PREFERENCE)
#undef SETTER

static int read_only (lua_State *L) {
  return lcul_misuse(L, "field '%s' of a Kernel can only be read", lua_tostring(L, 3));
}

static const luaL_Reg setters[] = { { "max_dynamic_shared_size_bytes", set_dynamic_shared },
                                    { "preferred_shared_memory_carveout", set_carveout },
                                    { "non_portable_cluster_size_allowed", set_cluster_size },
                                    { "cluster_scheduling_policy_preference", set_cluster_policy },
                                    { "required_cluster_width", set_cluster_width },
                                    { "required_cluster_height", set_cluster_height },
                                    { "required_cluster_depth", set_cluster_depth },
                                    { "cache_config", set_cache },
                                    { "name", read_only },
                                    { "options", read_only },
                                    { "signature", read_only },
                                    { "cache_mode_ca", read_only },
                                    { "cluster_size_must_be_set", read_only },
                                    { "num_regs", read_only },
                                    { "max_threads_per_block", read_only },
                                    { "shared_size_bytes", read_only },
                                    { "const_size_bytes", read_only },
                                    { "local_size_bytes", read_only },
                                    { "ptx_version", read_only },
                                    { "binary_version", read_only },
                                    { NULL, NULL } };

void lcul_open_kernel_attribute (lua_State *L) {
  static const luaL_Reg functions[] = { { "kernel_set", core_kernel_set },
                                        { "kernel_attribute", core_kernel_attribute },
                                        { "kernel_attribute_names", core_kernel_attribute_names },
                                        { NULL, NULL } };
  static const luaL_Reg getters[] = { { "cache_config", get_cache }, { NULL, NULL } };
  static const luaL_Reg methods[] = { { "attributes", kernel_attributes }, { NULL, NULL } };
  lcul_setfuncs(L, functions);
  lcul_extend(L, LCUL_KERNEL, LCUL_METHODS, methods);
  lcul_extend(L, LCUL_KERNEL, LCUL_GETTERS, getters);
  lcul_extend(L, LCUL_KERNEL, LCUL_SETTERS, setters);
}
