/* lcu_pointer.c: what a driver knows about an address. */
#include "lcu_pointer.h"

#include "lcu_device_failure.h"
#include "lcu_scope.h"

/* For what the driver may lack or the address may not have: *has tells. */
static lcu_status optional (const lcu_driver *drv, const char *call, cu_result r, bool *has) {
  *has = r == 0;
  return r == CU_ERR_INVALID_VALUE || r == CU_ERR_NOT_SUPPORTED ? LCU_OK
                                                                : lcu_driver_status(drv, call, r);
}

static lcu_status ask_optional (const lcu_driver *drv, cu_deviceptr p, lcu_pointer_facts *out) {
  int access = CU_ACCESS_BOTH;
  cu_mempool pool = NULL;
  bool has;
  LCU_TRY(optional(drv, "cuPointerGetAttribute",
                   drv->cuPointerGetAttribute(&access, CU_POINTER_ACCESS_FLAGS, p), &has));
  out->read_only = has && access == CU_ACCESS_READ;
  LCU_TRY(optional(drv, "cuPointerGetAttribute",
                   drv->cuPointerGetAttribute(&pool, CU_POINTER_POOL, p), &has));
  out->pooled = has && pool != NULL;
  if (out->memory != CU_MEMTYPE_HOST || out->managed) return LCU_OK;
  return optional(drv, "cuMemHostGetFlags", drv->cuMemHostGetFlags(&out->flags, out->host_address),
                  &out->has_flags);
}

static lcu_status ask (const lcu_driver *drv, cu_deviceptr p, lcu_pointer_facts *out) {
  int managed = 0;
  int attrs[] = { CU_POINTER_MEMORY_TYPE,    CU_POINTER_IS_MANAGED,   CU_POINTER_DEVICE_ORDINAL,
                  CU_POINTER_DEVICE_POINTER, CU_POINTER_HOST_POINTER, CU_POINTER_RANGE_START_ADDR,
                  CU_POINTER_RANGE_SIZE };
  void *data[] = { &out->memory,       &managed,   &out->ordinal, &out->device_address,
                   &out->host_address, &out->base, &out->size };
  LCU_TRY(LCU_CALL(drv, cuPointerGetAttributes, (lcu_arraylen(attrs), attrs, data, p)));
  out->managed = managed != 0;
  return out->memory != 0 ? ask_optional(drv, p, out) : LCU_OK;
}

lcu_status lcu_pointer_describe (lcu_device *d, cu_deviceptr p, lcu_pointer_facts *out) {
  lcu_scope scope;
  *out = (lcu_pointer_facts){ .ordinal = -1 };
  LCU_TRY(lcu_device_enter_probe(d, &scope));
  lcu_status st = ask(d->drv, p, out);
  lcu_device_leave(&scope);
  return lcu_device_status(d, st);
}
