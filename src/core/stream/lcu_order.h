/* lcu_order.h: makes one stream wait for another. */
#ifndef LCU_ORDER_H
#define LCU_ORDER_H

#include "lcu_stream.h"

/* Orders what is queued on `s` from now on after what `other` has queued so far. Where the streams
 * have different drivers the host waits. Devices need not be entered. */
lcu_status lcu_order_after (lcu_stream *s, lcu_stream *other);
/* The same for the work of `other` up to its count `seq`. Queues nothing where `s` has waited for
 * it before. */
lcu_status lcu_order_after_count (lcu_stream *s, lcu_stream *other, uint64_t seq);
/* Records that `s` follows count `seq` of the stream with that id. */
void lcu_order_remember (lcu_stream *s, uint64_t id, uint64_t seq);
/* Retires a foreign stream: its owner may end it after this call. The device is entered. */
lcu_status lcu_order_retire (lcu_stream *s);

#endif
