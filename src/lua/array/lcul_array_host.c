/* lcul_array_host.c: arrays in host memory. */
#include <string.h>

#include "lcul_array.h"
#include "lcul_array_memory.h"
#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_collect.h"
#include "lcul_describe.h"
#include "lcul_device.h"
#include "lcul_dtype.h"
#include "lcul_error.h"
#include "lcul_foreign.h"
#include "lcul_option.h"
#include "lcul_position.h"
#include "lcul_set.h"
#include "lcul_shape.h"

/* Option `dtype` of the table at idx; its value stays on the stack. */
static void option_dtype_once (lua_State *L, const char *fn, int idx, const lcu_dtype **t,
                               int *dtype_idx) {
  if (lua_getfield(L, idx, "dtype") == LUA_TNIL) {
    lua_pop(L, 1);
    return;
  }
  if (*dtype_idx) lcul_misuse(L, "%s: the dtype is given twice", fn);
  *dtype_idx = lua_gettop(L);
  *t = lcul_dtype_check(L, *dtype_idx);
}

int lcul_memory_args (lua_State *L, const char *fn, int idx, const char *const names[],
                      const lcu_dtype **t, int *dtype_idx) {
  char got[96];
  *t = &lcu_dtypes[LCU_FLOAT32];
  *dtype_idx = 0;
  if (lua_type(L, idx) == LUA_TSTRING || lcul_test(L, idx, LCUL_STRUCT) != NULL) {
    *t = lcul_dtype_check(L, idx);
    *dtype_idx = idx++;
  } else if (lua_isnil(L, idx) && lua_gettop(L) > idx) idx++;
  if (lua_isnoneornil(L, idx)) return 0;
  if (lua_type(L, idx) != LUA_TTABLE || lua_gettop(L) > idx)
    lcul_fail_arg(L, fn, idx, "options", "expected a table of options at the end, got %s",
                  lcul_describe(L, idx, got, sizeof got));
  lcul_options(L, idx, fn, names);
  option_dtype_once(L, fn, idx, t, dtype_idx);
  return idx;
}

lcu_device *lcul_memory_device (lua_State *L, int opts) {
  return lcul_opt_device(L, opts > 0 ? opts : lua_gettop(L) + 1);
}

static int host_array (lua_State *L, const char *fn, lcu_memory kind, lcu_device *pin_for,
                       size_t align, unsigned flags, const lcu_dtype *t, int dtype_idx,
                       lcul_shape *s, bool zeros) {
  lcul_shape_measure_arg(L, s, t, fn, 1);
  lcul_array *a = lcul_array_box(L, t, dtype_idx, false, s->ndim, s->dims);
  size_t bytes = (size_t)a->size * t->size;
  lcul_status(L, lcu_block_alloc_host(kind, pin_for, bytes, align, flags, &a->block));
  lcul_array_label(a->block, a);
  lcul_gc_account(L, bytes);
  if (zeros && bytes > 0) memset(lcul_block_host(a->block), 0, bytes);
  return 1;
}

static bool opt_flag (lua_State *L, int opts, const char *name) {
  return opts && lcul_opt_bool(L, opts, name, false);
}

/* The shape that a function makes an array of: its first argument, or that of an array ("like"),
 * whose dtype is then the default. Returns the index of the options or 0. */
static int make_args (lua_State *L, const char *fn, bool like, const char *const names[],
                      lcul_shape *s, const lcu_dtype **t, int *dtype_idx) {
  if (!like) {
    lcul_shape_check(L, 1, fn, 1, false, s);
    return lcul_memory_args(L, fn, 2, names, t, dtype_idx);
  }
  (void)lcul_foreign_check(L, 1);
  int opts = lcul_memory_args(L, fn, 2, names, t, dtype_idx);
  const lcul_array *a = lcul_array_check(L, 1); /* the options may have run metamethods */
  lcul_array_shape_of(a, s);
  if (*dtype_idx != 0) return opts;
  *t = a->dtype;
  *dtype_idx = 1;
  return opts;
}

/* pinned(shape [, dtype] [, { zeros =, write_combined =, device = }]) */
static int make_pinned (lua_State *L, const char *fn, bool like) {
  static const char *const names[] = { "zeros", "write_combined", "device", "dtype", NULL };
  const lcu_dtype *t;
  lcul_shape s;
  int dtype_idx, opts = make_args(L, fn, like, names, &s, &t, &dtype_idx);
  unsigned flags = opt_flag(L, opts, "write_combined") ? CU_HOSTALLOC_WRITECOMBINED : 0;
  return host_array(L, fn, LCU_MEM_PINNED, lcul_memory_device(L, opts), 0, flags, t, dtype_idx, &s,
                    opt_flag(L, opts, "zeros"));
}

static int core_pinned (lua_State *L) { return make_pinned(L, "pinned", false); }
static int core_pinned_like (lua_State *L) { return make_pinned(L, "pinned_like", true); }

/* managed(shape [, dtype] [, { zeros =, attach = "global" | "host", device = }]) */
static int make_managed (lua_State *L, const char *fn, bool like) {
  static const char *const names[] = { "zeros", "attach", "device", "dtype", NULL };
  const lcu_dtype *t;
  lcul_shape s;
  int dtype_idx, opts = make_args(L, fn, like, names, &s, &t, &dtype_idx);
  const char *attach = opts ? lcul_opt_string(L, opts, "attach", "global") : "global";
  bool global = strcmp(attach, "global") == 0;
  if (!global && strcmp(attach, "host") != 0)
    return lcul_misuse(L, "%s: option 'attach': expected \"global\" or \"host\", got \"%s\"", fn,
                       attach);
  unsigned flags = global ? CU_MEM_ATTACH_GLOBAL_ : CU_MEM_ATTACH_HOST_;
  return host_array(L, fn, LCU_MEM_MANAGED, lcul_memory_device(L, opts), 0, flags, t, dtype_idx, &s,
                    opt_flag(L, opts, "zeros"));
}

static int core_managed (lua_State *L) { return make_managed(L, "managed", false); }
static int core_managed_like (lua_State *L) { return make_managed(L, "managed_like", true); }

/* host(shape [, dtype] [, { zeros =, align = }]): plain memory, aligned to `align` bytes (64) */
static int make_host (lua_State *L, const char *fn, bool like) {
  static const char *const names[] = { "zeros", "align", "dtype", NULL };
  const lcu_dtype *t;
  lcul_shape s;
  int dtype_idx, opts = make_args(L, fn, like, names, &s, &t, &dtype_idx);
  lua_Integer align = opts ? lcul_opt_integer(L, opts, "align", 64, 1, 1 << 30) : 64;
  if ((align & (align - 1)) != 0)
    return lcul_misuse(L, "%s: option 'align': %lld is not a power of two", fn, (long long)align);
  size_t least = align < 16 ? 16 : (size_t)align;
  return host_array(L, fn, LCU_MEM_HOST, NULL, least, 0, t, dtype_idx, &s,
                    opt_flag(L, opts, "zeros"));
}

static int core_host (lua_State *L) { return make_host(L, "host", false); }
static int core_host_like (lua_State *L) { return make_host(L, "host_like", true); }

void lcul_open_array_host (lua_State *L) {
  static const luaL_Reg functions[] = { { "pinned", core_pinned },
                                        { "pinned_like", core_pinned_like },
                                        { "managed", core_managed },
                                        { "managed_like", core_managed_like },
                                        { "host", core_host },
                                        { "host_like", core_host_like },
                                        { NULL, NULL } };
  lcul_setfuncs(L, functions);
}
