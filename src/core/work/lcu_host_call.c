/* lcu_host_call.c: functions of the host in the order of a stream. */
#include "lcu_host_call.h"

#include "lcu_device_failure.h"
#include "lcu_scope.h"
#include "lcu_work.h"

static lcu_status check_capture (const lcu_stream *s) {
  bool captured;
  LCU_TRY(lcu_stream_is_captured(s, &captured));
  return captured ? lcu_fail(LCU_E_STATE, "call: a graph cannot capture a call of Lua") : LCU_OK;
}

lcu_status lcu_host_call (lcu_stream *s, void (*fn)(void *ud), void *ud) {
  lcu_scope scope;
  LCU_TRY(lcu_device_enter(s->device, &scope));
  lcu_status st = check_capture(s);
  if (st == LCU_OK) st = LCU_CALL(s->device->drv, cuLaunchHostFunc, (s->handle, fn, ud));
  if (st == LCU_OK) lcu_work_end(s, NULL, 0);
  lcu_device_leave(&scope);
  return lcu_device_status(s->device, st);
}
