/* ptx_fixture.h: a minimal host for the PTX machine: allocations in a list, printf into a buffer,
 * modules from cpu/test/ptx. For the C tests. */
#ifndef PTX_FIXTURE_H
#define PTX_FIXTURE_H

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "lcu_mem.h"
#include "lcu_thread.h"
#include "ptx.h"
#include "ptx_shape_watch.h"

enum { FIX_BLOCKS = 512, FIX_PRINTED = 1 << 20 };
typedef struct fix_block {
  uint64_t base, size;
  bool live, heap;
  uint8_t *written; /* per byte; NULL: all of it was */
} fix_block;
typedef struct fixture {
  pthread_mutex_t lock;
  fix_block blocks[FIX_BLOCKS];
  int num;
  char printed[FIX_PRINTED];
  size_t printed_len;
  ptx_host host;
  lcu_team *team;
} fixture;

/* ---- the host's functions */

static void *fix_add (fixture *x, uint64_t size, bool heap) {
  void *p = calloc(1, size + 64); /* with a red zone at the end */
  pthread_mutex_lock(&x->lock);
  if (x->num < FIX_BLOCKS)
    x->blocks[x->num++] = (fix_block){ (uint64_t)(uintptr_t)p, size, true, heap, NULL };
  pthread_mutex_unlock(&x->lock);
  return p;
}

/* The record of what was written of the latest allocation: nothing yet. */
static inline uint8_t *fix_record (fixture *x) {
  fix_block *b = &x->blocks[x->num - 1];
  return b->written = calloc(1, b->size + 64);
}

static uint64_t fix_distance (const fix_block *b, uint64_t a) {
  return a < b->base ? b->base - a : a >= b->base + b->size ? a - b->base - b->size + 1 : 0;
}

static bool fix_find (void *ud, uint64_t address, ptx_range *out) {
  fixture *x = ud;
  const fix_block *best = NULL;
  pthread_mutex_lock(&x->lock);
  for (int i = 0; i < x->num; i++)
    if (best == NULL || fix_distance(&x->blocks[i], address) < fix_distance(best, address))
      best = &x->blocks[i];
  if (best != NULL)
    *out = (ptx_range){
      .base = best->base, .size = best->size, .live = best->live, .written = best->written
    };
  pthread_mutex_unlock(&x->lock);
  return best != NULL;
}

static void *fix_variable (void *ud, const char *name, uint64_t size, uint64_t align,
                           bool managed) {
  (void)name;
  (void)align;
  (void)managed;
  return fix_add(ud, size, false);
}

static bool fix_release (fixture *x, uint64_t address, bool heap) {
  bool found = false;
  pthread_mutex_lock(&x->lock);
  for (int i = 0; i < x->num && !found; i++) {
    fix_block *b = &x->blocks[i];
    if (b->base != address || !b->live || b->heap != heap) continue;
    b->live = false;
    found = true;
  }
  pthread_mutex_unlock(&x->lock);
  return found;
}

static void fix_variable_free (void *ud, void *p) {
  fix_release(ud, (uint64_t)(uintptr_t)p, false);
}
static void *fix_heap_alloc (void *ud, uint64_t size) { return fix_add(ud, size, true); }
static bool fix_heap_free (void *ud, uint64_t address) { return fix_release(ud, address, true); }

static void fix_print (void *ud, const char *text, size_t len) {
  fixture *x = ud;
  pthread_mutex_lock(&x->lock);
  if (x->printed_len + len < FIX_PRINTED) {
    memcpy(x->printed + x->printed_len, text, len);
    x->printed_len += len;
    x->printed[x->printed_len] = '\0';
  }
  pthread_mutex_unlock(&x->lock);
}

/* ---- setting up */

static void fix_open (fixture *x, int workers) {
  memset(x, 0, sizeof *x);
  pthread_mutex_init(&x->lock, NULL);
  x->host = (ptx_host){ .ud = x,
                        .find = fix_find,
                        .variable_alloc = fix_variable,
                        .variable_free = fix_variable_free,
                        .heap_alloc = fix_heap_alloc,
                        .heap_free = fix_heap_free,
                        .print = fix_print };
  if (lcu_team_create(workers, &x->team) != LCU_OK) abort();
}

/* Frees device memory, keeps the team. */
static void fix_clear (fixture *x) {
  for (int i = 0; i < x->num; i++) {
    free((void *)(uintptr_t)x->blocks[i].base);
    free(x->blocks[i].written);
  }
  x->num = 0;
  x->printed_len = 0;
  x->printed[0] = '\0';
}

static void fix_close (fixture *x) {
  fix_clear(x);
  lcu_team_destroy(x->team);
  pthread_mutex_destroy(&x->lock);
}

static char *fix_read_file (const char *name, size_t *len) {
  const char *folder = getenv("PTX_FOLDER"); /* the same kernels, compiled differently */
  char path[512];
  snprintf(path, sizeof path, "%s/%s.ptx", folder != NULL ? folder : "cpu/test/ptx", name);
  FILE *f = fopen(path, "rb");
  if (f == NULL) {
    printf("cannot open %s (run from the project folder)\n", path);
    exit(1);
  }
  fseek(f, 0, SEEK_END);
  *len = (size_t)ftell(f);
  rewind(f);
  char *text = malloc(*len + 1);
  if (text == NULL || fread(text, 1, *len, f) != *len) exit(1);
  text[*len] = '\0';
  fclose(f);
  return text;
}

static LCU_UNUSED ptx_module *fix_module (fixture *x, const char *name) {
  size_t len;
  char *text = fix_read_file(name, &len);
  ptx_module *m = NULL;
  lcu_status s = ptx_module_load(text, len, &x->host, &m);
  CHECK(s == LCU_OK, "%s: %s", name, lcu_failure_get()->message);
  free(text);
  return m;
}

/* ---- running */

/* A launch with `team` workers; parameters are given as 8- or 4-byte values in declared order. */
static ptx_launch fix_launch (fixture *x, ptx_module *m, const char *kernel, uint32_t grid,
                              uint32_t block) {
  ptx_launch l = { .grid = { grid, 1, 1 },
                   .block = { block, 1, 1 },
                   .check = PTX_CHECK_DEFAULT,
                   .team = x->team,
                   .max_resident_blocks = 64,
                   .stack_bytes = 4096,
                   .livelock_ms = 300,
                   .sm_count = 2 };
  if (getenv("PTX_CHECK") != NULL) l.check = PTX_CHECK_ALL;
  l.compile = getenv("PTX_JIT") != NULL;
  l.kernel = ptx_module_kernel(m, kernel);
  CHECK(l.kernel != NULL, "no kernel %s", kernel);
  return l;
}

/* The values after `fault` fill the parameters; pointers and integers are passed as uint64_t. */
static lcu_status fix_run (ptx_launch *l, ptx_fault *fault, int n, ...) {
  static uint8_t params[4096];
  const ptx_kernel_info *info = ptx_kernel_get_info(l->kernel);
  va_list args;
  va_start(args, n);
  CHECK((uint32_t)n == info->num_params, "%s takes %u parameters", info->name, info->num_params);
  for (int i = 0; i < n; i++) {
    uint64_t v = va_arg(args, uint64_t);
    memcpy(params + info->params[i].offset, &v,
           info->params[i].size < 8 ? info->params[i].size : 8);
  }
  va_end(args);
  l->params = params;
  memset(fault, 0, sizeof *fault);
  return ptx_run(l, fault, NULL);
}

#define ARG(p) ((uint64_t)(uintptr_t)(p))

#endif
