/* lcul_builder.h: what the classes of kernel builders share: their state in Lua, and the kinds of
 * arguments, which decide which kernel a call needs. */
#ifndef LCUL_BUILDER_H
#define LCUL_BUILDER_H

#include "lcu_dtype.h"
#include "lcu_layout.h"
#include "lcul_class.h"

/* A table whose metatable has this field stands for an array while a function is traced
 * (traced.lua). The field is a function that is called in place of the kernel: fn(state, ...). */
#define LCUL_TRACED "__traced"

enum { LCUL_MOST_PARAMS = LCU_LAYOUT_OPERANDS };

/* User value of a builder's objects: the table of the Lua file that made it, which holds its name
 * (core.builder_state). */
enum { LCUL_BUILDER_STATE = 1 };

/* A class of objects that have a name and are called. */
void lcul_builder_class (lua_State *L, lcul_class id, lua_CFunction call);


/* ---- kinds of arguments ---- */

typedef enum lcul_argkind {
  LCUL_KIND_NONE, /* an output that was not given */
  LCUL_KIND_ARRAY,
  LCUL_KIND_TYPED, /* with a dtype; a Lua boolean is typed */
  LCUL_KIND_INT,
  LCUL_KIND_FLOAT,
  LCUL_KIND_COMPLEX,
  LCUL_KIND_FALSE,
  LCUL_KIND_TRUE /* where the value of a boolean matters (lcul_fuse.c) */
} lcul_argkind;

/* Kind and dtype of one argument as one number, for comparison. */
typedef uint64_t lcul_kindword;

static inline lcul_kindword lcul_kind_word (lcul_argkind kind, const lcu_dtype *t) {
  return (uint64_t)(uintptr_t)t | (uint64_t)kind;
}
static inline lcul_argkind lcul_kind_of (lcul_kindword w) { return (lcul_argkind)(w & 7); }
static inline const lcu_dtype *lcul_kind_dtype (lcul_kindword w) {
  return (const lcu_dtype *)(uintptr_t)(w & ~(uint64_t)7);
}

/* The kind of a value that is not an array; 0 for a value that is not a number either. */
lcul_kindword lcul_kind_scalar (lua_State *L, int idx);

/* Pushes a kind as the Lua layer writes it: "float32" for arrays, "=float32" for typed scalars,
 * "int", "float", "complex", "false", "true"; false for none. */
void lcul_kind_push (lua_State *L, lcul_kindword w);

#endif
