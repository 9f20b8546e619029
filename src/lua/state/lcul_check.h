/* lcul_check.h: checked arguments, and messages about wrong ones. */
#ifndef LCUL_CHECK_H
#define LCUL_CHECK_H

#include <lua.h>

#include "lcul_class.h"

/* The object at idx; raises "expected Array, got number" for anything else. Closed objects pass:
 * each class checks for them. */
void *lcul_check (lua_State *L, int idx, lcul_class id);

/* The public name of the function that user code called ("zeros", "fill"), for messages; slow. */
const char *lcul_callee (lua_State *L);

/* Each raises "fill: argument 1: expected a string, got nil". Strings are never taken as numbers,
 * nor numbers as strings. */
int lcul_wrong_type (lua_State *L, int arg, const char *expected);
const char *lcul_check_string (lua_State *L, int arg);
void lcul_check_table (lua_State *L, int arg);
void lcul_check_any (lua_State *L, int arg);
/* Raises when there are more than n arguments, including the object of a method. */
void lcul_check_most (lua_State *L, int n);
/* The string at idx; raises when it holds a zero byte, which would end it early in C. */
const char *lcul_whole_string (lua_State *L, int idx);
/* Pushes a userdata with the strings of the list at idx, and NULL after the last; the list anchors
 * them. `check` is called for each item: lcul_whole_string, or one that takes more. */
const char **lcul_string_list (lua_State *L, int idx, size_t *n,
                               const char *(*check)(lua_State *L, int idx));
/* The integer at idx: a number with an integer value, never a string. */
static inline bool lcul_to_integer (lua_State *L, int idx, lua_Integer *out) {
  int integral = 0;
  if (lua_type(L, idx) == LUA_TNUMBER) *out = lua_tointegerx(L, idx, &integral);
  return integral != 0;
}

/* Raises "<fn>: argument <arg> '<param>': <words>". */
int lcul_fail_arg (lua_State *L, const char *fn, int arg, const char *param, const char *fmt, ...)
  LCU_PRINTF(5, 6);

#endif
