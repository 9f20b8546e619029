/* lcul_occupancy.c: which blocks suit a kernel, and how many of them a device runs at a time. */
#include <string.h>

#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_error.h"
#include "lcul_kernel.h"
#include "lcul_launch.h"
#include "lcul_position.h"
#include "lcul_request.h"
#include "lcul_set.h"
#include "lcul_shape.h"
#include "lcul_stream.h"

/* The block at 2 as a number of threads. */
static int read_block (lua_State *L, const char *kernel, const char *what) {
  lcul_request r;
  luaL_checkany(L, 2);
  lua_createtable(L, 0, 2);
  lua_pushvalue(L, 2);
  lua_setfield(L, -2, "block");
  lcul_set_integer(L, "grid", 1);
  lcul_request_read(L, lua_gettop(L), kernel, false, &r);
  uint64_t n = (uint64_t)r.block[0] * r.block[1];
  n = n > INT32_MAX ? n : n * r.block[2];
  if (n > INT32_MAX) lcul_misuse(L, "%s: %s: the block has too many threads", kernel, what);
  return (int)n;
}

/* Bytes of dynamic shared memory, 0 when not given. */
static uint32_t read_shared (lua_State *L, int idx, const char *what) {
  lua_Integer n = lua_isnoneornil(L, idx) ? 0 : lcul_integer_arg(L, idx, what, idx - 1, "shared");
  if (n < 0 || n > INT32_MAX)
    lcul_fail_arg(L, what, idx - 1, "shared", "%lld is outside 0 to %d bytes", (long long)n,
                  INT32_MAX);
  return (uint32_t)n;
}

/* kernel:occupancy(block [, shared]) -> blocks per multiprocessor, occupied share of its threads (0
 * to 1) */
static int kernel_occupancy (lua_State *L) {
  lcul_check_most(L, 3);
  lcul_binding *b = lcul_kernel_current(L);
  lcu_device *d = b->function->device;
  int blocks = 0, most = 0;
  uint32_t shared = read_shared(L, 3, "occupancy");
  int threads = read_block(L, b->function->name, "occupancy");
  lcul_status(L, lcu_function_occupancy(b->function, threads, shared, &blocks));
  lcul_status(L, lcu_device_attribute(d, CU_ATTR_max_threads_per_multiprocessor, &most));
  lua_pushinteger(L, blocks);
  lua_pushnumber(L, most > 0 ? (lua_Number)blocks * threads / most : 0);
  return 2;
}

/* Raises a limit that is exceeded as misuse. */
static void status (lua_State *L, lcu_status s) {
  if (s == LCU_E_ARGUMENT) lcul_misuse(L, "%s", lcu_failure_get()->message);
  lcul_status(L, s);
}

/* kernel:max_cooperative_blocks(block [, shared]) -> the largest grid of a cooperative launch */
static int kernel_max_cooperative_blocks (lua_State *L) {
  lcul_check_most(L, 3);
  lcul_binding *b = lcul_kernel_current(L);
  uint64_t blocks = 0;
  uint32_t shared = read_shared(L, 3, "max_cooperative_blocks");
  int threads = read_block(L, b->function->name, "max_cooperative_blocks");
  status(L, lcu_function_allow_shared(b->function, shared));
  status(L, lcu_launch_cooperative_limit(b->function, threads, shared, &blocks));
  lua_pushinteger(L, (lua_Integer)blocks);
  return 1;
}

/* kernel:suggested_block([shared]) -> threads of a block, blocks that fill the device */
static int kernel_suggested_block (lua_State *L) {
  lcul_check_most(L, 2);
  lcul_binding *b = lcul_kernel_current(L);
  int threads = 0, blocks = 0;
  uint32_t shared = read_shared(L, 2, "suggested_block");
  status(L, lcu_function_suggest(b->function, shared, &threads, &blocks));
  lua_pushinteger(L, threads);
  lua_pushinteger(L, blocks);
  return 2;
}

/* ---- clusters ---- */

/* The cluster that the kernel was compiled for; false: none. */
static bool read_required (lua_State *L, lcu_function *f, unsigned out[3]) {
  for (int k = 0; k < 3; k++) {
    int n = 0;
    lcul_status(L, lcu_function_attribute(f, CU_FUNC_REQUIRED_CLUSTER_WIDTH + k, &n));
    out[k] = (unsigned)n;
  }
  return out[0] != 0;
}

static void set_required (lua_State *L, lcu_function *f) {
  unsigned size[3];
  if (!read_required(L, f, size))
    lcul_misuse(L, "%s: max_active_clusters: the cluster is missing", f->name);
  lcul_push_triple(L, size);
}

/* A grid of whole clusters of any size. */
static void set_whole_grid (lua_State *L, lcu_function *f, unsigned grid[3]) {
  enum { MOST = 16 }; /* blocks of a cluster */
  if (!read_required(L, f, grid)) grid[0] = MOST, grid[1] = grid[2] = 1;
}

/* The launch of one cluster, given at `cluster` (0: of any size) or by the kernel, with the block
 * at 2. */
static void read_cluster (lua_State *L, lcul_binding *b, int cluster, uint32_t shared,
                          lcu_config *out) {
  lcul_request r;
  luaL_checkany(L, 2);
  lua_createtable(L, 0, 4);
  lua_pushvalue(L, 2);
  lua_setfield(L, -2, "block");
  lcul_set_integer(L, "shared", shared);
  lcul_set_integer(L, "grid", 1);
  if (cluster != 0) {
    if (lua_isnoneornil(L, cluster)) set_required(L, b->function);
    else lua_pushvalue(L, cluster);
    lua_setfield(L, -2, "cluster");
  }
  lcul_request_read(L, lua_gettop(L), b->function->name, false, &r);
  if (cluster != 0) memcpy(r.grid, r.extras.cluster, sizeof r.grid);
  else set_whole_grid(L, b->function, r.grid);
  (void)lcul_request_config(L, &r, b->function, out);
  out->stream = lcul_stream_current(L, b->function->device);
}

/* kernel:max_active_clusters(block [, cluster [, shared]]) -> how many run at the same time */
static int kernel_max_active_clusters (lua_State *L) {
  lcul_check_most(L, 4);
  lua_settop(L, 4);
  lcul_binding *b = lcul_kernel_current(L);
  lcu_config c;
  int clusters = 0;
  read_cluster(L, b, 3, read_shared(L, 4, "max_active_clusters"), &c);
  lcul_status(L, lcu_launch_active_clusters(b->function, &c, &clusters));
  lua_pushinteger(L, clusters);
  return 1;
}

/* Of at most `most` blocks. The driver may count more than the kernel was compiled for. */
static lua_Integer possible_size (lua_State *L, lcu_function *f, int most) {
  unsigned size[3];
  if (!read_required(L, f, size)) return most;
  lua_Integer own = (lua_Integer)size[0] * size[1] * size[2];
  return most < own ? 0 : own;
}

/* kernel:max_cluster_size(block [, shared]) -> blocks of the largest cluster, 0: no clusters */
static int kernel_max_cluster_size (lua_State *L) {
  lcul_check_most(L, 3);
  lua_settop(L, 3);
  lcul_binding *b = lcul_kernel_current(L);
  lcu_config c;
  int blocks = 0;
  read_cluster(L, b, 0, read_shared(L, 3, "max_cluster_size"), &c);
  lcul_status(L, lcu_launch_cluster_size(b->function, &c, &blocks));
  lua_pushinteger(L, possible_size(L, b->function, blocks));
  return 1;
}

void lcul_open_occupancy (lua_State *L) {
  static const luaL_Reg methods[] = { { "occupancy", kernel_occupancy },
                                      { "max_cooperative_blocks", kernel_max_cooperative_blocks },
                                      { "suggested_block", kernel_suggested_block },
                                      { "max_active_clusters", kernel_max_active_clusters },
                                      { "max_cluster_size", kernel_max_cluster_size },
                                      { NULL, NULL } };
  lcul_extend(L, LCUL_KERNEL, LCUL_METHODS, methods);
}
