/* ptx_code.h: a function ready to run. */
#ifndef PTX_CODE_H
#define PTX_CODE_H

#include <stdatomic.h>

#include "ptx_shape.h"
#include "ptx_uop.h"

/* Compiled code is in two halves, one for each number of lanes that a warp may have on. */
enum { PTX_JIT_MASKED, PTX_JIT_FULL, PTX_JIT_HALVES };

/* A kernel is compiled for each class of block shapes, and again with all checks on. The number of
 * a form without these is its class. */
enum { PTX_JIT_FORMS = 2 * PTX_BLOCK_CLASSES };
static inline int ptx_jit_form_of (ptx_block_class blocks, bool checked) {
  return (int)blocks + (checked ? PTX_BLOCK_CLASSES : 0);
}

/* How far the compiler is with a half. From READY on it does not touch the code any more. */
typedef enum ptx_jit_state {
  PTX_JIT_NEW,
  PTX_JIT_LOOKING,   /* for code on the disk */
  PTX_JIT_MISSED,    /* there is none */
  PTX_JIT_COMPILING, /* and looking */
  PTX_JIT_READY,
  PTX_JIT_KEPT,   /* of FULL: was tried, and is faster */
  PTX_JIT_REFUSED /* stays with the interpreter */
} ptx_jit_state;

/* Compiled code of a kernel in one form, and what the executor measured: the
 * processor time of blocks, before there was any, and then both ways. FULL comes first, and its
 * state decides how blocks run. */
typedef struct ptx_jit_slot {
  const struct ptx_jit *_Atomic code; /* NULL: none */
  atomic_int state[PTX_JIT_HALVES];
  atomic_uint launches, turns; /* which of them are timed; whose turn it is */
  atomic_uint_fast64_t spent_ns, spent_warps;
  atomic_uint_fast64_t text_bytes[PTX_JIT_HALVES]; /* of what LLVM was to compile; 0: nothing */
  atomic_uint_fast64_t lacked; /* warps that had to be interpreted from where a half was missing */
  atomic_bool complete;        /* the trial is one of both halves */
  atomic_bool waited[PTX_JIT_HALVES]; /* the only worker has waited for it */
  atomic_bool found;                  /* a half is from the disk: an earlier process compiled it */
  struct {
    atomic_uint_fast64_t ns, blocks, turns;
  } trial[2]; /* interpreted, compiled */
} ptx_jit_slot;

/* Constants are registers: `constants` is copied into the frame, at constants_at, when the frame is
 * made. */
typedef struct ptx_code {
  ptx_uop *uops;
  /* per micro-operation: the instruction that it is a part of; NULL: added by the decoder */
  const ptx_inst **insts;
  uint32_t num_uops;
  const ptx_uop **bb_first; /* per basic block */
  const ptx_basic_block *bbs;
  uint32_t num_bbs;
  uint8_t *constants;
  uint32_t constants_at, constants_bytes;
  uint32_t frame_bytes; /* of the register file, a multiple of 64; see ptx_decode.h */
  /* The function parameter area: 32-bit words of 32 lanes each. Word k of a .param variable is at
   * params_at + (variable->offset / 4 + k) * 128. */
  uint32_t params_at;
  bool calls, allocates; /* has calls, has alloca: both need the stack of a thread */
  bool multiplies;       /* has wgmma */
  ptx_function *function;
  ptx_jit_slot jit[PTX_JIT_FORMS];
  void *_Atomic pages; /* the checks': records kept for the next run */
  void *_Atomic pool;  /* the executor's: CTAs kept for the next run */
} ptx_code;

#endif
