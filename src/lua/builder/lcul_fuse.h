/* lcul_fuse.h: class Fused. */
#ifndef LCUL_FUSE_H
#define LCUL_FUSE_H

#include <lua.h>

void lcul_open_fuse (lua_State *L);

#endif
