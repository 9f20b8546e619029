/* lcu_room.h: memory that the system can be expected to have. Linux promises more than it has and
 * ends processes that take it at its word, so large blocks are asked about first. */
#ifndef LCU_ROOM_H
#define LCU_ROOM_H

#include "lcu_base.h"

/* Books n bytes that are about to be allocated. False: the system is not expected to have them, and
 * nothing is booked. The system is asked once for every 64 MiB, so the answer is true for small
 * blocks mostly. */
bool lcu_room_take (size_t n);
/* Bytes that were booked are given back to the system, or could not be allocated. */
void lcu_room_give (size_t n);
/* What could still be taken. */
uint64_t lcu_room_left (void);
/* What this process may have at most: the machine's memory, or less where a container or the shell
 * limits it. */
uint64_t lcu_room_limit (void);

/* ---- the parts, for tests ---- */

typedef struct lcu_room {
  uint64_t limit, available; /* UINT64_MAX when nothing says how much */
  /* of this process, files left out: booked bytes that were touched are part of it */
  uint64_t resident;
} lcu_room;

/* Reads <root>/proc and <root>/sys/fs/cgroup; root is "" for the system itself. */
void lcu_room_look (const char *root, lcu_room *out);
/* What may be taken when `booked` bytes are out: booked bytes that were not touched yet are still
 * to come, and some is left to the system. */
uint64_t lcu_room_after (const lcu_room *room, uint64_t booked);

#endif
