/* lcu_collective_nccl.h: for lcu_collective.c. */
#ifndef LCU_COLLECTIVE_NCCL_H
#define LCU_COLLECTIVE_NCCL_H

#include "lcu_comm.h"

/* Queues n operations together. The device is entered. */
lcu_status lcu_collective_nccl (lcu_comm *c, lcu_stream *s, const lcu_collective *ops, int n);

#endif
