/* lcu_context.h: contexts of a device besides its primary one.
 *
 * Such a context is an lcu_device of its own over the same driver and handle: its arrays, streams,
 * events and modules belong to it as they belong to a device. Memory is reachable from all contexts
 * of one device. Closing it ends everything made in it, whoever refers to it: the objects stay as
 * records, and each use of them fails. */
#ifndef LCU_CONTEXT_H
#define LCU_CONTEXT_H

#include "lcu_device.h"

/* `flags`: cu_ctx_flag. The context is open and not current; the caller has a reference. */
lcu_status lcu_context_create (lcu_device *d, unsigned flags, lcu_device **out);
/* Waits for its work and ends it. Failures that no call has raised pass to its device. Fails while
 * work of the context is being recorded; harmless on a closed context. */
lcu_status lcu_context_close (lcu_device *c);
/* The caller has dropped what its state kept by the index of a closed context: without other states
 * another context may have the index. (Otherwise it may have it once no object refers to this
 * one.) */
void lcu_context_vacate (lcu_device *c);
/* Closes the contexts that only the process refers to: their handles and objects were collected. */
void lcu_context_sweep (void);
/* The number of closed contexts whose records are still kept. */
long lcu_context_kept (void);
/* Closes all contexts. */
void lcu_context_close_all (void);

/* For the device's end: drops what only contexts have. */
void lcu_context_leave (lcu_device *c);

#endif
