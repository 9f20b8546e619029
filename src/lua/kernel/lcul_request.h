/* lcul_request.h: launch tables: { grid, block } or { threads }, and how to launch. */
#ifndef LCUL_REQUEST_H
#define LCUL_REQUEST_H

#include "lcul_state.h"
#include "lcu_launch.h"

typedef struct lcul_request {
  bool has_grid, has_block, has_threads;
  bool chosen; /* the block is not the program's choice */
  uint32_t grid[3], block[3];
  uint64_t threads[3];
  int thread_dims;
  uint32_t shared;
  bool cooperative, ordered;
  lcu_launch_extras extras;
  lcu_stream *stream; /* borrowed from the launch table; NULL: the device's current */
  int runs, warmup;   /* of kernel:benchmark */
} lcul_request;

/* A request without options. Member by member, which is cheaper than clearing the whole record;
 * `threads` is set with has_threads. */
static inline void lcul_request_clear (lcul_request *r) {
  r->has_grid = r->has_block = r->has_threads = r->chosen = false;
  for (int i = 0; i < 3; i++) r->grid[i] = r->block[i] = 0;
  r->extras = (lcu_launch_extras){ 0 };
  r->shared = 0;
  r->cooperative = false;
  r->ordered = true;
  r->stream = NULL;
  r->runs = 20;
  r->warmup = 3;
}

/* Reads the table at idx; raises "kernel: launch: ..." for unknown keys and wrong values. */
void lcul_request_read (lua_State *L, int idx, const char *kernel, bool timing, lcul_request *out);

/* The same for one option, whose key and value are at the top. */
void lcul_request_option (lua_State *L, const char *kernel, lcul_request *out);

/* The same for a table of changes to a configuration, which gives what the table leaves out, but
 * for a block that was `chosen` for other threads. Without `grid` and `threads` in either there is
 * nothing to launch: neither has_grid nor has_threads. */
void lcul_request_change (lua_State *L, int idx, const char *kernel, const lcu_config *from,
                          bool chosen, lcul_request *out);

/* Grid and block for a function; false when there is nothing to launch (0 threads). Raises when a
 * limit is exceeded. */
bool lcul_request_config (lua_State *L, const lcul_request *r, lcu_function *f, lcu_config *out);

/* All threads of a small launch; else as many as the driver suggests for the function, in a shape
 * for the launch's number of axes. Raises if the driver cannot say. */
void lcul_suggest_block (lua_State *L, const lcul_request *r, lcu_function *f, uint32_t block[3]);

#endif
