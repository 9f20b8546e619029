/* ptx_warp.h: a warp as handlers see it. The executor embeds it in its own ptx_xwarp. */
#ifndef PTX_WARP_H
#define PTX_WARP_H

#include "ptx.h"
#include "ptx_uop.h"

/* Why a handler left the inner loop; see ptx_uop.h. */
typedef enum ptx_event {
  PTX_EV_NONE,
  PTX_EV_BB_LIMIT, /* reached a basic block at or past w->limit, where other lanes may join */
  PTX_EV_DIVERGE,  /* some lanes take a branch, some do not; w->taken is set */
  PTX_EV_RET,
  PTX_EV_EXIT,
  PTX_EV_CALL,
  PTX_EV_BARRIER, /* bar, barrier */
  PTX_EV_WARP,    /* shfl vote match redux elect bar.warp.sync: members are missing */
  PTX_EV_YIELD,   /* nanosleep, or the back edge of a loop */
  PTX_EV_FAULT    /* w->fault is set */
} ptx_event;

/* Special registers that are the same in all warps of a thread block. */
typedef struct ptx_place {
  uint32_t ctaid[3], nctaid[3], ntid[3];
} ptx_place;

/* An access of another thread, for a report. */
typedef struct ptx_meeting {
  const char *access;            /* ptx_other.access; NULL: none */
  const char *between;           /* the words of a message about it; NULL: the usual ones */
  const struct ptx_trace *prior; /* of the grid before; NULL: of this one */
  uint64_t cta;                  /* its number in the grid */
  uint32_t thread, loc;
} ptx_meeting;

/* What a faulting handler reports. The executor adds kernel, block, thread and source line. */
typedef struct ptx_warp_fault {
  ptx_fault_kind kind;
  uint32_t lane;
  uint64_t address;
  uint32_t bytes;
  bool write;
  bool told; /* the detail describes the access */
  uint8_t space;
  const ptx_variable *variable; /* that it is about; NULL: it is not known */
  ptx_meeting other;
  char detail[1024]; /* may be empty */
} ptx_warp_fault;

/* The addresses of a full warp (without imm) as two rows of 16 lanes, each consecutive or equal. */
typedef struct ptx_shape {
  uint64_t lower, upper; /* of lanes 0 and 16 */
  /* one row: bytes from the first access to the end of the last; 0: the addresses are not rows */
  uint32_t bytes;
} ptx_shape;

/* A texture or surface that the warp used, by its handle. */
typedef struct ptx_bound {
  uint64_t handle;
  const ptx_texture *texture; /* NULL: the entry is empty */
  bool surface;
} ptx_bound;

/* A block of the warp's cluster. */
typedef struct ptx_peer {
  uint8_t *shared;       /* the storage of shared address 0, as that of ptx_warp */
  const uint32_t *alive; /* its threads that have not ended */
} ptx_peer;

/* Asynchronous operations that are not carried out yet, in their order (ptx_flight.h). */
typedef struct ptx_flight ptx_flight;
typedef struct ptx_flights {
  ptx_flight *first, *last;
} ptx_flights;

/* Those of a cluster that complete at barrier objects. */
typedef struct ptx_flying {
  ptx_flights at_barriers;
  bool any; /* whether a warp of the cluster has issued an operation of any kind */
} ptx_flying;

/* What their groups are committed by: cp.async, cp.async.bulk and wgmma.commit_group. */
typedef enum ptx_group_kind {
  PTX_GROUP_COPY,
  PTX_GROUP_BULK,
  PTX_GROUP_PRODUCT,
  PTX_GROUP_KINDS
} ptx_group_kind;

/* Textures kept at a time. */
#define PTX_BOUND 4

/* Shapes kept at a time: one per address register in use. The last one is never kept. Accesses that
 * share one take the slow path when they are to different allocations. */
#define PTX_SHAPES 33

enum { PTX_GROUP_WARPS = 4 }; /* of a warp group */

/* With all checks on, what compiled code calls (ptx_checked.c). */
typedef struct ptx_checks {
  /* Carries out an operation as the interpreter does, with all checks. */
  ptx_handler step;
  /* An access is about to happen, which is in bounds. True: it breaks no rule, and is noted. False:
   * `step` must look at it; nothing is noted. `bits` are its lanes. Addresses are in the space's
   * window. Those of rows of 16 lanes, from low and high on, are `distance` bytes apart. */
  bool (*shared)(const ptx_uop *I, ptx_warp *w, uint32_t bits, uint32_t from,
                 const uint32_t *offsets);
  bool (*shared_one)(const ptx_uop *I, ptx_warp *w, uint32_t bits, uint32_t address);
  bool (*shared_rows)(const ptx_uop *I, ptx_warp *w, uint32_t bits, uint32_t low, uint32_t high,
                      uint32_t distance);
  bool (*global)(const ptx_uop *I, ptx_warp *w, uint32_t bits, uint64_t from,
                 const uint32_t *offsets);
  bool (*global_one)(const ptx_uop *I, ptx_warp *w, uint64_t address);
  bool (*global_rows)(const ptx_uop *I, ptx_warp *w, uint32_t bits, uint64_t low, uint64_t high,
                      uint32_t distance);
  /* A store, which this makes as well, of elements side by side in each row. */
  bool (*store_rows)(const ptx_uop *I, ptx_warp *w, uint32_t bits, uint64_t low, uint64_t high,
                     const void *values);
} ptx_checks;

/* Allocations that a grid may change: `bases`, or all. */
enum { PTX_MOST_CHANGES = 8 };
typedef struct ptx_changes {
  bool all;
  uint32_t num;
  uint64_t bases[PTX_MOST_CHANGES];
} ptx_changes;

struct ptx_warp {
  uint32_t mask;  /* lanes of the running fragment */
  uint32_t alive; /* lanes that have not ended */
  uint32_t limit; /* lowest basic block where other lanes wait to be joined; UINT32_MAX: none */
  _Alignas(64) int32_t lanes[PTX_LANES]; /* `mask` as 0 or -1 */
  ptx_event event;
  const ptx_uop *at;
  uint32_t taken;
  uint32_t budget; /* back edges left before a yield */
  /* Set to 1 by a store to global or shared memory and by an atomic that changed a value; cleared
   * by the executor. Distinguishes a spin loop that makes progress from one that waits. */
  uint32_t stored;
  /* Lanes that parted have always met again where all of them come by, and no base of a claim has
   * wrapped around (ptx_shape.h); false until the block ends once a fragment lets others go. Also
   * false once a warp is interpreted in a block that runs compiled code: nobody checks then whether
   * bases wrap around. */
  bool in_step;
  bool singly; /* each operation is looked at: products do not run together (ptx_tensor.h) */
  ptx_check check;
  const ptx_checks *checks;
  const ptx_changes *changes;
  const struct ptx_word_loops *words;
  const struct ptx_word_visit *touched;
  /* the block's clock, its time at the latest barrier, and at the latest atomic */
  uint32_t *clock;
  const uint32_t *epoch, *latest_atomic;
  /* Memory of the thread block and the warp. `shared` is the storage of shared address 0, which may
   * be outside the block's own part: that is [shared_from, shared_end). */
  uint8_t *shared;
  uint32_t shared_from, shared_end;
  const ptx_peer *peers; /* the blocks of the cluster, by rank */
  uint32_t num_peers;
  uint8_t *local;       /* see ptx_local_word */
  uint32_t local_bytes; /* per lane */
  uint32_t local_base;  /* where the frame's local memory starts: a multiple of 16 */
  /* alloca (9.7.17): where the memory starts that a lane took; the lowest of them */
  uint32_t stack[PTX_LANES], stack_low;
  const uint8_t *params;
  uint32_t param_bytes; /* of the kernel's parameters */
  /* per c of an access: the live allocation it met last; size 0: none */
  ptx_range last[PTX_SHAPES];
  ptx_shape shapes[PTX_SHAPES]; /* valid within a basic block */
  ptx_bound bound[PTX_BOUND];
  const ptx_host *host;
  /* Takes a cluster of the grid that has not started: the index of its first block. False: none is
   * left. */
  bool (*cancel)(ptx_warp *w, uint32_t ctaid[3]);
  /* In flight: what completes at barrier objects of the cluster, and with groups of this warp's
   * lanes; the groups that they have committed. The numbers go on from block to block. */
  ptx_flying *flying;
  ptx_flights in_groups[PTX_GROUP_KINDS];
  uint32_t committed[PTX_GROUP_KINDS][PTX_LANES];
  uint64_t issued; /* operations */
  /* The warps of its warp group, NULL: there is none; products of the group (wgmma) that this warp
   * has issued in this block. */
  ptx_warp *mates[PTX_GROUP_WARPS];
  uint32_t products;
  uint64_t instructions, thread_instructions; /* counted when the caller wants counters */
  /* special registers */
  const ptx_place *place;
  uint32_t warpid, nwarpid, smid, nsmid;
  uint32_t cluster[3], cluster_rank; /* its blocks per axis; the block's number in it */
  bool explicit_cluster;
  uint64_t gridid, envreg_workspace;
  uint32_t dynamic_shared, total_shared; /* bytes, without the reserved ones */
  uint16_t tid[3][PTX_LANES];
  ptx_warp_fault fault;
};

/* After lanes gave memory back: sets stack_low. */
static inline void ptx_stack_measure (ptx_warp *w) {
  w->stack_low = w->local_bytes;
  for (int l = 0; l < PTX_LANES; l++)
    if (w->stack[l] < w->stack_low) w->stack_low = w->stack[l];
}
/* No lane has taken any. */
static inline void ptx_stack_reset (ptx_warp *w) {
  w->stack_low = w->local_bytes;
  for (int l = 0; l < PTX_LANES; l++) w->stack[l] = w->local_bytes;
}

/* Leaves the inner loop with an event: the return value of a handler. */
static inline const ptx_uop *ptx_leave (ptx_warp *w, ptx_event event, const ptx_uop *at) {
  w->event = event;
  w->at = at;
  return NULL;
}

static inline uint32_t ptx_first_lane (uint32_t mask) { return (uint32_t)__builtin_ctz(mask); }

/* The mask is usually full, and the oldest processors count by a call. */
static inline uint32_t ptx_popc (uint32_t mask) {
  return lcu_likely(mask == UINT32_MAX) ? PTX_LANES : (uint32_t)__builtin_popcount(mask);
}

/* Whether all lanes of w->mask hold this value: for operands that may differ but rarely do. */
static inline bool ptx_lanes_equal (const ptx_warp *w, const uint8_t *slot, uint32_t value) {
  const uint32_t *v = (const uint32_t *)__builtin_assume_aligned(slot, 64);
  uint32_t differ = 0;
  for (int l = 0; l < PTX_LANES; l++) differ |= (v[l] ^ value) & (uint32_t)w->lanes[l];
  return differ == 0;
}

#endif
