/* lcul_watch.c: cuda.debug{ sync =, launch =, api = }: launches that wait, and a line on stderr for
 * each launch or driver call. */
#include "lcul_watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lcu_launch.h"
#include "lcu_text.h"
#include "lcul_check.h"
#include "lcul_position.h"
#include "lcul_scalar.h"
#include "lcul_set.h"

/* ---- launches ---- */

enum { LINE = 1000 };

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
  lcu_text_add(&t, "%s(", f->name);
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
  fprintf(stderr, "luacuda: launch %s\n", line);
}


/* ---- driver calls ---- */

static atomic_bool api_on;

static void print_call (void *ud, const char *call, cu_result r, double ms) {
  (void)ud;
  fprintf(stderr, "luacuda: api %s %s %.1f us\n", call, r == 0 ? "ok" : lcu_status_name(r),
          ms * 1000);
}

/* False: drivers in use cannot be watched any more. */
static bool watch_calls (bool on) {
  if (on && !lcu_process_use_shim() && !lcu_process_wrap_drivers()) return false;
  lcu_shim_trace(on ? print_call : NULL, NULL);
  atomic_store(&api_on, on);
  return true;
}


/* ---- switches ---- */

static const char *const switches[] = { "sync", "launch", "api" };
enum { SYNC, LAUNCH, API };

static bool is_on (int which) {
  return which == API ? atomic_load(&api_on)
                      : lcu_process_watched(which == SYNC ? LCU_WATCH_SYNC : LCU_WATCH_LAUNCH);
}

static bool turn (int which, bool on) {
  if (which == API) return watch_calls(on);
  if (which == LAUNCH) lcu_launch_watch(print_launch);
  lcu_process_watch(which == SYNC ? LCU_WATCH_SYNC : LCU_WATCH_LAUNCH, on);
  return true;
}

/* _watch(name [, on]) -> the previous setting */
static int core_watch (lua_State *L) {
  int which = luaL_checkoption(L, 1, NULL, switches);
  bool before = is_on(which);
  if (!lua_isnoneornil(L, 2) && !turn(which, lua_toboolean(L, 2)))
    return lcul_misuse(L, "debug: option 'api': other Lua states use the drivers: set "
                          "LUACUDA_DEBUG=api before the program starts");
  lua_pushboolean(L, before);
  return 1;
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
    (void)turn(which, true);
    list += len + (list[len] == ',');
  }
}

void lcul_open_watch (lua_State *L) {
  static const luaL_Reg functions[] = { { "_watch", core_watch }, { NULL, NULL } };
  read_environment(L);
  lcul_setfuncs(L, functions);
}
