/* lcul_foreign.h: objects of other libraries that describe their memory: a metamethod __cuda, or a
 * field of a table, is a function that returns { pointer =, shape =, dtype =, ... }. */
#ifndef LCUL_FOREIGN_H
#define LCUL_FOREIGN_H

#include "lcul_array.h"

/* Replaces such an object at idx with an array over its memory, which keeps the object alive; false
 * for any other value. It runs Lua code: find streams and arrays afterwards. */
bool lcul_foreign_replace (lua_State *L, int idx);

/* The same for `n` values from `first` on: true if any was replaced. */
bool lcul_foreign_arguments (lua_State *L, int first, int n);

#endif
