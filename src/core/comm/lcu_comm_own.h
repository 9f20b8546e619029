/* lcu_comm_own.h: what the files of communicators share. */
#ifndef LCU_COMM_OWN_H
#define LCU_COMM_OWN_H

#include "lcu_comm.h"

lcu_comm *lcu_comm_new (lcu_device *d); /* NULL: out of memory */
lcu_status lcu_comm_split_nccl (lcu_comm *c, int color, int key, lcu_comm **out);
/* Of the first communicator of NCCL, or of one whose calls block. */
nccl_config lcu_comm_config (bool blocks);
/* Waits for ncclCommSplit, which returned r: it answers with success before the part is there. */
lcu_status lcu_comm_settle_split (lcu_comm *c, nccl_result r);
lcu_status lcu_comm_late (const lcu_comm *c, const char *call);
/* Waits where very many operations are in the queue. The device is entered. */
lcu_status lcu_comm_make_room (lcu_comm *c);
/* The wait for `what` was interrupted. */
lcu_status lcu_comm_interrupted (const char *what);
/* Ends the communicator of NCCL, which may be NULL. */
void lcu_comm_end_nccl (lcu_comm *c);

/* ---- lcu_comm_watch.c: the communicators of GPUs that waits look at (lcu_comm_guard.h) */

void lcu_comm_watch (lcu_comm *c);
void lcu_comm_unwatch (lcu_comm *c);

#endif
