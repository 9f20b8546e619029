/* lcul_watch.c: cuda.debug{ sync =, launch =, api = }: launches that wait, and a line for each
 * launch or driver call, on stderr or for a function. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cu_shim.h"
#include "lcu_launch.h"
#include "lcu_process_open.h"
#include "lcu_text.h"
#include "lcul_check.h"
#include "lcul_lines.h"
#include "lcul_position.h"
#include "lcul_scalar.h"
#include "lcul_set.h"

/* ---- lines ---- */

enum { LINE = 1000 };

static atomic_bool on_stderr[LCUL_LINE_COUNT]; /* for states without a function */

static bool is_wanted (lcul_line_kind kind) {
  return atomic_load(&on_stderr[kind]) || lcul_lines_wanted(kind) > 0;
}

static void say (lcul_line_kind kind, const char *line) {
  if (lcul_lines_add(kind, line) || !atomic_load(&on_stderr[kind])) return;
  fprintf(stderr, "luacuda: %s\n", line);
}


/* ---- launches ---- */

static void add_dims (lcu_text *t, const char *name, const uint32_t d[3]) {
  lcu_text_add(t, " %s=%u", name, d[0]);
  if (d[1] > 1 || d[2] > 1) lcu_text_add(t, "x%u", d[1]);
  if (d[2] > 1) lcu_text_add(t, "x%u", d[2]);
}

/* "3", "0x7f00", "{16 bytes}" */
static void add_argument (lcu_text *t, const lcu_param *p, const void *value) {
  char text[64];
  uint64_t address;
  if (p->kind == LCU_PARAM_POINTER) {
    memcpy(&address, value, sizeof address);
    lcu_text_add(t, "0x%llx", (unsigned long long)address);
  } else if (p->kind == LCU_PARAM_SCALAR && p->dtype != NULL && p->vector <= 1) {
    (void)lcul_scalar_text(p->dtype, value, text, sizeof text);
    lcu_text_add(t, "%s", text);
  } else lcu_text_add(t, "{%u bytes}", p->size);
}

static void print_launch (const lcu_function *f, const lcu_config *c, void *const *params,
                          lcu_status s) {
  char line[LINE];
  lcu_text t = lcu_text_in(line, sizeof line);
  if (!is_wanted(LCUL_LINE_LAUNCH)) return;
  lcu_text_add(&t, "launch %s(", f->name);
  for (size_t i = 0; i < f->signature.num_params; i++) {
    if (i > 0) lcu_text_add(&t, ", ");
    add_argument(&t, &f->signature.params[i], params[i]);
  }
  lcu_text_add(&t, ")");
  add_dims(&t, "grid", c->grid);
  add_dims(&t, "block", c->block);
  if (c->shared > 0) lcu_text_add(&t, " shared=%u", c->shared);
  if (c->stream->is_null) lcu_text_add(&t, " %s", f->device->label);
  else lcu_text_add(&t, " %s stream=%llu", f->device->label, (unsigned long long)c->stream->id);
  if (s != LCU_OK) lcu_text_add(&t, " failed: %s", lcu_status_name(s));
  say(LCUL_LINE_LAUNCH, line);
}


/* ---- driver calls ---- */

static void print_call (void *ud, const char *call, cu_result r, double ms) {
  char line[LINE];
  lcu_text t = lcu_text_in(line, sizeof line);
  (void)ud;
  if (!is_wanted(LCUL_LINE_API)) return;
  lcu_text_add(&t, "api %s %s %.1f us", call, r == 0 ? "ok" : lcu_status_name(r), ms * 1000);
  say(LCUL_LINE_API, line);
}


/* ---- switches ---- */

static const char *const switches[] = { "sync", "launch", "api" };
enum { SYNC, LAUNCH, API };

static lcul_line_kind kind_of (int which) {
  return which == API ? LCUL_LINE_API : LCUL_LINE_LAUNCH;
}

/* The drivers can report their calls; false: other states use them. */
static bool can_watch (int which) {
  return which != API || lcu_process_use_shim() || lcu_process_wrap_drivers();
}

/* Starts or stops the lines of a kind, as the functions and stderr want them. */
static void watch (lcul_line_kind kind) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&lock);
  bool on = is_wanted(kind);
  if (kind == LCUL_LINE_API) lcu_shim_trace(on ? print_call : NULL, NULL);
  else {
    lcu_launch_watch(print_launch);
    lcu_process_watch(LCU_WATCH_LAUNCH, on);
  }
  pthread_mutex_unlock(&lock);
}

static void turn (int which, bool on) {
  if (which == SYNC) {
    lcu_process_watch(LCU_WATCH_SYNC, on);
    return;
  }
  atomic_store(&on_stderr[kind_of(which)], on);
  watch(kind_of(which));
}

/* [] -> [the setting: a boolean or a function] */
static void push_setting (lua_State *L, int which) {
  if (which != SYNC) {
    lcul_lines_push(L, kind_of(which));
    if (!lua_isnil(L, -1)) return;
    lua_pop(L, 1);
  }
  lua_pushboolean(L, which == SYNC ? lcu_process_watched(LCU_WATCH_SYNC)
                                   : atomic_load(&on_stderr[kind_of(which)]));
}

/* A function gets the lines of this state and leaves those of others alone. */
static void set (lua_State *L, int which, int idx) {
  bool function = lua_isfunction(L, idx);
  if (which != SYNC) {
    if (function) lua_pushvalue(L, idx);
    else lua_pushnil(L);
    lcul_lines_set(L, kind_of(which));
  }
  if (function) watch(kind_of(which));
  else turn(which, lua_toboolean(L, idx));
}

/* _watch(name [, boolean or function]) -> the previous setting */
static int core_watch (lua_State *L) {
  int which = luaL_checkoption(L, 1, NULL, switches);
  lua_settop(L, 2);
  lcul_work_for(lcul_getstate(L)); /* lines of this thread are lines of this state */
  if (!lua_isnil(L, 2) && lua_toboolean(L, 2) && !can_watch(which))
    return lcul_misuse(L, "debug: option 'api': other Lua states use the drivers: set "
                          "LUACUDA_DEBUG=api before the program starts");
  push_setting(L, which);
  if (!lua_isnil(L, 2)) set(L, which, 2);
  return 1;
}

/* _lines(): calls the functions with the lines that wait */
static int core_lines (lua_State *L) {
  lcul_lines_run(L);
  return 0;
}

static int find_switch (const char *name, size_t len) {
  for (int i = SYNC; i <= API; i++)
    if (strlen(switches[i]) == len && memcmp(switches[i], name, len) == 0) return i;
  return -1;
}

/* LUACUDA_DEBUG=sync,launch,api */
static void read_environment (lua_State *L) {
  const char *list = getenv("LUACUDA_DEBUG");
  while (list != NULL && *list != '\0') {
    size_t len = strcspn(list, ",");
    int which = find_switch(list, len);
    if (which < 0)
      luaL_error(L, "LUACUDA_DEBUG: expected a list of 'sync', 'launch' and 'api', got '%s'",
                 lua_pushlstring(L, list, len));
    (void)can_watch(which);
    turn(which, true);
    list += len + (list[len] == ',');
  }
}

void lcul_open_watch (lua_State *L) {
  static const luaL_Reg functions[] = { { "_watch", core_watch },
                                        { "_lines", core_lines },
                                        { NULL, NULL } };
  read_environment(L);
  lcul_setfuncs(L, functions);
}
