/* ptx_op.h: what an instruction is: types, operand roles, flags. One row of ptx_ops.def per
 * operation; matching turns the dotted parts of a parsed instruction into an operation, its types
 * and its flags. */
#ifndef PTX_OP_H
#define PTX_OP_H

#include "lcu_status.h"

typedef enum ptx_type {
  PTX_NOTYPE,
  PTX_PRED,
  PTX_B8,
  PTX_B16,
  PTX_B32,
  PTX_B64,
  PTX_B128,
  PTX_U8,
  PTX_U16,
  PTX_U32,
  PTX_U64,
  PTX_S8,
  PTX_S16,
  PTX_S32,
  PTX_S64,
  PTX_F16,
  PTX_F16X2,
  PTX_BF16,
  PTX_BF16X2,
  PTX_F32,
  PTX_F64,
  PTX_TF32,
  PTX_E4M3,
  PTX_E5M2,
  PTX_E4M3X2,
  PTX_E5M2X2,
  PTX_U16X2,
  PTX_S16X2,
  PTX_TYPE_COUNT
} ptx_type;

/* "f32" -> PTX_F32; PTX_NOTYPE when it is no type. */
ptx_type ptx_type_find (const char *name);
const char *ptx_type_name (ptx_type t);
uint32_t ptx_type_bytes (ptx_type t); /* in memory; 0 for PRED */

/* Register file of a warp: 32 lanes side by side. Predicates are 32-bit lanes holding 0 or -1; 8-
 * and 16-bit registers are 32-bit lanes holding the value ZERO-extended (writers keep that); 64-bit
 * ones 64-bit lanes; 128-bit ones two 64-bit halves, low half's 32 lanes first. */
#define PTX_LANES 32
static inline uint32_t ptx_type_slot_bytes (ptx_type t) {
  switch (t) {
    case PTX_B64:
    case PTX_U64:
    case PTX_S64:
    case PTX_F64: return 8 * PTX_LANES;
    case PTX_B128: return 16 * PTX_LANES;
    default: return 4 * PTX_LANES;
  }
}

enum { /* flags of an operation (its row) */
       /* may move, stop or suspend lanes: bra ret exit call trap, barriers, warp-synchronous ops */
       PTX_F_CONTROL = 1,
       PTX_F_BRANCH = 2, /* bra, brx */
       PTX_F_END = 4,    /* ret exit trap: no fall-through when unguarded */
       /* makes a loop spin-capable: atom, volatile/relaxed/acquire loads, nanosleep, mbarrier waits
        * (set per match: see ptx_match.flags) */
       PTX_F_SPIN = 8,
       PTX_F_CALL = 16,
       PTX_F_MEMORY = 32
};

typedef struct ptx_op {
  const char *opcode;  /* first dotted part */
  const char *section; /* of the PTX ISA document */
  /* Operand form, one letter an operand: 'D' written register, 'd' read and written, 'P' optional
   * written predicate (second of d|p), 'a' read register or immediate, 'm' memory address, 'v'
   * written vector or register, 'u' read vector or register, 'L' label, 'C' call target/lists, 's'
   * symbol. Registers in an address are read. Operands behind a '?' may be left out. */
  const char *form;
  uint16_t flags;
  /* enum ptx_decode_kind (ptx_match.h): private to matching and decoding */
  uint8_t decode;
  uint8_t fallback; /* how a type without a handler of its own is reduced: ditto */
  uint32_t parts;   /* kinds of parts it accepts: ditto */
} ptx_op;

typedef struct ptx_match {
  const ptx_op *op; /* NULL: not matched (yet) */
  /* enum ptx_id (ptx_ids.h): the handler, or 0 where decoding chooses */
  uint16_t id;
  /* the row's flags plus what the parts added (PTX_F_SPIN for ld.volatile) */
  uint16_t flags;
  /* main type; source type of cvt/set/mul.wide's result... as the row says */
  ptx_type type, type2;
  uint8_t space;                             /* ptx_space of ld/st/atom/cvta */
  uint8_t vector;                            /* 1, 2, 4, 8 */
  uint8_t round, compare, bool_op, mul_part; /* private to the decoder */
  uint8_t mode; /* shfl, vote, match, atom ...: enum ptx_mode (ptx_match.h) */
  uint8_t num_types;
  ptx_type types[4]; /* as written; type and type2 are the first two */
  uint32_t mods;     /* PTX_M_* (ptx_match.h): ftz sat approx volatile ... */
} ptx_match;

#endif
