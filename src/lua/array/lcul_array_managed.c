/* lcul_array_managed.c: managed arrays: advice, prefetching, attachment. */
#include <string.h>

#include "lcu_managed.h"
#include "lcul_array.h"
#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_describe.h"
#include "lcul_device.h"
#include "lcul_error.h"
#include "lcul_position.h"
#include "lcul_scope.h"
#include "lcul_set.h"
#include "lcul_stream.h"
#include "lcul_strides.h"

static lcul_array *check_managed (lua_State *L, const char *fn) {
  lcul_array *a = lcul_array_check(L, 1);
  if (a->block->memory != LCU_MEM_MANAGED)
    lcul_misuse(L, "%s: expected an array of managed memory (cuda.managed), got %s memory", fn,
                lcu_memory_name(a->block->memory));
  return a;
}

/* The device at idx as advice and prefetching name it; without one the memory's own device. */
static cu_device place_arg (lua_State *L, int idx, const char *fn) {
  lcu_device *d = lua_isnoneornil(L, idx) ? NULL : lcul_device_arg(L, idx);
  const lcul_array *a = check_managed(L, fn); /* the device may have been found by Lua code */
  cu_device place;
  if (d == NULL) d = a->block->pinned_for;
  if (!lcu_managed_place(a->block, d, &place))
    lcul_misuse(L, "%s: memory that %s manages cannot be on %s", fn, a->block->pinned_for->label,
                d->label);
  return place;
}

/* The bytes of the block between the first and the last element. */
static size_t managed_bytes (const lcul_array *a, size_t *offset) {
  int64_t first = 0, last = 0;
  if (a->size > 0) lcul_array_extent(a, &first, &last);
  *offset = (size_t)first;
  return (size_t)(last - first);
}

typedef struct advice {
  const char *name;
  int value;
  bool has_device;
} advice;

static const advice advices[] = {
  { "read_mostly", CU_ADVISE_READ_MOSTLY, false },
  { "unset_read_mostly", CU_ADVISE_UNSET_READ_MOSTLY, false },
  { "preferred_location", CU_ADVISE_PREFERRED_LOCATION, true },
  { "unset_preferred_location", CU_ADVISE_UNSET_PREFERRED_LOCATION, false },
  { "accessed_by", CU_ADVISE_ACCESSED_BY, true },
  { "unset_accessed_by", CU_ADVISE_UNSET_ACCESSED_BY, true },
};

static const advice *advice_arg (lua_State *L) {
  const char *name = lcul_check_string(L, 2);
  for (size_t i = 0; i < lcu_arraylen(advices); i++)
    if (strcmp(name, advices[i].name) == 0) return &advices[i];
  lcul_misuse(L,
              "advise: expected 'read_mostly', 'preferred_location' or 'accessed_by', or one of "
              "them after 'unset_', got '%s'",
              name);
  return NULL;
}

/* array:advise(what [, device]) -> array */
static int array_advise (lua_State *L) {
  size_t offset;
  lcul_check_most(L, 3);
  check_managed(L, "advise");
  const advice *what = advice_arg(L);
  if (!what->has_device && !lua_isnoneornil(L, 3))
    return lcul_misuse(L, "advise: '%s' takes no device", what->name);
  cu_device place = place_arg(L, 3, "advise");
  const lcul_array *a = lcul_array_check(L, 1);
  size_t n = managed_bytes(a, &offset);
  lcul_status(L, lcu_managed_advise(a->block, offset, n, what->value, place));
  lua_settop(L, 1);
  return 1;
}

/* A stream of the device that manages the memory. */
static lcu_stream *own_stream (lua_State *L, const lcul_array *a, lcu_stream *s, const char *fn) {
  lcu_device *d = a->block->pinned_for;
  if (s->device != d)
    lcul_misuse(L, "%s: expected a stream of %s, which manages the memory, got one of %s", fn,
                d->label, s->device->label);
  return s;
}

/* array:prefetch([device] [, { stream = }]) -> array */
static int array_prefetch (lua_State *L) {
  size_t offset;
  lcul_check_most(L, 3);
  check_managed(L, "prefetch");
  bool only_options = lua_istable(L, 2);
  int at = only_options ? 2 : 3;
  int opts = lcul_stream_options(L, at, "prefetch");
  if (only_options && !lua_isnone(L, 3)) return lcul_wrong_type(L, 2, "a device");
  cu_device place = place_arg(L, only_options ? lua_gettop(L) + 1 : 2, "prefetch");
  lcu_device *d = lcul_array_check(L, 1)->block->pinned_for;
  lcu_stream *s = opts ? lcul_opt_stream(L, opts, d) : lcul_stream_current(L, d);
  const lcul_array *a = check_managed(L, "prefetch");
  size_t n = managed_bytes(a, &offset);
  lcul_status(L, lcu_managed_prefetch(a->block, offset, n, place, own_stream(L, a, s, "prefetch")));
  lua_settop(L, 1);
  return 1;
}

/* "global", "host", "single" and a stream, or only a stream */
static unsigned attach_arg (lua_State *L) {
  char got[96];
  if (lcul_test(L, 2, LCUL_STREAM) != NULL) return CU_MEM_ATTACH_SINGLE_;
  const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
  if (strcmp(name, "global") == 0) return CU_MEM_ATTACH_GLOBAL_;
  if (strcmp(name, "host") == 0) return CU_MEM_ATTACH_HOST_;
  if (strcmp(name, "single") == 0) return CU_MEM_ATTACH_SINGLE_;
  lcul_misuse(L, "attach: expected a Stream, \"single\", \"global\" or \"host\", got %s",
              lcul_describe(L, 2, got, sizeof got));
  return 0;
}

/* array:attach(stream | "single", stream | "global" | "host") -> array */
static int array_attach (lua_State *L) {
  lcul_check_most(L, 3);
  const lcul_array *a = check_managed(L, "attach");
  unsigned flags = attach_arg(L);
  int at = lcul_test(L, 2, LCUL_STREAM) != NULL ? 2 : 3;
  lcu_stream *s;
  if (at == 2 && !lua_isnone(L, 3)) return lcul_misuse(L, "attach: too many arguments");
  if (flags == CU_MEM_ATTACH_SINGLE_ && lua_isnoneornil(L, at))
    return lcul_misuse(L, "attach: \"single\" needs the stream that may use the memory");
  if (lua_isnoneornil(L, at)) s = lcul_stream_current(L, a->block->pinned_for);
  else s = own_stream(L, a, lcul_stream_check(L, at), "attach");
  if (flags == CU_MEM_ATTACH_SINGLE_ && s->handle == NULL)
    return lcul_misuse(L, "attach: the null stream cannot have memory of its own; use cuda.stream");
  lcul_sync_allowed(L, "array:attach");
  lcul_status(L, lcu_managed_attach(a->block, flags, s));
  lua_settop(L, 1);
  return 1;
}

void lcul_open_array_managed (lua_State *L) {
  static const luaL_Reg methods[] = { { "advise", array_advise },
                                      { "prefetch", array_prefetch },
                                      { "attach", array_attach },
                                      { NULL, NULL } };
  lcul_extend(L, LCUL_ARRAY, LCUL_METHODS, methods);
}
