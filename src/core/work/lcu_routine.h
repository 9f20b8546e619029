/* lcu_routine.h: work that the CPU device does without a kernel, queued like a launch. */
#ifndef LCU_ROUTINE_H
#define LCU_ROUTINE_H

#include "lcu_work.h"

typedef struct lcu_routine {
  const char *name; /* in profiles and faults */
  const lcu_use *uses;
  size_t num_uses;
  /* Calls the driver. */
  lcu_status (*queue)(lcu_stream *s, const void *job);
} lcu_routine;

lcu_status lcu_routine_queue (lcu_stream *s, const lcu_routine *r, const void *job);

#endif
