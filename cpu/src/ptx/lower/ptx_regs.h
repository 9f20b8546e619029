/* ptx_regs.h: which registers live where, and their places in the register file. */
#ifndef PTX_REGS_H
#define PTX_REGS_H

#include "ptx_ast.h"

/* A range of positions, both ends included, in which a register holds a value that is still needed.
 * Positions count instructions in block order. */
typedef struct ptx_segment {
  struct ptx_segment *next;
  uint32_t start, end;
} ptx_segment;

/* segments[id] of every register, in order and disjoint; NULL for one that no reachable code names.
 * A register that is written and never read has the segment of its write. NULL: out of memory. */
ptx_segment **ptx_live_segments (const ptx_function *f, lcu_arena *scratch,
                                 uint32_t *num_positions);

/* Sets the slots of all registers, f->regs_bytes and f->max_live. Slots are 64-byte aligned and
 * ptx_type_slot_bytes(type) long. The operations rely on two rules:
 * - A byte of the register file is only ever used by registers of one slot width. Lane l of a
 *   64-bit slot covers lanes 2l and 2l + 1 of a 32-bit slot, and lanes of other branches may still
 *   need those.
 * - A written register never shares a slot with a register that the same instruction reads, because
 *   an instruction may become several micro-operations. A guarded write keeps old values, so it
 *   also reads its register. */
lcu_status ptx_regs_allocate (ptx_function *f);

#endif
