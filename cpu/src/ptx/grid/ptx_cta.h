/* ptx_cta.h: thread blocks (CTAs). */
#ifndef PTX_CTA_H
#define PTX_CTA_H

#include "ptx_words.h"
#include "ptx_xwarp.h"

typedef struct ptx_grid ptx_grid;
typedef struct ptx_worker ptx_worker;
typedef struct ptx_shadow ptx_shadow;

enum { PTX_CTA_PAGES = 64 };
typedef struct ptx_numbered {
  uint64_t number;
  struct ptx_page *page;
} ptx_numbered;

enum { PTX_BARRIERS = 16, PTX_MAX_THREADS = PTX_MAX_WARPS * PTX_LANES };

typedef struct ptx_barrier {
  uint32_t count;                  /* lanes that arrived */
  uint32_t expected;               /* the given thread count; 0: all that have not ended */
  uint32_t popc;                   /* bar.red: lanes whose predicate held */
  uint32_t arrived[PTX_MAX_WARPS]; /* lanes by warp */
} ptx_barrier;

/* The CTAs of a cluster run as one: the worker only sees the first of them, of rank 0. A CTA
 * without a cluster is one of its own. */
typedef struct ptx_cluster {
  uint32_t size;
  uint32_t arrived; /* threads at its barrier */
  ptx_cta *ctas[PTX_MAX_CLUSTER];
  ptx_peer peers[PTX_MAX_CLUSTER];
  ptx_flying flying;
} ptx_cluster;

struct ptx_cta {
  ptx_cta *next; /* in the worker's list of free or parked CTAs */
  ptx_cta *lead; /* the first one of its cluster */
  ptx_grid *grid;
  ptx_worker *worker;
  const struct ptx_jit *jit; /* compiled code that it runs; NULL: it is interpreted */
  /* Since its start it has only run in ptx_lockstep.c, and all warps ended together; so did the
   * block before, for this grid, and its warps have been left as they were when it began. */
  bool steady, again;
  uint64_t linear; /* number in the grid */
  ptx_place place; /* the same per axis */
  uint32_t num_warps, num_threads;
  uint32_t alive, running; /* threads, warps that have not ended */
  uint32_t barriers_used;  /* bit per barrier at which lanes have arrived */
  uint32_t stale_passes;   /* latest passes over all warps in which all of them only waited */
  uint8_t *shared;
  ptx_shadow *shadow; /* with all checks on: one per byte of shared memory, or NULL */
  /* with all checks on: starts of CTAs in this memory; a clock of accesses, barriers and fences;
   * its time at the latest barrier of all threads */
  uint32_t run, clock, epoch;
  ptx_numbered pages[PTX_CTA_PAGES]; /* the same: of the grid's records, used last */
  ptx_word_visit words;   /* the same as `shadow`, for compiled code (ptx_fast_shared.c) */
  uint32_t latest_atomic; /* its time, of compiled code and of words that have left `words` */
  uint32_t waited; /* the same: a warp has waited for the grid before, and arrived anywhere since */
  uint32_t told; /* the same: its time at what other blocks of the cluster could see; 0: nothing */
  struct ptx_objects *objects; /* with all checks on: its barrier objects; NULL: none yet */
  struct ptx_groups *groups;   /* the same: what its warp groups have done */
  struct ptx_order *order;     /* the same: what its warps know of its threads */
  struct ptx_visits *visits;   /* the same: what other blocks of the cluster did in its memory */
  ptx_barrier barriers[PTX_BARRIERS];
  uint32_t shared_bytes, local_bytes; /* for reuse */
  uint32_t reserved_bytes; /* of `shared`, before the kernel's own: PTX_SHARED_RESERVED or 0 */
  ptx_cluster cluster;     /* of the first one */
  size_t bytes;            /* of the whole allocation */
  ptx_xwarp warps[];
};

/* A barrier of all threads: with all checks on, nothing before it meets what comes. */
static inline void ptx_cta_pass (ptx_cta *c) {
  c->epoch = ++c->clock;
  c->words.listed = 0;
  c->words.needed = false;
}

/* The index of a block by its number: those of a cluster have consecutive numbers. Of a grid of so
 * many blocks, in such clusters, and of grid g. */
void ptx_block_index (const uint32_t grid[3], const uint32_t cluster[3], uint64_t linear,
                      uint32_t *out);
void ptx_cta_index (const ptx_grid *g, uint64_t linear, uint32_t *out);

#endif
