/* ptx_cfg.h: the flow graph of a function. "Block" means basic block everywhere in this folder;
 * thread blocks are CTAs. */
#ifndef PTX_CFG_H
#define PTX_CFG_H

#include "ptx_ast.h"

/* Splits the body into basic blocks, numbers them, finds loops and the loops that may wait for
 * other threads. Every instruction must be matched. A guarded instruction with PTX_F_CONTROL other
 * than bra is put after a branch first, so that only bra and ordinary instructions stay guarded.
 * Unreachable blocks are dropped. */
lcu_status ptx_cfg_build (ptx_function *f, lcu_arena *arena);

/* Successors of a block, k = 0, 1, ...; -1 past the last one. */
int32_t ptx_basic_block_successor (const ptx_basic_block *b, uint32_t k);

/* Whether the instruction is the last one of its block. */
bool ptx_inst_ends_block (const ptx_inst *inst);

/* ---- between ptx_cfg.c, ptx_loops.c and ptx_spin.c. Functions return false when out of memory. */

/* Successors of block b: succ[first[b]] .. succ[first[b + 1] - 1]. Block 0 is the entry. */
typedef struct ptx_graph {
  uint32_t num;
  uint32_t *first;
  uint32_t *succ;
} ptx_graph;

/* head[b] is the head of the innermost loop around b, which for a head is the loop around its own;
 * -1: none. */
typedef struct ptx_loops {
  int32_t *head;
  bool *is_head;
  uint32_t *order, num_order; /* reachable blocks, loop-contiguous reverse post-order */
} ptx_loops;

/* The results are in `scratch`. */
bool ptx_loops_find (const ptx_graph *g, lcu_arena *scratch, ptx_loops *out);

/* Sets `spin` of every block. The other fields of the blocks must be final. */
bool ptx_spin_mark (ptx_function *f, lcu_arena *scratch);

#endif
