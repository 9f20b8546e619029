/* ptx_tensor.h: products of matrices by a warp, as rows of ptx_tensor.def, and how their operands
 * lie in registers.
 *
 * A fragment register is a block of 8 rows and 4 words. Lane l holds word l % 4 of row l / 4, and a
 * word holds `per_word` consecutive elements. Rows are those of a, and the columns of b; words go
 * along k. Accumulators of 32 and 64 bits take a pair of registers for a block of 8 x 8: lane l has
 * columns l % 4 * 2 and the next one of row l / 4. Accumulators of 16 bits have both columns in one
 * word. The registers of a matrix are its blocks, down the rows (of b: along k) first. The ISA
 * defines this for mma; for wmma, whose fragments it leaves open, the same is used. */
#ifndef PTX_TENSOR_H
#define PTX_TENSOR_H

#include "ptx_match.h"
#include "ptx_uop.h"

typedef enum ptx_tensor_form {
  PTX_TENSOR_WMMA,
  PTX_TENSOR_MMA,
  PTX_TENSOR_SPARSE,
  PTX_TENSOR_QUAD
} ptx_tensor_form;

typedef enum ptx_element {
  PTX_ELEMENT_F16,
  PTX_ELEMENT_BF16,
  PTX_ELEMENT_TF32,
  PTX_ELEMENT_F32,
  PTX_ELEMENT_F64,
  PTX_ELEMENT_I8,
  PTX_ELEMENT_I4,
  PTX_ELEMENT_B1,
  PTX_ELEMENT_F8,
  PTX_ELEMENT_F4
} ptx_element;

typedef enum ptx_accumulator {
  PTX_ACCUMULATOR_HALF,
  PTX_ACCUMULATOR_F32,
  PTX_ACCUMULATOR_F64,
  PTX_ACCUMULATOR_S32
} ptx_accumulator;

typedef struct ptx_tensor {
  uint8_t form, shape, m, n;
  uint16_t k;
  uint8_t element, accumulator;
} ptx_tensor;

/* A matrix of a product, as an operand. */
typedef struct ptx_fragment_form {
  uint8_t rows;     /* blocks of 8 rows (of b: columns) */
  uint8_t words;    /* blocks of 4 words; accumulators: of 8 columns */
  uint8_t bits;     /* of an element */
  uint8_t per_word; /* elements of a register of 32 bits; 1 for 64 bits */
  uint8_t unique;   /* registers with elements of their own */
  uint8_t total;    /* registers as written; those after the unique ones repeat them */
  bool pairs;       /* two registers per block: accumulators of 32 and 64 bits */
  ptx_type type;    /* of a register: B32 or B64 */
} ptx_fragment_form;

/* NULL: there is no such row. */
const ptx_tensor *ptx_tensor_find (ptx_tensor_form form, uint8_t shape, ptx_element element);
/* The first row of wmma with this shape whose accumulators may have this type. */
const ptx_tensor *ptx_tensor_of_accumulator (uint8_t shape, ptx_type type);

/* The kind of element that a type is; false if it is none. E2M1X2 is e2m1, two to a byte. */
bool ptx_element_of (ptx_type type, ptx_element *element);
/* Of the kind F8, but only with kind::f8f6f4. */
static inline bool ptx_element_is_narrow (ptx_type t) { return t >= PTX_E3M2 && t <= PTX_E2M1; }
/* Whether accumulators of this row may have this type. */
bool ptx_tensor_accumulates (const ptx_tensor *t, ptx_type type);

/* which: 'a', 'b', or 'c' for both accumulators, whose type is given. */
ptx_fragment_form ptx_tensor_fragment (const ptx_tensor *t, char which, ptx_type type);

/* Options of a product, in extra->imm[0]. Types are ptx_type. */
typedef struct ptx_product {
  uint8_t a, b, c, d; /* types */
  uint8_t round;      /* ptx_round */
  uint8_t bool_op;    /* of single bits: ptx_bool_op */
  bool satfinite;
  uint8_t layouts; /* m8n8k4 of f16: as ptx_match.layouts */
} ptx_product;
static inline ptx_product ptx_product_of (const ptx_uop *I) {
  ptx_product p;
  _Static_assert(sizeof p == sizeof I->extra->imm[0], "it is kept in one imm");
  __builtin_memcpy(&p, &I->extra->imm[0], sizeof p);
  return p;
}
/* Scales of blocks of elements (9.7.14.3), in extra->imm[1]. */
typedef struct ptx_scaling {
  uint8_t vectors; /* of a row of a, and of a column of b; 0: there are none */
  uint8_t type;    /* UE8M0 or UE4M3 */
} ptx_scaling;
static inline ptx_scaling ptx_scaling_of (const ptx_uop *I) {
  ptx_scaling s;
  __builtin_memcpy(&s, &I->extra->imm[1], sizeof s);
  return s;
}
/* The registers of a product, in extra->imm[2]. */
typedef struct ptx_product_form {
  uint8_t rows, columns;   /* blocks of 8 */
  uint8_t words, per_word; /* along k: blocks of 4 words of b, elements of a word */
  uint8_t d, a, b, c;      /* how many slots they have */
} ptx_product_form;
ptx_product_form ptx_product_form_make (const ptx_tensor *t, const ptx_product *p);
static inline ptx_product_form ptx_product_form_of (const ptx_uop *I) {
  ptx_product_form f;
  _Static_assert(sizeof f == sizeof I->extra->imm[2], "it is kept in one imm");
  __builtin_memcpy(&f, &I->extra->imm[2], sizeof f);
  return f;
}
/* Products that follow each other, and of which none reads as a matrix what another one adds up,
 * are a run: its matrices are prepared once. In extra->imm[3]. */
enum { PTX_RUN_MOST = 64 };
typedef struct ptx_product_run {
  uint16_t left; /* products of the run from this one on */
  uint8_t a, b;  /* which of the run's different matrices they are, from 0 */
  bool first;
  bool in_place; /* d is c, and both are f32 */
  uint8_t unused[2];
} ptx_product_run;
static inline ptx_product_run ptx_product_run_of (const ptx_uop *I) {
  ptx_product_run r;
  _Static_assert(sizeof r == sizeof I->extra->imm[3], "it is kept in one imm");
  __builtin_memcpy(&r, &I->extra->imm[3], sizeof r);
  return r;
}
/* The row is extra->p; the slots are those of d, a, b, c, then metadata and selector if a is
 * sparse, then words, byte and thread of the scales of a, and of those of b. */
static inline const ptx_tensor *ptx_tensor_of (const ptx_uop *I) { return I->extra->p; }

#endif
