/* lcu_module.h: loaded code. */
#ifndef LCU_MODULE_H
#define LCU_MODULE_H

#include "lcu_device.h"
#include "lcu_entry.h"

typedef struct lcu_module {
  lcu_object base;
  lcu_device *device;
  cu_module handle;
  lcu_entries entries; /* of PTX; empty for machine code */
} lcu_module;

#define LCU_JIT_LOG 8192

/* image: PTX text (NUL-terminated) or a cubin/fatbin. log: gets what the driver's PTX compiler
 * said, which is part of a failure's message as well; "" when it said nothing. */
lcu_status lcu_module_load (lcu_device *d, const void *image, size_t size, char log[LCU_JIT_LOG],
                            lcu_module **out);
lcu_status lcu_module_global (lcu_module *m, const char *symbol, cu_deviceptr *address,
                              size_t *bytes);
/* Names of all kernels in the module, lowered; LCU_E_UNSUPPORTED on drivers that cannot tell. */
lcu_status lcu_module_kernels (lcu_module *m, lcu_buf *names); /* NUL-separated */

#endif
