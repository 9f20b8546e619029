/* lcul_scalar.h: the rules by which a Lua value becomes one element of a dtype, and elements as Lua
 * values and as text. */
#ifndef LCUL_SCALAR_H
#define LCUL_SCALAR_H

#include <lua.h>

#include "lcu_dtype.h"

typedef enum lcul_fit {
  LCUL_FITS,
  LCUL_FIT_TYPE, /* a value of another kind */
  /* a number with a fraction (or NaN, infinity) for an integer dtype */
  LCUL_FIT_FRACTION,
  LCUL_FIT_RANGE /* out of the dtype's range */
} lcul_fit;

/* The value at idx as an element of t (no struct dtypes): integers refuse fractions and values out
 * of range, uint64 takes any Lua integer as its bits, floats refuse only finite values that would
 * become infinite, bool takes booleans, strings are never numbers. Typed scalars count as the
 * number they hold. Pushes nothing and raises nothing. */
lcul_fit lcul_scalar_get (lua_State *L, int idx, const lcu_dtype *t, lcu_scalar *out);

/* Describes a misfit: "expected an integer (int32), got 2.5", "300 is out of range for int8 (-128
 * to 127)". */
const char *lcul_scalar_why (lua_State *L, int idx, const lcu_dtype *t, lcul_fit fit, char *buf,
                             size_t size);

/* Pushes an element: boolean, integer, float or complex value. No struct dtypes. */
void lcul_scalar_push (lua_State *L, const lcu_dtype *t, const void *p);
void lcul_scalar_push_value (lua_State *L, const lcu_dtype *t, const lcu_scalar *v);

/* The shortest text that reads back as the same value of the dtype: "0.1", "true", "1+2i". */
int lcul_scalar_text (const lcu_dtype *t, const void *p, char *buf, size_t size);
int lcul_scalar_value_text (const lcu_dtype *t, const lcu_scalar *v, char *buf, size_t size);

#endif
