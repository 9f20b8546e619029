/* cpu_fault.h: faults of kernels, kept until a call reports them. */
#ifndef CPU_FAULT_H
#define CPU_FAULT_H

#include "cpu_queue.h"
#include "ptx.h"

/* Keeps a fault until a synchronizing call of the operation's owner reports it. For a status other
 * than LCU_E_FAULT, `fault` is unused: the reason is in this thread's failure record. */
void cpu_fault_add (cpu_stream *s, const cpu_op *op, lcu_status status, const char *kernel,
                    const ptx_fault *fault);
/* `to` has waited for the operations of `from` before `seq`, so it may report their faults. */
void cpu_fault_inherit (cpu_stream *from, uint64_t seq, cpu_stream *to);
/* Takes a fault from before `seq` that `s` may report to this thread's owner, keeps its details for
 * cuxTakeFault and returns its code; 0 when no such fault exists. */
cu_result cpu_fault_take (cpu_stream *s, uint64_t seq);
/* The same for any fault that happened in the context, or in any context (NULL). */
cu_result cpu_fault_take_in (cu_context ctx);
/* The stream ends: from now on any stream of its context may report its faults. */
void cpu_fault_orphan (cpu_stream *s);
/* Is no fault kept? Takes no lock. */
bool cpu_faults_none (void);
/* Frees the faults that happened in the context, or all (NULL). */
void cpu_faults_free (cu_context ctx);

#endif
