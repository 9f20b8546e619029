/* ptx_jit_value.h: what the claims about registers (ptx_shape.h) say about the compiler's
 * variables, before each micro-operation. */
#ifndef PTX_JIT_VALUE_H
#define PTX_JIT_VALUE_H

#include "ptx_jit_flow.h"

/* The claim about the source at this slot before micro-operation i. NULL: nothing is known; else
 * its base is at most PTX_BASE_ROW, and the variable is kept as bases. */
const ptx_value *ptx_jit_value (const ptx_jit_facts *f, uint32_t i, int32_t slot, uint32_t bytes);
/* The same of what micro-operation i writes to the slot. */
const ptx_value *ptx_jit_result (const ptx_jit_facts *f, uint32_t i, int32_t slot, uint32_t bytes);
/* The same for a variable. */
const ptx_value *ptx_jit_var_value (const ptx_jit_facts *f, uint32_t i, uint32_t var);

/* Whether the claim about the result depends on a check of the sources of micro-operation i. */
bool ptx_jit_widens (const ptx_jit_facts *f, uint32_t i);

#endif
