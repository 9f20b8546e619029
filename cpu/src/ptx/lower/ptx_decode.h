/* ptx_decode.h: the decoder: from matched instructions to micro-operations.
 *
 * The register file of a frame: allocated registers | function parameter area | temporaries | carry
 * | constants. A temporary is used within one PTX instruction only. The sizes of the parts are
 * known at the end, so temporaries, carry and constants have preliminary slots until ptx_decode.c
 * gives them their final ones. */
#ifndef PTX_DECODE_H
#define PTX_DECODE_H

#include "ptx_code.h"
#include "ptx_ids.h"
#include "ptx_match.h"
#include "ptx_warp.h"

enum {
  PTX_MAX_TEMPS = 24,
  PTX_TEMP_BYTES = 8 * PTX_LANES,
  /* preliminary slots */
  PTX_TEMPS_AT = 1 << 28,
  PTX_CARRY_AT = 1 << 29,
  PTX_CONSTANTS_AT = 1 << 30
};

/* An address register whose shape is kept in w->shapes, at the same index. */
typedef struct ptx_shape_note {
  int32_t from, to;
  uint32_t stride;
  bool narrow, used;
} ptx_shape_note;

/* Tree -> code: sets f->code. Blocks must be built and registers have slots. When an instruction
 * is not supported, sets f->unsupported and returns the status of ptx_decode_fail or
 * ptx_decode_lack. */
lcu_status ptx_decode (ptx_function *f, lcu_arena *arena);

typedef struct ptx_decoder {
  ptx_function *f;
  lcu_arena *arena;
  const struct ptx_isa *isa;
  const ptx_inst *inst; /* the current one */
  uint32_t bb;
  ptx_uop *uops;
  const ptx_inst **insts; /* per micro-operation */
  uint32_t num, cap;
  int32_t area_at;
  uint32_t temps, max_temps; /* of the current instruction; the maximum */
  bool has_carry;
  lcu_buf constants; /* broadcast values, back to back */
  struct ptx_constant {
    uint64_t bits;
    uint32_t bytes;
    int32_t slot;
  } *table;
  uint32_t table_used, table_size;
  uint32_t *predecessors; /* per block */
  ptx_shape_note shapes[PTX_SHAPES];
  uint32_t next_shape;
} ptx_decoder;

/* ---- ptx_decode.c */

/* Appends a micro-operation with d, a, b, c = 0; NULL: out of memory. The pointer is valid until
 * the next one is appended. */
ptx_uop *ptx_emit (ptx_decoder *D, uint16_t id);
/* The same, with the usual operands. */
lcu_status ptx_emit_dabc (ptx_decoder *D, uint16_t id, int32_t d, int32_t a, int32_t b, int32_t c);
/* The instruction's own operation, with its rounding. */
lcu_status ptx_emit_alu (ptx_decoder *D, int32_t d, int32_t a, int32_t b, int32_t c);
lcu_status ptx_emit_imm (ptx_decoder *D, uint16_t id, int32_t d, int32_t a, int64_t imm);
/* All slots are -1; NULL: out of memory, also when I is NULL. */
struct ptx_uop_extra *ptx_emit_extra (ptx_decoder *D, ptx_uop *I);

/* "PTX `add.cc.u16` is not supported: why". The first (LCU_E_SYNTAX) is for what PTX does not have
 * either, the second (LCU_E_UNSUPPORTED) for what only this machine lacks. */
lcu_status ptx_decode_fail (const ptx_decoder *D, const char *why);
lcu_status ptx_decode_lack (const ptx_decoder *D, const char *why);

/* ---- ptx_decode_rounding.c: fail where a rounding is missing, or has no meaning */

/* Of arithmetic. */
lcu_status ptx_check_rounding (const ptx_decoder *D);
/* Of cvt, from type s to type d. */
lcu_status ptx_check_cvt_rounding (const ptx_decoder *D, ptx_type d, ptx_type s);

/* ---- ptx_decode_compared.c */

/* Sets `compared` of registers and parameters of functions that reach each other. */
void ptx_mark_compared (ptx_function *const *list, uint32_t num);
/* Whether the instruction loads into such a register. */
bool ptx_loads_guess (const ptx_inst *inst);
/* Whether the access of `size` bytes may be for a smaller variable in them: PTX_F_WORD. */
bool ptx_may_be_around (const ptx_inst *inst, uint32_t size);

/* ---- ptx_decode_operand.c */

lcu_status ptx_temp (ptx_decoder *D, int32_t *slot);
/* The same, for a value of type t. */
lcu_status ptx_temp_for (ptx_decoder *D, ptx_type t, int32_t *slot);
/* Slot of a register that holds `bits` in all lanes of 4 or 8 bytes. */
lcu_status ptx_constant_slot (ptx_decoder *D, uint64_t bits, uint32_t bytes, int32_t *slot);
/* Bytes of one lane: 4 or 8. */
uint32_t ptx_lane_bytes (ptx_type t);
/* Slot from which to read an operand of that type; may emit. */
lcu_status ptx_source (ptx_decoder *D, const ptx_operand *o, ptx_type t, int32_t *slot);
/* Slot of a written operand; a sink gets a temporary. Fails when the register's lanes do not have
 * the width of the type. */
lcu_status ptx_dest (ptx_decoder *D, const ptx_operand *o, ptx_type t, int32_t *slot);
/* The same, but they fail for a register that an operation of type t does not take: one of another
 * width, or a float for an integer. Loads, stores and conversions use those above, since their
 * registers may be wider. */
lcu_status ptx_source_exact (ptx_decoder *D, const ptx_operand *o, ptx_type t, int32_t *slot);
lcu_status ptx_dest_exact (ptx_decoder *D, const ptx_operand *o, ptx_type t, int32_t *slot);
/* Emits the move of a variable's address, or its generic address, into d, which has lanes of
 * `bytes` (4 or 8). */
lcu_status ptx_emit_variable (ptx_decoder *D, const ptx_operand *o, uint32_t bytes, bool generic,
                              int32_t d);
/* Emits the read of a special register into d, which has lanes of `bytes`. */
lcu_status ptx_emit_sreg (ptx_decoder *D, int sreg, uint32_t bytes, int32_t d);
/* Address of a global or const variable, which gets storage if needed. */
lcu_status ptx_variable_address (ptx_decoder *D, ptx_variable *v, uint64_t *address);

/* ---- ptx_decode_rows.c */

void ptx_shapes_forget (ptx_decoder *D);
/* D->inst has been decoded: forgets the shapes of addresses that it changes. */
void ptx_shapes_pass (ptx_decoder *D);
/* Sets I->c and PTX_F_KNOWN of a load or store whose a, size, vector and flags are set. */
void ptx_shapes_assign (ptx_decoder *D, ptx_uop *I);

/* ---- ptx_decode_memory.c */

/* The address of an access: ptx_uop.a, imm, flags and space. */
typedef struct ptx_address {
  int32_t slot;
  int64_t imm;
  uint16_t flags;
  uint8_t space;
} ptx_address;
/* `space` is that of the instruction; for PTX_GENERIC the variable's is used. */
lcu_status ptx_address_of (ptx_decoder *D, const ptx_operand *o, uint8_t space, ptx_address *x);
/* Emits the load ("ld") or store ("st") of one value. */
lcu_status ptx_emit_move (ptx_decoder *D, const char *opcode, const ptx_address *x, uint32_t size,
                          int32_t slot);
/* As ptx_address_of, in a 64-bit register. */
lcu_status ptx_wide_address_of (ptx_decoder *D, const ptx_operand *o, uint8_t space,
                                ptx_address *x);

/* ---- ptx_decode_runs.c: finds the runs of products (ptx_tensor.h) among final operations */
void ptx_decode_runs (ptx_uop *uops, uint32_t num);

/* ---- one for each kind ---- */

#define X(n) lcu_status ptx_decode_##n(ptx_decoder *D);
PTX_DECODE_KINDS(X)
#undef X

/* Arithmetic that is made of several operations (ptx_decode_composed.c). */
bool ptx_is_composed (const ptx_inst *inst);
lcu_status ptx_decode_composed (ptx_decoder *D);
/* An operation of ptx_bulk.h with BULK_TO and BULK_BAR alone, from these operands. */
lcu_status ptx_emit_bulk_pair (ptx_decoder *D, uint16_t id, int to, int bar);

/* Whether the instruction's name has the part, after a point. */
bool ptx_has_part (const ptx_inst *inst, const char *part);

#endif
