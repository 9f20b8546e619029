/* ptx_check.h: what runs only with all checks on: races and uninitialized reads, writes to memory
 * that is read as constant, and barriers that not all threads of a CTA reach alike. */
#ifndef PTX_CHECK_H
#define PTX_CHECK_H

#include "ptx_cta.h"
#include "ptx_ids.h"

/* One lane's access to consecutive bytes: of the instruction I, in the frame whose registers are
 * rf. */
typedef struct ptx_lane_access {
  ptx_xwarp *x;
  const ptx_uop *I;
  const uint8_t *rf;
  uint64_t address;
  uint32_t bytes, lane;
  ptx_access kind;
  bool async; /* through the proxy of asynchronous operations */
  /* Of a bulk copy: the number of the barrier object that it completes at, + 1, and the phase; 0:
   * none. */
  uint32_t object, phase;
  uint32_t layout; /* bits of the swizzle + 1; 0: not known */
  /* Of an asynchronous store to global memory: the bytes that it stores, and a bit for each byte of
   * a unit of 16 that it leaves out. NULL: not known. */
  const uint8_t *stored;
  uint16_t left_out;
} ptx_lane_access;

/* Who accessed a byte of shared memory: the thread, the source position, and the CTA's clock. Time
 * 0: nobody. */
typedef struct ptx_touch {
  uint32_t time, loc;
  uint16_t thread;
} ptx_touch;

/* The latest accesses to one byte of shared memory. The reads are by two warps, or by two lanes of
 * one, or both by one lane. */
struct ptx_shadow {
  uint32_t run; /* ptx_cta.run that it is about */
  bool initialized;
  uint32_t writers; /* lanes of the warp of `write` that have stored this value */
  bool copy;        /* `write` is by cp.async */
  bool bulk;        /* `write` is by a bulk copy; the rest is as in ptx_lane_access */
  bool guarded;     /* it is in a barrier object that is in use */
  uint8_t layout;
  uint32_t object, phase;
  ptx_touch write, atomic, read, other_read;
  ptx_touch product; /* the latest product to have read it: the first thread of its warp group */
};

/* ---- ptx_check.c */

/* The lanes of x->w.mask are about to carry out I. False: x->w.fault is set. */
bool ptx_check_before (ptx_xwarp *x, const ptx_uop *I, const ptx_frame *f);
/* They have, and the fragment goes on. */
void ptx_check_after (ptx_xwarp *x, const ptx_uop *I, const ptx_frame *f);

/* ---- ptx_check_access.c */

/* The number of the thread in its CTA. */
static inline uint16_t ptx_check_thread (const ptx_lane_access *a) {
  return (uint16_t)(a->x->w.warpid * PTX_LANES + a->lane);
}
/* Whether the program needs that byte of the access. */
bool ptx_check_uses (const ptx_uop *I, uint32_t byte);
/* Whether what it does depends on what is there. */
bool ptx_check_reads (const ptx_lane_access *a);
/* "read" and so on. */
const char *ptx_access_name (ptx_access kind);
/* Whether a thread of the block has passed a proxy fence since, and what to say if none has. */
bool ptx_check_proxied (const ptx_cta *c, uint32_t since);
extern const char ptx_no_proxy_fence[];
/* Sets x->w.fault for an access to global memory. */
void ptx_check_set (const ptx_lane_access *a, ptx_fault_kind kind, const char *detail);

/* ---- ptx_check_shared.c */

/* The access to shared memory, at an address in its window, is about to happen. False: x->w.fault
 * is set. */
bool ptx_check_shared (const ptx_lane_access *a, uint64_t address);
/* The thread learns that the operation has read its source: a read by this thread, now. */
void ptx_check_source_read (ptx_xwarp *x, const ptx_flight *f, uint32_t lane);
/* The CTA whose shared memory that is and the offset in it; NULL: it is out of bounds, which the
 * handler reports. */
ptx_cta *ptx_check_place (const ptx_lane_access *a, uint64_t address, uint32_t *offset);

/* ---- ptx_check_bounds.c */

/* The lanes of x->w.mask are about to carry out I. False: x->w.fault is set. */
bool ptx_check_bounds (ptx_xwarp *x, const ptx_uop *I, const ptx_frame *f);

/* ---- ptx_check_written.c */

/* The access to device memory is about to happen; written: the record of its bytes. False:
 * x->w.fault is set. */
bool ptx_check_written (const ptx_lane_access *a, uint8_t *written);

/* ---- ptx_check_global.c: what the threads of one grid have done to global memory */

typedef struct ptx_global_shadow ptx_global_shadow;
/* Of a grid of that kernel, which keeps some memory. NULL: out of memory. */
ptx_global_shadow *ptx_global_shadow_new (uint64_t num_ctas, ptx_code *code);
void ptx_global_shadow_free (ptx_global_shadow *s, ptx_code *code);
void ptx_global_pages_free (ptx_code *code);
/* The warp has passed a fence. */
void ptx_global_shadow_fence (const ptx_xwarp *x, ptx_global_shadow *s);
/* The access is about to happen. False: x->w.fault is set. */
bool ptx_check_global (const ptx_lane_access *a, ptx_global_shadow *s);
/* The same, for the source of a bulk copy. */
bool ptx_check_global_source (const ptx_lane_access *a, ptx_global_shadow *s);
/* An asynchronous store of the thread to these bytes is carried out. */
void ptx_global_shadow_land (const ptx_xwarp *x, uint32_t lane, uint64_t address, uint32_t bytes);

/* ---- ptx_check_prior.c: the grid before, which may still run */

/* The access of a grid with that record to global memory is about to happen. False: x->w.fault is
 * set. */
bool ptx_check_prior (const ptx_lane_access *a, const ptx_global_shadow *own);
/* The lanes of x->w.mask are about to carry out I. */
void ptx_check_dependency (ptx_xwarp *x, const ptx_uop *I);
/* The grid has ended: keeps what it did if the next one may begin before that. */
void ptx_check_keep (ptx_grid *g);

/* ---- ptx_check_box.c: bulk copies and boxes of tensors in global memory */

/* The lane is about to issue a copy of a box: checks the part in the tensor. False: x->w.fault is
 * set. */
bool ptx_check_box (ptx_xwarp *x, const ptx_uop *I, const uint8_t *rf, uint32_t lane);
/* Sets what a bulk copy to global memory stores. */
void ptx_check_bulk_values (ptx_lane_access *a);
/* The operation in flight is carried out for some of its lanes. */
void ptx_check_landing (ptx_xwarp *x, const ptx_flight *f, uint32_t lanes);

/* ---- ptx_check_changes.c: sets g->changes */
void ptx_find_changes (ptx_grid *g);

/* ---- ptx_check_lanes.c: the lanes of one warp among themselves */

/* Lanes of the warp have carried out an operation together that orders their accesses. */
void ptx_check_synced (ptx_xwarp *x, uint32_t lanes);
/* Whether nothing orders what lane `a` did at that time before what lane `b` does now. */
bool ptx_check_lanes_meet (const ptx_xwarp *x, uint32_t a, uint32_t b, uint32_t time);
/* The bytes of element e in the register that the lane stores; NULL: the instruction keeps them
 * elsewhere. */
const uint8_t *ptx_check_stored (const ptx_lane_access *a, uint32_t lane, uint32_t e);
/* Whether `lane` of the same instruction stores another value to byte k of the access. */
bool ptx_check_stores_other (const ptx_lane_access *a, uint32_t k, uint32_t lane);

/* ---- ptx_check_order.c: what each warp knows of the threads of its CTA */

/* Per thread, a time of the CTA's clock: what the thread did before it is done. */
typedef struct ptx_times {
  uint32_t of[PTX_MAX_THREADS];
} ptx_times;

/* The lanes leave there what their warp knows, and what they have done. */
void ptx_order_release (ptx_xwarp *x, uint32_t lanes, ptx_times *to);
/* The warp takes over what was left there. */
void ptx_order_acquire (ptx_xwarp *x, const ptx_times *from);
/* It has read something that is meant to meet other threads. */
void ptx_order_observe (ptx_xwarp *x);
/* The lanes have read something by which other blocks may have told them something. */
void ptx_order_hear (ptx_xwarp *x, uint32_t lanes);
/* Whether the lane may know anything of other blocks. */
bool ptx_order_heard (const ptx_xwarp *x, uint32_t lane);
/* Whether what the thread did at that time comes before what the warp does now. */
bool ptx_order_knows (const ptx_xwarp *x, uint32_t thread, uint32_t time);
/* The same, for some thread of a warp. */
bool ptx_order_knows_warp (const ptx_xwarp *x, uint32_t warp, uint32_t time);
/* The fragment arrives at a barrier of some threads. False: x->w.fault is set. */
bool ptx_order_arrive (ptx_xwarp *x, const ptx_fragment *f, uint32_t barrier);
/* The barrier is complete, and then: the fragment has waited there. */
void ptx_order_complete (ptx_cta *c, uint32_t barrier);
void ptx_order_pass (ptx_xwarp *x, const ptx_fragment *f, uint32_t barrier);

/* ---- ptx_check_object.c: barrier objects */

/* The lanes of x->w.mask are about to carry out I. False: x->w.fault is set. */
bool ptx_check_objects (ptx_xwarp *x, const ptx_uop *I, const uint8_t *rf);
/* They have. */
void ptx_note_objects (ptx_xwarp *x, const ptx_uop *I, const uint8_t *rf);
/* Sets a->object and a->phase for a copy that is about to be issued and completes at the object at
 * that address. False: x->w.fault is set. */
bool ptx_object_find (ptx_lane_access *a, uint64_t address);
/* Whether the thread, or one that it has met since, has waited for the phase of an object of the
 * CTA. */
bool ptx_object_known (const ptx_cta *c, const ptx_lane_access *a, uint32_t object, uint32_t phase);

/* ---- ptx_check_flight.c */

/* Whether a copy of cp.async by the thread that writes the byte at p is in flight. */
bool ptx_check_in_flight (const ptx_cta *c, uint32_t thread, const uint8_t *p);
/* The access is about to happen. False: x->w.fault is set. */
bool ptx_check_flight (const ptx_lane_access *a, uint8_t space);

/* The lanes of x->w.mask are about to carry out I. If they wait for bulk copies, these have read
 * their sources. */
void ptx_check_group_wait (ptx_xwarp *x, const ptx_uop *I);

/* ---- ptx_check_product.c */

/* The lanes of x->w.mask are about to carry out I. False: x->w.fault is set. */
bool ptx_check_products (ptx_xwarp *x, const ptx_uop *I, const ptx_frame *f);

/* ---- ptx_check_tile.c */

/* The lanes of x->w.mask are about to carry out I. If they wait for products, these have read their
 * matrices. */
void ptx_check_product_wait (ptx_xwarp *x, const ptx_uop *I);

/* ---- ptx_check_peer.c: other blocks of the cluster */

/* The block does something that other blocks can see. */
void ptx_check_tell (ptx_cta *c);
/* The same, and they learn of what the warp has done before its latest fence only. */
void ptx_check_tell_fenced (ptx_xwarp *x);
/* The access to shared memory, at an address in its window, is about to happen. False: x->w.fault
 * is set. */
bool ptx_check_peer (const ptx_lane_access *a, uint64_t address);

/* ---- ptx_check_cluster.c */

/* A thread of the block tells other blocks of its cluster what the block has done so far. */
void ptx_check_publish (ptx_cta *c);
/* A thread of the block arrives at the barrier of the cluster; the barrier is complete. */
void ptx_check_cluster_arrive (ptx_cta *c);
void ptx_check_cluster_met (ptx_cta *c);

/* ---- ptx_check_group.c: warp groups */

/* The lanes of x->w.mask are about to carry out I. False: x->w.fault is set. */
bool ptx_check_groups (ptx_xwarp *x, const ptx_uop *I, const ptx_frame *f);
/* When the first warp of the group waited for the product, which this one waits for now. It is the
 * `from_end`-th of those that the warp has issued. */
uint32_t ptx_group_read_time (ptx_xwarp *x, uint32_t from_end);
/* All threads of the block have ended. False: what its warps lacked was reported. */
bool ptx_check_end (ptx_cta *c);

/* ---- ptx_check_wrap.c */

/* The lanes of x->w.mask are about to carry out I. False: x->w.fault is set. */
bool ptx_check_wrapped (ptx_xwarp *x, const ptx_uop *I, const ptx_frame *f);

/* ---- ptx_check_shuffle.c. False: x->w.fault is set. */

/* The lanes of x->w.mask are about to carry out I. */
bool ptx_check_shuffle (ptx_xwarp *x, const ptx_uop *I, const uint8_t *rf);

/* ---- ptx_check_barrier.c. False: x->w.fault is set. */

/* Fragment f arrives at a barrier of all threads, or of `count`. */
bool ptx_check_arrival (ptx_xwarp *x, const ptx_fragment *f, uint32_t index, uint32_t count);

#endif
