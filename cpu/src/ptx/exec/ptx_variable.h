/* ptx_variable.h: the variables and parameters that a kernel names. */
#ifndef PTX_VARIABLE_H
#define PTX_VARIABLE_H

#include "ptx_cta.h"
#include "ptx_shape.h"

/* The name without its scope: "x" of _ZZ1kPfE1x. */
void ptx_variable_name (const ptx_variable *v, char *out, size_t size);
/* The same between backquotes. */
void ptx_variable_quote (const ptx_variable *v, char *out, size_t size);
/* The variable of static shared memory at an offset in the block's; NULL: there is none. */
const ptx_variable *ptx_variable_at (const ptx_xwarp *x, uint32_t offset);
/* " (byte 8 of `x`)" for an offset in the block's shared memory, or nothing. */
void ptx_variable_name_offset (const ptx_xwarp *x, uint32_t offset, char *out, size_t size);

/* Where the address of an access in that frame comes from. `variable` is NULL unless it is one. */
ptx_root ptx_root_of (const ptx_xwarp *x, const ptx_frame *f, const ptx_uop *I);

#endif
