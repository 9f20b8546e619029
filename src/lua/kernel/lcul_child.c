/* lcul_child.c: other programs for the Lua layer: core.child_run, core.temporary_folder. */
#include <string.h>
#include <unistd.h>

#include "lcu_child.h"
#include "lcu_state_hooks.h"
#include "lcul_box.h"
#include "lcul_check.h"
#include "lcul_compile.h"
#include "lcul_error.h"
#include "lcul_set.h"

/* The list of strings at 1 as argv; the table anchors the strings. */
static const char **read_argv (lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  size_t n = (size_t)lua_rawlen(L, 1);
  luaL_argcheck(L, n > 0, 1, "the path of a program is missing");
  const char **argv = lua_newuserdatauv(L, (n + 1) * sizeof *argv, 0);
  for (size_t i = 0; i < n; i++) {
    if (lua_rawgeti(L, 1, (lua_Integer)i + 1) != LUA_TSTRING)
      luaL_error(L, "core.child_run: item %d is not a string", (int)i + 1);
    argv[i] = lcul_whole_string(L, -1);
    lua_pop(L, 1);
  }
  argv[n] = NULL;
  return argv;
}

static int end_release (lua_State *L) {
  lcu_buf_free(&((lcu_child_end *)lua_touserdata(L, 1))->output);
  return 0;
}

/* core.child_run(argv) -> { output =, code =, signal = }; code and signal are nil where they are
 * not known. Raises where the program cannot be started or a signal handler asks to stop. */
static int core_child_run (lua_State *L) {
  lua_settop(L, 1);
  lcu_child_job job = { .argv = read_argv(L), .stop = lcu_state_hooks_stop };
  lcu_child_end *end = lcul_newbox(L, sizeof *end, "luacuda.ChildEnd", end_release);
  lcul_status(L, lcu_child_run(&job, end));
  lua_createtable(L, 0, 3);
  lua_pushlstring(L, end->output.data != NULL ? end->output.data : "", end->output.len);
  lua_setfield(L, -2, "output");
  if (end->known && end->signal != 0) lcul_set_integer(L, "signal", end->signal);
  if (end->known && end->signal == 0) lcul_set_integer(L, "code", end->code);
  lcu_buf_free(&end->output);
  return 1;
}

typedef struct folder {
  pid_t owner;
  char path[LCU_FOLDER_SIZE];
} folder;

/* A forked child leaves the folder to its parent. */
static int folder_release (lua_State *L) {
  folder *f = lua_touserdata(L, 1);
  if (f->path[0] != '\0' && f->owner == getpid()) lcu_folder_remove(f->path);
  f->path[0] = '\0';
  return 0;
}

/* core.temporary_folder() -> box, path. Closing or collecting the box removes the folder. */
static int core_temporary_folder (lua_State *L) {
  folder *f = lcul_newbox(L, sizeof *f, "luacuda.Folder", folder_release);
  f->owner = getpid();
  lcul_status(L, lcu_folder_make(f->path));
  lua_pushstring(L, f->path);
  return 2;
}

void lcul_open_child (lua_State *L) {
  static const luaL_Reg functions[] = { { "child_run", core_child_run },
                                        { "temporary_folder", core_temporary_folder },
                                        { NULL, NULL } };
  lcul_setfuncs(L, functions);
}
