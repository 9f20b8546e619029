/* lcul_record.h: an element of an array of structs, as a[i] returns it: a view of the element, not
 * a copy. */
#ifndef LCUL_RECORD_H
#define LCUL_RECORD_H


#include <lua.h>

#include "lcu_base.h"

/* Pushes the element at a byte offset of the block of the array at idx, whose dtype is a struct. */
void lcul_record_push (lua_State *L, int idx, int64_t offset);

void lcul_open_record (lua_State *L);

#endif
