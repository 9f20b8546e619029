/* lcul_lanes.h: vectors such as float3 from tables: { 1, 2, 3 } or { x = 1, y = 2, z = 3 }. */
#ifndef LCUL_LANES_H
#define LCUL_LANES_H

#include <lua.h>

#include "lcu_base.h"

/* Does the table or Shape at an absolute idx have `n` components, by position or by name, and no
 * other keys? If not, `why` says what is wrong; `type`: the vector's name. Allocates nothing. */
bool lcul_lanes_fit (lua_State *L, int idx, int n, const char *type, char *why, size_t size);
/* Pushes component k, from 0, of what fits. */
void lcul_lane_push (lua_State *L, int idx, int k);

#endif
