/* ptx_sreg_ops.c: special registers that have one value per warp (PTX ISA, chapter "Special
 * Registers"). ptx_int.def has the others. */
#include <time.h>

#include "ptx_sreg_ops.h"

static uint64_t nanoseconds (clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* %clock counts at 1 GHz. */
static uint64_t clock_now (void) { return nanoseconds(CLOCK_MONOTONIC); }

static uint64_t time_value (ptx_sreg r) {
  switch (r) {
    case PTX_SREG_CLOCK: return (uint32_t)clock_now();
    case PTX_SREG_CLOCK_HI: return clock_now() >> 32;
    case PTX_SREG_CLOCK64: return clock_now();
    case PTX_SREG_GLOBALTIMER: return nanoseconds(CLOCK_REALTIME);
    case PTX_SREG_GLOBALTIMER_LO: return (uint32_t)nanoseconds(CLOCK_REALTIME);
    case PTX_SREG_GLOBALTIMER_HI: return nanoseconds(CLOCK_REALTIME) >> 32;
    default: return 0;
  }
}

/* the part of the reserved shared memory that cooperative groups use */
enum { RUNTIME_BYTES = 288 };

static uint32_t round_up (uint32_t n, uint32_t unit) { return (n + unit - 1) / unit * unit; }

/* Registers without a meaning here read as 0. Sizes and offsets in shared memory are those of
 * compute capability 8.0 and later, as an H200 reports them. */
uint64_t ptx_sreg_value (const ptx_warp *w, ptx_sreg r) {
  int k;
  switch (r) {
    case PTX_SREG_NTID_X:
    case PTX_SREG_NTID_Y:
    case PTX_SREG_NTID_Z: return w->place->ntid[r - PTX_SREG_NTID_X];
    case PTX_SREG_CTAID_X:
    case PTX_SREG_CTAID_Y:
    case PTX_SREG_CTAID_Z: return w->place->ctaid[r - PTX_SREG_CTAID_X];
    case PTX_SREG_NCTAID_X:
    case PTX_SREG_NCTAID_Y:
    case PTX_SREG_NCTAID_Z: return w->place->nctaid[r - PTX_SREG_NCTAID_X];
    case PTX_SREG_CLUSTERID_X:
    case PTX_SREG_CLUSTERID_Y:
    case PTX_SREG_CLUSTERID_Z:
      k = (int)r - PTX_SREG_CLUSTERID_X;
      return w->place->ctaid[k] / w->cluster[k];
    case PTX_SREG_NCLUSTERID_X:
    case PTX_SREG_NCLUSTERID_Y:
    case PTX_SREG_NCLUSTERID_Z:
      k = (int)r - PTX_SREG_NCLUSTERID_X;
      return w->place->nctaid[k] / w->cluster[k];
    case PTX_SREG_CLUSTER_CTAID_X:
    case PTX_SREG_CLUSTER_CTAID_Y:
    case PTX_SREG_CLUSTER_CTAID_Z:
      k = (int)r - PTX_SREG_CLUSTER_CTAID_X;
      return w->place->ctaid[k] % w->cluster[k];
    case PTX_SREG_CLUSTER_NCTAID_X:
    case PTX_SREG_CLUSTER_NCTAID_Y:
    case PTX_SREG_CLUSTER_NCTAID_Z: return w->cluster[r - PTX_SREG_CLUSTER_NCTAID_X];
    case PTX_SREG_CLUSTER_CTARANK: return w->cluster_rank;
    case PTX_SREG_CLUSTER_NCTARANK: return w->num_peers;
    case PTX_SREG_IS_EXPLICIT_CLUSTER: return w->explicit_cluster ? UINT32_MAX : 0;
    case PTX_SREG_WARPID: return w->warpid;
    case PTX_SREG_NWARPID: return w->nwarpid;
    case PTX_SREG_SMID: return w->smid;
    case PTX_SREG_NSMID: return w->nsmid;
    case PTX_SREG_GRIDID: return w->gridid;
    case PTX_SREG_TOTAL_SMEM_SIZE: return round_up(w->total_shared, PTX_SHARED_UNIT);
    case PTX_SREG_AGGR_SMEM_SIZE: return PTX_SHARED_RESERVED + w->total_shared;
    case PTX_SREG_RESERVED_SMEM_END: return RUNTIME_BYTES;
    case PTX_SREG_RESERVED_SMEM_CAP: return PTX_SHARED_RESERVED;
    case PTX_SREG_DYNAMIC_SMEM_SIZE: return w->dynamic_shared;
    /* of grid synchronization, high word first */
    case PTX_SREG_ENVREG1: return w->envreg_workspace >> 32;
    case PTX_SREG_ENVREG2: return (uint32_t)w->envreg_workspace;
    default: return time_value(r);
  }
}
