/* ptx_flight.h: asynchronous operations in flight: issued, and not carried out yet.
 *
 * An operation is carried out as late as the PTX ISA allows: when a wait for it returns. So a
 * kernel that forgets a wait computes with what was there before. Some complete at a barrier
 * object; they are in one list of the cluster, since others may wait for them. The rest complete
 * with a group of the thread that issued them, and are in lists of its warp.
 *
 * What a kernel has not waited for when its block ends: writes to global memory are carried out,
 * those to the shared memory that is going are not. */
#ifndef PTX_FLIGHT_H
#define PTX_FLIGHT_H

#include "ptx_warp.h"

/* The head of an operation; what it needs follows. */
struct ptx_flight {
  ptx_flight *next;
  /* Carries it out for some of its lanes; addresses were checked when it was issued. */
  void (*land)(ptx_flight *f, uint32_t lanes);
  size_t size; /* with what follows */
  /* What issued it, and where it writes, as the program sees it. */
  const ptx_uop *I;
  ptx_warp *w;
  uint64_t to, bar_address;
  uint32_t mask; /* lanes that issued it and wait for it */
  uint32_t group;
  uint64_t order; /* number of the operation in its warp */
  /* The barrier object at which it completes, NULL: none, and what that gets. */
  const void *bar;
  uint32_t bytes, arrivals;
  bool leaves;   /* it writes global memory */
  bool combines; /* it is a reduction */
  /* The bytes that it reads, in place or copied, and those that it writes. NULL: there are several
   * places, and `touches` says whether one of them has some of the `n` bytes at p. */
  const uint8_t *source, *target;
  uint32_t source_bytes, target_bytes;
  bool (*touches)(const ptx_flight *f, const uint8_t *p, uint32_t n);
  uint8_t *copied; /* the copy of the source, owned; NULL: none */
};

/* Adds a copy of *f to the operations that complete at f->bar. False: no memory for it. */
bool ptx_flight_to_barrier (ptx_warp *w, const ptx_flight *f);
/* The same, to the next group of its lanes. Without memory it is carried out now. */
void ptx_flight_to_group (ptx_warp *w, ptx_group_kind kind, ptx_flight *f);

/* Carries out the operations that complete at `bar`, up to `last`. */
void ptx_flights_land_at (ptx_flights *list, const void *bar, const ptx_flight *last);
/* The lanes commit a group. */
void ptx_groups_commit (ptx_warp *w, ptx_group_kind kind, uint32_t lanes);
/* The lanes of f, of those that wait until at most `left` of their latest groups are in flight,
 * whose group has to be complete. */
uint32_t ptx_flight_due (const ptx_warp *w, ptx_group_kind kind, const ptx_flight *f,
                         uint32_t lanes, uint32_t left);
/* The lanes wait until at most `left` of their latest groups are in flight. `read`: only until the
 * sources of the others have been read. */
void ptx_groups_wait (ptx_warp *w, ptx_group_kind kind, uint32_t lanes, uint32_t left, bool read);
/* Carries out all operations of a lane that are older than `order`, whatever group they are in. */
void ptx_groups_land_before (ptx_warp *w, ptx_group_kind kind, uint32_t lane, uint64_t order);

/* The block has ended, or was stopped: nothing is in flight any more. */
void ptx_flights_end (ptx_flights *list, bool stopped);

/* ---- ptx_copy.c */

/* Whether the copy of cp.async in flight, for that lane, writes the byte at p. */
bool ptx_copy_writes (const ptx_flight *f, uint32_t lane, const uint8_t *p);

#endif
