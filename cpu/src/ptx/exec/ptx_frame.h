/* ptx_frame.h: the active calls of a warp. Functions that return false have set x->w.fault; a
 * fragment is given by its index i and is at the instruction in question. */
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

/* Makes the frame of the kernel itself. */
void ptx_frame_root (ptx_xwarp *x, const ptx_code *code, uint8_t *rf);
bool ptx_frame_call (ptx_xwarp *x, uint32_t i);
/* From a kernel: like exit. */
void ptx_frame_return (ptx_xwarp *x, uint32_t i);
/* Takes lanes that end out of all their frames. */
void ptx_frame_leave (ptx_xwarp *x, ptx_frame *frame, uint32_t mask);
/* Drops all calls; frees their memory as well. */
void ptx_frames_reset (ptx_xwarp *x);
void ptx_frames_free (ptx_xwarp *x);

/* Storage of a .param variable: words of 32 lanes. */
uint8_t *ptx_frame_param (const ptx_frame *f, const ptx_variable *v);
/* Operand lists of a call; NULL when absent. */
const ptx_operand *ptx_call_results (const ptx_inst *inst);
const ptx_operand *ptx_call_arguments (const ptx_inst *inst);
/* One lane's value of an argument, its first 8 bytes. */
uint64_t ptx_call_argument (const ptx_frame *f, const ptx_operand *o, uint32_t lane);

/* ---- ptx_runtime.c: calls of functions that the module does not define */

bool ptx_runtime_call (ptx_xwarp *x, uint32_t i, const ptx_function *f);

#endif
