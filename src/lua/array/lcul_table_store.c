/* lcul_table_store.c: Lua tables to elements. One loop per dtype, made from dtype.def; values that
 * are not plain take the slow path, which has all rules and all messages. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_describe.h"
#include "lcul_list.h"
#include "lcul_scalar.h"
#include "lcul_shape.h"
#include "lcul_struct_value.h"
#include "lcul_table.h"
#include "lcul_typed.h"


/* ---- where in the data: "[2][3]" ---- */

typedef struct cursor {
  const char *fn;
  int arg;
  bool guessed; /* the library chose the dtype, not the user */
  const lcu_dtype *dtype;
  int depth;
  int64_t path[LCUL_MAX_DIMS];
} cursor;

static const char *path_text (const cursor *c, char *buf, size_t size) {
  size_t at = 0;
  buf[0] = 0;
  for (int i = 0; i < c->depth && at + 24 < size; i++)
    at += (size_t)snprintf(buf + at, size - at, "[%lld]", (long long)c->path[i]);
  return buf;
}

static int fail_at (lua_State *L, const cursor *c, const char *words) {
  char path[256];
  return lcul_fail_arg(L, c->fn, c->arg, "data", "%s%s%s", path_text(c, path, sizeof path),
                       c->depth ? ": " : "", words);
}


/* ---- shapes of nested tables ---- */

/* Tables with metamethods are read through them. */
static int64_t length_of (lua_State *L, int idx) {
  return lcul_is_plain(L, idx) ? (int64_t)lua_rawlen(L, idx) : (int64_t)luaL_len(L, idx);
}

static int get_item (lua_State *L, int idx, int64_t i) {
  return lcul_is_plain(L, idx) ? lua_rawgeti(L, idx, i) : lua_geti(L, idx, i);
}

/* Is the table at idx one struct? It is if it has named fields, or is a list that does not begin
 * with another list. */
static bool is_struct_value (lua_State *L, int idx) {
  int type = get_item(L, idx, 1);
  bool record = lcul_test(L, -1, LCUL_RECORD) != NULL;
  lua_pop(L, 1);
  if (type == LUA_TTABLE || type == LUA_TSTRING || record) return false;
  if (type != LUA_TNIL) return true;
  lua_pushnil(L);
  if (!lua_next(L, idx)) return false;
  lua_pop(L, 2);
  return true;
}

static const lcu_dtype *guess_dtype (lua_State *L, int idx) {
  if (lua_type(L, idx) == LUA_TBOOLEAN) return &lcu_dtypes[LCU_BOOL];
  if (lcul_test(L, idx, LCUL_COMPLEX) != NULL) return &lcu_dtypes[LCU_COMPLEX64];
  const lcul_typed *v = lcul_test(L, idx, LCUL_SCALAR);
  return v != NULL ? v->dtype : &lcu_dtypes[LCU_FLOAT32];
}

enum { FEW = 1024 };

/* Lua may find the end of a list with a hole early; elements after it would be lost. In a long
 * list, only keys after n in the table's order are checked. */
static void check_end (lua_State *L, const cursor *c, int idx, int64_t n) {
  char words[128];
  if (!lcul_is_plain(L, idx)) return;
  if (n < FEW && c->depth == 0) lua_pushnil(L);
  else lua_pushinteger(L, n);
  while (lua_next(L, idx)) {
    lua_pop(L, 1);
    if (!lua_isinteger(L, -1) || lua_tointeger(L, -1) <= n) continue;
    snprintf(words, sizeof words, "[%lld] is after the end of the list of %lld elements",
             (long long)lua_tointeger(L, -1), (long long)n);
    fail_at(L, c, words);
  }
}

static void check_keys (lua_State *L, const cursor *c, int idx) {
  lua_pushnil(L);
  if (!lua_next(L, idx)) return;
  lua_pop(L, 2);
  fail_at(L, c, "expected a list, got a table without [1]");
}

/* The first list of each level decides; the others are checked when they are read. */
void lcul_table_shape (lua_State *L, int idx, const lcu_dtype *t, const char *fn, int arg,
                       lcul_shape *out, const lcu_dtype **guess) {
  cursor c = { .fn = fn, .arg = arg };
  int top = lua_gettop(L);
  luaL_checkstack(L, LCUL_MAX_DIMS + 8, fn);
  out->ndim = 0;
  lua_pushvalue(L, idx);
  while (lua_type(L, -1) == LUA_TTABLE) {
    if (t != NULL && t->kind == LCU_KIND_STRUCT && is_struct_value(L, lua_gettop(L))) break;
    if (out->ndim == LCUL_MAX_DIMS)
      lcul_fail_arg(L, fn, arg, "data", "tables nested deeper than %d axes", LCUL_MAX_DIMS);
    int64_t n = length_of(L, -1);
    if (n < 0) fail_at(L, &c, "its length is negative");
    if (n == 0) check_keys(L, &c, lua_gettop(L));
    else check_end(L, &c, lua_gettop(L), n);
    out->dims[out->ndim++] = n;
    c.path[c.depth++] = 1;
    if (n == 0) lua_pushnil(L);
    else get_item(L, -1, 1);
  }
  if (guess != NULL) *guess = guess_dtype(L, -1);
  lua_settop(L, top);
}


/* ---- storing: the slow path; the value is at the top of the stack ---- */

static void fail_misfit (lua_State *L, const cursor *c, lcul_fit fit) {
  char why[224], words[320];
  lcul_scalar_why(L, -1, c->dtype, fit, why, sizeof why);
  bool ask = c->guessed && lua_type(L, -1) != LUA_TNIL && lua_type(L, -1) != LUA_TTABLE &&
             lua_type(L, -1) != LUA_TSTRING;
  snprintf(words, sizeof words, "%s%s", why, ask ? "; give a dtype" : "");
  fail_at(L, c, words);
}

/* Without a dtype given, a float32 array must hold the integers it was made from. */
static void check_exact (lua_State *L, const cursor *c) {
  int64_t i = lua_tointeger(L, -1);
  char words[160];
  float f = (float)i;
  if (f < 0x1p63f && (int64_t)f == i) return;
  snprintf(words, sizeof words,
           "float32, the default, cannot hold the integer %lld; give a dtype, such as \"int64\" or "
           "\"float64\"",
           (long long)i);
  fail_at(L, c, words);
}

static void store_slowly (lua_State *L, const cursor *c, void *p) {
  lcu_scalar v;
  if (c->dtype->kind == LCU_KIND_STRUCT) {
    char what[320], path[256];
    snprintf(what, sizeof what, "%s: argument %d 'data': %s", c->fn, c->arg,
             path_text(c, path, sizeof path));
    lcul_element_store(L, c->dtype, lua_gettop(L), p, what, NULL);
    return;
  }
  lcul_fit fit = lcul_scalar_get(L, -1, c->dtype, &v);
  if (fit != LCUL_FITS) fail_misfit(L, c, fit);
  if (c->guessed && c->dtype->id == LCU_FLOAT32 && lua_isinteger(L, -1)) check_exact(L, c);
  lcu_dtype_store(c->dtype, p, &v);
}


/* ---- the fast paths, for the value at stack index `at`; false: take the slow path ---- */

static inline bool fast_float32 (lua_State *L, int at, int type, char *p) {
  if (lcu_unlikely(type != LUA_TNUMBER)) return false;
  double d = lua_tonumber(L, at);
  /* large integers could be rounded twice here, or must be refused */
  if (lcu_unlikely(!(fabs(d) <= 0x1p24) && (!(fabs(d) <= (double)FLT_MAX) || lua_isinteger(L, at))))
    return false;
  float f = (float)d;
  memcpy(p, &f, sizeof f);
  return true;
}

static inline bool fast_float64 (lua_State *L, int at, int type, char *p) {
  if (lcu_unlikely(type != LUA_TNUMBER)) return false;
  double d = lua_tonumber(L, at);
  memcpy(p, &d, sizeof d);
  return true;
}

/* The slow path accepts negative values for uint64, which are taken as bits. */
#define FAST_INTEGER(storage, signed_kind) \
  if (lcu_likely(types[j] == LUA_TNUMBER)) { \
    int whole; \
    int64_t i = lua_tointegerx(L, at, &whole); \
    storage x = (storage)i; \
    if (lcu_likely(whole && (int64_t)x == i && ((signed_kind) || i >= 0))) { \
      memcpy(p, &x, sizeof x); \
      continue; \
    } \
  }

#define FAST_BOOL(ID, storage) \
  if (types[j] == LUA_TBOOLEAN) { \
    *p = (char)lua_toboolean(L, at); \
    continue; \
  }
#define FAST_INT(ID, storage) FAST_INTEGER(storage, true)
#define FAST_UINT(ID, storage) FAST_INTEGER(storage, false)
#define FAST_FLOAT(ID, storage) \
  if (LCU_##ID == LCU_FLOAT32 && fast_float32(L, at, types[j], p)) continue; \
  if (LCU_##ID == LCU_FLOAT64 && fast_float64(L, at, types[j], p)) continue;
#define FAST_COMPLEX(ID, storage)

static void store_slowly_at (lua_State *L, cursor *c, int at, int64_t k, char *p) {
  c->path[c->depth - 1] = k;
  lua_pushvalue(L, at);
  store_slowly(L, c, p);
  lua_pop(L, 1);
}

enum { RUN = 32 }; /* values on the stack at a time */

/* The n values from stack index `first` on, elements k, k + 1, ... of their row. */
static void store_run (lua_State *L, cursor *c, int first, const int *types, int n, int64_t k,
                       char *p) {
  size_t size = c->dtype->size;
  switch (c->dtype->id) {
#define LCU_DTYPE(ID, kind, size_, storage, ...) \
  case LCU_##ID: \
    for (int j = 0; j < n; j++, p += sizeof(char[size_])) { \
      int at = first + j; \
      FAST_##kind(ID, storage) store_slowly_at(L, c, at, k + j, p); \
    } \
    break;
#include "dtype.def"
#undef LCU_DTYPE
    default:
      for (int j = 0; j < n; j++, p += size) store_slowly_at(L, c, first + j, k + j, p);
  }
}

/* One row of n values, table at idx. */
static void store_row (lua_State *L, cursor *c, int idx, int64_t n, char *p) {
  bool plain = lcul_is_plain(L, idx);
  int types[RUN], top = lua_gettop(L);
  for (int64_t k = 1; k <= n; k += RUN) {
    int now = n - k + 1 < RUN ? (int)(n - k + 1) : RUN;
    for (int j = 0; j < now; j++)
      types[j] = lcu_likely(plain) ? lua_rawgeti(L, idx, k + j) : lua_geti(L, idx, k + j);
    store_run(L, c, top + 1, types, now, k, p);
    lua_settop(L, top);
    p += (int64_t)c->dtype->size * now;
  }
}


/* ---- nested tables ---- */

static void fail_ragged (lua_State *L, const cursor *c, int64_t got, int64_t want) {
  char words[128];
  snprintf(words, sizeof words, "ragged: a list of %lld elements where the others have %lld",
           (long long)got, (long long)want);
  fail_at(L, c, words);
}

static void check_list (lua_State *L, const cursor *c, const lcul_shape *s) {
  char words[192], got[96];
  if (lua_type(L, -1) != LUA_TTABLE) {
    snprintf(words, sizeof words, "ragged: expected a list of %lld elements, got %s",
             (long long)s->dims[c->depth], lcul_describe(L, -1, got, sizeof got));
    fail_at(L, c, words);
  }
  int64_t n = length_of(L, -1);
  if (n != s->dims[c->depth]) fail_ragged(L, c, n, s->dims[c->depth]);
  if (n > 0 && c->depth > 0) check_end(L, c, lua_gettop(L), n);
}

/* The table at the top of the stack, axis c->depth. The depth of the recursion is the number of
 * axes, at most 16. */
static char *store_table (lua_State *L, cursor *c, const lcul_shape *s, char *p) {
  int idx = lua_gettop(L), axis = c->depth;
  int64_t n = s->dims[axis];
  check_list(L, c, s);
  c->depth++;
  if (axis + 1 == s->ndim) {
    store_row(L, c, idx, n, p);
    p += n * c->dtype->size;
  } else {
    for (int64_t k = 1; k <= n; k++) {
      c->path[axis] = k;
      get_item(L, idx, k);
      p = store_table(L, c, s, p);
      lua_pop(L, 1);
    }
  }
  c->depth--;
  return p;
}

void lcul_table_store (lua_State *L, int idx, const lcul_shape *s, const lcu_dtype *t, char *data,
                       const char *fn, int arg, bool guessed) {
  cursor c = { .fn = fn, .arg = arg, .guessed = guessed, .dtype = t };
  luaL_checkstack(L, LCUL_MAX_DIMS + RUN + 8, fn);
  lua_pushvalue(L, idx);
  if (s->ndim == 0) store_slowly(L, &c, data);
  else store_table(L, &c, s, data);
  lua_pop(L, 1);
}
