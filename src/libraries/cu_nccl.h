/* cu_nccl.h: NCCL, opened at run time: the transport of communicators of GPUs. */
#ifndef CU_NCCL_H
#define CU_NCCL_H

#include "cu_abi.h"
#include "cu_library.h"
#include "lcu_status.h"

typedef struct nccl_comm_ *nccl_comm;
typedef int nccl_result, nccl_type, nccl_op;
typedef struct nccl_id {
  char bytes[128];
} nccl_id;

/* As of NCCL 2.18, which later versions take. */
typedef struct nccl_config {
  size_t size;
  unsigned magic, version;
  int blocking, cga_cluster_size, min_ctas, max_ctas;
  const char *net_name;
  int split_share;
} nccl_config;
enum {
  NCCL_CONFIG_VERSION = 21800,
  NCCL_UNDEFINED_INT = -2147483647 - 1,
  NCCL_NO_COLOR = -1,
  NCCL_IN_PROGRESS = 7
};
/* ncclDataType_t */
enum {
  LCU_NCCL_INT8 = 0,
  LCU_NCCL_UINT8 = 1,
  LCU_NCCL_INT32 = 2,
  LCU_NCCL_UINT32 = 3,
  LCU_NCCL_INT64 = 4,
  LCU_NCCL_UINT64 = 5,
  LCU_NCCL_FLOAT16 = 6,
  LCU_NCCL_FLOAT32 = 7,
  LCU_NCCL_FLOAT64 = 8,
  LCU_NCCL_BFLOAT16 = 9
};
#define NCCL_CONFIG_MAGIC_ 0xcafebeefu

typedef struct lcu_nccl {
#define LCU_NCCL(need, name, params) nccl_result(*name) params;
#include "nccl.def"
#undef LCU_NCCL
  int version[3]; /* 2, 28, 9 */
  char path[512]; /* the file that was opened */
} lcu_nccl;

extern const lcu_library lcu_nccl_library;

/* Converts an ncclResult_t to a status (LCU_E_COMM), and records the call. */
lcu_status lcu_nccl_status (const char *call, nccl_result r);

#endif
