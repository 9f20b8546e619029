/* ptx_jit_flow.h: what the compiler must know about a function before it writes code: its variables
 * (slots of the register file), and for each micro-operation which of them are live, which may
 * differ from the register file, and which register they hold. */
#ifndef PTX_JIT_FLOW_H
#define PTX_JIT_FLOW_H

#include "lcu_mem.h"
#include "ptx_jit_operands.h"
#include "ptx_shape.h"

/* A slot that is always used with one width. Variables that are not `resident` are kept in the
 * machine's registers; those that are stay in the register file: the function parameter area,
 * temporaries of several widths, operands of operations that the compiler does not know. */
typedef struct ptx_jit_var {
  int32_t slot;
  uint32_t bytes; /* of a lane: 4 or 8 */
  bool resident;
} ptx_jit_var;

/* A set of variables per micro-operation. */
typedef struct ptx_jit_sets {
  uint64_t *bits;
  uint32_t words;
} ptx_jit_sets;

static inline bool ptx_jit_has (const ptx_jit_sets *s, uint32_t uop, uint32_t var) {
  return s->bits[(size_t)uop * s->words + var / 64] >> (var % 64) & 1u;
}

typedef struct ptx_jit_facts {
  const ptx_code *code;
  const ptx_claims *claims;
  bool checked; /* it is for all checks (ptx_jit_checked.c) */
  ptx_jit_var *vars;
  uint32_t num_vars;
  /* before the micro-operation: needed later by some lane; written since the register file was */
  ptx_jit_sets live, dirty;
  /* before the micro-operation, per variable: what it holds (ptx_jit_value.c) */
  uint16_t *held;
  bool *leader;  /* others than the one before it lead to it */
  bool *entry;   /* the executor may start there */
  bool *guarded; /* under a guard */
  bool *looped;  /* in a loop */
  bool *wraps;   /* with all checks: whether the result wraps around matters (ptx_jit_wrap.c) */
} ptx_jit_facts;

static inline uint32_t ptx_jit_index (const ptx_code *code, const ptx_uop *I) {
  return (uint32_t)(I - code->uops);
}

/* These fill in the facts, in this order; f has its code and its claims. All memory is from the
 * arena. False: out of memory. */
bool ptx_jit_find_variables (ptx_jit_facts *f, lcu_arena *arena); /* vars */
bool ptx_jit_mark_flow (ptx_jit_facts *f, lcu_arena *arena);      /* leader to looped */
bool ptx_jit_find_live (ptx_jit_facts *f, lcu_arena *arena);
bool ptx_jit_find_dirty (ptx_jit_facts *f, lcu_arena *arena);
/* ptx_jit_value.c: held. */
bool ptx_jit_find_values (ptx_jit_facts *f, lcu_arena *arena);

/* The variable of a slot; constants have none, which gives -1. */
int32_t ptx_jit_find (const ptx_jit_facts *f, int32_t slot, uint32_t bytes);
bool ptx_jit_is_constant (const ptx_code *code, int32_t slot);
/* Successors of a micro-operation, at most two. */
uint32_t ptx_jit_successors (const ptx_code *code, uint32_t i, uint32_t out[2]);
/* Does the compiler know how the operation is computed, and that equal sources give equal
 * results? */
bool ptx_jit_keeps_same (const ptx_uop *I);

/* ---- ptx_jit_wrap.c: can the kernel be compiled with all checks? */
bool ptx_jit_can_check (const ptx_code *code);

/* ---- ptx_jit_value.c: what the claims about registers (ptx_shape.h) say about the variables */

/* The claim about the source at this slot before micro-operation i. NULL: nothing is known; else
 * its base is at most PTX_BASE_ROW, and the variable is kept as bases. */
const ptx_value *ptx_jit_value (const ptx_jit_facts *f, uint32_t i, int32_t slot, uint32_t bytes);
/* The same of what micro-operation i writes to the slot. */
const ptx_value *ptx_jit_result (const ptx_jit_facts *f, uint32_t i, int32_t slot, uint32_t bytes);
/* The same for a variable. */
const ptx_value *ptx_jit_var_value (const ptx_jit_facts *f, uint32_t i, uint32_t var);

/* Whether the claim about the result depends on a check of the sources of micro-operation i. */
bool ptx_jit_widens (const ptx_jit_facts *f, uint32_t i);

#endif
