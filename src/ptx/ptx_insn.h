/* ptx_insn.h: decoded code and the state it runs on: the contract between the decoder (ptx_decode.c), the
 * operations (ptx_isa_*.c, compiled once per instruction set) and the executor (ptx_exec.c and friends).
 *
 * A handler does one instruction for one warp and returns the next one. A handler that must leave the loop
 * (barrier, end, fault, divergence the executor has to see to) sets w->event and returns NULL; w->at then holds the instruction. */
#ifndef PTX_INSN_H
#define PTX_INSN_H

#include "ptx_ast.h"
#include "ptx.h"

typedef struct ptx_insn ptx_insn;
typedef struct ptx_warp ptx_warp;
typedef const ptx_insn *(*ptx_handler) (const ptx_insn *I, uint8_t *rf, ptx_warp *w);

struct ptx_insn {
  ptx_handler fn[2];                /* [0] some lanes off (blend with w->lanes), [1] all 32 lanes on */
  int32_t d, a, b, c;               /* byte offsets into rf; -1 = absent */
  int64_t imm;                      /* address offset, addend, packed extras */
  union {
    const ptx_insn *target;         /* bra: first instruction of the target block */
    struct ptx_function *function;  /* direct call */
    const struct ptx_insn_extra *extra;   /* rare operands: vectors, call lists, wide forms */
    void *p;
  };
  uint32_t block;                   /* index of the basic block it belongs to (for bra: of the target, see also `block_here`) */
  uint32_t block_here;
  uint32_t loc;                     /* source position */
  uint16_t id;                      /* ptx_match.id */
  uint8_t space, vector;
  uint8_t size;                     /* bytes of one memory element */
  uint8_t negate;                   /* guard or predicate sense, per operation */
  uint16_t flags;                   /* PTX_F_* */
  uint32_t used_bytes;
};

struct ptx_insn_extra { uint32_t num; int32_t slots[16]; int64_t imm[4]; const ptx_inst *inst; void *p; };

/* A function ready to run. Constants are registers: `constants` is copied behind the allocated registers
 * when a frame is made (offset constants_at). */
typedef struct ptx_code {
  ptx_insn *insns; uint32_t num_insns;
  const ptx_insn **block_first;     /* per basic block */
  const ptx_block *blocks; uint32_t num_blocks;
  uint8_t *constants; uint32_t constants_at, constants_bytes;
  uint32_t frame_bytes;             /* registers + constants + parameter area, multiple of 64 */
  uint32_t params_at;               /* function parameter area: .param variables as 32-bit words, word k of a
                                       variable at params_at + (variable->offset / 4 + k) * 128, 32 lanes each */
  ptx_function *function;
} ptx_code;

/* Address windows, reserved once per process with no access, so that a generic address tells its space. 4 GiB each. */
extern uint64_t ptx_window_shared, ptx_window_local, ptx_window_param;
#define PTX_WINDOW_SIZE ((uint64_t)1 << 32)

typedef enum ptx_event {
  PTX_EV_NONE,
  PTX_EV_BLOCK_LIMIT,               /* fell into / branched to a block at or past w->limit: other lanes may join */
  PTX_EV_DIVERGE,                   /* bra: some lanes go, some stay; w->taken is set, w->at the bra */
  PTX_EV_RET, PTX_EV_EXIT, PTX_EV_CALL,
  PTX_EV_BARRIER, PTX_EV_WARP,      /* bar/barrier; shfl vote match redux bar.warp.sync elect */
  PTX_EV_YIELD,                     /* nanosleep, or a spin loop's back edge */
  PTX_EV_SYNC_OTHER,                /* anything else the executor does: call to vprintf etc. goes through PTX_EV_CALL */
  PTX_EV_FAULT                      /* w->fault is set */
} ptx_event;

/* What a faulting handler says; the executor adds kernel, block, thread and source line. */
typedef struct ptx_trap {
  const char *kind;                 /* a ptx_fault.kind */
  uint32_t lane;
  uint64_t address; uint32_t bytes; bool write; uint8_t space;
  char detail[256];                 /* may be empty */
} ptx_trap;

/* The part of a warp that operations touch. The executor embeds it first in its own structure. */
struct ptx_warp {
  uint32_t mask;                    /* lanes of the running fragment */
  uint32_t limit;                   /* lowest waiting block index; UINT32_MAX when nobody waits */
  _Alignas(64) int32_t lanes[PTX_LANES];       /* 0 / -1 for `mask` */
  ptx_event event;
  const ptx_insn *at;
  uint32_t taken;
  uint32_t budget;                  /* back edges left before a yield while others wait */
  ptx_trap fault;
  ptx_check check;
  /* memory of this thread block and warp */
  uint8_t *shared; uint32_t shared_bytes;
  uint8_t *local; uint32_t local_bytes;        /* lane l's bytes: local + l * local_stride; frame-relative addresses already include local_base */
  uint32_t local_stride, local_base;           /* local_base: start of the current frame's depot, bytes */
  const uint8_t *params; uint32_t param_bytes; /* kernel parameter block */
  ptx_range last[4];                /* recently hit allocations of this worker, checked first */
  const ptx_host *host;
  uint64_t instructions, thread_instructions;  /* counted by the loop when counters are asked for */
  /* special registers */
  uint32_t ctaid[3], nctaid[3], ntid[3], warpid, nwarpid, smid, nsmid;
  uint64_t gridid, envreg_workspace;
  uint32_t dynamic_shared, total_shared;
  uint16_t tid[3][PTX_LANES];
};

/* Handler tables of one instruction set; chosen once at start by ptx_isa_select. */
typedef struct ptx_isa { const char *name; const ptx_handler (*handlers)[2]; uint32_t num; } ptx_isa;
const ptx_isa *ptx_isa_select (void);

/* Tree -> flat code (ptx_decode.c). On an unknown instruction sets f->unsupported and returns LCU_E_UNSUPPORTED. */
lcu_status ptx_decode (ptx_function *f, lcu_arena *arena);

#endif
