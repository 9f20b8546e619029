/* lcu_mem.h: the one allocator for host-side structures (not for array contents), an arena and a
 * growable buffer. Allocation can be made to fail at the n-th call, for tests. */
#ifndef LCU_MEM_H
#define LCU_MEM_H

#include "lcu_status.h"

/* NULL if out of memory; size 0 gives a valid pointer. */
void *lcu_alloc (size_t size);
void *lcu_calloc (size_t count, size_t size);
void *lcu_realloc (void *p, size_t size);
void *lcu_alloc_aligned (size_t size, size_t align); /* free with lcu_free */
void lcu_free (void *p);
char *lcu_strndup (const char *s, size_t len);
char *lcu_strdup (const char *s);

/* Test hook: the n-th allocation from now fails (n = 1 is the next); 0 turns it off.
 * Process-wide. */
void lcu_mem_fail_at (long n);
/* Allocations not freed yet, process-wide. */
long lcu_mem_live (void);

/* Arena: many small pieces, freed together. Zero-initialize to start empty. */
typedef struct lcu_arena {
  struct lcu_arena_chunk *head;
  size_t used;
} lcu_arena;
/* zeroed, aligned for any type; NULL if out of memory */
void *lcu_arena_alloc (lcu_arena *a, size_t size);
char *lcu_arena_strndup (lcu_arena *a, const char *s, size_t len);
void lcu_arena_free (lcu_arena *a);

/* Growable byte buffer. Zero-initialize to start empty. `failed` stays set once memory runs out, so
 * a caller may append many times and test once. Always NUL-terminated after `len` bytes. */
typedef struct lcu_buf {
  char *data;
  size_t len, cap;
  bool failed;
} lcu_buf;
void lcu_buf_add (lcu_buf *b, const void *data, size_t len);
void lcu_buf_adds (lcu_buf *b, const char *s);
void lcu_buf_addf (lcu_buf *b, const char *fmt, ...) LCU_PRINTF(2, 3);
/* grows by len and returns the start of the new bytes; NULL if out of memory */
void *lcu_buf_space (lcu_buf *b, size_t len);
void lcu_buf_free (lcu_buf *b);

#endif
