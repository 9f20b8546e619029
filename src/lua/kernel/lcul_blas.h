/* lcul_blas.h: matrix products with cuBLAS. */
#ifndef LCUL_BLAS_H
#define LCUL_BLAS_H

#include <lua.h>

void lcul_open_blas (lua_State *L);
int lcul_core_matmul (lua_State *L); /* lcul_matmul.c */

#endif
