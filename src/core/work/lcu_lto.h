/* lcu_lto.h: links code with nvJitLink, which optimizes across sources. */
#ifndef LCU_LTO_H
#define LCU_LTO_H

#include "lcu_jit.h"
#include "lcu_process.h"

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
