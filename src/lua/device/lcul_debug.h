/* lcul_debug.h: core._live, _fail_at, _cpu_counters and others, for specs and benchmarks. */
#ifndef LCUL_DEBUG_H
#define LCUL_DEBUG_H

#include <lua.h>

void lcul_open_debug (lua_State *L);

#endif
