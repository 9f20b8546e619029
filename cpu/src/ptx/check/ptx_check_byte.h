/* ptx_check_byte.h: an access to one byte of shared memory, for its checks. */
#ifndef PTX_CHECK_BYTE_H
#define PTX_CHECK_BYTE_H

#include "ptx_check.h"

/* One lane's access to one byte of shared memory. */
typedef struct ptx_byte_access {
  ptx_xwarp *x;
  ptx_cta *cta; /* whose memory it is */
  const ptx_uop *I;
  const ptx_lane_access *of;
  const uint8_t *memory;
  ptx_shadow *s;
  uint32_t offset, k; /* in the memory and in the lane's access */
  uint16_t thread;
  ptx_access kind;
  bool beside; /* some byte of the lane's access has been written */
} ptx_byte_access;

static inline ptx_touch ptx_byte_touch (const ptx_byte_access *a) {
  return (ptx_touch){ .time = a->x->cta->clock, .loc = a->I->loc, .thread = a->thread };
}

/* Sets x->w.fault: the access meets `before`, which was of that kind. Always false. */
bool ptx_byte_race (const ptx_byte_access *a, const ptx_touch *before, ptx_access kind);

/* ---- ptx_check_tile.c: tiles that products of the tensor cores have read. False: x->w.fault is
 * set. */

/* May the byte be overwritten: does the thread know that the product that has read it is done, if
 * there was one? */
bool ptx_product_done (const ptx_byte_access *a);

/* Whether nothing in the accessing block orders the access after `before`, one of its threads. */
bool ptx_byte_meets (const ptx_byte_access *a, const ptx_touch *before);
/* Whether the store leaves another value than what is there, or than `before` stores if that is of
 * the same instruction; NULL: it is not. */
bool ptx_byte_overwrites (const ptx_byte_access *a, const ptx_touch *before);

/* ---- ptx_check_cluster.c: blocks of a cluster. False: x->w.fault is set. */

/* A block accesses a byte of its own memory, which others may have accessed. */
bool ptx_byte_visited (const ptx_byte_access *a);
/* A block accesses a byte of another one; notes it. */
bool ptx_byte_visits (const ptx_byte_access *a);

/* ---- ptx_check_bulk.c: rules about bulk copies. False: x->w.fault is set. */

/* A bulk copy is issued that will write the byte; notes it. */
bool ptx_bulk_writes (const ptx_byte_access *a);
/* Does the thread know that the bulk copy that wrote the byte is complete, if one did? */
bool ptx_bulk_known (const ptx_byte_access *a);
/* May the asynchronous operation read the byte: as a matrix of this layout, and past a proxy fence
 * after the thread that wrote it? */
bool ptx_bulk_reads (const ptx_byte_access *a);
/* A thread stores to the byte: it must not be a part of a barrier object. */
bool ptx_bulk_stores (const ptx_byte_access *a);

#endif
