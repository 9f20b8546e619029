/* lcu_signal.h: keeps SIGINT and SIGTERM for the program while it runs foreign code that takes them
 * over. */
#ifndef LCU_SIGNAL_H
#define LCU_SIGNAL_H

#include <stdatomic.h>

#include "lcu_base.h"

/* Runs fn(ud) on a separate thread and waits for it. The code that fn calls may install handlers:
 * the program's handlers replace them within milliseconds, and none of them remains afterwards. A
 * SIGINT or SIGTERM that arrives meanwhile has its effect immediately: the program's handler runs
 * on this thread, or the process ends. After a handler has run, *cancel is the signal's number (0
 * before), for fn to check. While this thread waits it calls idle(ud), which may be NULL, every few
 * milliseconds. */
void lcu_signal_shield (void (*fn)(void *ud), void (*idle)(void *ud), void *ud, atomic_int *cancel);

#endif
