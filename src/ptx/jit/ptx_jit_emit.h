/* ptx_jit_emit.h: writing a function in LLVM's assembly language. Every variable has two places in
 * the function's frame, for all lanes (%v) and for one value (%s), which LLVM turns into registers.
 * A value is a number: %tN. */
#ifndef PTX_JIT_EMIT_H
#define PTX_JIT_EMIT_H

#include "ptx_jit_flow.h"
#include "ptx_warp.h"

typedef struct ptx_jit_emitter {
  lcu_buf out;
  const ptx_jit_facts *f;
  bool full;     /* all lanes are on; otherwise those of %mask */
  uint32_t next; /* number of the next value or label */
} ptx_jit_emitter;

/* "<32 x i32>", or "i32" for one lane. */
void ptx_jit_type (char out[32], const char *type, bool one);
/* The next number. */
uint32_t ptx_jit_number (ptx_jit_emitter *E);

/* Is the source at this slot one value before uop i? */
bool ptx_jit_one (const ptx_jit_emitter *E, uint32_t i, int32_t slot, uint32_t bytes);
/* Reads and writes an operand as integers of its width. `one`: as one value, which it must be;
 * otherwise one value is repeated. */
uint32_t ptx_jit_get (ptx_jit_emitter *E, uint32_t i, int32_t slot, uint32_t bytes, bool one);
void ptx_jit_set (ptx_jit_emitter *E, int32_t slot, uint32_t bytes, uint32_t value, bool one);
uint32_t ptx_jit_splat (ptx_jit_emitter *E, uint32_t value, const char *type);

/* Stores a variable to the register file, or loads it from there; `i`: where its state is known. */
void ptx_jit_store (ptx_jit_emitter *E, uint32_t i, uint32_t var);
void ptx_jit_load (ptx_jit_emitter *E, uint32_t var, bool same);
/* Stores all variables that are dirty before uop i, or written by it, and live before one of
 * `next`. */
void ptx_jit_store_live (ptx_jit_emitter *E, uint32_t i, const uint32_t *next, uint32_t num);

/* Calls the operation's handler. Control goes on behind it, where it returned something. */
void ptx_jit_call (ptx_jit_emitter *E, uint32_t i);

/* ---- ptx_jit_memory.c: false: not known, call the handler */
bool ptx_jit_access (ptx_jit_emitter *E, uint32_t i);

/* ---- ptx_jit_control.c */
void ptx_jit_branch (ptx_jit_emitter *E, uint32_t i);
void ptx_jit_jump (ptx_jit_emitter *E, uint32_t i);
void ptx_jit_guard (ptx_jit_emitter *E, uint32_t i);
void ptx_jit_leave (ptx_jit_emitter *E, uint32_t i);

/* ---- ptx_jit_function.c */

/* Both functions, ptx_full and ptx_masked, as a module. */
bool ptx_jit_module (const ptx_jit_facts *f, lcu_buf *out);

#endif
