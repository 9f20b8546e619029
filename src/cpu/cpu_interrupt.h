/* cpu_interrupt.h: threads that wait and may give up. */
#ifndef CPU_INTERRUPT_H
#define CPU_INTERRUPT_H

#include <stdbool.h>

/* Around a wait; true for the outermost, whose end is to be told. */
bool cpu_wait_begin (void);
void cpu_wait_end (bool began);
/* Is this thread in a wait that is to end soon? */
bool cpu_wait_stops (void);

#endif
