/* ptx_module.h: what is behind ptx_module and ptx_kernel, for the files of this folder. */
#ifndef PTX_MODULE_H
#define PTX_MODULE_H

#include <pthread.h>

#include "ptx.h"
#include "ptx_ast.h"

struct ptx_kernel {
  ptx_module *module;
  ptx_function *function;
  ptx_kernel_info info;
  bool prepared; /* the answer below is final */
  lcu_status status;
  char *message; /* why status is not LCU_OK, or NULL */
  /* code it reaches does (ptx_refs); known when prepared */
  bool reads_reserved, reads_workspace;
};

struct ptx_module {
  struct ptx_module_ast ast; /* its arena also holds what preparing makes */
  const ptx_host *host;
  pthread_mutex_t lock; /* preparing and placing */
  ptx_kernel *kernels;
  uint32_t num_kernels;
  uint32_t const_bytes;
  ptx_variable **placed;
  uint32_t num_placed, cap_placed; /* have storage from the host */
  /* whose address is taken, by address */
  ptx_function **taken;
  uint32_t num_taken;
};

/* What the code of a function names, each once. */
typedef struct ptx_refs {
  ptx_function **functions;
  uint32_t num_functions;
  ptx_variable **variables;
  uint32_t num_variables; /* .global .const .shared */
  bool indirect;          /* calls through a register */
  /* reads %reserved_smem_offset_*; what a grid synchronises through */
  bool reserved, workspace;
} ptx_refs;

typedef enum ptx_stage {
  PTX_STAGE_PARSED,
  PTX_STAGE_MATCHED,
  PTX_STAGE_BLOCKS,
  PTX_STAGE_REGS,
  PTX_STAGE_DONE
} ptx_stage;

/* The function a code address stands for (mov of a function name, function tables); NULL when it is
 * none of this module. It may be extern, or not runnable (`unsupported`). */
ptx_function *ptx_module_function_at (const ptx_module *m, uint64_t address);
ptx_function *ptx_module_function (const ptx_module *m, const char *name);

/* ptx_layout.c: references of every function, functions a kernel reaches, shared memory. */
lcu_status ptx_refs_collect (ptx_module *m);
/* Functions with and without body that `entry` can reach, itself first, in `*list`; those before
 * *num_direct without a call through a register, the others because their address is taken
 * somewhere. lcu_free the list. */
lcu_status ptx_refs_reach (ptx_module *m, ptx_function *entry, ptx_function ***list,
                           uint32_t *num_direct, uint32_t *num);
/* Offsets of all .shared variables and shared_bytes of all entries. */
lcu_status ptx_shared_place (ptx_module *m);
/* Dynamic shared memory starts behind the static memory of `entry`: to be called before code of it
 * is decoded. */
void ptx_shared_place_dynamic (const ptx_function *entry);

/* ptx_place.c; ptx_variable_place stands in ptx_insn.h. */
void ptx_variables_free (ptx_module *m);

#endif
