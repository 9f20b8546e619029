/* lcul_record.h: an element of an array of structs, as a[i] gives it: a view of the element, not a
 * copy. */
#ifndef LCUL_RECORD_H
#define LCUL_RECORD_H

#include "lcul_struct.h"

/* Pushes the element at a byte offset of the block of the array at idx, whose dtype is a struct. */
void lcul_record_push (lua_State *L, int idx, int64_t offset);
/* Is a Record of this layout at idx? Then its bytes go to p. Nothing is allocated in Lua. */
bool lcul_record_load (lua_State *L, int idx, const lcul_struct *s, void *p);

#endif
