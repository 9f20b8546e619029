/* ptx_words.h: with all checks on, the latest touches of each word of shared memory by compiled
 * code (ptx_fast_shared.c), and the loops over the words of one access.
 *
 * Loads are not noted in the words at once, but listed. Only if a store or atomic follows before
 * the next barrier, which is rare, the words must know of them; then, later loads may be noted at
 * once. */
#ifndef PTX_WORDS_H
#define PTX_WORDS_H

#include "ptx_uop.h"

/* A touch is one number: its time, the thread, and the micro-operation. So what is before a time
 * is less than a number. */
enum { PTX_TOUCH_TIME = 32, PTX_TOUCH_THREAD = 16, PTX_TOUCH_WARP = PTX_TOUCH_THREAD + 5 };
/* The thread of words of which other records know more; a bit of the thread in `read`: `other` is
 * another thread's, otherwise there was none. */
enum { PTX_TOUCH_NONE = 0xffff, PTX_TOUCH_SHARED = 0x8000 };
#define PTX_TOUCH_FLAG ((uint64_t)PTX_TOUCH_SHARED << PTX_TOUCH_THREAD)

/* A load by a warp. `step` words lie between the lanes of a row, none or one: lanes 0 to 15 load
 * from word `low` on, the others from `high` on. PTX_LOAD_LANES: the words of a lane are from
 * (low + offsets[lane]) / 4 on, and the offsets follow in the list. */
enum { PTX_LOAD_LANES = 2 };
typedef struct ptx_word_load {
  uint64_t first; /* as in ptx_word_visit */
  uint32_t low, high, bits;
  uint16_t step, words; /* words: of a lane */
} ptx_word_load;

/* Bytes of a list; what an entry takes at most. */
enum {
  PTX_LIST_BYTES = 1 << 16,
  PTX_LIST_ENTRY = sizeof(ptx_word_load) + PTX_LANES * sizeof(uint32_t)
};

/* An access by a warp. The arrays have an entry for each word. */
typedef struct ptx_word_visit {
  uint64_t *write, *atomic, *read, *other;
  uint64_t epoch, began; /* touches of this block that no barrier follows; of this block */
  uint64_t first;        /* the touch by lane 0 */
  bool atomics;          /* there may be such touches by atomics */
  bool needed;           /* a store or atomic since the latest barrier has needed the list */
  uint32_t listed;       /* bytes of loads since the latest barrier that the words do not know of */
  uint8_t *list;
} ptx_word_visit;

/* Whether no rule can be broken. A store or atomic is noted then; if not, nothing is. `note` is for
 * loads; `first` is for loads of words that no thread has read since the barrier, and notes them.
 * The words of a lane are from (from + offsets[lane]) / 4 on. */
typedef bool (*ptx_word_loop)(const ptx_word_visit *v, uint32_t bits, uint32_t from,
                              const uint32_t *offsets, uint32_t words);
/* Lanes 0 to 15 access words from `low` on, the others from `high` on; all are on. The rows of a
 * store do not overlap. */
typedef bool (*ptx_row_loop)(const ptx_word_visit *v, uint32_t low, uint32_t high);

typedef struct ptx_word_loops {
  ptx_word_loop load, first, store, atomic, note;
  ptx_row_loop load_rows, store_rows, note_rows;
} ptx_word_loops;

/* Was it by another thread? */
static inline bool ptx_touch_differs (uint64_t a, uint64_t b) {
  return ((a ^ b) >> PTX_TOUCH_THREAD & 0x7fff) != 0;
}
static inline bool ptx_touch_in_one_warp (uint64_t a, uint64_t b) {
  return ((a ^ b) >> PTX_TOUCH_WARP & 0x3ff) == 0;
}
static inline uint64_t ptx_touch_by (const ptx_word_visit *v, uint32_t lane) {
  return v->first + ((uint64_t)lane << PTX_TOUCH_THREAD);
}

#endif
