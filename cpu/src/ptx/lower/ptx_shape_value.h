/* ptx_shape_value.h: arithmetic on claims about values (ptx_shape.h). Offsets are allocated in an
 * arena; out of memory gives a value of which nothing is known, which is always right. */
#ifndef PTX_SHAPE_VALUE_H
#define PTX_SHAPE_VALUE_H

#include "ptx_shape.h"

static inline ptx_value ptx_value_unknown (void) { return (ptx_value){ .base = PTX_BASE_LANE }; }
ptx_value ptx_value_constant (uint64_t c);
/* The same in all lanes, a multiple of 1 << align. */
ptx_value ptx_value_of_warp (uint32_t align);
/* base + offsets[l], where offsets[0] may be other than 0. `bits` is 32 or 64. */
ptx_value ptx_value_make (lcu_arena *arena, ptx_value base, const uint64_t *offsets, uint32_t bits);

bool ptx_value_same (const ptx_value *a, const ptx_value *b);
/* What holds of a register that has one value or the other, the same one in all lanes. */
ptx_value ptx_value_join (lcu_arena *arena, ptx_value a, ptx_value b, uint32_t bits);
/* The claim in terms of rows: its base is PTX_BASE_ROW, unless nothing is known. */
ptx_value ptx_value_rows (lcu_arena *arena, ptx_value v, uint32_t bits);
/* The result of any function of these values: the same where they are the same. */
ptx_value ptx_value_pure (lcu_arena *arena, const ptx_value *v, uint32_t num);

typedef enum ptx_value_op {
  PTX_VALUE_ADD,
  PTX_VALUE_SUB,
  PTX_VALUE_MUL,
  PTX_VALUE_AND,
  PTX_VALUE_OR,
  PTX_VALUE_XOR,
  PTX_VALUE_SHL,
  PTX_VALUE_SHR_U,
  PTX_VALUE_SHR_S
} ptx_value_op;
ptx_value ptx_value_compute (lcu_arena *arena, ptx_value_op op, ptx_value a, ptx_value b,
                             uint32_t bits);

/* A conversion from 32 to 64 bits. */
ptx_value ptx_value_widen (lcu_arena *arena, ptx_value v, bool is_signed);
/* From 64 to 32 bits. */
ptx_value ptx_value_narrow (lcu_arena *arena, ptx_value v);

#endif
