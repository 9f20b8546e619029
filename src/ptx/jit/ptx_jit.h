/* ptx_jit.h: compiled code of a function: what the interpreter's inner loop does, from any entry up
 * to the next event. docs/design/cpu-device.md, chapter 4. */
#ifndef PTX_JIT_H
#define PTX_JIT_H

#include "ptx_code.h"
#include "ptx_shape.h"
#include "ptx_warp.h"

/* Runs from the micro-operation `entry`. NULL: left with w->event. Otherwise the interpreter must
 * go on there. */
typedef const ptx_uop *(*ptx_jit_run)(uint32_t entry, uint8_t *rf, ptx_warp *w,
                                      const ptx_uop *uops);

typedef struct ptx_jit {
  ptx_jit_run run[2]; /* [1]: all lanes are on */
  bool *entry;        /* per micro-operation */
} ptx_jit;

/* Compiles a kernel, once per class of blocks; the functions that it calls are interpreted. So is a
 * kernel that cannot be compiled: it is too long, it has loops that wait for other threads, or
 * there is no libLLVM. */
void ptx_jit_prepare (ptx_code *code, ptx_block_class blocks);

/* The compiled code; NULL: interpret. It may run as long as ptx_warp.in_step. */
static inline const ptx_jit *ptx_jit_of (const ptx_code *code, ptx_block_class blocks) {
  return code->jit[blocks];
}

/* `code` may be NULL. */
void ptx_jit_free (ptx_code *code);

#endif
