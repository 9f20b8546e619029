/* cpu_interrupt.h: interrupting a thread that waits.
 *
 * A waiting thread calls the function of cuxSetStop every 20 ms, and so does a thread that executes
 * the kernel it waits for. Once the function returns true, the wait is to end: the kernels that
 * this thread waits for are stopped. */
#ifndef CPU_INTERRUPT_H
#define CPU_INTERRUPT_H

#include <stdbool.h>

/* Enclose a wait. Waits may nest: begin returns true for the outermost, and end needs that
 * value. */
bool cpu_wait_begin (void);
void cpu_wait_end (bool began);
/* Is this thread in a wait that should end? */
bool cpu_wait_stops (void);

#endif
