/* lcul_array_memory.h: array memory in place, and the stream for work on it. */
#ifndef LCUL_ARRAY_MEMORY_H
#define LCUL_ARRAY_MEMORY_H

#include "lcul_array.h"

/* Host address of the element at offset 0 of the block, or NULL when the host cannot read it in
 * place. */
char *lcul_block_host (const lcu_block *b);

static inline bool lcul_array_is_host (const lcul_array *a) {
  return a->block->size == 0 || lcul_block_host(a->block) != NULL;
}

/* May the host work on it in place? Not while work is recorded: it would not be part of the
 * graph. */
bool lcul_array_in_place (lua_State *L, const lcul_array *a);

/* Waits until the host may read (write = false) or write array memory in place, in the order of the
 * device's current stream. */
void lcul_array_wait (lua_State *L, const lcul_array *a, bool write, const char *what);
/* Waits until the host may write that part of the block in place, in the order of `s`, a stream of
 * the array's device; NULL: the current one. */
void lcul_array_wait_part (lua_State *L, const lcul_array *a, lcu_stream *s, size_t offset,
                           size_t size, const char *what);

/* To call before the host carries out a copy queued on `s`: if the current stream of the block's
 * device is another one, waits in its order. `block` may be NULL. */
void lcul_block_turn (lua_State *L, lcu_block *block, const lcu_stream *s, const char *what);

/* Raises for memory that may not be written. */
void lcul_array_permits_write (lua_State *L, const lcul_array *a, const char *fn);

/* Raises for that, and for broadcast views. */
void lcul_array_writable (lua_State *L, const lcul_array *a, const char *fn);

/* Do the byte ranges that the elements of the two span overlap, whichever blocks they belong to? */
bool lcul_array_overlap (const lcul_array *a, const lcul_array *b);

/* The device and the stream for work on these arrays: option `stream` of the table at opts (0:
 * none), else the device's current stream. */
lcu_device *lcul_work_device (const lcul_array *dst, const lcul_array *src);

lcu_stream *lcul_work_stream (lua_State *L, int opts, lcu_device *d);


/* ---- arguments of functions that make arrays of a kind of memory (lcul_array_host.c) ---- */

/* [dtype] [, options] from idx on, with the options in `names`; returns the index of the options or
 * 0. The dtype's index is 0 where none is given, and the dtype float32. */
int lcul_memory_args (lua_State *L, const char *fn, int idx, const char *const names[],
                      const lcu_dtype **t, int *dtype_idx);

/* Option `device` of the table at opts (0: none), else the current device; its driver pins memory,
 * or owns it. */
lcu_device *lcul_memory_device (lua_State *L, int opts);

#endif
