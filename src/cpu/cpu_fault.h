/* cpu_fault.h: faults of kernels, kept until they are reported. */
#ifndef CPU_FAULT_H
#define CPU_FAULT_H

#include "cpu_queue.h"
#include "ptx.h"

/* Keeps the fault of an operation until a synchronising call of its owner on a stream that comes
 * after it. */
void cpu_fault_add (cpu_stream *s, const cpu_op *op, lcu_status status, const char *kernel,
                    const ptx_fault *fault);
/* `to` has waited for operations of `from` before `seq`. */
void cpu_fault_inherit (cpu_stream *from, uint64_t seq, cpu_stream *to);
/* A fault before `seq` that the stream (NULL: any) may report to this thread's owner: takes it,
 * makes it this thread's, returns its code. 0: none. */
cu_result cpu_fault_take (cpu_stream *s, uint64_t seq);
void cpu_fault_orphan (cpu_stream *s); /* the stream ends: anybody may report */
void cpu_faults_free (void);

#endif
