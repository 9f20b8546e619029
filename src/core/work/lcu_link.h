/* lcu_link.h: links code for a device with the driver's linker. */
#ifndef LCU_LINK_H
#define LCU_LINK_H

#include "lcu_device.h"
#include "lcu_jit.h"
#include "lcu_process.h"

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


/* ---- nvJitLink, which optimizes across sources ---- */

typedef struct lcu_lto_input {
  int kind; /* nvJitLinkInputType */
  const void *data;
  size_t size;
  const char *name; /* for messages */
} lcu_lto_input;

typedef struct lcu_lto_job {
  const lcu_lto_input *inputs;
  size_t num_inputs;
  const char **options;
  size_t num_options;
  bool want_ptx; /* PTX instead of machine code */
} lcu_lto_job;

/* Appends the linked code to `out`. LCU_E_COMPILE: the report has the reason. */
lcu_status lcu_lto (const lcu_lto_job *job, lcu_jit_report *report, lcu_buf *out);

#endif
