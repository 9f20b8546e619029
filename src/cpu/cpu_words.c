/* cpu_words.c: the words of the latest failed call of each thread. */
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
