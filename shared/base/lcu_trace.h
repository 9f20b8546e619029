/* lcu_trace.h: a record of what one thread of a kernel did on the CPU device: where it came to
 * another line of the source, and the values that it had there. */
#ifndef LCU_TRACE_H
#define LCU_TRACE_H

#include <stdatomic.h>

#include "lcu_mem.h"

/* Bytes of stops at which the kernel waits for the host to take them; and bytes at which stops get
 * lost where it cannot wait, because the host waits for the kernel. */
enum { LCU_TRACE_BATCH = 1 << 18, LCU_TRACE_MOST = 1 << 28 };

/* What to record, and the record. `stops` holds one item after the other, each packed as Lua's
 * string.pack has it: "<I4I4I4I4 s4s4s4 I4": the line of the source and of the PTX text, the depth
 * of calls and that of inlined calls, the file, the function, the inlined function or "", the
 * number of registers; then all registers, each as "s1I1I8" (name, bytes, bits); then, as "s4s4",
 * the local memory of the function and the kernel's parameters. The number before an item is its
 * size. Debug code does not say what is inlined: its debug information does. */
typedef struct lcu_trace {
  uint32_t block[3], thread[3];
  uint32_t line;    /* record only this one; 0: each line */
  lcu_buf stops;    /* that the host has not taken yet */
  atomic_bool ends; /* the host wants no more */
  bool cut;         /* stops were lost */
  bool seen;        /* a launch had the thread */
  /* Called when `stops` is that large: returns when the host has taken them, or if it cannot. */
  void (*full)(struct lcu_trace *t);
  /* ---- the hand-over (cpu_trace.c) */
  lcu_buf taken;   /* the host's */
  bool paused;     /* the kernel waits for the host */
  uint32_t waited; /* calls in which the host waits for the kernel */
  /* ---- where the thread is */
  const void *last_frame;
  const char *last_file;
  uint32_t last_line;
  bool enters; /* it fetches parameters there; the stop comes after that */
} lcu_trace;

static inline void lcu_trace_free (lcu_trace *t) {
  lcu_buf_free(&t->stops);
  lcu_buf_free(&t->taken);
}

#endif
