/* lcul_stream.h: class Stream, and the current stream of each device. */
#ifndef LCUL_STREAM_H
#define LCUL_STREAM_H

#include "lcul_state.h"

/* The object of class Stream. */
typedef struct lcul_stream_box {
  lcu_stream *stream;
} lcul_stream_box;

/* The stream for work and waits on an open Stream; raises otherwise. While work is recorded: the
 * one that records for it. */
lcu_stream *lcul_stream_check (lua_State *L, int idx);
lcu_stream *lcul_stream_itself (lua_State *L, int idx); /* the Stream's own, for its fields */
/* The same choice for a stream found in another way. */
lcu_stream *lcul_stream_recording (lua_State *L, const lcul_state *st, lcu_stream *s);
static inline lcu_stream *lcul_stream_to_use (lua_State *L, const lcul_state *st, lcu_stream *s) {
  return lcu_likely(st->capture == NULL) ? s : lcul_stream_recording(L, st, s);
}
/* A stream of a capture is pushed as the one that it stands for. */
void lcul_stream_push (lua_State *L, lcu_stream *s);
/* Pushes an empty object, for lcul_stream_keep when it holds its stream. */
lcul_stream_box *lcul_stream_newbox (lua_State *L);
/* Makes the object at the top the one that lcul_stream_push finds for its stream. */
void lcul_stream_keep (lua_State *L, const lcul_stream_box *box);
lcu_stream *lcul_stream_current (lua_State *L, lcu_device *d); /* borrowed */
/* Makes s (NULL: the null stream) current on d and returns the previous one with its reference,
 * NULL for the null stream. */
lcu_stream *lcul_stream_exchange (lcul_state *st, lcu_device *d, lcu_stream *s);
/* The same where the previous one is dropped. */
void lcul_stream_set_current (lua_State *L, lcu_device *d, lcu_stream *s);
/* The stream at idx, which must be of the device (borrowed). */
lcu_stream *lcul_stream_for (lua_State *L, int idx, lcu_device *d);
/* Raises unless the argument at idx is absent or a table whose only option is `stream`. Returns
 * idx, or 0 if it is absent. */
int lcul_stream_options (lua_State *L, int idx, const char *fn);
/* Option `stream`, else the device's current stream (borrowed). */
lcu_stream *lcul_opt_stream (lua_State *L, int idx, lcu_device *d);

/* Drops a reference (NULL is fine). Finalizers run inside anything that allocates, and C functions
 * use streams that they found before. A stream that a finalizer drops therefore lives until
 * lcul_stream_settle runs outside of finalizers. A function that runs other Lua code finds its
 * stream again afterwards, or holds it. */
void lcul_stream_leave (lua_State *L, lcu_stream *s);
void lcul_stream_settle (lua_State *L, lcul_state *st);
/* Pushes one value that keeps the stream until lcul_stream_release or until it is collected. */
void lcul_stream_hold (lua_State *L, lcu_stream *s);
void lcul_stream_release (lua_State *L, int idx);

#endif
