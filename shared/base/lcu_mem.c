/* lcu_mem.c: counted allocation with a failure hook, arena, growable buffer. */
#include "lcu_mem.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static atomic_long live_count;
static atomic_long fail_countdown;

/* True when the test hook makes this allocation fail. */
static bool must_fail (void) {
  if (lcu_likely(atomic_load_explicit(&fail_countdown, memory_order_relaxed) <= 0)) return false;
  return atomic_fetch_sub_explicit(&fail_countdown, 1, memory_order_relaxed) == 1;
}

static void *counted (void *p) {
  if (p != NULL) atomic_fetch_add_explicit(&live_count, 1, memory_order_relaxed);
  return p;
}

void *lcu_alloc (size_t size) {
  if (must_fail()) return NULL;
  return counted(malloc(size != 0 ? size : 1));
}

void *lcu_calloc (size_t count, size_t size) {
  if (must_fail()) return NULL;
  if (count == 0 || size == 0) count = size = 1;
  if (count > SIZE_MAX / 2 / size) return NULL;
  return counted(calloc(count, size));
}

void *lcu_realloc (void *p, size_t size) {
  if (must_fail()) return NULL;
  void *q = realloc(p, size != 0 ? size : 1);
  return p == NULL ? counted(q) : q;
}

void *lcu_alloc_aligned (size_t size, size_t align) {
  void *p = NULL;
  if (must_fail()) return NULL;
  if (align < sizeof(void *)) align = sizeof(void *);
  if (posix_memalign(&p, align, size != 0 ? size : 1) != 0) return NULL;
  return counted(p);
}

void lcu_free (void *p) {
  if (p == NULL) return;
  atomic_fetch_sub_explicit(&live_count, 1, memory_order_relaxed);
  free(p);
}

char *lcu_strndup (const char *s, size_t len) {
  char *p = lcu_alloc(len + 1);
  if (p == NULL) return NULL;
  if (len != 0) memcpy(p, s, len);
  p[len] = '\0';
  return p;
}

char *lcu_strdup (const char *s) { return lcu_strndup(s, strlen(s)); }

void lcu_mem_fail_at (long n) { atomic_store(&fail_countdown, n); }

long lcu_mem_live (void) { return atomic_load(&live_count); }


/* Arena. `used` counts bytes taken of the head chunk; a piece too large for a chunk gets its own,
 * inserted after the head. */

struct lcu_arena_chunk {
  struct lcu_arena_chunk *next;
  size_t size;
  _Alignas(max_align_t) char data[];
};

enum { ARENA_CHUNK_MIN = 4096, ARENA_CHUNK_MAX = 256 * 1024 };

static struct lcu_arena_chunk *chunk_new (size_t size) {
  struct lcu_arena_chunk *c = lcu_calloc(1, sizeof *c + size);
  if (c != NULL) c->size = size;
  return c;
}

static size_t next_chunk_size (const lcu_arena *a) {
  if (a->head == NULL) return ARENA_CHUNK_MIN;
  return a->head->size < ARENA_CHUNK_MAX / 2 ? a->head->size * 2 : ARENA_CHUNK_MAX;
}

static void *arena_alloc_alone (lcu_arena *a, size_t size) {
  struct lcu_arena_chunk *c = chunk_new(size);
  if (c == NULL) return NULL;
  if (a->head == NULL) {
    a->head = c;
    a->used = size;
  } else {
    c->next = a->head->next;
    a->head->next = c;
  }
  return c->data;
}

void *lcu_arena_alloc (lcu_arena *a, size_t size) {
  const size_t unit = _Alignof(max_align_t);
  if (size > SIZE_MAX / 2) return NULL;
  size = size == 0 ? unit : (size + unit - 1) / unit * unit;
  if (a->head == NULL || a->head->size - a->used < size) {
    size_t fresh = next_chunk_size(a);
    if (size > fresh / 4) return arena_alloc_alone(a, size);
    struct lcu_arena_chunk *c = chunk_new(fresh);
    if (c == NULL) return NULL;
    c->next = a->head;
    a->head = c;
    a->used = 0;
  }
  void *p = a->head->data + a->used;
  a->used += size;
  return p;
}

char *lcu_arena_strndup (lcu_arena *a, const char *s, size_t len) {
  char *p = lcu_arena_alloc(a, len + 1);
  if (p != NULL && len != 0) memcpy(p, s, len);
  return p;
}

void lcu_arena_free (lcu_arena *a) {
  struct lcu_arena_chunk *c = a->head;
  while (c != NULL) {
    struct lcu_arena_chunk *next = c->next;
    lcu_free(c);
    c = next;
  }
  a->head = NULL;
  a->used = 0;
}


/* Buffer. */

static bool buf_reserve (lcu_buf *b, size_t len) {
  if (b->failed) return false;
  if (len < SIZE_MAX / 4 && b->cap < SIZE_MAX / 4) {
    if (b->cap - b->len > len) return true; /* one byte is reserved for the NUL */
    size_t want = b->len + len + 1, cap = b->cap < 32 ? 64 : b->cap * 2;
    if (cap < want) cap = want;
    char *p = lcu_realloc(b->data, cap);
    if (p != NULL) {
      b->data = p;
      b->cap = cap;
      return true;
    }
  }
  b->failed = true;
  return false;
}

void *lcu_buf_space (lcu_buf *b, size_t len) {
  if (!buf_reserve(b, len)) return NULL;
  char *p = b->data + b->len;
  b->len += len;
  b->data[b->len] = '\0';
  return p;
}

void lcu_buf_add (lcu_buf *b, const void *data, size_t len) {
  void *p = lcu_buf_space(b, len);
  if (p != NULL && len != 0) memcpy(p, data, len);
}

void lcu_buf_adds (lcu_buf *b, const char *s) { lcu_buf_add(b, s, strlen(s)); }

void lcu_buf_addf (lcu_buf *b, const char *fmt, ...) {
  va_list args, again;
  va_start(args, fmt);
  va_copy(again, args);
  size_t room = b->cap - b->len; /* often enough */
  int n = vsnprintf(room > 0 ? b->data + b->len : NULL, room, fmt, args);
  if (n >= 0 && buf_reserve(b, (size_t)n)) {
    if ((size_t)n >= room) vsnprintf(b->data + b->len, (size_t)n + 1, fmt, again);
    b->len += (size_t)n;
  } else if (room > 0) {
    b->data[b->len] = '\0';
  }
  va_end(again);
  va_end(args);
}

void lcu_buf_free (lcu_buf *b) {
  lcu_free(b->data);
  *b = (lcu_buf){ 0 };
}
