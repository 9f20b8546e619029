/* lcul_blas.h: matrix products with cuBLAS. */
#ifndef LCUL_BLAS_H
#define LCUL_BLAS_H

#include <lua.h>

int lcul_core_matmul (lua_State *L); /* lcul_matmul.c */

#endif
