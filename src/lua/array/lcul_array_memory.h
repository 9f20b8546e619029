/* lcul_array_memory.h: array memory in place, and the stream that work on it runs on. */
#ifndef LCUL_ARRAY_MEMORY_H
#define LCUL_ARRAY_MEMORY_H

#include "lcul_array.h"

/* Host address of the element at offset 0 of the block, or NULL when the host cannot read it in
 * place. */
char *lcul_block_host (const lcu_block *b);

static inline bool lcul_array_is_host (const lcul_array *a) {
  return a->block->size == 0 || lcul_block_host(a->block) != NULL;
}

/* Before the host reads (write = false) or writes array memory in place. */
void lcul_array_wait (lua_State *L, const lcul_array *a, bool write, const char *what);

/* raises for broadcast views */
void lcul_array_writable (lua_State *L, const lcul_array *a, const char *fn);

/* Do the elements of the two reach into the same bytes, whichever blocks these belong to? By the
 * ranges that they span. */
bool lcul_array_overlap (const lcul_array *a, const lcul_array *b);

/* The stream work on these arrays runs on: option `stream` of the table at opts (0: none), else the
 * device's current. */
lcu_device *lcul_work_device (const lcul_array *dst, const lcul_array *src);

lcu_stream *lcul_work_stream (lua_State *L, int opts, lcu_device *d);

#endif
