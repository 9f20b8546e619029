/* lcu_partition.h: a part of a device's multiprocessors (a green context). Streams of a partition
 * run their kernels on these only. */
#ifndef LCU_PARTITION_H
#define LCU_PARTITION_H

#include "lcu_device.h"

typedef struct lcu_partition {
  lcu_object base;
  lcu_device *device;
  cu_green_ctx handle;
  int sm_count;
} lcu_partition;

/* Divides all multiprocessors of a device into groups. The driver rounds the size of a group up.
 * `groups` has one more entry than there are groups: what remains, with type 0 if nothing does. */
lcu_status lcu_partition_divide (lcu_device *d, unsigned sms, unsigned count,
                                 cu_dev_resource groups[]);
/* The number of groups of that size that the device has room for. */
lcu_status lcu_partition_room (lcu_device *d, unsigned sms, unsigned *count);
lcu_status lcu_partition_create (lcu_device *d, cu_dev_resource *group, lcu_partition **out);

#endif
