/* lcul_hostsort.c: sorts for lua/luacuda/array/sort_rows.lua (core.host_sort,
 * core.host_sort_scratch). Not for users: arrays are contiguous, of the expected dtypes, and on one
 * device. */
#include "lcu_routine.h"
#include "lcul_array.h"
#include "lcul_error.h"
#include "lcul_position.h"
#include "lcul_set.h"
#include "lcul_stream.h"

/* [idx] the rows, [idx + 1] their length, [idx + 2] whether positions are wanted */
static cux_sort read_sort (lua_State *L, int idx) {
  const lcul_array *in = lcul_array_check(L, idx);
  int64_t m = luaL_checkinteger(L, idx + 1);
  if (in->dtype->kind == LCU_KIND_STRUCT || m < 1 || in->size < m)
    lcul_misuse(L, "host_sort: rows of numbers are expected");
  return (cux_sort){
    .places = lua_toboolean(L, idx + 2), .dtype = (int)in->dtype->id, .rows = in->size / m, .m = m
  };
}

/* host_sort_scratch(src, m, places) -> the bytes of memory that the sort needs; nil where the
 * device has no sort of its own for these rows */
static int core_host_sort_scratch (lua_State *L) {
  const cux_sort job = read_sort(L, 1);
  lcu_device *d = lcul_array_check(L, 1)->block->device;
  uint64_t bytes;
  if (!lcu_hostsort_has(d)) return 0;
  lcul_status(L, lcu_hostsort_scratch(d, &job, &bytes));
  if (bytes == UINT64_MAX) return 0;
  lua_pushinteger(L, (lua_Integer)bytes);
  return 1;
}

/* host_sort(src, m, places, dst, descending, scratch, stream): rows of m elements of src in order,
 * or with `places` their positions, to dst. scratch: an array of the bytes needed, or nil. */
static int core_host_sort (lua_State *L) {
  cux_sort job = read_sort(L, 1);
  const lcul_array *in = lcul_array_check(L, 1), *out = lcul_array_check(L, 4);
  const lcul_array *scratch = lua_isnoneornil(L, 6) ? NULL : lcul_array_check(L, 6);
  lcu_device *d = in->block->device;
  lcu_stream *s = lua_isnoneornil(L, 7) ? lcul_stream_current(L, d) : lcul_stream_check(L, 7);
  if (!lcu_hostsort_has(d) || s->device != d || out->block->device != d || out->size != in->size)
    lcul_misuse(L, "host_sort: arrays on the stream's device are expected");
  job.descending = lua_toboolean(L, 5);
  job.in = lcul_array_address(L, in, d);
  job.out = lcul_array_address(L, out, d);
  if (scratch != NULL) {
    job.scratch = lcul_array_address(L, scratch, d);
    job.scratch_bytes = (uint64_t)scratch->size;
  }
  const lcu_use uses[3] = { { in->block, false },
                            { out->block, true },
                            { scratch == NULL ? NULL : scratch->block, true } };
  lcul_note_caller(L, d, true);
  lcul_status(L, lcu_hostsort(s, &job, uses));
  return 0;
}

static const luaL_Reg hostsort_functions[] = { { "host_sort", core_host_sort },
                                               { "host_sort_scratch", core_host_sort_scratch },
                                               { NULL, NULL } };

void lcul_open_hostsort (lua_State *L) { lcul_setfuncs(L, hostsort_functions); }
