/* lcu_module.h: loaded code. */
#ifndef LCU_MODULE_H
#define LCU_MODULE_H

#include "lcu_device.h"
#include "lcu_entry.h"
#include "lcu_jit.h"
#include "cu_driver.h"

typedef struct lcu_module {
  lcu_object base;
  lcu_device *device;
  cu_module handle;
  lcu_entries entries; /* of PTX; empty for machine code */
  struct lcu_module *next_held;
} lcu_module;

typedef struct lcu_module_code {
  const void *image; /* PTX text (NUL-terminated) or a cubin/fatbin */
  size_t size;
  /* for the driver's PTX compiler, and what it reports; unused for machine code */
  const lcu_jit_option *options;
  size_t num_options;
  lcu_jit_report *report;
} lcu_module_code;
lcu_status lcu_module_load (lcu_device *d, const lcu_module_code *code, lcu_module **out);
lcu_status lcu_module_global (lcu_module *m, const char *symbol, cu_deviceptr *address,
                              size_t *bytes);
/* The lowered names of all kernels in the module; LCU_E_UNSUPPORTED where the driver cannot list
 * them. */
lcu_status lcu_module_kernels (lcu_module *m, lcu_buf *names); /* NUL-separated */

/* Unloading waits for the device: a module that ends while a graph is recorded is only put on a
 * list. Called after the last recording, this unloads them. */
void lcu_module_end_held (lcu_device *d);

/* ---- lcu_compiler.c: libLLVM, with which the CPU device compiles kernels */

/* The library that drv, the CPU device's driver, compiles with, or why there is none. */
lcu_status lcu_compiler_find (const lcu_driver *drv, cux_compiler *out);

/* Fails if LUACUDA_LLVM names a library that drv would compile with and that cannot be used. */
lcu_status lcu_compiler_check (const lcu_driver *drv);

#endif
