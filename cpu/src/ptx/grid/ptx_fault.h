/* ptx_fault.h: reporting what went wrong in a kernel, and where. */
#ifndef PTX_FAULT_H
#define PTX_FAULT_H

#include "lcu_text.h"
#include "ptx_grid.h"
#include "ptx_shape.h"

/* Sets x->w.fault, for what the executor itself finds. Always false. */
bool ptx_fault_set (ptx_xwarp *x, uint32_t lane, ptx_fault_kind kind, const char *fmt, ...)
  LCU_PRINTF(4, 5);
/* Reports x->w.fault of the instruction at x->w.at in `frame` and stops the grid. The detail of an
 * assertion is "file\nline\nfunction\nexpression". */
void ptx_fault_report (ptx_xwarp *x, const ptx_frame *frame);
/* Fills in a hang of the CTA, but for the message. */
void ptx_fault_start_hang (ptx_fault *f, const ptx_cta *c, ptx_fault_kind kind, const ptx_uop *at,
                           const ptx_frame *frame);
/* The file and line of a place, as messages name them; line 0: unknown. */
void ptx_fault_locate (const ptx_frame *frame, const ptx_uop *at, char *file, size_t size,
                       int *line);
/* "k.cu:12", or words for a place without a source line. */
void ptx_fault_place (const ptx_frame *frame, const ptx_uop *at, char *out, size_t size);

/* ---- ptx_words.c: the words of faults */

/* Whether it is about device memory. */
bool ptx_words_global (const ptx_fault *f);
/* "called from k.cu:12, from k.cu:20": the calls of device functions that lead to a place */
void ptx_words_callers (lcu_text *t, const ptx_caller *c, const char *before);
/* Sets f->message. told: the detail says what the access is, not only more about it. */
void ptx_words_write (ptx_fault *f, const char *detail, bool told);

/* ---- ptx_variable.c: the variables and parameters that a kernel names */

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
/* The same of code that runs in blocks of this class. */
ptx_root ptx_root_at (const ptx_code *code, ptx_block_class blocks, const ptx_uop *I);

/* ---- ptx_nearest.c: the allocation that an access to device memory is about */

/* Sets f->nearest for the access of x->w.at in that frame. */
void ptx_nearest_find (const ptx_xwarp *x, const ptx_frame *frame, ptx_fault *f);

#endif
