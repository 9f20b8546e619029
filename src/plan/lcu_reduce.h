/* lcu_reduce.h: how a reduction walks over its operands: the order of kept and reduced axes, the
 * axes along which the threads of a block run, vectors, and the division into blocks. Plain
 * arithmetic, without a device, so a shape is always divided in the same way and gives the same
 * bits. */
#ifndef LCU_REDUCE_H
#define LCU_REDUCE_H

#include "lcu_layout.h"

typedef enum lcu_reduce_mode {
  /* threads run along the reduced axes: blockDim.x threads for each result */
  LCU_REDUCE_ROWS,
  /* threads run along the kept axes: blockDim.y threads for each vector of results */
  LCU_REDUCE_COLUMNS
} lcu_reduce_mode;

/* One axis more than an array has, because each kind has at least one. Two operands more than
 * parameters, for indices. */
enum { LCU_REDUCE_DIMS = LCU_LAYOUT_DIMS + 1, LCU_REDUCE_OPERANDS = LCU_LAYOUT_OPERANDS + 2 };
enum { LCU_REDUCE_NUMBERS = 5 + LCU_REDUCE_DIMS + LCU_REDUCE_OPERANDS * LCU_REDUCE_DIMS };

typedef struct lcu_reduce {
  /* set by the caller: the broadcast shape of the inputs; operands, inputs first, with strides
   * along all axes (outputs: 0 along the reduced ones). Item size 0: an index, whose strides count
   * elements. */
  int ndim, num, num_inputs; /* operands from num_inputs on are outputs, then indices */
  bool serial;               /* for the CPU device: few blocks, of one warp each */
  uint32_t reduced;          /* bit per axis */
  int64_t dims[LCU_REDUCE_DIMS];
  lcu_operand operands[LCU_REDUCE_OPERANDS];
  /* set by the plan: axes, kept ones first; at least one of each */
  lcu_reduce_mode mode; /* operands[].along: along the axis that threads run along */
  int kept, inner;      /* kept axes; reduced axes */
  bool wide;            /* 32 bits do not hold the counts */
  int vector;           /* elements per access, a power of two */
  bool peeled;          /* rows: the vectors begin at the first aligned element */
  /* rows: how many each thread loads at once, and the units that it loads of each; powers of two */
  uint32_t rows, each;
  /* for the CPU device: threads of a warp that share a row, or the columns' 32; 0: the kernel is
   * one for GPUs. columns: vectors of results of a thread, `lanes` apart; whether the elements that
   * are reduced to one result follow each other in every input */
  uint32_t lanes, strips;
  bool run;
  uint64_t results, n; /* n: elements reduced to each result */
  uint64_t units;      /* rows: vectors per result; columns: vectors of results */
  /* columns: neighbors that are parts of the same result, until the second pass joins them; the
   * elements along which a thread goes */
  uint64_t parts, length;
  /* blocks that share a result, and the units or rows of each block */
  uint64_t segments, chunk;
  uint32_t block[2], grid[2];
} lcu_reduce;

/* Plans the rest; there is at least one result. More than one segment: each gives partial results,
 * which a second pass combines. `results` counts each part. */
void lcu_reduce_plan (lcu_reduce *r);
/* Plans the second pass over the partial results of `r`, which are [result][segment] for rows and
 * [segment][part][result] for columns. */
void lcu_reduce_plan_final (const lcu_reduce *r, lcu_reduce *out);
/* The numbers for the kernel: results, n, units, chunk, length; extents of kept axes except the
 * first, and of reduced axes except the first; strides of each operand along all axes. Extents and
 * strides of the vector axis are in vectors. Returns how many. */
size_t lcu_reduce_pack (const lcu_reduce *r, int64_t *v);

#endif
