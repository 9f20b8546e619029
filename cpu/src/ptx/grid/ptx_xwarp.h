/* ptx_xwarp.h: a warp as the executor sees it: a set of fragments.
 *
 * A fragment is a set of lanes that are at the same instruction of the same frame. Fragments of a
 * warp are disjoint and together hold all lanes that have not ended. They run one at a time, until
 * they reach a block where others wait to be joined, block, or yield. All state is on the heap, so
 * a warp can be left at any event and resumed later (cpu/docs/machine.md). */
#ifndef PTX_XWARP_H
#define PTX_XWARP_H

#include "ptx_frame.h"
#include "ptx_warp.h"

typedef struct ptx_cta ptx_cta;

typedef enum ptx_wait { PTX_READY, PTX_AT_BARRIER, PTX_AT_CLUSTER, PTX_AT_WARP_OP } ptx_wait;

typedef struct ptx_fragment {
  uint32_t mask;
  ptx_wait wait;
  uint32_t key; /* barrier index, or membermask */
  bool yielded; /* took the back edge of a loop that may wait: the others run first */
  const ptx_uop *pc;
  ptx_frame *frame;
} ptx_fragment;

/* How a run of a warp, or of a thread block, ended. */
typedef enum ptx_outcome {
  PTX_DONE,    /* all lanes have ended */
  PTX_BLOCKED, /* nothing can go on before another warp does something */
  PTX_YIELDED, /* can go on, but probably waits for others */
  PTX_STOPPED  /* a fault, or the grid was stopped */
} ptx_outcome;

enum { PTX_MAX_WARPS = 32 }; /* of a CTA */

struct ptx_xwarp {
  ptx_warp w; /* first: handlers get a pointer to it */
  ptx_cta *cta;
  uint32_t lanes_of; /* the mask that w.lanes expands */
  uint32_t valid;    /* lanes that exist */
  uint32_t fuel;     /* back edges until the running fragment must let the others go first */
  /* Since they were last cleared: ran something; spun, that is took back edges of loops that may
   * wait without storing anything; worked, that is stored, ended or computed at length. */
  bool ran, spun, worked;
  /* Lanes that arrived at the barrier of the cluster: that wait for others, and that need not. */
  uint32_t cluster_waited, cluster_passed;
  ptx_frame root, *spare;
  /* With all checks on, the CTA's clock: at the warp's latest fence, and at the latest operation in
   * which each lane waited for others of the warp. */
  uint32_t fenced, synced[PTX_LANES];
  uint32_t waited_run;     /* ptx_cta.run in which the warp has waited for the grid before */
  uint32_t product_fenced; /* ptx_cta.run in which the warp has passed wgmma.fence */
  /* The same, at each lane's latest fence.proxy.async, and latest wait; and per warp of the CTA, at
   * its latest fence when this one last read something that is meant to meet other threads. */
  uint32_t proxied[PTX_LANES], waited[PTX_LANES], announced[PTX_MAX_WARPS];
  /* The same, in which run a lane first read something that other blocks may have written to tell
   * it something, when it did, and the lanes that have done so. */
  uint32_t heard_run, heard, heard_lanes;
  struct ptx_defined *defined; /* with all checks on, for wgmma.fence; NULL: none yet */
  struct ptx_wraps *wraps; /* with all checks on: registers that wrapped around; NULL: none yet */
  /* Lanes for which the device runtime has an error, and the errors: see ptx_children.h. */
  uint32_t failed;
  uint16_t errors[PTX_LANES];
  uint64_t frame_memory; /* bytes of all frames but the root */
  uint32_t num;
  ptx_fragment frags[PTX_LANES + 1]; /* one more than lanes: a split precedes a merge */
};

/* Sets w.lanes, which handlers of some lanes read. */
void ptx_lanes_expand (ptx_xwarp *x, uint32_t mask);

/* Puts lanes at an instruction; they join a fragment that is ready there. */
void ptx_fragment_add (ptx_xwarp *x, uint32_t mask, const ptx_uop *pc, ptx_frame *frame,
                       bool yielded);
/* Takes fragment i out of the set; the last one moves into its place. */
void ptx_fragment_remove (ptx_xwarp *x, uint32_t i);
/* Makes fragment i ready at pc. It may join another one: i is not valid afterwards. */
void ptx_fragment_move (ptx_xwarp *x, uint32_t i, const ptx_uop *pc);
/* Keeps the lanes of `keep` in fragment i and gives the others one of their own, at the same
 * instruction. */
void ptx_fragment_split (ptx_xwarp *x, uint32_t i, uint32_t keep);

#endif
