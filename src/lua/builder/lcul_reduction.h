/* lcul_reduction.h: calls of reduction kernels, shared by lcul_reduction*.c. Arguments are read
 * like those of elementwise kernels (lcul_elementwise.h); hooks.build makes the kernels, one for
 * each layout of the arrays. */
#ifndef LCUL_REDUCTION_H
#define LCUL_REDUCTION_H

#include "lcu_reduce.h"
#include "lcul_elementwise.h"
#include "lcul_uses.h"

typedef enum lcul_reduce_pass {
  LCUL_PASS_WHOLE,   /* from inputs to outputs */
  LCUL_PASS_PARTIAL, /* from inputs to partial results */
  LCUL_PASS_FINAL    /* from partial results to outputs */
} lcul_reduce_pass;

/* Everything a generated kernel depends on; its bytes are a key. */
typedef struct lcul_reduce_key {
  uint64_t types;    /* lcul_types.id */
  uint64_t instance; /* as in lcul_variant_key */
  uint32_t device;
  uint8_t pass, mode, vector, peeled, rows, each, kept, inner, wide, lanes, strips, run;
  /* arrays: lcu_stride; raw: axes passed, LCUL_EW_RUN when contiguous */
  uint8_t params[LCUL_MOST_PARAMS];
} lcul_reduce_key;

/* User value 1: the Kernel. */
typedef struct lcul_reduce_variant {
  lcul_reduce_key key;
  lcul_kernel *kernel;
  size_t state_bytes;   /* of one partial result */
  lua_Integer instance; /* of its texts (lcul_upvalues.h); 0: it always holds */
} lcul_reduce_variant;

/* The same user values as an Elementwise. */
typedef struct lcul_reduction {
  lcul_elementwise base; /* first, for the functions that read arguments */
  bool identity, uses_i, uses_j;
  /* a function of the library; options that Lua reads for it */
  bool own, takes_dtype, takes_ddof;
  lcul_reduce_variant *last[LCUL_PASS_FINAL + 1];
} lcul_reduction;

typedef struct lcul_reduce_call {
  lcul_ewcall ew;
  lcul_reduction *r;
  int options; /* stack index of the table, or of nil */
  bool keepdims;
  uint32_t reduced; /* bit per axis */
  int ndim;         /* of the results */
  int64_t shape[LCUL_MAX_DIMS];
  lcul_uses uses;
  lcu_use used[LCUL_MOST_PARAMS + 1];
  uint64_t addresses[LCUL_MOST_PARAMS];
  lcu_reduce plan;
} lcul_reduce_call;

/* lcul_reduction_args.c: options and arguments, the common shape, the reduced axes, and the shape
 * of the results. The options are at c->options, followed by `nargs` arguments. */
void lcul_reduce_read (lcul_reduce_call *c, int nargs);
/* Checks the outputs given and makes the others. */
void lcul_reduce_outputs (lcul_reduce_call *c);
/* Leaves the outputs on top of the stack, after the launches. */
void lcul_reduce_finish (lcul_reduce_call *c);
void lcul_reduce_find_addresses (lcul_reduce_call *c);
void lcul_reduce_make_plan (lcul_reduce_call *c);

/* lcul_reduction_kernel.c: the kernel of a pass over a plan. */
lcul_reduce_variant *lcul_reduce_variant_find (lcul_reduce_call *c, const lcu_reduce *p,
                                               lcul_reduce_pass pass);

#endif
