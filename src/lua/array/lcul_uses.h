/* lcul_uses.h: the arrays that a launch uses: their addresses on its device, and their blocks,
 * which order streams. */
#ifndef LCUL_USES_H
#define LCUL_USES_H

#include "lcu_work.h"
#include "lcul_array.h"

struct lcul_uses {
  lcu_use *uses;
  size_t n, max;
  lcu_device *device;
};

/* The address of an array for a parameter or field; records the use. Raises "<what>: ..." for an
 * array that the device cannot reach, or that is not contiguous unless `raw`. */
uint64_t lcul_uses_address (lua_State *L, lcul_array *a, lcul_uses *uses, bool write, bool raw,
                            const char *what);
/* The block's address for the device; false: there is none. Raises when the driver fails to report
 * it. */
bool lcul_uses_reach (lua_State *L, lcu_block *b, lcu_device *d, cu_deviceptr *base);
/* lcul_classdef.field_address of arrays. */
uint64_t lcul_array_field_address (lua_State *L, int idx, const lcul_field *f, lcul_uses *uses,
                                   const char *what);

#endif
