/* ptx_jit_emit.h: writing a function in LLVM's assembly language. A value is a number: %tN.
 *
 * Every variable has three places in the function's frame, which LLVM turns into registers: for all
 * lanes (%v), and for the bases of its claim (ptx_shape.h) in the warp or in lanes 0 to 15 (%s) and
 * in lanes 16 to 31 (%r). Where a claim is known, only the bases are kept, and the lanes are made
 * from them when an operation needs them. A base is the value that lane 0, or lane 16, would have,
 * also if that lane is off. */
#ifndef PTX_JIT_EMIT_H
#define PTX_JIT_EMIT_H

#include "ptx_jit_flow.h"
#include "ptx_warp.h"

/* Accesses of a basic block by one address register: the first one checks what all of them access,
 * and the others need no check (ptx_jit_group.c). */
typedef struct ptx_jit_group {
  bool follows;  /* it is one of the others */
  int64_t first; /* what the first one checks: where it begins, from its own access on, */
  uint64_t more; /* and how many bytes it is longer */
} ptx_jit_group;

typedef struct ptx_jit_emitter {
  lcu_buf out;
  const ptx_jit_facts *f;
  bool full;     /* all lanes are on; otherwise those of %mask */
  bool rows;     /* it goes on with the warps of a ptx_jit_row */
  uint32_t next; /* number of the next value or label */
  /* Within code that only some of these lanes run: predicate, <32 x i1>, 0: none; its bits. Then
   * results are blended, and the first lanes are those of the predicate. */
  uint32_t predicate, bits;
  uint32_t first[3]; /* the first lane that is on; in lanes 0 to 15; in lanes 16 to 31 */
  bool narrows;      /* the helper `narrowed` is called */
  /* helpers that are called: bit per size of an element, 1 to 8 bytes */
  uint32_t gathers, fetches, scatters, masked_scatters;
  uint64_t atomics[4];   /* that are called, by number (ptx_jit_atomic.c) */
  ptx_jit_group *groups; /* per micro-operation, outside of predicates */
  /* per micro-operation: the end of the stretch that begins there and is computed in parts, or 0;
   * what its parts share of the sources */
  uint32_t *stretches, (*sources)[4][2];
  bool *split;        /* per variable: it is kept in parts */
  uint32_t shared[3]; /* of the warp's block: storage of shared address 0, first address, bytes */
  /* In a stretch that is a loop over its parts: the first lane of a part. 0: in none. */
  uint32_t lane;
  /* Arrays in the function's frame, which is at `frame_at` in the text. */
  lcu_buf frame;
  size_t frame_at;
  lcu_buf stored; /* offsets of claims that are in arrays, of this stretch */
  /* For ptx_jit_keep: the module's table, where it has offsets, the list of this exit, and how many
   * bytes its variables take (ptx_jit_exit.c). */
  lcu_buf table, offsets, list;
  uint32_t put;
  lcu_buf ways; /* operands of the phi node in `next`: what the warp did (ptx_jit_row), the label */
  bool stops;   /* some of them come from barriers */
  uint32_t until; /* where lanes that are not in `predicate` go on */
} ptx_jit_emitter;

/* Parts of the lanes, one after the other in a stretch. */
enum { PTX_JIT_PARTS = 4, PTX_JIT_PART_LANES = PTX_LANES / PTX_JIT_PARTS, PTX_JIT_HALF = 16 };

/* Ends of instructions that access the warp, and of those that access the program's memory. The two
 * never overlap, so LLVM need not read the warp again after a store of the program. */
#define PTX_JIT_WARP ", !alias.scope !4"
#define PTX_JIT_PROGRAM ", !noalias !4"

/* ---- ptx_jit_write.c */

/* "<32 x i32>", or "i32" for one lane. */
void ptx_jit_type (char out[32], const char *type, uint32_t lanes);
/* The integer type of a slot. */
const char *ptx_jit_int (uint32_t bytes);
uint32_t ptx_jit_number (ptx_jit_emitter *E);
/* The constant in a slot. */
uint64_t ptx_jit_constant (const ptx_code *code, int32_t slot, uint32_t bytes);
/* A field of the warp. */
uint32_t ptx_jit_field (ptx_jit_emitter *E, size_t offset, const char *type);
void ptx_jit_set_field (ptx_jit_emitter *E, size_t offset, const char *type, const char *value);
/* Branches to two labels; the second one is hardly ever taken. */
void ptx_jit_likely (ptx_jit_emitter *E, uint32_t condition, uint32_t yes, uint32_t no);

/* The offset of a lane, as a number of its width. */
long long ptx_jit_offset (const ptx_value *v, uint32_t lane, uint32_t bytes);

/* ---- ptx_jit_emit.c */

/* Reads an operand of uop i as integers of its width: all lanes, or a base (row 1: of lanes 16 to
 * 31), which must be known. */
uint32_t ptx_jit_lanes (ptx_jit_emitter *E, uint32_t i, int32_t slot, uint32_t bytes);
uint32_t ptx_jit_base (ptx_jit_emitter *E, uint32_t i, int32_t slot, uint32_t bytes, uint32_t row);
/* Is the source one value in all lanes before uop i? */
bool ptx_jit_one (const ptx_jit_emitter *E, uint32_t i, int32_t slot, uint32_t bytes);

/* Writes a result of uop i: from all lanes; from bases, where they are known (rows: of both rows);
 * from one value. */
void ptx_jit_set_lanes (ptx_jit_emitter *E, uint32_t i, int32_t slot, uint32_t bytes,
                        uint32_t lanes);
void ptx_jit_set_bases (ptx_jit_emitter *E, int32_t slot, uint32_t bytes, const uint32_t bases[2],
                        bool rows);
void ptx_jit_set_one (ptx_jit_emitter *E, uint32_t i, int32_t slot, uint32_t bytes, uint32_t value);

/* Whether lanes that the predicate leaves out need what a result's variable (-1: none) held. */
bool ptx_jit_blends (const ptx_jit_emitter *E, int32_t var);

/* A source of uop i in a stretch: first what all parts share of it, then the part's lanes. */
void ptx_jit_note_source (ptx_jit_emitter *E, uint32_t i, int32_t slot, uint32_t bytes,
                          uint32_t out[2]);
uint32_t ptx_jit_part_source (ptx_jit_emitter *E, uint32_t i, int32_t slot, uint32_t bytes,
                              const uint32_t noted[2], uint32_t p);

/* Stores a variable to the register file, or loads it from there; `i`: where its state is known. */
void ptx_jit_store (ptx_jit_emitter *E, uint32_t i, uint32_t var);
void ptx_jit_load (ptx_jit_emitter *E, uint32_t i, uint32_t var);
/* Stores all variables that are dirty before uop i, or written by it, and live before one of
 * `next`. */
void ptx_jit_store_live (ptx_jit_emitter *E, uint32_t i, const uint32_t *next, uint32_t num);

/* A base of a variable, which is kept as bases. */
uint32_t ptx_jit_load_base (ptx_jit_emitter *E, uint32_t var, uint32_t row);

/* Gives uop i and what follows to the interpreter, since a claim does not hold. */
void ptx_jit_give_up (ptx_jit_emitter *E, uint32_t i);

/* ---- ptx_jit_exit.c: rare ways out */

/* The place in the function's frame where masked code puts variables down. */
void ptx_jit_exit_frame (ptx_jit_emitter *E);
/* Puts a variable down; after all of them, calls ptx_jit_keep. */
void ptx_jit_exit_variable (ptx_jit_emitter *E, uint32_t i, uint32_t var);
void ptx_jit_exit_end (ptx_jit_emitter *E);
/* Does this with the variables that ptx_jit_store_live stores. */
void ptx_jit_exit_live (ptx_jit_emitter *E, uint32_t i, const uint32_t *next, uint32_t num);
/* The table that the module's exits use. */
void ptx_jit_exit_table (ptx_jit_emitter *E);

/* ---- ptx_jit_variable.c */

/* One value in all lanes, or in so many. */
uint32_t ptx_jit_splat (ptx_jit_emitter *E, uint32_t value, const char *type);
uint32_t ptx_jit_spread (ptx_jit_emitter *E, uint32_t value, const char *type, uint32_t lanes);
/* Some lanes of a value of all. */
uint32_t ptx_jit_lanes_from (ptx_jit_emitter *E, const char *type, uint32_t value, uint32_t from,
                             uint32_t lanes);

/* The places of a variable in the function's frame. */
void ptx_jit_declare_variable (ptx_jit_emitter *E, uint32_t var);
/* Makes its value undefined. */
void ptx_jit_forget_variable (ptx_jit_emitter *E, uint32_t var);
/* An array for so many bytes of each lane in the function's frame: %aN. */
uint32_t ptx_jit_array (ptx_jit_emitter *E, uint32_t bytes);
/* Its part for the current round of a loop over parts. */
uint32_t ptx_jit_array_part (ptx_jit_emitter *E, uint32_t array, uint32_t bytes);
/* Its lanes, where they are kept. */
uint32_t ptx_jit_load_variable (ptx_jit_emitter *E, uint32_t var);
void ptx_jit_store_variable (ptx_jit_emitter *E, uint32_t var, uint32_t value);
/* One part of a variable that is kept in parts; in a loop over parts, that of the current round. */
uint32_t ptx_jit_part (ptx_jit_emitter *E, uint32_t var, uint32_t p);
void ptx_jit_set_part (ptx_jit_emitter *E, uint32_t var, uint32_t p, uint32_t value);

/* ---- ptx_jit_call.c */

/* Stores the variables that uop i reads. */
void ptx_jit_store_read (ptx_jit_emitter *E, uint32_t i);

/* Calls the operation's handler, with the lanes that the predicate leaves. Control goes on behind
 * it, where it returned something. */
void ptx_jit_call (ptx_jit_emitter *E, uint32_t i);

/* ---- ptx_jit_memory.c: false: not known, call the handler */
bool ptx_jit_access (ptx_jit_emitter *E, uint32_t i);

/* ---- ptx_jit_check.c: sets E->shared, at the start of a warp */
void ptx_jit_find_shared (ptx_jit_emitter *E);

/* ---- ptx_jit_group.c: sets E->groups, which was all zero, for E->full */
void ptx_jit_groups (ptx_jit_emitter *E);

/* ---- ptx_jit_atomic.c: false: not known, call the handler */
bool ptx_jit_atomic (ptx_jit_emitter *E, uint32_t i);
/* Functions of the module that it calls. */
void ptx_jit_atomic_functions (ptx_jit_emitter *E);

/* ---- ptx_jit_predicate.c: conditional code without branches */

/* Whether a guard's operations, or the block that a branch skips, can be computed for all lanes,
 * with stores and results of those that do not take part left out. */
bool ptx_jit_can_predicate (const ptx_jit_emitter *E, uint32_t from, uint32_t to);
/* Operations from..to - 1 in the lanes of the predicate `lanes` (<32 x i1>), if there are any; then
 * to the label X`done`. */
void ptx_jit_predicated (ptx_jit_emitter *E, uint32_t lanes, uint32_t from, uint32_t to,
                         uint32_t done);
/* The end of the block that a branch skips and that can be predicated; 0: none. */
uint32_t ptx_jit_skipped (const ptx_jit_emitter *E, uint32_t branch);
/* Can the access be made without its handler? */
bool ptx_jit_can_access (const ptx_jit_emitter *E, uint32_t i);

/* ---- ptx_jit_helpers.c: functions of the module that are not inlined */

/* 32 elements of 8 to 64 bits at the offsets from a place, as words of their registers. `fresh`:
 * many were written just now. */
uint32_t ptx_jit_gather (ptx_jit_emitter *E, uint32_t bytes, uint32_t place, uint32_t offsets,
                         bool fresh);
/* Of all lanes, or those of %bits, in their order. */
void ptx_jit_scatter (ptx_jit_emitter *E, uint32_t bytes, uint32_t place, uint32_t offsets,
                      uint32_t values);
void ptx_jit_helpers (ptx_jit_emitter *E);

/* ---- ptx_jit_control.c */
void ptx_jit_branch (ptx_jit_emitter *E, uint32_t i);
/* ptx_jit_ends.c: the comparison that made the predicate of branch i, in the same basic block, if
 * its operands are still what they were. */
bool ptx_jit_find_comparison (const ptx_jit_facts *f, uint32_t i, uint32_t *at);
/* Branches to X`taken` or X`not_taken` if the least and the greatest lane show that all lanes do;
 * otherwise the code that follows decides. */
void ptx_jit_branch_ends (ptx_jit_emitter *E, uint32_t i, bool negated, uint32_t taken,
                          uint32_t not_taken);
void ptx_jit_jump (ptx_jit_emitter *E, uint32_t i);
void ptx_jit_guard (ptx_jit_emitter *E, uint32_t i);
void ptx_jit_leave (ptx_jit_emitter *E, uint32_t i);

/* ---- ptx_jit_parts.c: sets E->stretches and E->split; the code of the one that begins at uop i */
void ptx_jit_find_stretches (ptx_jit_emitter *E);
void ptx_jit_stretch (ptx_jit_emitter *E, uint32_t i);

/* ---- ptx_jit_function.c */

/* Makes the tables, which are to be filled. False: out of memory; either way ptx_jit_emitter_end is
 * to be called, which leaves E->out to the caller. */
bool ptx_jit_emitter_begin (ptx_jit_emitter *E, const ptx_jit_facts *f, bool full);
void ptx_jit_emitter_end (ptx_jit_emitter *E);
/* Writes one function, ptx_full or ptx_masked, as a module. False: it is too long, or memory ran
 * out. */
bool ptx_jit_module (ptx_jit_emitter *E);

/* ---- ptx_jit_alu.c: lane loops and values of the warp, from the table ptx_jit_ops.def */

struct ptx_jit_emitter;

void ptx_jit_alu (struct ptx_jit_emitter *E, uint32_t i);

/* Is uop i computed for all lanes, each by itself; is it computed from bases only, without a check?
 */
bool ptx_jit_alu_by_lanes (const ptx_jit_facts *f, uint32_t i);
bool ptx_jit_alu_by_bases (const ptx_jit_facts *f, uint32_t i);
/* In a stretch: notes what the parts share of the sources; computes a part. */
void ptx_jit_alu_note (struct ptx_jit_emitter *E, uint32_t i);
void ptx_jit_alu_part (struct ptx_jit_emitter *E, uint32_t i, uint32_t p);

/* ---- ptx_jit_bits.c: comparisons as bits */

/* The results of comparison `at`, whose operands are the same at uop i, as the bits of an i32; 0:
 * not known, or vectors of predicates are as fast. */
uint32_t ptx_jit_bits (ptx_jit_emitter *E, uint32_t i, uint32_t at);

#endif
