/* lcul_hostsort.h: sorts by the CPU device itself. */
#ifndef LCUL_HOSTSORT_H
#define LCUL_HOSTSORT_H

#include <lua.h>

void lcul_open_hostsort (lua_State *L);

#endif
