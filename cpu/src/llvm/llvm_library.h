/* llvm_library.h: libLLVM, opened at run time. */
#ifndef LLVM_LIBRARY_H
#define LLVM_LIBRARY_H

#include "lcu_status.h"

typedef struct llvm_library {
#define LLVM(need, result, name, params) result(*name) params;
#include "llvm.def"
#undef LLVM
  unsigned version[3]; /* major, minor, patch */
  char file[1024];     /* "": unknown */
} llvm_library;

/* The library, once it is open. */
extern llvm_library llvm;

/* Opens the file named by LUACUDA_LLVM, or else the newest library found. LCU_E_NOT_FOUND or
 * LCU_E_UNSUPPORTED: why none can be used. */
lcu_status llvm_library_open (void);

#endif
