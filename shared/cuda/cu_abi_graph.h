/* cu_abi_graph.h: the part of cu_abi.h about stream capture and graphs. */
#ifndef CU_ABI_GRAPH_H
#define CU_ABI_GRAPH_H

typedef struct cu_graph_node_ *cu_graph_node;
typedef uint64_t cu_graph_condition; /* CUgraphConditionalHandle */

enum { CU_CAPTURE_NONE = 0, CU_CAPTURE_ACTIVE = 1, CU_CAPTURE_INVALIDATED = 2 };
enum { CU_CAPTURE_GLOBAL = 0, CU_CAPTURE_THREAD_LOCAL = 1, CU_CAPTURE_RELAXED = 2 };
enum { CU_CAPTURE_ADD_DEPENDENCIES = 0, CU_CAPTURE_SET_DEPENDENCIES = 1 };
/* Of cuStreamWaitEvent: the wait becomes a node, though the event is not of the capture. */
enum { CU_EVENT_WAIT_EXTERNAL_ = 1 };
/* Of cuEventRecordWithFlags: the record becomes a node, which records the event at each launch. */
enum { CU_EVENT_RECORD_EXTERNAL_ = 1 };

typedef enum cu_node_type { /* CUgraphNodeType, those in use */
                            CU_NODE_KERNEL = 0,
                            CU_NODE_MEMCPY = 1,
                            CU_NODE_MEMSET = 2,
                            CU_NODE_HOST = 3,
                            CU_NODE_GRAPH = 4,
                            CU_NODE_EMPTY = 5,
                            CU_NODE_WAIT_EVENT = 6,
                            CU_NODE_EVENT_RECORD = 7,
                            CU_NODE_MEM_ALLOC = 10,
                            CU_NODE_MEM_FREE = 11,
                            CU_NODE_CONDITIONAL = 13
} cu_node_type;

typedef struct
  cu_edge_data { /* CUgraphEdgeData; all 0: the whole of one after the whole of other */
  unsigned char from_port, to_port, type, reserved[5];
} cu_edge_data;

typedef struct cu_kernel_node { /* CUDA_KERNEL_NODE_PARAMS_v2 */
  cu_function function;
  unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes;
  void **params, **extra;
  void *kernel; /* CUkernel, in place of the function */
  cu_context ctx;
} cu_kernel_node;

typedef struct cu_memset_node { /* CUDA_MEMSET_NODE_PARAMS */
  cu_deviceptr dst;
  size_t pitch;
  unsigned value, element_size;
  size_t width, height; /* elements, rows */
} cu_memset_node;

enum { CU_COND_IF = 0, CU_COND_WHILE = 1, CU_COND_SWITCH = 2 };
enum { CU_COND_ASSIGN_DEFAULT = 1 };
typedef struct cu_conditional_node { /* CUDA_CONDITIONAL_NODE_PARAMS */
  cu_graph_condition handle;
  int type;
  unsigned size;    /* number of bodies */
  cu_graph *bodies; /* set by cuGraphAddNode */
  cu_context ctx;
} cu_conditional_node;
typedef struct cu_node_params { /* CUgraphNodeParams, the kind in use */
  int type;                     /* cu_node_type */
  int reserved0[3];
  union {
    long long reserved1[29];
    cu_conditional_node conditional;
  };
  long long reserved2;
} cu_node_params;

typedef struct cu_update_info { /* CUgraphExecUpdateResultInfo */
  int result;                   /* cu_update_result */
  cu_graph_node error_node, error_from_node;
} cu_update_info;
typedef enum cu_update_result { /* CUgraphExecUpdateResult */
                                CU_UPDATE_SUCCESS = 0,
                                CU_UPDATE_ERROR,
                                CU_UPDATE_TOPOLOGY_CHANGED,
                                CU_UPDATE_NODE_TYPE_CHANGED,
                                CU_UPDATE_FUNCTION_CHANGED,
                                CU_UPDATE_PARAMETERS_CHANGED,
                                CU_UPDATE_NOT_SUPPORTED,
                                CU_UPDATE_UNSUPPORTED_FUNCTION_CHANGE,
                                CU_UPDATE_ATTRIBUTES_CHANGED
} cu_update_result;

enum { CU_DOT_VERBOSE = 1 };

#endif
