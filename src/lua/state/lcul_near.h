/* lcul_near.h: near names, for messages about unknown ones. */
#ifndef LCUL_NEAR_H
#define LCUL_NEAR_H

#include <lua.h>

#include "lcu_base.h"

enum { LCUL_HINT_SIZE = 512 }; /* holds any hint */

/* Writes "; did you mean 'x' or 'y'?" for up to three names close to `name`. Without any: "; <all>
 * x, y, z" with all names, or nothing when `all` is NULL. Returns `buf`. Names may be NULL. */
const char *lcul_near (const char *name, const char *const names[], size_t n, const char *all,
                       char *buf, size_t size);
/* tolower for ASCII, whatever the locale: Turkish has another small letter for I. */
static inline char lcul_lower (char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

/* Writes ": <sentence>" for a name that other libraries have or that is gone, as foreign.lua lists
 * it for the place (a class, "cuda", "launch", "options"); else what lcul_near writes. */
const char *lcul_hint (lua_State *L, const char *place, const char *name, const char *const names[],
                       size_t n, const char *all, char *buf, size_t size);

#endif
