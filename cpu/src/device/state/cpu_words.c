/* cpu_words.c: the words of the latest failed call of each thread, and those of all codes. */
#include "cpu_words.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local struct {
  const char *call; /* NULL: there are none */
  cu_result code;
  char text[512];
} words;

cu_result cpu_fail (const char *call, cu_result r, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  vsnprintf(words.text, sizeof words.text, fmt, args);
  va_end(args);
  words.call = call;
  words.code = r;
  return r;
}

/* They are taken once, and lost when another failure is asked for. */
cu_result cpu_cuxTakeWords (const char *call, cu_result r, char *text, size_t size) {
  bool ours = words.call != NULL && words.code == r && strcmp(words.call, call) == 0;
  words.call = NULL;
  if (!ours) return CU_ERR_NOT_FOUND;
  snprintf(text, size, "%s", words.text);
  return 0;
}


/* ---- codes ---- */

/* What `say` knows of a code of the driver; NULL for other codes. */
static cu_result describe (cu_result r, const char **text, const char *(*say)(lcu_status)) {
  if (text == NULL) return CU_ERR_INVALID_VALUE;
  bool known = r == CU_ERR_UNKNOWN || (r >= 0 && r < CU_ERR_UNKNOWN &&
                                       strcmp(lcu_status_name(r), "CUDA_ERROR_UNKNOWN") != 0);
  *text = known ? say(r) : NULL;
  return known ? 0 : CU_ERR_INVALID_VALUE;
}

cu_result cpu_cuGetErrorName (cu_result r, const char **name) {
  return describe(r, name, lcu_status_name);
}

cu_result cpu_cuGetErrorString (cu_result r, const char **text) {
  return describe(r, text, lcu_status_text);
}
