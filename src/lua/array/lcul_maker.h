/* lcul_maker.h: functions that make arrays: the arguments they share, [dtype] [, options], and the
 * array that they fill. */
#ifndef LCUL_MAKER_H
#define LCUL_MAKER_H

#include "lcul_array.h"

typedef struct lcul_maker {
  const char *fn;
  const lcu_dtype *dtype; /* NULL: not given */
  int dtype_idx;          /* stack index of the dtype, or of an array that has it */
  int opts;               /* stack index of the options, or 0 */
  lcu_device *device;
  lcu_stream *stream;
  bool ipc; /* option ipc: other processes may open the memory */
  bool out; /* option out: the array at out_idx is filled */
  int out_idx;
} lcul_maker;

/* Options that every maker takes. */
extern const char *const lcul_make_options[];
/* Reads [dtype] [, options] from stack index idx on, with the options in `names`. `model`: the
 * device when nothing names one; NULL: the current one. Leaves values of options on the stack. */
void lcul_maker_args (lua_State *L, lcul_maker *m, int idx, const char *const names[],
                      lcu_device *model);
void lcul_maker_default_dtype (lcul_maker *m, lcu_dtype_id id);
/* The dtype that the value at idx suggests, unless one is given. */
void lcul_maker_dtype_of (lua_State *L, lcul_maker *m, int idx);
/* An element from the value at idx, in a userdata left on the stack. A dtype that was not given
 * (`guessed`) must hold integers exactly. */
const void *lcul_maker_element (lua_State *L, const lcul_maker *m, bool guessed, int idx,
                                const char *param);

/* Pushes an array of the shape whose first axis can grow to `rows` in place; returns 1. In
 * lcul_array_resize.c. */
int lcul_array_reserve (lua_State *L, const lcul_maker *m, lcul_shape *s, int64_t rows);

/* Pushes an array of the shape that other processes may open. In lcul_ipc.c. */
lcul_array *lcul_array_make_ipc (lua_State *L, const lcul_maker *m, lcul_shape *s);

/* Pushes the array to fill: option `out`, or a new one. */
lcul_array *lcul_maker_push (lua_State *L, lcul_maker *m, lcul_shape *s);
/* Memory for the contents of the array at the top: its own where the host can write it and nothing
 * else can see it yet, else scratch memory. Pushes one value, which lcul_maker_close removes. */
char *lcul_maker_open (lua_State *L, const lcul_maker *m, const lcul_array *a);
void lcul_maker_close (lua_State *L, lcul_maker *m, const char *data);
/* Pushes the array, all elements equal to `element` (NULL: uninitialized); returns 1. */
int lcul_maker_fill (lua_State *L, lcul_maker *m, lcul_shape *s, const void *element);

#endif
