/* lcul_wrap.c: core.wrap: arrays over memory that the library does not own, given as an address, or
 * by an object that describes it. */
#include <inttypes.h>
#include <string.h>

#include "lcu_device_failure.h"
#include "lcu_scope.h"
#include "lcu_work.h"
#include "lcul_array_memory.h"
#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_describe.h"
#include "lcul_device.h"
#include "lcul_error.h"
#include "lcul_foreign.h"
#include "lcul_list.h"
#include "lcul_option.h"
#include "lcul_pointer.h"
#include "lcul_position.h"
#include "lcul_scope.h"
#include "lcul_set.h"
#include "lcul_stream.h"
#include "lcul_strides.h"

/* What is wrapped; the arguments are at stack indices 1 (address), 2 (shape), opts (0: none). */
typedef struct wrapping {
  uint64_t address; /* of element {1, 1, ...} */
  lcul_shape shape;
  const lcu_dtype *dtype;
  int dtype_idx, opts;
  bool host, readonly, strided;
  int64_t strides[LCUL_MAX_DIMS]; /* bytes, where `strided` */
  int64_t first, last;            /* the bytes of all elements, from `address` */
  lcu_device *device;
} wrapping;


/* ---- arguments ---- */

static uint64_t wrapped_address_arg (lua_State *L, int idx) {
  const lcul_pointer *p = lcul_test(L, idx, LCUL_POINTER);
  if (p != NULL) return p->address;
  if (lua_islightuserdata(L, idx)) return (uint64_t)(uintptr_t)lua_touserdata(L, idx);
  return (uint64_t)lcul_integer_arg(L, idx, "wrap", idx, "address");
}

static bool wants_host (lua_State *L, int opts) {
  const char *memory = opts ? lcul_opt_string(L, opts, "memory", "device") : "device";
  bool host = strcmp(memory, "host") == 0;
  if (!host && strcmp(memory, "device") != 0)
    lcul_misuse(L, "wrap: option 'memory': expected \"device\" or \"host\", got \"%s\"", memory);
  return host;
}

/* The CPU device works on host memory. */
static lcu_device *cpu_device (lua_State *L) {
  lua_pushliteral(L, "cpu");
  lcu_device *d = lcul_device_arg(L, -1);
  lua_pop(L, 1);
  return d;
}

static int64_t stride_at (lua_State *L, int list, int axis) {
  char got[96];
  lua_Integer n = 0;
  (void)lcul_list_raw_item(L, list, axis + 1);
  if (!lcul_to_integer(L, -1, &n))
    lcul_misuse(L, "wrap: option 'strides': expected a list of integers (bytes), got %s in it",
                lcul_describe_value(L, -1, got, sizeof got));
  lua_pop(L, 1);
  return n;
}

static void opt_strides (lua_State *L, wrapping *w) {
  if (!w->opts || !lcul_opt_push(L, w->opts, "strides")) return;
  int list = lua_gettop(L);
  if (lcul_list_raw_length(L, list) != w->shape.ndim)
    lcul_misuse(L,
                "wrap: option 'strides': expected a list of %d integers (bytes), one for each "
                "axis",
                w->shape.ndim);
  w->strided = true;
  for (int i = 0; i < w->shape.ndim; i++) w->strides[i] = stride_at(L, list, i);
  lua_pop(L, 1);
}

/* Sets `first` and `last`; false: the strides lead outside of any memory. */
static bool measure_wrapping (wrapping *w) {
  w->first = 0;
  w->last = w->shape.size * w->dtype->size;
  if (!w->strided || w->shape.size == 0) return true;
  w->last = w->dtype->size;
  for (int i = 0; i < w->shape.ndim; i++) {
    int64_t reach, *end = w->strides[i] < 0 ? &w->first : &w->last;
    if (__builtin_mul_overflow(w->shape.dims[i] - 1, w->strides[i], &reach) ||
        __builtin_add_overflow(*end, reach, end))
      return false;
  }
  return w->last - (w->first + 1) >= 0;
}

/* Addresses and strides that no element of the dtype can have. */
static void check_place (lua_State *L, const wrapping *w) {
  if (w->address == 0 && w->shape.size > 0)
    lcul_fail_arg(L, "wrap", 1, "address", "NULL is not an address of memory");
  if (w->address % w->dtype->align != 0)
    lcul_fail_arg(L, "wrap", 1, "address", "0x%" PRIx64 " is not aligned for %s", w->address,
                  w->dtype->name);
  for (int i = 0; w->strided && i < w->shape.ndim; i++)
    if (w->strides[i] % (int64_t)w->dtype->align != 0)
      lcul_misuse(L, "wrap: option 'strides': %" PRId64 " bytes are not aligned for %s",
                  w->strides[i], w->dtype->name);
}

static void read_options (lua_State *L, wrapping *w) {
  w->host = wants_host(L, w->opts);
  w->readonly = w->opts && lcul_opt_bool(L, w->opts, "readonly", false);
  opt_strides(L, w);
  if (!measure_wrapping(w)) lcul_misuse(L, "wrap: option 'strides': more than any memory holds");
  w->device = w->host ? cpu_device(L) : lcul_memory_device(L, w->opts);
}


/* ---- is it memory of the device? ---- */

/* The driver must recognize both ends of device memory. */
static lcu_status ask_driver (lcu_device *d, cu_deviceptr first, cu_deviceptr last) {
  unsigned type = 0;
  LCU_TRY(LCU_CALL(d->drv, cuPointerGetAttribute, (&type, CU_POINTER_MEMORY_TYPE, first)));
  return LCU_CALL(d->drv, cuPointerGetAttribute, (&type, CU_POINTER_MEMORY_TYPE, last));
}

static void check_known (lua_State *L, const wrapping *w) {
  lcu_scope scope;
  lcu_device *d = w->device;
  uint64_t first = w->address + (uint64_t)w->first, last = w->address + (uint64_t)w->last - 1;
  lcul_status(L, lcu_device_open(d));
  lcul_status(L, lcu_device_enter(d, &scope));
  lcu_status st = ask_driver(d, first, last);
  lcu_device_leave(&scope);
  if (st == CU_ERR_INVALID_VALUE)
    lcul_fail_arg(L, "wrap", 1, "address", "0x%" PRIx64 " to 0x%" PRIx64 " is not memory of %s",
                  first, last, d->label);
  lcul_status(L, lcu_device_status(d, st));
}


/* ---- the array ---- */

static void set_layout (lcul_array *a, const wrapping *w) {
  a->offset = -w->first;
  if (!w->strided) return;
  for (int i = 0; i < a->ndim; i++) a->strides[i] = w->strides[i];
  lcul_array_measure(a);
}

/* Work that other code has queued on the stream of the options comes before every use of the
 * memory. */
static void opt_stream (lua_State *L, const wrapping *w, lcu_block *b) {
  if (!w->opts || !lcul_opt_push(L, w->opts, "stream")) return;
  lua_pop(L, 1);
  lcul_not_recorded(L, "option 'stream' of memory of other code");
  lcu_use use = { b, !b->readonly };
  lcu_work_end(lcul_opt_stream(L, w->opts, w->device), &use, 1);
}

static lcul_array *push_array (lua_State *L, const wrapping *w) {
  size_t size = (size_t)(w->last - w->first);
  uint64_t address = w->address + (uint64_t)w->first;
  void *host = w->host ? (void *)(uintptr_t)address : NULL;
  lcul_array *a =
    lcul_array_box(L, w->dtype, w->dtype_idx, w->opts != 0, w->shape.ndim, w->shape.dims);
  set_layout(a, w);
  lcul_status(
    L, lcu_block_wrap(w->device, LCU_MEM_FOREIGN, address, host, size, NULL, NULL, &a->block));
  a->block->readonly = w->readonly;
  lcul_array_label(a->block, a);
  return a;
}

/* wrap(address, shape [, dtype] [, options]) with the options in `names` */
static int wrap (lua_State *L, const char *const names[]) {
  wrapping w = { 0 };
  w.address = wrapped_address_arg(L, 1);
  lcul_shape_check(L, 2, "wrap", 2, false, &w.shape);
  w.opts = lcul_memory_args(L, "wrap", 3, names, &w.dtype, &w.dtype_idx);
  lcul_shape_measure_arg(L, &w.shape, w.dtype, "wrap", 2);
  read_options(L, &w);
  check_place(L, &w);
  if (!w.host && w.shape.size > 0) check_known(L, &w);
  lcul_array *a = push_array(L, &w);
  opt_stream(L, &w, a->block);
  if (w.opts && lua_getfield(L, w.opts, "owner") != LUA_TNIL)
    lua_setiuservalue(L, -2, LCUL_UV_OWNER);
  else if (w.opts) lua_pop(L, 1);
  return 1;
}

static int core_wrap (lua_State *L) {
  static const char *const names[] = { "owner",    "device",  "memory", "dtype",
                                       "readonly", "strides", "stream", NULL };
  if (lua_gettop(L) == 1 && lcul_foreign_replace(L, 1)) return 1;
  return wrap(L, names);
}


/* ---- objects that describe their memory ---- */

/* Pushes the function of the object at idx; false, with nothing pushed, where it has none. Fields
 * of userdata are not asked for: an __index may raise for names that it does not know. */
static bool push_hook (lua_State *L, int idx) {
  int type = lua_type(L, idx);
  if (type != LUA_TTABLE && type != LUA_TUSERDATA) return false;
  if (type == LUA_TUSERDATA && lcul_classdef_of(L, idx) != NULL) return false;
  if (luaL_getmetafield(L, idx, "__cuda") != LUA_TNIL) return true;
  if (type != LUA_TTABLE) return false;
  lua_pushliteral(L, "__cuda");
  if (lua_rawget(L, idx) != LUA_TNIL) return true;
  lua_pop(L, 1);
  return false;
}

/* [object, description] -> the same; description.owner keeps both what it named and the object. */
static void add_owner (lua_State *L) {
  lua_createtable(L, 2, 0);
  lua_pushvalue(L, 1);
  lua_rawseti(L, -2, 1);
  lua_getfield(L, 2, "owner");
  lua_rawseti(L, -2, 2);
  lua_setfield(L, 2, "owner");
}

/* [object, description] -> [array] */
static int wrap_described (lua_State *L) {
  static const char *const names[] = { "pointer", "shape",    "owner",   "device", "memory",
                                       "dtype",   "readonly", "strides", "stream", NULL };
  if (lua_type(L, 2) != LUA_TTABLE)
    return lcul_misuse(L,
                       "__cuda of a %s: expected a table { pointer =, shape =, dtype = }, got %s",
                       luaL_typename(L, 1), luaL_typename(L, 2));
  if (lua_getfield(L, 2, "dtype") == LUA_TNIL)
    return lcul_misuse(L, "__cuda of a %s: the dtype is missing", luaL_typename(L, 1));
  lua_settop(L, 2);
  add_owner(L);
  lua_getfield(L, 2, "pointer");
  lua_getfield(L, 2, "shape");
  lua_rotate(L, 2, 2); /* object, pointer, shape, description */
  lua_remove(L, 1);
  return wrap(L, names);
}

bool lcul_foreign_replace (lua_State *L, int idx) {
  int top = lua_gettop(L);
  idx = lua_absindex(L, idx);
  luaL_checkstack(L, 8, NULL);
  if (!push_hook(L, idx)) return false;
  if (!lua_isfunction(L, -1) && luaL_getmetafield(L, -1, "__call") == LUA_TNIL)
    lcul_misuse(L, "__cuda of a %s: expected a function, got %s", luaL_typename(L, idx),
                luaL_typename(L, -1));
  lua_settop(L, top + 1);
  lua_pushvalue(L, idx);
  lua_call(L, 1, 1);
  lcul_push_state(L);
  lua_pushcclosure(L, wrap_described, 1);
  lua_insert(L, -2);
  lua_pushvalue(L, idx);
  lua_insert(L, -2);
  lua_call(L, 2, 1);
  lua_replace(L, idx);
  return true;
}

lcul_array *lcul_foreign_check (lua_State *L, int idx) {
  if (lcul_array_test(L, idx) == NULL) (void)lcul_foreign_replace(L, idx);
  return lcul_array_check(L, idx);
}

bool lcul_foreign_arguments (lua_State *L, int first, int n) {
  bool any = false;
  for (int i = first; i < first + n; i++)
    if (lcul_foreign_replace(L, i)) any = true;
  return any;
}

/* foreign(value) -> an array over the memory that the object describes; nil for any other value */
static int core_foreign (lua_State *L) {
  lua_settop(L, 1);
  if (!lcul_foreign_replace(L, 1)) lua_pushnil(L);
  return 1;
}

void lcul_open_wrap (lua_State *L) {
  static const luaL_Reg functions[] = { { "wrap", core_wrap },
                                        { "foreign", core_foreign },
                                        { NULL, NULL } };
  lcul_setfuncs(L, functions);
}
