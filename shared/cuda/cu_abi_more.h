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

enum { /* CUpointer_attribute, more of them */
       CU_POINTER_SYNC_MEMOPS = 6,
       CU_POINTER_BUFFER_ID = 7,
       CU_POINTER_IPC_CAPABLE = 10,
       CU_POINTER_MAPPED = 13,
       CU_POINTER_HANDLE_TYPES = 14,
       CU_POINTER_RDMA_CAPABLE = 15
};
enum { /* CUmem_range_attribute */
       CU_RANGE_READ_MOSTLY = 1,
       CU_RANGE_PREFERRED,
       CU_RANGE_ACCESSED_BY,
       CU_RANGE_PREFETCHED,
       CU_RANGE_PREFERRED_TYPE,
       CU_RANGE_PREFERRED_ID,
       CU_RANGE_PREFETCHED_TYPE,
       CU_RANGE_PREFETCHED_ID
};
enum { CU_WRITE_NO_BARRIER = 1 }; /* CUstreamWriteValue_flags */
enum { CU_WAIT_GEQ, CU_WAIT_EQ, CU_WAIT_AND, CU_WAIT_NOR, CU_WAIT_FLUSH = 1 << 30 };
enum { CU_WORD_WAIT_32 = 1, CU_WORD_WRITE_32, CU_WORD_WAIT_64 = 4, CU_WORD_WRITE_64 };
typedef struct cu_word_op { /* CUstreamBatchMemOpParams, of one of these operations */
  int operation;
  cu_deviceptr address;
  uint64_t value;
  unsigned flags;
  cu_deviceptr alias;
  uint64_t rest;
} cu_word_op;

typedef struct cu_array_desc2 { /* CUDA_ARRAY_DESCRIPTOR */
  size_t width, height;
  int format;
  unsigned channels;
} cu_array_desc2;

typedef struct cu_host_node { /* CUDA_HOST_NODE_PARAMS */
  cu_host_fn fn;
  void *ud;
} cu_host_node;
typedef struct cu_memcpy_node { /* CUDA_MEMCPY_NODE_PARAMS */
  int flags, reserved;
  cu_context ctx;
  cu_copy3d copy;
} cu_memcpy_node;
enum { CU_CHILD_GRAPH_MOVE = 1 };
typedef struct cu_child_node { /* CUDA_CHILD_GRAPH_NODE_PARAMS */
  cu_graph graph;
  int ownership;
} cu_child_node;
typedef struct cu_mem_alloc_node { /* CUDA_MEM_ALLOC_NODE_PARAMS, both versions */
  cu_pool_props props;
  const cu_pool_access *access;
  size_t num_access, bytes;
  cu_deviceptr address; /* set by the call that adds the node */
} cu_mem_alloc_node;
enum { CU_MEM_MANAGED_ = 2 }; /* CUmemAllocationType, besides CU_MEM_PINNED */
enum {                        /* CUgraphMem_attribute */
       CU_GRAPH_MEM_USED_CURRENT,
       CU_GRAPH_MEM_USED_HIGH,
       CU_GRAPH_MEM_RESERVED_CURRENT,
       CU_GRAPH_MEM_RESERVED_HIGH
};
enum { /* CUgraphInstantiate_flags, those that matter, and all of them */
       CU_INSTANTIATE_AUTO_FREE = 1,
       CU_INSTANTIATE_DEVICE_LAUNCH = 4,
       CU_INSTANTIATE_FLAGS = 15
};
typedef struct cu_instantiate_params { /* CUDA_GRAPH_INSTANTIATE_PARAMS */
  uint64_t flags;
  cu_stream upload;
  cu_graph_node error_node;
  int result; /* 0: success, 1: error */
} cu_instantiate_params;

typedef struct cu_user_object_ *cu_user_object;
enum { CU_USER_OBJECT_NO_SYNC = 1, CU_GRAPH_USER_OBJECT_MOVE_ = 1 };

#endif
