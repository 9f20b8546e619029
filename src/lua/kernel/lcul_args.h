/* lcul_args.h: one launch, and the conversion of its arguments. */
#ifndef LCUL_ARGS_H
#define LCUL_ARGS_H

#include "lcul_argument.h"
#include "lcul_call.h"

enum { LCUL_WHAT_SIZE = 256 }; /* of the words for an argument in a message */

/* Converts `nargs` arguments from stack index `first` on into the plan's own buffer if they are all
 * plain. Returns the number of uses; -1: lcul_args_convert decides. */
int lcul_args_plain (lua_State *L, const lcul_plan *plan, const lcu_device *d, int first,
                     int nargs);

/* Checks and converts `nargs` arguments into c->buffer and c->params. Raises "name: argument i 'p':
 * ...". */
void lcul_args_convert (lcul_call *c, int nargs);

/* Checks argument i alone; c->first is where the first one would be. An argument that a launch
 * makes an array for (cuda.output) is checked by that launch. */
void lcul_args_check (lcul_call *c, size_t i);


/* ---- lcul_args_device.c ---- */

/* Does memory decide the device of a launch? Not if several devices can reach it. */
static inline bool lcul_args_decide (const lcu_block *b) {
  return b->memory == LCU_MEM_DEVICE || b->memory == LCU_MEM_MODULE ||
         (b->memory == LCU_MEM_FOREIGN && b->pinned_for == NULL);
}

/* The device that the arguments' arrays require; NULL when there are none. Raises for arrays of two
 * devices. */
lcu_device *lcul_args_device (lua_State *L, const char *kernel, int first, int nargs);

/* The same for operators, which run on the CPU device when all memory is host memory. */
lcu_device *lcul_operands_device (lua_State *L, const char *what, int first, int nargs);


/* ---- for the other lcul_args files; i: 0-based argument ---- */

void lcul_arg_value (lcul_call *c, size_t i);
void lcul_arg_opaque (lcul_call *c, size_t i);
/* What class_name of the parameter is declared as; asks the Lua layer once. */
lcul_declared lcul_arg_declared (lcul_call *c, lcul_conv *v);
/* The type of the argument where a struct is expected: a Record counts as a table. */
int lcul_arg_type (lua_State *L, int idx);
/* Will lcul_arg_value need lcul_arg_declared for the argument at idx? */
bool lcul_arg_value_asks (lua_State *L, const lcul_conv *v, int idx);

/* A texture or surface; raises for other values. */
void lcul_arg_texture (lcul_call *c, size_t i);

/* An array, or another value, for a pointer parameter. */
void lcul_arg_array (lcul_call *c, size_t i, int idx, lcul_array *a, bool raw);
void lcul_arg_pointer (lcul_call *c, size_t i, int idx);
/* cuda.input and so on: leaves the wrapper and an array made for this launch on the stack. */
void lcul_arg_stage (lcul_call *c, size_t i, int idx, const lcul_argument *w);

#endif
