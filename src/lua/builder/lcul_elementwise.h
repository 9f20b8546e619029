/* lcul_elementwise.h: calls of elementwise kernels, shared by lcul_elementwise*.c.
 *
 * A call needs two lookups: the dtypes of the parameters, by the kinds of its arguments
 * (hooks.resolve), and the kernel, by these dtypes and the layout of the arrays (hooks.build). Both
 * results are kept; the latest are tried first. */
#ifndef LCUL_ELEMENTWISE_H
#define LCUL_ELEMENTWISE_H

#include "lcul_builder.h"
#include "lcul_array.h"
#include "lcul_kernel.h"

/* User values of an Elementwise: the table of elementwise.lua; kinds -> lcul_types;
 * lcul_variant_key -> lcul_variant. */
enum {
  LCUL_EW_STATE = LCUL_BUILDER_STATE,
  LCUL_EW_TYPES,
  LCUL_EW_VARIANTS,
  LCUL_EW_UV = LCUL_EW_VARIANTS
};

/* Dtypes of the parameters for one combination of argument kinds. User value 1: a table that keeps
 * struct dtypes alive. */
typedef struct lcul_types {
  uint64_t id; /* never reused by one Elementwise */
  lcul_kindword kinds[LCUL_MOST_PARAMS];
  const lcu_dtype *dtypes[LCUL_MOST_PARAMS];
} lcul_types;

enum { LCUL_EW_TEXT = 256 }; /* of the words for a value in a message */

enum { LCUL_EW_RUN = 128 }; /* a raw array without gaps */

/* Everything a generated kernel depends on, without padding: its bytes are a key. */
typedef struct lcul_variant_key {
  uint64_t types;    /* lcul_types.id */
  uint64_t instance; /* 0, for the variant that held last; else lcul_variant.instance */
  uint32_t device;
  uint8_t walk, vector, ndim, wide;
  uint8_t axes, unused[7]; /* of the call, where the kernel uses coordinates; else 0 */
  /* arrays: lcu_stride; raw: axes passed, LCUL_EW_RUN when contiguous */
  uint8_t params[LCUL_MOST_PARAMS];
} lcul_variant_key;

/* User value 1: the Kernel. */
typedef struct lcul_variant {
  lcul_variant_key key;
  lcul_kernel *kernel;
  lua_Integer instance;  /* of its texts (lcul_upvalues.h); 0: it always holds */
  uint32_t threads, per; /* of a block; units per thread, or the edge of a tile */
} lcul_variant;

/* NULL after the kernel was unloaded (device:reset). */
static inline lcul_binding *lcul_variant_binding (const lcul_variant *v) {
  return v->kernel->bindings[v->key.device];
}
/* lcul_elementwise_new.c: keeps the value at the top of the stack in the table at `table` under the
 * key at `key`, and under `own`, which has the instance: a variant lives as long as its builder. */
void lcul_ew_keep (lua_State *L, int table, int key, const void *own, size_t size);
/* Binds the kernel of the variant at the top of the stack again if it was
 * unloaded. */
void lcul_ew_rebind (lua_State *L, lcul_kernel *k, lcu_device *d);

typedef struct lcul_elementwise {
  int inputs, outputs, num;
  bool indexed;     /* the kernel uses the index */
  bool coordinates; /* it uses the index along each axis */
  /* the kernel uses the extents of raw arrays, also of contiguous ones */
  bool shaped;
  bool structs;                /* arrays of structs: hooks.resolve takes and gives Structs */
  bool no_return, return_list; /* a call returns nothing, or a list of the outputs */
  bool raw[LCUL_MOST_PARAMS];
  char handles[LCUL_MOST_PARAMS]; /* 't': a texture, 's': a surface, 0: neither */
  char name[64];
  uint64_t next_id;
  lcul_types *types; /* the latest; the tables keep both alive */
  lcul_variant *variant;
} lcul_elementwise;

/* One call being prepared. The parameters are at stack indices first .. first + num - 1, nil for
 * outputs to be made. */
typedef struct lcul_ewcall {
  lua_State *L;
  lcul_elementwise *e;
  int self, first; /* stack indices */
  /* of this call: in the meantime finalizers may call the same Elementwise */
  const lcul_types *types;
  int options; /* stack index of the table, 0: none */
  /* the latest variant did not fit: Lua code may have run since addresses were found */
  bool asked;
  lcul_array *arrays[LCUL_MOST_PARAMS]; /* NULL: a scalar, or an output to be made */
  lcul_kindword kinds[LCUL_MOST_PARAMS];
  lcu_device *device;
  lcu_stream *stream;
  int64_t size;          /* option; -1: not given */
  int hidden, hidden_at; /* arrays that are not parameters: their number and first stack index */
  int ndim;
  int64_t shape[LCUL_MAX_DIMS];
} lcul_ewcall;

/* Sets the members that later steps do not set; the others are left uninitialized. */
static inline void lcul_ew_init (lcul_ewcall *c, lua_State *L, lcul_elementwise *e, int self,
                                 int first) {
  c->L = L;
  c->e = e;
  c->self = self;
  c->first = first;
  c->asked = false;
  c->options = 0;
  c->device = NULL;
  c->stream = NULL;
  c->size = -1;
  c->hidden = 0;
}

/* memcmp for few axes. */
static inline bool lcul_same_dims (const int64_t *a, const int64_t *b, int n) {
  for (int d = 0; d < n; d++)
    if (a[d] != b[d]) return false;
  return true;
}

/* lcul_elementwise_new.c: pushes an object of a class that begins with an lcul_elementwise. The
 * state, with the name, is at 1; { inputs =, outputs =, raw =, shaped = } is at 2. */
void *lcul_ew_new (lua_State *L, lcul_class id, size_t size);
bool lcul_ew_flag (lua_State *L, const char *field); /* of the table at 2 */
/* Pushes the Kernel that the object at 1 keeps under a key. */
void lcul_ew_push_kernel (lua_State *L, const void *key, size_t size);

/* Pushes a new array for output i. */
lcul_array *lcul_ew_output (const lcul_ewcall *c, int i, int ndim, const int64_t *shape);

/* The Struct of array i, if it has one, as field `struct` of the table at
 * the top of the stack. */
void lcul_ew_push_struct (const lcul_ewcall *c, int i);

/* lcul_elementwise_args.c: fills the call from the stack (reads and removes options), finds dtypes,
 * checks shapes. */
void lcul_ew_read (lcul_ewcall *c, int nargs);
void lcul_ew_resolve (lcul_ewcall *c);
void lcul_ew_shape (lcul_ewcall *c);
/* Finds the stream again after Lua code ran; raises if it was closed. */
void lcul_ew_find_stream (lcul_ewcall *c);
/* Options of the table at opts. `out`: an array, or a list of arrays when there are several
 * outputs; puts them in the places of the outputs. */
void lcul_ew_out (lcul_ewcall *c, int opts);
void lcul_ew_stream (lcul_ewcall *c, int opts);
/* `size`; -1 when it is not given. */
int64_t lcul_ew_size (const lcul_ewcall *c, int opts);
/* Raises "name: argument 2 'y': ...". `param`: 0-based. */
/* Raises for a value that does not fit its parameter; `why` is from lcul_scalar_why. The
 * declaration of the parameter may replace the message for integers. */
int lcul_ew_misfit (lcul_ewcall *c, int param, const char *why);
int lcul_ew_error (lcul_ewcall *c, int param, const char *fmt, ...) LCU_PRINTF(3, 4);
/* A call with `nargs` arguments from stack index `first` on; leaves the outputs on the stack,
 * returns their number. `self`: index of the Elementwise. */
int lcul_ew_call (lua_State *L, lcul_elementwise *e, int self, int first, int nargs);

/* Objects of other libraries become arrays: `nargs` values from stack index `first` on. */
void lcul_ew_replace_foreign (lua_State *L, int first, int nargs);

#endif
