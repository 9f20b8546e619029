/* ptx_decode_stack.c: alloca, stacksave and stackrestore (9.7.17). */
#include <string.h>

#include "ptx_decode.h"

enum { LEAST_ALIGN = 8, MOST_ALIGN = 1 << 23 };

static lcu_status emit_stack (ptx_decoder *D, uint16_t id, int32_t d, int32_t a, int64_t imm) {
  LCU_TRY(ptx_emit_imm(D, id, d, a, imm));
  D->uops[D->num - 1].size = (uint8_t)ptx_type_bytes(D->inst->match.type);
  return LCU_OK;
}

static lcu_status alignment (ptx_decoder *D, int64_t *align) {
  const ptx_inst *inst = D->inst;
  *align = LEAST_ALIGN;
  if (inst->num_operands < 3) return LCU_OK;
  const ptx_operand *o = &inst->operands[2];
  if (o->kind != PTX_O_INT || o->i < 1 || o->i > MOST_ALIGN || (o->i & (o->i - 1)) != 0)
    return ptx_decode_fail(D, "the alignment must be a power of 2 up to 2^23");
  if (o->i > *align) *align = o->i;
  return LCU_OK;
}

static lcu_status decode_alloca (ptx_decoder *D) {
  const ptx_inst *inst = D->inst;
  int64_t align, frame = (D->f->local_bytes + 15) & ~15u;
  int32_t d, a;
  LCU_TRY(alignment(D, &align));
  LCU_TRY(ptx_source_exact(D, &inst->operands[1], inst->match.type, &a));
  LCU_TRY(ptx_dest_exact(D, &inst->operands[0], inst->match.type, &d));
  return emit_stack(D, PTX_ID_alloca, d, a, align | frame << 32);
}

static lcu_status decode_restore (ptx_decoder *D) {
  const ptx_operand *o = &D->inst->operands[0];
  int32_t a;
  if (o->kind != PTX_O_REG) return ptx_decode_fail(D, "the operand is not a register");
  LCU_TRY(ptx_source_exact(D, o, D->inst->match.type, &a));
  return emit_stack(D, PTX_ID_stackrestore, 0, a, 0);
}

lcu_status ptx_decode_stack (ptx_decoder *D) {
  const ptx_match *m = &D->inst->match;
  int32_t d;
  if (m->num_types != 1 || (m->type != PTX_U32 && m->type != PTX_U64))
    return ptx_decode_fail(D, "takes type .u32 or .u64");
  if (strcmp(m->op->opcode, "alloca") == 0) return decode_alloca(D);
  if (strcmp(m->op->opcode, "stackrestore") == 0) return decode_restore(D);
  LCU_TRY(ptx_dest_exact(D, &D->inst->operands[0], m->type, &d));
  return emit_stack(D, PTX_ID_stacksave, d, 0, 0);
}
