/* lcul_child.c: other programs for the Lua layer: core.child_run, core.temporary_folder. */
#include <string.h>
#include <unistd.h>

#include "lcu_child.h"
#include "lcu_state_hooks.h"
#include "lcu_thread.h"
#include "lcul_box.h"
#include "lcul_check.h"
#include "lcul_error.h"
#include "lcul_progress.h"
#include "lcul_set.h"

static const char *const *read_argv (lua_State *L, int idx) {
  size_t n;
  const char **argv = lcul_string_list(L, idx, &n, lcul_whole_string);
  luaL_argcheck(L, n > 0, idx, "the path of a program is missing");
  return argv;
}

typedef struct ends {
  size_t num;
  lcu_child_end list[];
} ends;

static int ends_release (lua_State *L) {
  ends *e = lua_touserdata(L, 1);
  for (size_t i = 0; i < e->num; i++) lcu_buf_free(&e->list[i].output);
  return 0;
}

static void push_end (lua_State *L, lcu_child_end *end) {
  lua_createtable(L, 0, 3);
  lua_pushlstring(L, end->output.data != NULL ? end->output.data : "", end->output.len);
  lua_setfield(L, -2, "output");
  if (end->known && end->signal != 0) lcul_set_integer(L, "signal", end->signal);
  if (end->known && end->signal == 0) lcul_set_integer(L, "code", end->code);
}

/* core.child_run(argv...) -> { output =, code =, signal = } for each; code and signal are nil where
 * they are not known. Programs run at the same time, as many as there are cores (at least two), and
 * lcul_progress.h shows how far they are. Raises where one cannot
 * be started or a signal handler asks to stop. */
static int core_child_run (lua_State *L) {
  int n = lua_gettop(L);
  luaL_argcheck(L, n > 0, 1, "a program is missing");
  luaL_checkstack(L, 2 * n + 8, "core.child_run");
  const char *const **argvs = lua_newuserdatauv(L, (size_t)n * sizeof *argvs, 0);
  for (int i = 0; i < n; i++) argvs[i] = read_argv(L, i + 1);
  ends *e =
    lcul_newbox(L, sizeof *e + (size_t)n * sizeof e->list[0], "luacuda.ChildEnds", ends_release);
  e->num = (size_t)n;
  lcul_progress progress;
  lcu_child_watch watch = { .stop = lcu_state_hooks_stop,
                            .progress = lcul_progress_count,
                            .ud = &progress };
  size_t most = lcu_cpu_count() > 2 ? (size_t)lcu_cpu_count() : 2;
  lcul_progress_start(&progress, "with nvcc");
  lcu_status s = lcu_child_run(argvs, (size_t)n, most, &watch, e->list);
  lcul_progress_stop(&progress);
  lcul_status(L, s);
  for (int i = 0; i < n; i++) push_end(L, &e->list[i]);
  return n;
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
