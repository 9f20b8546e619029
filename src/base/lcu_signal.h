/* lcu_signal.h: keeps SIGINT and SIGTERM for the program while foreign code runs that takes them
 * over. */
#ifndef LCU_SIGNAL_H
#define LCU_SIGNAL_H

#include <stdatomic.h>

#include "lcu_base.h"

/* Runs fn(ud) on a thread of its own and waits for it. The code that fn calls may install handlers
 * of its own: they are replaced by the program's within milliseconds, and nothing of them is left
 * afterwards. A SIGINT or SIGTERM that arrives meanwhile has the program's own effect at once: its
 * handler runs on this thread, or the process ends. After a handler has run, *cancel holds the
 * signal's number (0 before), for fn to look at. */
void lcu_signal_shield (void (*fn)(void *ud), void *ud, atomic_int *cancel);

#endif
