/* lcul_foreign.h: objects of other libraries that describe their memory: a metamethod __cuda, or a
 * field of a table, is a function that returns { pointer =, shape =, dtype =, ... }. */
#ifndef LCUL_FOREIGN_H
#define LCUL_FOREIGN_H

#include "lcul_array.h"

/* Replaces such an object at idx with an array over its memory, which keeps the object alive; false
 * for any other value. It runs Lua code: find streams and arrays afterwards. */
bool lcul_foreign_replace (lua_State *L, int idx);

/* The open array at idx, also one that an object there described; raises for anything else. */
lcul_array *lcul_foreign_check (lua_State *L, int idx);

/* Replaces `n` values from `first` on: true if any was. */
bool lcul_foreign_arguments (lua_State *L, int first, int n);

#endif
