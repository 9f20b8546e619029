/* fuzz_ptx.c: fuzzes the reader of PTX. Built with -fsanitize=fuzzer, it is a target of libFuzzer.
 * Built with -DFUZZ_MAIN, it is a program that mutates the given files itself: fuzz_ptx SECONDS
 * FILE... */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lcu_mem.h"
#include "lcu_thread.h"
#include "ptx.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static void *place (void *ud, const char *name, uint64_t size, uint64_t align, bool managed) {
  (void)ud;
  (void)name;
  (void)managed;
  void *p =
    size < (1u << 24) ? lcu_alloc_aligned((size_t)size, align < 16 ? 16 : (size_t)align) : NULL;
  if (p != NULL) memset(p, 0, (size_t)size);
  return p;
}
static void take_back (void *ud, void *p) {
  (void)ud;
  lcu_free(p);
}

/* Loads the text and, if that succeeds, prepares every kernel. Fails on a crash or a leak. */
int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size) {
  static const ptx_host host = { .variable_alloc = place, .variable_free = take_back };
  long before = lcu_mem_live();
  ptx_module *m;
  if (ptx_module_load((const char *)data, size, &host, &m) == LCU_OK) {
    for (size_t k = 0; ptx_module_kernel_at(m, k) != NULL; k++)
      ptx_kernel_prepare(ptx_module_kernel_at(m, k));
    ptx_module_free(m);
  }
  if (lcu_mem_live() != before) abort();
  return 0;
}

#ifdef FUZZ_MAIN

typedef struct sample {
  uint8_t *data;
  size_t len;
} sample;

static uint32_t state = 1;
static uint32_t below (size_t n) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return n != 0 ? (uint32_t)(state % n) : 0;
}

static sample read_file (const char *path) {
  sample s = { NULL, 0 };
  FILE *f = fopen(path, "rb");
  if (f == NULL) return s;
  fseek(f, 0, SEEK_END);
  long size = ftell(f);
  rewind(f);
  s.data = malloc((size_t)size + 1);
  if (s.data != NULL) s.len = fread(s.data, 1, (size_t)size, f);
  fclose(f);
  return s;
}

/* A piece of up to `most` bytes, in half of the cases extended to whole lines. */
static sample piece (const sample *s, size_t most) {
  size_t at = below(s->len), len = below(most < s->len - at ? most + 1 : s->len - at + 1);
  if (below(2) == 0) {
    while (at > 0 && s->data[at - 1] != '\n') at--;
    while (at + len < s->len && s->data[at + len] != '\n') len++;
  }
  return (sample){ s->data + at, len };
}

static void insert (sample *s, size_t at, const uint8_t *data, size_t len) {
  uint8_t *grown = realloc(s->data, s->len + len + 1);
  if (grown == NULL) return;
  s->data = grown;
  memmove(s->data + at + len, s->data + at, s->len - at);
  memcpy(s->data + at, data, len);
  s->len += len;
}

static void cut (sample *s, size_t at, size_t len) {
  if (len > s->len - at) len = s->len - at;
  memmove(s->data + at, s->data + at + len, s->len - at - len);
  s->len -= len;
}

static void insert_word (sample *s, size_t at, const char *word) {
  insert(s, at, (const uint8_t *)word, strlen(word));
}

/* Copies a piece of the text to another place in the text. */
static void repeat (sample *s, size_t at) {
  uint8_t copy[200];
  sample p = piece(s, sizeof copy - 1);
  size_t len = p.len < sizeof copy ? p.len : sizeof copy;
  if (len != 0) memcpy(copy, p.data, len);
  insert(s, at, copy, len);
}

/* Makes one random change; text to insert comes from `other`. */
static void mutate (sample *s, const sample *other) {
  /* clang-format off */
  static const char *const words[] = {
    "{", "}", "(", ")", "[", "]", ";", ",", "@", "%", ".reg .b32 %r<", "<4294967295>", "0x",
    "99999999999999999999", "-", "!", ".align 0", ".v4", ".param .b8 x[", "]", "\"", "/*",
    ".loc 1 1 1", ", inlined_at 1 1 1", ".entry", ".func", "call", "bra", ": ", "$L", "_",
    ".section .debug_str {", "0f", "0d7ff0000000000001", "generic(", "1?2:3", ".branchtargets",
    ".callprototype", ".b128", ".pred",
  };
  /* clang-format on */
  size_t at = below(s->len + 1);
  sample p;
  switch (below(7)) {
    case 0:
      if (s->len != 0) s->data[below(s->len)] ^= (uint8_t)(1u << below(8));
      break;
    case 1:
      if (s->len != 0) s->data[below(s->len)] = (uint8_t)below(256);
      break;
    case 2: cut(s, at, below(64)); break;
    case 3:
      p = piece(other, 400);
      insert(s, at, p.data, p.len);
      break;
    case 4: insert_word(s, at, words[below(sizeof words / sizeof words[0])]); break;
    case 5: repeat(s, at); break;
    default: s->len = below(16) == 0 ? at : s->len; break;
  }
}

int main (int argc, char **argv) {
  int num = argc - 2;
  long runs = 0;
  if (num < 1) {
    fprintf(stderr, "usage: %s SECONDS FILE...\n", argv[0]);
    return 2;
  }
  sample *files = calloc((size_t)num, sizeof *files);
  for (int k = 0; k < num; k++) files[k] = read_file(argv[k + 2]);
  for (double end = lcu_now_ms() + 1000 * atof(argv[1]); lcu_now_ms() < end; runs++) {
    const sample *base = &files[below((size_t)num)], *other = &files[below((size_t)num)];
    sample p = base->len != 0 && below(3) != 0 ? piece(base, 4000) : *base,
           s = { malloc(p.len + 1), p.len };
    if (s.data == NULL) continue;
    if (p.len != 0) memcpy(s.data, p.data, p.len);
    if (p.data != base->data) insert(&s, 0, (const uint8_t *)".version 8.0\n.target sm_80\n", 26);
    for (uint32_t n = 1 + below(6); n > 0; n--) mutate(&s, other);
    /* a copy of the exact size, so that reading past the end is detected */
    uint8_t *exact = malloc(s.len != 0 ? s.len : 1);
    memcpy(exact, s.data, s.len);
    LLVMFuzzerTestOneInput(exact, s.len);
    free(exact);
    free(s.data);
  }
  for (int k = 0; k < num; k++) free(files[k].data);
  free(files);
  printf("%ld runs\n", runs);
  return 0;
}

#endif
