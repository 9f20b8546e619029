/* check.h: counts the checks of a C test. CHECK(condition) reports a condition that does not hold;
 * CHECK(condition, format, ...) also prints more about it. A main ends with
 * return check_result(). */
#ifndef CHECK_H
#define CHECK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

static atomic_int passed, failed;

static inline bool check_at (bool ok, const char *file, int line, const char *condition) {
  if (ok) passed++;
  else {
    failed++;
    printf("%s:%d: not true: %s", file, line, condition);
  }
  return ok;
}

#define CHECK(cond, ...) \
  do { \
    if (!check_at((cond), __FILE__, __LINE__, #cond)) { \
      printf("  " __VA_ARGS__); \
      printf("\n"); \
    } \
  } while (0)

/* Prints the counts; the result of main. */
static inline int check_result (void) {
  printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}

#endif
