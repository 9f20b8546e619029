/* lcul_collect.h: Lua's collector and memory that it does not see. */
#ifndef LCUL_COLLECT_H
#define LCUL_COLLECT_H

#include <lua.h>

#include "lcu_base.h"

/* Call it after allocating array memory for this state: the collector runs as if Lua had allocated
 * it, unless the program has stopped the collector. */
void lcul_gc_account (lua_State *L, size_t bytes);
/* The program itself freed an allocation of so many bytes: the collector need not look for it. */
void lcul_gc_repay (lua_State *L, size_t bytes);
/* Is this code that a finalizer runs? (Lua 5.4.3 and older cannot tell.) */
bool lcul_in_finalizer (lua_State *L);
/* Is the work of this code recorded in a graph? That of finalizers never is: they may run inside
 * anything. */
bool lcul_is_recording (lua_State *L);

#endif
