/* lcul_pointer.h: class Pointer: an address for a pointer parameter. */
#ifndef LCUL_POINTER_H
#define LCUL_POINTER_H

#include <lua.h>

#include "lcu_base.h"

/* Immutable. */
typedef struct lcul_pointer {
  uint64_t address;
} lcul_pointer;

void lcul_pointer_push (lua_State *L, uint64_t address);

#endif
