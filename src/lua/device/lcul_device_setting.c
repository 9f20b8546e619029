/* lcul_device_setting.c: settings of a device: limits, how threads wait for it, what its on-chip
 * memory prefers. */
#include <stdio.h>
#include <string.h>

#include "lcul_check.h"
#include "lcul_device.h"
#include "lcul_error.h"
#include "lcul_near.h"
#include "lcul_option.h"
#include "lcul_position.h"

/* A name for a number of the driver. */
typedef struct choice {
  const char *name;
  int value;
} choice;

static const choice limits[] = {
  { "stack_size", CU_LIMIT_STACK_SIZE_ },
  { "printf_fifo_size", CU_LIMIT_PRINTF_FIFO_SIZE_ },
  { "malloc_heap_size", CU_LIMIT_MALLOC_HEAP_SIZE_ },
  { "dev_runtime_sync_depth", CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH_ },
  { "dev_runtime_pending_launch_count", CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT_ },
  { "max_l2_fetch_granularity", CU_LIMIT_MAX_L2_FETCH_GRANULARITY_ },
  { "persisting_l2_cache_size", CU_LIMIT_PERSISTING_L2_CACHE_SIZE_ },
};

static const choice schedules[] = {
  { "auto", CU_CTX_SCHED_AUTO_ },
  { "spin", CU_CTX_SCHED_SPIN_ },
  { "yield", CU_CTX_SCHED_YIELD_ },
  { "blocking", CU_CTX_SCHED_BLOCKING_SYNC_ },
};

static const choice caches[] = {
  { "none", CU_CACHE_PREFER_NONE_ },
  { "shared", CU_CACHE_PREFER_SHARED_ },
  { "l1", CU_CACHE_PREFER_L1_ },
  { "equal", CU_CACHE_PREFER_EQUAL_ },
};

enum { MOST_CHOICES = 8 };

/* The value of the name; otherwise raises "<what> '<name>'" with near names. */
static int choose (lua_State *L, const char *what, const char *name, const choice *list, size_t n) {
  const char *names[MOST_CHOICES];
  char text[256];
  for (size_t i = 0; i < n; i++) {
    if (strcmp(list[i].name, name) == 0) return list[i].value;
    names[i] = list[i].name;
  }
  lcul_near(name, names, n, "names are", text, sizeof text);
  return lcul_misuse(L, "%s '%s'%s", what, name, text);
}

/* NULL: a value that has no name here. */
static const char *name_of (int value, const choice *list, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (list[i].value == value) return list[i].name;
  return NULL;
}

/* device:limit(name [, bytes or count]) -> the value in effect, as the driver rounded it */
static int device_limit (lua_State *L) {
  lcul_check_most(L, 3);
  lcu_device *d = lcul_device_check(L, 1);
  int limit =
    choose(L, "limit: there is no limit", lcul_check_string(L, 2), limits, lcu_arraylen(limits));
  bool set = !lua_isnoneornil(L, 3);
  size_t value = set ? lcul_check_bytes(L, 3) : 0;
  lcul_status(L, lcu_device_limit(d, limit, &value, set));
  lua_pushinteger(L, (lua_Integer)value);
  return 1;
}

unsigned lcul_changed_flags (lua_State *L, const char *what, unsigned flags) {
  char wrong[96];
  const char *schedule = lcul_opt_string(L, 2, "schedule", NULL);
  bool resize = lcul_opt_bool(L, 2, "lmem_resize", (flags & CU_CTX_LMEM_RESIZE_TO_MAX_) != 0);
  flags &= ~(unsigned)(CU_CTX_LMEM_RESIZE_TO_MAX_ | CU_CTX_MAP_HOST_);
  if (resize) flags |= CU_CTX_LMEM_RESIZE_TO_MAX_;
  if (schedule == NULL) return flags;
  snprintf(wrong, sizeof wrong, "%s: option 'schedule': there is no way to wait named", what);
  int chosen = choose(L, wrong, schedule, schedules, lcu_arraylen(schedules));
  return (flags & ~(unsigned)CU_CTX_SCHED_MASK_) | (unsigned)chosen;
}

/* device:flags{ schedule =, lmem_resize = } -> a table of the flags in effect */
static int device_flags (lua_State *L) {
  lcul_check_most(L, 2);
  static const char *const names[] = { "schedule", "lmem_resize", NULL };
  lcu_device *d = lcul_device_handle(L, 1);
  unsigned flags = 0;
  bool set = lcul_options(L, 2, "flags", names);
  lcul_status(L, lcu_device_flags(d, &flags));
  if (set) {
    lcul_status(L, lcu_device_set_flags(d, lcul_changed_flags(L, "flags", flags)));
    lcul_status(L, lcu_device_flags(d, &flags));
  }
  lua_createtable(L, 0, 2);
  lua_pushstring(L, name_of((int)(flags & CU_CTX_SCHED_MASK_), schedules, lcu_arraylen(schedules)));
  lua_setfield(L, -2, "schedule");
  lua_pushboolean(L, (flags & CU_CTX_LMEM_RESIZE_TO_MAX_) != 0);
  lua_setfield(L, -2, "lmem_resize");
  return 1;
}

/* device:cache_config([preference]) -> the preference in effect */
static int device_cache_config (lua_State *L) {
  lcul_check_most(L, 2);
  lcu_device *d = lcul_device_check(L, 1);
  bool set = !lua_isnoneornil(L, 2);
  int config = !set ? 0
                    : choose(L, "cache_config: there is no preference", lcul_check_string(L, 2),
                             caches, lcu_arraylen(caches));
  lcul_status(L, lcu_device_cache_config(d, &config, set));
  lua_pushstring(L, name_of(config, caches, lcu_arraylen(caches)));
  return 1;
}

const luaL_Reg lcul_setting_methods[] = { { "limit", device_limit },
                                          { "flags", device_flags },
                                          { "cache_config", device_cache_config },
                                          { NULL, NULL } };
