/* ptx_exec.h: the running machine: grids, thread blocks, warps, fragments, frames. Private to the
 * executor (ptx_exec.c, ptx_frame.c, ptx_block.c, ptx_cta.c, ptx_warp_ops.c, ptx_sched.c,
 * ptx_fault.c, ptx_hang.c, ptx_runtime.c) and its tests.
 *
 * A warp is a set of fragments: lanes that stand at the same instruction of the same frame.
 * Fragments run one at a time until they branch to where others wait, block, or yield. All state is
 * on the heap, so a warp or a block can be left anywhere and taken up again by its worker
 * (docs/design/cpu-device.md). */
#ifndef PTX_EXEC_H
#define PTX_EXEC_H

#include <stdatomic.h>

#include "ptx_insn.h"

#define PTX_BARRIERS 16
#define PTX_FUEL 65536u  /* back edges the fragments of a warp may take before the next round */
#define PTX_MAX_WARPS 32 /* 1024 threads */
#define PTX_MAX_THREADS (PTX_MAX_WARPS * PTX_LANES)

typedef struct ptx_grid ptx_grid;
typedef struct ptx_worker ptx_worker;
typedef struct ptx_cta ptx_cta;
typedef struct ptx_xwarp ptx_xwarp;

/* An active call. Lanes that made the same call from the same frame share one; frames have a
 * register file of their own, since a slot of one function may be narrower than the slot of another
 * at the same place. */
typedef struct ptx_frame {
  struct ptx_frame *parent, *child, *sibling; /* free frames: a list through `sibling` */
  const ptx_uop *site;                        /* the call in the parent; NULL for the kernel */
  const ptx_code *code;
  uint8_t *rf;
  size_t rf_bytes;
  uint32_t local_base, depth;
  uint32_t lanes; /* lanes in this frame or in one below it */
} ptx_frame;

typedef enum ptx_wait { PTX_READY, PTX_AT_BARRIER, PTX_AT_WARP_OP } ptx_wait;

typedef struct ptx_fragment {
  uint32_t mask;
  ptx_wait wait;
  uint32_t key; /* barrier index, or membermask */
  bool yielded; /* went round a loop that may wait for others; they go first */
  const ptx_uop *pc;
  ptx_frame *frame;
} ptx_fragment;

typedef enum ptx_outcome {
  PTX_DONE,    /* all lanes (warps, ...) have ended */
  PTX_BLOCKED, /* none can go on before another warp does something */
  PTX_YIELDED, /* can go on, but is likely to wait for others */
  PTX_STOPPED  /* fault here, or the grid was stopped */
} ptx_outcome;

/* Who accessed something: the thread, the barriers the block had passed by then (0: nobody did),
 * and its fences. */
typedef struct ptx_touch {
  uint32_t epoch, fences;
  uint16_t thread;
} ptx_touch;

/* What the last accesses to one byte of shared memory were; only with all checks on
 * (ptx_check.c). */
typedef struct ptx_shadow {
  uint32_t run; /* start of a block it speaks of */
  bool initialised;
  ptx_touch write, atomic, read, other_read; /* the reads are by different warps, or the same */
} ptx_shadow;

struct ptx_xwarp {
  ptx_warp w; /* first: handlers get a pointer to it */
  ptx_cta *cta;
  uint32_t lanes_of; /* mask that w.lanes expands */
  uint32_t valid;    /* lanes that exist */
  /* back edges until the running fragment must let others go first */
  uint32_t fuel;
  bool ran, spun,
    worked; /* since the last look: did anything; went round a waiting loop and had nothing
                                       stored; stored something, ended, or calculated at length */
  ptx_frame root, *spare;
  uint32_t seen_bb; /* the running fragment was last seen in, with all checks on */
  /* the block's count of fences after the latest of this warp, with all checks on */
  uint32_t fenced;
  uint64_t frame_memory; /* bytes of all frames but the root */
  uint32_t num;
  /* one more: a split may exist before its twin is merged away */
  ptx_fragment frags[PTX_LANES + 1];
};

typedef struct ptx_barrier {
  uint32_t count;    /* lanes that arrived */
  uint32_t expected; /* thread count given, 0 = all that have not ended */
  /* bar.red: lanes whose predicate held; and of all, or of any, follow from it */
  uint32_t popc;
  uint32_t arrived[PTX_MAX_WARPS]; /* lanes by warp */
} ptx_barrier;

struct ptx_cta {
  ptx_cta *next; /* free or parked list of the worker */
  ptx_grid *grid;
  ptx_worker *worker;
  uint64_t linear; /* block number */
  uint32_t num_warps, num_threads;
  uint32_t alive, running; /* threads, warps that have not ended */
  uint32_t barriers_used;  /* bit per barrier somebody arrived at */
  /* rounds over all warps in which nothing but waiting happened */
  uint32_t stale_passes;
  uint8_t *shared;
  ptx_shadow *shadow; /* one per byte of shared memory, or NULL */
  /* starts of this block's memory; barriers passed; fences its warps have passed */
  uint32_t run, epoch, fences;
  ptx_barrier barriers[PTX_BARRIERS];
  uint32_t block[3], shared_bytes, local_bytes; /* shape, for reuse */
  /* of `shared`, before the kernel's own: PTX_SHARED_RESERVED or 0 */
  uint32_t reserved_bytes;
  size_t bytes; /* of the whole allocation */
  ptx_xwarp warps[];
};

struct ptx_worker {
  ptx_grid *grid;
  int index;
  uint64_t next, end; /* block numbers claimed and not started */
  ptx_cta *free;
  ptx_cta *parked, **parked_tail; /* resident blocks in the order they take turns */
  uint32_t resident, spinning;    /* blocks; of those, how many only waited when they last ran */
  double idle_since;              /* this worker only waits since then; 0 = it does not */
  uint32_t turns;                 /* of fragments, while the grid is watched */
  ptx_counters counters;
};

struct ptx_grid {
  const ptx_launch *launch;
  ptx_function *function;
  const ptx_code *code;
  const ptx_host *host;
  uint64_t total, id; /* blocks; number of this run */
  uint64_t workspace; /* grid synchronisation, cooperative only */
  uint32_t chunk;     /* blocks claimed at once */
  uint32_t share;     /* resident blocks of one worker */
  uint32_t block_threads, shared_bytes, local_bytes;
  /* shared memory for the toolkit's runtime; 0 when the kernel does not ask where it is */
  uint32_t reserved_bytes;
  bool counting;
  bool watched;              /* may be ended from outside (ptx_watch.c), */
  double deadline;           /* by this time at the latest; ms, 0 = none */
  atomic_uint_fast64_t next; /* first block nobody claimed */
  /* blocks from this number on are to stop: UINT64_MAX none, 0 all */
  atomic_uint_fast64_t stop_from;
  /* ms: when lower blocks have to stop as well; valid once stop_from was set */
  double stop_at;
  atomic_uint idle; /* workers all of whose blocks only wait */
  /* when another worker last did more than wait; kept while some are idle */
  atomic_uint_fast64_t progress_ms;
  pthread_mutex_t lock; /* for what follows */
  lcu_status status;
  char message[LCU_MESSAGE_SIZE]; /* of a status other than LCU_E_FAULT */
  uint64_t fault_block;           /* of several faults the one of the lowest block is kept */
  ptx_fault *fault;
  int num_workers;
  ptx_worker workers[];
};

/* ---- ptx_exec.c: fragments and the inner loop */

/* Runs the warp until nothing in it can go on, it has yielded, or a fault happened. */
ptx_outcome ptx_xwarp_run (ptx_xwarp *x);
/* Puts lanes at an instruction, joining a fragment that is there already. Never fails: lanes are
 * disjoint. */
void ptx_fragment_add (ptx_xwarp *x, uint32_t mask, const ptx_uop *pc, ptx_frame *frame,
                       bool yielded);
/* Takes fragment i out of the set; the last one moves into its place. */
void ptx_fragment_remove (ptx_xwarp *x, uint32_t i);
/* Fragment i goes on at pc; it may be joined to another: i is no longer valid afterwards. */
void ptx_fragment_move (ptx_xwarp *x, uint32_t i, const ptx_uop *pc);
/* Keeps the lanes of `keep` in fragment i; the others stay at the same instruction as a fragment of
 * their own. */
void ptx_fragment_split (ptx_xwarp *x, uint32_t i, uint32_t keep);

/* ---- ptx_frame.c: calls. Fragment i stands at the instruction. false: x->w.fault is set. */
bool ptx_frame_call (ptx_xwarp *x, uint32_t i);
void ptx_frame_return (ptx_xwarp *x, uint32_t i); /* of a kernel: as exit */
/* Lanes that end leave all their frames. */
void ptx_frame_leave (ptx_xwarp *x, ptx_frame *frame, uint32_t mask);
void ptx_frame_root (ptx_xwarp *x, const ptx_code *code, uint8_t *rf);
void ptx_frames_free (ptx_xwarp *x);
void ptx_frames_reset (ptx_xwarp *x);
/* Where a call's variables lie. */
uint8_t *ptx_frame_param (const ptx_frame *f, const ptx_variable *v);
/* Value of 32-bit words [0, 2) of an argument of a call for one lane. */
uint64_t ptx_call_argument (const ptx_frame *f, const ptx_operand *o, uint32_t lane);
/* Operand lists of a call; NULL when absent. */
const ptx_operand *ptx_call_results (const ptx_inst *inst);
const ptx_operand *ptx_call_arguments (const ptx_inst *inst);

/* ---- ptx_block.c: barriers and ends */
bool ptx_barrier_arrive (ptx_xwarp *x, uint32_t i); /* false: fault */
void ptx_cta_exit (ptx_xwarp *x, uint32_t i);
/* Runs the block until it is done, stuck, stopped, only waits, or `until` (ms, 0 = never) has
 * passed. */
ptx_outcome ptx_cta_run (ptx_cta *c, double until);

/* ---- ptx_cta.c: making, starting and keeping blocks */
ptx_cta *ptx_cta_get (ptx_worker *wk); /* NULL: no memory */
void ptx_cta_put (ptx_worker *wk, ptx_cta *c);
void ptx_cta_start (ptx_cta *c, uint64_t linear);
void ptx_cta_free (ptx_cta *c);
/* Blocks of earlier runs of this kernel that fit. */
void ptx_cta_pool_take (ptx_grid *g);
void ptx_cta_pool_give (ptx_grid *g);

/* ---- ptx_warp_ops.c: shfl vote match redux elect bar.warp.sync */
bool ptx_warp_op (ptx_xwarp *x, uint32_t i); /* false: fault */
/* After lanes ended: waiting operations that are complete now are carried out. */
void ptx_warp_recheck (ptx_xwarp *x);

/* ---- ptx_check.c: the inner loop with shared memory watched */
void ptx_check_run (ptx_xwarp *x, const ptx_uop *I, uint8_t *rf, int full);

/* ---- ptx_check_barrier.c: with all checks on, barriers that the threads of a block do not all
 * reach alike. false: fault */
/* Fragment f arrives at a barrier all threads wait at, or as many as `count` says. */
bool ptx_check_arrival (ptx_xwarp *x, const ptx_fragment *f, uint32_t index, uint32_t count);
/* The running fragment, whose registers are rf, is about to carry out I. */
bool ptx_check_passing (ptx_xwarp *x, const ptx_uop *I, const uint8_t *rf);

/* ---- ptx_runtime.c: functions the module does not define. false: x->w.fault is set. */
bool ptx_runtime_call (ptx_xwarp *x, uint32_t i, const ptx_function *f);
/* One printf call as text. `args` reads the argument buffer. Returns the number of arguments, or -1
 * after a fault. */
typedef struct ptx_format_source {
  void *ud;
  bool (*read)(void *ud, uint32_t offset, void *out, uint32_t bytes);
  /* Text at a generic address, up to a NUL or `limit` bytes. */
  bool (*text)(void *ud, uint64_t address, size_t limit, lcu_buf *out);
} ptx_format_source;
int ptx_format (lcu_buf *out, const char *format, const ptx_format_source *source);

/* ---- ptx_fault.c */
/* Sets x->w.fault, for the executor's own findings. Returns false. */
bool ptx_fault_set (ptx_xwarp *x, uint32_t lane, ptx_fault_kind kind, const char *fmt, ...)
  LCU_PRINTF(4, 5);
/* Reports x->w.fault of the instruction at x->w.at in `frame` and stops the grid. The detail of an
 * assertion is "file\nline\nfunction\nexpression". */
void ptx_fault_report (ptx_xwarp *x, const ptx_frame *frame);
/* Reports a hang of the block: `text` is the whole account. */
void ptx_fault_hang (ptx_cta *c, ptx_fault_kind kind, const ptx_uop *at, const ptx_frame *frame,
                     const char *text);
/* After a fault: stops everything when lower blocks have had long enough to report an earlier
 * one. */
void ptx_grid_give_up (ptx_grid *g, bool now);
/* Stops the grid because of lcu_failure_get(). */
void ptx_grid_fail (ptx_grid *g, lcu_status status);
/* File (cut to what the user knows it by) and line of an instruction; line 0 when unknown. */
void ptx_locate (const ptx_frame *frame, const ptx_uop *at, char *file, size_t size, int *line);
/* "k.cu:12", or "" */
void ptx_locate_text (const ptx_frame *frame, const ptx_uop *at, char *out, size_t size);

/* ---- ptx_hang.c */
void ptx_hang_deadlock (ptx_cta *c);
void ptx_hang_livelock (ptx_worker *wk);

static inline uint32_t ptx_first_lane (uint32_t mask) { return (uint32_t)__builtin_ctz(mask); }
/* Usually of a full warp; counting is a call on the least of processors. */
static inline uint32_t ptx_popc (uint32_t mask) {
  return lcu_likely(mask == UINT32_MAX) ? PTX_LANES : (uint32_t)__builtin_popcount(mask);
}
/* Do all lanes of w->mask have this value? The usual question about operands that could differ but
 * are constants. */
static inline bool ptx_lanes_equal (const ptx_warp *w, const uint8_t *slot, uint32_t value) {
  const uint32_t *v = (const uint32_t *)__builtin_assume_aligned(slot, 64);
  uint32_t differ = 0;
  for (int l = 0; l < PTX_LANES; l++) differ |= (v[l] ^ value) & (uint32_t)w->lanes[l];
  return differ == 0;
}

/* Something other than waiting happened: tells the idle workers, if any. */
static inline void ptx_grid_progress (ptx_grid *g) {
  if (atomic_load_explicit(&g->idle, memory_order_relaxed) == 0) return;
  atomic_store_explicit(&g->progress_ms, (uint64_t)lcu_now_ms() + 1, memory_order_relaxed);
}

static inline bool ptx_grid_stopped (const ptx_grid *g, uint64_t block) {
  return atomic_load_explicit(&g->stop_from, memory_order_acquire) <= block;
}

/* ---- ptx_watch.c: ends from outside */

void ptx_watch_start (ptx_grid *g);
/* Before each turn of a fragment of a watched grid. True: the grid is ended with a fault, `f` is
 * where it was. */
bool ptx_watch (ptx_xwarp *x, const ptx_fragment *f);
void ptx_watch_idle (void *grid); /* while the caller only waits for the other workers */

#endif
