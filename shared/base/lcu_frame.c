/* lcu_frame.c: messages between two processes over a socket. */
#include "lcu_frame.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lcu_thread.h"

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0 /* macOS: an option of the socket */
#endif

/* Both processes run on one machine and come from one build. */
typedef struct head {
  int32_t code;
  uint32_t len[LCU_FRAME_PARTS];
} head;

/* ---- sending ---- */

static bool send_all (int fd, const void *data, size_t n) {
  const char *p = data;
  while (n > 0) {
    ssize_t sent = send(fd, p, n, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    p += sent;
    n -= (size_t)sent;
  }
  return true;
}

bool lcu_frame_send (int fd, int32_t code, const void *a, size_t a_len, const void *b,
                     size_t b_len) {
  if (a_len > LCU_FRAME_MOST || b_len > LCU_FRAME_MOST) return false;
  const head h = { code, { (uint32_t)a_len, (uint32_t)b_len } };
  return send_all(fd, &h, sizeof h) && send_all(fd, a, a_len) && send_all(fd, b, b_len);
}

/* ---- receiving ---- */

static bool wait_for (int fd, double latest) {
  for (;;) {
    double left = latest - lcu_now_ms();
    struct pollfd p = { .fd = fd, .events = POLLIN };
    int n = left <= 0 ? 0 : poll(&p, 1, left > 1e6 ? 1000000 : (int)left + 1);
    if (n > 0) return true;
    if (left <= 0 || (n < 0 && errno != EINTR)) return false;
  }
}

static bool receive_all (int fd, double latest, void *data, size_t n) {
  char *p = data;
  while (n > 0) {
    if (!wait_for(fd, latest)) return false;
    ssize_t got = recv(fd, p, n, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    p += got;
    n -= (size_t)got;
  }
  return true;
}

static bool receive_part (int fd, double latest, uint32_t len, lcu_buf *out) {
  if (len > LCU_FRAME_MOST) return false;
  char *at = lcu_buf_space(out, len);
  return at != NULL && receive_all(fd, latest, at, len);
}

bool lcu_frame_receive (int fd, double most_ms, lcu_frame *out) {
  head h;
  double latest = lcu_now_ms() + most_ms;
  if (!receive_all(fd, latest, &h, sizeof h)) return false;
  out->code = h.code;
  for (int k = 0; k < LCU_FRAME_PARTS; k++)
    if (!receive_part(fd, latest, h.len[k], &out->parts[k])) return false;
  return true;
}

void lcu_frame_free (lcu_frame *f) {
  for (int k = 0; k < LCU_FRAME_PARTS; k++) lcu_buf_free(&f->parts[k]);
  *f = (lcu_frame){ 0 };
}
