/* lcu_link.h: links code for a device with the driver's linker. */
#ifndef LCU_LINK_H
#define LCU_LINK_H

#include "lcu_device.h"
#include "lcu_jit.h"

typedef struct lcu_link_input {
  cu_jit_input kind;
  const void *data; /* PTX ends with a zero byte that `size` counts */
  size_t size;
  const char *name; /* for messages */
} lcu_link_input;

/* Appends the image to `out`. The report has the reason why code was refused. */
lcu_status lcu_link (lcu_device *d, const lcu_link_input *inputs, size_t num,
                     const lcu_jit_option *options, size_t num_options, lcu_jit_report *report,
                     lcu_buf *out);

#endif
