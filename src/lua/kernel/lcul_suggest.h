/* lcul_suggest.h: the block of a launch that gives only its threads. */
#ifndef LCUL_SUGGEST_H
#define LCUL_SUGGEST_H

#include "lcul_request.h"

/* All threads of a small launch; else as many as the driver suggests for the function, in a shape
 * for the launch's number of axes. Raises if the driver cannot say. */
void lcul_suggest_block (lua_State *L, const lcul_request *r, lcu_function *f, uint32_t block[3]);

#endif
