/* ptx_shape_flow.h: where lanes part and meet, for ptx_shape.c. */
#ifndef PTX_SHAPE_FLOW_H
#define PTX_SHAPE_FLOW_H

#include "ptx_regs.h"
#include "ptx_shape.h"

typedef struct ptx_shape_flow {
  ptx_claims *shape;
  lcu_arena *scratch;
  ptx_segment **segments; /* by ptx_reg.id: where it is live */
  uint32_t *start;        /* per block: position of its first instruction */
  bool *varying;          /* by ptx_reg.id: result: lanes may have written it at different times */
  bool *exit_varies;      /* per head: lanes leave the loop in different iterations */
  int32_t *label;         /* per block, of the current walk: the side of the branch; -1: none */
  uint32_t *written, num; /* registers written on the way */
  uint32_t *stamp, walk;  /* by ptx_reg.id: the walk that listed it */
  bool changed;
} ptx_shape_flow;

/* False: out of memory. */
bool ptx_shape_flow_init (ptx_shape_flow *f, ptx_claims *s, lcu_arena *scratch);
/* Whether a loop is entered other than by its head. */
bool ptx_shape_irreducible (const ptx_function *f);
/* Lanes part at the end of a block: marks the registers that differ for it. */
void ptx_shape_part (ptx_shape_flow *f, uint32_t block);
/* After all of them: loops whose lanes may be in different iterations. */
void ptx_shape_find_ragged (ptx_shape_flow *f);
/* Registers read by code that runs before any that writes them. */
void ptx_shape_find_undefined (ptx_shape_flow *f);

#endif
