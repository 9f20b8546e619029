/* ptx_jit_text.h: texts of LLVM's assembly language, in the notation of ptx_jit_ops.def. */
#ifndef PTX_JIT_TEXT_H
#define PTX_JIT_TEXT_H

#include "ptx_jit_emit.h"

/* The numbers of a text: $0 and on. */
enum { PTX_JIT_TEXT_VALUES = 128 };

typedef struct ptx_jit_filling {
  uint32_t lanes;     /* of vectors; 1: scalars */
  uint32_t values[5]; /* a b c e d */
  uint32_t base;      /* of $0 */
  int64_t imm;
} ptx_jit_filling;

/* Writes the operation, with its lanes, sources a to e and imm. Returns its result, $d. */
uint32_t ptx_jit_apply (ptx_jit_emitter *E, const char *text, ptx_jit_filling x);
/* Writes the text with everything filled in. */
void ptx_jit_expand (ptx_jit_emitter *E, const char *text, const ptx_jit_filling *x);
/* "i32", "float", "i1" for a predicate, ... */
const char *ptx_jit_lane_type (ptx_lane t);
/* From the integer in the slot to the lane's type, or back. */
uint32_t ptx_jit_convert (ptx_jit_emitter *E, uint32_t value, ptx_lane t, uint32_t lanes,
                          bool back);
/* The declarations of the intrinsics that texts call. */
void ptx_jit_declare (ptx_jit_emitter *E);

#endif
