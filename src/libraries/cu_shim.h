/* cu_shim.h: trace and fault injection around any driver. */
#ifndef CU_SHIM_H
#define CU_SHIM_H

#include "cu_driver.h"

/* Wraps `real` process-wide; the wrapped table lives until exit. Two drivers can be wrapped; a
 * third is returned as it is. */
const lcu_driver *lcu_shim_wrap (const lcu_driver *real);
/* The n-th driver call from now fails with `r` (n = 1: the next); 0: none. Release calls are
 * forwarded before they fail. Extensions (cux...) are neither counted nor made to fail. */
void lcu_shim_fail_at (long n, cu_result r);
/* The number of calls since the last lcu_shim_fail_at. */
long lcu_shim_calls (void);
/* The name of the call that was last made to fail, or NULL. */
const char *lcu_shim_failed_call (void);
/* Calls `hook` after every call of a wrapped driver, with the result and the time that the call
 * took, on the same thread; NULL: none. */
typedef void (*lcu_shim_hook)(void *ud, const char *call, cu_result r, double ms);
void lcu_shim_trace (lcu_shim_hook hook, void *ud);

#endif
