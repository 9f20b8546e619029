/* cpu_print.h: output of printf in kernels. */
#ifndef CPU_PRINT_H
#define CPU_PRINT_H

#include <stddef.h>

void cpu_print_add (const char *text, size_t len);
/* Writes what was kept. */
void cpu_print_flush (void);

#endif
