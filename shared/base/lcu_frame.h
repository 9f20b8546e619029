/* lcu_frame.h: messages between two processes over a socket: a number and two byte strings. */
#ifndef LCU_FRAME_H
#define LCU_FRAME_H

#include "lcu_mem.h"

enum { LCU_FRAME_PARTS = 2, LCU_FRAME_MOST = 64 << 20 }; /* bytes of a part */

typedef struct lcu_frame {
  int32_t code;
  lcu_buf parts[LCU_FRAME_PARTS]; /* each ends with a zero byte that it does not count */
} lcu_frame;

/* False: the other end is closed. Calls only what a signal handler may call. */
bool lcu_frame_send (int fd, int32_t code, const void *a, size_t a_len, const void *b,
                     size_t b_len);

/* Waits for a message. False: the other end is closed, the message is too long or incomplete,
 * memory ran out, or `most_ms` have passed. The caller zeroes `out` before and frees it after every
 * call. */
bool lcu_frame_receive (int fd, double most_ms, lcu_frame *out);

void lcu_frame_free (lcu_frame *f);

#endif
