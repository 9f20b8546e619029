/* lcul_tensor_map.c: tensor maps of arrays: the bytes of a CUtensorMap, which kernels take by
 * value. */
#include "lcu_tensor_map.h"
#include "lcul_array.h"
#include "lcul_check.h"
#include "lcul_describe.h"
#include "lcul_dims.h"
#include "lcul_error.h"
#include "lcul_list.h"
#include "lcul_option.h"
#include "lcul_position.h"
#include "lcul_set.h"
#include "lcul_texture.h"

static const char fn[] = "tensor_map";

/* Positive integers in the order of the array's axes; out has the innermost first. */
static void read_list (lua_State *L, const char *option, int ndim, lua_Integer most,
                       unsigned *out) {
  int at = lua_gettop(L);
  lcul_dims_plain(L, at);
  if (lua_istable(L, at) == 0) lcul_wrong_option(L, option, "a list of integers");
  if (lcul_list_raw_length(L, at) != ndim)
    lcul_misuse(L, "%s: option '%s': expected %d integers, one per axis, got %d", fn, option, ndim,
                (int)lcul_list_raw_length(L, at));
  for (int i = 0; i < ndim; i++) {
    lua_rawgeti(L, at, i + 1);
    lua_Integer n = lua_isinteger(L, -1) ? lua_tointeger(L, -1) : 0;
    if (n < 1 || n > most)
      lcul_misuse(L, "%s: option '%s': expected integers from 1 to %d", fn, option, (int)most);
    out[ndim - 1 - i] = (unsigned)n;
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

static void read_options (lua_State *L, int ndim, lcu_tensor_box *b) {
  enum { BOX = 256, STEP = 8 };
  lua_Integer swizzle = lcul_opt_integer(L, 2, "swizzle", 0, 0, 128);
  if (!lcul_opt_push(L, 2, "box")) lcul_misuse(L, "%s: option 'box' is missing", fn);
  read_list(L, "box", ndim, BOX, b->box);
  for (int k = 0; k < ndim; k++) b->steps[k] = 1;
  if (lcul_opt_push(L, 2, "steps")) read_list(L, "steps", ndim, STEP, b->steps);
  b->nan = lcul_opt_bool(L, 2, "nan", false);
  b->swizzle = swizzle == 128 ? 3 : swizzle == 64 ? 2 : swizzle == 32 ? 1 : 0;
  if (swizzle != 0 && b->swizzle == 0)
    lcul_misuse(L, "%s: option 'swizzle': expected 0, 32, 64 or 128, got %d", fn, (int)swizzle);
}

static void read_array (lua_State *L, const lcul_array *a, lcu_tensor_box *b) {
  if (a->ndim < 1 || a->ndim > LCU_TENSOR_RANK)
    lcul_fail_arg(L, fn, 1, "array", "expected 1 to %d axes, got %d", LCU_TENSOR_RANK, a->ndim);
  if (!lcu_tensor_type_known(a->dtype))
    lcul_fail_arg(L, fn, 1, "array", "tensor maps have no elements of type %s", a->dtype->name);
  if (a->size == 0) lcul_fail_arg(L, fn, 1, "array", "it has no elements");
  if (a->strides[a->ndim - 1] != a->dtype->size)
    lcul_fail_arg(L, fn, 1, "array", "its last axis has gaps");
  b->dtype = a->dtype;
  b->rank = (unsigned)a->ndim;
  for (int k = 0; k < a->ndim; k++) {
    b->extents[k] = (uint64_t)a->shape[a->ndim - 1 - k];
    if (k > 0) b->strides[k - 1] = (uint64_t)a->strides[a->ndim - 1 - k];
  }
}

/* tensor_map(array, { box = [, steps =, swizzle =, nan = ] }) -> string */
static int core_tensor_map (lua_State *L) {
  static const char *const names[] = { "box", "steps", "swizzle", "nan", NULL };
  lcu_tensor_box b = { .rank = 0 };
  cu_tensormap map;
  lcul_check_most(L, 2);
  lua_settop(L, 2);
  lcul_array *a = lcul_array_check(L, 1);
  read_array(L, a, &b);
  if (!lcul_options(L, 2, fn, names)) lcul_misuse(L, "%s: option 'box' is missing", fn);
  read_options(L, a->ndim, &b);
  a = lcul_array_check(L, 1); /* a metamethod of the options may have closed it */
  lcu_device *d = a->block->device;
  lcul_status(L, lcu_block_address(a->block, d, &b.address));
  b.address += (uint64_t)a->offset;
  lcul_status(L, lcu_tensor_map(d, &b, &map));
  lua_pushlstring(L, (const char *)&map, sizeof map);
  return 1;
}

void lcul_open_tensor_map (lua_State *L) {
  static const luaL_Reg functions[] = { { "tensor_map", core_tensor_map }, { NULL, NULL } };
  lcul_setfuncs(L, functions);
}
