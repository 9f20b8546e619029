/* lcul_array_class.c: class Array: closing, fields, and the methods of all files. */
#include <stdio.h>

#include "lcul_array.h"
#include "lcul_array_memory.h"
#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_collect.h"
#include "lcul_device.h"
#include "lcul_dims.h"
#include "lcul_foreign.h"
#include "lcul_mail.h"
#include "lcul_position.h"
#include "lcul_set.h"
#include "lcul_uses.h"


/* ---- closing ---- */

static bool has_owner (lua_State *L, int idx, const lcul_array *a) {
  if (!a->anchors) return false;
  bool owned = lua_getiuservalue(L, idx, LCUL_UV_OWNER) != LUA_TNIL;
  lua_pop(L, 1);
  return owned;
}

/* The owner of foreign memory (cuda.wrap, cuda.register) is released only after the work that uses
 * the memory. */
static void end_array (lua_State *L, lcul_array *a) {
  lcu_block *b = a->block;
  uint64_t address = b->address;
  a->block = NULL;
  bool foreign = b->memory == LCU_MEM_FOREIGN || b->memory == LCU_MEM_REGISTERED;
  if (foreign && has_owner(L, 1, a)) lcu_block_wait_quiet(b);
  lcu_unref(b);
  if (foreign) lcul_mail_settle(L, lcul_getstate(L)); /* of a tensor's owner */
  if (lcu_unlikely(lcul_getstate(L)->traces_arrays)) lcul_array_trace_end(L, 1, address);
}

static int array_gc (lua_State *L) {
  lcul_array *a = lcul_check(L, 1, LCUL_ARRAY);
  if (a->block != NULL) end_array(L, a);
  return 0;
}

static int array_close (lua_State *L) {
  lcul_array *a = lcul_check(L, 1, LCUL_ARRAY);
  if (a->block == NULL) return 0;
  if (lcu_object_is_last(&a->block->base)) lcul_gc_repay(L, a->block->size);
  end_array(L, a);
  return 0;
}


/* ---- fields ---- */

static int array_shape (lua_State *L) {
  const lcul_array *a = lcul_array_check(L, 1);
  lcul_dims_push(L, a->shape, a->ndim);
  return 1;
}

static int array_strides (lua_State *L) {
  const lcul_array *a = lcul_array_check(L, 1);
  lcul_dims_push(L, a->strides, a->ndim);
  return 1;
}

static int array_dtype (lua_State *L) {
  const lcul_array *a = lcul_array_check(L, 1);
  if (a->dtype->kind != LCU_KIND_STRUCT || lua_getiuservalue(L, 1, LCUL_UV_DTYPE) == LUA_TNIL)
    lua_pushstring(L, a->dtype->name);
  return 1;
}

static int array_size (lua_State *L) {
  lua_pushinteger(L, lcul_array_check(L, 1)->size);
  return 1;
}

static int array_ndim (lua_State *L) {
  lua_pushinteger(L, lcul_array_check(L, 1)->ndim);
  return 1;
}

static int array_is_contiguous (lua_State *L) {
  lua_pushboolean(L, lcul_array_check(L, 1)->contiguous);
  return 1;
}

static int array_device (lua_State *L) {
  lcul_device_push(L, lcul_array_check(L, 1)->block->device);
  return 1;
}

static int array_memory (lua_State *L) {
  lua_pushstring(L, lcu_memory_name(lcul_array_check(L, 1)->block->memory));
  return 1;
}

static int array_is_readonly (lua_State *L) {
  lua_pushboolean(L, lcul_array_check(L, 1)->block->readonly);
  return 1;
}

static int array_nbytes (lua_State *L) {
  const lcul_array *a = lcul_array_check(L, 1);
  lua_pushinteger(L, a->size * a->dtype->size);
  return 1;
}

static int array_pointer (lua_State *L) {
  const lcul_array *a = lcul_array_check(L, 1);
  lua_pushinteger(L, (lua_Integer)a->block->address + a->offset);
  return 1;
}

static int array_len (lua_State *L) {
  const lcul_array *a = lcul_array_check(L, 1);
  if (a->ndim == 0) return lcul_misuse(L, "an Array without axes has no length (#)");
  lua_pushinteger(L, a->shape[0]);
  return 1;
}

static int array_same_shape (lua_State *L) {
  lcul_check_most(L, 2);
  const lcul_array *b = lcul_foreign_check(L, 2), *a = lcul_array_check(L, 1);
  lua_pushboolean(L, lcul_array_same_shape(a, b));
  return 1;
}

/* core.same_device(a, b) -> a.device == b.device */
static int core_same_device (lua_State *L) {
  const lcul_array *a = lcul_array_check(L, 1), *b = lcul_array_check(L, 2);
  lua_pushboolean(L, a->block->device == b->block->device);
  return 1;
}

/* core.overlap(a, b): do two arrays span bytes of the same memory? */
static int core_overlap (lua_State *L) {
  const lcul_array *a = lcul_array_check(L, 1), *b = lcul_array_check(L, 2);
  lua_pushboolean(L, a->size > 0 && b->size > 0 && lcul_array_overlap(a, b));
  return 1;
}


/* ---- registration ---- */

/* Lua converts the result of __lt to a boolean, so operators cannot compare element by element. Lua
 * also turns a > b into b < a first, so the operator in the source is unknown. */
static int no_order (lua_State *L, const char *less, const char *greater, const char *l,
                     const char *g) {
  return lcul_misuse(
    L,
    "arrays cannot be compared with '%s' or '%s', which give one boolean; use a:%s(b) or a:%s(b)",
    less, greater, l, g);
}

static int array_lt (lua_State *L) { return no_order(L, "<", ">", "lt", "gt"); }

static int array_le (lua_State *L) { return no_order(L, "<=", ">=", "le", "ge"); }

static const luaL_Reg array_methods[] = { { "free", array_close },
                                          { "close", array_close },
                                          { "same_shape", array_same_shape },
                                          { NULL, NULL } };

static const luaL_Reg array_getters[] = { { "shape", array_shape },
                                          { "strides", array_strides },
                                          { "dtype", array_dtype },
                                          { "size", array_size },
                                          { "nbytes", array_nbytes },
                                          { "ndim", array_ndim },
                                          { "device", array_device },
                                          { "memory", array_memory },
                                          { "pointer", array_pointer },
                                          { "is_contiguous", array_is_contiguous },
                                          { "is_readonly", array_is_readonly },
                                          { NULL, NULL } };

static const luaL_Reg array_metamethods[] = {
  { "__gc", array_gc }, { "__close", array_close }, { "__len", array_len },
  { "__lt", array_lt }, { "__le", array_le },       { "__tostring", lcul_array_tostring },
  { NULL, NULL }
};

/* "Array float32 {2, 3}" */
static void describe_array (lua_State *L, int idx, char *buf, size_t size) {
  const lcul_array *a = lcul_toobject(L, idx);
  if (a->block == NULL) {
    snprintf(buf, size, "closed Array");
    return;
  }
  size_t n = (size_t)snprintf(buf, size, "Array %s {", a->dtype->name);
  for (int i = 0; i < a->ndim && n < size; i++)
    n += (size_t)snprintf(buf + n, size - n, "%s%lld", i == 0 ? "" : ", ", (long long)a->shape[i]);
  if (n < size) snprintf(buf + n, size - n, "}");
}

/* "float32 array" */
static void describe_type (lua_State *L, int idx, char *buf, size_t size) {
  const lcul_array *a = lcul_toobject(L, idx);
  snprintf(buf, size, "%s array", a->block != NULL ? a->dtype->name : "closed");
}

void lcul_open_array (lua_State *L) {
  static const luaL_Reg functions[] = { { "overlap", core_overlap },
                                        { "same_device", core_same_device },
                                        { NULL, NULL } };
  static const lcul_classdef def = { .id = LCUL_ARRAY,
                                     .methods = array_methods,
                                     .getters = array_getters,
                                     .metamethods = array_metamethods,
                                     .index = lcul_array_index,
                                     .newindex = lcul_array_newindex,
                                     .fallback = lcul_array_lane,
                                     .new_fallback = lcul_array_new_lane,
                                     .boxed = true,
                                     .describe = describe_array,
                                     .describe_type = describe_type,
                                     .field_address = lcul_array_field_address };
  lcul_newclass(L, &def);
  lcul_setfuncs(L, functions);
  lcul_open_array_trace(L);
  lcul_extend(L, LCUL_ARRAY, LCUL_METHODS, lcul_index_methods);
  lcul_extend(L, LCUL_ARRAY, LCUL_METHODS, lcul_content_methods);
  lcul_extend(L, LCUL_ARRAY, LCUL_METHODS, lcul_view_methods);
  lcul_extend(L, LCUL_ARRAY, LCUL_METHODS, lcul_field_methods);
  lcul_extend(L, LCUL_ARRAY, LCUL_METHODS, lcul_copy_methods);
}
