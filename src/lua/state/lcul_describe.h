/* lcul_describe.h: what a value is, for messages. */
#ifndef LCUL_DESCRIBE_H
#define LCUL_DESCRIBE_H

#include <lua.h>

#include "lcu_base.h"

/* "number", "table", "Array float32 {2, 3}". Pushes nothing; returns `buf`. */
const char *lcul_describe (lua_State *L, int idx, char *buf, size_t size);
/* The same, but numbers as digits: "2.5". */
const char *lcul_describe_value (lua_State *L, int idx, char *buf, size_t size);
/* The same where only the type matters: "float32 array". */
const char *lcul_describe_type (lua_State *L, int idx, char *buf, size_t size);

#endif
