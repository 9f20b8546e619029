/* ptx_exchange.h: operations in which the lanes of a warp exchange values: shfl vote match redux
 * elect bar.warp.sync (PTX ISA 9.7.9.6, 9.7.13.9 to 9.7.13.15).
 *
 * The lanes named by the membermask need not be in one fragment. When they are, ptx_exchange_any
 * carries the operation out in the inner loop; otherwise the executor collects the members
 * (ptx_warp_ops.c), and each reads and writes by its own micro-operation and frame. */
#ifndef PTX_EXCHANGE_H
#define PTX_EXCHANGE_H

#include "ptx_ids.h"
#include "ptx_warp.h"

/* The values that the members put in and get out. */
typedef struct ptx_exchange {
  uint32_t members;
  uint64_t value[PTX_LANES];
  uint32_t b[PTX_LANES], c[PTX_LANES];
  uint64_t result[PTX_LANES];
  bool flag[PTX_LANES]; /* second result */
} ptx_exchange;

/* Operations that share a form. */
typedef struct ptx_exchange_kind ptx_exchange_kind;

/* NULL when `id` is not such an operation. */
const ptx_exchange_kind *ptx_exchange_kind_of (uint16_t id);

/* Handler of every such operation: carries it out if w->mask has all members that have not ended,
 * which is usual, and otherwise leaves the inner loop. */
const ptx_uop *ptx_exchange_any (const ptx_uop *I, uint8_t *rf, ptx_warp *w);

/* Whether the operation needs all lanes of the warp at one instruction: products of matrices and
 * what moves their fragments. Its masked handler is ptx_whole_warp_wait. */
static inline bool ptx_id_whole_warp (uint16_t id) {
  return id >= PTX_ID_mma_f32 && id <= PTX_ID_movmatrix;
}
/* Leaves the inner loop until the other lanes come; a fault if they have ended or never were. */
const ptx_uop *ptx_whole_warp_wait (const ptx_uop *I, ptx_warp *w);

/* The lanes of `mask` (= w->mask) that name the same members as its first lane: *members. */
uint32_t ptx_exchange_group (const ptx_warp *w, const ptx_exchange_kind *y, const ptx_uop *I,
                             const uint8_t *rf, uint32_t mask, uint32_t *members);

/* The operation among the lanes of `mask`. */
void ptx_exchange_run (const ptx_exchange_kind *y, const ptx_uop *I, uint8_t *rf, uint32_t mask);

/* Its three steps, for members that are not in one fragment: set e->members to 0, gather every
 * part, apply, scatter every part. */
void ptx_exchange_gather (ptx_exchange *e, const ptx_exchange_kind *y, const ptx_uop *I,
                          const uint8_t *rf, uint32_t mask);
void ptx_exchange_apply (ptx_exchange *e, const ptx_exchange_kind *y, uint16_t id);
void ptx_exchange_scatter (const ptx_exchange *e, const ptx_exchange_kind *y, const ptx_uop *I,
                           uint8_t *rf, uint32_t mask);

/* Source lane of shfl; false when it is outside the segment (PTX ISA 9.7.9.6). */
static inline bool ptx_shfl_source (uint16_t id, uint32_t lane, uint32_t b, uint32_t c,
                                    uint32_t *source) {
  uint32_t bval = b & 31, cval = c & 31, segment = (c >> 8) & 31;
  uint32_t last = (lane & segment) | (cval & ~segment), first = lane & segment;
  switch (id) {
    case PTX_ID_shfl_up: *source = lane - bval; return (int32_t)(lane - bval) >= (int32_t)last;
    case PTX_ID_shfl_down: *source = lane + bval; return lane + bval <= last;
    case PTX_ID_shfl_bfly: *source = lane ^ bval; return (lane ^ bval) <= last;
    default: *source = first | (bval & ~segment); return *source <= last;
  }
}

#endif
