/* lcu_function.h: a kernel of a loaded module. */
#ifndef LCU_FUNCTION_H
#define LCU_FUNCTION_H

#include "lcu_module.h"
#include "lcu_signature.h"

typedef struct lcu_function {
  lcu_object base;
  lcu_module *module;
  lcu_device *device; /* module->device, for the launch path */
  cu_function handle;
  char *name;              /* the user's name for it, for messages */
  uint64_t id;             /* never used twice in a process */
  lcu_signature signature; /* with offsets and sizes from the driver where it reports them */
  uint32_t param_bytes;
  int static_shared, max_threads; /* read once */
  uint32_t cluster[3];            /* that it was compiled for; zeros: none */
  bool cooperative;               /* all its launches are: it synchronizes the grid */
  int dynamic_limit;              /* dynamic shared memory allowed at present; raised on demand */
  /* what the driver suggested for so much dynamic shared memory; 0 threads: not asked yet */
  int suggested_threads, suggested_blocks;
  uint32_t suggested_shared;
} lcu_function;

/* signature: the mangled type, or NULL: then the kernel's own name, the PTX text and the driver
 * give the parameters. */
lcu_status lcu_function_get (lcu_module *m, const char *lowered, const char *name,
                             const char *signature, lcu_function **out);
lcu_status lcu_function_attribute (lcu_function *f, int attr, int *value);
lcu_status lcu_function_set_attribute (lcu_function *f, int attr, int value);
/* How many blocks of `threads` threads fit on one multiprocessor. */
lcu_status lcu_function_occupancy (lcu_function *f, int threads, size_t shared, int *blocks);
/* The threads of a block with which most threads are resident, and how many such blocks fill the
 * device. The driver is asked once for each amount of shared memory in a row. */
lcu_status lcu_function_suggest (lcu_function *f, uint32_t shared, int *threads, int *blocks);
/* Lets a launch use `shared` bytes of dynamic shared memory; fails with a message if a block cannot
 * have them. */
lcu_status lcu_function_allow_shared (lcu_function *f, uint32_t shared);
/* Prefers shared memory or L1 cache (CU_CACHE_). */
lcu_status lcu_function_set_cache (lcu_function *f, int config);
/* "num_regs" -> number, -1 unknown */
int lcu_func_attr_find (const char *name, size_t len);
const char *lcu_func_attr_name (int attr); /* NULL after the last */

#endif
