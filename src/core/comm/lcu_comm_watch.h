/* lcu_comm_watch.h: the communicators of GPUs that waits look at (lcu_comm_guard.h). */
#ifndef LCU_COMM_WATCH_H
#define LCU_COMM_WATCH_H

#include "lcu_comm.h"

void lcu_comm_watch (lcu_comm *c);
void lcu_comm_unwatch (lcu_comm *c);

#endif
