/* ptx_cfg.h: the flow graph as numbers, shared by the files that build and analyse it. */
#ifndef PTX_CFG_H
#define PTX_CFG_H

#include "ptx_ast.h"

/* Successors of block b: succ[first[b]] .. succ[first[b + 1] - 1]. Block 0 is the entry. */
typedef struct ptx_graph {
  uint32_t num;
  uint32_t *first;
  uint32_t *succ;
} ptx_graph;

/* Loops: head[b] is the head of the innermost loop that contains b, for a head of the loop around
 * its own; -1 none. */
typedef struct ptx_loops {
  int32_t *head;
  bool *is_head;
  uint32_t *order, num_order; /* reachable blocks, loop-contiguous reverse post-order */
} ptx_loops;

/* Results live in `scratch`. False: no memory. */
bool ptx_loops_find (const ptx_graph *g, lcu_arena *scratch, ptx_loops *out);

/* Sets the spin flag of every block. Blocks are final and have their `loop`. False: no memory. */
bool ptx_spin_mark (ptx_function *f, lcu_arena *scratch);

/* Successors of a built block, k = 0, 1, ...; -1 behind the last. */
int32_t ptx_basic_block_successor (const ptx_basic_block *b, uint32_t k);

/* Nothing follows it in its block. */
bool ptx_inst_ends_block (const ptx_inst *inst);

/* Calls each(ud, reg, role) for every register the instruction names, items of vectors and lists,
 * bases of addresses and the guard included. What a guarded instruction writes it also reads: lanes
 * that stay out keep the old value. */
typedef void (*ptx_reg_visit)(void *ud, ptx_reg *reg, int role);
void ptx_inst_visit_regs (const ptx_inst *inst, ptx_reg_visit each, void *ud);


/* Where a register holds a value that is still needed: positions of instructions in block order,
 * both ends included. */
typedef struct ptx_segment {
  struct ptx_segment *next;
  uint32_t start, end;
} ptx_segment;

/* segments[id] for every register id, in order, disjoint; NULL for one that is not named in
 * reachable code. A register written and never read has the segment of its write. NULL: no
 * memory. */
ptx_segment **ptx_live_segments (const ptx_function *f, lcu_arena *scratch,
                                 uint32_t *num_positions);

#endif
