/* lcu_event_poll.h: file descriptors that become readable when an event is reached, for programs
 * that wait with poll(2) or a loop of their own. */
#ifndef LCU_EVENT_POLL_H
#define LCU_EVENT_POLL_H

#include "lcu_event.h"

/* The event's descriptor, made at the first call. It is readable once the last record has been
 * reached, until the next record. LCU_E_STATE where the event was never recorded, or only in a
 * capture. The event closes it. */
lcu_status lcu_event_fd (lcu_event *e, int *fd);
/* After a record of an event that has a descriptor; inside the scope of its device. */
lcu_status lcu_event_poll_arm (lcu_event *e);
void lcu_event_poll_close (lcu_event *e); /* closes the descriptor */
/* Destroys the stream behind the descriptor; inside the scope of its device. */
void lcu_event_poll_destroy_stream (lcu_event *e);

#endif
