/* lcul_guards.h: the values that a kernel made of a Lua function depends on: upvalues, globals,
 * fields. They are read again before each launch.
 *
 * A list of guards has three items for each: where a value is read, and what the kernel was made
 * for.
 *   function, number, value    an upvalue
 *   table, key, value          a field; a global is one of the table of globals
 *   table, false, list         the first items of the table are these numbers, and there are no
 *                              more
 *   function, false, value     what the function returns */
#ifndef LCUL_GUARDS_H
#define LCUL_GUARDS_H

#include <lua.h>

#include "lcu_base.h"

/* Compares two numbers on the stack by their bits: 1 is not 1.0, 0.0 is not -0.0, NaN equals
 * itself. */
bool lcul_guards_same_number (lua_State *L, int a, int b);
/* Have all `n` guards in the list at idx their values? Metamethods of tables may run Lua code. */
bool lcul_guards_hold (lua_State *L, int idx, int n);
/* Pushes what guard k, from 0 on, reads now. */
void lcul_guards_read (lua_State *L, int idx, int k);

#endif
