/* cu_abi_more.h: types of the entry points that programs call and the core does not. */
#ifndef CU_ABI_MORE_H
#define CU_ABI_MORE_H

#include "cu_abi.h"

typedef struct cu_library_ *cu_library;
typedef cu_function cu_kernel; /* a handle of a kernel is one of a function */
enum { CU_LIBRARY_BINARY_IS_PRESERVED_ = 1 };

typedef void (*cu_stream_callback)(cu_stream s, cu_result r, void *ud);

/* CUDA_MEMCPY3D_PEER: as another copy, with contexts in the reserved places. */
typedef cu_copy3d cu_copy3d_peer;

#endif
