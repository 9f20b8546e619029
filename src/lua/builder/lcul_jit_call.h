/* lcul_jit_call.h: what calls of kernels over tiles share with those of other kernels in Lua. */
#ifndef LCUL_JIT_CALL_H
#define LCUL_JIT_CALL_H

#include "lcul_family.h"
#include "lcul_jit_scale.h"
#include "lcul_kernel.h"

/* Pushes the family of the object at 1, whose arguments are from 3 on, after a table. Returns its
 * index; raises if something is missing. */
int lcul_jit_begin (lua_State *L);
/* Finds the kernel for the arguments and pushes it. Returns its index. */
int lcul_jit_find (lua_State *L, int family, lcul_scale scale);
/* Pushes the parameters of the kernel that was found. */
void lcul_jit_push_params (lua_State *L, int family);
/* Pushes what the hook that made the kernel returned beside it. */
void lcul_jit_push_extra (lua_State *L, int family);

#endif
