/* lcul_plan.h: how the arguments of a function become its parameters. */
#ifndef LCUL_PLAN_H
#define LCUL_PLAN_H

#include "lcul_struct.h"
#include "lcu_launch.h"

typedef enum lcul_op {
  /* plain Lua numbers directly, other values as LCUL_OP_NUMBER */
  LCUL_OP_INT,
  LCUL_OP_UINT,
  LCUL_OP_F32,
  LCUL_OP_F64,
  LCUL_OP_NUMBER, /* bool and halves, with lcul_scalar_get */
  LCUL_OP_POINTER,
  LCUL_OP_VALUE,   /* complex, vectors, structs, enumerations */
  LCUL_OP_TEXTURE, /* a texture or surface, which the compiler sees as an integer */
  LCUL_OP_OPAQUE   /* only the size is known */
} lcul_op;

/* How the source declares a parameter that the compiler sees as `unsigned long long`. */
typedef enum lcul_handle {
  LCUL_HANDLE_NONE,    /* as an integer */
  LCUL_HANDLE_UNKNOWN, /* by a name, or there is no source: textures and surfaces are accepted */
  LCUL_HANDLE_TEXTURE, /* cudaTextureObject_t */
  LCUL_HANDLE_SURFACE  /* cudaSurfaceObject_t */
} lcul_handle;

typedef enum lcul_declared {
  LCUL_DECLARED_UNASKED,
  LCUL_DECLARED_NONE,
  LCUL_DECLARED_STRUCT,
  LCUL_DECLARED_ENUM
} lcul_declared;

typedef struct lcul_conv {
  uint8_t op, bytes; /* bytes: of a number */
  uint8_t handle;    /* lcul_handle */
  bool write;        /* of a pointer: not to const */
  void *place;       /* in the plan's own buffer */
  uint32_t at, room; /* place in the buffer */
  int64_t lo, hi;    /* of an LCUL_OP_INT or LCUL_OP_UINT below 64 bits */
  const lcu_param *param;
  /* of a pointer: arrays of this dtype fit without further checks; NULL: check */
  const lcu_dtype *exact;
  bool any;                 /* of a pointer to void: arrays of every dtype fit */
  uint64_t misaligned;      /* bits that an address may not have */
  const char *name;         /* of the parameter, "" when not known */
  lcul_declared declared;   /* of class_name; found when it is needed */
  const lcul_struct *type;  /* LCUL_DECLARED_STRUCT; anchored by the kernel's user value 2 */
  const lcu_dtype *integer; /* LCUL_DECLARED_ENUM: the underlying type; NULL: not known */
  bool chosen;              /* LCUL_DECLARED_ENUM: the source gives that type */
} lcul_conv;

typedef struct lcul_plan {
  size_t num, num_uses; /* num_uses: of the blocks that the parameters may need */
  bool known;           /* the parameters are known */
  /* a parameter is a class, whose declaration may be needed */
  bool asks;
  uint32_t bytes; /* of the buffer */
  /* for one launch of plain arguments: pointers to the places of all */
  void **params;
  lcu_use *uses; /* and num_uses uses */
  lcul_conv conv[];
} lcul_plan;

/* `names`: num_names strings, or NULL. `kinds`: a letter of outline.lua for each of them, or "".
 * Returns NULL when memory runs out. */
lcul_plan *lcul_plan_new (const lcu_function *f, const char *const *names, size_t num_names,
                          const char *kinds);

#endif
