/* lcul_typed.h: class Scalar: a number with a dtype. */
#ifndef LCUL_TYPED_H
#define LCUL_TYPED_H

#include <lua.h>

#include "lcu_dtype.h"

/* Immutable; never of a struct dtype. */
typedef struct lcul_typed {
  const lcu_dtype *dtype;
  lcu_scalar value;
} lcul_typed;

#endif
