/* ptx_jit_key.h: what decides which machine code half a kernel becomes. Describing it takes some
 * microseconds, and writing the text that LLVM compiles takes milliseconds. */
#ifndef PTX_JIT_KEY_H
#define PTX_JIT_KEY_H

#include "lcu_mem.h"
#include "ptx_code.h"

/* Adds all of it but the instruction set and libLLVM, which ptx_jit_cache_key adds. False: this
 * build has no name. */
bool ptx_jit_describe (const ptx_code *code, int form, int half, lcu_buf *out);

/* May a constant of 64 bits be the address of a variable? Such an address can differ in the next
 * process, so code reads it from the register file. */
static inline bool ptx_jit_is_address (uint64_t bits) {
  return bits >> 32 != 0 && bits >> 48 == 0 && (bits & (bits - 1)) != 0;
}

/* ---- ptx_jit_self.c */

/* The name of this build of LuaCUDA; "": not known. */
const char *ptx_jit_self (void);

#endif
