/* lcul_position.c: the position of the user's own code. */
#include "lcul_position.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lcu_caller.h"
#include "lcul_set.h"
#include "lcul_state.h"

bool lcul_is_own (const lcul_state *st, const lua_Debug *ar) {
  return st != NULL && st->home[0] != '\0' && strncmp(ar->source, st->home, strlen(st->home)) == 0;
}

/* The innermost level that is the user's own code. */
static bool find_caller (lua_State *L, lua_Debug *ar, int level) {
  const lcul_state *st = lcul_getstate(L);
  for (; lua_getstack(L, level, ar); level++) {
    lua_getinfo(L, "Sl", ar);
    if (ar->currentline > 0 && !lcul_is_own(st, ar)) return true;
  }
  return false;
}

void lcul_where (lua_State *L) {
  lua_Debug ar;
  if (find_caller(L, &ar, 1)) lua_pushfstring(L, "%s:%d: ", ar.short_src, ar.currentline);
  else lua_pushliteral(L, "");
}

void lcul_note_caller (lua_State *L, const lcu_device *d, bool builder) {
  lua_Debug ar;
  if (lcu_likely(d->drv->cuxTakeFault == NULL)) return;
  lcu_caller.place[0] = '\0';
  if (!builder && (!lua_getstack(L, 1, &ar) || !lua_getinfo(L, "S", &ar) ||
                   !lcul_is_own(lcul_getstate(L), &ar)))
    return;
  if (find_caller(L, &ar, 1))
    snprintf(lcu_caller.place, sizeof lcu_caller.place, "%s:%d", ar.short_src, ar.currentline);
}

static int misuse_text (lua_State *L, const char *text) {
  lcul_where(L);
  lua_pushstring(L, text);
  lua_concat(L, 2);
  return lua_error(L);
}

int lcul_misuse (lua_State *L, const char *fmt, ...) {
  char text[LCU_MESSAGE_SIZE];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  return misuse_text(L, text);
}

/* misuse(text): raises a string that begins with the position of the user's own code. */
static int core_misuse (lua_State *L) { return misuse_text(L, luaL_checkstring(L, 1)); }

/* where() -> "file:line: " of the user's own code, or "" */
static int core_where (lua_State *L) {
  lcul_where(L);
  return 1;
}

void lcul_open_position (lua_State *L) {
  static const luaL_Reg functions[] = { { "misuse", core_misuse },
                                        { "where", core_where },
                                        { NULL, NULL } };
  lcul_setfuncs(L, functions);
}
