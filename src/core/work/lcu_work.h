/* lcu_work.h: the begin and the end of queued work, which keep the automatic order between streams.
 * Where one stream is used the end is a lock, a new count in every mark, and nothing else. */
#ifndef LCU_WORK_H
#define LCU_WORK_H

#include "lcu_block.h"
#include "lcu_recent.h"
#include "lcu_stream.h"

/* Surround every piece of queued work: begin makes `s` wait for earlier uses of the blocks, end
 * records the new uses. The device is entered; `n` may be 0. Begin does nothing for blocks used on
 * one stream only. */
/* The slow path of begin: queues waits for earlier uses. Unordered work waits only where its marks
 * need room. */
lcu_status lcu_work_order (lcu_stream *s, const lcu_use *uses, size_t n, bool ordered);
/* Is `s` the only stream that uses the blocks? Then begin has nothing to wait for, and needs no
 * lock. */
static inline bool lcu_work_is_sole (const lcu_stream *s, const lcu_use *uses, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (uses[i].block != NULL &&
        atomic_load_explicit(&uses[i].block->sole, memory_order_acquire) != s)
      return false;
  return true;
}
static inline lcu_status lcu_work_begin (lcu_stream *s, const lcu_use *uses, size_t n) {
  return lcu_likely(lcu_work_is_sole(s, uses, n)) ? LCU_OK : lcu_work_order(s, uses, n, true);
}
void lcu_work_end (lcu_stream *s, const lcu_use *uses, size_t n);

/* Updates the counts of the only mark, if it belongs to this stream. */
static inline bool lcu_mark_renew (lcu_block *b, const lcu_stream *s, uint64_t seq, bool write) {
  if (atomic_load_explicit(&b->sole, memory_order_relaxed) != s) return false;
  b->marks[0].used = seq;
  if (write) b->marks[0].wrote = seq;
  return true;
}

/* Updates marks up to the first use that needs more than new counts, or another device's lock.
 * Returns how many. */
static inline size_t lcu_work_renew_marks (const lcu_stream *s, const lcu_use *uses, size_t n,
                                           uint64_t seq) {
  size_t i = 0;
  for (; i < n; i++) {
    lcu_block *b = uses[i].block;
    if (b == NULL) continue;
    if (lcu_unlikely(b->device != s->device || !lcu_mark_renew(b, s, seq, uses[i].write))) break;
  }
  return i;
}

/* Leaves the marks of uses that need more. */
void lcu_work_leave_marks (lcu_stream *s, const lcu_use *uses, size_t n, uint64_t seq,
                           bool ordered);

#define LCU_NO_KERNEL UINT64_MAX /* an id that no function has */

/* The same as lcu_work_end for a launch: `kernel`, which may be NULL, and its `id` are recorded for
 * reports of later failures. */
static inline void lcu_work_end_kernel (lcu_stream *s, const lcu_use *uses, size_t n, bool ordered,
                                        const char *kernel, uint64_t id) {
  lcu_device *d = s->device;
  pthread_mutex_lock(&d->lock);
  uint64_t seq = lcu_stream_count_locked(s);
  size_t done = lcu_work_renew_marks(s, uses, n, seq);
  if (kernel != NULL) lcu_recent_note(d, kernel, id, s, seq);
  pthread_mutex_unlock(&d->lock);
  if (lcu_unlikely(done < n)) lcu_work_leave_marks(s, uses + done, n - done, seq, ordered);
}

#endif
