/* ptx_op.h: types, operations and their flags. An operation is a row of ptx_ops.def; matching turns
 * the dotted parts of a parsed instruction into an operation, its types and its flags. */
#ifndef PTX_OP_H
#define PTX_OP_H

#include "lcu_status.h"

typedef enum ptx_type {
  PTX_NOTYPE,
#define PTX_TYPE(ID, ...) PTX_##ID,
#include "ptx_types.def"
#undef PTX_TYPE
  PTX_TYPE_COUNT
} ptx_type;

/* "f32" -> PTX_F32; PTX_NOTYPE when it is not a type. */
ptx_type ptx_type_find (const char *name);
const char *ptx_type_name (ptx_type t);
uint32_t ptx_type_bytes (ptx_type t); /* in memory; 0 for PRED */
/* May variables have the type? Only instructions have other types, except PRED, which registers
 * have. */
bool ptx_type_is_stored (ptx_type t);

/* Registers of a warp have 32 lanes side by side. Predicates are 32-bit lanes of 0 or -1. 8- and
 * 16-bit registers are 32-bit lanes with the value ZERO-extended, which every writer ensures.
 * 64-bit registers are 64-bit lanes; 128-bit registers are the 32 lower halves, then the 32 upper
 * ones. */
#define PTX_LANES 32
uint32_t ptx_type_slot_bytes (ptx_type t); /* of all lanes */

/* Flags of an operation. */
enum {
  /* may move, stop or suspend lanes: bra ret exit call trap, barriers, warp-synchronous ops */
  PTX_F_CONTROL = 1,
  PTX_F_BRANCH = 2, /* bra, brx */
  PTX_F_END = 4,    /* ret exit trap: does not fall through when unguarded */
  /* makes a loop one that may spin: atom, nanosleep, waits of barrier objects and, set when
   * matching, volatile, relaxed and acquire loads */
  PTX_F_SPIN = 8,
  PTX_F_CALL = 16,
  PTX_F_MEMORY = 32
};

typedef struct ptx_op {
  const char *opcode;  /* first dotted part */
  const char *section; /* of the PTX ISA document */
  /* The operands, one letter each: 'D' written register, 'd' read and written, 'P' optional written
   * predicate (second of d|p), 'a' read register or immediate, 'm' memory address, 'v' written
   * vector or register, 'u' read vector or register, 'L' label, 'C' call target or list, 's'
   * symbol. Registers in an address are read. Operands after a '?' are optional.
   *
   * Of decode kind alu, a ':' and the types of the operands may follow: t the instruction's own, 2
   * its second type, u u32, p predicate. */
  const char *form;
  uint16_t flags;
  /* these three are private to matching and decoding: see ptx_match.h */
  uint8_t decode;   /* ptx_decode_kind */
  uint8_t fallback; /* ptx_fallback */
  uint32_t parts;   /* kinds of parts that it accepts */
} ptx_op;

typedef struct ptx_match {
  const ptx_op *op; /* NULL: not matched */
  /* the handler (ptx_ids.h), or 0 when decoding chooses it */
  uint16_t id;
  /* those of the row, plus PTX_F_SPIN for volatile loads */
  uint16_t flags;
  ptx_type type, type2;                      /* the first two of `types` */
  uint8_t space;                             /* ptx_space of ld, st, atom, cvta */
  uint8_t vector;                            /* 1, 2, 4, 8 */
  uint8_t round, compare, bool_op, mul_part; /* private to the decoder */
  /* ptx_geometry of tex, tld4, suld, sust; ptx_tensor_shape of products of matrices */
  uint8_t geometry;
  uint8_t layouts;          /* of matrices: see ptx_match.h */
  uint8_t group_n, group_k; /* wgmma: n / 8 and k / 8 of its shape */
  uint8_t query;            /* ptx_query of txq, suq */
  /* vmad: bits by which the result is shifted, or 0; mma: N of scale_vec::NX, or 0 */
  uint8_t scale;
  uint8_t mode; /* shfl, vote, match, atom ...: ptx_mode (ptx_match.h) */
  uint8_t num_types;
  ptx_type types[5]; /* as written */
  uint32_t mods;     /* PTX_M_* (ptx_match.h): ftz sat approx volatile ... */
} ptx_match;

#endif
