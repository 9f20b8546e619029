/* lcu_comm.h: communicators: ranks that exchange the contents of arrays, one for each process (or
 * for each of its GPUs). */
#ifndef LCU_COMM_H
#define LCU_COMM_H

#include "cu_collective.h"
#include "cu_nccl.h"
#include "lcu_stream.h"

typedef struct mpi_comm mpi_comm;

typedef enum lcu_comm_group {
  LCU_COMM_NO_GROUP,
  LCU_COMM_GROUP,
  LCU_COMM_DIRECT_GROUP
} lcu_comm_group;

typedef struct lcu_comm {
  lcu_object base;
  lcu_device *device;
  int rank, size;
  double timeout_ms; /* 0: none */
  mpi_comm *mpi;     /* of the CPU device */
  /* of a GPU */
  const lcu_nccl *lib;
  nccl_comm nccl;
  nccl_comm direct;      /* see lcu_comm_direct.h; NULL: there is none */
  bool is_direct;        /* were its latest operations of `direct`? Guarded by the device's lock */
  lcu_comm_group group;  /* the group of several communicators that is open */
  atomic_bool failed;    /* it was aborted: no call of NCCL may use it */
  struct lcu_comm *next; /* in the list of lcu_comm_watch.c */
  /* of a communicator over NCCL: where its operations begin in the stream, after other work; NULL
   * before the first use. is_behind: the stream had not come there when it was asked last. Then,
   * begun_ms is when it had (lcu_now_ms). Guarded by the device's lock */
  cu_event begin;
  bool is_behind;
  double begun_ms;
  atomic_bool closed; /* by the program; graphs that were recorded with it keep it */
  /* the stream and the count of its latest operations, so that it is ended after them; guarded by
   * the device's lock */
  lcu_stream *stream;
  uint64_t seq;
  uint64_t idle_seq; /* the stream's count when its operations that are still open began */
} lcu_comm;

/* All processes that the launcher started, on their CPU devices; `alone`: this process alone. */
lcu_status lcu_comm_join (lcu_device *d, bool alone, double timeout_ms, lcu_comm **out);
/* The name of a meeting of ranks, which rank 0 makes for all. */
lcu_status lcu_comm_meeting (nccl_id *out);
/* Rank `rank` of `size`, each with a GPU. They meet at an address, "host:port", that all of them
 * give, or by the name of a meeting. */
lcu_status lcu_comm_meet (lcu_device *d, const nccl_id *meeting, int rank, int size,
                          double timeout_ms, lcu_comm **out);
lcu_status lcu_comm_meet_at (lcu_device *d, const char *address, int rank, int size,
                             double timeout_ms, lcu_comm **out);
/* All ranks in this process: one for each of n GPUs, which are different. */
lcu_status lcu_comm_meet_all (lcu_device *const d[], int n, double timeout_ms, lcu_comm *out[]);
/* Surround operations of several communicators of this process, which wait for each other. direct:
 * lcu_comm_can_be_direct holds for all of them. */
lcu_status lcu_comm_groups_start (lcu_comm *const c[], int n, bool direct);
lcu_status lcu_comm_groups_end (lcu_comm *const c[], int n);
/* Divides the ranks by color, in the order of their keys; *out is NULL for a color below 0. Waits
 * for the operations queued before. */
lcu_status lcu_comm_split (lcu_comm *c, int color, int key, lcu_comm **out);
/* Waits for the operations queued so far. */
lcu_status lcu_comm_wait (lcu_comm *c);

/* ---- for lcu_collective.c ---- */

/* Waits for a call of NCCL that returned r to end, up to the time limit. */
lcu_status lcu_comm_settle (lcu_comm *c, const char *call, nccl_result r);
/* LCU_E_COMM for a communicator that failed, or that was closed (of graphs). */
lcu_status lcu_comm_check (const lcu_comm *c);
/* Ends the operations of a communicator that fails; its streams go on. Returns `st`, whose record
 * stays this thread's latest. */
lcu_status lcu_comm_abort (lcu_comm *c, lcu_status st);
/* Are operations queued that are not known to be done? */
bool lcu_comm_is_busy (lcu_comm *c);

/* Operations of NCCL are about to be queued on `s`, which is not captured: they follow earlier ones
 * of the other kind (lcu_comm_direct.h), and the time limit does not count the work before them.
 * Waits where very many are in the queue; for a group lcu_comm_groups_start has done so. The device
 * is entered. */
lcu_status lcu_comm_queueing (lcu_comm *c, lcu_stream *s, bool direct);
/* Notes that operations were queued up to this count. */
void lcu_comm_queued (lcu_comm *c, lcu_stream *s, uint64_t seq);

#endif
