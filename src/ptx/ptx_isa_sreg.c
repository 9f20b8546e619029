/* ptx_isa_sreg.c: broadcast of special registers. */
#include "ptx_isa.h"
#include "ptx_sreg_ops.h"

#define BROADCAST(name, T) \
  PTX_HANDLER_DECLARE(name) \
  const ptx_insn *PTX_FULL(name) (PTX_HANDLER_ARGS) { \
    S_##T *pd = PTX_SLOT(T, rf, I->d), v = (S_##T)ptx_sreg_value(w, (ptx_sreg)I->imm); \
    PTX_IVDEP PTX_EACH_LANE(l) pd[l] = v; \
    return I + 1; \
  } \
  const ptx_insn *PTX_MASKED(name) (PTX_HANDLER_ARGS) { \
    S_##T *pd = PTX_SLOT(T, rf, I->d), v = (S_##T)ptx_sreg_value(w, (ptx_sreg)I->imm); \
    const S_s32 *on = (const S_s32 *)__builtin_assume_aligned(w->lanes, 64); \
    PTX_IVDEP PTX_EACH_LANE(l) pd[l] = on[l] ? v : pd[l]; \
    return I + 1; \
  }
BROADCAST(sreg_b32, u32)
BROADCAST(sreg_b64, u64)
