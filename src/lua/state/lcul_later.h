/* lcul_later.h: methods that Lua files add to a class when one of them may first be needed. */
#ifndef LCUL_LATER_H
#define LCUL_LATER_H

#include "lcul_class.h"

/* Lets the function that core.methods registered for the class add its methods to the table at
 * index `methods`, once. Returns whether there was one. */
bool lcul_add_methods (lua_State *L, lcul_class_entry *entry, int methods);
/* The same for the class of that name, whose table of methods is at the top; nothing for a class
 * without entry. */
void lcul_add_methods_of (lua_State *L, const char *name);

#endif
