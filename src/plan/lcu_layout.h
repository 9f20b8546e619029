/* lcu_layout.h: how a computation walks over several strided operands of one shape: which axes are
 * dropped, reordered and merged, and the widest vector access that all operands allow. Plain
 * arithmetic, without a device. */
#ifndef LCU_LAYOUT_H
#define LCU_LAYOUT_H

#include "lcu_base.h"

enum { LCU_LAYOUT_DIMS = 16, LCU_LAYOUT_OPERANDS = 24 };

typedef enum lcu_walk {
  /* every operand is one run of adjacent elements, in the same order */
  LCU_WALK_FLAT,
  LCU_WALK_STRIDED, /* coordinates by division, innermost axis last */
  /* innermost axis p and an axis q along which some operands are adjacent */
  LCU_WALK_TILE,
  LCU_WALK_ROWS /* LCU_WALK_STRIDED along one innermost axis after the other */
} lcu_walk;

/* How an operand is laid out along the innermost axis. */
typedef enum lcu_stride {
  LCU_STRIDE_UNIT,
  LCU_STRIDE_ZERO,
  LCU_STRIDE_ANY,
  LCU_STRIDE_TILE
} lcu_stride;

typedef struct lcu_operand {
  uint64_t address; /* of the element with index 0 along every axis */
  uint32_t itemsize;
  lcu_stride along; /* set by the plan */
  /* in bytes; one more for reductions, which have at least one axis of each kind */
  int64_t strides[LCU_LAYOUT_DIMS + 1];
} lcu_operand;

typedef struct lcu_layout {
  int ndim, num;
  uint64_t size; /* elements */
  int64_t dims[LCU_LAYOUT_DIMS];
  lcu_walk walk; /* from here on: set by the plan */
  bool wide;     /* 32 bits do not hold the number of units */
  int vector;    /* elements per unit, a power of two */
  int q;         /* LCU_WALK_TILE: that axis; p is ndim - 1 */
  lcu_operand operands[LCU_LAYOUT_OPERANDS];
} lcu_layout;

/* The caller sets ndim, num, dims, size and the operands' addresses, sizes and strides; the plan
 * changes dims and strides and sets the rest. Operand `lead` determines the order of the axes.
 * keep_order: elements are visited in C order. size > 0. */
void lcu_layout_plan (lcu_layout *l, int lead, bool keep_order);
/* The same for operands known to be contiguous and of one shape; ignores strides and dims. */
void lcu_layout_plan_flat (lcu_layout *l);

/* For a device whose warps run one after the other: after the plan, LCU_WALK_STRIDED becomes
 * LCU_WALK_ROWS where a row has work for a warp. */
void lcu_layout_by_rows (lcu_layout *l);

/* The numbers that a kernel needs to walk; `tile` is the edge of a tile. Returns how many, at most
 * LCU_LAYOUT_NUMBERS. *units: the threads of work, or tiles; 0: more tiles than a grid has
 * blocks. */
enum { LCU_LAYOUT_NUMBERS = 8 + 2 * LCU_LAYOUT_DIMS + LCU_LAYOUT_OPERANDS * LCU_LAYOUT_DIMS };
size_t lcu_layout_pack (const lcu_layout *l, int tile, int64_t *v, uint64_t *units);

#endif
