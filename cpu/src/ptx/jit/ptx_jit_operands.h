/* ptx_jit_operands.h: which parts of the register file a micro-operation reads and writes. */
#ifndef PTX_JIT_OPERANDS_H
#define PTX_JIT_OPERANDS_H

#include "ptx_code.h"

/* The types of lanes, as in ptx_lanes.h. */
typedef enum ptx_lane {
  PTX_LANE_none,
  PTX_LANE_u8,
  PTX_LANE_s8,
  PTX_LANE_u16,
  PTX_LANE_s16,
  PTX_LANE_u32,
  PTX_LANE_s32,
  PTX_LANE_u64,
  PTX_LANE_s64,
  PTX_LANE_f16,
  PTX_LANE_bf16,
  PTX_LANE_f32,
  PTX_LANE_f64,
  PTX_LANE_pred
} ptx_lane;

/* Bytes of a lane in its slot: 4 or 8. */
uint32_t ptx_lane_slot_bytes (ptx_lane t);

/* A row of the tables of lane loops: types of the result and of the sources a, b, c, e. */
typedef struct ptx_loop_row {
  uint8_t known, sources, carry;
  uint8_t d, s[4];
} ptx_loop_row;
const ptx_loop_row *ptx_loop_row_of (const ptx_uop *I);
/* Where source k is. */
int32_t ptx_loop_source (const ptx_uop *I, uint32_t k);

enum { PTX_JIT_READS = 1, PTX_JIT_WRITES = 2, PTX_JIT_UNKNOWN = 4 };

/* Calls each(ud, slot, bytes of a lane, role) for every operand in the register file. UNKNOWN: the
 * operation may read and write any bytes of these lanes. */
typedef void (*ptx_jit_each)(void *ud, int32_t slot, uint32_t bytes, int role);
void ptx_jit_operands (const ptx_uop *I, ptx_jit_each each, void *ud);

/* What an operation may do to the flow, beside going on behind itself. */
typedef enum ptx_jit_flow {
  PTX_JIT_PLAIN,  /* nothing */
  PTX_JIT_MAY,    /* leaves at times, and the executor may resume behind it */
  PTX_JIT_LEAVES, /* always leaves, and resumes behind it */
  PTX_JIT_ENDS,   /* always leaves, and never resumes there */
  PTX_JIT_JUMP,
  PTX_JIT_BRANCH,
  PTX_JIT_GUARD
} ptx_jit_flow;
ptx_jit_flow ptx_jit_flow_of (const ptx_uop *I);

bool ptx_jit_is_load (uint16_t id);
bool ptx_jit_is_store (uint16_t id);

/* ---- ptx_jit_op.c: the table ptx_jit_ops.def */

enum { PTX_JIT_OP_IN = 1, PTX_JIT_OP_OUT = 2, PTX_JIT_OP_SAT = 4, PTX_JIT_OP_HALF = 8 };
/* The text that computes the operation, on this processor; NULL: there is none. */
const char *ptx_jit_op_text (const ptx_uop *I);
int ptx_jit_op_flags (const ptx_uop *I);
/* The same, where nothing else is to be done. */
const char *ptx_jit_alu_text (const ptx_uop *I);
/* Is it computed by the code itself? */
bool ptx_jit_alu_knows (const ptx_uop *I);

#endif
