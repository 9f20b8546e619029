/* ptx_grid.h: one run of a kernel, and the workers that run its CTAs. */
#ifndef PTX_GRID_H
#define PTX_GRID_H

#include <pthread.h>
#include <stdatomic.h>

#include "ptx_cta.h"

/* What different threads write is kept this many bytes apart: processors fetch cache lines in
 * pairs. */
enum { PTX_APART = 128 };

/* A livelock while it is being described: each idle worker lists its own clusters, since no other
 * may look at them. */
typedef struct ptx_hangs {
  struct ptx_hang *first; /* by number; ptx_hang.h */
  uint32_t clusters;
  uint32_t round;      /* of describing, from 1 on */
  atomic_uint workers; /* that have listed theirs; 0: nobody has begun */
} ptx_hangs;

/* What the blocks of one grid have launched. */
typedef struct ptx_children {
  lcu_buf list; /* ptx_child, of ptx_children.h */
} ptx_children;

struct ptx_worker {
  ptx_grid *grid;
  int index;
  uint64_t next, end; /* numbers of CTAs claimed and not started */
  ptx_cta *free;
  ptx_cta *parked, **parked_tail; /* resident CTAs in the order they take turns */
  uint32_t resident, spinning;    /* clusters; of these, how many only waited when they last ran */
  double idle_since;              /* since when all of them only wait; 0: they do not */
  uint32_t hang_round;            /* ptx_hangs.round for which it has listed its clusters */
  /* while the grid is watched: turns of fragments since the latest look, when that was, and after
   * how many turns comes the next one */
  uint32_t turns, turns_to_look;
  double looked_ms;
  ptx_counters counters;
  const struct ptx_jit *jit; /* that blocks are started with; NULL: they are interpreted */
  uint64_t turn_ns;          /* since when (ptx_tier.h), by the thread's clock */
  double turn_until;         /* ms */
  uint32_t turn_blocks;      /* started since then */
  double waited_ms;          /* for compiled code, which does not count for the grid's deadline */
  char apart[PTX_APART];
};

struct ptx_grid {
  const ptx_launch *launch;
  ptx_function *function;
  const ptx_code *code;
  const ptx_host *host;
  ptx_block_class blocks;    /* of its blocks' shape */
  int form;                  /* of compiled code */
  const struct ptx_jit *jit; /* compiled code that all blocks run; NULL: none, or see `slot` */
  ptx_jit_slot *slot;        /* NULL: blocks are not timed, and all run the same way */
  uint32_t weight;           /* of their times */
  uint64_t total;            /* CTAs */
  uint64_t id;               /* number of this run */
  uint64_t workspace;        /* cooperative grids synchronize through it; otherwise 0 */
  uint32_t chunk;            /* the most clusters claimed at a time */
  uint32_t share;            /* resident clusters of one worker */
  uint32_t cluster[3], cluster_size;
  bool explicit_cluster;
  uint32_t block_threads, shared_bytes, local_bytes;
  uint32_t reserved_bytes; /* shared memory of the toolkit's runtime; 0 when the kernel does not
                            * look for it */
  bool counting;
  struct ptx_global_shadow *shadow; /* with all checks on, or NULL */
  ptx_changes changes;              /* with all checks on, for compiled code */
  bool watched;                     /* can be stopped from outside; see ptx_watch */
  double deadline;                  /* ms; 0: none */
  /* CTAs from this number on must stop. UINT64_MAX: none, 0: all. */
  atomic_uint_fast64_t stop_from;
  double stop_at;   /* ms: when those below must stop as well; valid once stop_from is set */
  atomic_uint idle; /* workers whose CTAs all only wait */
  /* when another worker last did more than wait; only kept while some are idle */
  atomic_uint_fast64_t progress_ms;
  pthread_mutex_t lock; /* for the next six */
  lcu_status status;
  char message[LCU_MESSAGE_SIZE]; /* of a status other than LCU_E_FAULT */
  uint64_t fault_cta;             /* of several faults, that of the lowest CTA is kept */
  ptx_fault *fault;
  ptx_children children;
  ptx_hangs hangs;
  int num_workers;
  char apart[PTX_APART];
  atomic_uint_fast64_t next; /* the first CTA that no worker has claimed */
  char apart_too[PTX_APART];
  ptx_worker workers[];
};

/* What a grid did, for the checks of the next one. */
struct ptx_trace {
  struct ptx_global_shadow *shadow;
  uint32_t grid[3], block[3], cluster[3];
  uint64_t module; /* ptx_module.serial, since the module may go */
};

/* ---- ptx_launch_check.c */

/* Blocks of a cluster per axis; 1 without one. */
void ptx_cluster_of (const ptx_launch *launch, uint32_t out[3]);

/* Can a kernel be launched like this? */
lcu_status ptx_launch_check (const ptx_launch *launch);

/* ---- ptx_grid.c */

/* Keeps the fault if it is the one to report, and stops the CTAs above it. */
void ptx_grid_fault (ptx_grid *g, uint64_t cta, const ptx_fault *f);
/* Stops the grid because of lcu_failure_get(). */
void ptx_grid_fail (ptx_grid *g, lcu_status status);
/* After a fault: stops all CTAs, immediately or once lower ones have had time to report an earlier
 * fault. */
void ptx_grid_give_up (ptx_grid *g, bool now);

static inline bool ptx_grid_stopped (const ptx_grid *g, uint64_t cta) {
  return atomic_load_explicit(&g->stop_from, memory_order_acquire) <= cta;
}

/* Something other than waiting happened: notes it for idle workers, if there are any. */
static inline void ptx_grid_progress (ptx_grid *g) {
  if (atomic_load_explicit(&g->idle, memory_order_relaxed) == 0) return;
  atomic_store_explicit(&g->progress_ms, (uint64_t)lcu_now_ms() + 1, memory_order_relaxed);
}

#endif
