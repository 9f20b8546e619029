/* lcul_jit_scale.h: how large a launch is, which decides how many bits the indices in kernels
 * written in Lua need. Each scale has a kernel of its own. */
#ifndef LCUL_JIT_SCALE_H
#define LCUL_JIT_SCALE_H

#include <lua.h>

#include "lcul_array.h"
#include "lcul_request.h"

typedef enum lcul_scale {
  LCUL_SCALE_FEW,   /* small arrays and grids, few blocks along each axis */
  LCUL_SCALE_SMALL, /* small arrays and grids */
  LCUL_SCALE_LARGE
} lcul_scale;

/* Arrays of at most so many elements have indices of 32 bits; a loop's counter may pass the last
 * one by a step. */
#define LCUL_SMALL_ARRAY ((INT64_C(1) << 31) - (INT64_C(1) << 20))

static inline bool lcul_is_small (const lcul_array *a) { return a->size <= LCUL_SMALL_ARRAY; }

lcul_scale lcul_scale_of (const lcul_request *r);
/* "few", "small", "large" */
const char *lcul_scale_name (lcul_scale s);

#endif
