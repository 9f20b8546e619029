/* lcu_room.h: memory that the system is expected to have. Linux grants more memory than it has and
 * later kills processes that use it, so large blocks are checked first. */
#ifndef LCU_ROOM_H
#define LCU_ROOM_H

#include "lcu_base.h"

/* Books n bytes that are about to be allocated. False: the system is not expected to have them, and
 * nothing is booked. The system is checked once for every 64 MiB, so small blocks usually
 * succeed. */
bool lcu_room_take (size_t n);
/* Cancels a booking: the bytes were freed, or could not be allocated. */
void lcu_room_give (size_t n);
/* The bytes that can still be booked. */
uint64_t lcu_room_left (void);
/* Could so many bytes be booked, and does the shell's limit leave so many addresses? For code that
 * ends the process when it gets no memory. */
bool lcu_room_has (uint64_t bytes, uint64_t addresses);
/* The most this process may use: the machine's memory, or less where a container or the shell
 * limits it. */
uint64_t lcu_room_limit (void);

/* Where bookings are counted. Libraries of one process that contain this code share an account. */
typedef struct lcu_room_account lcu_room_account;
lcu_room_account *lcu_room_account_get (void);
/* To be called before anything is booked. */
void lcu_room_account_use (lcu_room_account *shared);

/* ---- the parts, for tests ---- */

typedef struct lcu_room {
  uint64_t limit, available; /* UINT64_MAX: not known */
  /* of this process, without files: includes booked bytes that were touched */
  uint64_t resident;
  uint64_t addresses; /* that the shell's limit leaves; UINT64_MAX: there is none */
} lcu_room;

/* Reads <root>/proc and <root>/sys/fs/cgroup; root is "" for the system itself. */
void lcu_room_look (const char *root, lcu_room *out);
/* The bytes that can be booked when `booked` bytes are booked already. Booked bytes that were not
 * touched yet will still be used, and a reserve is left to the system. */
uint64_t lcu_room_after (const lcu_room *room, uint64_t booked);

#endif
