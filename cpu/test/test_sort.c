/* test_sort.c: sorts in host memory against the C library's: every dtype, rows of all lengths,
 * equal and special values, every instruction set, several threads, in place, stopped. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "lcu_mem.h"
#include "ptx_select.h"
#include "sort.h"

static uint64_t seed = 88172645463325252u;

static uint64_t next (void) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  return seed ^= seed << 17;
}

/* A number from 0 to n - 1. */
static int64_t pick (int64_t n) { return (int64_t)(next() % (uint64_t)n); }


/* ---- the order of values ---- */

static const lcu_dtype *dtype;
static const uint8_t *elements;
static bool descending;

/* -1, 0, 1; NaN is last. */
static int compare_parts (double a, double b) {
  if (isnan(a) || isnan(b)) return isnan(a) - isnan(b);
  return (a > b) - (a < b);
}

static int compare_complex (const lcu_scalar *a, const lcu_scalar *b) {
  int class_a = 2 * isnan(a->d) + isnan(a->im), class_b = 2 * isnan(b->d) + isnan(b->im);
  if (class_a != class_b) return class_a - class_b;
  int parts = compare_parts(a->d, b->d);
  return parts != 0 ? parts : compare_parts(a->im, b->im);
}

static int compare_values (const uint8_t *x, const uint8_t *y) {
  lcu_scalar a, b;
  lcu_dtype_load(dtype, x, &a);
  lcu_dtype_load(dtype, y, &b);
  if (dtype->kind == LCU_KIND_COMPLEX) return compare_complex(&a, &b);
  if (dtype->kind == LCU_KIND_FLOAT) return compare_parts(a.d, b.d);
  if (dtype->kind == LCU_KIND_BOOL) return (a.i != 0) - (b.i != 0);
  if (dtype->kind == LCU_KIND_UINT)
    return ((uint64_t)a.i > (uint64_t)b.i) - ((uint64_t)a.i < (uint64_t)b.i);
  return (a.i > b.i) - (a.i < b.i);
}

static int compare_places (int64_t i, int64_t j) {
  int order = compare_values(elements + i * dtype->size, elements + j * dtype->size);
  if (descending) order = -order;
  return order != 0 ? order : (i > j) - (i < j);
}


/* ---- values ---- */

typedef enum pattern {
  ANY_BITS,
  FEW_VALUES,
  ASCENDING,
  DESCENDING,
  EQUAL,
  EQUAL_ABOVE,
  SPECIAL,
  PATTERNS
} pattern;

/* 0, -0, the infinities and NaNs of both signs, of parts of 2, 4 and 8 bytes. */
static uint64_t special (void) {
  uint32_t size = dtype->kind == LCU_KIND_COMPLEX ? dtype->size / 2 : dtype->size;
  uint64_t sign = (uint64_t)1 << (8 * size - 1);
  uint64_t exponent = size == 8                   ? (uint64_t)0x7ff << 52
                      : size == 4                 ? 0x7f800000u
                      : dtype->id == LCU_BFLOAT16 ? 0x7f80u
                                                  : 0x7c00u;
  const uint64_t values[] = { 0, exponent, exponent | 1, (sign - 1), exponent >> 1, exponent >> 2 };
  return values[pick(6)] | (pick(2) ? sign : 0);
}

static uint64_t word_of (pattern kind, int64_t i, int64_t n) {
  switch (kind) {
    case ANY_BITS: return next();
    case FEW_VALUES: return (uint64_t)pick(5) << (8 * (dtype->size > 8 ? 8 : dtype->size) - 4);
    case ASCENDING: return (uint64_t)i;
    case DESCENDING: return (uint64_t)(n - i);
    case EQUAL: return 77;
    case EQUAL_ABOVE: return (uint64_t)pick(3) << 58 | (next() & 0xfffff) << (pick(2) * 20);
    default: return special();
  }
}

static void fill (uint8_t *to, int64_t n, pattern kind) {
  uint32_t step = dtype->kind == LCU_KIND_COMPLEX ? dtype->size / 2 : dtype->size;
  for (int64_t i = 0; i < n * dtype->size; i += step) {
    uint64_t v = word_of(kind, i / dtype->size, n);
    if (dtype->kind == LCU_KIND_BOOL) v &= 3;
    memcpy(to + i, &v, step); /* little-endian */
  }
}


/* ---- checks ---- */

static bool are_ordered (const uint8_t *x, int64_t m) {
  for (int64_t i = 1; i < m; i++) {
    int order = compare_values(x + (i - 1) * dtype->size, x + i * dtype->size);
    if (descending ? order < 0 : order > 0) return false;
    /* zeros: the negative one comes first */
    if (order == 0 && dtype->kind == LCU_KIND_FLOAT && x[i * dtype->size] == 0) {
      lcu_scalar a, b;
      lcu_dtype_load(dtype, x + (i - 1) * dtype->size, &a);
      lcu_dtype_load(dtype, x + i * dtype->size, &b);
      if (a.d == 0 && (descending ? signbit(b.d) < signbit(a.d) : signbit(b.d) > signbit(a.d)))
        return false;
    }
  }
  return true;
}

static uint64_t scrambled (uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

/* A number that depends on the elements and not on their order. */
static uint64_t sum_of (const uint8_t *x, int64_t m) {
  uint64_t sum = 0;
  for (int64_t i = 0; i < m; i++) {
    uint64_t parts[2] = { 0, 0 };
    memcpy(parts, x + i * dtype->size, dtype->size);
    sum += scrambled(scrambled(parts[0] + 1) + parts[1]);
  }
  return sum;
}

static void check_elements (const uint8_t *in, const uint8_t *out, int64_t m) {
  size_t bytes = (size_t)m * dtype->size;
  uint8_t *copy = malloc(bytes);
  memcpy(copy, in, bytes);
  if (dtype->kind == LCU_KIND_BOOL)
    for (int64_t i = 0; i < m; i++) copy[i] = copy[i] != 0;
  CHECK(are_ordered(out, m), "%s, %lld elements", dtype->name, (long long)m);
  CHECK(sum_of(copy, m) == sum_of(out, m), "%s, %lld elements: others", dtype->name, (long long)m);
  free(copy);
}

/* Each place once, in the order of elements and, where these are equal, of places. */
static void check_places (const uint8_t *in, const int64_t *out, int64_t m) {
  bool *met = calloc((size_t)m, sizeof *met);
  int64_t wrong = 0;
  elements = in;
  for (int64_t i = 0; i < m; i++) {
    int64_t place = out[i] - 1;
    bool known = place >= 0 && place < m && !met[place];
    if (known) met[place] = true;
    wrong += !known;
  }
  for (int64_t i = 1; i < m && wrong == 0; i++)
    wrong += compare_places(out[i - 1] - 1, out[i] - 1) >= 0;
  CHECK(wrong == 0, "%s, %lld elements: %lld wrong", dtype->name, (long long)m, (long long)wrong);
  free(met);
}

/* One of the instruction sets that the build and the processor have. */
static const char *any_isa (void) {
  uint32_t n = 1;
  while (ptx_isa_at(n) != NULL) n++;
  return ptx_isa_at((uint32_t)pick(n))->name;
}

static sort_job new_job (bool places, int64_t rows, int64_t m, lcu_team *team) {
  sort_job job = { .places = places,
                   .descending = descending,
                   .dtype = dtype->id,
                   .rows = rows,
                   .m = m,
                   .isa = any_isa(),
                   .team = team,
                   .threads = team == NULL ? 1 : lcu_team_size(team) };
  return job;
}

static void check_sort (int64_t rows, int64_t m, pattern kind, lcu_team *team) {
  size_t bytes = (size_t)(rows * m) * dtype->size;
  bool places = pick(2), in_place = !places && pick(2);
  sort_job job = new_job(places, rows, m, team);
  uint8_t *in = malloc(bytes), *out = malloc(places ? (size_t)(rows * m) * 8 : bytes);
  void *scratch = malloc(sort_scratch(&job) + 1);
  fill(in, rows * m, kind);
  if (in_place) memcpy(out, in, bytes);
  job.in = in_place ? out : in;
  job.out = out;
  job.scratch = scratch;
  CHECK(sort_fits(&job) && sort_run(&job) == LCU_OK);
  for (int64_t row = 0; row < rows; row++) {
    const uint8_t *from = in + (size_t)(row * m) * dtype->size;
    if (places) check_places(from, (int64_t *)(void *)out + row * m, m);
    else check_elements(from, out + (size_t)(row * m) * dtype->size, m);
  }
  free(in);
  free(out);
  free(scratch);
}

static void check_dtype (lcu_team *team) {
  static const int64_t shapes[][2] = { { 1, 1 },    { 1, 2 },    { 1, 17 },   { 1, 25 },
                                       { 1, 100 },  { 1, 1000 }, { 1, 9000 }, { 2, 20 },
                                       { 100, 3 },  { 65, 16 },  { 70, 33 },  { 5, 1024 },
                                       { 5, 1025 }, { 3, 256 },  { 130, 1 },  { 9, 257 },
                                       { 3, 5000 }, { 40, 120 } };
  for (size_t i = 0; i < lcu_arraylen(shapes); i++)
    for (int kind = 0; kind < PATTERNS; kind++) {
      descending = pick(2);
      check_sort(shapes[i][0], shapes[i][1], (pattern)kind, team);
    }
  descending = pick(2);
  check_sort(1, 100000 + pick(9), ANY_BITS, team);
  check_sort(2, 70000 + pick(9), dtype->size == 8 ? EQUAL_ABOVE : SPECIAL, team);
  check_sort(7, 10000, (pattern)pick(PATTERNS), team);
}


/* ---- stopped, and without memory ---- */

static int asked;

static bool stop_later (void *ud) { return ++asked > *(int *)ud; }

static void test_stop (void) {
  enum { N = 300000 };
  dtype = &lcu_dtypes[LCU_FLOAT64];
  descending = false;
  sort_job job = new_job(true, 1, N, NULL);
  double *in = malloc(N * sizeof *in);
  int64_t *out = malloc(N * sizeof *out);
  job.scratch = malloc(sort_scratch(&job));
  fill((uint8_t *)in, N, ANY_BITS);
  job.in = in;
  job.out = out;
  job.stop = stop_later;
  int limit = 0, most = 1000;
  job.ud = &limit;
  for (; limit < most; limit++) {
    asked = 0;
    CHECK(sort_run(&job) == LCU_OK);
    if (asked <= limit) break;
  }
  CHECK(limit > 5 && limit < most, "%d", limit);
  check_places((uint8_t *)in, out, N);
  job.stop = NULL;
  lcu_mem_fail_at(1);
  CHECK(sort_run(&job) == LCU_E_NOMEM);
  lcu_mem_fail_at(0);
  job.m = 4;
  lcu_mem_fail_at(1);
  CHECK(sort_run(&job) == LCU_E_NOMEM);
  lcu_mem_fail_at(0);
  job.m = (int64_t)UINT32_MAX + 1;
  CHECK(!sort_fits(&job));
  job.places = false;
  CHECK(sort_fits(&job));
  free(in);
  free(out);
  free(job.scratch);
}

int main (void) {
  lcu_team *team;
  CHECK(lcu_team_create(3, &team) == LCU_OK);
  for (int round = 0; round < 2; round++)
    for (int id = 0; id < LCU_DTYPE_COUNT; id++) {
      dtype = &lcu_dtypes[id];
      check_dtype(round == 0 ? NULL : team);
    }
  test_stop();
  lcu_team_destroy(team);
  return check_result();
}
