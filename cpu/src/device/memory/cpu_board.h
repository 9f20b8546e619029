/* cpu_board.h: boards: what the processes that share an event know of its records. */
#ifndef CPU_BOARD_H
#define CPU_BOARD_H

#include "cpu_driver.h"

/* Has references: those of the event, and of its records and waits that are queued. */
typedef struct cpu_board cpu_board;

cu_result cpu_board_make (cpu_board **out);
cu_result cpu_board_open (const char name[64], cpu_board **out);
/* The name for other processes; false: the board is of another process. */
bool cpu_board_name (const cpu_board *b, char name[64]);
cpu_board *cpu_board_ref (cpu_board *b);
void cpu_board_unref (cpu_board *b); /* b may be NULL */

/* Adds a record. Tickets are numbered from 1, over all processes. */
cu_result cpu_board_record (cpu_board *b, uint64_t *ticket);
/* The record is reached. */
void cpu_board_reach (cpu_board *b, uint64_t ticket);
uint64_t cpu_board_latest (cpu_board *b); /* 0: never recorded */
/* Is the record reached? One of a process that has ended is. */
bool cpu_board_reached (cpu_board *b, uint64_t ticket);
/* Sleeps before the caller asks again, longer from the 50th turn on; *turn counts from 0. */
void cpu_board_pause (unsigned *turn);

#endif
