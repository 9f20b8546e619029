/* lcu_collective.h: operations of communicators, queued on streams like other work. */
#ifndef LCU_COLLECTIVE_H
#define LCU_COLLECTIVE_H

#include "lcu_comm.h"
#include "lcu_work.h"

/* Queues n operations on `s`, a stream of the communicator's device. They are carried out together:
 * a send and a receive among them may wait for each other. uses[2 * i] and uses[2 * i + 1] are the
 * blocks of the input and of the output of ops[i]. */
lcu_status lcu_collective_queue (lcu_comm *c, lcu_stream *s, const lcu_collective *ops,
                                 const lcu_use *uses, int n);

/* Queues n operations together. The device is entered. */
lcu_status lcu_collective_nccl (lcu_comm *c, lcu_stream *s, const lcu_collective *ops, int n);

#endif
