/* lcul_array_field.h: fields of arrays of structs, as views. */
#ifndef LCUL_ARRAY_FIELD_H
#define LCUL_ARRAY_FIELD_H

#include "lcul_array.h"
#include "lcul_struct.h"

/* Pushes the view of a field of the struct that is the dtype of the array at idx. The extents of
 * the field follow the axes of the array; there is room for them. */
lcul_array *lcul_array_push_field (lua_State *L, int idx, const lcul_field *f);

#endif
