/* cpu_words.h: what is known of a failed call beyond its code. */
#ifndef CPU_WORDS_H
#define CPU_WORDS_H

#include "cpu_driver.h"

/* Leaves words for the cuxTakeWords that follows on this thread with the same call and code. `call`
 * must be static text. Returns r. */
cu_result cpu_fail (const char *call, cu_result r, const char *fmt, ...) LCU_PRINTF(3, 4);

static inline cu_result cpu_fail_invalid (const char *call, const char *why) {
  return cpu_fail(call, CU_ERR_INVALID_VALUE, "%s", why);
}

#endif
