/* lcu_trace.h: a record of what one thread of a kernel did on the CPU device: where it came to
 * another line of the source, and the values that it had there. */
#ifndef LCU_TRACE_H
#define LCU_TRACE_H

#include "lcu_mem.h"

/* What to record, and the record. `stops` holds one item after the other, each packed as Lua's
 * string.pack has it: "<I4I4I4 s4s4 I4 s4s4s4": the line of the source and of the PTX text, the
 * depth of calls, the file, the function, the number of registers; then all registers, each as
 * "s1I1I8" (name, bytes, bits); the local memory of the function and the kernel's parameters. The
 * number before an item is its size. */
typedef struct lcu_trace {
  uint32_t block[3], thread[3];
  uint32_t line;  /* record only this one; 0: each line */
  uint32_t limit; /* stops to record at most */
  lcu_buf stops;
  uint32_t num;
  bool cut;  /* there were more stops than `limit` */
  bool seen; /* a launch had the thread */
  /* where the thread is */
  const void *last_frame;
  const char *last_file;
  uint32_t last_line;
  bool enters; /* it fetches parameters there; the stop comes after that */
} lcu_trace;

#endif
