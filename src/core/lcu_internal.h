/* lcu_internal.h: what the files of src/core tell each other and nobody else. */
#ifndef LCU_INTERNAL_H
#define LCU_INTERNAL_H

#include "lcu_block.h"

/* lcu_device.c */
void lcu_device_poll (lcu_device *d);
/* The answer to a query: LCU_OK with done set where the work has ended, by a fault too, which waits
 * to be raised. */
lcu_status lcu_device_answer (lcu_device *d, const char *call, cu_result r, bool *done);

/* lcu_stream.c */
lcu_status lcu_stream_create_null (lcu_device *d, lcu_stream **out);
/* Counts an operation: its number. The device's lock is held. */
static inline uint64_t lcu_stream_count_locked (lcu_stream *s) {
  uint64_t seq = atomic_load_explicit(&s->submitted, memory_order_relaxed) + 1;
  atomic_store_explicit(&s->submitted, seq, memory_order_release);
  return seq;
}
/* Everything up to `seq` is known to be complete. */
void lcu_stream_completed (lcu_stream *s, uint64_t seq);
/* A status of a driver call made for the stream, with the device entered. */
lcu_status lcu_stream_sync_entered (lcu_stream *s);
/* Only the event knows of the work: the handle may not be used. */
static inline bool lcu_stream_is_left (const lcu_stream *s) {
  return s->left_at != 0 && s->left_at == atomic_load_explicit(&s->submitted, memory_order_acquire);
}
/* cuStreamQuery, or what stands for it. */
cu_result lcu_stream_ask (const lcu_stream *s);
/* The owner of a foreign stream is about to end it. The device is entered. */
lcu_status lcu_order_leave (lcu_stream *s);

/* lcu_order.c: what is queued on `s` from now on comes after what `other` has now. Devices need not
 * be entered. */
lcu_status lcu_order_after (lcu_stream *s, lcu_stream *other);
/* Remembers that `s` comes after count `seq` of the stream with that id. */
void lcu_order_remember (lcu_stream *s, uint64_t id, uint64_t seq);
void lcu_order_forget (lcu_stream *s);
/* Is the stream known, without asking the driver, to have completed what it had counted up to
 * `seq`? */
static inline bool lcu_stream_reached (const lcu_stream *s, uint64_t seq) {
  return atomic_load_explicit(&s->completed, memory_order_acquire) >= seq;
}
/* The count of the mark's stream that a later use has to come after: a write after every use, a
 * read after the last write. */
static inline uint64_t lcu_mark_before (const lcu_mark *m, bool write) {
  return write ? m->used : m->wrote;
}

/* lcu_pool.c */
/* *ordered: the memory comes and goes in the order of streams; otherwise whoever frees it waits
 * first. */
lcu_status lcu_pool_alloc (lcu_device *d, size_t size, lcu_stream *home, cu_deviceptr *out,
                           bool *ordered);
void lcu_pool_free (lcu_device *d, cu_deviceptr p, size_t size, lcu_stream *home, bool ordered);
/* Counts a pooled block that came to be or ends. The device's lock is held. */
void lcu_pool_count_locked (lcu_device *d, bool born);
size_t lcu_pool_used (lcu_device *d); /* bytes; 0 without a pool */
/* The process was forked or the device is dead: only our own memory goes. */
void lcu_pool_forget (lcu_pool *p);
/* Lets `peer` use memory of the pool, or no longer. */
lcu_status lcu_pool_share (lcu_device *d, lcu_device *peer, bool on);

/* lcu_block.c */
void lcu_block_poll_limbo (lcu_device *d);  /* ends the blocks whose uses are over */
void lcu_block_drain_limbo (lcu_device *d); /* all of them: the device is idle */
/* True when nothing queued uses the block (asks the driver, never waits). */
bool lcu_block_idle (lcu_block *b, bool write);

/* lcu_state_hooks.c: asks the states of this thread. */
void lcu_reclaim_run (void);
bool lcu_wait_stops (bool begin);

/* lcu_copy.c */
void lcu_stage_destroy (lcu_device *d);

/* lcu_blas.c */
void lcu_blas_destroy (lcu_device *d);

#endif
