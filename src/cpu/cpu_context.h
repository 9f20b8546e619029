/* cpu_context.h: the primary context. */
#ifndef CPU_CONTEXT_H
#define CPU_CONTEXT_H

/* Frees everything made in the context except streams. All work must be complete. */
void cpu_context_free_objects (void);
/* For shutdown: drops all references to the context and removes it from every thread. */
void cpu_context_forget (void);

#endif
