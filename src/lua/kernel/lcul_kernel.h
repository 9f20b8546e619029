/* lcul_kernel.h: modules, kernels and the way from Lua arguments to a launch, shared by
 * lcul_module.c, lcul_kernel*.c and lcul_args*.c. */
#ifndef LCUL_KERNEL_H
#define LCUL_KERNEL_H

#include "lcu_launch.h"
#include "lcul_array.h"
#include "lcul_struct.h"
#include "lcul_uses.h"

/* ---- modules ---- */

/* A module on one device. `globals` are the blocks handed out over its variables: every launch of
 * its kernels uses them. */
typedef struct lcul_loaded {
  lcu_module *module; /* NULL: not loaded there */
  bool launched;      /* a kernel of it was: work that no global's block knows of */
  lcu_use *globals;
  char **symbols; /* of the globals */
  size_t num_globals;
} lcul_loaded;

/* User value 1: the table of module.lua. */
typedef struct lcul_module {
  bool open;
  lcul_loaded loaded[LCU_MAX_DEVICES];
} lcul_module;

lcul_module *lcul_module_check (lua_State *L, int idx);

/* ---- how arguments become parameters ---- */

typedef enum lcul_op {
  /* Lua numbers at once, all else as LCUL_OP_NUMBER */
  LCUL_OP_INT,
  LCUL_OP_UINT,
  LCUL_OP_F32,
  LCUL_OP_F64,
  LCUL_OP_NUMBER, /* bool, halves: through lcul_scalar_get */
  LCUL_OP_POINTER,
  LCUL_OP_VALUE, /* complex, vectors, structs, enumerations */
  LCUL_OP_OPAQUE /* only the size is known */
} lcul_op;

typedef enum lcul_layout {
  LCUL_LAYOUT_UNASKED,
  LCUL_LAYOUT_NONE,
  LCUL_LAYOUT_STRUCT,
  LCUL_LAYOUT_ENUM
} lcul_layout;

typedef struct lcul_conv {
  uint8_t op, bytes; /* bytes: of a number */
  bool write;        /* of a pointer: not to const */
  void *place;       /* in the plan's own room */
  uint32_t at, room; /* place in the buffer */
  int64_t lo, hi;    /* of an LCUL_OP_INT or LCUL_OP_UINT below 64 bits */
  const lcu_param *param;
  /* of a pointer: arrays of this dtype fit without further questions; NULL: ask */
  const lcu_dtype *exact;
  uint64_t misaligned;     /* bits that no address may have */
  const char *name;        /* of the parameter, "" when not known */
  lcul_layout layout;      /* of class_name, asked for when it is needed */
  const lcul_struct *type; /* LCUL_LAYOUT_STRUCT; anchored by the kernel's user value 2 */
} lcul_conv;

typedef struct lcul_plan {
  size_t num;
  bool known; /* what the parameters are */
  /* a class among the parameters: its layout may have to be asked for */
  bool asks;
  uint32_t bytes; /* of the buffer */
  /* room for one launch of plain arguments: pointers to the places of all */
  void **params;
  lcu_use *uses; /* and one use for each */
  lcul_conv conv[];
} lcul_plan;

/* A kernel on one device. */
typedef struct lcul_binding {
  lcu_function *function;
  lcul_plan *plan;
  lcul_loaded *home;
} lcul_binding;

/* User value 1: the table of kernel.lua; 2: struct types by class name. */
typedef struct lcul_kernel {
  bool open;
  /* in a launch, which may run Lua code, or was when that raised: free() leaves the bindings to
   * __gc */
  bool busy;
  lcul_binding *last; /* the binding used last */
  lcul_binding *bindings[LCU_MAX_DEVICES];
} lcul_kernel;

int lcul_kernel_call (lua_State *L); /* metamethod __call */
lcul_kernel *lcul_kernel_check (lua_State *L, int idx);
/* The kernel on `d`, compiled and loaded if it is not yet (hooks.resolve). */
lcul_binding *lcul_kernel_bind (lua_State *L, int idx, lcul_kernel *k, lcu_device *d);

/* names: num_names strings, or NULL. NULL: out of memory. */
lcul_plan *lcul_plan_new (const lcu_function *f, const char *const *names, size_t num_names);

/* One launch in the making. */
typedef struct lcul_call {
  lua_State *L;
  /* stack indices: the kernel (where plan->asks), its first argument */
  int kernel, first;
  bool prepared;
  lcul_binding *binding;
  lcu_config config;
  unsigned char *buffer;
  void **params;
  lcul_uses uses;
  size_t num_globals; /* room kept for the module's variables behind uses.max */
  /* stack index of what keeps the stream where Lua code ran for the arguments; 0: none did */
  int held;
  /* stack index and number of pairs (cuda.output object, array), to copy back afterwards */
  int pairs, staged;
} lcul_call;

/* The parts that are not found out on the way; the others are not cleared. */
static inline void lcul_call_init (lcul_call *c, lua_State *L, int kernel, int first,
                                   bool prepared) {
  c->L = L;
  c->kernel = kernel;
  c->first = first;
  c->prepared = prepared;
  c->held = c->staged = 0;
}

/* Converts `nargs` arguments from stack index `first` on into the plan's room if that takes no Lua
 * code and no words. Returns how many uses there are; -1: lcul_args_convert decides. */
int lcul_args_plain (lua_State *L, const lcul_plan *plan, const lcu_device *d, int first,
                     int nargs);
/* Checks and converts `nargs` arguments into c->buffer and c->params. Raises "name: argument i 'p':
 * ...". */
void lcul_args_convert (lcul_call *c, int nargs);
/* Does memory have a say on which device to launch? Not if several devices may reach it. */
static inline bool lcul_args_decide (const lcu_block *b) {
  return b->memory == LCU_MEM_DEVICE || b->memory == LCU_MEM_FOREIGN || b->memory == LCU_MEM_MODULE;
}
/* The device the arguments' arrays want; NULL when there are none. Raises for arrays of two
 * devices. */
lcu_device *lcul_args_device (lua_State *L, const char *kernel, int first, int nargs);
/* The same for operators, which the CPU device runs where all memory is the host's. */
lcu_device *lcul_operands_device (lua_State *L, const char *what, int first, int nargs);

/* For the other lcul_args files. i: 0-based argument. */
int lcul_arg_error (lcul_call *c, size_t i, const char *fmt, ...) LCU_PRINTF(3, 4);
void lcul_arg_value (lcul_call *c, size_t i);
void lcul_arg_opaque (lcul_call *c, size_t i);
/* Asks once what class the parameter's class_name is. */
lcul_layout lcul_arg_layout (lcul_call *c, lcul_conv *v);
/* Will lcul_arg_value ask that for an argument of this Lua type? */
/* The type of the argument as one of a struct: a Record counts as a table. */
int lcul_arg_type (lua_State *L, int idx);
bool lcul_arg_value_asks (const lcul_conv *v, int type);

/* cuda.raw, cuda.input, cuda.output, cuda.inout. User value 1: what they wrap. */
typedef enum lcul_wrap { LCUL_RAW, LCUL_INPUT, LCUL_OUTPUT, LCUL_INOUT } lcul_wrap;
typedef struct lcul_argument {
  lcul_wrap kind;
} lcul_argument;
const char *lcul_wrap_name (lcul_wrap w);

/* ---- launch tables (lcul_kernel_config.c) ---- */

typedef struct lcul_request {
  bool has_grid, has_block, has_threads;
  uint32_t grid[3], block[3], cluster[3];
  uint64_t threads[3];
  int thread_dims;
  uint32_t shared;
  bool cooperative, ordered;
  lcu_stream *stream; /* borrowed from the launch table; NULL: the device's current */
  int runs, warmup;   /* of kernel:benchmark */
} lcul_request;

/* Reads the table at idx; raises "kernel: launch: ..." for unknown keys and wrong values. */
void lcul_request_read (lua_State *L, int idx, const char *kernel, bool timing, lcul_request *out);
/* Grid and block for a function; false when there is nothing to launch (0 threads). Raises when a
 * limit is passed. */
bool lcul_request_config (lua_State *L, const lcul_request *r, lcu_function *f, lcu_config *out);

void lcul_open_kernel_launch (lua_State *L);
void lcul_open_argument (lua_State *L);

#endif
