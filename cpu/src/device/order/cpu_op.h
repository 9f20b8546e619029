/* cpu_op.h: operations: the work that is queued in streams. The file that queues an operation also
 * defines how to execute it (cpu_op_fn). */
#ifndef CPU_OP_H
#define CPU_OP_H

#include <stdatomic.h>

#include "cpu_driver.h"

typedef struct cpu_op cpu_op;

/* Some kinds are special: a kernel can be stopped, and so can a routine, which has no function; a
 * wait depends on another stream, and a host function runs on a worker. */
typedef enum cpu_op_kind {
  CPU_OP_PLAIN,
  CPU_OP_KERNEL,
  CPU_OP_ROUTINE,
  CPU_OP_WAIT,
  CPU_OP_HOST
} cpu_op_kind;

/* A 2D or 3D copy. */
typedef struct cpu_box {
  uint8_t *dst;
  const uint8_t *src;
  size_t dst_pitch, dst_slice, src_pitch, src_slice, width, height, depth;
} cpu_box;

/* Memory that an operation uses: to be checked again when a graph repeats it. */
typedef struct cpu_span {
  uint64_t address;
  size_t bytes; /* 0: none */
} cpu_span;

/* `count` elements of `bytes` bytes in each of `height` rows. */
typedef struct cpu_fill {
  uint8_t *dst;
  uint32_t value;
  uint32_t bytes;
  size_t count, height, pitch;
} cpu_fill;

/* What a program sets of a function. */
typedef struct cpu_settings {
  atomic_int max_dynamic, carveout;
  /* of clusters: blocks per axis (0: not set), whether more than 8, scheduling policy */
  atomic_int cluster[3], non_portable, policy;
} cpu_settings;

/* What a launch names. */
struct cu_function_ {
  cpu_module *module;
  struct ptx_kernel *kernel; /* NULL: the handle of a kernel of a library */
  cpu_settings *set;         /* `own`, or that of the library's kernel */
  cpu_settings own;
};

enum { CPU_INLINE_PARAMS = 256 };
/* A launch. Of a routine only stop, failed, params (cpu_routine.c) and caller are used. */
typedef struct cpu_grid {
  cpu_function *function;
  uint32_t grid[3], block[3], shared;
  uint32_t cluster[3]; /* zeros: as the kernel asks for */
  bool cooperative;
  bool programmatic; /* it may begin before the kernel that precedes it in the stream has ended */
  bool failed;       /* the last run ended with a fault */
  atomic_bool *stop; /* becomes true to end the grid early */
  void *params;      /* inline_params, or the memory of the operation */
  char caller[CUX_PLACE_SIZE];
  _Alignas(16) uint8_t inline_params[CPU_INLINE_PARAMS];
} cpu_grid;

/* Executes an operation, without cpu_queue_lock. */
typedef void cpu_op_fn (cpu_stream *s, cpu_op *op);
/* Makes `to`, which is new, the same as `from`, which was not queued. Returns `to`, or NULL when
 * out of memory; then `to` is gone. */
typedef cpu_op *cpu_op_copy_fn (cpu_op *to, const cpu_op *from);

struct cpu_op {
  cpu_op *next;
  uint64_t seq;   /* its number, in the order of queueing over all streams */
  uint64_t owner; /* the Lua state whose call queued it (lcu_status.h) */
  cpu_op_kind kind;
  cpu_op_fn *run;
  cpu_op_copy_fn *copy_of; /* NULL: all there is to copy is below */
  void *memory;            /* to be freed with the operation, or NULL */
  atomic_bool stop;        /* set to end its kernels early */
  cpu_span used[2];        /* of copies and fills: device memory */
  union {
    cpu_grid grid;
    struct {
      void *dst;
      const void *src;
      size_t n;
    } copy;
    cpu_box box;
    cpu_fill fill;
    struct cpu_block *block;
    cpu_event *event;
    struct {
      struct cpu_board *board;
      uint64_t ticket;
    } shared; /* a record of an event of several processes */
    struct {
      cpu_stream *stream;
      uint64_t seq;
    } wait;
    struct {
      uint64_t address, value;
      unsigned bytes, how; /* CU_WAIT_ */
    } word;
    struct cpu_body *body; /* of a graph */
    struct {
      cu_host_fn fn;
      void *ud;
    } host;
  };
};

#endif
