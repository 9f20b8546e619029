/* lcu_host_call.h: functions of the host in the order of a stream. */
#ifndef LCU_HOST_CALL_H
#define LCU_HOST_CALL_H

#include "lcu_stream.h"

/* Queues a call of fn(ud) on a thread of the driver, which must not call the driver. LCU_E_STATE
 * while the stream is captured: a graph would call it at every launch. */
lcu_status lcu_host_call (lcu_stream *s, void (*fn)(void *ud), void *ud);

#endif
