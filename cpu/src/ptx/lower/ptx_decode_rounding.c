/* ptx_decode_rounding.c: which operations need a rounding, and which have none (PTX ISA, "Floating
 * Point Instructions", "cvt"). */
#include <string.h>

#include "ptx_decode.h"
#include "ptx_module.h"

static bool is_plain_rounding (uint8_t round) {
  return round == PTX_ROUND_RN || round == PTX_ROUND_RZ || round == PTX_ROUND_RM ||
         round == PTX_ROUND_RP;
}

static bool needs_rounding (const ptx_match *m) {
  static const struct {
    const char *opcode;
    bool approx; /* it may be approximate instead */
  } ops[] = {
    { "div", true }, { "rcp", true }, { "sqrt", true }, { "fma", false }, { "mad", false }
  };
  for (size_t i = 0; i < lcu_arraylen(ops); i++)
    if (strcmp(m->op->opcode, ops[i].opcode) == 0)
      return !(ops[i].approx && ((m->mods & PTX_M_APPROX) || m->mode != PTX_MODE_none));
  return false;
}

/* Before sm_20, there was a default rounding. */
lcu_status ptx_check_rounding (const ptx_decoder *D) {
  const ptx_match *m = &D->inst->match;
  if (!ptx_type_is_float(m->type) || m->round != PTX_ROUND_NONE) return LCU_OK;
  if (D->f->module->ast.target < 20 || !needs_rounding(m)) return LCU_OK;
  return ptx_decode_fail(D, "a rounding is missing: .rn rounds to nearest");
}

/* From type s to type d. */
lcu_status ptx_check_cvt_rounding (const ptx_decoder *D, ptx_type d, ptx_type s) {
  uint8_t round = D->inst->match.round;
  bool from_int = !ptx_type_is_float(s), to_int = !ptx_type_is_float(d);
  bool narrows = ptx_type_bytes(d) < ptx_type_bytes(s);
  bool exact = d == s || (!narrows && ptx_type_bytes(d) != ptx_type_bytes(s));
  if (from_int && to_int)
    return round == PTX_ROUND_NONE ? LCU_OK : ptx_decode_fail(D, "integers are not rounded");
  if (to_int && (round == PTX_ROUND_NONE || is_plain_rounding(round)))
    return ptx_decode_fail(D, "a rounding to integers is missing: .rzi truncates");
  if (!to_int && (from_int || narrows) && !is_plain_rounding(round))
    return ptx_decode_fail(D, "a rounding is missing: .rn rounds to nearest");
  if (!to_int && !from_int && exact && is_plain_rounding(round))
    return ptx_decode_fail(D, "an exact conversion is not rounded");
  return LCU_OK;
}
