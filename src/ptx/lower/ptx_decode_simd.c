/* ptx_decode_simd.c: operations on two halves or four bytes of a word (9.7.18). */
#include "ptx_decode.h"

#include <string.h>

#include "ptx_simd.h"

/* "vabsdiff4" -> PTX_SIMD_ABSDIFF */
static uint32_t op_of (const char *opcode) {
  static const char *const names[PTX_SIMD_COUNT] = {
    [PTX_SIMD_ADD] = "vadd",         [PTX_SIMD_SUB] = "vsub", [PTX_SIMD_AVRG] = "vavrg",
    [PTX_SIMD_ABSDIFF] = "vabsdiff", [PTX_SIMD_MIN] = "vmin", [PTX_SIMD_MAX] = "vmax"
  };
  size_t n = strlen(opcode) - 1;
  for (uint32_t i = 0; i < PTX_SIMD_COUNT; i++)
    if (strlen(names[i]) == n && strncmp(names[i], opcode, n) == 0) return i;
  return 0;
}

static ptx_simd simd_of (const ptx_match *m) {
  const char *opcode = m->op->opcode;
  return (ptx_simd){ .op = op_of(opcode),
                     .bits = opcode[strlen(opcode) - 1] == '4' ? 8 : 16,
                     .d_signed = m->types[0] == PTX_S32,
                     .a_signed = m->types[1] == PTX_S32,
                     .b_signed = m->types[2] == PTX_S32,
                     .sat = (m->mods & PTX_M_SAT) != 0,
                     .accumulate = m->mode == PTX_MODE_add };
}

lcu_status ptx_decode_simd (ptx_decoder *D) {
  const ptx_match *m = &D->inst->match;
  const ptx_operand *o = D->inst->operands;
  int32_t s[4];
  if (m->num_types != 3 || (m->mode != PTX_MODE_none && m->mode != PTX_MODE_add))
    return ptx_decode_fail(D, "this form");
  for (int i = 0; i < 4; i++) {
    if (m->types[i % 3] != PTX_U32 && m->types[i % 3] != PTX_S32)
      return ptx_decode_fail(D, "this type");
    if (o[i].kind == PTX_O_REG && o[i].name != NULL)
      return ptx_decode_fail(D, "selection of parts");
    if (i > 0) LCU_TRY(ptx_source(D, &o[i], PTX_U32, &s[i]));
  }
  LCU_TRY(ptx_dest(D, &o[0], PTX_U32, &s[0]));
  LCU_TRY(ptx_emit_dabc(D, PTX_ID_simd, s[0], s[1], s[2], s[3]));
  ptx_simd x = simd_of(m);
  D->uops[D->num - 1].imm = ptx_simd_pack(&x);
  return LCU_OK;
}
