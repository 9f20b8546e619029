/* ptx_code.h: a function ready to run. */
#ifndef PTX_CODE_H
#define PTX_CODE_H

#include "ptx_shape.h"
#include "ptx_uop.h"

/* Constants are registers: `constants` is copied into the frame, at constants_at, when the frame is
 * made. */
typedef struct ptx_code {
  ptx_uop *uops;
  /* per micro-operation: the instruction that it is a part of; NULL: added by the decoder */
  const ptx_inst **insts;
  uint32_t num_uops;
  const ptx_uop **bb_first; /* per basic block */
  const ptx_basic_block *bbs;
  uint32_t num_bbs;
  uint8_t *constants;
  uint32_t constants_at, constants_bytes;
  uint32_t frame_bytes; /* of the register file, a multiple of 64; see ptx_decode.h */
  /* The function parameter area: 32-bit words of 32 lanes each. Word k of a .param variable is at
   * params_at + (variable->offset / 4 + k) * 128. */
  uint32_t params_at;
  bool calls; /* has calls, which need the stack of a thread */
  ptx_function *function;
  /* by class of block shapes: compiled code, NULL: none; whether compiling was tried. Set before a
   * launch */
  const struct ptx_jit *jit[PTX_BLOCK_CLASSES];
  bool jit_tried[PTX_BLOCK_CLASSES];
  void *_Atomic pool; /* the executor's: CTAs kept for the next run */
} ptx_code;

#endif
