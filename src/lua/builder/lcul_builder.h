/* lcul_builder.h: what the classes of kernel builders share. */
#ifndef LCUL_BUILDER_H
#define LCUL_BUILDER_H

#include "lcul_aux.h"

/* User value of a builder's objects: the table of the Lua file that made it, which has its name:
 * core.builder_state(object). */
enum { LCUL_BUILDER_STATE = 1 };

/* A class of objects that have a name and are called. */
void lcul_builder_class (lua_State *L, lcul_class id, lua_CFunction call);

#endif
