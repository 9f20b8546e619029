/* ptx_jit.h: compiled code of a function: what the interpreter's inner loop does, from any entry up
 * to the next event. cpu/docs/machine.md, chapter 4. */
#ifndef PTX_JIT_H
#define PTX_JIT_H

#include "ptx.h"
#include "ptx_code.h"
#include "ptx_warp.h"

/* The warps that follow the one passed to compiled code. PTX_JIT_FULL runs them, too, from the same
 * entry, for as long as each warp ends or stops at the same __syncthreads() as the previous one. */
typedef struct ptx_jit_row {
  uint32_t left;                 /* not begun yet */
  int32_t did;                   /* set by compiled code: where the warps before stopped */
  uint64_t rf_bytes, warp_bytes; /* from one warp's registers, or from its state, to the next */
} ptx_jit_row;

/* Runs from the micro-operation `entry`. NULL: all warps that were begun left with w->event.
 * Otherwise the interpreter must go on with the last one there. */
typedef const ptx_uop *(*ptx_jit_run)(uint32_t entry, uint8_t *rf, ptx_warp *w, const ptx_uop *uops,
                                      ptx_jit_row *row);

typedef struct ptx_jit {
  _Atomic(ptx_jit_run) run[PTX_JIT_HALVES]; /* NULL: not there, or not yet */
  bool *entry;                              /* per micro-operation */
} ptx_jit;

/* A kernel is compiled once per form (ptx_code.h), each half when it is asked for; the
 * functions that it calls are interpreted. So is a kernel that cannot be compiled: it is too long,
 * it has loops that wait for other threads, or there is no libLLVM. */

/* Compiles a half now, or loads it from the folder (which may be NULL), unless that was done. */
void ptx_jit_force (ptx_code *code, int form, int half, const ptx_jit_folder *folder);

/* Loads it now if it is in the folder, unless that was tried. The state goes from NEW to another
 * one. */
void ptx_jit_look (ptx_code *code, int form, int half, const ptx_jit_folder *folder);

/* Notes in the folder that the interpreter is faster, for processes that look there. */
void ptx_jit_refuse (ptx_code *code, int form, int half, const ptx_jit_folder *folder);

/* Has it compiled in the background, or loaded. The state goes from NEW or MISSED to another
 * one. */
void ptx_jit_ask (ptx_code *code, int form, int half, const ptx_jit_folder *folder);

/* The compiled code, in which a half may be missing; NULL: interpret. A block may run it from its
 * start, as long as ptx_warp.in_step. */
static inline const ptx_jit *ptx_jit_of (const ptx_code *code, int form) {
  return atomic_load_explicit(&code->jit[form].code, memory_order_acquire);
}

/* NULL: it is not there. */
static inline ptx_jit_run ptx_jit_half (const ptx_jit *jit, int half) {
  return atomic_load_explicit(&jit->run[half], memory_order_acquire);
}

/* LLVM's process has been started: the next half takes that much less. */
bool ptx_jit_is_open (void);

/* Frees compiled code, also that on its way. `code` may be NULL. */
void ptx_jit_free (ptx_code *code);

#endif
