/* ptx_insn.h: decoded code and the state it runs on: the contract between the decoder
 * (ptx_decode.c), the operations (ptx_isa_*.c, compiled once per instruction set) and the executor
 * (ptx_exec.c and friends).
 *
 * A handler does one instruction for one warp and returns the next one. A handler that must leave
 * the loop (barrier, end, fault, divergence the executor has to see to) sets w->event and returns
 * NULL; w->at then holds the instruction. */
#ifndef PTX_INSN_H
#define PTX_INSN_H

#include "ptx_ast.h"
#include "ptx.h"

typedef struct ptx_uop ptx_uop;
typedef struct ptx_warp ptx_warp;
typedef const ptx_uop *(*ptx_handler)(const ptx_uop *I, uint8_t *rf, ptx_warp *w);

struct ptx_uop {
  /* [0] some lanes off (blend with w->lanes), [1] all 32 lanes on */
  ptx_handler fn[2];
  int32_t d, a, b, c; /* byte offsets into rf; -1 = absent */
  int64_t imm;        /* address offset, addend, packed extras */
  union {
    const ptx_uop *target;             /* bra: first instruction of the target block */
    struct ptx_function *function;     /* direct call */
    const struct ptx_uop_extra *extra; /* rare operands: vectors, call lists, wide forms */
    void *p;
  };
  /* index of the basic block it belongs to (for bra: of the target, see also `bb`) */
  uint32_t target_bb;
  uint32_t bb;
  uint32_t loc; /* source position */
  uint16_t id;  /* ptx_match.id */
  uint8_t space, vector;
  uint8_t size;   /* bytes of one memory element */
  uint8_t negate; /* guard or predicate sense, per operation */
  uint16_t flags; /* PTX_F_* */
  uint32_t used_bytes;
};

struct ptx_uop_extra {
  uint32_t num;
  int32_t slots[16];
  int64_t imm[4];
  const ptx_inst *inst;
  void *p;
};

/* A function ready to run. Constants are registers: `constants` is copied behind the allocated
 * registers when a frame is made (offset constants_at). */
typedef struct ptx_code {
  ptx_uop *uops;
  uint32_t num_uops;
  const ptx_uop **bb_first; /* per basic block */
  const ptx_basic_block *bbs;
  uint32_t num_bbs;
  uint8_t *constants;
  uint32_t constants_at, constants_bytes;
  uint32_t frame_bytes; /* registers + constants + parameter area, multiple of 64 */
  uint32_t params_at;   /* function parameter area: .param variables as 32-bit words, word k of a
                                       variable at params_at + (variable->offset / 4 + k) * 128, 32 lanes each */
  ptx_function *function;
  void *_Atomic pool; /* thread blocks kept for the next run; the executor's */
  _Atomic int calls;  /* 0 not looked yet, 1 no, 2 yes; the executor's */
} ptx_code;

/* Address windows, reserved once per process with no access, so that a generic address tells its
 * space. 4 GiB each. */
extern uint64_t ptx_window_shared, ptx_window_local, ptx_window_param;
#define PTX_WINDOW_SIZE ((uint64_t)1 << 32)

/* Addresses below belong to null pointers. */
#define PTX_NULL_BYTES ((uint64_t)1 << 16)

/* Reserves them; any number of times, by ptx_module_load and ptx_run. */
lcu_status ptx_window_reserve (void);

/* Gives back what earlier runs of a kernel's code left for the next one (ptx_module_free). */
void ptx_cta_pool_free (struct ptx_code *code);

/* Rules between operations and executor:
 * - A handler that stays in the loop returns the next instruction. A basic block ends in a branch,
 *   an END operation or, where the next block has other predecessors or does not follow, an
 *   explicit jump, so that `I + 1` is always the right way to fall through.
 * - bra (ids bra, bra_not, jump): I->target is the first instruction of block I->target_bb; I->imm
 *   is the index of the block that follows when the branch is not taken, -1 when that is the
 *   instruction behind it, in the same block (cases of brx). Uniform outcomes stay inside the
 *   handler.
 * - PTX_EV_BB_LIMIT: w->at is the first instruction of the block to go on with (its bb).
 * - PTX_EV_YIELD: the same, w->at is where to go on: the head of a loop, or the instruction behind
 *   nanosleep. A taken back edge costs budget 1, in a spin-capable loop PTX_SPIN_COST; in a
 *   spin-capable loop it yields at once when others wait (limit != UINT32_MAX). The executor
 *   refills w->budget (never 0) when it resumes.
 * - PTX_EV_DIVERGE: w->at is the bra, w->taken the lanes that go to I->target; the others go on at
 *   code->bb_first[I->imm], or behind it.
 * - All other events: w->at is the instruction itself; the executor goes on at w->at + 1 when it is
 *   done.
 * - Guarded ordinary instructions are preceded by a `guard` instruction, which runs them with a
 *   narrowed w->mask and w->lanes and restores both.
 * - Where an instruction needs more than d, a, b, c, I->extra holds the slots (always for the
 *   following; -1 = absent; immediates are constant registers) and I->extra->inst the parsed
 *   instruction:
 *     bar/barrier   d, barrier, thread count, predicate         (ids bar_sync bar_arrive bar_red_popc bar_red_and bar_red_or)
 *     bar.warp.sync membermask                                  (id bar_warp_sync)
 *     shfl          d, p, a, b, c, membermask                   (ids shfl_up shfl_down shfl_bfly shfl_idx)
 *     vote          d, predicate, membermask                    (ids vote_all vote_any vote_uni vote_ballot)
 *     match         d, p, a, membermask                         (ids match_any_b32 match_any_b64 match_all_b32 match_all_b64)
 *     redux         d, a, membermask                            (ids redux_add redux_min_s32 redux_max_s32 redux_min_u32 ...)
 *     elect         d, p, membermask                            (id elect)
 *     call          target register (indirect) or -1; extra->p is the ptx_function of a direct call, NULL otherwise
 *                   extra->inst->operands: LIST of results (maybe absent), target, LIST of
 *                   arguments (maybe absent), PROTO
 *     nanosleep     nothing: the event is PTX_EV_YIELD, w->at the next instruction
 *   Handlers of these only set the event (bar: PTX_EV_BARRIER; shfl vote match redux elect
 *   bar.warp.sync: PTX_EV_WARP).
 * - ret, exit, trap, brkpt act on all lanes of w->mask (PTX_EV_RET, PTX_EV_EXIT; trap is a fault
 *   "trap").
 * - Local memory is interleaved: 4-byte word k of lane l is at w->local + (k * 32 + l) * 4, so that
 *   equal offsets of a warp are contiguous (ptx_local_word). A local address is a byte offset into
 *   that, local_base included. */
#define PTX_SPIN_COST 4096u

/* ptx_uop.flags beside PTX_F_*; of loads, stores and atomics: how the address comes about. */
enum {
  PTX_F_ADDRESS32 = 1 << 8, /* the register at a is 32 bits wide */
  /* no register: imm alone (plus local_base in local memory); bar_sync: of barrier imm, all
   * threads */
  PTX_F_DIRECT = 1 << 9,
  /* the addresses' shape is in w->shapes[c]: found by an earlier access of the block */
  PTX_F_KNOWN = 1 << 11,
  /* volatile, relaxed, acquire, release: meant to meet accesses of other threads */
  PTX_F_VOLATILE = 1 << 10,
  PTX_F_CARRY = 1 << 12, /* arithmetic: imm is the slot of the carry */
  PTX_F_ORDERS = 1 << 13 /* atomic: acquires or releases what other accesses did */
};

/* For the handlers of warp operations: carries it out when all members are in the running fragment
 * (the usual case). False: leave with PTX_EV_WARP. */
bool ptx_exchange_now (const ptx_uop *I, uint8_t *rf, ptx_warp *w);

typedef enum ptx_event {
  PTX_EV_NONE,
  /* fell into / branched to a block at or past w->limit: other lanes may join */
  PTX_EV_BB_LIMIT,
  /* bra: some lanes go, some stay; w->taken is set, w->at the bra */
  PTX_EV_DIVERGE,
  PTX_EV_RET,
  PTX_EV_EXIT,
  PTX_EV_CALL,
  PTX_EV_BARRIER,
  PTX_EV_WARP,  /* bar/barrier; shfl vote match redux bar.warp.sync elect */
  PTX_EV_YIELD, /* nanosleep, or a spin loop's back edge */
  /* anything else the executor does: call to vprintf etc. goes through PTX_EV_CALL */
  PTX_EV_SYNC_OTHER,
  PTX_EV_FAULT /* w->fault is set */
} ptx_event;

/* What a faulting handler says; the executor adds kernel, block, thread and source line. */
typedef struct ptx_warp_fault {
  ptx_fault_kind kind;
  uint32_t lane;
  uint64_t address;
  uint32_t bytes;
  bool write;
  uint8_t space;
  char detail[1024]; /* may be empty */
} ptx_warp_fault;

/* Addresses (without imm) of a full warp as two rows of 16 lanes, each consecutive or equal. */
#define PTX_SHAPES \
  9 /* of as many address registers as are used in turn; the last is kept for no one */
typedef struct ptx_shape {
  uint64_t lower, upper; /* of lanes 0 and 16 */
  /* of one row: its lanes' accesses together, or the same one; 0: no rows */
  uint32_t bytes;
} ptx_shape;

/* The part of a warp that operations touch. The executor embeds it first in its own structure. */
struct ptx_warp {
  uint32_t mask;  /* lanes of the running fragment */
  uint32_t alive; /* lanes that have not ended */
  uint32_t limit; /* lowest waiting block index; UINT32_MAX when nobody waits */
  _Alignas(64) int32_t lanes[PTX_LANES]; /* 0 / -1 for `mask` */
  ptx_event event;
  const ptx_uop *at;
  uint32_t taken;
  uint32_t budget; /* back edges left before a yield while others wait */
  uint32_t stored; /* set to 1 by a store to global or shared memory and by an atomic that changed a
                                       value; the executor clears it: tells a spin loop that works from one that waits */
  ptx_check check;
  /* memory of this thread block and warp */
  /* storage of shared address 0, which need not be the block's: */
  uint8_t *shared;
  uint32_t shared_from, shared_end; /* addresses that are */
  /* bytes per lane; interleaved, see ptx_local_word; addresses already include local_base */
  uint8_t *local;
  uint32_t local_bytes;
  /* start of the current frame's depot: byte offset, multiple of 16 */
  uint32_t local_base;
  const uint8_t *params;
  uint32_t param_bytes; /* kernel parameter block */
  /* the live allocation an access with this c met last; size 0 = unused */
  ptx_range last[PTX_SHAPES];
  /* what loads and stores found out; valid within a basic block */
  ptx_shape shapes[PTX_SHAPES];
  const ptx_host *host;
  uint64_t instructions, thread_instructions; /* counted by the loop when counters are asked for */
  /* special registers */
  uint32_t ctaid[3], nctaid[3], ntid[3], warpid, nwarpid, smid, nsmid;
  uint64_t gridid, envreg_workspace;
  uint32_t dynamic_shared, total_shared; /* bytes; without what is reserved */
  uint16_t tid[3][PTX_LANES];
  ptx_warp_fault fault;
};

/* Handler tables of one instruction set; chosen once at start by ptx_isa_select. */
typedef struct ptx_isa {
  const char *name;
  const ptx_handler (*handlers)[2];
  uint32_t num;
} ptx_isa;
const ptx_isa *ptx_isa_select (void);

/* Tree -> flat code (ptx_decode.c), after ptx_cfg_build and ptx_regs_allocate. On an unknown
 * instruction sets f->unsupported and returns LCU_E_UNSUPPORTED. */
lcu_status ptx_decode (ptx_function *f, lcu_arena *arena);

/* Places and initialises a .global or .const variable once; afterwards v->address is set (module
 * layout). */
lcu_status ptx_variable_place (struct ptx_module *m, ptx_variable *v);

/* Address of the word that holds byte `offset` of lane `lane`'s local memory. */
static inline uint8_t *ptx_local_word (const ptx_warp *w, uint32_t lane, uint32_t offset) {
  return w->local + (size_t)(offset / 4) * (4 * PTX_LANES) + lane * 4 + offset % 4;
}

/* Storage behind an address of one lane: all checks done, `bytes` long and contiguous but for local
 * memory, where only bytes within one 4-byte word are. NULL: w->fault is set. `space` is
 * PTX_GENERIC or a real one. */
uint8_t *ptx_memory_at (ptx_warp *w, uint8_t space, uint32_t lane, uint64_t address, uint32_t bytes,
                        bool write);
/* Copies between a lane's memory and the host, any space (printf arguments and the like). false:
 * w->fault is set. */
bool ptx_memory_read (ptx_warp *w, uint8_t space, uint32_t lane, uint64_t address, void *out,
                      uint32_t bytes);
bool ptx_memory_write (ptx_warp *w, uint8_t space, uint32_t lane, uint64_t address, const void *in,
                       uint32_t bytes);

#endif
