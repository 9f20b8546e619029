/* lcu_comm_own.h: what the files of communicators share. */
#ifndef LCU_COMM_OWN_H
#define LCU_COMM_OWN_H

#include "lcu_comm.h"

lcu_comm *lcu_comm_new (lcu_device *d); /* NULL: out of memory */
lcu_status lcu_comm_split_nccl (lcu_comm *c, int color, int key, lcu_comm **out);
/* The wait for `what` was interrupted. */
lcu_status lcu_comm_interrupted (const char *what);
/* Ends the communicator of NCCL, which may be NULL. */
void lcu_comm_end_nccl (lcu_comm *c);

#endif
