/* lcul_blas.h: matrix products with cuBLAS. */
#ifndef LCUL_BLAS_H
#define LCUL_BLAS_H

#include <lua.h>

void lcul_open_blas (lua_State *L);

#endif
