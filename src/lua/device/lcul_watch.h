/* lcul_watch.h: the switches of cuda.debug that concern the whole process, and LUACUDA_DEBUG. */
#ifndef LCUL_WATCH_H
#define LCUL_WATCH_H

#include <lua.h>

/* Adds _watch, and turns the switches on that LUACUDA_DEBUG names. */
void lcul_open_watch (lua_State *L);

#endif
