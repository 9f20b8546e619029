/* cpu_op.h: operations, the pieces of work that streams queue. */
#ifndef CPU_OP_H
#define CPU_OP_H

#include <stdatomic.h>

#include "cpu_driver.h"

typedef struct cpu_op cpu_op;

/* What the queue has to distinguish: a kernel can be stopped, a wait depends on another stream,
 * and a host function runs on a worker. */
typedef enum cpu_op_kind { CPU_OP_PLAIN, CPU_OP_KERNEL, CPU_OP_WAIT, CPU_OP_HOST } cpu_op_kind;

typedef struct cpu_rect {
  uint8_t *dst;
  const uint8_t *src;
  size_t dst_pitch, dst_slice, src_pitch, src_slice, width, height, depth;
} cpu_rect;
typedef struct cpu_fill {
  uint8_t *dst;
  uint32_t value;
  uint32_t bytes;
  size_t count, height, pitch;
} cpu_fill;
enum { CPU_INLINE_PARAMS = 256 };
typedef struct cpu_grid {
  cpu_function *function;
  uint32_t grid[3], block[3], shared;
  bool cooperative;
  atomic_bool stop; /* whoever waited for it gave up */
  void *params;     /* inline_params, or the memory that the operation owns */
  char caller[LCU_CALLER_SIZE];
  _Alignas(16) uint8_t inline_params[CPU_INLINE_PARAMS];
} cpu_grid;

/* Executes an operation, without any lock. */
typedef void cpu_op_fn (cpu_stream *s, cpu_op *op);

struct cpu_op {
  cpu_op *next;
  uint64_t seq, owner; /* owner: whose call queued it (lcu_status.h) */
  cpu_op_kind kind;
  cpu_op_fn *run;
  void *memory; /* freed with the operation; or NULL */
  union {
    cpu_grid grid;
    struct {
      void *dst;
      const void *src;
      size_t n;
    } copy;
    cpu_rect rect;
    cpu_fill fill;
    struct cpu_block *block;
    cpu_event *event;
    struct {
      cpu_stream *stream;
      uint64_t seq;
    } wait;
    struct {
      cu_host_fn fn;
      void *ud;
    } host;
  };
};

#endif
