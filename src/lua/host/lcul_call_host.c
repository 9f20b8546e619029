/* lcul_call_host.c: stream:call and core.poll: Lua functions that run when a stream gets there, on
 * the thread of their Lua state. */
#include "lcu_host_call.h"
#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_error.h"
#include "lcul_lines.h"
#include "lcul_mail.h"
#include "lcul_scope.h"
#include "lcul_set.h"
#include "lcul_stream.h"

/* s:call(fn) -> s */
static int stream_call (lua_State *L) {
  (void)lcul_stream_check(L, 1);
  if (lua_type(L, 2) != LUA_TFUNCTION) return lcul_wrong_type(L, 2, "a function");
  lcul_check_most(L, 2);
  lcul_not_recorded(L, "stream:call");
  lcul_mail *m = lcul_mail_new_call(L);
  lcul_stream_box *box = lcul_toobject(L, 1);
  lcu_status st = box->stream != NULL ? lcu_host_call(box->stream, lcul_mail_post, m)
                                      : lcu_fail(LCU_E_STATE, "call: the stream was closed");
  if (st != LCU_OK) lcul_mail_cancel(m);
  lcul_status(L, st);
  lua_settop(L, 1);
  return 1;
}

/* poll() -> the number of functions that ran */
static int core_poll (lua_State *L) {
  lcul_check_most(L, 0);
  lcul_mail_settle(L, lcul_getstate(L));
  lua_pushinteger(L, lcul_callbacks_run(L));
  return 1;
}

void lcul_open_call_host (lua_State *L) {
  static const luaL_Reg functions[] = { { "poll", core_poll }, { NULL, NULL } };
  static const luaL_Reg methods[] = { { "call", stream_call }, { NULL, NULL } };
  lcul_extend(L, LCUL_STREAM, LCUL_METHODS, methods);
  lcul_setfuncs(L, functions);
}
