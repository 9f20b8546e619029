/* ptx_check.h: what runs only with all checks on: races and uninitialized reads in shared memory,
 * and barriers that not all threads of a CTA reach alike. */
#ifndef PTX_CHECK_H
#define PTX_CHECK_H

#include "ptx_cta.h"

/* Who accessed a byte: the thread, and the CTA's epoch and fences at that time. Epoch 0: nobody. */
typedef struct ptx_touch {
  uint32_t epoch, fences;
  uint16_t thread;
} ptx_touch;

/* The latest accesses to one byte of shared memory. */
struct ptx_shadow {
  uint32_t run; /* ptx_cta.run that it is about */
  bool initialized;
  ptx_touch write, atomic, read, other_read; /* the reads are by two warps, or both by one */
};

/* ---- ptx_check.c */

/* The inner loop, with every access to shared memory checked. */
void ptx_check_run (ptx_xwarp *x, const ptx_uop *I, uint8_t *rf, int full);

/* Test hook: called before each micro-operation, guards left out; NULL: none. Kernels then run in
 * ptx_check_run whatever their checks are. */
extern void (*ptx_check_watcher)(const ptx_xwarp *x, const ptx_uop *I, const uint8_t *rf);

/* ---- ptx_check_barrier.c. False: x->w.fault is set. */

/* Fragment f arrives at a barrier of all threads, or of `count`. */
bool ptx_check_arrival (ptx_xwarp *x, const ptx_fragment *f, uint32_t index, uint32_t count);
/* The running fragment, whose registers are rf, is about to carry out I. */
bool ptx_check_passing (ptx_xwarp *x, const ptx_uop *I, const uint8_t *rf);

#endif
