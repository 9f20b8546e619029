/* ptx_words.h: the words of faults. */
#ifndef PTX_WORDS_H
#define PTX_WORDS_H

#include "lcu_text.h"
#include "ptx.h"

/* Whether it is about device memory. */
bool ptx_words_global (const ptx_fault *f);
/* "called from k.cu:12, from k.cu:20": the calls of device functions that lead to a place */
void ptx_words_callers (lcu_text *t, const ptx_caller *c, const char *before);
/* Sets f->message. told: the detail says what the access is, not only more about it. */
void ptx_words_write (ptx_fault *f, const char *detail, bool told);

#endif
