/* ptx_jit_op.c: the table ptx_jit_ops.def. */
#include "ptx_jit_operands.h"

#include <string.h>

#include "ptx.h"
#include "ptx_ids.h"

enum { IN = PTX_JIT_OP_IN, OUT = PTX_JIT_OP_OUT, SAT = PTX_JIT_OP_SAT, HALF = PTX_JIT_OP_HALF };

typedef struct op {
  const char *text;
  int flags;
} op;

static const op ops[PTX_ID_COUNT] = {
#define PTX_JIT_OP(name, flags, text) [PTX_ID_##name] = { text, flags },
#include "ptx_jit_ops.def"
#undef PTX_JIT_OP
};

/* x86-64-v2 has no conversions of f16, and LLVM would call
 * functions of its own. */
const char *ptx_jit_op_text (const ptx_uop *I) {
  bool halves = strcmp(ptx_isa_name(), "x86-64-v2") != 0;
  return halves || (ops[I->id].flags & HALF) == 0 ? ops[I->id].text : NULL;
}

int ptx_jit_op_flags (const ptx_uop *I) { return ops[I->id].flags; }

bool ptx_jit_alu_knows (const ptx_uop *I) {
  switch (I->id) {
    case PTX_ID_ld_param_32:
    case PTX_ID_ld_param_64:
    case PTX_ID_place_word_b32:
    case PTX_ID_mov_local_b32:
    case PTX_ID_mov_local_b64:
    case PTX_ID_sreg_tid_x:
    case PTX_ID_sreg_tid_y:
    case PTX_ID_sreg_tid_z:
    case PTX_ID_prmt_b32:
    case PTX_ID_lop3_b32: return true;
    default: return ptx_jit_op_text(I) != NULL;
  }
}

const char *ptx_jit_alu_text (const ptx_uop *I) {
  return ops[I->id].flags == 0 ? ops[I->id].text : NULL;
}
