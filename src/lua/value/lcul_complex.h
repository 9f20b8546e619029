/* lcul_complex.h: class Complex. */
#ifndef LCUL_COMPLEX_H
#define LCUL_COMPLEX_H

#include "lcul_class.h"

/* Immutable. */
typedef struct lcul_complex {
  double re, im;
} lcul_complex;

static inline void lcul_complex_push (lua_State *L, double re, double im) {
  lcul_complex *z = lcul_newobject(L, LCUL_COMPLEX, sizeof *z, 0);
  z->re = re;
  z->im = im;
}

/* Argument idx of fn, one part of a complex value; 0 when `optional` and not given. */
double lcul_part_arg (lua_State *L, int idx, const char *fn, const char *name, bool optional);

#endif
