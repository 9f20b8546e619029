/* cu_collective.h: operations of a communicator, as the backends get them. Ranks count from 0. */
#ifndef CU_COLLECTIVE_H
#define CU_COLLECTIVE_H

#include "cu_abi.h"
#include "lcu_dtype.h"
#include "lcu_status.h"

typedef enum lcu_collective_kind {
#define LCU_COLLECTIVE(ID, name, in, out) LCU_COLLECTIVE_##ID,
#include "collectives.def"
#undef LCU_COLLECTIVE
  LCU_COLLECTIVE_COUNT
} lcu_collective_kind;

typedef enum lcu_collective_extent {
  LCU_EXTENT_NONE,
  LCU_EXTENT_ONE,
  LCU_EXTENT_ALL
} lcu_collective_extent;

typedef struct lcu_collective_row {
  const char *name;
  lcu_collective_extent in, out;
} lcu_collective_row;
extern const lcu_collective_row lcu_collectives[LCU_COLLECTIVE_COUNT];

/* In the order of ncclRedOp_t. */
typedef enum lcu_reduce_op {
  LCU_REDUCE_SUM,
  LCU_REDUCE_PROD,
  LCU_REDUCE_MAX,
  LCU_REDUCE_MIN,
  LCU_REDUCE_AVG,
  LCU_REDUCE_COUNT
} lcu_reduce_op;
extern const char *const lcu_reduce_ops[LCU_REDUCE_COUNT + 1]; /* "sum", ..., NULL */

/* Does the operation combine elements? */
static inline bool lcu_collective_reduces (lcu_collective_kind k) {
  return k == LCU_COLLECTIVE_ALL_REDUCE || k == LCU_COLLECTIVE_REDUCE ||
         k == LCU_COLLECTIVE_REDUCE_SCATTER;
}
/* Does NCCL make it of sends and receives? */
static inline bool lcu_collective_is_paired (lcu_collective_kind k) {
  return !lcu_collective_reduces(k) && k != LCU_COLLECTIVE_BROADCAST &&
         k != LCU_COLLECTIVE_ALL_GATHER;
}
/* The reason why elements of the dtype cannot be combined by the operator, for people; NULL: they
 * can. A complex number is added as two numbers, and a bool is a number of one byte. */
const char *lcu_reduce_refuses (const lcu_dtype *t, lcu_reduce_op op);

typedef struct lcu_collective {
  lcu_collective_kind kind;
  lcu_reduce_op op;
  lcu_dtype_id dtype;
  int peer;             /* the root, or the other rank of a send or recv */
  uint64_t count;       /* elements of one rank */
  cu_deviceptr in, out; /* 0: this rank has none */
} lcu_collective;

/* Operations that the CPU device carries out together, in the order of a stream. The job and its
 * operations are copied. */
struct cux_collective_job {
  /* Carries them out and returns when they are done. stop(ud): is the work to end early? A failure
   * is described in `why`. */
  lcu_status (*run)(const cux_collective_job *job, bool (*stop)(void *ud), void *ud,
                    char why[CUX_WHY_SIZE]);
  /* Called in place of `run` where the device refuses the memory of an operation. */
  void (*skip)(const cux_collective_job *job);
  uint64_t comm; /* for `run` */
  bool held;     /* the job holds its communicator and runs once; otherwise a graph repeats it */
  int rank, size, n;
  lcu_collective ops[];
};

static inline size_t cux_collective_bytes (int n) {
  return sizeof(cux_collective_job) + (size_t)n * sizeof(lcu_collective);
}
/* The bytes of the input (or of the output) of an operation, of a communicator of `size` ranks. */
uint64_t lcu_collective_bytes (const lcu_collective *op, int size, bool out);

#endif
