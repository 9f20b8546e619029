/* ptx_jit_relocate.h: addresses in machine code, for each processor. */
#ifndef PTX_JIT_RELOCATE_H
#define PTX_JIT_RELOCATE_H

#include "lcu_base.h"

enum { PTX_JIT_STUB_BYTES = 16 };

/* The machine of objects that run here; 0: none do. */
uint16_t ptx_jit_machine (void);

/* Bytes that the relocation changes; 0: it is not known. */
size_t ptx_jit_relocation_bytes (uint32_t type);
/* Is it a call, which may go through a stub? */
bool ptx_jit_relocation_calls (uint32_t type);
/* Puts the address at `place`. False: it is out of reach. */
bool ptx_jit_relocate (uint32_t type, uint8_t *place, uint64_t address);

/* Code that jumps to an address anywhere. */
void ptx_jit_stub (uint8_t out[PTX_JIT_STUB_BYTES], const void *target);

#endif
