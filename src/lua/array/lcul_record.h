/* lcul_record.h: an element of an array of structs, as a[i] returns it: a view of the element, not
 * a copy. */
#ifndef LCUL_RECORD_H
#define LCUL_RECORD_H

#include <lua.h>

#include "lcu_base.h"
#include "lcu_dtype.h"

/* Pushes the element at a byte offset of the block of the array at idx, whose dtype is a struct. */
void lcul_record_push (lua_State *L, int idx, int64_t offset);

/* The struct of the record at idx; NULL: it is not a record. */
const lcu_dtype *lcul_record_dtype (lua_State *L, int idx);
/* Pushes the bytes of the record at idx. */
void lcul_record_bytes (lua_State *L, int idx);

#endif
