/* test_shim.c: tests the shim, which counts, fails and traces the calls of two drivers and forwards
 * all others unchanged; and the messages for results of a driver. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "cu_failure.h"
#include "cu_shim.h"

static int freed, asked;

static cu_result one_version (int *v) {
  asked++;
  *v = 1;
  return 0;
}
static cu_result two_version (int *v) {
  asked++;
  *v = 2;
  return 7;
}
static cu_result count_free (cu_deviceptr p) {
  freed += (int)p;
  return 0;
}
static cu_result error_name (cu_result r, const char **name) {
  *name = "name";
  return r;
}

static const lcu_driver one = { .cuDriverGetVersion = one_version,
                                .cuMemFree = count_free,
                                .cuGetErrorName = error_name };
static const lcu_driver two = { .cuDriverGetVersion = two_version };
static const lcu_driver three = { .cuDriverGetVersion = two_version };

static char trace[200];

static void note (void *ud, const char *name, cu_result r, double ms) {
  size_t n = strlen(trace);
  CHECK(ms >= 0);
  snprintf(trace + n, sizeof trace - n, "%s%s=%d ", (const char *)ud, name, r);
}

/* Each of two drivers has one wrapper; a third driver gets none. */
static void test_wrap (const lcu_driver **a, const lcu_driver **b) {
  *a = lcu_shim_wrap(&one);
  *b = lcu_shim_wrap(&two);
  CHECK(*a != &one && *b != &two && *a != *b);
  CHECK(lcu_shim_wrap(&one) == *a && lcu_shim_wrap(&two) == *b && lcu_shim_wrap(*a) == *a &&
        lcu_shim_wrap(*b) == *b);
  CHECK(lcu_shim_wrap(&three) == &three);
  CHECK((*a)->kind == one.kind && (*a)->cuInit == NULL && (*b)->cuMemFree == NULL &&
        (*a)->cuMemFree != NULL);
  int v = 0;
  CHECK((*a)->cuDriverGetVersion(&v) == 0 && v == 1 && (*b)->cuDriverGetVersion(&v) == 7 &&
        v == 2 && asked == 2);
}

/* The n-th call fails and is not forwarded; those before and after it are. With 0 or less no call
 * fails. */
static void test_fail_at (const lcu_driver *a, const lcu_driver *b) {
  int v;
  for (long n = -1; n <= 4; n++) {
    asked = 0;
    lcu_shim_fail_at(n, 2);
    CHECK(lcu_shim_calls() == 0 && lcu_shim_failed_call() == NULL);
    for (long i = 1; i <= 3; i++)
      CHECK((i % 2 ? a : b)->cuDriverGetVersion(&v) == (i == n ? 2 : i % 2 ? 0 : 7));
    CHECK(lcu_shim_calls() == 3 && asked == (n >= 1 && n <= 3 ? 2 : 3));
    CHECK(n >= 1 && n <= 3 ? strcmp(lcu_shim_failed_call(), "cuDriverGetVersion") == 0
                           : lcu_shim_failed_call() == NULL);
  }
}

/* A call that releases an object is forwarded, then fails. A call that only names errors is neither
 * counted nor failed. */
static void test_kinds (const lcu_driver *a) {
  const char *name = NULL;
  freed = 0;
  lcu_shim_fail_at(1, 719);
  CHECK(a->cuGetErrorName(0, &name) == 0 && strcmp(name, "name") == 0 && lcu_shim_calls() == 0);
  CHECK(a->cuMemFree(5) == 719 && freed == 5 && strcmp(lcu_shim_failed_call(), "cuMemFree") == 0);
  CHECK(a->cuMemFree(6) == 0 && freed == 11);
  lcu_shim_fail_at(0, 0);
}

static void test_trace (const lcu_driver *a, const lcu_driver *b) {
  int v;
  lcu_shim_trace(note, "*");
  lcu_shim_fail_at(3, 2);
  a->cuDriverGetVersion(&v);
  b->cuDriverGetVersion(&v);
  a->cuDriverGetVersion(&v);
  a->cuMemFree(1);
  lcu_shim_trace(NULL, NULL);
  a->cuMemFree(1);
  CHECK(strcmp(trace,
               "*cuDriverGetVersion=0 *cuDriverGetVersion=7 *cuDriverGetVersion=2 *cuMemFree=0 ") ==
        0);
  lcu_shim_fail_at(0, 0);
}

static bool says (lcu_status s, lcu_status code, const char *want) {
  const lcu_failure *f = lcu_failure_get();
  char text[LCU_MESSAGE_SIZE];
  lcu_failure_text(f, text);
  if (s == code && f->code == code && strcmp(f->call, "cuCall") == 0 && strcmp(text, want) == 0)
    return true;
  printf("%d: %s: %s\n", s, f->call, text);
  return false;
}

static cu_result own_name (cu_result r, const char **name) {
  *name = r == 990 ? "CUDA_ERROR_OWN" : NULL;
  return r == 990 ? 0 : 1;
}
static cu_result own_text (cu_result r, const char **text) {
  *text = r == 990 ? "own words" : NULL;
  return r == 990 ? 0 : 1;
}

/* The library names the results it knows, the driver names others; the rest have no name. */
static void test_words (void) {
  static const lcu_driver silent = { .kind = "gpu" }, cpu = { .kind = "cpu" };
  static const lcu_driver speaking = { .kind = "gpu",
                                       .cuGetErrorName = own_name,
                                       .cuGetErrorString = own_text };
  CHECK(says(lcu_driver_missing(&cpu, "cuCall"), LCU_E_UNSUPPORTED, "this device has no cuCall"));
  CHECK(
    says(lcu_driver_missing(&silent, "cuCall"), LCU_E_UNSUPPORTED, "this driver has no cuCall"));
  CHECK(says(lcu_driver_fail(&speaking, "cuCall", 990), 990,
             "cuCall failed: CUDA_ERROR_OWN (own words)"));
  CHECK(says(lcu_driver_fail(&speaking, "cuCall", 991), 991,
             "cuCall failed: CUDA_ERROR_UNKNOWN: the driver returned 991"));
  CHECK(says(lcu_driver_fail(&silent, "cuCall", 990), 990,
             "cuCall failed: CUDA_ERROR_UNKNOWN: the driver returned 990"));
  CHECK(says(lcu_driver_fail(&speaking, "cuCall", 2), 2,
             "cuCall failed: CUDA_ERROR_OUT_OF_MEMORY (not enough memory)"));
  CHECK(lcu_driver_fail(&silent, "cuCall", CU_ERR_UNKNOWN) == CU_ERR_UNKNOWN);
  CHECK(strcmp(lcu_failure_name(lcu_failure_get()), "CUDA_ERROR_UNKNOWN") == 0);
}

int main (void) {
  const lcu_driver *a, *b;
  alarm(60);
  test_wrap(&a, &b);
  test_fail_at(a, b);
  test_kinds(a);
  test_trace(a, b);
  test_words();
  return check_result();
}
