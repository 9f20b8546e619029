/* lcul_near.c: near names, by the Damerau-Levenshtein distance. */
#include "lcul_near.h"

#include <stdio.h>
#include <string.h>

#include "lcu_text.h"
#include "lcul_check.h"
#include "lcul_library.h"
#include "lcul_set.h"

enum { LONGEST = 48, MOST = 3 };

static size_t least (size_t a, size_t b, size_t c) {
  size_t m = a < b ? a : b;
  return m < c ? m : c;
}

/* Damerau-Levenshtein distance (adjacent swaps count once), ignoring case; SIZE_MAX for long
 * names. */
static size_t distance (const char *a, const char *b) {
  size_t na = strlen(a), nb = strlen(b), rows[3][LONGEST + 1];
  if (na > LONGEST || nb > LONGEST) return SIZE_MAX;
  size_t *before = rows[0], *last = rows[1], *now = rows[2];
  for (size_t j = 0; j <= nb; j++) last[j] = j;
  for (size_t i = 1; i <= na; i++) {
    now[0] = i;
    for (size_t j = 1; j <= nb; j++) {
      size_t cost = lcul_lower(a[i - 1]) != lcul_lower(b[j - 1]);
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

/* The distance when it is at most a third of the name's letters, else SIZE_MAX. A candidate that
 * begins with the name counts as near. */
static size_t far (const char *name, const char *candidate) {
  size_t d = distance(name, candidate), n = strlen(name);
  if (n >= 3 && strncmp(candidate, name, n) == 0) return 1;
  return d <= 1 + n / 3 ? d : SIZE_MAX;
}

typedef struct near_list {
  const char *name[MOST];
  size_t at[MOST];
  size_t n;
} near_list;

/* Keeps the nearest few in order, each name once. */
static void keep_near (near_list *l, const char *name, size_t at) {
  for (size_t i = 0; i < l->n; i++)
    if (strcmp(l->name[i], name) == 0) return;
  size_t i = l->n < MOST ? l->n++ : MOST;
  while (i > 0 && (l->at[i - 1] > at || (l->at[i - 1] == at && strcmp(l->name[i - 1], name) > 0))) {
    if (i < MOST) {
      l->name[i] = l->name[i - 1];
      l->at[i] = l->at[i - 1];
    }
    i--;
  }
  if (i < MOST) {
    l->name[i] = name;
    l->at[i] = at;
  }
}

static void add_near (lcu_text *t, const near_list *l) {
  for (size_t i = 0; i < l->n; i++) {
    const char *before = i == 0 ? "; did you mean " : i + 1 == l->n ? " or " : ", ";
    lcu_text_add(t, "%s'%s'", before, l->name[i]);
  }
  lcu_text_add(t, "?");
}

static void add_all (lcu_text *t, const char *all, const char *const names[], size_t n) {
  lcu_text_add(t, "; %s", all);
  for (size_t i = 0; i < n; i++)
    if (names[i] != NULL) lcu_text_add(t, "%s%s", i == 0 ? " " : ", ", names[i]);
}

const char *lcul_near (const char *name, const char *const names[], size_t n, const char *all,
                       char *buf, size_t size) {
  near_list l = { .n = 0 };
  lcu_text t = lcu_text_in(buf, size);
  for (size_t i = 0; i < n; i++) {
    size_t at = names[i] != NULL ? far(name, names[i]) : SIZE_MAX;
    if (at != SIZE_MAX) keep_near(&l, names[i], at);
  }
  if (l.n > 0) add_near(&t, &l);
  else if (all != NULL) add_all(&t, all, names, n);
  return buf;
}

/* Pushes the sentence for a foreign name, or nil. */
static void push_sentence (lua_State *L, const char *place, const char *name) {
  lcul_push_library(L, "luacuda.base.foreign");
  lua_getfield(L, -1, "sentence");
  lua_replace(L, -2);
  lua_pushstring(L, place);
  lua_pushstring(L, name);
  lua_call(L, 2, 1);
}

const char *lcul_hint (lua_State *L, const char *place, const char *name, const char *const names[],
                       size_t n, const char *all, char *buf, size_t size) {
  luaL_checkstack(L, 5, NULL);
  push_sentence(L, place, name);
  const char *sentence = lua_tostring(L, -1);
  if (sentence == NULL) lcul_near(name, names, n, all, buf, size);
  else snprintf(buf, size, ": %s", sentence);
  lua_pop(L, 1);
  return buf;
}

/* The list anchors a string, but not the text of a number. */
static const char *candidate (lua_State *L, int idx) {
  luaL_checktype(L, idx, LUA_TSTRING);
  return lua_tostring(L, idx);
}

/* core.near(name, candidates [, place]) -> ": <sentence>" for a foreign name of the place, or
 * "; did you mean 'x'?", or "" */
static int core_near (lua_State *L) {
  char hint[LCUL_HINT_SIZE];
  const char *name = luaL_checkstring(L, 1);
  const char *place = luaL_optstring(L, 3, "");
  lua_settop(L, 3);
  size_t n;
  const char **list = lcul_string_list(L, 2, &n, candidate);
  lua_pushstring(L, lcul_hint(L, place, name, list, n, NULL, hint, sizeof hint));
  return 1;
}

void lcul_open_near (lua_State *L) {
  static const luaL_Reg functions[] = { { "near", core_near }, { NULL, NULL } };
  lcul_setfuncs(L, functions);
}
