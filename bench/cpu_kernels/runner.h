/* runner.h: the command line and the clocks of the programs that bench/cpu compares.
 *
 *   PROGRAM ROUNDS KERNEL GRID_X GRID_Y BLOCK_X BLOCK_Y RESULT FILE ARGUMENT...
 *
 * ARGUMENT: f0.5 (a float), i3 (an int), bPATH (an array, the bytes of that file; the name ends in
 * its dtype). RESULT: which argument is the result, from 0 on; after the first run it is written to
 * FILE. Prints "cpu MS" and "wall MS" of one run: CPU time of the process and elapsed time, each
 * the best of ROUNDS rounds of at least 25 ms.
 *
 * ROUNDS 0: runs the kernel LUACUDA_BENCH_LAUNCHES times and writes no result. Prints
 * "began_cpu MS" and "began_wall MS": what the process took before, to read the arrays and the
 * program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_ARGUMENTS = 16, FIRST_ARGUMENT = 9 };

typedef struct argument {
  char kind; /* 'f' 'i' 'b' */
  float f;
  int i;
  void *bytes;
  size_t size;
} argument;

typedef struct work {
  int rounds;
  const char *kernel, *file;
  size_t grid[2], block[2];
  int result, num;
  argument args[MAX_ARGUMENTS];
} work;

static void fail (const char *what, const char *which) {
  fprintf(stderr, "%s: %s\n", what, which);
  exit(1);
}

static void read_bytes (argument *a, const char *path) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) fail("cannot read", path);
  fseek(file, 0, SEEK_END);
  a->size = (size_t)ftell(file);
  rewind(file);
  a->bytes = aligned_alloc(64, (a->size + 63) / 64 * 64);
  if (a->bytes == NULL || fread(a->bytes, 1, a->size, file) != a->size) fail("cannot read", path);
  fclose(file);
}

static void read_work (work *w, int argc, char **argv) {
  if (argc < FIRST_ARGUMENT || argc > FIRST_ARGUMENT + MAX_ARGUMENTS) fail("usage", "see runner.h");
  w->rounds = atoi(argv[1]);
  w->kernel = argv[2];
  for (int i = 0; i < 2; i++) {
    w->grid[i] = (size_t)atoi(argv[3 + i]);
    w->block[i] = (size_t)atoi(argv[5 + i]);
  }
  w->result = atoi(argv[7]);
  w->file = argv[8];
  w->num = argc - FIRST_ARGUMENT;
  for (int i = 0; i < w->num; i++) {
    const char *text = argv[FIRST_ARGUMENT + i];
    argument *a = &w->args[i];
    a->kind = text[0];
    a->f = strtof(text + 1, NULL);
    a->i = atoi(text + 1);
    if (a->kind == 'b') read_bytes(a, text + 1);
  }
}

static void write_result (const work *w, const void *bytes) {
  FILE *file = fopen(w->file, "wb");
  size_t size = w->args[w->result].size;
  if (file == NULL || fwrite(bytes, 1, size, file) != size) fail("cannot write", w->file);
  fclose(file);
}

static double now_ms (clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* Since the process began. */
static double began_ms;
__attribute__((constructor)) static void begin (void) { began_ms = now_ms(CLOCK_MONOTONIC); }

static void run_launches (const work *w, void (*run)(const work *w)) {
  const char *launches = getenv("LUACUDA_BENCH_LAUNCHES");
  printf("began_cpu %.5f\nbegan_wall %.5f\n", now_ms(CLOCK_PROCESS_CPUTIME_ID),
         now_ms(CLOCK_MONOTONIC) - began_ms);
  for (int i = launches != NULL ? atoi(launches) : 1; i > 0; i--) run(w);
}

static void measure (const work *w, void (*run)(const work *w)) {
  double once = now_ms(CLOCK_MONOTONIC), best_cpu = 1e30, best_wall = 1e30;
  run(w);
  once = now_ms(CLOCK_MONOTONIC) - once;
  int times = 25 / once > 2000 ? 2000 : (int)(25 / once) + 1;
  for (int r = 0; r < w->rounds; r++) {
    double cpu = now_ms(CLOCK_PROCESS_CPUTIME_ID), wall = now_ms(CLOCK_MONOTONIC);
    for (int i = 0; i < times; i++) run(w);
    cpu = (now_ms(CLOCK_PROCESS_CPUTIME_ID) - cpu) / times;
    wall = (now_ms(CLOCK_MONOTONIC) - wall) / times;
    if (cpu < best_cpu) best_cpu = cpu;
    if (wall < best_wall) best_wall = wall;
  }
  printf("cpu %.5f\nwall %.5f\n", best_cpu, best_wall);
}
