/* lcul_array_host.c: arrays in host memory, and over memory that the library does not own. */
#include <inttypes.h>
#include <string.h>

#include "lcu_device_failure.h"
#include "lcu_scope.h"
#include "lcul_array.h"
#include "lcul_array_memory.h"
#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_collect.h"
#include "lcul_describe.h"
#include "lcul_device.h"
#include "lcul_dtype.h"
#include "lcul_error.h"
#include "lcul_option.h"
#include "lcul_pointer.h"
#include "lcul_position.h"
#include "lcul_set.h"
#include "lcul_shape.h"

/* Option `dtype` of the table at idx; its value stays on the stack. */
static void option_dtype (lua_State *L, const char *fn, int idx, const lcu_dtype **t,
                          int *dtype_idx) {
  if (lua_getfield(L, idx, "dtype") == LUA_TNIL) {
    lua_pop(L, 1);
    return;
  }
  if (*dtype_idx) lcul_misuse(L, "%s: the dtype is given twice", fn);
  *dtype_idx = lua_gettop(L);
  *t = lcul_dtype_check(L, *dtype_idx);
}

/* [dtype] from argument 2 and [options] from 2 or 3; returns the index of the options or 0. */
static int host_args (lua_State *L, const char *fn, int idx, const char *const names[],
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
  option_dtype(L, fn, idx, t, dtype_idx);
  return idx;
}

/* The device whose driver pins memory: that of the option, else the current one. */
static lcu_device *pinning_device (lua_State *L, int opts) {
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

/* pinned(shape [, dtype] [, { zeros =, write_combined =, device = }]) */
static int core_pinned (lua_State *L) {
  static const char *const names[] = { "zeros", "write_combined", "device", "dtype", NULL };
  const lcu_dtype *t;
  lcul_shape s;
  int dtype_idx;
  lcul_shape_check(L, 1, "pinned", 1, false, &s);
  int opts = host_args(L, "pinned", 2, names, &t, &dtype_idx);
  unsigned flags = opt_flag(L, opts, "write_combined") ? CU_HOSTALLOC_WRITECOMBINED : 0;
  return host_array(L, "pinned", LCU_MEM_PINNED, pinning_device(L, opts), 0, flags, t, dtype_idx,
                    &s, opt_flag(L, opts, "zeros"));
}

/* managed(shape [, dtype] [, { zeros =, attach = "global" | "host", device = }]) */
static int core_managed (lua_State *L) {
  static const char *const names[] = { "zeros", "attach", "device", "dtype", NULL };
  const lcu_dtype *t;
  lcul_shape s;
  int dtype_idx;
  lcul_shape_check(L, 1, "managed", 1, false, &s);
  int opts = host_args(L, "managed", 2, names, &t, &dtype_idx);
  const char *attach = opts ? lcul_opt_string(L, opts, "attach", "global") : "global";
  bool global = strcmp(attach, "global") == 0;
  if (!global && strcmp(attach, "host") != 0)
    return lcul_misuse(L, "managed: option 'attach': expected \"global\" or \"host\", got \"%s\"",
                       attach);
  unsigned flags = global ? CU_MEM_ATTACH_GLOBAL_ : CU_MEM_ATTACH_HOST_;
  return host_array(L, "managed", LCU_MEM_MANAGED, pinning_device(L, opts), 0, flags, t, dtype_idx,
                    &s, opt_flag(L, opts, "zeros"));
}

/* host(shape [, dtype] [, { zeros =, align = }]): plain memory, aligned to `align` bytes (64) */
static int core_host (lua_State *L) {
  static const char *const names[] = { "zeros", "align", "dtype", NULL };
  const lcu_dtype *t;
  lcul_shape s;
  int dtype_idx;
  lcul_shape_check(L, 1, "host", 1, false, &s);
  int opts = host_args(L, "host", 2, names, &t, &dtype_idx);
  lua_Integer align = opts ? lcul_opt_integer(L, opts, "align", 64, 1, 1 << 30) : 64;
  if ((align & (align - 1)) != 0)
    return lcul_misuse(L, "host: option 'align': %lld is not a power of two", (long long)align);
  size_t least = align < 16 ? 16 : (size_t)align;
  return host_array(L, "host", LCU_MEM_HOST, NULL, least, 0, t, dtype_idx, &s,
                    opt_flag(L, opts, "zeros"));
}

/* The memory itself is released after its registration. */
static void release_block (void *ud) {
  lcu_block *b = ud;
  lcu_unref(b);
}

/* The CPU device can use the memory already, and locks nothing. */
static void register_memory (lua_State *L, const lcul_array *a, lcu_device *d, lcu_block **out) {
  /* checked again: a metamethod of the options may have closed it */
  (void)lcul_array_check(L, 1);
  char *p = lcul_block_host(a->block) + a->offset;
  size_t size = (size_t)a->size * a->dtype->size;
  if (d != a->block->device) lcul_status(L, lcu_block_register(p, size, d, 0, out));
  else
    lcul_status(L, lcu_block_wrap(d, LCU_MEM_REGISTERED, (cu_deviceptr)(uintptr_t)p, p, size, NULL,
                                  NULL, out));
}

/* register(a [, { device = }]): the same memory, page-locked for the device while the new array
 * lives */
static int core_register (lua_State *L) {
  static const char *const names[] = { "device", NULL };
  const lcul_array *a = lcul_array_check(L, 1);
  int opts = lcul_options(L, 2, "register", names) ? 2 : 0;
  char got[96];
  if (a->block->memory != LCU_MEM_HOST || !a->contiguous)
    return lcul_fail_arg(
      L, "register", 1, "array",
      "expected a contiguous array of host memory (cuda.host), got %s in %s memory",
      lcul_describe(L, 1, got, sizeof got), lcu_memory_name(a->block->memory));
  lcu_device *d = pinning_device(L, opts);
  lcul_array *r = lcul_array_box(L, a->dtype, 1, false, a->ndim, a->shape);
  register_memory(L, a, d, &r->block);
  r->block->release = release_block;
  r->block->release_ud = lcu_ref(a->block);
  lcul_array_label(r->block, r);
  return 1;
}


/* ---- wrap ---- */

static uint64_t address_arg (lua_State *L, int idx, const char *fn) {
  const lcul_pointer *p = lcul_test(L, idx, LCUL_POINTER);
  return p != NULL ? p->address : (uint64_t)lcul_integer_arg(L, idx, fn, idx, "address");
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

/* The driver must recognize both ends of device memory. */
static lcu_status ask_driver (lcu_device *d, cu_deviceptr first, cu_deviceptr last) {
  unsigned type = 0;
  LCU_TRY(LCU_CALL(d->drv, cuPointerGetAttribute, (&type, CU_POINTER_MEMORY_TYPE, first)));
  return LCU_CALL(d->drv, cuPointerGetAttribute, (&type, CU_POINTER_MEMORY_TYPE, last));
}

static void check_known (lua_State *L, lcu_device *d, uint64_t address, const lcul_shape *s,
                         const lcu_dtype *t) {
  lcu_scope scope;
  uint64_t last = address + (uint64_t)s->size * t->size - 1;
  lcul_status(L, lcu_device_open(d));
  lcul_status(L, lcu_device_enter(d, &scope));
  lcu_status st = ask_driver(d, address, last);
  lcu_device_leave(&scope);
  if (st == CU_ERR_INVALID_VALUE)
    lcul_fail_arg(L, "wrap", 1, "address", "0x%" PRIx64 " to 0x%" PRIx64 " is not memory of %s",
                  address, last, d->label);
  lcul_status(L, lcu_device_status(d, st));
}

/* wrap(address, shape [, dtype] [, { owner =, device =, memory = "device" | "host" }]) */
static int core_wrap (lua_State *L) {
  static const char *const names[] = { "owner", "device", "memory", "dtype", NULL };
  const lcu_dtype *t;
  lcul_shape s;
  int dtype_idx;
  uint64_t address = address_arg(L, 1, "wrap");
  lcul_shape_check(L, 2, "wrap", 2, false, &s);
  int opts = host_args(L, "wrap", 3, names, &t, &dtype_idx);
  lcul_shape_measure_arg(L, &s, t, "wrap", 2);
  bool host = wants_host(L, opts);
  lcu_device *d = host ? cpu_device(L) : pinning_device(L, opts);
  if (address == 0 && s.size > 0)
    return lcul_fail_arg(L, "wrap", 1, "address", "NULL is not an address of memory");
  if (address % t->align != 0)
    return lcul_fail_arg(L, "wrap", 1, "address", "0x%" PRIx64 " is not aligned for %s", address,
                         t->name);
  if (!host && s.size > 0) check_known(L, d, address, &s, t);
  lcul_array *a = lcul_array_box(L, t, dtype_idx, opts != 0, s.ndim, s.dims);
  void *p = host ? (void *)(uintptr_t)address : NULL;
  lcul_status(L, lcu_block_wrap(d, LCU_MEM_FOREIGN, address, p, (size_t)s.size * t->size, NULL,
                                NULL, &a->block));
  lcul_array_label(a->block, a);
  if (opts && lua_getfield(L, opts, "owner") != LUA_TNIL) lua_setiuservalue(L, -2, LCUL_UV_OWNER);
  else if (opts) lua_pop(L, 1);
  return 1;
}

void lcul_open_array_host (lua_State *L) {
  static const luaL_Reg functions[] = { { "pinned", core_pinned }, { "managed", core_managed },
                                        { "host", core_host },     { "register", core_register },
                                        { "wrap", core_wrap },     { NULL, NULL } };
  lcul_setfuncs(L, functions);
}
