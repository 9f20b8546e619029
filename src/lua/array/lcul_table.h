/* lcul_table.h: nested Lua tables to elements and back; single elements. */
#ifndef LCUL_TABLE_H
#define LCUL_TABLE_H

#include "lcul_host.h"

/* The shape of nested tables, and the dtype that their first leaf suggests (bool, float32, ...). */
void lcul_table_shape (lua_State *L, int idx, const lcu_dtype *t, const char *fn, int arg,
                       lcul_shape *out, const lcu_dtype **guess);

/* Stores the leaves of the table at idx at `data`, as contiguous elements of t. `guessed`: the user
 * gave no dtype. */
void lcul_table_store (lua_State *L, int idx, const lcul_shape *s, const lcu_dtype *t, char *data,
                       const char *fn, int arg, bool guessed);

/* Pushes nested tables of a's elements, read through `p`; `reuse`: stack index of a table to fill,
 * or 0. */
void lcul_table_push (lua_State *L, const lcul_array *a, lcul_pieces *p, int reuse);

#endif
