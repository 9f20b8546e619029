/* lcul_register.c: core.register(array [, options]): page-locks host memory that exists already. */
#include "lcul_array.h"
#include "lcul_array_memory.h"
#include "lcul_check.h"
#include "lcul_content.h"
#include "lcul_describe.h"
#include "lcul_error.h"
#include "lcul_option.h"
#include "lcul_position.h"
#include "lcul_set.h"

/* The memory itself is released after its registration. */
static void release_block (void *ud) {
  lcu_block *b = ud;
  lcu_unref(b);
}

/* Host memory that no driver has page-locked. */
static bool can_register (const lcul_array *a) {
  const lcu_block *b = a->block;
  if (!a->contiguous || !b->device->host_memory || b->pinned_for != NULL) return false;
  return b->memory == LCU_MEM_HOST || b->memory == LCU_MEM_DEVICE || b->memory == LCU_MEM_FOREIGN;
}

static void check_array (lua_State *L, const lcul_array *a) {
  char got[96];
  if (can_register(a)) return;
  lcul_fail_arg(L, "register", 1, "array",
                "expected a contiguous array of host memory (cuda.host, or cuda.wrap with memory = "
                "\"host\"), got %s%s in %s memory",
                a->contiguous ? "" : "a view with gaps, ", lcul_describe(L, 1, got, sizeof got),
                lcu_memory_name(a->block->memory));
}

/* The attribute of GPUs alone: the CPU device keeps the promise itself. */
static void check_readonly (lua_State *L, lcu_device *d) {
  int can = 1;
  if (d->host_memory) return;
  lcul_status(L, lcu_device_attribute(d, CU_ATTR_read_only_host_register_supported, &can));
  if (can == 0)
    lcul_misuse(L, "register: option 'read_only': %s cannot register memory for reading only",
                d->label);
}

static unsigned opt_flags (lua_State *L, int opts, bool *readonly) {
  unsigned flags = CU_REGISTER_PORTABLE | CU_REGISTER_DEVICEMAP;
  *readonly = opts && lcul_opt_bool(L, opts, "read_only", false);
  if (*readonly) flags |= CU_REGISTER_READ_ONLY;
  if (opts && lcul_opt_bool(L, opts, "iomemory", false)) flags |= CU_REGISTER_IOMEMORY;
  return flags;
}

/* The CPU device can use the memory already, and locks nothing. */
static lcu_status register_memory (const lcul_array *a, lcu_device *d, unsigned flags,
                                   lcu_block **out) {
  char *p = lcul_block_host(a->block) + a->offset;
  size_t size = (size_t)a->size * a->dtype->size;
  if (d != a->block->device && size > 0) return lcu_block_register(p, size, d, flags, out);
  d = a->block->device;
  return lcu_block_wrap(d, LCU_MEM_REGISTERED, (cu_deviceptr)(uintptr_t)p, p, size, NULL, NULL,
                        out);
}

static void check_new (lua_State *L, const lcul_array *a, lcu_device *d) {
  const char *p = lcul_block_host(a->block);
  if (a->size > 0 && lcu_block_is_registered(p + a->offset, (size_t)a->size * a->dtype->size, d))
    lcul_fail_arg(L, "register", 1, "array",
                  "an array that cuda.register returned holds this memory already");
}

/* register(a [, { device =, read_only =, iomemory = }]): the same memory, page-locked for the
 * device while the new array lives */
static int core_register (lua_State *L) {
  static const char *const names[] = { "device", "read_only", "iomemory", NULL };
  bool readonly;
  check_array(L, lcul_array_check(L, 1));
  lcul_check_most(L, 2);
  int opts = lcul_options(L, 2, "register", names) ? 2 : 0;
  unsigned flags = opt_flags(L, opts, &readonly);
  lcu_device *d = lcul_memory_device(L, opts);
  if (readonly) check_readonly(L, d);
  lcul_array *a = lcul_array_check(L, 1); /* metamethods of the options may have closed it */
  check_new(L, a, d);
  lcul_array *r = lcul_array_box(L, a->dtype, 1, a->anchors, a->ndim, a->shape);
  lcul_array_still_open(L, a);
  lcul_status(L, register_memory(a, d, flags, &r->block));
  r->block->readonly = readonly || a->block->readonly;
  r->block->release = release_block;
  r->block->release_ud = lcu_ref(a->block);
  lcul_array_label(r->block, r);
  if (!a->anchors) return 1;
  lua_getiuservalue(L, 1, LCUL_UV_OWNER);
  lua_setiuservalue(L, -2, LCUL_UV_OWNER);
  return 1;
}

void lcul_open_register (lua_State *L) {
  static const luaL_Reg functions[] = { { "register", core_register }, { NULL, NULL } };
  lcul_setfuncs(L, functions);
}
