/* ptx_frame.h: the active calls of a warp, and their arguments. */
#ifndef PTX_FRAME_H
#define PTX_FRAME_H

#include "ptx_code.h"

typedef struct ptx_xwarp ptx_xwarp;

/* One call. Lanes that made the same call from the same frame share it. Each frame has a register
 * file of its own, since slots at the same place may differ in width between functions. */
typedef struct ptx_frame {
  struct ptx_frame *parent, *child, *sibling; /* free frames: a list through `sibling` */
  const ptx_uop *site;                        /* the call in the parent; NULL for the kernel */
  const ptx_code *code;
  uint8_t *rf;
  size_t rf_bytes;
  uint32_t local_base, depth;
  uint32_t lanes;            /* lanes in this frame or in one that it called */
  uint32_t stack[PTX_LANES]; /* ptx_warp.stack at the call, if the function has alloca */
} ptx_frame;

/* ---- ptx_arguments.c */

/* Storage of a .param variable: words of 32 lanes. */
uint8_t *ptx_frame_param (const ptx_frame *f, const ptx_variable *v);
/* Operand lists of a call; NULL when absent. */
const ptx_operand *ptx_call_results (const ptx_inst *inst);
const ptx_operand *ptx_call_arguments (const ptx_inst *inst);
/* One lane's value of an argument, its first 8 bytes. */
uint64_t ptx_call_argument (const ptx_frame *f, const ptx_operand *o, uint32_t lane);

/* Of the call `inst` by the lanes in mask: arguments from the caller's frame to the callee's ... */
void ptx_arguments_pass (const ptx_frame *from, ptx_frame *to, const ptx_inst *inst, uint32_t mask);
/* ... and results from the callee's frame to the caller's. */
void ptx_results_give (const ptx_frame *from, ptx_frame *to, const ptx_inst *inst, uint32_t mask);

#endif
