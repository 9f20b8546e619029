/* lcu_pointer.h: what a driver knows about an address. */
#ifndef LCU_POINTER_H
#define LCU_POINTER_H

#include "lcu_device.h"

typedef struct lcu_pointer_facts {
  unsigned memory; /* CU_MEMTYPE_; 0: the driver does not know the address */
  bool managed, pooled, read_only;
  bool has_flags; /* host memory that the driver allocated, with CU_HOSTALLOC_ flags */
  unsigned flags;
  int ordinal; /* of the driver's devices */
  cu_deviceptr base, device_address;
  void *host_address;
  size_t size; /* of the allocation */
} lcu_pointer_facts;

/* Asks the driver of an open device. */
lcu_status lcu_pointer_describe (lcu_device *d, cu_deviceptr p, lcu_pointer_facts *out);

#endif
