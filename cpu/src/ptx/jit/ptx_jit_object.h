/* ptx_jit_object.h: compiled code as bytes, and in memory to run.
 *
 * LLVM writes a relocatable object in the ELF format for every system that it compiles on. It is
 * loaded here and not by LLVM, so code from the disk runs without opening the library. */
#ifndef PTX_JIT_OBJECT_H
#define PTX_JIT_OBJECT_H

#include "lcu_mem.h"

typedef struct ptx_jit_code {
  void *memory; /* NULL: none */
  size_t bytes;
  void *entry; /* the function that was asked for by name */
} ptx_jit_code;

/* Loads an object. LCU_E_SYNTAX: it is damaged, or has something that is not known here. */
lcu_status ptx_jit_object_load (const void *data, size_t len, const char *name, ptx_jit_code *out);
void ptx_jit_object_free (ptx_jit_code *code);

#endif
