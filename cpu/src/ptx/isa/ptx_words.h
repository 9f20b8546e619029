/* ptx_words.h: with all checks on, the latest touches of each word of shared memory by compiled
 * code (ptx_fast_shared.c), and the loops over the words of one access. */
#ifndef PTX_WORDS_H
#define PTX_WORDS_H

#include "ptx_uop.h"

/* A touch is one number: its time, the thread, and the micro-operation. So what is before a time
 * is less than a number. */
enum { PTX_TOUCH_TIME = 32, PTX_TOUCH_THREAD = 16, PTX_TOUCH_WARP = PTX_TOUCH_THREAD + 5 };
/* The thread of words of which other records know more. */
enum { PTX_TOUCH_NONE = 0xffff };

/* An access by a warp. The arrays have an entry for each word. */
typedef struct ptx_word_visit {
  uint64_t *write, *atomic, *read, *other;
  uint64_t epoch, began; /* touches of this block that no barrier follows; of this block */
  uint64_t first;        /* the touch by lane 0 */
  bool atomics;          /* there may be such touches by atomics */
} ptx_word_visit;

/* Each looks at the words and, if no rule can be broken, notes the access. Otherwise it returns
 * false, and nothing is noted. The words of a lane are from (from + offsets[lane]) / 4 on. */
typedef bool (*ptx_word_loop)(const ptx_word_visit *v, uint32_t bits, uint32_t from,
                              const uint32_t *offsets, uint32_t words);
/* Lanes 0 to 15 access words from `low` on, the others from `high` on; all are on. The rows of a
 * store do not overlap. */
typedef bool (*ptx_row_loop)(const ptx_word_visit *v, uint32_t low, uint32_t high);

typedef struct ptx_word_loops {
  ptx_word_loop load, store, atomic;
  ptx_row_loop load_rows, store_rows;
} ptx_word_loops;

/* Was it by another thread? */
static inline bool ptx_touch_differs (uint64_t a, uint64_t b) {
  return ((a ^ b) >> PTX_TOUCH_THREAD & 0xffff) != 0;
}
static inline bool ptx_touch_in_one_warp (uint64_t a, uint64_t b) {
  return ((a ^ b) >> PTX_TOUCH_WARP & 0x7ff) == 0;
}
static inline uint64_t ptx_touch_by (const ptx_word_visit *v, uint32_t lane) {
  return v->first + ((uint64_t)lane << PTX_TOUCH_THREAD);
}

#endif
