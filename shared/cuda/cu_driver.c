/* cu_driver.c: the results of a driver's calls, as statuses. */
#include "cu_driver.h"

#include <string.h>

/* Does the driver say more of the failure than its code? Only the CPU device does. */
static bool take_words (const lcu_driver *d, const char *call, cu_result r, char *text,
                        size_t size) {
  return d->cuxTakeWords != NULL && d->cuxTakeWords(call, r, text, size) == 0;
}

/* The driver names codes that are newer than the tables. */
static void name_code (const lcu_driver *d, cu_result r, lcu_failure *f) {
  const char *name = NULL, *text = NULL;
  if (d->cuGetErrorName == NULL || d->cuGetErrorString == NULL ||
      d->cuGetErrorName(r, &name) != 0 || d->cuGetErrorString(r, &text) != 0 || name == NULL ||
      text == NULL)
    return;
  f->code_name = name;
  f->code_text = text;
}

lcu_status lcu_driver_fail (const lcu_driver *d, const char *call, cu_result r) {
  char words[512];
  if (take_words(d, call, r, words, sizeof words)) return lcu_fail_call(r, call, "%s", words);
  lcu_fail_code(r, call);
  if (r == CU_ERR_UNKNOWN || strcmp(lcu_status_name(r), "CUDA_ERROR_UNKNOWN") != 0) return r;
  name_code(d, r, lcu_failure_get());
  return lcu_failure_get()->code_name != NULL ? r
                                              : lcu_fail_call(r, call, "the driver returned %d", r);
}

lcu_status lcu_driver_missing (const lcu_driver *d, const char *call) {
  return lcu_fail_call(LCU_E_UNSUPPORTED, call, "this %s has no %s",
                       strcmp(d->kind, "cpu") == 0 ? "device" : "driver", call);
}
