/* lcul_core.c: luaopen_luacuda_core. Makes the state record, then opens every binding file on the
 * core table. */
#include <stdlib.h>
#include <string.h>

#include "lcu_caller.h"
#include "lcu_state_hooks.h"
#include "lcul_api.h"
#include "lcul_argument.h"
#include "lcul_array.h"
#include "lcul_blas.h"
#include "lcul_builder.h"
#include "lcul_call_host.h"
#include "lcul_class.h"
#include "lcul_comm.h"
#include "lcul_compile.h"
#include "lcul_complex.h"
#include "lcul_condition.h"
#include "lcul_cuda_array.h"
#include "lcul_debug.h"
#include "lcul_device.h"
#include "lcul_dims.h"
#include "lcul_dlpack.h"
#include "lcul_dtype.h"
#include "lcul_elementwise.h"
#include "lcul_error.h"
#include "lcul_event.h"
#include "lcul_failure.h"
#include "lcul_fuse.h"
#include "lcul_graph.h"
#include "lcul_graph_set.h"
#include "lcul_hostsort.h"
#include "lcul_interrupt.h"
#include "lcul_jit_call.h"
#include "lcul_jit_scale.h"
#include "lcul_kernel.h"
#include "lcul_link.h"
#include "lcul_later.h"
#include "lcul_launch.h"
#include "lcul_library.h"
#include "lcul_lines.h"
#include "lcul_list.h"
#include "lcul_mail.h"
#include "lcul_module.h"
#include "lcul_near.h"
#include "lcul_context.h"
#include "lcul_partition.h"
#include "lcul_pointer.h"
#include "lcul_position.h"
#include "lcul_profile.h"
#include "lcul_progress.h"
#include "lcul_record.h"
#include "lcul_reduction.h"
#include "lcul_scope.h"
#include "lcul_state.h"
#include "lcul_stream.h"
#include "lcul_struct.h"
#include "lcul_texture.h"
#include "lcul_type.h"
#include "lcul_typed.h"
#include "lcul_upvalues.h"
#include "lcul_vectorize.h"

LCU_EXPORT int luaopen_luacuda_core (lua_State *L);

/* Called by the allocator: runs a full collection of this state, on its thread. */
static void reclaim (void *ud) {
  lcul_state *st = ud;
  if (st->closing) return;
  lcul_mail_settle(st->main, st);
  lua_gc(st->main, LUA_GCCOLLECT);
}

/* Made first, so finalized last: every object of the library has released what it held. */
static int state_gc (lua_State *L) {
  lcul_state *st = lua_touserdata(L, 1);
  if (st->closing) return 0;
  lcul_work_for(st);
  lcul_end_late(L);
  st->closing = true;
  lcul_stream_settle(L, st);
  for (size_t i = 0; i < lcu_arraylen(st->streams); i++) {
    lcu_unref(st->streams[i]);
    st->streams[i] = NULL;
  }
  st->device = NULL;
  lcul_mail_close(st);
  lcul_lines_close(st);
  if (!st->entered) return 0;
  lcul_say_unheard(L); /* its modules are gone, so its kernels have completed */
  lcu_state_hooks_remove(st);
  if (lcu_process_leave()) lcul_say_lost();
  lcu_caller.owner = 0;
  return 0;
}

/* LUACUDA_ERRORS sets how errors are raised in every state of the process; a state may override
 * it. */
static bool wants_strings (lua_State *L) {
  const char *value = getenv("LUACUDA_ERRORS");
  if (value == NULL || value[0] == '\0' || strcmp(value, "object") == 0) return false;
  if (strcmp(value, "string") != 0)
    luaL_error(L, "LUACUDA_ERRORS: expected 'object' or 'string', got '%s'", value);
  return true;
}

/* Reports of all checks of the CPU device name the place where an array was made. */
static bool checks_all (void) {
  const char *value = getenv("LUACUDA_CPU_CHECK");
  return value != NULL && strcmp(value, "all") == 0;
}

static void new_state (lua_State *L) {
  static atomic_uint_fast64_t next_id = 1;
  static const lcu_state_hooks hooks = { .reclaim = reclaim, .stop = lcul_wait_stops };
  lcul_state *st = lua_newuserdatauv(L, sizeof *st, 0);
  memset(st, 0, sizeof *st);
  st->id = atomic_fetch_add(&next_id, 1);
  st->string_errors = wants_strings(L);
  st->traces_arrays = checks_all();
  lcul_work_for(st);
  lua_createtable(L, 0, 2);
  lua_pushcfunction(L, state_gc);
  lua_setfield(L, -2, "__gc");
  lua_pushliteral(L, "luacuda.State");
  lua_setfield(L, -2, "__name");
  lua_setmetatable(L, -2);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
  st->main = lua_tothread(L, -1);
  lua_pop(L, 1);
  lcul_open_interrupt(L, st);
  lua_setfield(L, LUA_REGISTRYINDEX, LCUL_STATE);
  if (lcu_process_enter() != LCU_OK || lcu_state_hooks_add(&hooks, st) != LCU_OK)
    luaL_error(L, "%s", lcu_failure_get()->message);
  st->entered = true;
}

static void open_version (lua_State *L) {
  lua_pushliteral(L, LCU_VERSION_TEXT);
  lua_setfield(L, -2, "version");
}

#if LUA_VERSION_RELEASE_NUM < 50404
#error "Lua 5.4.4 or later is needed"
#endif

static int note_running (lua_State *L) {
  *(int *)lua_touserdata(L, lua_upvalueindex(1)) = lua_gc(L, LUA_GCISRUNNING);
  return 0;
}

/* What LUA_GCISRUNNING gives in a finalizer of another state; -1 since Lua 5.4.4. */
static int running_in_finalizer (void) {
  int running = -1;
  lua_State *L = luaL_newstate();
  if (L == NULL) return running;
  lua_createtable(L, 0, 0);
  lua_createtable(L, 0, 1);
  lua_pushlightuserdata(L, &running);
  lua_pushcclosure(L, note_running, 1);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  lua_close(L);
  return running;
}

/* A call in flight ends at the wrong time where a finalizer cannot be told from other code. */
static void check_lua (lua_State *L) {
  if (running_in_finalizer() >= 0)
    luaL_error(L, "luacuda: this Lua is too old: Lua 5.4.4 or later is needed");
}

typedef void (*opener)(lua_State *L);

/* clang-format off */
static const opener openers[] = {
  lcul_open_library,
  lcul_open_type,
  lcul_open_later,
  lcul_open_near,
  lcul_open_position,
  lcul_open_failure,
  lcul_open_error,
  lcul_open_list,
  lcul_open_dims,
  lcul_open_complex,
  lcul_open_typed,
  lcul_open_pointer,
  lcul_open_dtype,
  lcul_open_struct,
  lcul_open_struct_new,
  lcul_open_device,
  lcul_open_device_select,
  lcul_open_process,
  lcul_open_pool,
  lcul_open_stream,
  lcul_open_scope,
  lcul_open_event,
  lcul_open_partition,
  lcul_open_context,
  lcul_open_graph,
  lcul_open_debug,
  lcul_open_profile,
  lcul_open_costs,
  lcul_open_range,
  lcul_open_array,
  lcul_open_array_make,
  lcul_open_array_from,
  lcul_open_array_sequence,
  lcul_open_array_diagonal,
  lcul_open_array_join,
  lcul_open_call_key,
  lcul_open_array_host,
  lcul_open_register,
  lcul_open_wrap,
  lcul_open_array_bytes,
  lcul_open_packed,
  lcul_open_csv,
  lcul_open_array_managed,
  lcul_open_pointer_info,
  lcul_open_array_resize,
  lcul_open_ipc,
  lcul_open_record,
  lcul_open_dlpack,
  lcul_open_from_dlpack,
  lcul_open_api,
  lcul_open_call_host,
  lcul_open_cuda_array,
  lcul_open_cuda_array_make,
  lcul_open_cuda_array_copy,
  lcul_open_copy3d,
  lcul_open_texture,
  lcul_open_surface,
  lcul_open_tensor_map,
  lcul_open_file,
  lcul_open_child,
  lcul_open_hash,
  lcul_open_compile,
  lcul_open_link,
  lcul_open_module,
  lcul_open_global,
  lcul_open_kernel,
  lcul_open_kernel_attribute,
  lcul_open_argument,
  lcul_open_launch,
  lcul_open_graph_set,
  lcul_open_condition,
  lcul_open_prepared,
  lcul_open_timing,
  lcul_open_progress,
  lcul_open_occupancy,
  lcul_open_blas,
  lcul_open_comm,
  lcul_open_hostsort,
  lcul_open_builder,
  lcul_open_elementwise,
  lcul_open_reduction,
  lcul_open_fuse,
  lcul_open_jit_scale,
  lcul_open_jit_call,
  lcul_open_vectorize,
  lcul_open_upvalues,
};
/* clang-format on */

int luaopen_luacuda_core (lua_State *L) {
  luaL_checkversion(L); /* before anything else: indices of one Lua are wild in another */
  if (lua_getfield(L, LUA_REGISTRYINDEX, LCUL_CORE) == LUA_TTABLE) return 1;
  check_lua(L);
  new_state(L);
  lua_createtable(L, 0, 64);
  open_version(L);
  for (size_t i = 0; i < lcu_arraylen(openers); i++) openers[i](L);
  lua_pushvalue(L, -1);
  lua_setfield(L, LUA_REGISTRYINDEX, LCUL_CORE);
  return 1;
}
