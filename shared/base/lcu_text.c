/* lcu_text.c: text appended to a buffer of fixed size. */
#include "lcu_text.h"

#include <stdarg.h>
#include <stdio.h>

lcu_text lcu_text_in (char *buf, size_t size) {
  buf[0] = '\0';
  return (lcu_text){ buf, size };
}

void lcu_text_add (lcu_text *t, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  int n = vsnprintf(t->at, t->left, fmt, args);
  va_end(args);
  size_t used = n < 0 ? 0 : (size_t)n < t->left ? (size_t)n : t->left - 1;
  t->at += used;
  t->left -= used;
}
