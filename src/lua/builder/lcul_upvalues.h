/* lcul_upvalues.h: kernels whose texts depend on values that are not arguments of the call, as Lua
 * functions do on upvalues (builder/instances.lua). Before each launch Lua says whether the kernel
 * still holds, and which arrays it takes after those of the declaration. */
#ifndef LCUL_UPVALUES_H
#define LCUL_UPVALUES_H

#include "lcul_elementwise.h"
#include "lcul_elementwise_pack.h"
#include "lcul_uses.h"

/* Asks about an instance. True: it holds; its arrays are on the stack, and c->hidden of them begin
 * at c->hidden_at. */
bool lcul_upvalues_ask (lcul_ewcall *c, lua_Integer instance);

/* Raises for upvalues that differ each time they are read. */
int lcul_upvalues_unsettled (const lcul_ewcall *c);

/* Adds the arrays to the parameters of a launch, and their memory to its uses. */
void lcul_upvalues_pack (const lcul_ewcall *c, lcul_uses *uses, lcul_ewparams *p);

#endif
