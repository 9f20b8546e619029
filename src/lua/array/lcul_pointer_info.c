/* lcul_pointer_info.c: what an address is: cuda.pointer_info, array.flags. */
#include "lcu_pointer.h"
#include "lcul_array.h"
#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_describe.h"
#include "lcul_device.h"
#include "lcul_error.h"
#include "lcul_foreign.h"
#include "lcul_pointer.h"
#include "lcul_position.h"
#include "lcul_scalar.h"
#include "lcul_set.h"

/* An Array, a Pointer or an integer. *d: the device whose driver knows an array's memory. */
static cu_deviceptr device_address_arg (lua_State *L, lcu_device **d) {
  lcu_scalar v;
  char got[96];
  *d = NULL;
  (void)lcul_foreign_replace(L, 1);
  if (lcul_array_test(L, 1) != NULL) {
    const lcul_array *a = lcul_array_check(L, 1);
    *d = a->block->pinned_for != NULL ? a->block->pinned_for : a->block->device;
    return a->block->address + (uint64_t)a->offset;
  }
  const lcul_pointer *p = lcul_test(L, 1, LCUL_POINTER);
  if (p != NULL) return p->address;
  if (lcul_scalar_get(L, 1, &lcu_dtypes[LCU_UINT64], &v) == LCUL_FITS) return (uint64_t)v.i;
  lcul_misuse(L, "pointer_info: expected an address (an integer or a Pointer) or an Array, got %s",
              lcul_describe(L, 1, got, sizeof got));
  return 0;
}

/* Asks the drivers of the devices in use, each once; GPUs come first. */
static lcu_device *find (lua_State *L, cu_deviceptr p, lcu_device *only, lcu_pointer_facts *out) {
  const lcu_driver *asked = NULL;
  for (size_t i = 0, n = lcul_device_count(L); i < n; i++) {
    lcu_device *d = only != NULL ? only : lcu_process_device(i);
    if (d->drv == asked || !atomic_load(&d->opened)) continue;
    asked = d->drv;
    lcul_status(L, lcu_pointer_describe(d, p, out));
    if (out->memory != 0) return d;
  }
  return NULL;
}

/* The driver does not tell page-locked memory of its own from memory that was registered. */
static const char *memory_name (const lcu_device *d, const lcu_pointer_facts *f) {
  if (f->managed) return "managed";
  if (f->memory == CU_MEMTYPE_HOST)
    return lcu_block_is_registered(f->host_address, 1, d) ? "registered" : "pinned";
  return f->memory == CU_MEMTYPE_ARRAY ? "array" : "device";
}

static void push_device (lua_State *L, const lcu_device *asked, int ordinal) {
  for (size_t i = 0, n = lcul_device_count(L); i < n; i++) {
    lcu_device *d = lcu_process_device(i);
    if (d->drv != asked->drv || d->ordinal != ordinal) continue;
    lcul_device_push(L, d);
    lua_setfield(L, -2, "device");
    return;
  }
}

static void push_flags (lua_State *L, unsigned flags) {
  lua_createtable(L, 0, 3);
  lcul_set_boolean(L, "portable", (flags & CU_HOSTALLOC_PORTABLE) != 0);
  lcul_set_boolean(L, "mapped", (flags & CU_HOSTALLOC_DEVICEMAP) != 0);
  lcul_set_boolean(L, "write_combined", (flags & CU_HOSTALLOC_WRITECOMBINED) != 0);
}

/* pointer_info(address | array) -> table, or nil where no driver knows the address */
static int core_pointer_info (lua_State *L) {
  lcu_pointer_facts f;
  lcu_device *d;
  lcul_check_most(L, 1);
  cu_deviceptr p = device_address_arg(L, &d);
  d = find(L, p, d, &f);
  if (d == NULL) return 0;
  lua_createtable(L, 0, 10);
  lcul_set_string(L, "memory", memory_name(d, &f));
  push_device(L, d, f.ordinal);
  lcul_set_integer(L, "address", (lua_Integer)p);
  lcul_set_integer(L, "base", (lua_Integer)f.base);
  lcul_set_integer(L, "size", (lua_Integer)f.size);
  lcul_set_integer(L, "offset", (lua_Integer)(p - f.base));
  lcul_set_boolean(L, "managed", f.managed);
  lcul_set_boolean(L, "read_only", f.read_only);
  lcul_set_boolean(L, "pooled", f.pooled);
  lcul_set_boolean(L, "host", f.host_address != NULL);
  return 1;
}

/* array.flags: those of pinned memory; nil for other memory */
static int array_flags (lua_State *L) {
  const lcul_array *a = lcul_array_check(L, 1);
  lcu_pointer_facts f;
  if (a->block->memory != LCU_MEM_PINNED || a->block->size == 0) return 0;
  lcul_status(L, lcu_pointer_describe(a->block->pinned_for, a->block->address, &f));
  if (!f.has_flags) return 0;
  push_flags(L, f.flags);
  return 1;
}

void lcul_open_pointer_info (lua_State *L) {
  static const luaL_Reg functions[] = { { "pointer_info", core_pointer_info }, { NULL, NULL } };
  static const luaL_Reg getters[] = { { "flags", array_flags }, { NULL, NULL } };
  lcul_setfuncs(L, functions);
  lcul_extend(L, LCUL_ARRAY, LCUL_GETTERS, getters);
}
