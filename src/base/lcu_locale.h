/* lcu_locale.h: the C locale for calls into libraries that read numbers as the process's locale
 * writes them. */
#ifndef LCU_LOCALE_H
#define LCU_LOCALE_H

/* From enter to leave this thread, and no other, has the C locale. `leave` takes what `enter`
 * returned. */
void *lcu_locale_enter (void);
void lcu_locale_leave (void *before);

#endif
