/* lcul_shape.h: shapes: read from Lua, measured, and as text. */
#ifndef LCUL_SHAPE_H
#define LCUL_SHAPE_H

#include <lua.h>

#include "lcu_dtype.h"

#define LCUL_MAX_DIMS 16

typedef struct lcul_shape {
  int ndim;
  int64_t size, dims[LCUL_MAX_DIMS];
} lcul_shape;

/* An integer or a list of integers at idx; argument number `arg` of `fn`. `allow_rest`: one -1 is
 * allowed (kept). */
void lcul_shape_check (lua_State *L, int idx, const char *fn, int arg, bool allow_rest,
                       lcul_shape *out);

/* A shape as the last arguments: what lcul_shape_check takes at 2, or the extents from 2 on. */
void lcul_shape_args (lua_State *L, const char *fn, bool allow_rest, lcul_shape *out);

/* Sets size from dims; false when shape or bytes do not fit 63 bits. */
bool lcul_shape_measure (lcul_shape *s, uint32_t element_size);

void lcul_shape_measure_arg (lua_State *L, lcul_shape *s, const lcu_dtype *t, const char *fn,
                             int arg);

/* "{2, 3}"; cut short with "...". */
const char *lcul_shape_text (const int64_t *dims, int ndim, char *buf, size_t size);

/* An integer at idx (integral floats too, no strings), or an error. */
lua_Integer lcul_integer_arg (lua_State *L, int idx, const char *fn, int arg, const char *param);

/* A count, 0 or more: argument `idx` of `fn`, or else the option of the same name in the table at
 * `opts` (0: no options), or else `def`. */
int64_t lcul_count_arg (lua_State *L, int idx, const char *fn, const char *param, int opts,
                        int64_t def);

/* Index from 1, negative from the end, to 0 .. n-1; -1 when outside. */
int64_t lcul_index_norm (lua_Integer i, int64_t n);

#endif
