/* lcul_tensor_map.c: tensor maps of arrays: the bytes of a CUtensorMap, which kernels take by
 * value. */
#include "lcul_tensor_map.h"

#include "lcul_check.h"
#include "lcul_dims.h"
#include "lcul_error.h"
#include "lcul_list.h"
#include "lcul_option.h"
#include "lcul_position.h"
#include "lcul_set.h"

static const char fn[] = "tensor_map";

/* The table at the top as `num` integers in the order of the array's axes; out has the innermost
 * first. */
static void read_list (lua_State *L, const char *option, int num, const char *each,
                       lua_Integer least, lua_Integer most, int *out) {
  int at = lua_gettop(L);
  lcul_dims_plain(L, at);
  if (lua_istable(L, at) == 0) lcul_wrong_option(L, option, "a list of integers");
  if (lcul_list_raw_length(L, at) != num)
    lcul_misuse(L, "%s: option '%s': expected %d integers, one per %s, got %d", fn, option, num,
                each, (int)lcul_list_raw_length(L, at));
  for (int i = 0; i < num; i++) {
    lua_rawgeti(L, at, i + 1);
    lua_Integer n = lua_isinteger(L, -1) ? lua_tointeger(L, -1) : least - 1;
    if (n < least || n > most)
      lcul_misuse(L, "%s: option '%s': expected integers from %d to %d", fn, option, (int)least,
                  (int)most);
    out[num - 1 - i] = (int)n;
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

/* A list with a positive integer per axis. */
static void read_axes (lua_State *L, const char *option, int ndim, lua_Integer most,
                       unsigned out[LCU_TENSOR_RANK]) {
  int list[LCU_TENSOR_RANK];
  read_list(L, option, ndim, "axis", 1, most, list);
  for (int k = 0; k < ndim; k++) out[k] = (unsigned)list[k];
}

/* Of im2col: how far pixels go beyond the spatial axes, those between the first and the last. */
static void read_corner (lua_State *L, const char *option, int ndim, int out[LCU_TENSOR_RANK]) {
  for (int k = 0; k < LCU_TENSOR_RANK; k++) out[k] = 0;
  if (lcul_opt_push(L, 2, option))
    read_list(L, option, ndim - 2, "spatial axis", INT16_MIN, INT16_MAX, out);
}

static void read_columns (lua_State *L, int ndim, lcu_tensor_box *b) {
  enum { CHANNELS = 256, PIXELS = 1024 };
  if (lcul_opt_push(L, 2, "box"))
    lcul_misuse(L, "%s: option 'box': 'channels' and 'pixels' stand in its place", fn);
  if (ndim < 3)
    lcul_fail_arg(L, fn, 1, "array", "channels and pixels need 3 to 5 axes, got %d", ndim);
  b->channels = (unsigned)lcul_opt_integer(L, 2, "channels", 0, 1, CHANNELS);
  b->pixels = (unsigned)lcul_opt_integer(L, 2, "pixels", 1, 1, PIXELS);
  read_corner(L, "low", ndim, b->low);
  read_corner(L, "high", ndim, b->high);
}

static void read_box (lua_State *L, int ndim, lcu_tensor_box *b) {
  enum { BOX = 256 };
  static const char *const others[] = { "pixels", "low", "high" };
  for (size_t i = 0; i < lcu_arraylen(others); i++)
    if (lcul_opt_push(L, 2, others[i]))
      lcul_misuse(L, "%s: option '%s' goes with 'channels'", fn, others[i]);
  if (!lcul_opt_push(L, 2, "box")) lcul_misuse(L, "%s: option 'box' is missing", fn);
  read_axes(L, "box", ndim, BOX, b->box);
}

static void read_map_options (lua_State *L, int ndim, lcu_tensor_box *b) {
  enum { STEP = 8 };
  lua_Integer swizzle = lcul_opt_integer(L, 2, "swizzle", 0, 0, 128);
  bool columns = lcul_opt_push(L, 2, "channels");
  if (columns) lua_pop(L, 1);
  if (columns) read_columns(L, ndim, b);
  else read_box(L, ndim, b);
  for (int k = 0; k < ndim; k++) b->steps[k] = 1;
  if (lcul_opt_push(L, 2, "steps")) read_axes(L, "steps", ndim, STEP, b->steps);
  b->nan = lcul_opt_bool(L, 2, "nan", false);
  b->tf32 = lcul_opt_bool(L, 2, "tf32", false);
  if (b->tf32 && b->dtype->id != LCU_FLOAT32)
    lcul_misuse(L, "%s: option 'tf32': the elements are %s, and not float32", fn, b->dtype->name);
  b->swizzle = swizzle == 128 ? 3 : swizzle == 64 ? 2 : swizzle == 32 ? 1 : 0;
  if (swizzle != 0 && b->swizzle == 0)
    lcul_misuse(L, "%s: option 'swizzle': expected 0, 32, 64 or 128, got %d", fn, (int)swizzle);
}

void lcul_tensor_map_shape (const lcul_array *a, lcu_tensor_box *b) {
  b->dtype = a->dtype;
  b->rank = (unsigned)a->ndim;
  for (int k = 0; k < a->ndim; k++) {
    b->extents[k] = (uint64_t)a->shape[a->ndim - 1 - k];
    if (k > 0) b->strides[k - 1] = (uint64_t)a->strides[a->ndim - 1 - k];
  }
}

void lcul_tensor_map_push (lua_State *L, const lcul_array *a, lcu_device *d, lcu_tensor_box *b) {
  cu_tensormap map;
  b->address = lcul_array_address(L, a, d);
  lcul_status(L, lcu_tensor_map(d, b, &map));
  lua_pushlstring(L, (const char *)&map, sizeof map);
}

static void check_mapped_array (lua_State *L, const lcul_array *a) {
  if (a->ndim < 1 || a->ndim > LCU_TENSOR_RANK)
    lcul_fail_arg(L, fn, 1, "array", "expected 1 to %d axes, got %d", LCU_TENSOR_RANK, a->ndim);
  if (!lcu_tensor_type_known(a->dtype))
    lcul_fail_arg(L, fn, 1, "array", "tensor maps have no elements of type %s", a->dtype->name);
  if (a->size == 0) lcul_fail_arg(L, fn, 1, "array", "it has no elements");
  if (a->strides[a->ndim - 1] != a->dtype->size)
    lcul_fail_arg(L, fn, 1, "array", "its last axis has gaps");
}

/* tensor_map(array, { box =, or channels = [, pixels =, low =, high = ] [, steps =, swizzle =,
 * nan =, tf32 = ] }) -> string */
static int core_tensor_map (lua_State *L) {
  static const char *const names[] = { "box",   "channels", "pixels", "low",  "high",
                                       "steps", "swizzle",  "nan",    "tf32", NULL };
  lcu_tensor_box b = { .rank = 0 };
  lcul_check_most(L, 2);
  lua_settop(L, 2);
  lcul_array *a = lcul_array_check(L, 1);
  check_mapped_array(L, a);
  lcul_tensor_map_shape(a, &b);
  if (!lcul_options(L, 2, fn, names)) lcul_misuse(L, "%s: option 'box' is missing", fn);
  read_map_options(L, a->ndim, &b);
  a = lcul_array_check(L, 1); /* a metamethod of the options may have closed it */
  lcul_tensor_map_push(L, a, a->block->device, &b);
  return 1;
}

void lcul_open_tensor_map (lua_State *L) {
  static const luaL_Reg functions[] = { { "tensor_map", core_tensor_map }, { NULL, NULL } };
  lcul_setfuncs(L, functions);
}
