/* lcul_jit_scale.c: how large a launch is. */
#include "lcul_jit_scale.h"

#include "lcul_set.h"

/* With at most so many threads along an axis a loop over the grid can count with 32 bits: a counter
 * passes the last index of a small array by fewer. With at most so many blocks a block's index can
 * be multiplied by its threads with 32 bits. */
#define SMALL_GRID (UINT64_C(1) << 30)
#define FEW_BLOCKS (UINT64_C(1) << 20)

/* A block that the library chooses has at least so many threads along its only axis, except where
 * the grid has one block. */
enum { LEAST_BLOCK = 32 };

static uint64_t block_extent_of (const lcul_request *r, int axis) {
  if (r->has_block) return r->block[axis];
  return r->thread_dims == 1 && axis == 0 ? LEAST_BLOCK : 1;
}

static lcul_scale scale_along (const lcul_request *r, int axis) {
  uint64_t block = block_extent_of(r, axis), blocks = r->grid[axis];
  if (r->has_threads) blocks = r->threads[axis] / block + 1;
  if (blocks > SMALL_GRID / block) return LCUL_SCALE_LARGE;
  return blocks <= FEW_BLOCKS ? LCUL_SCALE_FEW : LCUL_SCALE_SMALL;
}

lcul_scale lcul_scale_of (const lcul_request *r) {
  lcul_scale most = LCUL_SCALE_FEW;
  for (int axis = 0; axis < 3; axis++) {
    lcul_scale s = scale_along(r, axis);
    if (s > most) most = s;
  }
  return most;
}

const char *lcul_scale_name (lcul_scale s) {
  static const char *const names[] = { "few", "small", "large" };
  return names[s];
}

void lcul_open_jit_scale (lua_State *L) {
  lua_createtable(L, 0, 3);
  lcul_set_integer(L, "array", LCUL_SMALL_ARRAY);
  lcul_set_integer(L, "threads", (int64_t)SMALL_GRID);
  lcul_set_integer(L, "blocks", (int64_t)FEW_BLOCKS);
  lua_setfield(L, -2, "jit_limits");
}
