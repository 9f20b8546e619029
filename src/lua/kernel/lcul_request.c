/* lcul_request.c: the launch table: { grid, block } or { threads }, and options of the launch. */
#include "lcul_request.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_describe.h"
#include "lcul_dims.h"
#include "lcul_error.h"
#include "lcul_list.h"
#include "lcul_near.h"
#include "lcul_position.h"
#include "lcul_stream.h"

static const char *const keys[] = { "grid",         "block",    "threads",     "shared",
                                    "stream",       "ordered",  "cooperative", "cluster",
                                    "programmatic", "priority", "sync_domain", "runs",
                                    "warmup" };
enum { KEYS_OF_TIMING = 2 };

static int bad (lua_State *L, const char *kernel, const char *key, const char *expected, int idx) {
  char got[128];
  return lcul_misuse(L, "%s: launch: '%s': expected %s, got %s", kernel, key, expected,
                     lcul_describe(L, idx, got, sizeof got));
}

static int unknown_key (lua_State *L, const char *kernel, bool timing) {
  char text[LCUL_HINT_SIZE];
  size_t n = lcu_arraylen(keys) - (timing ? 0 : KEYS_OF_TIMING);
  if (lua_type(L, -2) != LUA_TSTRING)
    return lcul_misuse(
      L, "%s: launch: expected names such as grid, block or threads as keys, got a %s", kernel,
      luaL_typename(L, -2));
  const char *key = lua_tostring(L, -2);
  return lcul_misuse(L, "%s: launch: unknown key '%s'%s", kernel, key,
                     lcul_hint(L, "launch", key, keys, n, NULL, text, sizeof text));
}

/* An integer (floats without a fraction count) in lo..hi. */
static int64_t read_integer (lua_State *L, const char *kernel, const char *key, int idx, int64_t lo,
                             int64_t hi) {
  lua_Integer v = 0;
  bool ok = lcul_to_integer(L, idx, &v);
  if (!ok) bad(L, kernel, key, "an integer", idx);
  if (v < lo || v > hi)
    lcul_misuse(L, "%s: launch: '%s': %" PRId64 " is outside %" PRId64 "..%" PRId64, kernel, key,
                (int64_t)v, lo, hi);
  return v;
}

/* The common case: an integer in range at the top of the stack. False for any other value,
 * including wrong ones. */
static inline bool read_one (lua_State *L, int64_t lo, int64_t hi, int64_t *out) {
  if (!lua_isinteger(L, -1)) return false;
  *out = lua_tointeger(L, -1);
  return *out >= lo && *out <= hi;
}

static void fail_list (lua_State *L, const char *kernel, const char *key, int idx) {
  char what[160];
  snprintf(what, sizeof what, "%s: launch: '%s'", kernel, key);
  lcul_list_fail(L, idx, what, NULL);
}

/* 5, { 5 }, { 5, 6 } or { 5, 6, 7 }; missing extents are 1. Returns how many were given. */
static int read_axes (lua_State *L, const char *kernel, const char *key, int64_t lo, int64_t hi,
                      int64_t out[3]) {
  out[0] = out[1] = out[2] = 1;
  int idx = lua_gettop(L);
  if (lua_type(L, idx) == LUA_TNUMBER) {
    out[0] = read_integer(L, kernel, key, idx, lo, hi);
    return 1;
  }
  lcul_dims_plain(L, idx);
  if (!lua_istable(L, idx)) bad(L, kernel, key, "an integer or a list of up to 3", idx);
  lua_Integer n;
  if (!lcul_list_length(L, idx, &n)) fail_list(L, kernel, key, idx);
  if (n < 1 || n > 3)
    lcul_misuse(L, "%s: launch: '%s': expected 1 to 3 integers, got %d", kernel, key, (int)n);
  for (int i = 0; i < (int)n; i++) {
    lua_geti(L, idx, i + 1);
    out[i] = read_integer(L, kernel, key, idx + 1, lo, hi);
    lua_pop(L, 1);
  }
  return (int)n;
}

static void read_dims (lua_State *L, const char *kernel, const char *key, uint32_t out[3]) {
  int64_t v[3];
  if (lcu_likely(read_one(L, 1, UINT32_MAX, v))) {
    out[0] = (uint32_t)v[0];
    out[1] = out[2] = 1;
    return;
  }
  read_axes(L, kernel, key, 0, UINT32_MAX, v);
  for (int i = 0; i < 3; i++) {
    if (v[i] == 0) lcul_misuse(L, "%s: launch: '%s' is 0 along %c", kernel, key, "xyz"[i]);
    out[i] = (uint32_t)v[i];
  }
}

static bool read_bool (lua_State *L, const char *kernel, const char *key) {
  if (!lua_isboolean(L, -1)) bad(L, kernel, key, "a boolean", -1);
  return lua_toboolean(L, -1);
}

static void read_threads (lua_State *L, const char *kernel, lcul_request *out) {
  int64_t v[3] = { 0, 1, 1 };
  out->thread_dims =
    lcu_likely(read_one(L, 0, INT64_MAX, v)) ? 1 : read_axes(L, kernel, "threads", 0, INT64_MAX, v);
  for (int i = 0; i < 3; i++) out->threads[i] = (uint64_t)v[i];
  out->has_threads = true;
}

static void read_stream (lua_State *L, const char *kernel, lcul_request *out) {
  if (lcul_test(L, -1, LCUL_STREAM) == NULL) bad(L, kernel, "stream", "a Stream", -1);
  out->stream = lcul_stream_check(L, -1);
}

/* Compares with a literal of known length. */
#define IS(literal) (len == sizeof(literal) - 1 && memcmp(key, literal, sizeof(literal) - 1) == 0)

static uint8_t read_domain (lua_State *L, const char *kernel, const char *key) {
  static const char *const domains[] = { "default", "remote" };
  const char *name = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
  for (uint8_t i = 0; i < lcu_arraylen(domains); i++)
    if (strcmp(name, domains[i]) == 0) return i;
  if (name[0] != '\0')
    lcul_misuse(L, "%s: launch: '%s': expected 'default' or 'remote', got '%s'", kernel, key, name);
  return (uint8_t)bad(L, kernel, key, "'default' or 'remote'", -1);
}

static bool read_extra (lua_State *L, const char *kernel, const char *key, size_t len,
                        lcu_launch_extras *out) {
  if (IS("cluster")) read_dims(L, kernel, key, out->cluster);
  else if (IS("programmatic")) out->programmatic = read_bool(L, kernel, key);
  else if (IS("priority")) {
    out->priority = (int)read_integer(L, kernel, key, lua_gettop(L), -1000, 1000);
    out->has_priority = true;
  } else if (IS("sync_domain")) out->sync_domain = read_domain(L, kernel, key);
  else return false;
  return true;
}

static void note_extras (lcu_launch_extras *e) {
  e->any = e->cluster[0] != 0 || e->programmatic || e->has_priority || e->sync_domain != 0;
}

/* One pair at the top of the stack: key, value. False for an unknown key. */
static bool read_rare (lua_State *L, const char *kernel, const char *key, size_t len, bool timing,
                       lcul_request *out) {
  int value = lua_gettop(L);
  if (IS("stream")) read_stream(L, kernel, out);
  else if (IS("shared")) out->shared = (uint32_t)read_integer(L, kernel, key, value, 0, INT32_MAX);
  else if (IS("cooperative")) out->cooperative = read_bool(L, kernel, key);
  else if (IS("ordered")) out->ordered = read_bool(L, kernel, key);
  else if (read_extra(L, kernel, key, len, &out->extras)) note_extras(&out->extras);
  else if (timing && IS("runs")) out->runs = (int)read_integer(L, kernel, key, value, 1, 1000000);
  else if (timing && IS("warmup"))
    out->warmup = (int)read_integer(L, kernel, key, value, 0, 1000000);
  else return false;
  return true;
}

static inline bool read_pair (lua_State *L, const char *kernel, const char *key, size_t len,
                              bool timing, lcul_request *out) {
  if (IS("grid")) {
    read_dims(L, kernel, key, out->grid);
    return out->has_grid = true;
  }
  if (IS("block")) {
    read_dims(L, kernel, key, out->block);
    return out->has_block = true;
  }
  if (!IS("threads")) return read_rare(L, kernel, key, len, timing, out);
  read_threads(L, kernel, out);
  return true;
}

static inline void read_option (lua_State *L, const char *kernel, bool timing, lcul_request *out) {
  size_t len;
  const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tolstring(L, -2, &len) : NULL;
  if (lcu_unlikely(key == NULL || !read_pair(L, kernel, key, len, timing, out)))
    unknown_key(L, kernel, timing);
}

void lcul_request_option (lua_State *L, const char *kernel, lcul_request *out) {
  read_option(L, kernel, false, out);
}

/* Needs no luaL_checkstack: the few values fit the stack that every C function has. */
static inline void read_table (lua_State *L, int idx, const char *kernel, bool timing,
                               lcul_request *out) {
  if (!lua_istable(L, idx)) {
    char got[128];
    lcul_misuse(L, "%s: expected a launch table such as { threads = n } first, got %s", kernel,
                lcul_describe(L, idx, got, sizeof got));
  }
  lua_pushnil(L);
  while (lua_next(L, idx) != 0) {
    read_option(L, kernel, timing, out);
    lua_pop(L, 1);
  }
  if (out->has_grid && out->has_threads)
    lcul_misuse(L, "%s: launch: 'grid' and 'threads' exclude each other", kernel);
}

static inline void check_block (lua_State *L, const char *kernel, const lcul_request *r) {
  if (r->has_grid && !r->has_block) lcul_misuse(L, "%s: launch: 'grid' needs 'block'", kernel);
}

void lcul_request_read (lua_State *L, int idx, const char *kernel, bool timing, lcul_request *out) {
  lcul_request_clear(out);
  read_table(L, idx, kernel, timing, out);
  check_block(L, kernel, out);
  out->chosen = out->has_threads && !out->has_block;
  if (lcu_likely(out->has_grid || out->has_threads)) return;
  if (!out->has_block)
    lcul_misuse(L, "%s: launch: expected 'grid' and 'block', or 'threads'", kernel);
  for (int i = 0; i < 3; i++) out->grid[i] = 1;
  out->has_grid = true;
}

void lcul_request_change (lua_State *L, int idx, const char *kernel, const lcu_config *from,
                          bool chosen, lcul_request *out) {
  lcul_request_clear(out);
  memcpy(out->block, from->block, sizeof out->block);
  out->shared = from->shared;
  out->cooperative = from->cooperative;
  out->ordered = from->ordered;
  out->extras = from->extras;
  read_table(L, idx, kernel, false, out);
  bool none = from->block[0] == 0;
  out->chosen = !out->has_block && (chosen || none);
  if (!none && !(chosen && out->has_threads)) out->has_block = true;
  check_block(L, kernel, out);
  if (out->has_grid || out->has_threads) return;
  if (memcmp(out->block, from->block, sizeof out->block) != 0)
    lcul_misuse(L, "%s: launch: another 'block' needs 'grid' or 'threads'", kernel);
  memcpy(out->grid, from->grid, sizeof out->grid);
  out->has_grid = from->grid[0] != 0;
}

static uint32_t blocks_for (lua_State *L, const lcu_function *f, const lcul_request *r, int axis,
                            uint32_t block) {
  uint64_t n = r->threads[axis] / block + (r->threads[axis] % block != 0);
  if (n > (uint64_t)f->device->limits.max_grid[axis])
    lcul_misuse(L,
                "%s: launch: %" PRIu64 " threads along %c make %" PRIu64
                " blocks of %u, more than the %d that %s allows",
                f->name, r->threads[axis], "xyz"[axis], n, block,
                f -> device -> limits.max_grid[axis], f->device->label);
  return (uint32_t)n;
}

static uint32_t round_up (uint32_t n, uint32_t to) { return (n + to - 1) / to * to; }

/* A grid is a multiple of its clusters. */
static void round_to_clusters (const lcu_function *f, lcu_config *c) {
  const uint32_t *size = c->extras.cluster[0] != 0 ? c->extras.cluster : f->cluster;
  for (int i = 0; i < 3; i++)
    if (size[i] > 1) c->grid[i] = round_up(c->grid[i], size[i]);
}

bool lcul_request_config (lua_State *L, const lcul_request *r, lcu_function *f, lcu_config *out) {
  memcpy(out->block, r->block, sizeof out->block);
  memcpy(out->grid, r->grid, sizeof out->grid);
  out->extras = r->extras;
  out->shared = r->shared;
  out->cooperative = r->cooperative || f->cooperative;
  out->ordered = r->ordered;
  out->settable = true;
  if (r->has_threads) {
    if (r->threads[0] == 0 || r->threads[1] == 0 || r->threads[2] == 0) return false;
    if (!r->has_block) lcul_suggest_block(L, r, f, out->block);
    for (int i = 0; i < 3; i++) out->grid[i] = blocks_for(L, f, r, i, out->block[i]);
    round_to_clusters(f, out);
  }
  lcu_status s = lcu_launch_check(f, out);
  if (s == LCU_E_ARGUMENT) lcul_misuse(L, "%s", lcu_failure_get()->message);
  lcul_status(L, s);
  return true;
}
