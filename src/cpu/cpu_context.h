/* cpu_context.h: the primary context. */
#ifndef CPU_CONTEXT_H
#define CPU_CONTEXT_H

/* Frees everything that was made in the context, but streams; all work is complete. */
void cpu_context_free_objects (void);
/* After shutdown: nobody retains the context, and it is not current on any thread. */
void cpu_context_forget (void);

#endif
