/* ptx_shape.h: what is known about a register before the kernel runs: whether the lanes of a warp
 * hold the same value, or how their values differ; where lanes part and meet again; and which
 * parameter or variable an address comes from. The interpreter and the compiler share it.
 *
 * What a claim means
 *   value(lane) = base + offsets[lane]   modulo 2^32, or 2^64 for 64-bit registers
 * for all lanes of w->mask, whenever an instruction reads the register (write and read alike, when
 * the instruction that wrote it has completed). The base is a constant, one unknown value, or one
 * unknown value per row of 16 lanes. Offsets are constants. Lanes that are off hold anything.
 *
 * What a claim depends on
 * - the class of the block's shape, which the launch decides: ptx_block_class
 * - the warp is in step: lanes that parted have met again at the next block that all of them reach,
 *   and run the same iteration of each loop. The order of blocks sees to that, unless lanes wait
 *   for each other or a loop runs so long that the others get a turn. ptx_warp.in_step says so;
 *   once false, nothing below may be used for the rest of the block of threads. So whoever
 *   computes a uniform value once must be able to give it to all lanes (cpu/docs/machine.md).
 * - for values with `widened`: see there
 * - no data races: a plain load by all lanes from one address gives one value. Volatile loads,
 *   atomics and clocks claim nothing. */
#ifndef PTX_SHAPE_H
#define PTX_SHAPE_H

#include "ptx_ast.h"

enum { PTX_ROW_LANES = 16 }; /* of the blocks and values whose rows are half a warp */

/* Shapes of blocks. */
typedef enum ptx_block_class {
  /* tid.x counts the lanes, and tid.y and tid.z are the same in all */
  PTX_BLOCKS_WARPS,  /* the width is a multiple of 32 */
  PTX_BLOCKS_LINE,   /* height and depth are 1, the width is another one than 16 */
  PTX_BLOCKS_ROWS16, /* 16 wide: a warp is two rows, tid.x = lane % 16, tid.y and .z per row */
  PTX_BLOCKS_ANY,
  PTX_BLOCK_CLASSES
} ptx_block_class;

ptx_block_class ptx_block_class_of (const uint32_t block[3]);

/* Ordered from what is known best. */
typedef enum ptx_base {
  PTX_BASE_NONE,  /* never written: no code that runs reads it */
  PTX_BASE_CONST, /* value.constant */
  PTX_BASE_WARP,  /* one value in the warp */
  PTX_BASE_ROW,   /* one value in lanes 0 to 15, one in lanes 16 to 31 */
  PTX_BASE_LANE   /* nothing is known */
} ptx_base;

typedef struct ptx_value {
  uint8_t base;  /* ptx_base */
  uint8_t align; /* the base is a multiple of 1 << align */
  /* The claim was made across a conversion to 64 bits of a 32-bit value whose offsets are not 0
   * (cvt, mul.wide, mad.wide). It holds if no lane wrapped around there. The instruction has
   * ptx_inst_widens; to check it is enough that the lanes with the least and the greatest offset
   * (ptx_value_ends) differ by the difference of their offsets. A user of an address may make the
   * same check of the address instead. */
  bool widened;
  uint64_t constant;
  /* per lane, NULL: zeros. offsets[0] is 0; with PTX_BASE_ROW, so is offsets[16]. As wide as the
   * register: negative ones in 32 bits are positive here. */
  const uint64_t *offsets;
} ptx_value;

/* Where an address comes from. */
typedef struct ptx_root {
  enum { PTX_ROOT_NONE, PTX_ROOT_PARAM, PTX_ROOT_VARIABLE, PTX_ROOT_MANY } kind;
  uint32_t param;               /* PARAM: its offset in the kernel's parameters */
  const ptx_variable *variable; /* VARIABLE: global, const, shared or local */
} ptx_root;

/* One function, for one class of blocks. */
typedef struct ptx_claims {
  const ptx_function *function;
  ptx_block_class blocks;
  ptx_value *values; /* by ptx_reg.id */
  ptx_root *roots;   /* by ptx_reg.id */
  /* per basic block */
  bool *divergent;  /* lanes may part at its end (brx and bra without uniform predicate) */
  bool *joins;      /* lanes that parted, at a branch or in a loop, may meet at its start */
  bool *ragged;     /* heads: lanes in this loop may be in different iterations */
  bool irreducible; /* nothing is known: all values are PTX_BASE_LANE */
} ptx_claims;

/* Analyzes a function whose blocks are built (ptx_cfg_build). Registers need no slots. The result
 * is in `arena`; NULL: out of memory. */
ptx_claims *ptx_shape_make (const ptx_function *f, ptx_block_class blocks, lcu_arena *arena);

/* The same for a function of a prepared kernel, made once and kept by its module. */
const ptx_claims *ptx_function_claims (ptx_function *f, ptx_block_class blocks);

/* The value of an operand: of a register, a constant, a special register or the address of a
 * variable (then unknown, but uniform). Of other operands nothing is known. Offsets are made in
 * `arena`. */
ptx_value ptx_shape_operand (const ptx_claims *s, const ptx_operand *o, ptx_block_class blocks,
                             lcu_arena *arena);

/* The value of the address of a memory operand, its offset included. */
ptx_value ptx_shape_address (const ptx_claims *s, const ptx_operand *o, lcu_arena *arena);

/* The same in all lanes of the warp. */
static inline bool ptx_value_uniform (const ptx_value *v) {
  return v->base <= PTX_BASE_WARP && v->offsets == NULL;
}
/* The same in the lanes of each row of 16. */
static inline bool ptx_value_row_uniform (const ptx_value *v) {
  return v->base <= PTX_BASE_ROW && v->offsets == NULL;
}
/* A constant of each lane: (value.constant + offsets[lane]). */
static inline bool ptx_value_known (const ptx_value *v) { return v->base <= PTX_BASE_CONST; }

/* Whether lane l of each row of `width` lanes (16 or 32) has the value of its first lane plus
 * l * stride, modulo 2^32 for `bits` 32. Uniform values have stride 0. */
bool ptx_value_stride (const ptx_value *v, uint32_t bits, uint32_t width, int64_t *stride);

/* The lanes with the least and the greatest offset, taken as signed numbers. */
void ptx_value_ends (const ptx_value *v, uint32_t bits, uint32_t *least, uint32_t *greatest);

/* Whether the result's claim needs the check of `widened` at this instruction. */
bool ptx_inst_widens (const ptx_claims *s, const ptx_inst *inst);

/* As text, for tests: a line per register written, by number:
 *   %r1 = 5 | uniform *4 | uniform + 4 * lane | rows + 4 * column | 0 + lanes 0 1 0 1 ... | varying
 * "*4": the base is a multiple of 4. Then "widened" and the root, "(param 8)". After the registers
 * a line per block that has any of these: its number, "diverges", "joins", "ragged". */
void ptx_shape_dump (const ptx_claims *s, lcu_buf *out);

#endif
