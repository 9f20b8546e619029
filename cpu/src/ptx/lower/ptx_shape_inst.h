/* ptx_shape_inst.h: what one instruction does to claims, for ptx_shape.c. */
#ifndef PTX_SHAPE_INST_H
#define PTX_SHAPE_INST_H

#include "ptx_shape.h"

/* The value that an instruction writes to all its results, its guard left out of account. */
ptx_value ptx_shape_result (const ptx_claims *s, const ptx_inst *inst, ptx_block_class blocks,
                            lcu_arena *arena);
/* The root of the address it computes. */
ptx_root ptx_shape_result_root (const ptx_claims *s, const ptx_inst *inst);
ptx_root ptx_root_join (ptx_root a, ptx_root b);

/* Whether claims about numbers are made: not for predicates and narrow registers. */
static inline bool ptx_value_holds (ptx_type t) {
  return t != PTX_PRED && (ptx_type_bytes(t) == 4 || ptx_type_bytes(t) == 8);
}

/* 32 or 64. */
static inline uint32_t ptx_value_bits (ptx_type t) {
  return ptx_type_slot_bytes(t) == 8 * PTX_LANES ? 64 : 32;
}

#endif
