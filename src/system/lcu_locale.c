/* lcu_locale.c: switches the locale of a thread, and back. */
#if !defined(_XOPEN_SOURCE) && !defined(_GNU_SOURCE) && !defined(__APPLE__)
#define _XOPEN_SOURCE 700 /* uselocale */
#endif
#include "lcu_locale.h"

#include <locale.h>
#include <pthread.h>
#if defined(__APPLE__)
#include <xlocale.h>
#endif

/* created once and kept; 0 if out of memory, then the thread keeps its locale */
static locale_t c_locale;

static void make (void) { c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0); }

void *lcu_locale_enter (void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, make);
  return (void *)uselocale(c_locale);
}

void lcu_locale_leave (void *before) { uselocale((locale_t)before); }
