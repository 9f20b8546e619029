/* lcul_tiled_call.c: calls of kernels over tiles: how many programs run, the blocks for them, and
 * the tensor maps of arrays that are copied ahead. All else is as in lcul_jit_call.c. */
#include <inttypes.h>
#include <string.h>

#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_device.h"
#include "lcul_dims.h"
#include "lcul_jit_call.h"
#include "lcul_launch.h"
#include "lcul_library.h"
#include "lcul_list.h"
#include "lcul_position.h"
#include "lcul_set.h"
#include "lcul_tensor_map.h"

static const char words[] = "expected { tiles = array } or { programs = { n, m } }";

enum { AXES = 3 };

/* An array that a map was made for; address 0: none. */
typedef struct tile_mapped {
  cu_deviceptr address;
  int64_t shape[LCU_TENSOR_RANK];
} tile_mapped;

enum { KEPT_BITS = 6, KEPT = 1 << KEPT_BITS };

/* A tensor map among the parameters, and some of the arrays that it was made for. */
typedef struct tile_map {
  int param; /* from 0 */
  lcu_tensor_box box;
  tile_mapped kept[KEPT];
} tile_map;

/* What a kernel needs besides its arguments. User value 1: the bytes of its maps. */
typedef struct tile_launch {
  uint32_t threads, shared;
  bool persistent;       /* each block runs several programs */
  int64_t cluster[AXES]; /* programs that the blocks of a cluster run, along each axis */
  int64_t (*stored)[2];  /* by parameter: the extents of the tiles that it stores there; 0 */
  int maps;
  tile_map map[];
} tile_launch;


/* ---- core.tile_launch ---- */

/* An integer in least..most; raises for anything else. */
static int field (lua_State *L, int idx, const char *name, lua_Integer least, lua_Integer most) {
  lua_getfield(L, idx, name);
  lua_Integer n = luaL_checkinteger(L, -1);
  luaL_argcheck(L, n >= least && n <= most, 1, name);
  lua_pop(L, 1);
  return (int)n;
}

/* Pushes a list. Returns its length. */
static int push_items (lua_State *L, int idx, const char *name, int most) {
  lua_getfield(L, idx, name);
  luaL_checktype(L, -1, LUA_TTABLE);
  lua_Unsigned n = lua_rawlen(L, -1);
  luaL_argcheck(L, n <= (lua_Unsigned)most, 1, name);
  return (int)n;
}

/* The map at the top: { parameter =, box = list, tf32 = } */
static void read_map (lua_State *L, int count, tile_map *m) {
  int at = lua_gettop(L);
  luaL_checktype(L, at, LUA_TTABLE);
  m->param = field(L, at, "parameter", 1, count) - 1;
  lua_getfield(L, at, "tf32");
  m->box.tf32 = lua_toboolean(L, -1);
  int rank = push_items(L, at, "box", LCU_TENSOR_RANK);
  for (int k = 0; k < rank; k++) {
    lua_rawgeti(L, -1, rank - k);
    m->box.box[k] = (unsigned)lua_tointeger(L, -1);
    m->box.steps[k] = 1;
    lua_pop(L, 1);
  }
  m->box.swizzle = 3; /* 128 bytes */
  lua_settop(L, at);
}

/* The extents of stored tiles: a table of pairs by parameter. */
static void read_stored (lua_State *L, int count, int64_t (*stored)[2]) {
  push_items(L, 1, "stored", count);
  for (int i = 0; i < count; i++) {
    stored[i][0] = stored[i][1] = 0;
    if (lua_rawgeti(L, -1, i + 1) == LUA_TTABLE)
      for (int k = 0; k < 2; k++) {
        lua_rawgeti(L, -1, k + 1);
        stored[i][k] = luaL_checkinteger(L, -1);
        luaL_argcheck(L, stored[i][k] > 0, 1, "stored");
        lua_pop(L, 1);
      }
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

/* core.tile_launch{ count = parameters, threads =, shared = bytes, persistent =, stored =, maps =,
 * cluster = { x, y } } -> what a call of the kernel reads */
static int core_tile_launch (lua_State *L) {
  enum { MAPS = 1 << 16 };
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  int maps = push_items(L, 1, "maps", MAPS),
      count = field(L, 1, "count", 0, 2 * LCUL_FAMILY_PARAMS);
  size_t size = sizeof(tile_launch) + (size_t)maps * sizeof(tile_map);
  tile_launch *t = lua_newuserdatauv(L, size + (size_t)count * sizeof *t->stored, 1);
  memset(t, 0, size);
  t->threads = (uint32_t)field(L, 1, "threads", 1, INT32_MAX);
  t->shared = (uint32_t)field(L, 1, "shared", 0, INT32_MAX);
  lua_getfield(L, 1, "persistent");
  t->persistent = lua_toboolean(L, -1);
  for (int k = 0; k < AXES; k++) t->cluster[k] = 1;
  push_items(L, 1, "cluster", 2);
  for (int k = 0; k < 2; k++) {
    lua_rawgeti(L, -1, k + 1);
    t->cluster[k] = luaL_checkinteger(L, -1);
    luaL_argcheck(L, t->cluster[k] > 0, 1, "cluster");
    lua_pop(L, 1);
  }
  lua_settop(L, 3);
  t->stored = (void *)((char *)t + size);
  read_stored(L, count, t->stored);
  t->maps = maps;
  for (int k = 0; k < maps; k++) {
    lua_rawgeti(L, 2, k + 1);
    read_map(L, count, &t->map[k]);
    lua_pop(L, 1);
  }
  lua_newtable(L);
  lua_setiuservalue(L, 3, 1);
  return 1;
}


/* ---- the launch table ---- */

static LCU_COLD void check_other (lua_State *L, const char *key) {
  static const char *const own[] = { "grid", "block", "threads", "shared" };
  for (size_t k = 0; k < lcu_arraylen(own); k++)
    if (strcmp(key, own[k]) == 0)
      lcul_misuse(L, "tiled: argument 1: a kernel over tiles chooses '%s' itself: %s", key, words);
}

/* The key of the pair at the top of the stack, or "" if the key is not a string. */
static const char *key_of (lua_State *L) {
  return lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "";
}

/* Reads the other options of the launch table at 2. */
static LCU_COLD void read_others (lua_State *L, const char *kernel, lcul_request *r) {
  lua_pushnil(L);
  while (lua_next(L, 2) != 0) {
    const char *key = key_of(L);
    if (strcmp(key, "tiles") != 0 && strcmp(key, "programs") != 0)
      lcul_request_option(L, kernel, r);
    lua_pop(L, 1);
  }
}

/* Pushes the values of `tiles` and `programs` in the launch table at 2. Has it other options? */
static bool push_wanted (lua_State *L) {
  int tiles = lua_gettop(L) + 1, programs = tiles + 1;
  bool others = false;
  lua_settop(L, programs);
  lua_pushnil(L);
  while (lua_next(L, 2) != 0) {
    const char *key = key_of(L);
    if (strcmp(key, "tiles") == 0) lua_replace(L, tiles);
    else if (strcmp(key, "programs") == 0) lua_replace(L, programs);
    else {
      check_other(L, key);
      others = true;
      lua_pop(L, 1);
    }
  }
  return others;
}

static void given_count (lua_State *L, int idx, int64_t *count) {
  if (!lua_isinteger(L, idx))
    lcul_misuse(L, "tiled: programs: expected an integer or a list of 1 to 3 integers");
  *count = lua_tointeger(L, idx);
  if (*count <= 0) lcul_misuse(L, "tiled: programs: expected integers from 1");
}

/* The counts of the option `programs`. */
static void given_counts (lua_State *L, int idx, int64_t counts[AXES]) {
  if (!lua_isinteger(L, idx)) lcul_dims_plain(L, idx);
  lua_Integer n = lua_istable(L, idx) ? (lua_Integer)lua_rawlen(L, idx) : 0;
  if (n < 1 || n > AXES) { /* an integer, or wrong */
    given_count(L, idx, counts);
    return;
  }
  for (int k = 0; k < (int)n; k++) {
    lua_rawgeti(L, idx, k + 1);
    given_count(L, -1, &counts[k]);
    lua_pop(L, 1);
  }
}

/* The programs for all tiles of an array that the kernel stores in. */
static void counts_of (lua_State *L, const lcul_array *a, const int64_t stored[2],
                       int64_t counts[AXES]) {
  int ndim = a->ndim;
  for (int axis = 0; axis < ndim; axis++) {
    int64_t tile = axis >= ndim - 2 ? stored[axis - (ndim - 2)] : 1;
    int64_t n = (a->shape[axis] + tile - 1) / tile;
    if (axis < AXES) counts[axis] = n;
    else if (n != 1)
      lcul_misuse(
        L, "tiled: tiles: a launch has 3 axes, and the array %d: give { programs = { n } }", ndim);
  }
}

/* Are the values at two indices one array, perhaps as two views, such as y[1] and y[1]? */
static bool is_same_array (lua_State *L, int x, int y) {
  if (lua_rawequal(L, x, y)) return true;
  const lcul_array *a = lcul_test(L, x, LCUL_ARRAY), *b = lcul_test(L, y, LCUL_ARRAY);
  return a != NULL && b != NULL && a->block != NULL && a->block == b->block &&
         a->offset == b->offset && a->dtype == b->dtype && lcul_array_same_shape(a, b) &&
         memcmp(a->strides, b->strides, (size_t)a->ndim * sizeof *a->strides) == 0;
}

/* The counts of the option `tiles`, one of the `count` arguments. */
static void tiled_counts (lua_State *L, int idx, int count, const tile_launch *t,
                          int64_t counts[AXES]) {
  for (int i = 0; i < count; i++) {
    if (!is_same_array(L, idx, 3 + i)) continue;
    const lcul_array *a = lcul_test(L, 3 + i, LCUL_ARRAY);
    if (a == NULL || t->stored[i][0] == 0)
      lcul_misuse(L,
                  "tiled: tiles: the kernel stores no tile in argument %d: give "
                  "{ programs = { n } }",
                  i + 1);
    counts_of(L, a, t->stored[i], counts);
    return;
  }
  lcul_misuse(L, "tiled: tiles: expected one of the arguments");
}


/* ---- the launch ---- */

/* The blocks for the programs: one number counts all. */
static uint32_t blocks_for (lua_State *L, const lcul_family *f, const tile_launch *t,
                            const int64_t counts[AXES]) {
  double all = (double)counts[0] * (double)counts[1] * (double)counts[2];
  if (all > INT32_MAX)
    lcul_misuse(L,
                "tiled: %" PRId64 " x %" PRId64 " x %" PRId64
                " programs are more than the 2^31 - 1 "
                "of a launch: take larger tiles, or several tiles in each program",
                counts[0], counts[1], counts[2]);
  int64_t sets = 1, size = 1;
  for (int k = 0; k < AXES; k++) {
    sets *= (counts[k] + t->cluster[k] - 1) / t->cluster[k];
    size *= t->cluster[k];
  }
  int64_t most = f->multiprocessors / size > 1 ? f->multiprocessors / size : 1;
  return (uint32_t)(size * (t->persistent && sets > most ? most : sets));
}

/* The place among the kept arrays for one of this address and shape. */
static size_t place_for (const lcul_array *a, cu_deviceptr address) {
  uint64_t hash = address;
  for (int k = 0; k < a->ndim; k++)
    hash = (hash ^ (uint64_t)a->shape[k]) * UINT64_C(0x9e3779b97f4a7c15);
  return (size_t)(hash >> (64 - KEPT_BITS));
}

/* Pushes the bytes of map k for the array at `idx`, which may be pinned memory of the host, on the
 * device of the call; `bytes` is the table of those made before. */
static void push_map (lua_State *L, lcu_device *d, tile_launch *t, int k, int idx, int bytes) {
  tile_map *m = &t->map[k];
  const lcul_array *a = lcul_array_check(L, idx);
  size_t shape_size = (size_t)a->ndim * sizeof *a->shape;
  cu_deviceptr address = lcul_array_address(L, a, d);
  size_t place = place_for(a, address);
  tile_mapped *kept = &m->kept[place];
  lua_Integer at = (lua_Integer)((size_t)k * KEPT + place + 1);
  if (lcu_likely(kept->address == address && memcmp(kept->shape, a->shape, shape_size) == 0)) {
    lua_rawgeti(L, bytes, at);
    return;
  }
  kept->address = 0; /* until its map is kept */
  lcul_tensor_map_shape(a, &m->box);
  lcul_tensor_map_push(L, a, d, &m->box);
  lua_pushvalue(L, -1);
  lua_rawseti(L, bytes, at);
  memcpy(kept->shape, a->shape, shape_size);
  kept->address = address;
}

/* The device of the first array among the arguments that decides it, else the current one. */
static lcu_device *device_of (lua_State *L, int count) {
  for (int i = 0; i < count; i++) {
    const lcul_array *a = lcul_test(L, 3 + i, LCUL_ARRAY);
    if (a != NULL && a->block != NULL && lcul_args_decide(a->block)) return a->block->device;
  }
  return lcul_device_current(L);
}

/* Tells the Lua file which device the kernels are for: hooks.device(state, device) -> its
 * multiprocessors, a number for what the text depends on. */
static void set_device (lua_State *L, int family) {
  lcul_family *f = lua_touserdata(L, family);
  lcu_device *d = device_of(L, f->count);
  if (lcu_likely(f->device == d)) return;
  lcul_push_hook(L, "tiled", "device");
  lua_getiuservalue(L, family, LCUL_FAMILY_STATE);
  lcul_device_push(L, d);
  lua_call(L, 2, 2);
  f->multiprocessors = lua_tointeger(L, -2);
  f->device_kind = lua_tointeger(L, -1);
  f->device = d;
  lua_pop(L, 2);
}

/* Pushes the family of the Tiled at 1, which knows the device. Returns its index. */
static int begin_tiled (lua_State *L) {
  int family = lcul_jit_begin(L);
  const lcul_family *f = lua_touserdata(L, family);
  if (!f->packed) lcul_misuse(L, "expected a Tiled before the ':'");
  set_device(L, family);
  return family;
}

/* A call whose kernel is known: stack indices of its family and of the kernel, which its parameters
 * follow. */
typedef struct tile_call {
  int family, kernel;
  bool others; /* the launch table has options besides tiles and programs */
  int64_t counts[AXES];
  lcul_request r;
} tile_call;

/* Pushes a table with the options of the launch table at 2 and what this file chooses. */
static void push_launch (lua_State *L, const lcul_request *r) {
  lua_newtable(L);
  int own = lua_gettop(L);
  lua_pushnil(L);
  while (lua_next(L, 2) != 0) {
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, own);
  }
  lua_pushnil(L), lua_setfield(L, own, "tiles");
  lua_pushnil(L), lua_setfield(L, own, "programs");
  lua_pushinteger(L, r->block[0]), lua_setfield(L, own, "block");
  lua_pushinteger(L, r->shared), lua_setfield(L, own, "shared");
  lua_pushinteger(L, r->has_grid ? (lua_Integer)r->grid[0] : 0);
  lua_setfield(L, own, r->has_grid ? "grid" : "threads");
}

/* Reads the launch table: the programs along each axis. An empty array has none. */
static void read_launch (lua_State *L, tile_call *c, const tile_launch *t) {
  const lcul_family *f = lua_touserdata(L, c->family);
  int tiles = lua_gettop(L) + 1, programs = tiles + 1;
  c->counts[0] = c->counts[1] = c->counts[2] = 1;
  c->others = push_wanted(L);
  if (!lua_isnil(L, programs)) given_counts(L, programs, c->counts);
  else if (!lua_isnil(L, tiles)) tiled_counts(L, tiles, f->count, t, c->counts);
  else lcul_misuse(L, "tiled: argument 1: %s", words);
  lua_settop(L, tiles - 1);
}

/* The blocks, threads and memory of the launch. */
static void set_request (lua_State *L, tile_call *c, const tile_launch *t) {
  lcul_request *r = &c->r;
  bool none = c->counts[0] == 0 || c->counts[1] == 0 || c->counts[2] == 0;
  lcul_request_clear(r);
  r->has_block = true;
  r->block[0] = t->threads;
  r->block[1] = r->block[2] = r->grid[0] = r->grid[1] = r->grid[2] = 1;
  r->shared = t->shared;
  r->has_grid = !none;
  r->has_threads = none;
  r->threads[0] = 0;
  if (!none) r->grid[0] = blocks_for(L, lua_touserdata(L, c->family), t, c->counts);
}

/* Finds the kernel for the call at 1 .. and pushes it and its parameters: maps, the programs along
 * each axis, those of the function. */
static void begin_tiles (lua_State *L, tile_call *c) {
  c->family = begin_tiled(L);
  c->kernel = lcul_jit_find(L, c->family, LCUL_SCALE_LARGE) + 1;
  lcul_jit_push_extra(L, c->family);
  tile_launch *t = lua_touserdata(L, -1);
  lua_insert(L, c->kernel - 1);
  luaL_checkstack(L, t->maps + LUA_MINSTACK, NULL);
  read_launch(L, c, t);
  set_request(L, c, t);
  if (t->maps > 0) { /* their bytes, where `t` is; the member of the family keeps that */
    lua_getiuservalue(L, c->kernel - 1, 1);
    lua_replace(L, c->kernel - 1);
  }
  const lcul_family *f = lua_touserdata(L, c->family);
  for (int k = 0; k < t->maps; k++)
    push_map(L, f->device, t, k, 3 + t->map[k].param, c->kernel - 1);
  for (int k = 0; k < AXES; k++) lua_pushinteger(L, c->counts[k]);
  lcul_jit_push_params(L, c->family);
}

/* tiled(launch, ...) */
static int tiled_call (lua_State *L) {
  tile_call c;
  begin_tiles(L, &c);
  int nargs = lua_gettop(L) - c.kernel;
  lcul_kernel *k = lcul_toobject(L, c.kernel);
  if (lcu_likely(!c.others) && lcul_launch_again(L, k, &c.r, c.kernel + 1, nargs)) return 0;
  lua_pushvalue(L, 2);
  lua_insert(L, c.kernel + 1);
  lua_rotate(L, 1, nargs + 2);
  lua_settop(L, nargs + 2);
  const char *name = lcul_kernel_known_name(L, 1, k);
  if (c.others) read_others(L, name, &c.r);
  lcul_launch_request(L, k, name, &c.r);
  return 0;
}

/* core.tiled_spread(tiled, launch, ...) -> the kernel, its launch table, its arguments */
static int core_tiled_spread (lua_State *L) {
  tile_call c;
  begin_tiles(L, &c);
  push_launch(L, &c.r);
  lua_insert(L, c.kernel + 1);
  return lua_gettop(L) - c.kernel + 1;
}

/* core.tiled_make(tiled, ...): makes the kernel for these arguments, which is the latest then. */
static int core_tiled_make (lua_State *L) {
  luaL_checkany(L, 1);
  lua_newtable(L);
  lua_insert(L, 2);
  lcul_jit_find(L, begin_tiled(L), LCUL_SCALE_LARGE);
  return 0;
}

void lcul_open_tiled_call (lua_State *L) {
  static const luaL_Reg functions[] = { { "tiled_call", tiled_call },
                                        { "tiled_spread", core_tiled_spread },
                                        { "tiled_make", core_tiled_make },
                                        { "tile_launch", core_tile_launch },
                                        { NULL, NULL } };
  lcul_setfuncs(L, functions);
}
