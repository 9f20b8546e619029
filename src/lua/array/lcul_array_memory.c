/* lcul_array_memory.c: array memory in place, and the stream for work on it. */
#include "lcul_array_memory.h"

#include "lcu_wait.h"
#include "lcul_array.h"
#include "lcul_collect.h"
#include "lcul_error.h"
#include "lcul_position.h"
#include "lcul_scope.h"
#include "lcul_stream.h"
#include "lcul_strides.h"

char *lcul_block_host (const lcu_block *b) {
  if (b->host != NULL) return b->host;
  return b->device->host_memory ? (char *)(uintptr_t)b->address : NULL;
}

bool lcul_array_in_place (lua_State *L, const lcul_array *a) {
  return lcul_array_is_host(a) && !lcul_is_recording(L);
}

void lcul_array_wait (lua_State *L, const lcul_array *a, bool write, const char *what) {
  lcu_stream *s = lcul_host_turn(L, a->block->device, what);
  if (write) lcul_array_permits_write(L, a, what);
  lcul_status(L, lcu_block_wait(a->block, s, write));
}

void lcul_array_wait_part (lua_State *L, const lcul_array *a, lcu_stream *s, size_t offset,
                           size_t size, const char *what) {
  lcu_stream *turn = lcul_host_turn(L, a->block->device, what);
  lcul_array_permits_write(L, a, what);
  lcul_status(L, lcu_block_wait_part(a->block, s != NULL ? s : turn, offset, size));
}

void lcul_block_turn (lua_State *L, lcu_block *block, const lcu_stream *s, const char *what) {
  if (block == NULL || block->device->drv == s->device->drv || !lcu_block_in_place(block) ||
      lcul_is_recording(L))
    return;
  lcu_stream *turn = lcul_host_turn(L, block->device, what);
  lcul_status(L, lcu_block_wait(block, turn, false));
}

void lcul_array_permits_write (lua_State *L, const lcul_array *a, const char *fn) {
  if (lcu_unlikely(a->block != NULL && a->block->readonly))
    lcul_misuse(L, "%s: the array is read-only; a:copy() makes one that can be written", fn);
}

void lcul_array_writable (lua_State *L, const lcul_array *a, const char *fn) {
  lcul_array_permits_write(L, a, fn);
  if (lcul_array_is_broadcast(a))
    lcul_misuse(L,
                "%s: a broadcast view cannot be written: several positions share an element; "
                "a:copy() makes a separate array",
                fn);
}

/* Can the two share memory? Registered and foreign blocks are parts of other memory. A closed array
 * (NULL) has no memory. */
static bool may_share (const lcu_block *x, const lcu_block *y) {
  if (x == NULL || y == NULL) return false;
  return x == y || (x->device == y->device && x->address < y->address + y->size &&
                    y->address < x->address + x->size);
}

bool lcul_array_overlap (const lcul_array *a, const lcul_array *b) {
  int64_t a0, a1, b0, b1;
  if (!may_share(a->block, b->block)) return false;
  lcul_array_extent(a, &a0, &a1);
  lcul_array_extent(b, &b0, &b1);
  int64_t shift = (int64_t)(b->block->address - a->block->address);
  return a0 < b1 + shift && b0 + shift < a1;
}

lcu_device *lcul_work_device (const lcul_array *dst, const lcul_array *src) {
  if (src == NULL || !dst->block->device->host_memory) return dst->block->device;
  return src->block->device;
}

lcu_stream *lcul_work_stream (lua_State *L, int opts, lcu_device *d) {
  return opts ? lcul_opt_stream(L, opts, d) : lcul_stream_current(L, d);
}
