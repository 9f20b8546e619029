/* lcul_box.c: userdata that hold memory. */
#include "lcul_box.h"

#include <string.h>

#include "lcul_error.h"
#include "lcul_set.h"

void *lcul_newbox (lua_State *L, size_t size, const char *name, lua_CFunction release) {
  luaL_checkstack(L, 4, NULL);
  void *box = memset(lua_newuserdatauv(L, size, 0), 0, size);
  if (luaL_newmetatable(L, name)) {
    const luaL_Reg metamethods[] = { { "__gc", release }, { "__close", release }, { NULL, NULL } };
    lcul_setfuncs(L, metamethods);
  }
  lua_setmetatable(L, -2);
  return box;
}

static int buffer_release (lua_State *L) {
  lcu_buf_free(lua_touserdata(L, 1));
  return 0;
}

lcu_buf *lcul_newbuffer (lua_State *L) {
  return lcul_newbox(L, sizeof(lcu_buf), "luacuda.Buffer", buffer_release);
}

void lcul_push_names (lua_State *L, const lcu_buf *names) {
  lua_Integer i = 0;
  lua_newtable(L);
  for (size_t at = 0; at < names->len; at += strlen(names->data + at) + 1) {
    lua_pushstring(L, names->data + at);
    lua_rawseti(L, -2, ++i);
  }
}

typedef struct scratch {
  void *p;
} scratch;

static int scratch_release (lua_State *L) {
  lcul_scratch_free(L, 1);
  return 0;
}

void *lcul_scratch (lua_State *L, size_t size) {
  scratch *s = lcul_newbox(L, sizeof *s, "luacuda.Scratch", scratch_release);
  s->p = lcu_alloc_aligned(size > 0 ? size : 1, 64);
  if (s->p == NULL) lcul_status(L, lcu_no_memory("%zu bytes of a copy", size));
  return s->p;
}

void lcul_scratch_free (lua_State *L, int idx) {
  scratch *s = lua_touserdata(L, idx);
  lcu_free(s->p);
  s->p = NULL;
}
