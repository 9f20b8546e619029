/* ptx_refs.h: what the code of a function names, and what a kernel can reach through that. */
#ifndef PTX_REFS_H
#define PTX_REFS_H

#include "ptx.h"
#include "ptx_ast.h"

/* Each function and variable is listed once. */
typedef struct ptx_refs {
  ptx_function **functions;
  uint32_t num_functions;
  ptx_variable **variables; /* .global .const .shared */
  uint32_t num_variables;
  bool indirect;  /* calls through a register */
  bool reserved;  /* reads %reserved_smem_offset_* */
  bool workspace; /* reads what a grid synchronizes through */
} ptx_refs;

/* Sets f->refs of every function, and the list of those whose address is taken. */
lcu_status ptx_refs_collect (ptx_module *m);

/* The functions that `entry` can reach, with and without a body, itself first. Those before
 * *num_direct are reached without a call through a register; the others because their address is
 * taken somewhere. lcu_free the list. */
lcu_status ptx_refs_reach (ptx_module *m, ptx_function *entry, ptx_function ***list,
                           uint32_t *num_direct, uint32_t *num);

/* The function that a code address stands for (mov of a function name, function tables); NULL when
 * it is not one of this module. It may be extern or `unsupported`. */
ptx_function *ptx_refs_function_at (const ptx_module *m, uint64_t address);

#endif
