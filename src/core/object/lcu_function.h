/* lcu_function.h: a kernel of a loaded module. */
#ifndef LCU_FUNCTION_H
#define LCU_FUNCTION_H

#include "lcu_module.h"
#include "lcu_signature.h"

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
