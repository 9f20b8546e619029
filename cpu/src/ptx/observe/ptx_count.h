/* ptx_count.h: counting for a profile: what the inner loop and the launch call. */
#ifndef PTX_COUNT_H
#define PTX_COUNT_H

#include "ptx_cta.h"
#include "ptx_fragment.h"
#include "ptx_ids.h"
#include "ptx_profile.h"

/* Floating-point operations of a lane loop, per lane. */
typedef enum ptx_arithmetic_kind {
  PTX_ARITHMETIC_NONE,
  PTX_ARITHMETIC_F16,
  PTX_ARITHMETIC_F32,
  PTX_ARITHMETIC_F64
} ptx_arithmetic_kind;
typedef struct ptx_arithmetic {
  uint8_t kind, operations;
} ptx_arithmetic;

/* The sectors that a launch has touched: a hash table, 0 is empty. */
typedef struct ptx_sector_set {
  uint64_t *slots;
  size_t num, cap; /* cap: 0 or a power of two */
} ptx_sector_set;

struct ptx_profile {
  lcu_costs *costs;
  lcu_cost *counts; /* by source position, while a launch runs */
  uint32_t num_counts;
  ptx_sector_set sectors;
  bool failed; /* out of memory */
  ptx_arithmetic arithmetic[PTX_ID_COUNT];
};

/* ---- ptx_profile.c */

/* Before the launch runs: room for the counts of its module. */
lcu_status ptx_profile_begin (ptx_profile *p, const ptx_launch *launch);
/* After it: adds the counts to those of its kernel and lines. */
lcu_status ptx_profile_end (ptx_profile *p, const ptx_launch *launch);

/* ---- ptx_count.c */

/* The running fragment is about to carry out I with the lanes of w->mask, which may be none. */
void ptx_profile_step (ptx_profile *p, const ptx_warp *w, const ptx_uop *I, const ptx_frame *f);
/* The branch I parted the lanes. */
void ptx_profile_diverged (ptx_profile *p, const ptx_uop *I);

/* ---- ptx_trace.c */

/* Records the thread of p->costs->trace where I is the first instruction of another line. */
void ptx_trace_step (const ptx_profile *p, const ptx_warp *w, const ptx_uop *I, const ptx_frame *f);

/* ---- ptx_traffic.c: what one access costs. All spans have the same size. */

/* Sectors of 32 bytes that the spans touch, listed in `sectors`; *least: how many would hold as
 * many different bytes. */
enum { PTX_SECTOR = 32, PTX_MAX_SECTORS = PTX_LANES * 4 };
uint32_t ptx_traffic_sectors (const ptx_span *spans, uint32_t num, uint64_t *sectors,
                              uint32_t *least);
/* Passes over the 32 banks of shared memory, each 4 bytes wide; *least: without conflicts.
 * `atomic`: lanes that change the same word take turns. */
uint32_t ptx_traffic_wavefronts (const ptx_span *spans, uint32_t num, bool atomic, uint32_t *least);

#endif
