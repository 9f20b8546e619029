/* lcul_set.h: functions and fields of the table at the top of the stack. */
#ifndef LCUL_SET_H
#define LCUL_SET_H

#include "lcu_base.h"

#include <lauxlib.h>
#include <lua.h>

/* Like luaL_setfuncs, with the state record as upvalue 1 of each function. */
void lcul_setfuncs (lua_State *L, const luaL_Reg *funcs);
/* Each adds the functions and classes of its file to the table, with lcul_setfuncs and
 * lcul_newclass. */
#define LCUL_OPEN(name) void lcul_open_##name(lua_State *L);
#include "lcul_open.def"
#undef LCUL_OPEN
/* Pushes the state record. */
void lcul_push_state (lua_State *L);

/* Makes the table weak: mode "k" or "v". */
void lcul_set_weak (lua_State *L, const char *mode);

/* Sets the table's __tostring. */
void lcul_set_tostring (lua_State *L, lua_CFunction f);

/* next, for __pairs. */
int lcul_next (lua_State *L);

/* Sets a field; no field for a string that is NULL. */
void lcul_set_string (lua_State *L, const char *name, const char *value);
void lcul_set_integer (lua_State *L, const char *name, lua_Integer value);
void lcul_set_boolean (lua_State *L, const char *name, bool value);
/* Three extents as a list; pushed, or as a field. */
void lcul_push_triple (lua_State *L, const uint32_t v[3]);
void lcul_set_triple (lua_State *L, const char *name, const uint32_t v[3]);

#endif
