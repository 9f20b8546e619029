/* lcul_aux_option.c: option tables, near names, and what the collector and cuda.no_sync are
 * told. */
#include <stdio.h>
#include <string.h>

#include "lcul_aux.h"


/* ---- near names ---- */

enum { NAME_MAX_ = 48, NEAR_MAX = 3 };

static size_t least (size_t a, size_t b, size_t c) {
  size_t m = a < b ? a : b;
  return m < c ? m : c;
}

static char lower (char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

/* Damerau-Levenshtein distance (adjacent swaps count once), case ignored; long names are as far as
 * can be. */
static size_t distance (const char *a, const char *b) {
  size_t na = strlen(a), nb = strlen(b), rows[3][NAME_MAX_ + 1];
  if (na > NAME_MAX_ || nb > NAME_MAX_) return SIZE_MAX;
  size_t *before = rows[0], *last = rows[1], *now = rows[2];
  for (size_t j = 0; j <= nb; j++) last[j] = j;
  for (size_t i = 1; i <= na; i++) {
    now[0] = i;
    for (size_t j = 1; j <= nb; j++) {
      size_t cost = lower(a[i - 1]) != lower(b[j - 1]);
      now[j] = least(last[j] + 1, now[j - 1] + 1, last[j - 1] + cost);
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        now[j] = least(now[j], before[j - 2] + 1, SIZE_MAX);
    }
    size_t *t = before;
    before = last;
    last = now;
    now = t;
  }
  return last[nb];
}

/* How far a name may be from the one meant: a third of its letters; a whole beginning counts as
 * near. */
static size_t far (const char *name, const char *candidate) {
  size_t d = distance(name, candidate), n = strlen(name);
  if (n >= 3 && strncmp(candidate, name, n) == 0) return 1;
  return d <= 1 + n / 3 ? d : SIZE_MAX;
}

typedef struct near_list {
  const char *name[NEAR_MAX];
  size_t at[NEAR_MAX];
  size_t n;
} near_list;

/* Keeps the nearest few in order; equal names once. */
static void keep_near (near_list *l, const char *name, size_t at) {
  for (size_t i = 0; i < l->n; i++)
    if (strcmp(l->name[i], name) == 0) return;
  size_t i = l->n < NEAR_MAX ? l->n++ : NEAR_MAX;
  while (i > 0 && (l->at[i - 1] > at || (l->at[i - 1] == at && strcmp(l->name[i - 1], name) > 0))) {
    if (i < NEAR_MAX) {
      l->name[i] = l->name[i - 1];
      l->at[i] = l->at[i - 1];
    }
    i--;
  }
  if (i < NEAR_MAX) {
    l->name[i] = name;
    l->at[i] = at;
  }
}

void lcul_near (lcu_buf *out, const char *name, const char *const candidates[], size_t n) {
  near_list l = { .n = 0 };
  for (size_t i = 0; i < n; i++) {
    size_t at = candidates[i] != NULL ? far(name, candidates[i]) : SIZE_MAX;
    if (at != SIZE_MAX) keep_near(&l, candidates[i], at);
  }
  for (size_t i = 0; i < l.n; i++)
    lcu_buf_addf(out, "%s'%s'",
                 i == 0         ? "; did you mean "
                 : i + 1 == l.n ? " or "
                                : ", ",
                 l.name[i]);
  if (l.n > 0) lcu_buf_adds(out, "?");
}


/* ---- option tables ---- */

static int unknown_option (lua_State *L, const char *what, const char *key,
                           const char *const names[]) {
  lcu_buf b = { 0 };
  char text[512];
  size_t n = 0;
  while (names[n] != NULL) n++;
  lcul_near(&b, key, names, n);
  if (b.len == 0) {
    lcu_buf_adds(&b, n == 0 ? "; there are no options" : "; options are ");
    for (size_t i = 0; i < n; i++) lcu_buf_addf(&b, "%s%s", i == 0 ? "" : ", ", names[i]);
  }
  snprintf(text, sizeof text, "%s", b.data != NULL && !b.failed ? b.data : "");
  lcu_buf_free(&b);
  return lcul_misuse(L, "%s: unknown option '%s'%s", what, key, text);
}

static bool listed (const char *key, size_t len, const char *const names[]) {
  for (size_t i = 0; names[i] != NULL; i++)
    if (strlen(names[i]) == len && memcmp(names[i], key, len) == 0) return true;
  return false;
}

bool lcul_options (lua_State *L, int idx, const char *what, const char *const names[]) {
  char got[96];
  if (lua_isnoneornil(L, idx)) return false;
  if (lua_type(L, idx) != LUA_TTABLE)
    lcul_misuse(L, "%s: expected a table of options, got %s", what,
                lcul_describe(L, idx, got, sizeof got));
  idx = lua_absindex(L, idx);
  lua_pushnil(L);
  while (lua_next(L, idx) != 0) {
    lua_pop(L, 1);
    if (lua_type(L, -1) != LUA_TSTRING)
      lcul_misuse(L, "%s: option names are strings, got a %s", what, luaL_typename(L, -1));
    if (!listed(lua_tostring(L, -1), lua_rawlen(L, -1), names))
      unknown_option(L, what, lua_tostring(L, -1), names);
  }
  return true;
}

/* Pushes the option; false (and nothing pushed) when it is not given. */
static bool option (lua_State *L, int idx, const char *name) {
  if (lua_type(L, idx) != LUA_TTABLE) return false;
  if (lua_getfield(L, idx, name) != LUA_TNIL) return true;
  lua_pop(L, 1);
  return false;
}

static int wrong_option (lua_State *L, const char *name, const char *expected) {
  char got[96];
  lcul_describe(L, -1, got, sizeof got);
  return lcul_misuse(L, "%s: option '%s': expected %s, got %s", lcul_callee(L), name, expected,
                     got);
}

bool lcul_opt_bool (lua_State *L, int idx, const char *name, bool def) {
  if (!option(L, idx, name)) return def;
  if (!lua_isboolean(L, -1)) wrong_option(L, name, "a boolean");
  bool v = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return v;
}

static void outside (lua_State *L, const char *name, lua_Integer v, lua_Integer lo,
                     lua_Integer hi) {
  const char *fn = lcul_callee(L);
  if (hi < INT64_MAX / 4)
    lcul_misuse(L, "%s: option '%s': %lld is outside %lld to %lld", fn, name, (long long)v,
                (long long)lo, (long long)hi);
  lcul_misuse(L, "%s: option '%s': expected %s%lld%s, got %lld", fn, name, v < lo ? "" : "at most ",
              (long long)(v < lo ? lo : hi), v < lo ? " or more" : "", (long long)v);
}

lua_Integer lcul_opt_integer (lua_State *L, int idx, const char *name, lua_Integer def,
                              lua_Integer lo, lua_Integer hi) {
  int ok = 0;
  if (!option(L, idx, name)) return def;
  lua_Integer v = lua_type(L, -1) == LUA_TNUMBER ? lua_tointegerx(L, -1, &ok) : 0;
  if (!ok) wrong_option(L, name, "an integer");
  if (v < lo || v > hi) outside(L, name, v, lo, hi);
  lua_pop(L, 1);
  return v;
}

const char *lcul_opt_string (lua_State *L, int idx, const char *name, const char *def) {
  if (!option(L, idx, name)) return def;
  if (lua_type(L, -1) != LUA_TSTRING) wrong_option(L, name, "a string");
  const char *v = lcul_whole_string(L, -1);
  lua_pop(L, 1);
  return v;
}

lcu_stream *lcul_opt_stream (lua_State *L, int idx, lcu_device *d) {
  if (!option(L, idx, "stream")) return lcul_stream_current(L, d);
  if (lcul_test(L, -1, LCUL_STREAM) == NULL) wrong_option(L, "stream", "a Stream");
  lcu_stream *s = lcul_stream_check(L, -1);
  if (s->device != d)
    lcul_misuse(L, "%s: option 'stream': the stream belongs to %s, the work to %s", lcul_callee(L),
                s->device->label, d->label);
  lua_pop(L, 1);
  return s;
}

lcu_device *lcul_opt_device (lua_State *L, int idx) {
  if (!option(L, idx, "device")) return lcul_device_current(L);
  lcu_device *d = lcul_device_arg(L, -1);
  lua_pop(L, 1);
  return d;
}


/* ---- the collector and waits ---- */

enum { BLOCK_WEIGHT = 16 * 1024, STEPS = 16 };
#define BUDGET_MIN ((size_t)64 << 20)

/* Bytes that may be allocated in the time the collector needs for one cycle: more when much is in
 * use anyway, and more when a cycle is dear because the Lua heap is large. */
static size_t budget (size_t heap) {
  size_t b = BUDGET_MIN, live = lcu_block_live_bytes();
  if (b < live / 2) b = live / 2;
  return b < heap * 8 ? heap * 8 : b;
}

static void collector_step (lua_State *L, size_t bytes) {
#if LUA_VERSION_NUM >= 505
  lua_gc(L, LUA_GCSTEP, bytes);
#else
  lua_gc(L, LUA_GCSTEP, (int)(bytes / 1024 + 1 < INT32_MAX ? bytes / 1024 + 1 : INT32_MAX));
#endif
}

/* A cycle begins once the heap has doubled (the usual pause) and then costs little debt, so one
 * heap of debt and a bit make one. */
void lcul_gc_account (lua_State *L, size_t bytes) {
  lcul_state *st = lcul_getstate(L);
  if (bytes > SIZE_MAX / 2 - BLOCK_WEIGHT - st->gc_debt)
    bytes = SIZE_MAX / 2 - BLOCK_WEIGHT - st->gc_debt;
  st->gc_debt += bytes + BLOCK_WEIGHT;
  if (lcu_likely(st->gc_debt < st->gc_step)) return;
  size_t heap = (size_t)lua_gc(L, LUA_GCCOUNT) * 1024, limit = budget(heap), debt = st->gc_debt;
  st->gc_debt = 0;
  st->gc_step = limit / STEPS;
  if (!lua_gc(L, LUA_GCISRUNNING)) return;
  double part = (double)debt / (double)limit;
  collector_step(L, (size_t)(1.2 * (double)heap * (part < 1 ? part : 1)));
}

void lcul_gc_repay (lua_State *L, size_t bytes) {
  lcul_state *st = lcul_getstate(L);
  bytes += BLOCK_WEIGHT;
  st->gc_debt -= bytes < st->gc_debt ? bytes : st->gc_debt;
}

/* The collector answers nothing while it runs a finalizer. */
bool lcul_in_finalizer (lua_State *L) { return lua_gc(L, LUA_GCISRUNNING) < 0; }

void lcul_sync_allowed (lua_State *L, const char *what) {
  lcul_work_for(lcul_getstate(L));
  if (lcu_likely(lcul_getstate(L)->no_sync == 0)) return;
  lcul_raise(L, "logic", "%s waits for the device, which cuda.no_sync forbids", what);
}
