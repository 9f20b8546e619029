/* ptx_module.h: the contents of ptx_module and ptx_kernel, and the stages of preparing them. */
#ifndef PTX_MODULE_H
#define PTX_MODULE_H

#include <pthread.h>

#include "ptx.h"
#include "ptx_ast.h"

struct ptx_kernel {
  ptx_module *module;
  ptx_function *function;
  ptx_kernel_info info;
  bool prepared; /* the rest is final */
  lcu_status status;
  char *message; /* why status is not LCU_OK, or NULL */
  /* whether code that it reaches reads these; see ptx_refs */
  bool reads_reserved, reads_workspace;
};

struct ptx_module {
  struct ptx_module_ast ast; /* its arena also holds what preparing makes */
  uint8_t text_digest[32];   /* of its PTX */
  const ptx_host *host;
  uint64_t serial;      /* no other module has had it */
  pthread_mutex_t lock; /* held while preparing and placing */
  ptx_kernel *kernels;
  uint32_t num_kernels;
  uint32_t const_bytes;
  ptx_variable **placed; /* have storage from the host */
  uint32_t num_placed, cap_placed;
  ptx_function **taken; /* functions whose address is taken, by address */
  uint32_t num_taken;
  char *error_texts; /* memory that kernels can read: see ptx_device_info.c; NULL until needed */
};

/* How far a function is prepared: ptx_function.stage. */
typedef enum ptx_stage {
  PTX_STAGE_PARSED,
  PTX_STAGE_MATCHED,
  PTX_STAGE_BLOCKS,
  PTX_STAGE_REGS,
  PTX_STAGE_DONE
} ptx_stage;

/* ---- ptx_variable.c: storage of .global and .const variables. Under the module's lock. */

/* Gives the variable storage and its initial value, once: then v->address is set. */
lcu_status ptx_variable_place (ptx_module *m, ptx_variable *v);
void ptx_variables_free (ptx_module *m);

/* ---- ptx_shared.c */

/* Sets the offsets of all .shared variables, and shared_bytes of all entries. */
lcu_status ptx_shared_place (ptx_module *m);
/* Dynamic shared memory starts after the static memory of `entry`: to be called before its code is
 * decoded. */
void ptx_shared_place_dynamic (const ptx_function *entry);

#endif
