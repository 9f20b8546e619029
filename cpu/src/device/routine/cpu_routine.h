/* cpu_routine.h: operations that compute in host memory what kernels would, without PTX: products
 * of matrices and sorts. They are queued, captured, checked and stopped like kernels. */
#ifndef CPU_ROUTINE_H
#define CPU_ROUTINE_H

#include "cpu_op.h"
#include "lcu_thread.h"

/* Which elements of an operand a routine computes with. ENDS: the first, the last, some others. */
typedef enum cpu_uses { CPU_USES_NONE, CPU_USES_ENDS, CPU_USES_ALL } cpu_uses;

/* Memory that a routine accesses, in elements of `size` bytes. */
typedef struct cpu_operand {
  uint64_t address, bytes; /* 0 bytes: none */
  uint32_t size, align;
  bool write;
  cpu_uses uses;
} cpu_operand;

enum { CPU_MOST_OPERANDS = 4 };

/* Asks whether a running routine is to end. */
typedef struct cpu_watch cpu_watch;
bool cpu_watch_stops (void *watch);

typedef struct cpu_routine {
  const char *name; /* in profiles and faults */
  size_t size;      /* of a job */
  /* The memory of a job from operand `from` on; returns how many there are, 0 at the end. */
  int (*operands)(const void *job, int from, cpu_operand out[CPU_MOST_OPERANDS]);
  /* `watch` is for cpu_watch_stops. */
  lcu_status (*compute)(const void *job, lcu_team *team, cpu_watch *watch);
  /* Is it less work than starting a thread for it? */
  bool (*is_small)(const void *job);
  /* The size of a job, where `size` is 0. */
  size_t (*size_of)(const void *job);
  bool solo; /* it uses no team, which other work can have meanwhile */
  /* Called in place of `compute` for a job whose memory cannot be accessed; may be NULL. */
  void (*skip)(const void *job);
} cpu_routine;

/* Queues a job, which is copied. */
cu_result cpu_routine_queue (const cpu_routine *r, const void *job, cu_stream handle);

#endif
