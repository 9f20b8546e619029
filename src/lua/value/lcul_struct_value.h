/* lcul_struct_value.h: values of struct types to and from bytes. */
#ifndef LCUL_STRUCT_VALUE_H
#define LCUL_STRUCT_VALUE_H

#include "lcul_struct.h"

/* Writes the value at idx (a table by field name or by position, or a string of exactly dtype.size
 * bytes) to p, any alignment; padding becomes zero. A table by name must have all fields. Raises
 * "<what>: ..." and may then leave p half written: callers pass scratch memory. */
void lcul_struct_store (lua_State *L, const lcul_struct *s, int idx, void *p, const char *what,
                        lcul_uses *uses);

/* Pushes t[name], raw, of the table at an absolute index. No finalizer runs, so arrays read before
 * stay open. */
void lcul_raw_field (lua_State *L, int idx, const char *name);

/* One field of a struct: from the value at idx, and to Lua. */
void lcul_field_store (lua_State *L, const lcul_field *f, int idx, void *p, const char *what);

void lcul_field_load (lua_State *L, const lcul_field *f, const void *p);

/* Pushes a table by field name. */
void lcul_struct_load (lua_State *L, const lcul_struct *s, const void *p);

/* The same for one element of any dtype: numbers, booleans, complex values, typed scalars, and
 * tables for structs. Ranges are checked as in lcul_scalar_get. */
void lcul_element_store (lua_State *L, const lcu_dtype *t, int idx, void *p, const char *what,
                         lcul_uses *uses);

void lcul_element_load (lua_State *L, const lcu_dtype *t, const void *p);

#endif
