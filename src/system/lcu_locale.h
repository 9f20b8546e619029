/* lcu_locale.h: the C locale for calls into libraries that parse numbers according to the process's
 * locale. */
#ifndef LCU_LOCALE_H
#define LCU_LOCALE_H

/* Between enter and leave this thread alone has the C locale. `leave` takes the result of
 * `enter`. */
void *lcu_locale_enter (void);
void lcu_locale_leave (void *before);

#endif
