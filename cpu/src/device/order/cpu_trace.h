/* cpu_trace.h: handing the stops of a traced kernel to the thread that wants them: the kernel waits
 * while many have not been taken. */
#ifndef CPU_TRACE_H
#define CPU_TRACE_H

#include "lcu_trace.h"

/* From now on this thread takes the stops; until the end. */
void cpu_trace_begin (lcu_trace *t);
void cpu_trace_end (void);

/* Enclose a wait of this thread for work on the device, with cpu_queue_lock held. The thread cannot
 * take stops then, so its kernel does not wait for it. */
void cpu_trace_wait_begin (void);
void cpu_trace_wait_end (void);

#endif
