/* ptx_arguments.h: arguments and results of calls. */
#ifndef PTX_ARGUMENTS_H
#define PTX_ARGUMENTS_H

#include "ptx_frame.h"

/* Of the call `inst` by the lanes in mask: arguments from the caller's frame to the callee's ... */
void ptx_arguments_pass (const ptx_frame *from, ptx_frame *to, const ptx_inst *inst, uint32_t mask);
/* ... and results from the callee's frame to the caller's. */
void ptx_results_give (const ptx_frame *from, ptx_frame *to, const ptx_inst *inst, uint32_t mask);

#endif
