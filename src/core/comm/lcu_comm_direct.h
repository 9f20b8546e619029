/* lcu_comm_direct.h: the second communicator of NCCL for the same ranks.
 *
 * The first one does not block: meeting others, connecting to them and dividing ranks end at the
 * time limit. But NCCL starts a thread for each operation of such a communicator, which costs more
 * than the operation (100 us). So operations that wait for other ranks on the device only belong to
 * the second communicator, whose calls queue them at once. Those made of sends and receives do not,
 * for which NCCL connects pairs of ranks when they come first, nor do those of graphs, for which it
 * registers memory. */
#ifndef LCU_COMM_DIRECT_H
#define LCU_COMM_DIRECT_H

#include "lcu_comm.h"

/* Before ranks meet for the first time: has NCCL make all connections then, and not when an
 * operation first needs them, unless the user has chosen (NCCL_RUNTIME_CONNECT). */
lcu_status lcu_comm_connect_early (void);
/* Makes it for n communicators that were made together, unless this NCCL or the user's choice
 * forbids it. */
lcu_status lcu_comm_make_direct (lcu_comm *const c[], int n);
/* Waits for its operations, up to the time limit, and ends it. The device is entered. */
lcu_status lcu_comm_end_direct (lcu_comm *c);

/* May an operation on the stream belong to it? */
static inline bool lcu_comm_can_be_direct (const lcu_stream *s, lcu_collective_kind k) {
  return s->capture == NULL && !lcu_collective_is_paired(k);
}
/* Do operations belong to it, if they may? In a group of several communicators all do, or none. */
static inline bool lcu_comm_is_direct (const lcu_comm *c, bool can_be) {
  if (c->group == LCU_COMM_NO_GROUP) return c->direct != NULL && can_be;
  return c->group == LCU_COMM_DIRECT_GROUP;
}

#endif
