/* cu_abi.h: the part of the CUDA Driver and NVRTC interfaces that the library uses, declared here
 * so that building needs no toolkit. Types have the prefix cu_; entry points keep their names
 * (driver.def, nvrtc.def). spec/c/abi_check.c compares all of it with NVIDIA's headers where these
 * are installed. */
#ifndef CU_ABI_H
#define CU_ABI_H

#include "cu_abi_link.h"
#include "lcu_costs.h"
#include "lcu_fault.h"

typedef int cu_result;         /* CUresult */
typedef int cu_device;         /* CUdevice */
typedef uint64_t cu_deviceptr; /* CUdeviceptr */
typedef struct cu_context_ *cu_context;
typedef struct cu_module_ *cu_module;
typedef struct cu_function_ *cu_function;
typedef struct cu_stream_ *cu_stream;
typedef struct cu_event_ *cu_event;
typedef struct cu_mempool_ *cu_mempool;
typedef struct cu_array_ *cu_array;
typedef struct cu_graph_ *cu_graph;
typedef struct cu_graph_exec_ *cu_graph_exec;
typedef struct cu_green_ctx_ *cu_green_ctx;
typedef struct cu_dev_resource_desc_ *cu_dev_resource_desc;
typedef void (*cu_host_fn)(void *ud);
typedef size_t (*cu_block_to_shared)(int block);

typedef struct cu_uuid {
  unsigned char bytes[16];
} cu_uuid;

/* the results that the code names; cu_errors.def has all of them */
enum cu_error {
#define LCU_CUERR(code, name, text) CU_ERR_##name = code,
#include "cu_errors.def"
#undef LCU_CUERR
  CU_ERR_END_
};

enum cu_attr {
#define LCU_ATTR(number, name) CU_ATTR_##name = number,
#define LCU_ATTR_ALIAS(number, name)
#include "cu_attrs.def"
#undef LCU_ATTR
#undef LCU_ATTR_ALIAS
  CU_ATTR_END_
};

enum { CU_STREAM_DEFAULT_ = 0, CU_STREAM_NON_BLOCKING_ = 1 };
enum {
  CU_EVENT_DEFAULT_ = 0,
  CU_EVENT_BLOCKING_SYNC_ = 1,
  CU_EVENT_DISABLE_TIMING_ = 2,
  CU_EVENT_INTERPROCESS_ = 4
};
enum { CU_HOSTALLOC_PORTABLE = 1, CU_HOSTALLOC_DEVICEMAP = 2, CU_HOSTALLOC_WRITECOMBINED = 4 };
enum {
  CU_REGISTER_PORTABLE = 1,
  CU_REGISTER_DEVICEMAP = 2,
  CU_REGISTER_IOMEMORY = 4,
  CU_REGISTER_READ_ONLY = 8
};
enum { CU_MEM_ATTACH_GLOBAL_ = 1, CU_MEM_ATTACH_HOST_ = 2, CU_MEM_ATTACH_SINGLE_ = 4 };
typedef enum cu_advice { /* CUmem_advise */
                         CU_ADVISE_READ_MOSTLY = 1,
                         CU_ADVISE_UNSET_READ_MOSTLY,
                         CU_ADVISE_PREFERRED_LOCATION,
                         CU_ADVISE_UNSET_PREFERRED_LOCATION,
                         CU_ADVISE_ACCESSED_BY,
                         CU_ADVISE_UNSET_ACCESSED_BY
} cu_advice;
enum { CU_DEVICE_HOST = -1 }; /* CU_DEVICE_CPU: the host's memory, for advice and prefetching */

typedef enum cu_func_attr { /* CUfunction_attribute */
                            CU_FUNC_MAX_THREADS_PER_BLOCK = 0,
                            CU_FUNC_SHARED_SIZE_BYTES,
                            CU_FUNC_CONST_SIZE_BYTES,
                            CU_FUNC_LOCAL_SIZE_BYTES,
                            CU_FUNC_NUM_REGS,
                            CU_FUNC_PTX_VERSION,
                            CU_FUNC_BINARY_VERSION,
                            CU_FUNC_CACHE_MODE_CA,
                            CU_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                            CU_FUNC_PREFERRED_SHARED_MEMORY_CARVEOUT,
                            CU_FUNC_CLUSTER_SIZE_MUST_BE_SET,
                            CU_FUNC_REQUIRED_CLUSTER_WIDTH,
                            CU_FUNC_REQUIRED_CLUSTER_HEIGHT,
                            CU_FUNC_REQUIRED_CLUSTER_DEPTH,
                            CU_FUNC_NON_PORTABLE_CLUSTER_SIZE_ALLOWED,
                            CU_FUNC_CLUSTER_SCHEDULING_POLICY_PREFERENCE,
                            CU_FUNC_COUNT
} cu_func_attr;

typedef enum cu_limit { /* CUlimit */
                        CU_LIMIT_STACK_SIZE_ = 0,
                        CU_LIMIT_PRINTF_FIFO_SIZE_,
                        CU_LIMIT_MALLOC_HEAP_SIZE_,
                        CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH_,
                        CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT_,
                        CU_LIMIT_MAX_L2_FETCH_GRANULARITY_,
                        CU_LIMIT_PERSISTING_L2_CACHE_SIZE_
} cu_limit;

typedef enum cu_ctx_flag { /* CUctx_flags */
                           CU_CTX_SCHED_AUTO_ = 0,
                           CU_CTX_SCHED_SPIN_ = 1,
                           CU_CTX_SCHED_YIELD_ = 2,
                           CU_CTX_SCHED_BLOCKING_SYNC_ = 4,
                           CU_CTX_SCHED_MASK_ = 7,
                           CU_CTX_MAP_HOST_ = 8,
                           CU_CTX_LMEM_RESIZE_TO_MAX_ = 16
} cu_ctx_flag;

enum { CU_DEV_RESOURCE_SM_ = 1, CU_GREEN_CTX_DEFAULT_STREAM_ = 1 };

/* CUdevResource */
typedef struct cu_dev_resource {
  int type; /* CU_DEV_RESOURCE_SM_ */
  unsigned char internal[92];
  unsigned sm_count;
  unsigned char rest[44];
} cu_dev_resource;

typedef enum cu_cache_config { /* CUfunc_cache */
                               CU_CACHE_PREFER_NONE_ = 0,
                               CU_CACHE_PREFER_SHARED_,
                               CU_CACHE_PREFER_L1_,
                               CU_CACHE_PREFER_EQUAL_,
                               CU_CACHE_CONFIGS_
} cu_cache_config;

typedef enum cu_pointer_attr { /* CUpointer_attribute */
                               CU_POINTER_CONTEXT = 1,
                               CU_POINTER_MEMORY_TYPE = 2,
                               CU_POINTER_DEVICE_POINTER = 3,
                               CU_POINTER_HOST_POINTER = 4,
                               CU_POINTER_IS_MANAGED = 8,
                               CU_POINTER_DEVICE_ORDINAL = 9,
                               CU_POINTER_RANGE_START_ADDR = 11,
                               CU_POINTER_RANGE_SIZE = 12,
                               CU_POINTER_ACCESS_FLAGS = 16,
                               CU_POINTER_POOL = 17
} cu_pointer_attr;
enum { CU_MEMTYPE_HOST = 1, CU_MEMTYPE_DEVICE = 2, CU_MEMTYPE_ARRAY = 3, CU_MEMTYPE_UNIFIED = 4 };

typedef struct cu_mem_location {
  int type;
  int id;
} cu_mem_location; /* type 1: device */
#include "cu_abi_vmm.h"
typedef struct cu_pool_props { /* CUmemPoolProps */
  int alloc_type;              /* 1: pinned (the only kind) */
  int handle_types;            /* 0: none, 1: POSIX file descriptor */
  cu_mem_location location;
  void *win32_security;
  size_t max_size;
  unsigned short usage;
  unsigned char reserved[54];
} cu_pool_props;
enum {
  CU_POOL_REUSE_FOLLOW_EVENT = 1,
  CU_POOL_REUSE_OPPORTUNISTIC,
  CU_POOL_REUSE_INTERNAL,
  CU_POOL_RELEASE_THRESHOLD,
  CU_POOL_RESERVED_CURRENT,
  CU_POOL_RESERVED_HIGH,
  CU_POOL_USED_CURRENT,
  CU_POOL_USED_HIGH
};
enum { CU_ACCESS_READ = 1, CU_ACCESS_BOTH = 3 };
typedef struct cu_pool_access {
  cu_mem_location location;
  int flags;
} cu_pool_access;

enum { CU_IPC_LAZY_PEER_ACCESS_ = 1 }; /* CUipcMem_flags */
typedef struct cu_ipc_memory {         /* CUipcMemHandle */
  char bytes[64];
} cu_ipc_memory;
typedef struct cu_ipc_event { /* CUipcEventHandle */
  char bytes[64];
} cu_ipc_event;

typedef struct cu_copy2d { /* CUDA_MEMCPY2D */
  size_t src_x, src_y;
  int src_type;
  const void *src_host;
  cu_deviceptr src_device;
  cu_array src_array;
  size_t src_pitch;
  size_t dst_x, dst_y;
  int dst_type;
  void *dst_host;
  cu_deviceptr dst_device;
  cu_array dst_array;
  size_t dst_pitch;
  size_t width, height; /* bytes, rows */
} cu_copy2d;

typedef struct cu_copy3d { /* CUDA_MEMCPY3D */
  size_t src_x, src_y, src_z, src_lod;
  int src_type;
  const void *src_host;
  cu_deviceptr src_device;
  cu_array src_array;
  void *reserved0;
  size_t src_pitch, src_height;
  size_t dst_x, dst_y, dst_z, dst_lod;
  int dst_type;
  void *dst_host;
  cu_deviceptr dst_device;
  cu_array dst_array;
  void *reserved1;
  size_t dst_pitch, dst_height;
  size_t width, height, depth;
} cu_copy3d;

typedef union cu_launch_attr_value { /* CUlaunchAttributeValue */
  char pad[64];
  int cooperative, programmatic, sync_domain;
  struct {
    unsigned x, y, z;
  } cluster;
  int priority;
  void *align_; /* gives the union the alignment of NVIDIA's */
} cu_launch_attr_value;
typedef struct cu_launch_attr {
  int id;
  char pad[4];
  cu_launch_attr_value value;
} cu_launch_attr;
enum {
  CU_LAUNCH_ATTR_IGNORE = 0,
  CU_LAUNCH_ATTR_COOPERATIVE = 2,
  CU_LAUNCH_ATTR_CLUSTER = 4,
  CU_LAUNCH_ATTR_PROGRAMMATIC = 6,
  CU_LAUNCH_ATTR_PRIORITY = 8,
  CU_LAUNCH_ATTR_SYNC_DOMAIN = 10
};
enum { CU_SYNC_DOMAIN_DEFAULT = 0, CU_SYNC_DOMAIN_REMOTE = 1 };
enum { CU_CACHE_NONE = 0, CU_CACHE_SHARED = 1, CU_CACHE_L1 = 2, CU_CACHE_EQUAL = 3 };
typedef struct cu_launch_config { /* CUlaunchConfig */
  unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes;
  cu_stream stream;
  cu_launch_attr *attrs;
  unsigned num_attrs;
} cu_launch_config;

#include "cu_abi_graph.h"
#include "cu_abi_texture.h"

/* ---- extensions: entry points that only the CPU device has (rows marked EXT) ---- */

typedef lcu_fault cux_fault;
/* Called by a thread that waits for kernels: with `begin` when the wait begins, then at intervals.
 * True stops the wait: the kernels end with the fault "interrupted". */
typedef bool (*cux_stop_fn)(bool begin);
struct lcu_room_account;      /* lcu_room.h */
enum { CUX_WHY_SIZE = 1024 }; /* of a failure in words */
/* On whose behalf a thread calls the device. */
enum { CUX_PLACE_SIZE = 80 };
typedef struct cux_caller {
  uint64_t owner; /* who learns of failures that are found later; 0: nobody in particular */
  char place[CUX_PLACE_SIZE]; /* of the call in the program, "file:line", or "": for faults */
} cux_caller;
/* The caller of the calling thread. */
typedef const cux_caller *(*cux_caller_fn)(void);
/* May a failure of the owner `whose` be reported to the owner `mine`? */
static inline bool cux_owner_accepts (uint64_t mine, uint64_t whose) {
  return whose == 0 || mine == 0 || whose == mine;
}
typedef struct cux_counters {
  uint64_t warp_instructions, thread_instructions;
} cux_counters;
typedef lcu_costs cux_costs;
/* The libLLVM that compiles kernels. */
typedef struct cux_compiler {
  bool on;    /* false: nothing is compiled, so it was not looked for */
  int status; /* an lcu_status: why there is none, and in words */
  char why[CUX_WHY_SIZE];
  char file[1024], version[64]; /* "19.1.7"; the file may be "" */
} cux_compiler;
/* A product of matrices, which cuBLAS computes on GPUs. */
typedef struct cux_gemm {
  const struct lcu_gemm *plan;     /* no extent is 0 */
  int dtype;                       /* an lcu_dtype_id */
  cu_deviceptr a, b, c;            /* the first elements */
  const struct lcu_hostblas *blas; /* NULL: by the device's own kernels */
} cux_gemm;
#define CUX_GEMM_NAME \
  "luacuda_matmul" /* in profiles and faults; as the kernel of gemm_source.lua */
/* A sort of rows of m elements, one after the other, as by the kernels of sort_source.lua. */
typedef struct cux_sort {
  int places; /* positions (int64, from 1) instead of elements */
  int descending;
  int dtype; /* an lcu_dtype_id */
  int64_t rows, m;
  cu_deviceptr in, out; /* `out` may be `in`, unless positions are wanted */
  cu_deviceptr scratch; /* memory of so many bytes */
  uint64_t scratch_bytes;
} cux_sort;
#define CUX_SORT_NAME "luacuda_sort"
typedef struct cux_collective_job cux_collective_job; /* cu_collective.h */

/* ---- NVRTC ---- */
typedef struct cu_nvrtc_program_ *cu_nvrtc_program;

#endif
