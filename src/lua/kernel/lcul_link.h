/* lcul_link.h: the driver's linker. */
#ifndef LCUL_LINK_H
#define LCUL_LINK_H

#include <lua.h>

void lcul_open_link (lua_State *L);

#endif
