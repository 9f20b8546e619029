/* lcul_list.h: lists from Lua. */
#ifndef LCUL_LIST_H
#define LCUL_LIST_H

#include <lua.h>

#include "lcu_base.h"

/* Has the table at idx no metatable? */
bool lcul_is_plain (lua_State *L, int idx);
/* The number of items of the list (a table) at an absolute idx; false when items are missing or the
 * table has other keys. The `n` of table.pack does not count as another key. The length of a table
 * with metamethods is what __len returns; items may still be missing. */
bool lcul_list_length (lua_State *L, int idx, lua_Integer *n);
/* Raises "<what>: ..." for the list that lcul_list_length refused. `maker`: the function whose
 * options belong in a separate table, not in this list; NULL when it has none. */
int lcul_list_fail (lua_State *L, int idx, const char *what, const char *maker);

/* Raises an error if another argument follows a list at 2: the list holds all `items`, and `fn`
 * takes nothing else after its object. */
void lcul_list_alone (lua_State *L, const char *fn, const char *param, const char *items);

/* Length and items of a table or Shape, raw: nothing is allocated, no metamethod runs. 0 and nil
 * for any other value. */
lua_Integer lcul_list_raw_length (lua_State *L, int idx);
int lcul_list_raw_item (lua_State *L, int idx, lua_Integer i); /* pushes it; returns its type */

#endif
