/* ptx_isa_sreg.c: special registers that have one value per warp. */
#include "ptx_isa.h"
#include "ptx_sreg_ops.h"

#define BROADCAST(name, T, VALUE) \
  PTX_HANDLER_DECLARE(name) \
  const ptx_uop *PTX_FULL(name)(PTX_HANDLER_ARGS) { \
    S_##T *pd = PTX_SLOT(T, rf, I->d), v = (S_##T)(VALUE); \
    PTX_IVDEP PTX_EACH_LANE(l) pd[l] = v; \
    return I + 1; \
  } \
  const ptx_uop *PTX_MASKED(name)(PTX_HANDLER_ARGS) { \
    S_##T *pd = PTX_SLOT(T, rf, I->d), v = (S_##T)(VALUE); \
    const S_s32 *on = (const S_s32 *)__builtin_assume_aligned(w->lanes, 64); \
    PTX_IVDEP PTX_EACH_LANE(l) pd[l] = on[l] ? v : pd[l]; \
    return I + 1; \
  }
BROADCAST(sreg_b32, u32, ptx_sreg_value(w, (ptx_sreg)I->imm))
BROADCAST(sreg_b64, u64, ptx_sreg_value(w, (ptx_sreg)I->imm))
BROADCAST(place_word_b32, u32, *(const S_u32 *)(const void *)((const uint8_t *)w->place + I->imm))
BROADCAST(place_word_b64, u64, *(const S_u32 *)(const void *)((const uint8_t *)w->place + I->imm))
