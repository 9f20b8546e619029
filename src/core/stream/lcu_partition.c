/* lcu_partition.c: parts of a device's multiprocessors. */
#include "lcu_partition.h"

#include "lcu_device_failure.h"
#include "lcu_scope.h"

static lcu_status whole (lcu_device *d, cu_dev_resource *all) {
  LCU_TRY(lcu_device_open(d));
  return lcu_device_status(
    d, LCU_CALL(d->drv, cuDeviceGetDevResource, (d->handle, all, CU_DEV_RESOURCE_SM_)));
}

lcu_status lcu_partition_room (lcu_device *d, unsigned sms, unsigned *count) {
  cu_dev_resource all;
  *count = 0;
  LCU_TRY(whole(d, &all));
  if (sms > all.sm_count) return LCU_OK;
  return lcu_device_status(
    d, LCU_CALL(d->drv, cuDevSmResourceSplitByCount, (NULL, count, &all, NULL, 0, sms)));
}

lcu_status lcu_partition_divide (lcu_device *d, unsigned sms, unsigned count,
                                 cu_dev_resource groups[]) {
  cu_dev_resource all;
  LCU_TRY(whole(d, &all));
  return lcu_device_status(d, LCU_CALL(d->drv, cuDevSmResourceSplitByCount,
                                       (groups, &count, &all, &groups[count], 0, sms)));
}

static void partition_destroy (lcu_object *o) {
  lcu_partition *p = (lcu_partition *)(void *)o;
  lcu_scope scope;
  if (p->handle != NULL && lcu_device_enter_quiet(p->device, &scope)) {
    lcu_device_defer(p->device, LCU_CALL(p->device->drv, cuGreenCtxDestroy, (p->handle)));
    lcu_device_leave(&scope);
  }
  lcu_unref(p->device);
  lcu_free(p);
}

static lcu_status create_green_context (lcu_partition *p, cu_dev_resource *group) {
  const lcu_device *d = p->device;
  cu_dev_resource_desc desc = NULL;
  LCU_TRY(LCU_CALL(d->drv, cuDevResourceGenerateDesc, (&desc, group, 1)));
  return LCU_CALL(d->drv, cuGreenCtxCreate,
                  (&p->handle, desc, d->handle, CU_GREEN_CTX_DEFAULT_STREAM_));
}

lcu_status lcu_partition_create (lcu_device *d, cu_dev_resource *group, lcu_partition **out) {
  lcu_partition *p = lcu_calloc(1, sizeof *p);
  *out = NULL;
  if (p == NULL) return lcu_no_memory("a partition");
  p->device = lcu_ref(d);
  p->sm_count = (int)group->sm_count;
  lcu_object_init(&p->base, LCU_OBJ_PARTITION, partition_destroy);
  lcu_status st = lcu_device_status(d, create_green_context(p, group));
  if (st == LCU_OK) *out = p;
  else lcu_unref(p);
  return st;
}
