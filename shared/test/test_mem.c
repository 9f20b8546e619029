/* test_mem.c: tests the buffer and the arena at the sizes where they grow, at impossible sizes, and
 * when memory runs out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "lcu_mem.h"

/* Is there a NUL after the contents, within the capacity? */
static bool is_sound (const lcu_buf *b) { return b->len < b->cap && b->data[b->len] == '\0'; }

/* The byte at index i of every buffer here. */
static char byte (size_t i) { return (char)('a' + i % 23); }

static void add_some (lcu_buf *b, size_t n, int how) {
  char piece[600];
  for (size_t i = 0; i < n; i++) piece[i] = byte(b->len + i);
  piece[n] = '\0';
  if (how == 0) lcu_buf_add(b, piece, n);
  else if (how == 1) lcu_buf_adds(b, piece);
  else if (how == 2) lcu_buf_addf(b, "%s", piece);
  else memcpy(lcu_buf_space(b, n), piece, n);
}

static bool holds (const lcu_buf *b, size_t n) {
  if (b->len != n) return false;
  for (size_t i = 0; i < n; i++)
    if (b->data[i] != byte(i)) return false;
  return true;
}

/* Adds two pieces, of all lengths around those that fill the capacity. */
static void test_buf_growth (void) {
  for (size_t first = 0; first < 300; first++) {
    for (int how = 0; how < 4; how++) {
      for (size_t second = 0; second < 3; second++) {
        lcu_buf b = { 0 };
        add_some(&b, first, how);
        bool sound = is_sound(&b);
        size_t room = b.cap - b.len, n = room + second - 1;
        add_some(&b, n, (how + 1) % 4);
        if (!sound || !is_sound(&b) || b.failed || !holds(&b, first + n)) {
          failed++;
          printf("two pieces of %zu and %zu bytes\n", first, n);
          return;
        }
        lcu_buf_free(&b);
      }
    }
  }
  passed++;
}

/* An impossible size fails, and so does every later call; the contents stay. */
static void test_buf_limits (void) {
  static const size_t huge[] = { SIZE_MAX,      SIZE_MAX - 1, SIZE_MAX - 5, SIZE_MAX - 63,
                                 SIZE_MAX - 64, SIZE_MAX / 2, SIZE_MAX / 4 };
  for (size_t i = 0; i < lcu_arraylen(huge); i++) {
    lcu_buf empty = { 0 }, b = { 0 };
    lcu_buf_adds(&b, "abcde");
    CHECK(lcu_buf_space(&empty, huge[i]) == NULL && empty.failed && empty.data == NULL);
    CHECK(lcu_buf_space(&b, huge[i]) == NULL && b.failed && b.len == 5 &&
          strcmp(b.data, "abcde") == 0);
    lcu_buf_addf(&b, "%d", 5);
    CHECK(lcu_buf_space(&b, 1) == NULL && b.len == 5 && b.failed && strcmp(b.data, "abcde") == 0);
    lcu_buf_free(&b);
  }
}

static void test_alloc_limits (void) {
  CHECK(lcu_calloc(SIZE_MAX / 2 + 2, 2) == NULL && lcu_calloc(2, SIZE_MAX / 2 + 2) == NULL &&
        lcu_calloc(SIZE_MAX, SIZE_MAX) == NULL);
  void *zero[] = { lcu_alloc(0), lcu_calloc(0, 8), lcu_calloc(8, 0), lcu_realloc(NULL, 0),
                   lcu_alloc_aligned(0, 1) };
  for (size_t i = 0; i < lcu_arraylen(zero); i++) {
    CHECK(zero[i] != NULL);
    lcu_free(zero[i]);
  }
  for (size_t align = 1; align <= 4096; align *= 2) {
    void *p = lcu_alloc_aligned(100, align);
    CHECK(p != NULL && (uintptr_t)p % align == 0);
    lcu_free(p);
  }
  lcu_arena a = { 0 };
  CHECK(lcu_arena_alloc(&a, SIZE_MAX) == NULL && lcu_arena_alloc(&a, SIZE_MAX / 2 + 1) == NULL &&
        a.head == NULL);
  lcu_arena_free(&a);
}

/* lcu_mem_fail_at makes each kind of allocation fail, and the next one succeeds. */
static void test_failures (void) {
  long before = lcu_mem_live();
  void *old = lcu_alloc(8);
  for (int n = 1; n <= 2; n++) {
    for (int kind = 0; kind < 5; kind++) {
      lcu_arena a = { 0 };
      void *p[2] = { NULL, NULL };
      lcu_mem_fail_at(n);
      for (int i = 0; i < 2; i++) {
        if (kind == 0) p[i] = lcu_alloc(8);
        else if (kind == 1) p[i] = lcu_calloc(1, 8);
        else if (kind == 2) p[i] = lcu_alloc_aligned(8, 8);
        else if (kind == 3) p[i] = lcu_strndup("x", 1);
        else p[i] = lcu_arena_alloc(&a, 100000);
      }
      lcu_mem_fail_at(0);
      CHECK((p[0] == NULL) == (n == 1) && (p[1] == NULL) == (n == 2));
      for (int i = 0; i < 2 && kind < 4; i++) lcu_free(p[i]);
      lcu_arena_free(&a);
    }
  }
  lcu_mem_fail_at(1);
  CHECK(lcu_realloc(old, 100) == NULL);
  lcu_mem_fail_at(0);
  lcu_free(old);
  CHECK(lcu_mem_live() == before);
}

/* Pieces of sizes around a quarter of a chunk and around the rest of a chunk do not overlap, and
 * all are zeroed. */
static void test_arena_growth (void) {
  enum { PIECES = 4000 };
  static unsigned char *piece[PIECES];
  static size_t size[PIECES];
  lcu_arena a = { 0 };
  bool zeroed = true, apart = true;
  unsigned next = 1;
  for (int i = 0; i < PIECES; i++) {
    next = next * 1103515245u + 12345u;
    unsigned extra = (next >> 16) % 3;
    size[i] = (next >> 20) % 4 == 0   ? 1000 + (next >> 8) % 100
              : (next >> 20) % 4 == 1 ? 4095 + extra
                                      : (next >> 12) % 200;
    piece[i] = lcu_arena_alloc(&a, size[i]);
    if (piece[i] == NULL) {
      failed++;
      return;
    }
    for (size_t k = 0; k < size[i]; k++) zeroed = zeroed && piece[i][k] == 0;
    memset(piece[i], i & 0xff, size[i]);
  }
  for (int i = 0; i < PIECES; i++)
    for (size_t k = 0; k < size[i]; k++) apart = apart && piece[i][k] == (i & 0xff);
  CHECK(zeroed);
  CHECK(apart);
  lcu_arena_free(&a);
}

int main (void) {
  long before = lcu_mem_live();
  test_buf_growth();
  test_buf_limits();
  test_alloc_limits();
  test_failures();
  test_arena_growth();
  CHECK(lcu_mem_live() == before);
  return check_result();
}
