/* lcul_option.h: options: a trailing table of named values. */
#ifndef LCUL_OPTION_H
#define LCUL_OPTION_H

#include <lua.h>

#include "lcu_base.h"

/* Checks the table at idx, which may also be nil or none (false): raises for a key that is not in
 * `names` (NULL-terminated) and lists near ones. `what` is the function's name. */
bool lcul_options (lua_State *L, int idx, const char *what, const char *const names[]);

/* One option of the table at an absolute index; `def` when it is not given. */
bool lcul_opt_bool (lua_State *L, int idx, const char *name, bool def);
lua_Integer lcul_opt_integer (lua_State *L, int idx, const char *name, lua_Integer def,
                              lua_Integer lo, lua_Integer hi);
/* The string stays valid while the table does. */
const char *lcul_opt_string (lua_State *L, int idx, const char *name, const char *def);
/* Pushes the option; false, with nothing pushed, when it is not given. */
bool lcul_opt_push (lua_State *L, int idx, const char *name);
/* Raises "<callee>: option '<name>': expected ..., got ..." for the value at the top. */
int lcul_wrong_option (lua_State *L, const char *name, const char *expected);

#endif
