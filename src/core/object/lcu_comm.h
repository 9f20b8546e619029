/* lcu_comm.h: communicators: ranks that exchange the contents of arrays, one for each process (or
 * for each of its GPUs). */
#ifndef LCU_COMM_H
#define LCU_COMM_H

#include "cu_collective.h"
#include "lcu_stream.h"

typedef struct mpi_comm mpi_comm;

typedef struct lcu_comm {
  lcu_object base;
  lcu_device *device;
  int rank, size;
  double timeout_ms; /* 0: none */
  mpi_comm *mpi;     /* of the CPU device */
  /* the stream and the count of its latest operations, so that it is ended after them; guarded by
   * the device's lock */
  lcu_stream *stream;
  uint64_t seq;
} lcu_comm;

/* All processes that the launcher started, on their CPU devices; `alone`: this process alone. */
lcu_status lcu_comm_join (lcu_device *d, bool alone, double timeout_ms, lcu_comm **out);
/* Divides the ranks by color, in the order of their keys; *out is NULL for a color below 0. Waits
 * for the operations queued before. */
lcu_status lcu_comm_split (lcu_comm *c, int color, int key, lcu_comm **out);
/* Waits for the operations queued so far. */
lcu_status lcu_comm_wait (lcu_comm *c);

/* ---- for lcu_collective.c ---- */

/* Notes that operations were queued up to this count. */
void lcu_comm_queued (lcu_comm *c, lcu_stream *s, uint64_t seq);

#endif
