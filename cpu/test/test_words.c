/* test_words.c: the words that the device has about a failed call reach the failure record. */
#include <string.h>

#include "check.h"
#include "cpu_driver.h"
#include "cpu_words.h"
#include "cu_failure.h"

static const char *message (const char *call) {
  CHECK(lcu_driver_fail(&lcu_cpu_driver, call, 1) == 1);
  return lcu_failure_get()->message;
}

int main (void) {
  CHECK(cpu_fail("cuMemAlloc", 1, "%d is odd", 3) == 1);
  CHECK(strcmp(message("cuMemAlloc"), "3 is odd") == 0);
  CHECK(strstr(message("cuMemAlloc"), "odd") == NULL); /* they are taken once */
  cpu_fail("cuMemAlloc", 1, "of another call");
  CHECK(strstr(message("cuMemFree"), "another") == NULL);
  return check_result();
}
