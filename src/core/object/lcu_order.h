/* lcu_order.h: one stream after another. */
#ifndef LCU_ORDER_H
#define LCU_ORDER_H

#include "lcu_stream.h"

/* What is queued on `s` from now on comes after what `other` has now. Devices need not be entered.
 * Streams of different drivers: waits on the host. */
lcu_status lcu_order_after (lcu_stream *s, lcu_stream *other);
/* The same for what `other` had at its count `seq`: nothing is queued where `s` has waited for that
 * before. */
lcu_status lcu_order_after_count (lcu_stream *s, lcu_stream *other, uint64_t seq);
/* Remembers that `s` comes after count `seq` of the stream with that id. */
void lcu_order_remember (lcu_stream *s, uint64_t id, uint64_t seq);
/* The owner of a foreign stream is about to end it. The device is entered. */
lcu_status lcu_order_retire (lcu_stream *s);

#endif
