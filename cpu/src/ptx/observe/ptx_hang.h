/* ptx_hang.h: grids that hang. */
#ifndef PTX_HANG_H
#define PTX_HANG_H

#include "ptx_grid.h"

/* A cluster that hangs. */
typedef struct ptx_hang {
  struct ptx_hang *next; /* of those with higher numbers */
  uint64_t cta;          /* the number of its first block that has not ended */
  lcu_buf text;
  ptx_fault fault; /* without a message */
} ptx_hang;

/* ---- ptx_hang.c */

/* Describes the cluster that begins with `lead`; NULL: out of memory. */
ptx_hang *ptx_hang_new (ptx_cta *lead, ptx_fault_kind kind);
void ptx_hang_free (ptx_hang *h);
/* Reports that all threads of the cluster wait for each other. */
void ptx_hang_deadlock (ptx_cta *lead);

/* ---- ptx_livelock.c */

/* An idle worker has found out: lists its clusters, and reports the livelock once all idle workers
 * have. */
void ptx_livelock_list (ptx_worker *wk);
/* Whether a worker has found out. */
static inline bool ptx_livelock_begun (const ptx_hangs *h) {
  return atomic_load_explicit(&h->workers, memory_order_acquire) != 0;
}
/* It was none: something other than waiting happened. */
void ptx_livelock_cancel (ptx_worker *wk);
void ptx_hangs_free (ptx_hangs *h);

#endif
