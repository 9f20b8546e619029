/* lcu_text.h: text appended to a buffer of fixed size. What does not fit is cut. */
#ifndef LCU_TEXT_H
#define LCU_TEXT_H

#include "lcu_base.h"

typedef struct lcu_text {
  char *at;    /* the terminating zero */
  size_t left; /* bytes from there to the end of the buffer, at least 1 */
} lcu_text;

/* Starts with an empty text. size > 0. */
lcu_text lcu_text_in (char *buf, size_t size);
void lcu_text_add (lcu_text *t, const char *fmt, ...) LCU_PRINTF(2, 3);

#endif
