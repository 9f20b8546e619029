/* lcul_suggest.c: the block of a launch that gives only its threads. */
#include "lcul_request.h"

#include "lcul_error.h"
#include "lcul_position.h"

enum { WARP = 32 };

/* Whole warps: rows of 16 or 32 threads in a plane, of 8 in space, near a square or a cube. */
static void shape_warps (uint32_t n, int axes, uint32_t block[3]) {
  block[0] = axes == 1 ? n : axes == 3 ? 8 : n >= 512 ? 32 : 16;
  block[1] = axes == 1 ? 1 : axes == 2 ? n / block[0] : n % 64 == 0 ? 8 : 4;
  block[2] = axes == 3 ? n / block[0] / block[1] : 1;
}

/* A part of a warp: as shape_warps, halved until it fits. */
static void shape_few (uint32_t n, int axes, uint32_t block[3]) {
  shape_warps(WARP, axes, block);
  for (int axis = 2; block[0] * block[1] * block[2] > n; axis = axis > 0 ? axis - 1 : 2)
    if (block[axis] > 1) block[axis] /= 2;
}

/* Fewer threads than a usual block are one block, if the function can have as many as `most`. */
static bool take_all (const lcul_request *r, const lcu_function *f, uint64_t most,
                      uint32_t block[3]) {
  enum { USUAL = 256 };
  uint64_t n = 1;
  for (int i = 0; i < 3; i++) {
    if (r->threads[i] > (uint64_t)f->device->limits.max_block[i]) return false;
    n *= r->threads[i];
    block[i] = (uint32_t)r->threads[i];
  }
  return n < USUAL && n <= most;
}

void lcul_suggest_block (lua_State *L, const lcul_request *r, lcu_function *f, uint32_t block[3]) {
  int threads, blocks;
  lcu_status s = lcu_function_suggest(f, r->shared, &threads, &blocks);
  if (s == LCU_E_ARGUMENT) lcul_misuse(L, "%s", lcu_failure_get()->message);
  lcul_status(L, s);
  uint32_t n = (uint32_t)threads;
  if (take_all(r, f, n, block)) return;
  if (n >= WARP || r->thread_dims == 1)
    shape_warps(n < WARP ? n : n / WARP * WARP, r->thread_dims, block);
  else shape_few(n, r->thread_dims, block);
}
