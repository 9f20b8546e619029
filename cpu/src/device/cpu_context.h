/* cpu_context.h: the beginning and the end of contexts. */
#ifndef CPU_CONTEXT_H
#define CPU_CONTEXT_H

#include <pthread.h>

#include "cpu_enter.h"

/* Held while contexts are made, retained, released, reset and destroyed. */
extern pthread_mutex_t cpu_context_lock;

/* Gives the context its null stream and default settings. Needs the lock. */
bool cpu_context_begin (cu_context ctx, uint64_t serial);
/* Completes the work of the context, then frees everything made in it. */
void cpu_context_clear (cu_context ctx);
/* The same of a primary context, which ends if `end` is set. If there is no other context, this
 * also frees pools and graphs. Needs the lock. */
void cpu_context_clear_primary (cu_context ctx, bool end);
/* Frees everything made in any context except streams. All work must be complete. */
void cpu_context_free_objects (void);
/* For shutdown: ends all contexts and removes them from every thread. */
void cpu_context_forget (void);

#endif
