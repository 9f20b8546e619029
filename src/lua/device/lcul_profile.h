/* lcul_profile.h: what cuda.profile, cuda.profiler and the profiles of kernels need of C, and class
 * Range. */
#ifndef LCUL_PROFILE_H
#define LCUL_PROFILE_H

#include <lua.h>

void lcul_open_profile (lua_State *L);
void lcul_open_costs (lua_State *L);
void lcul_open_range (lua_State *L);

#endif
