/* lcu_module.h: loaded code and its functions. */
#ifndef LCU_MODULE_H
#define LCU_MODULE_H

#include "lcu_block.h"
#include "lcu_entry.h"
#include "lcu_signature.h"

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

/* PTX text, machine code, or neither? A damaged ELF file is told from a whole one: LCU_E_SYNTAX
 * with the reason. */
typedef enum lcu_image_kind {
  LCU_IMAGE_NONE,
  LCU_IMAGE_PTX,
  LCU_IMAGE_ELF,
  LCU_IMAGE_FATBIN
} lcu_image_kind;
lcu_image_kind lcu_image_recognise (const void *image, size_t size);
lcu_status lcu_image_check (const void *image, size_t size);

typedef struct lcu_function {
  lcu_object base;
  lcu_module *module;
  lcu_device *device; /* module->device, at hand for the launch path */
  cu_function handle;
  char *name;              /* as the user knows it, for messages */
  uint64_t id;             /* never used twice in a process */
  lcu_signature signature; /* offsets and sizes filled in from the driver where it tells */
  uint32_t param_bytes;
  int static_shared, max_threads; /* read once */
  int dynamic_limit;              /* dynamic shared memory allowed so far; raised on demand */
} lcu_function;

/* signature: mangled type or NULL (then the kernel's own name, the PTX text and the driver are
 * asked). */
lcu_status lcu_function_get (lcu_module *m, const char *lowered, const char *name,
                             const char *signature, lcu_function **out);
lcu_status lcu_function_attribute (lcu_function *f, int attr, int *value);
lcu_status lcu_function_set_attribute (lcu_function *f, int attr, int value);
/* Blocks of `threads` threads that one multiprocessor holds at a time. */
lcu_status lcu_function_occupancy (lcu_function *f, int threads, size_t shared, int *blocks);
/* "num_regs" -> number, -1 unknown */
int lcu_func_attr_find (const char *name, size_t len);
const char *lcu_func_attr_name (int attr); /* NULL behind the last */

#endif
