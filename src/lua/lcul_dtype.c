/* lcul_dtype.c: an element type as an argument: a name of dtype.def or a struct type. */
#include <stdio.h>

#include "lcul_struct.h"

static void unknown_dtype (lua_State *L, const char *name) {
  const char *names[2 * LCU_DTYPE_COUNT];
  lcu_buf near = { 0 };
  char text[256];
  size_t n = 0;
  for (size_t i = 0; i < LCU_DTYPE_COUNT; i++) names[n++] = lcu_dtypes[i].name;
  for (size_t i = 0; i < LCU_DTYPE_COUNT; i++) names[n++] = lcu_dtypes[i].short_name;
  lcul_near(&near, name, names, n);
  snprintf(text, sizeof text, "%s", near.data ? near.data : "");
  lcu_buf_free(&near);
  lcul_misuse(L, "unknown dtype '%s'%s", name, text);
}

const lcu_dtype *lcul_dtype_check (lua_State *L, int idx) {
  if (lua_type(L, idx) == LUA_TSTRING) {
    size_t len;
    const char *name = lua_tolstring(L, idx, &len);
    const lcu_dtype *t = lcu_dtype_find(name, len);
    if (!t) unknown_dtype(L, name);
    return t;
  }
  const lcul_struct *s = lcul_struct_test(L, idx);
  char got[128];
  if (!s) lcul_misuse(L, "expected a dtype (a name or a struct type), got %s", lcul_describe(L, idx, got, sizeof got));
  return &s->dtype;
}
