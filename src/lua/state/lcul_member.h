/* lcul_member.h: reading and writing members of objects, which lcul_class.c makes metamethods of. */
#ifndef LCUL_MEMBER_H
#define LCUL_MEMBER_H

#include "lcul_class.h"

/* Sets __index, __newindex and __complete of the metatable at the top. The others are stack indices:
 * tables of functions, and a userdata with the lcul_classdef. */
void lcul_set_members (lua_State *L, int methods, int getters, int setters, int def);

#endif
