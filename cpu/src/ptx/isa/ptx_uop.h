/* ptx_uop.h: micro-operations, the decoded form of PTX instructions, and the contract between the
 * decoder, the handlers and the executor.
 *
 * One PTX instruction becomes one or more micro-operations. A handler carries out one of them for
 * one warp and returns the next one. To leave the inner loop it sets w->event and w->at and returns
 * NULL (ptx_leave); the executor then does what the event says and resumes the warp later.
 *
 * Flow
 * - `I + 1` is always the way to fall through. A basic block ends in a branch or an END operation;
 *   where the next block has other predecessors, or is stored elsewhere, it ends in a `jump`.
 * - bra, bra_not, jump: I->target is the first micro-operation of basic block I->target_bb. I->imm
 *   is the index of the block that follows when the branch is not taken; -1 means I + 1, in the
 *   same block (the cases of brx). When all lanes go the same way the handler stays in the loop,
 *   unless other lanes may wait in the block that they go to (w->limit).
 * - guard: runs the next I->imm micro-operations with w->mask and w->lanes narrowed to the lanes
 *   whose predicate holds, then restores both.
 *
 * Events: w->at is
 * - PTX_EV_BB_LIMIT: the first micro-operation of the basic block to go on with.
 * - PTX_EV_YIELD: where to go on: the head of a loop, or I + 1 of nanosleep. A taken back edge
 *   costs 1 of w->budget, in a loop that may spin PTX_SPIN_COST; such a loop yields immediately
 *   while other lanes wait to be joined (w->limit != UINT32_MAX). The executor refills w->budget,
 *   never with 0, when it resumes the warp.
 * - PTX_EV_DIVERGE: the branch. The lanes of w->taken go to I->target; the others go on at
 *   code->bb_first[I->imm], or at I + 1.
 * - any other: I itself. The executor resumes at I + 1.
 * ret, exit and trap apply to all lanes of w->mask.
 *
 * Operands of operations that the executor carries out, or that need more than d, a, b, c, are in
 * I->extra->slots, in this order (-1: absent; immediates are constant registers):
 *     bar, barrier   d, barrier, thread count, predicate
 *     bar.warp.sync  membermask
 *     shfl           d, p, a, b, c, membermask
 *     vote           d, predicate, membermask
 *     match          d, p, a, membermask
 *     redux          d, a, membermask
 *     elect          d, p, membermask
 *     call           register of the target, or -1: extra->p is the ptx_function of a direct call,
 *                    NULL otherwise. The lists of results and arguments are in extra->inst.
 *     tex, tld4, suld, sust   see ptx_texture_ops.h */
#ifndef PTX_UOP_H
#define PTX_UOP_H

#include "ptx_ast.h"

typedef struct ptx_uop ptx_uop;
typedef struct ptx_warp ptx_warp;

/* rf: the register file of the running frame. */
typedef const ptx_uop *(*ptx_handler)(const ptx_uop *I, uint8_t *rf, ptx_warp *w);

struct ptx_uop {
  /* [0]: some lanes are off, blend with w->lanes. [1]: all 32 lanes are on. */
  ptx_handler fn[2];
  int32_t d, a, b, c; /* byte offsets into rf; -1: absent */
  int64_t imm;        /* address offset, addend, packed options */
  union {
    const ptx_uop *target;             /* branches */
    const struct ptx_uop_extra *extra; /* more operands */
  };
  uint32_t bb;        /* index of the basic block it is in */
  uint32_t target_bb; /* branches: that of the target; others: bb */
  uint32_t loc;       /* source position, an index into the module's */
  uint16_t id;        /* ptx_id */
  uint8_t space, vector;
  uint8_t size;   /* bytes of one memory element */
  uint8_t negate; /* the guard or predicate holds when it is false */
  uint16_t flags; /* PTX_F_*: those of the instruction, and those below */
  /* loads: bit per byte that the program needs, 0: all. Atomics: see ptx_atomic.h. */
  uint32_t used_bytes;
};

struct ptx_uop_extra {
  uint32_t num;
  int32_t slots[32];
  int64_t imm[4];
  const ptx_inst *inst;
  void *p;
};

enum { PTX_FENCE_PROXY = -1 }; /* imm of fence.proxy.async */
/* imm of nop, for the checks: 0, the number of registers that setmaxnreg asks for, or
 * griddepcontrol. */
enum { PTX_NOP_GRID_WAIT = -1, PTX_NOP_GRID_LAUNCH = -2 };

/* imm of async_group; `vector` is the ptx_group_kind. wait_group n is PTX_GROUP_WAIT + n, and with
 * `negate` wait_group.read n. */
enum {
  PTX_GROUP_FENCE, /* wgmma.fence, for the checks */
  PTX_GROUP_COMMIT,
  PTX_GROUP_ALL, /* cp.async.wait_all */
  PTX_GROUP_WAIT
};

/* Back edges that the fragments of a warp may take per round; how many one of a loop that may spin
 * counts for. */
#define PTX_FUEL 65536u
#define PTX_SPIN_COST 4096u

/* ptx_uop.flags, beside those of ptx_op.h. */
enum {
  /* loads and atom.cas: perhaps of the word around an atomic variable of 1 or 2 bytes. Only its
   * first byte has to be in bounds. */
  PTX_F_WORD = 1 << 7,
  PTX_F_ADDRESS32 = 1 << 8, /* accesses: the register at a is 32 bits wide */
  /* accesses: the address is imm alone (in local memory plus local_base). bar_sync: of all threads
   * at barrier imm */
  PTX_F_DIRECT = 1 << 9,
  PTX_F_VOLATILE = 1 << 10, /* volatile, relaxed, acquire, release: may meet other threads */
  /* accesses: an earlier access in the basic block found the addresses' shape: w->shapes[c] */
  PTX_F_KNOWN = 1 << 11,
  PTX_F_CARRY = 1 << 12,    /* arithmetic: imm is the slot of the carry */
  PTX_F_ORDERS = 1 << 13,   /* atomics: acquires or releases other accesses */
  PTX_F_CONSTANT = 1 << 14, /* loads: nothing may write there while the kernel runs (.nc) */
  PTX_F_GUESS = 1 << 15     /* loads: what others write there meanwhile is noticed (atom.cas) */
};

#endif
