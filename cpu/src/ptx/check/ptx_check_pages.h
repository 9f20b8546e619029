/* ptx_check_pages.h: with all checks on, what a grid remembers about global memory. */
#ifndef PTX_CHECK_PAGES_H
#define PTX_CHECK_PAGES_H

#include <stdatomic.h>

#include "ptx_check.h"

enum { PTX_PAGE_BYTES = 4096, PTX_PAGE_WORDS = PTX_PAGE_BYTES / 4 };
enum { PTX_PAGE_BUCKETS = 1 << 15, PTX_MOST_PAGES = 1 << 14 };

/* An access to some bytes of a word. When lanes of one instruction access different bytes of it,
 * they count as the last of them, which is not compared with its own warp. Time 0: none. Of a bulk
 * store the time is that of its start until its thread has waited for it. */
typedef struct ptx_past {
  uint32_t cta, time, loc;
  uint16_t thread;
  uint8_t bytes; /* bit per byte, and PTX_PAST_ */
  uint8_t kind;  /* ptx_access */
} ptx_past;
enum { PTX_PAST_MIXED = 16, PTX_PAST_ASYNC = 32, PTX_PAST_ON_ITS_WAY = 64 };

/* `read` and `other_read` are by two warps, or by two lanes of one. */
typedef struct ptx_cell {
  ptx_past change, read, other_read, constant;
  uint32_t value;   /* that `change` has stored */
  uint32_t writers; /* lanes of its warp that have stored this value; 0: it is not known */
} ptx_cell;

/* An access of compiled code to words of a line, by consecutive threads: that of word 0, or that
 * would have it; the micro-operation; bit per word. */
typedef struct ptx_line_touch {
  uint32_t cta, time;
  uint16_t thread, uop, words;
  uint16_t told; /* of a change: the cells know more than the line */
} ptx_line_touch;

/* 16 words. */
enum { PTX_LINE_BYTES = 64 };
typedef struct ptx_line {
  ptx_line_touch change, read;
} ptx_line;

typedef struct ptx_page {
  struct ptx_page *next; /* of all pages */
  uint64_t number;
  atomic_flag busy;
  ptx_line lines[PTX_PAGE_BYTES / PTX_LINE_BYTES];
  ptx_cell *cells; /* NULL: none yet */
} ptx_page;

/* Of one grid: a table of pages with open addressing, and per CTA its clock at the latest fence and
 * at the latest griddepcontrol.launch_dependents, 0: none yet. */
typedef struct ptx_cta_times {
  atomic_uint fenced, triggered;
} ptx_cta_times;
struct ptx_global_shadow {
  uint64_t num_ctas;
  /* Some CTA has executed griddepcontrol.launch_dependents; has waited for the grid before, and has
   * passed a fence since. */
  atomic_bool triggered, waited;
  atomic_uint num_pages;
  atomic_flag taking; /* from `spare`, pages without contents */
  ptx_page *spare;
  _Atomic(ptx_page *) all;
  _Atomic(ptx_page *) pages[PTX_PAGE_BUCKETS];
  ptx_cta_times times[];
};

/* The page, which is made if needed; NULL: there are too many, or out of memory. */
ptx_page *ptx_page_of (ptx_global_shadow *s, uint64_t number);
/* NULL: no access has made it. */
ptx_page *ptx_page_made (const ptx_global_shadow *s, uint64_t number);

static inline void ptx_page_lock (ptx_page *p) {
  while (atomic_flag_test_and_set_explicit(&p->busy, memory_order_acquire)) {}
}
static inline void ptx_page_unlock (ptx_page *p) {
  atomic_flag_clear_explicit(&p->busy, memory_order_release);
}

/* The cell of a word, with what its line knew; from then on it is the cells that know. NULL: out of
 * memory. The page is locked. c: a CTA of the grid. */
ptx_cell *ptx_page_cell (ptx_page *p, const ptx_cta *c, uint64_t word);

/* The same of a grid whose accesses were all interpreted. NULL: no access has made it. */
static inline ptx_cell *ptx_page_cell_made (const ptx_page *p, uint64_t word) {
  return p->cells == NULL ? NULL : &p->cells[word % PTX_PAGE_BYTES / 4];
}

/* ---- ptx_check_word.c: the part of an access that is in one word */

/* All bits of the bytes. */
uint32_t ptx_word_bits (uint8_t bytes);
/* The bytes of the word at `word` that the access uses. */
uint8_t ptx_word_bytes (const ptx_lane_access *a, uint64_t word);
/* What a store leaves there; false: it is not known. */
bool ptx_word_value (const ptx_lane_access *a, uint64_t word, uint32_t *value);

#endif
