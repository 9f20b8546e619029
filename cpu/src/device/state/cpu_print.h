/* cpu_print.h: the buffer for printf in kernels. Output is kept until a synchronizing call, or
 * until it is as long as the limit PRINTF_FIFO_SIZE. */
#ifndef CPU_PRINT_H
#define CPU_PRINT_H

#include <stddef.h>

void cpu_print_add (const char *text, size_t len);
/* Writes what the buffer holds to stdout. */
void cpu_print_flush (void);

#endif
